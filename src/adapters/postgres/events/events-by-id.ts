import { type Database, type Read, type Row, sql, type Statement } from '../database.ts';
import { groupByKey } from '../../../core/patch.ts';
import { type EventReference, type StoredEvent, storedEventOf } from '../../../event/model/record.ts';
import { parseEvent } from '../stored-json.ts';
import { indexKey, lookupKey } from '../transaction.ts';
import { exceptionSubquery, instanceKeys } from './load-statements.ts';

export function keysByHome(entries: readonly Row[]): Map<string, string[]> {
  return new Map(
    [...groupByKey(entries, ({ home_id: home }) => home as string)].map(([home, homeEntries]) => [
      home,
      [
        ...new Set(
          homeEntries
            .flatMap(({ key, series_key: series }) => [key, series])
            .filter((key): key is string => typeof key === 'string'),
        ),
      ],
    ]),
  );
}

export type HomeStatement = (home: string, keys: readonly string[]) => Statement;

const recordColumnsAtHome =
  (name: string, columns: string): HomeStatement =>
  (home, keys) => ({
    name,
    text: `SELECT home_id, key, version, ${columns} FROM events WHERE home_id = $1 AND key = ANY ($2::text[])`,
    values: [home, keys],
  });
/** Reads bodies as text, which Citus passes on unparsed. */
const bodiesAtHome = recordColumnsAtHome('bodies at home', 'body::text');
/** Reads whether the calendar's zone decides when an event takes place. */
export const hasDaysAtHome = recordColumnsAtHome('days at home', 'has_days');
/** Reads records with their marks (`known-records.ts`), and only the bodies that are needed. */
export const markedBodiesAtHome =
  (isNeeded: (key: string) => boolean): HomeStatement =>
  (home, keys) =>
    sql`/* marked bodies at home */ SELECT home_id, key, version, body ->> 'w' AS mark, CASE WHEN key = ANY (${keys.filter(isNeeded)}::text[]) THEN body::text END AS body FROM events WHERE home_id = ${home} AND key = ANY (${keys}::text[])`;
const versionsAtHome: HomeStatement = (home, keys) =>
  sql`/* versions at home */ SELECT key, version FROM events WHERE home_id = ${home} AND key = ANY (${keys}::text[])`;
export const exceptionVersionsAtHome: HomeStatement = (home, keys) =>
  sql`/* versions of exceptions */ SELECT key, version FROM events WHERE home_id = ${home} AND series_key = ANY (${keys}::text[])`;

type RecordLookup = (home: string, key: string) => Row | undefined;

/** Reads records of several homes in one round trip, after `leadingStatements`, whose rows are `leadingRows`. */
export async function readAtHomes(
  read: Read,
  requests: readonly (readonly [home: string, keys: readonly string[], statement: HomeStatement])[],
  leadingStatements: readonly Statement[] = [],
): Promise<{ readonly findRecord: RecordLookup; readonly leadingRows: readonly (readonly Row[])[] }> {
  const answers = await read([
    ...leadingStatements,
    ...requests.map(([home, keys, statement]) => statement(home, keys)),
  ]);
  const recordsByHome = new Map<string, Map<string, Row>>();
  for (const [index, [home]] of requests.entries()) {
    const records = recordsByHome.get(home) ?? new Map<string, Row>();
    recordsByHome.set(home, records);
    // Keeps the row of the first statement: it has a body, and its version is not newer than that body.
    for (const row of answers[leadingStatements.length + index] ?? [])
      if (!records.has(row.key as string)) records.set(row.key as string, row);
  }
  return {
    findRecord: (home, key) => recordsByHome.get(home)?.get(key),
    leadingRows: answers.slice(0, leadingStatements.length),
  };
}

export const readRecords = async (
  read: Read,
  entries: readonly Row[],
  statement: HomeStatement,
): Promise<RecordLookup> =>
  entries.length === 0
    ? () => undefined
    : (
        await readAtHomes(
          read,
          [...keysByHome(entries)].map(([home, keys]) => [home, keys, statement]),
        )
      ).findRecord;

export interface EntryWithEvent extends StoredEvent {
  readonly entry: Row;
}

/** Reads the events of entries; skips those without a record. */
export async function readEvents(read: Read, entries: readonly Row[]): Promise<EntryWithEvent[]> {
  const findRecord = await readRecords(read, entries, bodiesAtHome);
  return entries.flatMap((entry) => {
    const { home_id: home, key, series_key: seriesKey } = entry;
    const record = findRecord(home as string, key as string);
    const series = findRecord(home as string, seriesKey as string);
    return record
      ? [{ entry, ...storedEventOf(parseEvent(record.body), series && parseEvent(series.body)) }]
      : [];
  });
}

const versionColumns = 'home_id, key, series_key, change, version, series_version';

export const findExceptionEntries = (calendarId: string, series: readonly string[]): Statement => ({
  name: 'entries of exceptions',
  text: `SELECT ${versionColumns} FROM places WHERE calendar_id = $1 AND series_key = ANY ($2::text[])`,
  values: [calendarId, series],
});

/** The lowest change number of an entry whose record version is not visible yet: shards differ briefly, after a node failure up to a minute. */
export function oldestUnsettledChange(entries: readonly Row[], findRecord: RecordLookup): number | undefined {
  const isOutdated = (home: unknown, key: unknown, entryVersion: unknown): boolean => {
    const readVersion = findRecord(home as string, key as string)?.version as number | undefined;
    return readVersion === undefined || readVersion < ((entryVersion as number | null) ?? 0);
  };
  const unsettled = entries.filter(
    ({ home_id: home, key, series_key: series, version, series_version: seriesVersion }) =>
      isOutdated(home, key, version) || (series !== null && isOutdated(home, series, seriesVersion)),
  );
  return unsettled.map(({ change }) => change as number).reduce<number | undefined>(minChange, undefined);
}

export const minChange = (first: number | undefined, second: number | undefined): number | undefined =>
  first === undefined || second === undefined ? (first ?? second) : Math.min(first, second);

/** Changes of a calendar to check: more than it can get while one may be unsettled. */
const maxCheckedChanges = 10_000;

export async function findOldestUnsettled(
  database: Database,
  calendarId: string,
  startChange: number,
  newestChange: number,
): Promise<number | undefined> {
  const entries = await database.query({
    name: 'entries since',
    text: `SELECT ${versionColumns} FROM places WHERE calendar_id = $1 AND change > $2 AND home_id <> $1`,
    values: [calendarId, Math.max(newestChange - maxCheckedChanges, startChange)],
  });
  const unsettled = oldestUnsettledChange(entries, await readRecords(database.read, entries, versionsAtHome));
  return unsettled === undefined || unsettled > newestChange ? undefined : unsettled;
}

/** Attempts to find records that an import moves to another home meanwhile. */
const maxAttempts = 3;

// Includes records whose home is the calendar; finds an exception that is not on the calendar by its series.
const onCalendarSql = `
SELECT asked.place, p.home_id, p.key, p.series_key, q.home_id AS series_home, q.key AS of_series, asked.original, coalesce(e.body, x.body) AS body, s.body AS series
FROM unnest($2::text[], $3::text[], $4::text[], $5::int[]) AS asked (event_id, series_id, original, place)
  LEFT JOIN places p ON p.calendar_id = $1 AND p.event_id = asked.event_id
  LEFT JOIN places q ON q.calendar_id = $1 AND q.event_id = asked.series_id AND p.key IS NULL
  LEFT JOIN events e ON e.home_id = $1 AND p.home_id = $1 AND e.key = p.key
  LEFT JOIN LATERAL ${exceptionSubquery('q', 'asked.original', '$1')} AS x ON q.home_id = $1
  LEFT JOIN events s ON s.home_id = $1 AND s.key = CASE WHEN p.home_id = $1 THEN p.series_key ELSE x.series_key END`;

const atHomeSql = `
SELECT asked.place, coalesce(e.body, x.body) AS body, s.body AS series
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int[]) AS asked (key, series_key, of_series, original, place)
  LEFT JOIN events e ON e.home_id = $1 AND e.key = asked.key
  LEFT JOIN events x ON x.home_id = $1 AND x.series_key = asked.of_series AND x.original = asked.original AND asked.key IS NULL
  LEFT JOIN events s ON s.home_id = $1 AND s.key = coalesce(asked.series_key, x.series_key)`;

/** Finds the stored record and series of each reference, in order; `body` is null if there is none. */
export async function findEventsById(
  database: Database,
  references: readonly EventReference[],
): Promise<readonly Row[]> {
  const rowsByPlace = new Map<number, Row>();
  let pending = references.map((reference, place) => ({ reference, place }));
  for (let attempts = 0; pending.length > 0 && attempts < maxAttempts; attempts += 1) {
    const entries = await findEntries(database, pending);
    const atOtherHomes = entries.filter(
      ({ body, home_id: home, series_home: seriesHome }) => body === null && (home ?? seriesHome) !== null,
    );
    const records = await findRecordsAtHomes(database, atOtherHomes);
    for (const row of [...entries, ...records]) rowsByPlace.set(row.place as number, row);
    const missing = new Set(
      atOtherHomes
        .filter(({ key, place }) => key !== null && rowsByPlace.get(place as number)?.body === null)
        .map(({ place }) => place),
    );
    pending = pending.filter(({ place }) => missing.has(place));
  }
  return references.map((_reference, place) => rowsByPlace.get(place) ?? { body: null, series: null });
}

async function findEntries(
  database: Database,
  pending: readonly { readonly reference: EventReference; readonly place: number }[],
): Promise<readonly Row[]> {
  const byCalendar = groupByKey(pending, ({ reference }) => lookupKey(reference.calendarId));
  return (
    await database.read(
      [...byCalendar].map(([calendarId, requests]) => {
        const instances = requests.map(({ reference }) => instanceKeys(reference.eventId));
        return {
          name: 'events on calendar',
          text: onCalendarSql,
          values: [
            calendarId,
            requests.map(({ reference }) => indexKey(reference.eventId)),
            instances.map(([id]) => id),
            instances.map(([, original]) => original),
            requests.map(({ place }) => place),
          ],
        };
      }),
    )
  ).flat();
}

async function findRecordsAtHomes(database: Database, entries: readonly Row[]): Promise<readonly Row[]> {
  const byHome = groupByKey(
    entries,
    ({ home_id: home, series_home: seriesHome }) => (home ?? seriesHome) as string,
  );
  return (
    await database.read(
      [...byHome].map(([home, homeEntries]) => ({
        name: 'events by entries',
        text: atHomeSql,
        values: [
          home,
          ...['key', 'series_key', 'of_series', 'original', 'place'].map((column) =>
            homeEntries.map((row) => row[column]),
          ),
        ],
      })),
    )
  ).flat();
}
