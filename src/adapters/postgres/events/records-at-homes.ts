import { type Database, type Read, type Row, sql, type Statement } from '../database.ts';
import { type StoredEvent, storedEventOf } from '../../../event/model/record.ts';
import { parseEvent } from '../stored-json.ts';

/** Groups the keys of entries' records and of their series by home calendar. */
export function keysByHome(entries: readonly Row[]): Map<string, string[]> {
  const keys = new Map<string, Set<string>>();
  for (const { home_id: home, key, series_key: series } of entries) {
    const homeKeys = keys.get(home as string) ?? new Set();
    keys.set(home as string, homeKeys.add(key as string));
    if (typeof series === 'string') homeKeys.add(series);
  }
  return new Map(Array.from(keys, ([home, homeKeys]) => [home, [...homeKeys]]));
}

/** Builds a statement for records of one home, by their keys. */
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
export const dayFlagsAtHome = recordColumnsAtHome('days at home', 'has_days');
/** Reads records with their marks (`stored-json.ts`), and only the bodies that are needed. */
export const markedBodiesAtHome =
  (isNeeded: (key: string) => boolean): HomeStatement =>
  (home, keys) =>
    sql`/* marked bodies at home */ SELECT home_id, key, version, body ->> 'w' AS mark, CASE WHEN key = ANY (${keys.filter(isNeeded)}::text[]) THEN body::text END AS body FROM events WHERE home_id = ${home} AND key = ANY (${keys}::text[])`;
const versionsAtHome: HomeStatement = (home, keys) =>
  sql`/* versions at home */ SELECT key, version FROM events WHERE home_id = ${home} AND key = ANY (${keys}::text[])`;
export const exceptionVersionsAtHome: HomeStatement = (home, keys) =>
  sql`/* versions of exceptions */ SELECT key, version FROM events WHERE home_id = ${home} AND series_key = ANY (${keys}::text[])`;

/** Finds a read record by home and key. */
type RecordLookup = (home: string, key: string) => Row | undefined;

/** Reads records of several homes in one round trip, after `leadingStatements`, whose rows are `leadingRows`. */
export async function readAtHomes(
  read: Read,
  requests: readonly (readonly [home: string, keys: readonly string[], statement: HomeStatement])[],
  leadingStatements: readonly Statement[] = [],
): Promise<{ readonly findRecord: RecordLookup; readonly leadingRows: readonly (readonly Row[])[] }> {
  const results = await read([
    ...leadingStatements,
    ...requests.map(([home, keys, statement]) => statement(home, keys)),
  ]);
  const recordsByHome = new Map<string, Map<string, Row>>();
  for (const [index, [home]] of requests.entries()) {
    const records = recordsByHome.get(home) ?? new Map<string, Row>();
    recordsByHome.set(home, records);
    // Keeps the row of the first statement: it has a body, and its version is not newer than that body.
    for (const row of results[leadingStatements.length + index] ?? [])
      if (!records.has(row.key as string)) records.set(row.key as string, row);
  }
  return {
    findRecord: (home, key) => recordsByHome.get(home)?.get(key),
    leadingRows: results.slice(0, leadingStatements.length),
  };
}

/** Reads the records of entries and of their series. */
export async function readRecords(
  read: Read,
  entries: readonly Row[],
  statement: HomeStatement,
): Promise<RecordLookup> {
  const requests = Array.from(keysByHome(entries), ([home, keys]) => [home, keys, statement] as const);
  return requests.length === 0 ? () => undefined : (await readAtHomes(read, requests)).findRecord;
}

/** An event with the row of its entry. */
interface EntryWithEvent extends StoredEvent {
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

/**
 * Versions of an entry's record and of its series. They differ while a change is not visible on all shards. `readVersion`: undefined if
 * there is no record; `writtenVersion`: the version with which the entry was last written.
 */
export function recordVersions(
  { home_id: home, key, series_key: series, version, series_version: seriesVersion }: Row,
  findRecord: RecordLookup,
) {
  const versionOf = (recordKey: unknown, entryVersion: unknown) => ({
    readVersion: findRecord(home as string, recordKey as string)?.version as number | undefined,
    writtenVersion: (entryVersion ?? 0) as number,
  });
  return [versionOf(key, version), ...(series === null ? [] : [versionOf(series, seriesVersion)])];
}

/** The lowest change number of an entry whose record version is not visible yet: shards differ briefly, after a node failure up to a minute. */
export const findOldestUnsettledChange = (
  entries: readonly Row[],
  findRecord: RecordLookup,
): number | undefined =>
  entries
    .filter((entry) =>
      recordVersions(entry, findRecord).some(
        ({ readVersion = -1, writtenVersion }) => readVersion < writtenVersion,
      ),
    )
    .map(({ change }) => change as number)
    .reduce<number | undefined>(minChange, undefined);

export const minChange = (first: number | undefined, second: number | undefined): number | undefined =>
  first === undefined || second === undefined ? (first ?? second) : Math.min(first, second);

/** Changes of a calendar to check: more than it can get while one may be unsettled. */
const maxCheckedChanges = 10_000;

/** Finds the oldest change of a calendar after `startChange` whose record is not visible yet. */
export async function loadOldestUnsettledChange(
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
  const oldestChange = findOldestUnsettledChange(
    entries,
    await readRecords(database.read, entries, versionsAtHome),
  );
  return oldestChange === undefined || oldestChange > newestChange ? undefined : oldestChange;
}
