import { type Database, type Row, sql, type Statement } from './database.ts';
import { addressKey } from '../../core/text/email.ts';
import type { CalendarRecord, CalendarRef } from '../../calendar/calendar.store.ts';
import { lookupKey, queryByKeys } from './statements.ts';
import { parseCalendar } from './stored-json.ts';

/** A calendar and the number of its last change when it was read. */
export interface CalendarSnapshot {
  readonly record: CalendarRecord;
  readonly changes: number;
}

const toSnapshot = (row: Row | undefined): CalendarSnapshot | undefined =>
  row && { record: parseCalendar(row.body), changes: row.changes as number };

/** Statement that finds a calendar by its id. */
export const calendarByIdStatement = (id: string): Statement =>
  sql`/* calendar */ SELECT id, body, changes, added FROM calendars WHERE id = ${id}`;

/** An owner's primary calendar. The body is null unless its id is the owner's address: it may be on another shard. */
const calendarByOwner = (
  ownerKey: string,
) => sql`/* calendar by owner */ SELECT p.calendar_id AS id, c.body, c.changes
    FROM primaries p LEFT JOIN calendars c ON c.id = p.calendar_id AND c.id = ${ownerKey} WHERE p.owner_key = $1`;

const removedCalendarById = (id: string): Statement =>
  sql`/* removed calendar */ SELECT id, body, 0::bigint AS changes FROM removed_calendars WHERE id = ${id}`;

/** Finds a calendar; a primary calendar on another shard has only its id, and a null body. */
export function calendarStatement(ref: CalendarRef): Statement {
  if ('removedId' in ref) return removedCalendarById(lookupKey(ref.removedId));
  return 'id' in ref
    ? calendarByIdStatement(lookupKey(ref.id))
    : calendarByOwner(lookupKey(addressKey(ref.primaryOf)));
}

/** Finds calendars in one round trip, or two if the id of a primary calendar is not its owner's address. */
export async function findCalendars(
  database: Database,
  refs: readonly CalendarRef[],
): Promise<(CalendarSnapshot | undefined)[]> {
  const rows = (await database.read(refs.map(calendarStatement))).map(([row]) => row);
  const otherShardIds = new Set(rows.flatMap((row) => (row?.body === null ? [row.id as string] : [])));
  const otherShardRows = new Map(
    (await queryByKeys(database, [...otherShardIds], calendarByIdStatement)).map((row) => [row.id, row]),
  );
  return rows.map((row) => toSnapshot(row?.body === null ? otherShardRows.get(row.id) : row));
}

/** Statement for the ids of the calendars that an identity (a lookup key) may use: rows of the kind `access`. */
export const accessStatement = (identity: string): Statement =>
  sql`/* access of */ SELECT 'access' AS kind, calendar_id FROM access WHERE identity = ${identity}`;

/** Finds the calendars that an identity may use, in the order in which they were added. */
export async function findCalendarsOf(database: Database, identity: string): Promise<CalendarRecord[]> {
  const accessRows = await database.query(accessStatement(lookupKey(identity)));
  const ids = accessRows.map(({ calendar_id: id }) => id as string);
  const rows = await queryByKeys(database, ids, calendarByIdStatement);
  return rows
    .toSorted((a, b) => (a.added as number) - (b.added as number))
    .map(({ body }) => parseCalendar(body));
}

/** Statement for the id of an owner's primary calendar: a row of the kind `primary`. */
export const primaryIdStatement = (ownerKey: string): Statement =>
  sql`/* primary */ SELECT 'primary' AS kind, owner_key, calendar_id FROM primaries WHERE owner_key = ${ownerKey}`;

/** Finds a calendar, in one round trip with rows for `expectedId`, the one found last time; otherwise no rows. */
export async function findCalendarWithRows(
  database: Database,
  ref: CalendarRef,
  expectedId: string | undefined,
  statements: readonly Statement[],
): Promise<[CalendarSnapshot | undefined, (readonly (readonly Row[])[])?]> {
  const owner = 'primaryOf' in ref ? lookupKey(addressKey(ref.primaryOf)) : undefined;
  const id = owner === undefined ? ('id' in ref ? lookupKey(ref.id) : undefined) : expectedId;
  if (id !== undefined) {
    const needsPrimary = owner !== undefined && owner !== expectedId;
    const results = await database.read([
      calendarByIdStatement(id),
      ...statements,
      ...(needsPrimary ? [primaryIdStatement(owner)] : []),
    ]);
    const calendar = toSnapshot(results[0]?.[0]);
    // Rows of the expected calendar count only if it is still the owner's primary one.
    const isExpected =
      owner === undefined ||
      (needsPrimary
        ? results.at(-1)?.[0]?.calendar_id === id
        : calendar !== undefined && lookupKey(addressKey(calendar.record.owner)) === owner);
    if (isExpected) return [calendar, results.slice(1, statements.length + 1)];
  }
  const [calendar] = await findCalendars(database, [ref]);
  return [calendar];
}
