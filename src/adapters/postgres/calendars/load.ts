import type { CalendarState, CalendarTarget } from '../../../calendar/calendar.store.ts';
import type { Read, Row, Statement } from '../database.ts';
import { lookupKey } from '../transaction.ts';
import { earlierFrom, findRequest, madeCount, makerValues } from '../request-records.ts';
import { addressKey } from '../migrations/0004-visibility-and-addresses.ts';
import { countDays } from '../events/days.ts';
import { calendarById, calendarFrom, calendarStatement } from '../find-calendars.ts';

/** Values that a change is decided on, and that are needed to store it. */
export interface LoadedCalendar {
  readonly state: CalendarState;
  /** As it is stored. */
  readonly body: string | undefined;
  /** Of an earlier calendar of the same id: how far its changes had come. */
  readonly earlierChanges: number | undefined;
}

const removedChanges = (id: string): Statement => ({
  name: 'changes of removed calendar',
  text: `SELECT 'removed' AS kind, changes FROM removed_calendars WHERE id = $1`,
  values: [lookupKey(id)],
});

const madeAndNamed: Omit<Statement, 'values'> = {
  name: 'load maker',
  text: `SELECT 'made' AS kind, count::bigint, NULL AS calendar_id FROM (${madeCount('calendar', '$1', '$2')}) AS m
    UNION ALL SELECT 'access', 0, calendar_id FROM access WHERE identity = $1`,
};
const isOwned = (id: string, identity: string): Statement => ({
  name: 'is owned',
  text: `SELECT FROM calendars WHERE id = $1 AND ${addressKey("body ->> 'owner'")} = $2`,
  values: [id, identity],
});

const of = (rows: readonly Row[], kind: string): Row[] => rows.filter((row) => row.kind === kind);

/** Loads what a target names, each row from its shard. */
export async function loadCalendar(
  read: Read,
  { calendar: ref, maker, countsDays, request }: CalendarTarget,
  now: number,
): Promise<LoadedCalendar> {
  const [[named] = [], ...beside] = await read([
    calendarStatement(ref),
    ...('id' in ref ? [removedChanges(ref.id)] : []),
    ...(maker ? [{ ...madeAndNamed, values: makerValues(maker) }] : []),
    ...(request ? [findRequest(request, now)] : []),
  ]);
  const rows = beside.flat();
  const [removed, made, earlier] = ['removed', 'made', 'request'].map((kind) => of(rows, kind)[0]);
  const identity = maker ? lookupKey(maker.identity) : '';
  const isElsewhere = named?.body === null;
  const [primary = [], ...owned] = await read([
    ...(isElsewhere ? [calendarById(named.id as string)] : []),
    ...of(rows, 'access').map(({ calendar_id: id }) => isOwned(id as string, identity)),
  ]);
  const calendar = isElsewhere ? primary[0] : named;
  const record = calendar && calendarFrom(calendar.body);
  const countsAll = countsDays && record && record.timeZone !== countsDays.zone;
  return {
    state: {
      calendar: record,
      wasRemoved: removed !== undefined,
      madeToday: (made?.count ?? 0) as number,
      owned: (isElsewhere ? owned : [primary, ...owned]).flat().length,
      allDayEvents: countsAll ? await countDays(read, record.id, countsDays.to) : 0,
      earlier: earlier && earlierFrom(earlier.a, earlier.body),
    },
    body: calendar?.body as string | undefined,
    earlierChanges: removed?.changes as number | undefined,
  };
}
