import { type Database, type Read, type Row, sql, type Statement } from '../database.ts';
import { grouped } from '../../../core/patch.ts';
import { type EventReference, type StoredEvent, storedOf } from '../../../event/model/record.ts';
import { recordFrom } from '../stored-json.ts';
import { indexKey, lookupKey } from '../transaction.ts';
import { exceptionOf, instanceKeys } from './load-statements.ts';

/** The keys of the records that entries are made of, by the calendar that keeps them. */
export function keysByHome(entries: readonly Row[]): Map<string, string[]> {
  return new Map(
    [...grouped(entries, ({ home_id: home }) => home as string)].map(([home, own]) => [
      home,
      [
        ...new Set(
          own
            .flatMap(({ key, series_key: series }) => [key, series])
            .filter((key): key is string => typeof key === 'string'),
        ),
      ],
    ]),
  );
}

/** A statement for records of one home. */
export type AtHome = (home: string, keys: readonly string[]) => Statement;

/** Records with some of their columns. */
const recordsAt =
  (name: string, columns: string): AtHome =>
  (home, keys) => ({
    name,
    text: `SELECT home_id, key, version, ${columns} FROM events WHERE home_id = $1 AND key = ANY ($2::text[])`,
    values: [home, keys],
  });
/** Bodies as texts, which Citus hands on as they are. */
const bodiesAt = recordsAt('bodies at home', 'body::text');
/** Whether days of a calendar decide when a record takes place. */
export const daysAt = recordsAt('days at home', 'has_days');
/** Records with their marks (`known-records.ts`), and the bodies of those alone that are needed. */
export const markedAt =
  (isNeeded: (key: string) => boolean): AtHome =>
  (home, keys) =>
    sql`/* marked bodies at home */ SELECT home_id, key, version, body ->> 'w' AS mark, CASE WHEN key = ANY (${keys.filter(isNeeded)}::text[]) THEN body::text END AS body FROM events WHERE home_id = ${home} AND key = ANY (${keys}::text[])`;
const versionsAt: AtHome = (home, keys) =>
  sql`/* versions at home */ SELECT key, version FROM events WHERE home_id = ${home} AND key = ANY (${keys}::text[])`;
export const exceptionVersionsAt: AtHome = (home, keys) =>
  sql`/* versions of exceptions */ SELECT key, version FROM events WHERE home_id = ${home} AND series_key = ANY (${keys}::text[])`;

/** Records by the calendar that keeps them and their key, as they were read. */
type RecordAt = (home: string, key: string) => Row | undefined;

/** Reads records of several homes in one round trip, a statement for each, behind statements that come `first`, whose rows are given too. */
export async function readAtHomes(
  read: Read,
  asked: readonly (readonly [home: string, keys: readonly string[], statement: AtHome])[],
  first: readonly Statement[] = [],
): Promise<{ readonly of: RecordAt; readonly first: readonly (readonly Row[])[] }> {
  const answers = await read([...first, ...asked.map(([home, keys, statement]) => statement(home, keys))]);
  const homes = new Map<string, Map<string, Row>>();
  for (const [index, [home]] of asked.entries()) {
    const records = homes.get(home) ?? new Map<string, Row>();
    homes.set(home, records);
    // Rows that were read first have a body, and say less of how far the record has come.
    for (const row of answers[first.length + index] ?? [])
      if (!records.has(row.key as string)) records.set(row.key as string, row);
  }
  return { of: (home, key) => homes.get(home)?.get(key), first: answers.slice(0, first.length) };
}

/** Reads the records that entries are made of, and those of their series. */
export const recordsOf = async (read: Read, entries: readonly Row[], statement: AtHome): Promise<RecordAt> =>
  entries.length === 0
    ? () => undefined
    : (
        await readAtHomes(
          read,
          [...keysByHome(entries)].map(([home, keys]) => [home, keys, statement]),
        )
      ).of;

/** An entry, with the event that it is made of. */
export interface EntryWithEvent extends StoredEvent {
  readonly entry: Row;
}

/** Reads the events of entries; those without a record are left out. */
export async function eventsOf(read: Read, entries: readonly Row[]): Promise<EntryWithEvent[]> {
  const recordAt = await recordsOf(read, entries, bodiesAt);
  return entries.flatMap((entry) => {
    const { home_id: home, key, series_key: seriesKey } = entry;
    const record = recordAt(home as string, key as string);
    const series = recordAt(home as string, seriesKey as string);
    return record ? [{ entry, ...storedOf(recordFrom(record.body), series && recordFrom(series.body)) }] : [];
  });
}

/** Columns of `places` that tell which versions of records an entry was last made of. */
const madeOf = 'home_id, key, series_key, change, version, series_version';

/** The entries of exceptions on a calendar, which lists of instances do not read. */
export const exceptionEntries = (calendarId: string, series: readonly string[]): Statement => ({
  name: 'entries of exceptions',
  text: `SELECT ${madeOf} FROM places WHERE calendar_id = $1 AND series_key = ANY ($2::text[])`,
  values: [calendarId, series],
});

/**
 * The lowest change number among entries whose records were read older than the entries say. On a cluster a change becomes visible on one
 * shard a little earlier than on another: for a minute, where a node fails just then. An entry's versions are null where a gateway of an
 * earlier release wrote it.
 */
export function oldestUnsettled(entries: readonly Row[], recordOf: RecordAt): number | undefined {
  const isOld = (home: unknown, key: unknown, known: unknown): boolean => {
    const read = recordOf(home as string, key as string)?.version as number | undefined;
    return read === undefined || read < ((known as number | null) ?? 0);
  };
  const unsettled = entries.filter(
    ({ home_id: home, key, series_key: series, version, series_version: seriesVersion }) =>
      isOld(home, key, version) || (series !== null && isOld(home, series, seriesVersion)),
  );
  return unsettled.map(({ change }) => change as number).reduce<number | undefined>(earlier, undefined);
}

/** The lower of two change numbers, where there are any. */
export const earlier = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);

/** Bound of the changes of one calendar that are looked through: more than are made while one of them may be unsettled. */
const maxUnsettled = 10_000;

/** The oldest unsettled change of a calendar between two change numbers. */
export async function oldestUnsettledOn(
  database: Database,
  calendarId: string,
  since: number,
  last: number,
): Promise<number | undefined> {
  const entries = await database.query({
    name: 'entries since',
    text: `SELECT ${madeOf} FROM places WHERE calendar_id = $1 AND change > $2 AND home_id <> $1`,
    values: [calendarId, Math.max(last - maxUnsettled, since)],
  });
  const unsettled = oldestUnsettled(entries, await recordsOf(database.read, entries, versionsAt));
  return unsettled === undefined || unsettled > last ? undefined : unsettled;
}

/** How often events are looked for that were not where their entries say: an import takes some to another home. */
const mostLooks = 3;

// Records that are kept with the calendar come at once; an exception that is not on the calendar is found through its series there.
const textOnCalendar = `
SELECT asked.place, p.home_id, p.key, p.series_key, q.home_id AS series_home, q.key AS of_series, asked.original, coalesce(e.body, x.body) AS body, s.body AS series
FROM unnest($2::text[], $3::text[], $4::text[], $5::int[]) AS asked (event_id, series_id, original, place)
  LEFT JOIN places p ON p.calendar_id = $1 AND p.event_id = asked.event_id
  LEFT JOIN places q ON q.calendar_id = $1 AND q.event_id = asked.series_id AND p.key IS NULL
  LEFT JOIN events e ON e.home_id = $1 AND p.home_id = $1 AND e.key = p.key
  LEFT JOIN LATERAL ${exceptionOf('q', 'asked.original', '$1')} AS x ON q.home_id = $1
  LEFT JOIN events s ON s.home_id = $1 AND s.key = CASE WHEN p.home_id = $1 THEN p.series_key ELSE x.series_key END`;

const textAtHome = `
SELECT asked.place, coalesce(e.body, x.body) AS body, s.body AS series
FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::int[]) AS asked (key, series_key, of_series, original, place)
  LEFT JOIN events e ON e.home_id = $1 AND e.key = asked.key
  LEFT JOIN events x ON x.home_id = $1 AND x.series_key = asked.of_series AND x.original = asked.original AND asked.key IS NULL
  LEFT JOIN events s ON s.home_id = $1 AND s.key = coalesce(asked.series_key, x.series_key)`;

/** A record and its series, as they are stored, for each reference, in order; `body` is null where there is none. */
export async function eventsById(
  database: Database,
  references: readonly EventReference[],
): Promise<readonly Row[]> {
  const found = new Map<number, Row>();
  let wanted = references.map((reference, place) => ({ reference, place }));
  for (let looks = 0; wanted.length > 0 && looks < mostLooks; looks += 1) {
    const entries = await entriesOf(database, wanted);
    const elsewhere = entries.filter(
      ({ body, home_id: home, series_home: seriesHome }) => body === null && (home ?? seriesHome) !== null,
    );
    const records = await recordsAtHomes(database, elsewhere);
    for (const row of [...entries, ...records]) found.set(row.place as number, row);
    const missing = new Set(
      elsewhere
        .filter(({ key, place }) => key !== null && found.get(place as number)?.body === null)
        .map(({ place }) => place),
    );
    wanted = wanted.filter(({ place }) => missing.has(place));
  }
  return references.map((_reference, place) => found.get(place) ?? { body: null, series: null });
}

async function entriesOf(
  database: Database,
  wanted: readonly { readonly reference: EventReference; readonly place: number }[],
): Promise<readonly Row[]> {
  const byCalendar = grouped(wanted, ({ reference }) => lookupKey(reference.calendarId));
  return (
    await database.read(
      [...byCalendar].map(([calendarId, own]) => {
        const named = own.map(({ reference }) => instanceKeys(reference.eventId));
        return {
          name: 'events on calendar',
          text: textOnCalendar,
          values: [
            calendarId,
            own.map(({ reference }) => indexKey(reference.eventId)),
            named.map(([id]) => id),
            named.map(([, original]) => original),
            own.map(({ place }) => place),
          ],
        };
      }),
    )
  ).flat();
}

async function recordsAtHomes(database: Database, entries: readonly Row[]): Promise<readonly Row[]> {
  const byHome = grouped(
    entries,
    ({ home_id: home, series_home: seriesHome }) => (home ?? seriesHome) as string,
  );
  return (
    await database.read(
      [...byHome].map(([home, own]) => ({
        name: 'events by entries',
        text: textAtHome,
        values: [
          home,
          ...['key', 'series_key', 'of_series', 'original', 'place'].map((column) =>
            own.map((row) => row[column]),
          ),
        ],
      })),
    )
  ).flat();
}
