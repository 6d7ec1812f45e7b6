import { addressKey } from '../../../core/text/email.ts';
import type { CalendarTarget } from '../../../calendar/calendar.store.ts';
import type { CalendarRecord, CalendarRef } from '../../../calendar/calendar.ts';
import type { Connection, Row, Statement } from '../database.ts';
import { lookupKey } from '../lookup.ts';
import { madeCount, makerValues } from '../made.ts';
import { addressKey as keyOf } from '../migrations/0004-visibility-and-addresses.ts';
import { fromStored } from '../stored-json.ts';
import { findRequest } from '../request-records.ts';
import type { Loading } from '../transaction.ts';
import { countDays } from './daily-entries.ts';

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

/** The rows of `loadCalendar`, shard by shard. */
export const loadingCalendar =
  ({ calendar, maker, countsDays, request: asked }: CalendarTarget, now: number): Loading =>
  async (connection) => {
    const first = (
      await connection.runAll([
        calendarOf(calendar),
        ...(maker ? [{ ...madeAndNamed, values: makerValues(maker) }] : []),
        ...(asked ? [findRequest(asked, now)] : []),
      ])
    ).flat();
    const identity = maker ? lookupKey(maker.identity) : '';
    const others = [
      ...of(first, 'primary').map(({ a }) => byId(a as string)),
      ...of(first, 'access').map(({ a }) => isOwned(a as string, identity)),
    ];
    const second = others.length > 0 ? (await connection.runAll(others)).flat() : [];
    const rows = [...first, ...second];
    return [
      ...rows,
      { kind: 'owned', n: of(rows, 'is owned').length },
      ...(countsDays ? await daysOf(connection, of(rows, 'calendar')[0], countsDays) : []),
    ];
  };

async function daysOf(
  connection: Connection,
  found: Row | undefined,
  { to, zone }: NonNullable<CalendarTarget['countsDays']>,
): Promise<Row[]> {
  if (!found || found.a === zone) return [];
  return [{ kind: 'days', n: await countDays(connection, fromStored<CalendarRecord>(found.body).id, to) }];
}
