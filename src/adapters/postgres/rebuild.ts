import pg from 'pg';
import { StartError } from '../../core/errors.ts';
import type { Log } from '../../core/runtime/log.ts';
import { project } from '../../event/projection/projection.ts';
import {
  connectionOptions,
  defaultLimits,
  pipelined,
  pipelinedAll,
  types,
  type Read,
  type Row,
  type Statement,
} from './database.ts';
import {
  byCalendar,
  type CalendarRow,
  differing,
  type EntriesOfCalendar,
  putEntries,
  standingRow,
  unchangedRow,
} from './events/entries.ts';
import { eventsOf } from './events/events-by-id.ts';
import { begin, commit, lockForRebuild } from './transaction.ts';
import { addressKey, fillPrimaries } from './migrations/0004-visibility-and-addresses.ts';
import { fillManagers } from './migrations/0007-buckets.ts';
import { recordFrom } from './stored-json.ts';

/** How many events were examined, and how many of their calendar entries were wrong and were mended. */
interface Rebuilt {
  readonly events: number;
  readonly mended: number;
}

/**
 * Computes anew what the tables hold beside the records: who may use which calendar and bucket, the columns that lists are asked by,
 * topics. Where entries of lists were wrong, sync tokens expire. It may end at any point, and run again.
 * Throws StartError while a gateway uses the database.
 */
export async function rebuild(url: string, log: Pick<Log, 'error'>): Promise<Rebuilt> {
  const client = new pg.Client({ ...connectionOptions(url, defaultLimits), types, pipeline: true });
  client.on('error', (err) => log.error({ err }, 'the connection that rebuilds was lost'));
  await client.connect();
  try {
    const [lock] = await pipelined(client, [lockForRebuild]);
    if (!lock?.mine) throw new StartError('A gateway is running on this database. Stop all of them first.');
    await pipelined(client, [begin, ...[...plainColumns, ...fillManagers].map((text) => ({ text })), commit]);
    return await rebuildEntries(client);
  } finally {
    await client.end();
  }
}

const plainColumns: readonly string[] = [
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

const newEpoch: Statement = {
  text: `UPDATE settings SET value = gen_random_uuid()::text WHERE name = 'epoch'`,
};

const rowsAtOnce = 200;

type Zones = ReadonlyMap<string, string>;

/** All entries that there are, also of what stands on a calendar no more, and then those that there ought to be. */
async function rebuildEntries(client: pg.Client): Promise<Rebuilt> {
  const zones = new Map(
    (await pipelined(client, [{ text: 'SELECT id, time_zone FROM calendars' }])).map(
      ({ id, time_zone: zone }) => [id as string, zone as string],
    ),
  );
  const stored = await mendEach(client, zones, entriesStored);
  const missing = await mendEach(client, zones, entriesOfRecords);
  return { events: missing.examined, mended: stored.mended + missing.mended };
}

/** A query for what stands behind a key, and the rows of `places` that are to be there for it. */
interface Source {
  readonly text: string;
  readonly key: readonly [string, string];
  readonly rowsOf: (found: readonly Row[], zones: Zones, read: Read) => Promise<CalendarRow[]>;
}

// Rows of several shards cannot be joined, but for those of one calendar.
const entriesStored: Source = {
  text: `SELECT calendar_id, event_id, home_id, key, series_key FROM places p
  WHERE (p.calendar_id, p.event_id) > ($1, $2) ORDER BY p.calendar_id, p.event_id LIMIT ${rowsAtOnce}`,
  key: ['calendar_id', 'event_id'],
  rowsOf: async (found, zones, read) =>
    (await eventsOf(read, found)).flatMap(({ entry, ...event }) => {
      const calendarId = entry.calendar_id as string;
      const zone = zones.get(calendarId);
      if (zone === undefined) return [];
      return [
        { calendarId, home: entry.home_id as string, row: standingRow(entry, event, calendarId, zone) },
      ];
    }),
};

const entriesOfRecords: Source = {
  text: `SELECT home_id, key, body, (SELECT array_agg(x.body::text) FROM events x WHERE x.home_id = e.home_id AND x.series_key = e.key) AS exceptions
  FROM events e WHERE series_key IS NULL AND (home_id, key) > ($1, $2) ORDER BY home_id, key LIMIT ${rowsAtOnce}`,
  key: ['home_id', 'key'],
  rowsOf: async (found, zones) =>
    found.flatMap(({ home_id: home, body, exceptions: bodies }) => {
      const record = recordFrom(body);
      const exceptions = ((bodies ?? []) as unknown[]).map(recordFrom);
      const replacement = { before: record, next: record, series: undefined, exceptions };
      return project(replacement, (calendarId) => zones.get(calendarId)).entries.map((entry) => ({
        calendarId: entry.calendarId,
        home: home as string,
        row: unchangedRow(entry, entry),
      }));
    }),
};

/** Mends what a query finds, a batch at a time. */
async function mendEach(
  client: pg.Client,
  zones: Zones,
  { text, key, rowsOf }: Source,
): Promise<{ readonly examined: number; readonly mended: number }> {
  let [examined, mended] = [0, 0];
  for (let after: readonly unknown[] = ['', '']; ;) {
    const batch = await pipelined(client, [{ text, values: after }]);
    examined += batch.length;
    const rows = await rowsOf(batch, zones, (statements) => pipelinedAll(client, statements));
    for (const entries of byCalendar(rows, zones)) mended += await mend(client, entries);
    if (batch.length < rowsAtOnce) return { examined, mended };
    after = key.map((column) => batch.at(-1)?.[column]);
  }
}

/** Writes those rows of one calendar that differ; gives their number. */
async function mend(client: pg.Client, entries: EntriesOfCalendar): Promise<number> {
  const found = await pipelined(client, [differing(entries)]);
  const isMissing = new Map(found.map(({ event_id: id, missing }) => [id, missing === true]));
  // Those that are there keep the numbers of their changes; those that were missing come as if just made.
  const rows = entries.rows
    .filter((row) => isMissing.has(row.event_id))
    .map((row) =>
      isMissing.get(row.event_id)
        ? { ...row, changed: true, changed_open: true, changed_series: row.recurs }
        : row,
    );
  if (rows.length > 0)
    await pipelined(client, [begin, ...putEntries({ ...entries, rows }), newEpoch, commit]);
  return rows.length;
}
