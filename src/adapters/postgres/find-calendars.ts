import { type Database, type Row, sql, type Statement } from './database.ts';
import { addressKey } from '../../core/text/email.ts';
import type { CalendarRecord, CalendarRef } from '../../calendar/calendar.ts';
import { lookupKey, queryByKeys } from './transaction.ts';
import { fromStored } from './stored-json.ts';

/** A calendar, and how far its changes had come when it was read. */
export interface FoundCalendar {
  readonly record: CalendarRecord;
  readonly changes: number;
}

export const calendarFrom = (body: unknown): CalendarRecord => fromStored<CalendarRecord>(body);

const foundCalendar = (row: Row | undefined): FoundCalendar | undefined =>
  row && { record: calendarFrom(row.body), changes: row.changes as number };

export const calendarById = (id: string): Statement =>
  sql`/* calendar */ SELECT id, body, changes, added FROM calendars WHERE id = ${id}`;

/** Somebody's primary calendar; without its body unless its id is the owner's address: it may be on another shard than its owner's rows. */
const calendarByOwner = (
  ownerKey: string,
) => sql`/* calendar by owner */ SELECT p.calendar_id AS id, c.body, c.changes
    FROM primaries p LEFT JOIN calendars c ON c.id = p.calendar_id AND c.id = ${ownerKey} WHERE p.owner_key = $1`;

const removed = (id: string): Statement =>
  sql`/* removed calendar */ SELECT id, body, 0::bigint AS changes FROM removed_calendars WHERE id = ${id}`;

/** Finds the calendar that is referred to, or the id of a primary calendar whose body is null. */
export function calendarStatement(ref: CalendarRef): Statement {
  if ('removedId' in ref) return removed(lookupKey(ref.removedId));
  return 'id' in ref
    ? calendarById(lookupKey(ref.id))
    : calendarByOwner(lookupKey(addressKey(ref.primaryOf)));
}

/** Finds the calendars that are referred to in one round trip, or in two where a primary calendar's id is not its owner's address. */
export async function findCalendars(
  database: Database,
  refs: readonly CalendarRef[],
): Promise<(FoundCalendar | undefined)[]> {
  const rows = (await database.read(refs.map(calendarStatement))).map(([row]) => row);
  const elsewhere = new Set(rows.flatMap((row) => (row?.body === null ? [row.id as string] : [])));
  const found = new Map(
    (await queryByKeys(database, [...elsewhere], calendarById)).map((row) => [row.id, row]),
  );
  return rows.map((row) => foundCalendar(row?.body === null ? found.get(row.id) : row));
}

/** The ids of the calendars that an identity, as it is looked up, may use: rows of the kind `access`. */
export const accessOf = (identity: string): Statement =>
  sql`/* access of */ SELECT 'access' AS kind, calendar_id FROM access WHERE identity = ${identity}`;

/** The calendars that an identity may use, in the order in which they were added. */
export async function findCalendarsOf(database: Database, identity: string): Promise<CalendarRecord[]> {
  const access = await database.query(accessOf(lookupKey(identity)));
  const ids = access.map(({ calendar_id: id }) => id as string);
  const rows = await queryByKeys(database, ids, calendarById);
  return rows
    .toSorted((a, b) => (a.added as number) - (b.added as number))
    .map(({ body }) => calendarFrom(body));
}

const primaryOf = (owner: string): Statement =>
  sql`/* primary */ SELECT calendar_id FROM primaries WHERE owner_key = ${owner}`;

/**
 * A calendar, and the rows of statements about the one that the reference led to last time: in one round trip where it still does. An
 * owner's row may be on another shard than the calendar; where the calendar's id is the owner's address the row need not be read.
 */
export async function findLikely(
  database: Database,
  ref: CalendarRef,
  likely: string | undefined,
  next: readonly Statement[],
): Promise<[FoundCalendar | undefined, (readonly (readonly Row[])[])?]> {
  const owner = 'primaryOf' in ref ? lookupKey(addressKey(ref.primaryOf)) : undefined;
  const id = owner === undefined ? ('id' in ref ? lookupKey(ref.id) : undefined) : likely;
  if (id === undefined) return findCalendars(database, [ref]).then(([found]) => [found]);
  const owned = owner === undefined || owner === likely ? undefined : primaryOf(owner);
  const answers = await database.read([calendarById(id), ...next, ...(owned ? [owned] : [])]);
  const found = foundCalendar(answers[0]?.[0]);
  const isLikely =
    owner === undefined ||
    (owned
      ? answers.at(-1)?.[0]?.calendar_id === id
      : found !== undefined && lookupKey(addressKey(found.record.owner)) === owner);
  return isLikely
    ? [found, answers.slice(1, next.length + 1)]
    : findCalendars(database, [ref]).then(([other]) => [other]);
}
