import { type Read, type Row, sql, type Statement } from '../database.ts';
import type { CalendarState, CalendarTarget } from '../../../calendar/calendar.store.ts';
import { lookupKey } from '../transaction.ts';
import { toEarlierRequest, findMadeCount, findRequest } from '../request-records.ts';
import { addressKey } from '../migrations/0004-visibility-and-addresses.ts';
import { countAllDayEntries } from '../events/days.ts';
import { findAccess, calendarById, parseCalendar, calendarStatement } from '../find-calendars.ts';

/** Values needed to decide a change and to store it. */
export interface LoadedCalendar {
  readonly state: CalendarState;
  readonly body: string | undefined;
  /** Number of the last change of a deleted calendar with the same id. */
  readonly earlierChanges: number | undefined;
}

const removedChanges = (id: string): Statement =>
  sql`/* changes of removed calendar */ SELECT 'removed' AS kind, changes FROM removed_calendars WHERE id = ${lookupKey(id)}`;

const findOwned = (id: string, identity: string): Statement => ({
  name: 'is owned',
  text: `SELECT FROM calendars WHERE id = $1 AND ${addressKey("body ->> 'owner'")} = $2`,
  values: [id, identity],
});

const rowsOfKind = (rows: readonly Row[], kind: string): Row[] => rows.filter((row) => row.kind === kind);

/** Loads the state of a change target, each row from its shard. */
export async function loadCalendar(
  read: Read,
  { calendar: ref, quotaKey, countAllDayEvents, request }: CalendarTarget,
  now: number,
): Promise<LoadedCalendar> {
  const identity = quotaKey ? lookupKey(quotaKey.identity) : '';
  const [[namedRow] = [], ...otherAnswers] = await read([
    calendarStatement(ref),
    ...('id' in ref ? [removedChanges(ref.id)] : []),
    ...(quotaKey ? [findMadeCount('calendar', quotaKey), findAccess(identity)] : []),
    ...(request ? [findRequest(request, now)] : []),
  ]);
  const rows = otherAnswers.flat();
  const [removed, made, earlier] = ['removed', 'made', 'request'].map((kind) => rowsOfKind(rows, kind)[0]);
  const isOnOtherShard = namedRow?.body === null;
  const [primary = [], ...owned] = await read([
    ...(isOnOtherShard ? [calendarById(namedRow.id as string)] : []),
    ...rowsOfKind(rows, 'access').map(({ calendar_id: id }) => findOwned(id as string, identity)),
  ]);
  const calendar = isOnOtherShard ? primary[0] : namedRow;
  const record = calendar && parseCalendar(calendar.body);
  const needsAllDayCount = countAllDayEvents && record && record.timeZone !== countAllDayEvents.zone;
  return {
    state: {
      calendar: record,
      wasRemoved: removed !== undefined,
      createdToday: (made?.n ?? 0) as number,
      owned: (isOnOtherShard ? owned : [primary, ...owned]).flat().length,
      allDayEvents: needsAllDayCount ? await countAllDayEntries(read, record.id, countAllDayEvents.to) : 0,
      earlier: earlier && toEarlierRequest(earlier.a, earlier.body),
    },
    body: calendar?.body as string | undefined,
    earlierChanges: removed?.changes as number | undefined,
  };
}
