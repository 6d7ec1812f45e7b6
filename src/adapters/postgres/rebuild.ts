import pg from 'pg';
import { StartError } from '../../core/kernel/errors.ts';
import type { Log } from '../../core/runtime/log.ts';
import { entryBefore, project } from '../../event/projection/projection.ts';
import {
  connectionOptions,
  defaultLimits,
  pipelined,
  pipelinedAll,
  types,
  type Row,
  type Statement,
} from './database.ts';
import { recordFrom } from './events/load.ts';
import { rowOf, type EntryRow, differing, putEntries } from './events/entries.ts';
import { bodiesAt, recordsOf } from './events/home-records.ts';
import { grouped } from '../../core/kernel/plain-data.ts';
import { lockForRebuild } from './in-use.ts';
import { addressKey, fillPrimaries } from './migrations/0004-visibility-and-addresses.ts';
import { fillManagers } from './migrations/0007-buckets.ts';
import { begin, commit } from './transaction.ts';

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

/** All entries that there are, also of what stands on a calendar no more, and then those that there ought to be. */
async function rebuildEntries(client: pg.Client): Promise<Rebuilt> {
  const zones = new Map(
    (await pipelined(client, [{ text: 'SELECT id, time_zone FROM calendars' }])).map(
      ({ id, time_zone: zone }) => [id as string, zone as string],
    ),
  );
  const entries: Batches = {
    text: placesText,
    keyOf: ({ calendar_id: calendarId, event_id: id }) => [calendarId, id],
    recordsOf: (rows) => withRecords(client, rows),
    toRows: (row) => storedRow(row, zones),
  };
  const stored = await eachBatch(client, entries, zones);
  const events: Batches = {
    text: eventsText,
    keyOf: ({ home_id: home, key }) => [home, key],
    recordsOf: (rows) => Promise.resolve(rows),
    toRows: (row) => rowsOf(row, zones),
  };
  const missing = await eachBatch(client, events, zones);
  return { events: missing.examined, mended: stored.mended + missing.mended };
}

// Of several shards no rows can be joined, but those of one calendar.
const placesText = `SELECT calendar_id, event_id, home_id, key, series_key FROM places p
  WHERE (p.calendar_id, p.event_id) > ($1, $2) ORDER BY p.calendar_id, p.event_id LIMIT ${rowsAtOnce}`;
const eventsText = `SELECT home_id, key, body, (SELECT array_agg(x.body::text) FROM events x WHERE x.home_id = e.home_id AND x.series_key = e.key) AS exceptions
  FROM events e WHERE series_key IS NULL AND (home_id, key) > ($1, $2) ORDER BY home_id, key LIMIT ${rowsAtOnce}`;

interface CalendarRow {
  readonly calendarId: string;
  readonly home: string;
  readonly row: EntryRow;
}

type Zones = ReadonlyMap<string, string>;

/** Entries with their records and those of their series, which may be kept on other shards; those without a record are left out. */
async function withRecords(client: pg.ClientBase, entries: readonly Row[]): Promise<readonly Row[]> {
  const recordAt = await recordsOf((statements) => pipelinedAll(client, statements), entries, bodiesAt);
  return entries
    .map((entry) => ({
      ...entry,
      body: recordAt(entry.home_id as string, entry.key as string)?.body,
      series: recordAt(entry.home_id as string, entry.series_key as string)?.body ?? null,
    }))
    .filter(({ body }) => body !== undefined);
}

/** What a query finds behind a key, and what entries it is to be. */
interface Batches {
  readonly text: string;
  readonly keyOf: (row: Row) => readonly unknown[];
  /** The rows with the records that they speak of. */
  readonly recordsOf: (rows: readonly Row[]) => Promise<readonly Row[]>;
  readonly toRows: (row: Row) => readonly CalendarRow[];
}

/** Mends what a query finds, a batch at a time. */
async function eachBatch(
  client: pg.Client,
  { text, keyOf, recordsOf, toRows }: Batches,
  zones: Zones,
): Promise<{ readonly examined: number; readonly mended: number }> {
  let [examined, mended] = [0, 0];
  for (let after: readonly unknown[] = ['', '']; ;) {
    const batch = await pipelined(client, [{ text, values: after }]);
    examined += batch.length;
    // In the order of calendars, as all who lock several of them do.
    const byCalendar = [
      ...grouped((await recordsOf(batch)).flatMap(toRows), ({ calendarId, home }) =>
        JSON.stringify([calendarId, home]),
      ),
    ].sort(([a], [b]) => (a < b ? -1 : 1));
    for (const [, own] of byCalendar) mended += await mend(client, own, zones);
    if (batch.length < rowsAtOnce) return { examined, mended };
    after = keyOf(batch.at(-1) as Row);
  }
}

/** Writes those rows of one calendar that differ; gives their number. */
async function mend(
  client: pg.Client,
  own: readonly [CalendarRow, ...CalendarRow[]],
  zones: Zones,
): Promise<number> {
  const [{ calendarId, home }] = own;
  const found = new Map(
    (
      await pipelined(client, [
        differing(
          calendarId,
          own.map(({ row }) => row),
        ),
      ])
    ).map(({ event_id: id, missing }) => [id, missing === true]),
  );
  // Those that are there keep the numbers of their changes; those that were missing come as if just made.
  const wrong = own.flatMap(({ row }) =>
    found.has(row.event_id)
      ? [
          {
            ...row,
            ...(found.get(row.event_id) && { changed: true, changed_open: true, changed_series: row.recurs }),
          },
        ]
      : [],
  );
  if (wrong.length > 0)
    await pipelined(client, [
      begin,
      ...putEntries({ calendarId, zone: zones.get(calendarId), home, rows: wrong }),
      newEpoch,
      commit,
    ]);
  return wrong.length;
}

function storedRow(
  { calendar_id: calendar, event_id: id, home_id: home, body, series }: Row,
  zones: ReadonlyMap<string, string>,
): CalendarRow[] {
  const [calendarId, eventId] = [calendar as string, id as string];
  const zone = zones.get(calendarId);
  if (zone === undefined) return [];
  const entry = entryBefore(
    recordFrom(body),
    series === null ? undefined : recordFrom(series),
    { calendarId, eventId },
    zone,
  );
  return [{ calendarId, home: home as string, row: { ...rowOf(entry), event_id: eventId } }];
}

function rowsOf({ home_id: home, body, exceptions }: Row, zones: ReadonlyMap<string, string>): CalendarRow[] {
  const record = recordFrom(body);
  const replacement = {
    before: record,
    next: record,
    series: undefined,
    exceptions: ((exceptions ?? []) as unknown[]).map(recordFrom),
  };
  return project(replacement, (calendarId) => zones.get(calendarId)).entries.map((entry) => ({
    calendarId: entry.calendarId,
    home: home as string,
    row: rowOf(entry),
  }));
}
