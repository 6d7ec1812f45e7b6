import { addressKey } from '../../../core/text/email.ts';
import type { CalendarRecord, CalendarRef } from '../../../calendar/calendar.ts';
import type { CalendarStore } from '../../../calendar/calendar.store.ts';
import type { Database, Row, Statement } from '../database.ts';
import { lookupKey } from '../lookup.ts';
import { fromStored, toStored } from '../stored-json.ts';
import { begin, commit } from '../transaction.ts';

/** A calendar, and how far its changes had come when it was read. */
export interface FoundCalendar {
  readonly record: CalendarRecord;
  readonly changes: number;
}

/** The two ways to refer to a calendar as two parameters, one of them null. */
export const refValues = (ref: CalendarRef): readonly [id: string | null, ownerKey: string | null] =>
  'id' in ref ? [lookupKey(ref.id), null] : [null, lookupKey(addressKey(ref.primaryOf))];

export const calendarFrom = (body: unknown): CalendarRecord => fromStored<CalendarRecord>(body);

const find: Omit<Statement, 'values'> = {
  name: 'calendars',
  text: `SELECT c.body, c.changes FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (id, owner_key, place)
    LEFT JOIN primaries p ON p.owner_key = asked.owner_key
    LEFT JOIN calendars c ON c.id = coalesce(asked.id, p.calendar_id) ORDER BY place`,
};

// Most requests are about one.
const findById: Omit<Statement, 'values'> = { name: 'calendar', text: 'SELECT body, changes FROM calendars WHERE id = $1' };
const findByOwner: Omit<Statement, 'values'> = {
  name: 'calendar by owner',
  text: 'SELECT body, changes FROM calendars WHERE id = (SELECT calendar_id FROM primaries WHERE owner_key = $1)',
};

/** Finds the calendars that are referred to: a row for each, but none for a single one that is not there. */
export function findStatement(refs: readonly CalendarRef[]): Statement {
  const values = refs.map(refValues);
  const [first, ...others] = values;
  if (first && others.length === 0) return { ...(first[1] === null ? findById : findByOwner), values: [first[0] ?? first[1]] };
  return { ...find, values: [values.map(([id]) => id), values.map(([, owner]) => owner)] };
}

export const foundCalendar = (row: Row | undefined): FoundCalendar | undefined =>
  row === undefined || row.body === null ? undefined : { record: calendarFrom(row.body), changes: row.changes as number };

export async function findCalendars(database: Database, refs: readonly CalendarRef[]): Promise<(FoundCalendar | undefined)[]> {
  if (refs.length === 0) return [];
  const rows = await database.query(findStatement(refs));
  return refs.map((_ref, index) => foundCalendar(rows[index]));
}

/** Calendars in PostgreSQL, shared by all gateways on one database. */
export function createPostgresCalendarStore(database: Database): CalendarStore {
  return {
    calendars: async (refs) => (await findCalendars(database, refs)).map((found) => found?.record),

    async calendarsOf(identity) {
      const rows: readonly Row[] = await database.query({
        name: 'calendars of',
        text: `SELECT c.body FROM access a JOIN calendars c ON c.id = a.calendar_id WHERE a.identity = $1 ORDER BY c.added`,
        values: [lookupKey(identity)],
      });
      return rows.map(({ body }) => calendarFrom(body));
    },

    async calendarsBehind(id, limit) {
      const rows = await database.query({ name: 'calendars behind', text: 'SELECT body FROM calendars WHERE id COLLATE "C" > $1 ORDER BY id COLLATE "C" LIMIT $2', values: [id, limit] });
      return rows.map(({ body }) => calendarFrom(body));
    },

    async changeCalendar({ calendar: { id } }, decide) {
      const [row] = await database.query({ ...findById, values: [lookupKey(id)] });
      const { next, result } = decide({ calendar: foundCalendar(row)?.record });
      if (!next) return result;
      const identities = [...new Set([next.owner, ...next.acl.map(({ email }) => email)].map(addressKey))];
      await database.use(({ run }) => run([
        begin,
        {
          text: `INSERT INTO calendars (id, body, time_zone, added) SELECT $1, $2, $3, coalesce(max(added), 0) + 1 FROM calendars
            ON CONFLICT (id) DO UPDATE SET body = excluded.body, time_zone = excluded.time_zone`,
          values: [id, toStored(next), next.timeZone],
        },
        { text: 'DELETE FROM access WHERE calendar_id = $1', values: [id] },
        { text: `INSERT INTO access SELECT identity, $2 FROM unnest($1::text[]) AS identity`, values: [identities, id] },
        ...(next.neverPrimary === true ? [] : [{
          text: `INSERT INTO primaries VALUES ($1, $2) ON CONFLICT (owner_key) DO UPDATE SET calendar_id = excluded.calendar_id WHERE $3`,
          values: [addressKey(next.owner), id, addressKey(id) === addressKey(next.owner)],
        }]),
        commit,
      ]));
      return result;
    },

    async addCalendar(calendar) {
      const { id, owner, acl, timeZone } = calendar;
      const identities = [...new Set([owner, ...acl.map(({ email }) => email)].map(addressKey))];
      const isOwn = addressKey(id) === addressKey(owner);
      await database.use(({ run }) => run([
        begin,
        {
          text: `INSERT INTO calendars (id, body, time_zone, added) SELECT $1, $2, $3, coalesce(max(added), 0) + 1 FROM calendars`,
          values: [id, toStored(calendar), timeZone],
        },
        { text: `INSERT INTO access SELECT identity, $2 FROM unnest($1::text[]) AS identity`, values: [identities, id] },
        {
          text: `INSERT INTO primaries VALUES ($1, $2) ON CONFLICT (owner_key) DO UPDATE SET calendar_id = excluded.calendar_id WHERE $3`,
          values: [addressKey(owner), id, isOwn],
        },
        commit,
      ]));
    },
  };
}
