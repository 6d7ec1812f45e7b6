import { addressKey } from '../../../core/text/email.ts';
import type { CalendarRef } from '../../../calendar/calendar.ts';
import type { Database, Row, Statement } from '../database.ts';
import { lookupKey } from '../lookup.ts';
import { queryByKeys, queryEach } from './by-keys.ts';

/** Somebody's primary calendar; without its body where it stands elsewhere than its owner's rows, as it does unless its id is the owner's address. */
export const byOwner = (ownerKey: string): Statement => ({
  name: 'calendar of owner',
  text: 'SELECT p.calendar_id AS id, c.body, c.changes FROM primaries p LEFT JOIN calendars c ON c.id = p.calendar_id AND c.id = $1 WHERE p.owner_key = $1',
  values: [ownerKey],
});

const removed = (id: string): Statement => ({
  name: 'removed calendar',
  text: 'SELECT id, body, 0::bigint AS changes FROM removed_calendars WHERE id = $1',
  values: [id],
});

const byId = (ids: readonly string[]): Statement => ({
  name: 'calendars by id',
  text: 'SELECT id, body, changes, added FROM calendars WHERE id = ANY ($1::text[])',
  values: [ids],
});

function statementOf(ref: CalendarRef): Statement {
  if ('removedId' in ref) return removed(lookupKey(ref.removedId));
  return 'id' in ref ? byId([lookupKey(ref.id)]) : byOwner(lookupKey(addressKey(ref.primaryOf)));
}

/** A row for each reference, undefined where there is no such calendar: in one round trip, or two where a primary calendar stands elsewhere than its owner's rows. */
export async function rowsOfCalendars(
  database: Database,
  refs: readonly CalendarRef[],
): Promise<readonly (Row | undefined)[]> {
  const rows = (await queryEach(database, refs.map(statementOf))).map(([row]) => row);
  const elsewhere = new Set(rows.flatMap((row) => (row?.body === null ? [row.id as string] : [])));
  const found = new Map((await queryByKeys(database, [...elsewhere], byId)).map((row) => [row.id, row]));
  return rows.map((row) => (row?.body === null ? found.get(row.id) : row));
}

/** The calendars that an identity may use, in the order in which they were added. */
export async function rowsOfIdentity(database: Database, identity: string): Promise<readonly Row[]> {
  const access = await database.query({
    name: 'access of',
    text: 'SELECT calendar_id FROM access WHERE identity = $1',
    values: [identity],
  });
  const rows = await queryByKeys(
    database,
    access.map(({ calendar_id: id }) => id as string),
    byId,
  );
  return [...rows].sort((a, b) => (a.added as number) - (b.added as number));
}
