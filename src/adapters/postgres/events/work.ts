import { type Connection, type Database, type Row, sql, type Statement } from '../database.ts';
import { checked } from '../transaction.ts';
import type { EventStore, WorkItem } from '../../../event/event.store.ts';

const separator = ' ';

/** Queries of background jobs: all of them use indexes, however many events there are. */
export function createEventWork(
  database: Database,
): Pick<EventStore, 'eventsInviting' | 'eventsAtHome' | 'clearCalendar'> {
  return {
    // All shards answer, or none counts: a job that cannot be gone on with now comes again.
    async eventsInviting(address, calendarId, behind, limit) {
      const [isException, home, key] = behind?.split(separator) ?? ['false', '', ''];
      // A record that an exception lies over comes first.
      const rows = await database.query(
        sql`/* events inviting */ SELECT home_id, key, series_key IS NOT NULL AS is_exception, original,
            coalesce(body #>> '{instance,series,eventId}', body #>> ARRAY['copies', home_id, 'id']) AS id FROM events
          WHERE guests IS NOT NULL AND guests @> jsonb_build_array(${address}::text) AND NOT jsonb_exists(body -> 'copies', ${calendarId}::text)
            AND (series_key IS NOT NULL, home_id, key) > (${isException}::boolean, ${decodeURIComponent(home ?? '')}::text, ${key}::text)
          ORDER BY series_key IS NOT NULL, home_id, key LIMIT ${limit}`,
      );
      return rows.map((row) => ({
        cursor: [row.is_exception, encodeURIComponent(row.home_id as string), row.key].join(separator),
        ...referenceOf(row),
      }));
    },

    async eventsAtHome(calendarId, behind, limit) {
      const rows = await database.query(
        sql`/* events at home */ SELECT key, body #>> ARRAY['copies', home_id, 'id'] AS id FROM events
          WHERE home_id = ${calendarId} AND series_key IS NULL AND key > ${behind ?? ''} ORDER BY key LIMIT ${limit}`,
      );
      return rows.map(({ key, id }) => ({ cursor: key as string, calendarId, eventId: id as string }));
    },

    clearCalendar: (calendarId, limit) => clearCalendar(database, calendarId, limit),
  };
}

function referenceOf({ home_id: home, id, original }: Row): Omit<WorkItem, 'cursor'> {
  return {
    calendarId: home as string,
    eventId: original === null ? (id as string) : `${id as string}_${original as string}`,
  };
}

/** Deletes entries of a calendar; gives how many. */
const clearEntries = (
  calendarId: string,
  limit: number,
) => sql`/* clear entries */ WITH gone AS (DELETE FROM places WHERE calendar_id = ${calendarId} AND event_id IN (SELECT event_id
    FROM places WHERE calendar_id = $1 LIMIT ${limit}) RETURNING 1)
    SELECT count(*)::int AS gone FROM gone`;

/** Fails where there is a calendar of the id again. */
const isGone = (calendarId: string): Statement =>
  checked(sql`/* has calendar */ SELECT 1 FROM calendars WHERE id = ${calendarId}`, 0);

const eventsAtOnce = 500;

/** Events with the calendars on which they, or exceptions of them, have copies. */
const kept = (calendarId: string, behind: string): Statement =>
  sql`/* kept events */ SELECT e.key, e.version, e.family, array(SELECT jsonb_object_keys(e.body -> 'copies'))
      || array(SELECT jsonb_object_keys(x.body -> 'copies') FROM events x WHERE x.home_id = ${calendarId} AND x.series_key = e.key) AS copies
    FROM events e WHERE e.home_id = $1 AND e.series_key IS NULL AND e.key > ${behind} ORDER BY e.key LIMIT ${eventsAtOnce}`;

/** Deletes events with their exceptions, but for those that have changed meanwhile. */
const clearEvents = (calendarId: string, events: readonly Row[]): Statement => {
  const [keys, versions, families] = ['key', 'version', 'family'].map((column) =>
    events.map((event) => event[column]),
  );
  return sql`/* clear kept events */ WITH gone AS (
      DELETE FROM events e USING unnest(${keys}::text[], ${versions}::int[], ${families}::int[]) AS u (key, version, family)
      WHERE e.home_id = ${calendarId} AND e.key = u.key AND e.version = u.version AND e.family = u.family RETURNING e.key
    ), rest AS (DELETE FROM events x USING gone WHERE x.home_id = $4 AND x.series_key = gone.key RETURNING 1)
    SELECT (SELECT count(*) FROM gone)::int + (SELECT count(*) FROM rest)::int AS gone`;
};

const calendarsOf = (ids: readonly string[]): Statement[] =>
  ids.map((id) => sql`/* is there */ SELECT id FROM calendars WHERE id = ${id}`);

/** Deletes, up to a limit, what a calendar that is gone has left and no other calendar shows; whether nothing is left. */
const clearCalendar = (database: Database, calendarId: string, limit: number): Promise<boolean> =>
  database.use(async (connection) => {
    await connection.run([isGone(calendarId)]);
    const events = await unseenEvents(connection, calendarId, limit);
    const [entries] = await connection.run([
      ...(events.length > 0 ? [clearEvents(calendarId, events)] : []),
      clearEntries(calendarId, limit),
    ]);
    return events.length === 0 && entries?.gone === 0;
  });

async function unseenEvents({ run, runAll }: Connection, calendarId: string, limit: number): Promise<Row[]> {
  const [unseen, calendars] = [[] as Row[], new Map<string, boolean>()];
  for (let behind: string | undefined = ''; behind !== undefined && unseen.length < limit;) {
    const events: readonly Row[] = await run([kept(calendarId, behind)]);
    const ids = [...new Set(events.flatMap(copiesOf))].filter((id) => !calendars.has(id));
    const found = new Set(ids.length > 0 ? (await runAll(calendarsOf(ids))).flat().map(({ id }) => id) : []);
    for (const id of ids) calendars.set(id, found.has(id));
    unseen.push(...events.filter((event) => !copiesOf(event).some((id) => calendars.get(id))));
    behind = events.length < eventsAtOnce ? undefined : (events.at(-1)?.key as string);
  }
  return unseen.slice(0, limit);
}

const copiesOf = ({ copies }: Row): readonly string[] => copies as readonly string[];
