import { type Connection, type Database, type Read, type Row, sql, type Statement } from '../database.ts';
import { withRowCountCheck } from '../transaction.ts';
import type { EventStore, WorkItem } from '../../../event/event.store.ts';

const cursorSeparator = ' ';

/** Queries of background jobs, which all use indexes. */
export function createBackgroundQueries(
  database: Database,
): Pick<EventStore, 'eventsInviting' | 'eventsAtHome' | 'clearCalendar'> {
  return {
    // Fails unless all shards respond; the job is then repeated.
    async eventsInviting(address, calendarId, cursor, limit) {
      const [isException, home, key] = cursor?.split(cursorSeparator) ?? ['false', '', ''];
      // A series precedes its exceptions.
      const rows = await database.query(
        sql`/* events inviting */ SELECT home_id, key, series_key IS NOT NULL AS is_exception, original,
            coalesce(body #>> '{instance,series,eventId}', body #>> ARRAY['copies', home_id, 'id']) AS id FROM events
          WHERE guests IS NOT NULL AND guests @> jsonb_build_array(${address}::text) AND NOT jsonb_exists(body -> 'copies', ${calendarId}::text)
            AND (series_key IS NOT NULL, home_id, key) > (${isException}::boolean, ${decodeURIComponent(home ?? '')}::text, ${key}::text)
          ORDER BY series_key IS NOT NULL, home_id, key LIMIT ${limit}`,
      );
      return rows.map((row) => ({
        cursor: [row.is_exception, encodeURIComponent(row.home_id as string), row.key].join(cursorSeparator),
        ...referenceOf(row),
      }));
    },

    async eventsAtHome(calendarId, cursor, limit) {
      const rows = await database.query(
        sql`/* events at home */ SELECT key, body #>> ARRAY['copies', home_id, 'id'] AS id FROM events
          WHERE home_id = ${calendarId} AND series_key IS NULL AND key > ${cursor ?? ''} ORDER BY key LIMIT ${limit}`,
      );
      return rows.map(({ key, id }) => ({ cursor: key as string, calendarId, eventId: id as string }));
    },

    clearCalendar: (calendarId, limit) => clearCalendar(database, calendarId, limit),
  };
}

/** Reference of an invited event; for an exception, the id of its instance. */
const referenceOf = ({ home_id: home, id, original }: Row): Omit<WorkItem, 'cursor'> => ({
  calendarId: home as string,
  eventId: original === null ? (id as string) : `${id as string}_${original as string}`,
});

const clearEntries = (
  calendarId: string,
  limit: number,
) => sql`/* clear entries */ WITH gone AS (DELETE FROM places WHERE calendar_id = ${calendarId} AND event_id IN (SELECT event_id
    FROM places WHERE calendar_id = $1 LIMIT ${limit}) RETURNING 1)
    SELECT count(*)::int AS gone FROM gone`;

/** Fails if a calendar with this id exists again. */
const calendarGoneCheck = (calendarId: string): Statement =>
  withRowCountCheck(sql`/* has calendar */ SELECT 1 FROM calendars WHERE id = ${calendarId}`, 0);

const eventsPerBatch = 500;

/** Reads events of a deleted calendar, with the ids of all calendars that have copies of them or their exceptions (`x`). */
const eventsWithCopiesStatement = (calendarId: string, cursor: string): Statement =>
  sql`/* kept events */ SELECT e.key, e.version, e.family, array(SELECT jsonb_object_keys(e.body -> 'copies'))
      || array(SELECT jsonb_object_keys(x.body -> 'copies') FROM events x WHERE x.home_id = ${calendarId} AND x.series_key = e.key) AS copies
    FROM events e WHERE e.home_id = $1 AND e.series_key IS NULL AND e.key > ${cursor} ORDER BY e.key LIMIT ${eventsPerBatch}`;

/** Deletes events (`e`) with their exceptions (`x`) unless they changed since they were read (`u`). */
const clearEvents = (calendarId: string, events: readonly Row[]): Statement => {
  const [keys, versions, exceptionRevisions] = ['key', 'version', 'family'].map((column) =>
    events.map((event) => event[column]),
  );
  return sql`/* clear kept events */ WITH gone AS (
      DELETE FROM events e USING unnest(${keys}::text[], ${versions}::int[], ${exceptionRevisions}::int[]) AS u (key, version, family)
      WHERE e.home_id = ${calendarId} AND e.key = u.key AND e.version = u.version AND e.family = u.family RETURNING e.key
    ), rest AS (DELETE FROM events x USING gone WHERE x.home_id = $4 AND x.series_key = gone.key RETURNING 1)
    SELECT (SELECT count(*) FROM gone)::int + (SELECT count(*) FROM rest)::int AS gone`;
};

/** Deletes up to `limit` leftovers of a deleted calendar that no other calendar shows; true when nothing is left. */
const clearCalendar = (database: Database, calendarId: string, limit: number): Promise<boolean> =>
  database.use(async (connection) => {
    await connection.run([calendarGoneCheck(calendarId)]);
    const events = await findUnseenEvents(connection, calendarId, limit);
    const results = await connection.run([
      ...(events.length > 0 ? [clearEvents(calendarId, events)] : []),
      clearEntries(calendarId, limit),
    ]);
    const [entries] = results.at(-1) ?? [];
    return events.length === 0 && entries?.gone === 0;
  });

/** Finds up to `limit` events of a deleted calendar that no existing calendar shows. */
async function findUnseenEvents({ run }: Connection, calendarId: string, limit: number): Promise<Row[]> {
  const [unseenEvents, existsById] = [[] as Row[], new Map<string, boolean>()];
  for (let cursor: string | undefined = ''; cursor !== undefined && unseenEvents.length < limit;) {
    const [events = []]: Awaited<ReturnType<Read>> = await run([
      eventsWithCopiesStatement(calendarId, cursor),
    ]);
    const ids = [...new Set(events.flatMap(calendarIdsOf))].filter((id) => !existsById.has(id));
    const found = await run(ids.map((id) => sql`/* is there */ SELECT id FROM calendars WHERE id = ${id}`));
    const existingIds = new Set(found.flat().map(({ id }) => id));
    for (const id of ids) existsById.set(id, existingIds.has(id));
    unseenEvents.push(...events.filter((event) => !calendarIdsOf(event).some((id) => existsById.get(id))));
    cursor = events.length < eventsPerBatch ? undefined : (events.at(-1)?.key as string);
  }
  return unseenEvents.slice(0, limit);
}

const calendarIdsOf = ({ copies }: Row): readonly string[] => copies as readonly string[];
