import type pg from 'pg';
import { StartError } from '../../core/errors.ts';
import type { Log } from '../../core/runtime/log.ts';
import { projectRecord } from '../../event/projection/projection.ts';
import { openClient, pipeline, type Read, type Row } from './database.ts';
import {
  groupByCalendar,
  type CalendarRow,
  type EntriesOfCalendar,
  rowForEntry,
  buildUnchangedRow,
  type ZoneOf,
  findDifferences,
  putEntries,
} from './events/entries.ts';
import { readEvents } from './events/records-at-homes.ts';
import { begin, commit, lockForRebuild } from './transaction.ts';
import { addressKey, fillPrimaries } from './migrations/0004-visibility-and-addresses.ts';
import { fillManagers } from './migrations/0007-buckets.ts';
import { parseEvent } from './stored-json.ts';

/** Recomputes data derived from records, and returns the number of events and of repaired entries; may be interrupted and run again. Wrong entries expire sync tokens. Fails while a gateway is running. */
export async function rebuild(
  url: string,
  log: Pick<Log, 'error'>,
): Promise<{ readonly events: number; readonly repaired: number }> {
  const client = await openClient(url, log, 'the connection that rebuilds was lost');
  try {
    const [[lock] = []] = await pipeline(client, [lockForRebuild]);
    if (!lock?.mine) throw new StartError('A gateway is running on this database. Stop all of them first.');
    await pipeline(client, [begin, ...[...columnUpdates, ...fillManagers].map((text) => ({ text })), commit]);
    return await rebuildEntries(client);
  } finally {
    await client.end();
  }
}

/** Statements that compute columns and tables anew from records. */
const columnUpdates: readonly string[] = [
  `UPDATE calendars SET time_zone = body ->> 'timeZone' WHERE time_zone <> body ->> 'timeZone'`,
  `UPDATE events SET version = (body ->> 'version')::integer WHERE version <> (body ->> 'version')::integer`,
  `UPDATE notifications SET topic = body ->> 'topic' WHERE topic IS DISTINCT FROM body ->> 'topic'`,
  'TRUNCATE topics',
  'INSERT INTO topics SELECT DISTINCT topic, bucket FROM notifications WHERE topic IS NOT NULL',
  'TRUNCATE access, primaries',
  `INSERT INTO access SELECT ${addressKey("body ->> 'owner'")}, id FROM calendars`,
  `INSERT INTO access SELECT ${addressKey("entry ->> 'email'")}, id FROM calendars, jsonb_array_elements(body -> 'acl') AS entry ON CONFLICT DO NOTHING`,
  fillPrimaries,
];

/** Changes the prefix of all revisions, so that sync tokens expire. */
const renewEpoch = { text: `UPDATE settings SET value = gen_random_uuid()::text WHERE name = 'epoch'` };

const batchSize = 200;

/** Checks the stored entries, which include obsolete ones, and then the entries that records need. */
async function rebuildEntries(client: pg.Client) {
  const [calendars = []] = await pipeline(client, [{ text: 'SELECT id, time_zone FROM calendars' }]);
  const zones = new Map(calendars.map(({ id, time_zone: zone }) => [id as string, zone as string]));
  const zoneOf: ZoneOf = (calendarId) => zones.get(calendarId);
  const storedResult = await repairBatches(client, zoneOf, storedEntriesSource);
  const recordResult = await repairBatches(client, zoneOf, recordEntriesSource);
  return { events: recordResult.examined, repaired: storedResult.repaired + recordResult.repaired };
}

/** A paged query, and the rows of `places` that its rows need. */
interface RepairSource {
  readonly text: string;
  readonly cursorColumns: readonly [string, string];
  readonly buildExpectedRows: (
    sourceRows: readonly Row[],
    zoneOf: ZoneOf,
    read: Read,
  ) => Promise<CalendarRow[]>;
}

// Reads records separately (`readEvents`), since rows of different shards cannot be joined.
const storedEntriesSource: RepairSource = {
  text: `SELECT calendar_id, event_id, home_id, key, series_key FROM places p
  WHERE (p.calendar_id, p.event_id) > ($1, $2) ORDER BY p.calendar_id, p.event_id LIMIT ${batchSize}`,
  cursorColumns: ['calendar_id', 'event_id'],
  buildExpectedRows: async (entries, zoneOf, read) =>
    (await readEvents(read, entries)).flatMap(({ entry, ...event }) => {
      const calendarId = entry.calendar_id as string;
      const zone = zoneOf(calendarId);
      if (zone === undefined) return [];
      return [
        { calendarId, home: entry.home_id as string, row: rowForEntry(entry, event, calendarId, zone) },
      ];
    }),
};

const recordEntriesSource: RepairSource = {
  text: `SELECT home_id, key, body, (SELECT array_agg(x.body::text) FROM events x WHERE x.home_id = e.home_id AND x.series_key = e.key) AS exceptions
  FROM events e WHERE series_key IS NULL AND (home_id, key) > ($1, $2) ORDER BY home_id, key LIMIT ${batchSize}`,
  cursorColumns: ['home_id', 'key'],
  buildExpectedRows: async (records, zoneOf) =>
    records.flatMap(({ home_id: home, body, exceptions: bodies }) => {
      const record = parseEvent(body);
      const exceptions = ((bodies ?? []) as unknown[]).map(parseEvent);
      const replacement = { before: record, next: record, series: undefined, exceptions };
      const { entries } = projectRecord(replacement, zoneOf);
      return Array.from(entries, (entry) => ({
        calendarId: entry.calendarId,
        home: home as string,
        row: buildUnchangedRow(entry, entry),
      }));
    }),
};

/** Compares the rows of a source with `places`, batch by batch, and repairs those that differ. */
async function repairBatches(
  client: pg.Client,
  zoneOf: ZoneOf,
  { text, cursorColumns, buildExpectedRows }: RepairSource,
): Promise<{ readonly examined: number; readonly repaired: number }> {
  let [examined, repaired] = [0, 0];
  for (let cursor: readonly unknown[] = ['', '']; ;) {
    const [batch = []] = await pipeline(client, [{ text, values: cursor }]);
    examined += batch.length;
    const rows = await buildExpectedRows(batch, zoneOf, (statements) => pipeline(client, statements));
    for (const entries of groupByCalendar(rows, zoneOf)) repaired += await repairEntries(client, entries);
    if (batch.length < batchSize) return { examined, repaired };
    cursor = cursorColumns.map((column) => batch.at(-1)?.[column]);
  }
}

/** Stores the entries that differ from the table, and expires sync tokens; returns their number. */
async function repairEntries(client: pg.Client, entries: EntriesOfCalendar): Promise<number> {
  const [differences = []] = await pipeline(client, [findDifferences(entries)]);
  const missingById = new Map(differences.map(({ event_id: id, missing }) => [id, missing === true]));
  // Existing rows keep their change numbers; missing ones are added as just created.
  const addedFlags = { changed: true, changed_open: true };
  const rows = entries.rows
    .filter((row) => missingById.has(row.event_id))
    .map((row) =>
      missingById.get(row.event_id) ? { ...row, ...addedFlags, changed_series: row.recurs } : row,
    );
  if (rows.length > 0)
    await pipeline(client, [begin, ...putEntries({ ...entries, rows }), renewEpoch, commit]);
  return rows.length;
}
