import type { EventsSize } from '../../../event/event.store.ts';
import { type Database, type Row, sql, type Statement } from '../database.ts';
import { minLongMs } from './entries.ts';
import { keysByHome } from './records-at-homes.ts';
import { lookupKey, queryByKeys } from '../statements.ts';

/** Maximum records whose bodies are measured in one round trip; bounds the work beyond the limit. */
const maxRecords = 500;

/** Finds single events that end after `fromMs`, and series with exceptions if any of these does, up to the limit. */
const entriesToMeasureStatement = (calendarId: string, from: number, limit: number): Statement =>
  sql`/* entries to measure */ WITH concerned AS (
    (SELECT home_id, key, series_key, from_ms, to_ms, recurs, along FROM places
      WHERE calendar_id = ${calendarId} AND NOT long AND start_ms > ${from - minLongMs} AND to_ms > ${from} AND (along OR NOT cancelled) LIMIT ${limit})
    UNION ALL (SELECT home_id, key, series_key, from_ms, to_ms, recurs, along FROM places
      WHERE calendar_id = $1 AND long AND to_ms > $3 AND (along OR recurs OR NOT cancelled) LIMIT $4)
  ), series AS (SELECT CASE WHEN along THEN series_key ELSE key END AS key FROM concerned WHERE along OR recurs)
  SELECT * FROM (
    SELECT home_id, key, from_ms, to_ms FROM concerned WHERE NOT along AND NOT recurs
    UNION ALL (SELECT home_id, key, from_ms, to_ms FROM places WHERE calendar_id = $1 AND recurs AND key IN (SELECT key FROM series) LIMIT $4)
    UNION ALL (SELECT home_id, key, from_ms, to_ms FROM places WHERE calendar_id = $1 AND series_key IN (SELECT key FROM series) AND along LIMIT $4)
  ) AS entries LIMIT $4`;

/** Statement for the bytes of the stored JSON of records on one home. */
const bytesAtHome = ([home, keys]: readonly [string, readonly string[]]): Statement =>
  sql`/* bytes at home */ SELECT sum(octet_length(body::text)) AS bytes FROM events WHERE home_id = ${home} AND key = ANY (${keys}::text[])`;

/** Implements `EventStore.measureEvents`: reads the entries first, then bodies as long as the limit permits. */
export async function measureEvents(
  database: Database,
  calendarId: string,
  fromMs: number,
  limits: { readonly count: number; readonly bytes: number },
): Promise<EventsSize> {
  const entries = await database.query(
    entriesToMeasureStatement(lookupKey(calendarId), fromMs, limits.count + 1),
  );
  let bytes = 0;
  if (entries.length <= limits.count)
    for (let index = 0; index < entries.length && bytes <= limits.bytes; index += maxRecords) {
      const recordKeysByHome = keysByHome(entries.slice(index, index + maxRecords));
      const rows = await queryByKeys(database, [...recordKeysByHome], bytesAtHome);
      bytes += rows.reduce((sum, row) => sum + ((row.bytes as number | null) ?? 0), 0);
    }
  return { count: entries.length, bytes, ...timeRangeOf(entries) };
}

/** Earliest start and latest end of entries; an endless one counts with its start. */
function timeRangeOf(entries: readonly Row[]): Pick<EventsSize, 'earliest' | 'latest'> {
  let [earliest, latest] = [Infinity, -Infinity];
  for (const { from_ms: from, to_ms: to } of entries) {
    earliest = Math.min(earliest, from as number);
    latest = Math.max(latest, to === Infinity ? (from as number) : (to as number));
  }
  return { earliest, latest };
}
