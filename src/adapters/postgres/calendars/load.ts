import { addressKey } from '../../../core/text/email.ts';
import type { CalendarRef } from '../../../calendar/calendar.ts';
import type { CalendarState, CalendarTarget } from '../../../calendar/calendar.store.ts';
import type { Read, Row, Statement } from '../database.ts';
import { lookupKey } from '../statements.ts';
import { madeCount, makerValues } from '../made.ts';
import { addressKey as keyOf } from '../migrations/0004-visibility-and-addresses.ts';
import { earlierFrom, findRequest } from '../request-records.ts';
import { countDays } from '../events/days.ts';
import { calendarFrom } from '../find-calendars.ts';

/** Values that a change is decided on, and that are needed to store it. */
export interface LoadedCalendar {
  readonly state: CalendarState;
  /** As it is stored. */
  readonly body: string | undefined;
  /** Of an earlier calendar of the same id: how far its changes had come. */
  readonly earlierChanges: number | undefined;
}

const calendarText = `SELECT 'calendar' AS kind, body, changes AS n, time_zone AS a FROM calendars WHERE id = $1`;

const byId = (id: string): Statement => ({ name: 'load calendar by id', text: calendarText, values: [id] });

function calendarOf(ref: CalendarRef): Statement {
  if ('removedId' in ref)
    return {
      name: 'load removed calendar',
      text: `SELECT 'calendar' AS kind, body, 0::bigint AS n, time_zone AS a FROM removed_calendars WHERE id = $1`,
      values: [lookupKey(ref.removedId)],
    };
  if ('id' in ref)
    return {
      name: 'load calendar',
      text: `${calendarText} UNION ALL SELECT 'removed', NULL, changes, NULL FROM removed_calendars WHERE id = $1`,
      values: [lookupKey(ref.id)],
    };
  return {
    name: 'load primary calendar',
    text: `SELECT CASE WHEN c.id IS NULL THEN 'primary' ELSE 'calendar' END AS kind, c.body, c.changes AS n, coalesce(c.time_zone, p.calendar_id) AS a
      FROM primaries p LEFT JOIN calendars c ON c.id = p.calendar_id AND c.id = $1 WHERE p.owner_key = $1`,
    values: [lookupKey(addressKey(ref.primaryOf))],
  };
}

const madeAndNamed: Omit<Statement, 'values'> = {
  name: 'load maker',
  text: `SELECT 'made' AS kind, NULL AS body, count::bigint AS n, NULL AS a FROM (${madeCount('calendar', '$1', '$2')}) AS m
    UNION ALL SELECT 'access', NULL, 0, calendar_id FROM access WHERE identity = $1`,
};
const isOwned = (id: string, identity: string): Statement => ({
  name: 'is owned',
  text: `SELECT 'is owned' AS kind FROM calendars WHERE id = $1 AND ${keyOf("body ->> 'owner'")} = $2`,
  values: [id, identity],
});

const of = (rows: readonly Row[], kind: string): Row[] => rows.filter((row) => row.kind === kind);

/** Loads what a target names, each row from its shard. */
export async function loadCalendar(
  read: Read,
  { calendar: ref, maker, countsDays, request }: CalendarTarget,
  now: number,
): Promise<LoadedCalendar> {
  const first = await read([
    calendarOf(ref),
    ...(maker ? [{ ...madeAndNamed, values: makerValues(maker) }] : []),
    ...(request ? [findRequest(request, now)] : []),
  ]);
  const rows = first.flat();
  const identity = maker ? lookupKey(maker.identity) : '';
  const others = [
    ...of(rows, 'primary').map(({ a }) => byId(a as string)),
    ...of(rows, 'access').map(({ a }) => isOwned(a as string, identity)),
  ];
  if (others.length > 0) rows.push(...(await read(others)).flat());
  const [calendar, removed, made, earlier] = ['calendar', 'removed', 'made', 'request'].map(
    (kind) => of(rows, kind)[0],
  );
  const record = calendar && calendarFrom(calendar.body);
  const countsAll = countsDays && record && record.timeZone !== countsDays.zone;
  return {
    state: {
      calendar: record,
      wasRemoved: removed !== undefined,
      madeToday: (made?.n ?? 0) as number,
      owned: of(rows, 'is owned').length,
      allDayEvents: countsAll ? await countDays(read, record.id, countsDays.to) : 0,
      earlier: earlier && earlierFrom(earlier.a, earlier.body),
    },
    body: calendar?.body as string | undefined,
    earlierChanges: removed?.n as number | undefined,
  };
}
