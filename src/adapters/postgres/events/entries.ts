import type { Row, Statement } from '../database.ts';
import { assertRowCount, compareKeys, failUnless, indexKey } from '../transaction.ts';
import { grouped, sameJson } from '../../../core/patch.ts';
import { type EventRecord, idsByCalendar, type StoredEvent } from '../../../event/model/record.ts';
import {
  type CalendarEntry,
  calendarEntry,
  type ChangedEntry,
  type EntryPlace,
  project,
  type Replacement,
  spanOn,
} from '../../../event/projection/projection.ts';

/** Single events that are shorter (ms) are looked up by their start. */
export const longMs = 2 * 86_400_000;

/** Columns that follow from an event's record, and that of its series; moments may be infinite, so they go as strings. */
interface EntryColumns {
  /** As `indexKey` writes it, like the iCalUID. */
  readonly event_id: string;
  readonly key: string;
  /** The key of the series of an exception; null for all other events. */
  readonly series_key: string | null;
  readonly from_ms: string;
  readonly to_ms: string;
  readonly start_ms: string;
  /** A series, or longer than `longMs`: it is looked for by its end. */
  readonly long: boolean;
  readonly ical_uid: string | null;
  readonly cancelled: boolean;
  readonly recurs: boolean;
  /** An exception whose series is on this calendar too. */
  readonly along: boolean;
  /** The last change as everybody sees it, as those see it from whom guests are hidden, and the last one that anybody sees. */
  readonly updated_ms: number;
  readonly open_updated_ms: number;
  readonly latest_ms: number;
  /** By identity: the last change of what a user keeps here. */
  readonly viewers: CalendarEntry['viewers'] | null;
  /** The identities of readers from whom guests are hidden. */
  readonly hidden_from: readonly string[] | null;
  /** Versions of the record and of its series when the entry was last written. Columns are null where an earlier release wrote them. */
  readonly version: number;
  readonly series_version: number | null;
}

/** The row of one event on one calendar, as it is written. */
interface EntryRow extends EntryColumns {
  /** It shows to all that it changed, to those from whom guests are hidden too, to these users alone. */
  readonly changed: boolean;
  readonly changed_open: boolean;
  readonly changed_for: readonly string[];
  /** And it is, or was just before, a series. */
  readonly changed_series: boolean;
  /** It shows to all that it changed, and no more has to be written of that than its numbers and times of change. No column. */
  readonly only_counters_changed: boolean;
}

/** A row with its calendar, and the calendar with which its event is stored. */
export interface CalendarRow {
  readonly calendarId: string;
  readonly home: string;
  readonly row: EntryRow;
}

/** Entries of one calendar. */
export interface EntriesOfCalendar {
  readonly calendarId: string;
  /** The calendar's zone, by which they were worked out. */
  readonly zone: string | undefined;
  /** The calendar with which the events are stored. */
  readonly home: string;
  readonly rows: readonly EntryRow[];
}

type Zones = ReadonlyMap<string, string>;

/** The calendar with which a record is stored: its home, or that of its series. */
export const storedAt = (record: EventRecord, series: EventRecord | undefined): string =>
  (series ?? record).homeId;

/** Works out what follows from a change: the exceptions of a series, and the rows to write. A calendar without a zone in `zones` does not exist. */
export function rowsFor(replacement: Replacement, zones: Zones) {
  const { before, next, series } = replacement;
  const { entries, ...exceptions } = project(replacement, (calendarId) => zones.get(calendarId));
  const written = before?.homeId === next.homeId ? idsByCalendar(before, series) : new Map<string, string>();
  const rows = entries.flatMap((entry): CalendarRow[] => {
    const { calendarId, record, before: old } = entry;
    const row = rowOf(entry, record === next && written.has(calendarId) ? old : undefined);
    return row ? [{ calendarId, home: storedAt(next, series), row }] : [];
  });
  return { ...exceptions, rows };
}

/** Rows by calendar, in the order of the calendars' ids, in which all who lock several of them do. */
export const byCalendar = (rows: readonly CalendarRow[], zones: Zones): EntriesOfCalendar[] =>
  [...grouped(rows, ({ calendarId, home }) => JSON.stringify([calendarId, home])).values()]
    .map((own) => ({
      calendarId: own[0].calendarId,
      home: own[0].home,
      zone: zones.get(own[0].calendarId),
      rows: own.map(({ row }) => row),
    }))
    .sort((one, other) => compareKeys(one.calendarId, other.calendarId));

/** The row of an entry; undefined where the very row stands in the database. `written`: the event that it was last written of. */
function rowOf(entry: ChangedEntry, written: StoredEvent | undefined): EntryRow | undefined {
  const { change, concernsSeries, series } = entry;
  const now = columnsOf(entry);
  const standsBut = (except: ReadonlySet<string>): boolean =>
    written !== undefined && hasSameColumns(columnsOf(calendarEntry(written, entry)), now, except);
  if (!change.shared && !change.open && standsBut(lagging)) return undefined;
  return {
    ...now,
    changed: change.shared,
    changed_open: change.open,
    changed_for: change.viewers,
    changed_series: change.shared && concernsSeries,
    only_counters_changed:
      change.shared && change.viewers.length === 0 && !concernsSeries && !series && standsBut(counters),
  };
}

/** A row may lag behind the version of its record. */
const lagging: ReadonlySet<string> = new Set<keyof EntryColumns>(['version']);
/** Columns that each change alters which all readers see. */
const counters: ReadonlySet<string> = new Set<keyof EntryColumns>([
  'version',
  'updated_ms',
  'open_updated_ms',
  'latest_ms',
]);

const hasSameColumns = (one: EntryColumns, other: EntryColumns, except: ReadonlySet<string>): boolean =>
  (Object.keys(one) as (keyof EntryColumns)[]).every(
    (name) => except.has(name) || sameJson(one[name], other[name]),
  );

/** The row of an event that stands on a calendar and has not changed. */
export const unchangedRow = (event: StoredEvent, place: EntryPlace): EntryRow => ({
  ...columnsOf(calendarEntry(event, place)),
  changed: false,
  changed_open: false,
  changed_for: [],
  changed_series: false,
  only_counters_changed: false,
});

/** The row of an unchanged event in place of an entry, whose id may be a digest. */
export const standingRow = (
  { event_id: id }: Row,
  event: StoredEvent,
  calendarId: string,
  zone: string,
): EntryRow => ({
  ...unchangedRow(event, { calendarId, eventId: id as string, zone }),
  event_id: id as string,
});

function columnsOf(entry: CalendarEntry): EntryColumns {
  const { eventId, record, series, iCalUID, cancelled, recurs, along, updated, viewers, hiddenFrom } = entry;
  const { from, to, start } = spanOn(entry, entry);
  return {
    event_id: indexKey(eventId),
    key: record.key,
    series_key: series?.key ?? null,
    from_ms: String(from),
    to_ms: String(to),
    start_ms: String(start),
    long: recurs || to - from > longMs,
    ical_uid: iCalUID === undefined ? null : indexKey(iCalUID),
    cancelled,
    recurs,
    along,
    updated_ms: updated,
    open_updated_ms: entry.openUpdated,
    latest_ms: Math.max(updated, ...Object.values(viewers)),
    viewers: Object.keys(viewers).length > 0 ? viewers : null,
    hidden_from: hiddenFrom.length > 0 ? hiddenFrom : null,
    version: record.version,
    series_version: series?.version ?? null,
  };
}

/** The columns of an `EntryRow`. */
const rowColumns = `event_id text, key text, series_key text, from_ms double precision, to_ms double precision, start_ms double precision,
  long boolean, ical_uid text, cancelled boolean, recurs boolean, along boolean, updated_ms double precision, open_updated_ms double precision,
  latest_ms double precision, viewers jsonb, hidden_from jsonb, version integer, series_version integer, changed boolean, changed_open boolean, changed_for jsonb, changed_series boolean`;
/** Columns that follow from an event's record, and that of its series. */
const derived = [
  'series_key',
  'from_ms',
  'to_ms',
  'start_ms',
  'long',
  'ical_uid',
  'cancelled',
  'recurs',
  'along',
  'updated_ms',
  'open_updated_ms',
  'latest_ms',
  'viewers',
  'hidden_from',
];
/** Derived columns, and the versions of the records that they come from. */
const written = [...derived, 'version', 'series_version'];
/** The numbers of the last changes of a kind, each with the column that says whether this change is one. */
const changeNumbers = Object.entries({
  shared_change: 'changed',
  open_change: 'changed_open',
  series_change: 'changed_series',
});

// A row brings its place in the order (`nth`): Citus leads no window function, and no INSERT inside of another statement, to one shard.
const columns = `nth integer, ${rowColumns}`;
const changesIf = (is: string, otherwise: string): string =>
  `CASE WHEN ${is} THEN c.changes ELSE ${otherwise} END`;
const changedAtAll = `r.changed OR r.changed_for <> '[]'`;
const viewerChanges =
  '(SELECT jsonb_object_agg(identity, c.changes) FROM jsonb_array_elements_text(r.changed_for) AS identity)';
/** For those who have not seen the event so far it comes now: its position must not show when it was made. */
const comesNow = (shared: string, open: string): string =>
  `(p.shared_change = 0 AND ${shared}) OR (p.open_change = 0 AND ${open})`;

/** A record in place of another one; `exceptionRevision`: how often the exceptions of a series had changed. */
export type StoredReplacement = readonly [
  home: string,
  key: string,
  before: number,
  next: number,
  body: string,
  exceptionRevision: number,
];

/** Replaces a record, unless it is stored otherwise by now; the parameters are those of a `StoredReplacement`. */
const replaceText = ([home, key, before, next, body, exceptionRevision]: readonly string[]): string =>
  `UPDATE events SET version = ${next}, body = ${body} WHERE home_id = ${home} AND key = ${key} AND version = ${before} AND family = ${exceptionRevision} RETURNING 1`;

const replaceAlone = assertRowCount(replaceText(['$1', '$2', '$3', '$4', '$5', '$6']));

const replaceRecord = (replacement: StoredReplacement): Statement => ({
  name: 'replace event',
  text: replaceAlone,
  values: replacement,
});

// The calendar's counter is locked until the end of the transaction, so that numbers become visible in their order. It is not counted up
// where days of the calendar begin otherwise by now. The record comes before it, as everywhere: who waits for that holds no counter.
const counted = (positions: string, zone: string, replaced: string | undefined): string => `
WITH ${replaced ? `replaced AS (${replaced}), ` : ''}counted AS (
  UPDATE calendars SET changes = changes + 1, positions = positions + ${positions}, changed_at = now()
  WHERE id = $1 AND time_zone = ${zone}${replaced ? ' AND EXISTS (SELECT FROM replaced)' : ''} RETURNING changes, positions
)`;

const updateText = (replaced?: string): string => `${counted('$4', '$5', replaced)}, done AS (
  UPDATE places p SET home_id = $2, ${written.map((name) => `${name} = r.${name}`).join(', ')},
    position = CASE WHEN ${comesNow('r.changed', 'r.changed_open')} THEN c.positions - $4 + r.nth ELSE p.position END,
    change = ${changesIf(changedAtAll, 'p.change')}, ${changeNumbers.map(([name, is]) => `${name} = ${changesIf(`r.${is}`, `p.${name}`)}`).join(', ')},
    viewer_changes = coalesce(p.viewer_changes || ${viewerChanges}, p.viewer_changes, ${viewerChanges})
  FROM counted c, jsonb_to_recordset($3) AS r (${columns}) WHERE p.calendar_id = $1 AND p.event_id = r.event_id AND p.key = r.key RETURNING 1
) ${failUnless('$4')}`;

// Most changes alter nothing by which lists find an event. To write all columns of an entry then takes PostgreSQL 8 % longer for the
// whole patch; on a cluster, where each node plans each statement anew, this one takes half as long again.
const refreshText = (replaced?: string): string => `${counted('1', '$2', replaced)}, done AS (
  UPDATE places p SET change = c.changes, shared_change = c.changes, open_change = ${changesIf('$3', 'p.open_change')},
    position = CASE WHEN ${comesNow('true', '$3')} THEN c.positions ELSE p.position END,
    updated_ms = $4, open_updated_ms = $5, latest_ms = $6, version = $7
  FROM counted c WHERE p.calendar_id = $1 AND p.event_id = $8 AND p.key = $9 RETURNING 1
) ${failUnless('1')}`;

// An entry of another event with the same id is left alone, and the statement fails.
const insertText = `
INSERT INTO places AS p (calendar_id, event_id, key, position, change, ${changeNumbers.map(([name]) => name).join(', ')}, viewer_changes, home_id, ${written.join(', ')})
SELECT c.id, r.event_id, r.key, c.positions - $4 + r.nth,
  ${changesIf(changedAtAll, '0')}, ${changeNumbers.map(([, is]) => changesIf(`r.${is}`, '0')).join(', ')}, ${viewerChanges}, $2::text, ${written.map((name) => `r.${name}`).join(', ')}
FROM calendars c CROSS JOIN jsonb_to_recordset($3::jsonb) AS r (${columns}) WHERE c.id = $1
ON CONFLICT (calendar_id, event_id) DO UPDATE SET
  position = CASE WHEN ${comesNow('excluded.shared_change > 0', 'excluded.open_change > 0')} THEN excluded.position ELSE p.position END,
  change = greatest(p.change, excluded.change) / (CASE WHEN p.key = excluded.key THEN 1 ELSE 0 END),
  ${changeNumbers.map(([name]) => `${name} = greatest(p.${name}, excluded.${name})`).join(', ')},
  viewer_changes = coalesce(p.viewer_changes || excluded.viewer_changes, p.viewer_changes, excluded.viewer_changes),
  ${['home_id', ...written].map((name) => `${name} = excluded.${name}`).join(', ')}`;

const countText = assertRowCount(
  'UPDATE calendars SET changes = changes + 1, positions = positions + $2, changed_at = now() WHERE id = $1 AND time_zone = $3 RETURNING 1',
);
const updateAlone = updateText();
const updateWithRecord = updateText(replaceText(['$1', '$6', '$7', '$8', '$9', '$10']));
const refreshAlone = refreshText();
const refreshWithRecord = refreshText(replaceText(['$1', '$9', '$10', '$7', '$11', '$12']));

const numberedValues = ({ calendarId, home, rows }: EntriesOfCalendar): unknown[] => [
  calendarId,
  home,
  JSON.stringify(rows.map((row, index) => ({ nth: index + 1, ...row }))),
  rows.length,
];

/** Writes entries, some of which may not stand there yet. */
export const putEntries = (entries: EntriesOfCalendar): Statement[] => [
  {
    name: 'count entries',
    text: countText,
    values: [entries.calendarId, entries.rows.length, entries.zone ?? null],
  },
  { name: 'put entries', text: insertText, values: numberedValues(entries) },
];

/** Values of a statement that writes the numbers and times of change of an entry; undefined where there is more to write of a calendar. */
const refreshValues = ({
  calendarId,
  zone,
  rows: [row, ...others],
}: EntriesOfCalendar): unknown[] | undefined =>
  row?.only_counters_changed && others.length === 0
    ? [
        calendarId,
        zone ?? null,
        row.changed_open,
        row.updated_ms,
        row.open_updated_ms,
        row.latest_ms,
        row.version,
        row.event_id,
        row.key,
      ]
    : undefined;

/** Writes entries that all stand there; fails where one does not. */
function updateEntries(entries: EntriesOfCalendar): Statement {
  const refresh = refreshValues(entries);
  return refresh
    ? { name: 'refresh entry', text: refreshAlone, values: refresh }
    : {
        name: 'update entries',
        text: updateAlone,
        values: [...numberedValues(entries), entries.zone ?? null],
      };
}

/** Replaces a record with entries on its home calendar that all stand there: one statement is a transaction. */
function replaceWithEntries([, ...record]: StoredReplacement, entries: EntriesOfCalendar): Statement {
  const refresh = refreshValues(entries);
  const [, before, , body, exceptionRevision] = record;
  return refresh
    ? {
        name: 'replace event, refresh entry',
        text: refreshWithRecord,
        values: [...refresh, before, body, exceptionRevision],
      }
    : {
        name: 'replace event and entries',
        text: updateWithRecord,
        values: [...numberedValues(entries), entries.zone ?? null, ...record],
      };
}

const named = (calendarId: string, eventId: string): string => JSON.stringify([calendarId, eventId]);

/** The entries that a record and its exceptions had before they changed. */
export function entriesBefore(
  before: EventRecord | undefined,
  series: EventRecord | undefined,
  exceptions: readonly EventRecord[],
): Set<string> {
  const ids = before
    ? [idsByCalendar(before, series), ...exceptions.map((exception) => idsByCalendar(exception, before))]
    : [];
  return new Set(
    ids.flatMap((own) => [...own].map(([calendarId, eventId]) => named(calendarId, indexKey(eventId)))),
  );
}

/** Statements that write a record's replacement and entries, each on one shard. */
interface EntryWrites {
  readonly record: Statement | undefined;
  readonly entries: readonly Statement[];
  /** Writes one record and its entry on its home calendar by a statement each. */
  readonly parts?: () => { readonly record: Statement; readonly entries: Statement };
}

/** Writes entries on each calendar; `replacement`: a record that stays on its home, `known`: entries that were stored before. */
export function writeEntries(
  all: readonly EntriesOfCalendar[],
  replacement: StoredReplacement | undefined,
  known: ReadonlySet<string>,
): EntryWrites {
  const areKnown = ({ calendarId, rows }: EntriesOfCalendar): boolean =>
    rows.every((row) => known.has(named(calendarId, row.event_id)));
  const write = (entries: EntriesOfCalendar): Statement[] =>
    areKnown(entries) ? [updateEntries(entries)] : putEntries(entries);
  const [first, ...others] = all;
  // Counters are locked in the order of the calendars.
  if (replacement && first && first.calendarId === replacement[0] && areKnown(first))
    return {
      record: replaceWithEntries(replacement, first),
      entries: others.flatMap(write),
      ...(others.length === 0 && {
        parts: () => ({ record: replaceRecord(replacement), entries: updateEntries(first) }),
      }),
    };
  return { record: replacement && replaceRecord(replacement), entries: all.flatMap(write) };
}

/** Moves entries of a calendar in time, and changes nothing else of them. */
export const moveEntries = (calendarId: string, rows: readonly EntryRow[]): Statement => ({
  name: 'move entries',
  text: `UPDATE places p SET from_ms = r.from_ms, to_ms = r.to_ms, start_ms = r.start_ms, long = r.long
    FROM jsonb_to_recordset($2) AS r (${rowColumns}) WHERE p.calendar_id = $1 AND p.event_id = r.event_id AND p.key = r.key`,
  values: [calendarId, JSON.stringify(rows)],
});

/** A query for the `event_id` of those rows that are not in the table as they are here; `missing`, where there is none at all. */
export const differing = ({ calendarId, rows }: EntriesOfCalendar): Statement => ({
  name: 'differing entries',
  text: `SELECT r.event_id, p.calendar_id IS NULL AS missing FROM jsonb_to_recordset($2) AS r (${rowColumns})
    LEFT JOIN places p ON p.calendar_id = $1 AND p.event_id = r.event_id
    WHERE (${['key', ...derived].map((name) => `p.${name}`).join(', ')}) IS DISTINCT FROM (${['key', ...derived].map((name) => `r.${name}`).join(', ')})`,
  values: [calendarId, JSON.stringify(rows)],
});
