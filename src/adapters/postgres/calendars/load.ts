import { type Read, type Row, sql, type Statement } from '../database.ts';
import type { CalendarState, CalendarTarget } from '../../../calendar/calendar.store.ts';
import { lookupKey } from '../transaction.ts';
import { earlierFrom, findMade, findRequest } from '../request-records.ts';
import { addressKey } from '../migrations/0004-visibility-and-addresses.ts';
import { countDays } from '../events/days.ts';
import { accessOf, calendarById, calendarFrom, calendarStatement } from '../find-calendars.ts';

/** Values that a change is decided on, and that are needed to store it. */
export interface LoadedCalendar {
  readonly state: CalendarState;
  /** As it is stored. */
  readonly body: string | undefined;
  /** Of an earlier calendar of the same id: how far its changes had come. */
  readonly earlierChanges: number | undefined;
}

const removedChanges = (id: string): Statement =>
  sql`/* changes of removed calendar */ SELECT 'removed' AS kind, changes FROM removed_calendars WHERE id = ${lookupKey(id)}`;

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
  const identity = maker ? lookupKey(maker.identity) : '';
  const [[named] = [], ...beside] = await read([
    calendarStatement(ref),
    ...('id' in ref ? [removedChanges(ref.id)] : []),
    ...(maker ? [findMade('calendar', maker), accessOf(identity)] : []),
    ...(request ? [findRequest(request, now)] : []),
  ]);
  const rows = beside.flat();
  const [removed, made, earlier] = ['removed', 'made', 'request'].map((kind) => of(rows, kind)[0]);
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
      madeToday: (made?.n ?? 0) as number,
      owned: (isElsewhere ? owned : [primary, ...owned]).flat().length,
      allDayEvents: countsAll ? await countDays(read, record.id, countsDays.to) : 0,
      earlier: earlier && earlierFrom(earlier.a, earlier.body),
    },
    body: calendar?.body as string | undefined,
    earlierChanges: removed?.changes as number | undefined,
  };
}
