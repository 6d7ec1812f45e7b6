import { groupByKey } from '../../../core/json.ts';
import type { EventOnCalendar, SeriesState } from '../../../event/event.store.ts';
import type { EventRecord, EventReference } from '../../../event/model/record.ts';
import { type Database, type Row, sql } from '../database.ts';
import { instanceKeys } from './load-rows.ts';
import { readEvents } from './records-at-homes.ts';
import { parseEvent } from '../stored-json.ts';
import { indexKey, lookupKey, queryByKeys } from '../statements.ts';

/** Attempts to find records that an import moves to another home meanwhile. */
const maxAttempts = 3;

// `asked`: the requested references, each with its `index`. Includes records whose home is the calendar; finds
// an exception that is not on the calendar by its series. `p`, `e`: entry and record of the id; `q`, `x`: entry
// of the id's series, and exception at its original start; `s`: record of the series. OFFSET 0 keeps the planner from
// using the start alone.
const onCalendarSql = `
SELECT asked.index, p.home_id, p.key, p.series_key, q.home_id AS series_home, q.key AS of_series, asked.original, coalesce(e.body, x.body) AS body, s.body AS series
FROM unnest($2::text[], $3::text[], $4::text[], $5::int[]) AS asked (event_id, series_id, original, index)
  LEFT JOIN places p ON p.calendar_id = $1 AND p.event_id = asked.event_id
  LEFT JOIN places q ON q.calendar_id = $1 AND q.event_id = asked.series_id AND p.key IS NULL
  LEFT JOIN events e ON e.home_id = $1 AND p.home_id = $1 AND e.key = p.key
  LEFT JOIN LATERAL (
    SELECT * FROM events WHERE home_id = $1 AND series_key = q.key AND original = asked.original OFFSET 0
  ) AS x ON q.home_id = $1
  LEFT JOIN events s ON s.home_id = $1 AND s.key = CASE WHEN p.home_id = $1 THEN p.series_key ELSE x.series_key END`;

// Finds the records for entries of `onCalendarSql` whose home is another calendar.
const atHomeSql = `
SELECT asked.index, coalesce(e.body, x.body) AS body, s.body AS series
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int[]) AS asked (key, series_key, of_series, original, index)
  LEFT JOIN events e ON e.home_id = $1 AND e.key = asked.key
  LEFT JOIN events x ON x.home_id = $1 AND x.series_key = asked.of_series AND x.original = asked.original AND asked.key IS NULL
  LEFT JOIN events s ON s.home_id = $1 AND s.key = coalesce(asked.series_key, x.series_key)`;

/** Finds the stored record and series of each reference, in order; `body` is null if there is none. */
export async function findEventsById(
  database: Database,
  references: readonly EventReference[],
): Promise<readonly Row[]> {
  const rowsByIndex = new Map<number, Row>();
  let pendingReferences = references.map((reference, index) => ({ reference, index }));
  for (let attempts = 0; pendingReferences.length > 0 && attempts < maxAttempts; attempts += 1) {
    const entries = await findEntries(database, pendingReferences);
    const entriesAtOtherHomes = entries.filter(
      ({ body, home_id: home, series_home: seriesHome }) => body === null && (home ?? seriesHome) !== null,
    );
    const records = await findRecordsAtHomes(database, entriesAtOtherHomes);
    for (const row of [...entries, ...records]) rowsByIndex.set(row.index as number, row);
    const missingIndexes = new Set(
      entriesAtOtherHomes
        .filter(({ key, index }) => key !== null && rowsByIndex.get(index as number)?.body === null)
        .map(({ index }) => index),
    );
    pendingReferences = pendingReferences.filter(({ index }) => missingIndexes.has(index));
  }
  return references.map((_reference, index) => rowsByIndex.get(index) ?? { body: null, series: null });
}

/** Finds the entries of references; rows include records of the same home. */
function findEntries(
  database: Database,
  pending: readonly { readonly reference: EventReference; readonly index: number }[],
): Promise<readonly Row[]> {
  const referencesByCalendar = groupByKey(pending, ({ reference }) => lookupKey(reference.calendarId));
  return queryByKeys(database, [...referencesByCalendar], ([calendarId, requests]) => {
    const instances = requests.map(({ reference }) => instanceKeys(reference.eventId));
    return {
      name: 'events on calendar',
      text: onCalendarSql,
      values: [
        calendarId,
        requests.map(({ reference }) => indexKey(reference.eventId)),
        instances.map(([id]) => id),
        instances.map(([, original]) => original),
        requests.map(({ index }) => index),
      ],
    };
  });
}

function findRecordsAtHomes(database: Database, entries: readonly Row[]): Promise<readonly Row[]> {
  const entriesByHome = groupByKey(
    entries,
    ({ home_id: home, series_home: seriesHome }) => (home ?? seriesHome) as string,
  );
  return queryByKeys(database, [...entriesByHome], ([home, homeEntries]) => ({
    name: 'events by entries',
    text: atHomeSql,
    values: [
      home,
      ...['key', 'series_key', 'of_series', 'original', 'index'].map((column) =>
        homeEntries.map((row) => row[column]),
      ),
    ],
  }));
}

/** Finds events on a calendar, sorted by id as code units in every database locale. */
export async function findEventsAfter(
  database: Database,
  calendarId: string,
  eventId: string,
  limit: number,
): Promise<EventOnCalendar[]> {
  const entries =
    await database.query(sql`/* entries behind */ SELECT event_id, home_id, key, series_key FROM places
    WHERE calendar_id = ${lookupKey(calendarId)} AND event_id COLLATE "C" > ${eventId} ORDER BY event_id COLLATE "C" LIMIT ${limit}`);
  const events = await readEvents(database.read, entries);
  return events.map(({ entry, ...event }) => ({ eventId: entry.event_id as string, ...event }));
}

/** Reads the current series with their exceptions; unchanged series bodies are not read again. */
export async function findExceptions(
  database: Database,
  series: readonly EventRecord[],
): Promise<SeriesState[]> {
  const seriesByHome = groupByKey(
    series.map((record, index) => ({ record, index })),
    ({ record }) => record.homeId,
  );
  const rows = await queryByKeys(
    database,
    [...seriesByHome],
    ([home, requests]) =>
      sql`/* exceptions at home */ SELECT asked.index, CASE WHEN s.version <> asked.version THEN s.body END AS series, x.body
      FROM unnest(${requests.map(({ record }) => record.key)}::text[], ${requests.map(({ record }) => record.version)}::int[], ${requests.map(({ index }) => index)}::int[]) AS asked (key, version, index)
      JOIN events s ON s.home_id = ${home} AND s.key = asked.key
      LEFT JOIN events x ON x.home_id = $4 AND x.series_key = s.key`,
  );
  const rowsByIndex = groupByKey(rows, ({ index }) => String(index));
  return series.map((record, index) => {
    const seriesRows = rowsByIndex.get(String(index)) ?? [];
    const [firstRow] = seriesRows;
    return {
      record: firstRow && firstRow.series !== null ? parseEvent(firstRow.series) : record,
      exceptions: seriesRows.flatMap(({ body }) => (body === null ? [] : parseEvent(body))),
    };
  });
}
