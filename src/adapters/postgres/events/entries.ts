import type { Row, Statement } from '../database.ts';
import { assertRowCount, compareKeys, failUnless, indexKey } from '../transaction.ts';
import { groupByKey, sameJson } from '../../../core/patch.ts';
import { type EventRecord, idsByCalendar, type StoredEvent } from '../../../event/model/record.ts';
import {
  type CalendarEntry,
  calendarEntry,
  type ChangedEntry,
  type EntryPlace,
  projectRecord,
  type Replacement,
  spanOn,
} from '../../../event/projection/projection.ts';

/** Duration from which an event is indexed as `long`; shorter ones are found by their start. */
export const minLongMs = 2 * 86_400_000;

/** Columns derived from an event's record and its series. Moments are strings, as JSON has no infinity. */
interface EntryColumns {
  /** Stored as `indexKey`, like the iCalUID. */
  readonly event_id: string;
  readonly key: string;
  readonly series_key: string | null;
  readonly from_ms: string;
  readonly to_ms: string;
  readonly start_ms: string;
  /** A series, or longer than `minLongMs`: found by its end. */
  readonly long: boolean;
  readonly ical_uid: string | null;
  readonly cancelled: boolean;
  readonly recurs: boolean;
  /** An exception whose series is on this calendar too. */
  readonly along: boolean;
  /** Time of the last change visible to all, to readers in `hidden_from`, and to anybody. */
  readonly updated_ms: number;
  readonly open_updated_ms: number;
  readonly latest_ms: number;
  /** Times at which users last changed their own settings, by identity. */
  readonly viewers: CalendarEntry['viewers'] | null;
  readonly hidden_from: readonly string[] | null;
  /** Versions of the record and its series when the entry was last written; null in rows of earlier releases. */
  readonly version: number;
  readonly series_version: number | null;
}

interface EntryRow extends EntryColumns {
  /** The change is visible to all; also to readers in `hidden_from`; only to these users. */
  readonly changed: boolean;
  readonly changed_open: boolean;
  readonly changed_for: readonly string[];
  /** The change is visible to all, and the event is or was a series. */
  readonly changed_series: boolean;
  /** A visible change that alters only change numbers and times. Not a column. */
  readonly only_counters_changed: boolean;
}

export interface CalendarRow {
  readonly calendarId: string;
  readonly home: string;
  readonly row: EntryRow;
}

/** Entries of one calendar whose events have one home. */
export interface EntriesOfCalendar {
  readonly calendarId: string;
  readonly zone: string | undefined;
  readonly home: string;
  readonly rows: readonly EntryRow[];
}

type Zones = ReadonlyMap<string, string>;

/** The calendar that stores a record: its home, or that of its series. */
export const homeOfRecord = (record: EventRecord, series: EventRecord | undefined): string =>
  (series ?? record).homeId;

/** Projects a change onto exceptions and the rows to write. A calendar missing in `zones` does not exist. */
export function projectRows(replacement: Replacement, zones: Zones) {
  const { before, next, series } = replacement;
  const { entries, ...exceptions } = projectRecord(replacement, (calendarId) => zones.get(calendarId));
  const oldIds = before?.homeId === next.homeId ? idsByCalendar(before, series) : new Map<string, string>();
  const rows = [...entries].flatMap((entry): CalendarRow[] => {
    const { calendarId, record, before: previous } = entry;
    const row = changedRow(entry, record === next && oldIds.has(calendarId) ? previous : undefined);
    return row ? [{ calendarId, home: homeOfRecord(next, series), row }] : [];
  });
  return { ...exceptions, rows };
}

/** Groups rows by calendar, sorted by id: the lock order of all transactions. */
export const groupByCalendar = (rows: readonly CalendarRow[], zones: Zones): EntriesOfCalendar[] =>
  [...groupByKey(rows, ({ calendarId, home }) => JSON.stringify([calendarId, home])).values()]
    .map((group) => ({
      calendarId: group[0].calendarId,
      home: group[0].home,
      zone: zones.get(group[0].calendarId),
      rows: group.map(({ row }) => row),
    }))
    .sort((a, b) => compareKeys(a.calendarId, b.calendarId));

/** The row of an entry; undefined if the stored row is the same. `writtenEvent`: the event of the stored row. */
function changedRow(entry: ChangedEntry, writtenEvent: StoredEvent | undefined): EntryRow | undefined {
  const { change, concernsSeries, series } = entry;
  const current = columnsOf(entry);
  const isSameExcept = (ignored: ReadonlySet<string>): boolean =>
    writtenEvent !== undefined &&
    hasSameColumns(columnsOf(calendarEntry(writtenEvent, entry)), current, ignored);
  if (!change.isShared && !change.isPublic && isSameExcept(laggingColumns)) return undefined;
  return {
    ...current,
    changed: change.isShared,
    changed_open: change.isPublic,
    changed_for: change.viewers,
    changed_series: change.isShared && concernsSeries,
    only_counters_changed:
      change.isShared && change.viewers.length === 0 && !concernsSeries && !series && isSameExcept(counters),
  };
}

/** Columns that may lag behind the record. */
const laggingColumns: ReadonlySet<string> = new Set<keyof EntryColumns>(['version']);
const counters: ReadonlySet<string> = new Set<keyof EntryColumns>([
  'version',
  'updated_ms',
  'open_updated_ms',
  'latest_ms',
]);

const hasSameColumns = (
  columns: EntryColumns,
  otherColumns: EntryColumns,
  ignored: ReadonlySet<string>,
): boolean =>
  (Object.keys(columns) as (keyof EntryColumns)[]).every(
    (name) => ignored.has(name) || sameJson(columns[name], otherColumns[name]),
  );

export const unchangedRow = (event: StoredEvent, place: EntryPlace): EntryRow => ({
  ...columnsOf(calendarEntry(event, place)),
  changed: false,
  changed_open: false,
  changed_for: [],
  changed_series: false,
  only_counters_changed: false,
});

/** The row of an unchanged event, with the stored id of an entry, which may be a digest. */
export const rowForEntry = (
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
    long: recurs || to - from > minLongMs,
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

const rowColumns = `event_id text, key text, series_key text, from_ms double precision, to_ms double precision, start_ms double precision,
  long boolean, ical_uid text, cancelled boolean, recurs boolean, along boolean, updated_ms double precision, open_updated_ms double precision,
  latest_ms double precision, viewers jsonb, hidden_from jsonb, version integer, series_version integer, changed boolean, changed_open boolean, changed_for jsonb, changed_series boolean`;
const derivedColumns = [
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
const writtenColumns = [...derivedColumns, 'version', 'series_version'];
/** Columns of last change numbers, each with the condition that this change counts. */
const changeNumbers = Object.entries({
  shared_change: 'changed',
  open_change: 'changed_open',
  series_change: 'changed_series',
});

// Rows bring their order (`nth`): Citus routes neither window functions nor an INSERT within another statement to one shard.
const numberedColumns = `nth integer, ${rowColumns}`;
const changeNumberIf = (condition: string, fallback: string): string =>
  `CASE WHEN ${condition} THEN c.changes ELSE ${fallback} END`;
const isAnyChange = `r.changed OR r.changed_for <> '[]'`;
const viewerChanges =
  '(SELECT jsonb_object_agg(identity, c.changes) FROM jsonb_array_elements_text(r.changed_for) AS identity)';
/** Whether an event becomes visible to new readers: its old position would reveal when it was created. */
const getsNewPosition = (shared: string, open: string): string =>
  `(p.shared_change = 0 AND ${shared}) OR (p.open_change = 0 AND ${open})`;

/** A replacement of a stored record: versions `before` and `next`, and the number of changes of a series' exceptions. */
export type StoredReplacement = readonly [
  home: string,
  key: string,
  before: number,
  next: number,
  body: string,
  exceptionRevision: number,
];

/** Replaces a record unless it changed meanwhile; takes the placeholders of a `StoredReplacement`. */
const replaceRecordText = ([home, key, before, next, body, exceptionRevision]: readonly string[]): string =>
  `UPDATE events SET version = ${next}, body = ${body} WHERE home_id = ${home} AND key = ${key} AND version = ${before} AND family = ${exceptionRevision} RETURNING 1`;

const replaceSql = assertRowCount(replaceRecordText(['$1', '$2', '$3', '$4', '$5', '$6']));

export const replaceRecord = (replacement: StoredReplacement): Statement => ({
  name: 'replace event',
  text: replaceSql,
  values: replacement,
});

// The calendar's counter stays locked until commit, so that change numbers become visible in order. It fails if the zone changed.
// The record is written first, so that no transaction waits for it while holding a counter.
const countedCtes = (positions: string, zone: string, replaceRecordSql: string | undefined): string => `
WITH ${replaceRecordSql ? `replaced AS (${replaceRecordSql}), ` : ''}counted AS (
  UPDATE calendars SET changes = changes + 1, positions = positions + ${positions}, changed_at = now()
  WHERE id = $1 AND time_zone = ${zone}${replaceRecordSql ? ' AND EXISTS (SELECT FROM replaced)' : ''} RETURNING changes, positions
)`;

const updateText = (
  replaceRecordSql?: string,
): string => `${countedCtes('$4', '$5', replaceRecordSql)}, done AS (
  UPDATE places p SET home_id = $2, ${writtenColumns.map((name) => `${name} = r.${name}`).join(', ')},
    position = CASE WHEN ${getsNewPosition('r.changed', 'r.changed_open')} THEN c.positions - $4 + r.nth ELSE p.position END,
    change = ${changeNumberIf(isAnyChange, 'p.change')}, ${changeNumbers.map(([name, condition]) => `${name} = ${changeNumberIf(`r.${condition}`, `p.${name}`)}`).join(', ')},
    viewer_changes = coalesce(p.viewer_changes || ${viewerChanges}, p.viewer_changes, ${viewerChanges})
  FROM counted c, jsonb_to_recordset($3) AS r (${numberedColumns}) WHERE p.calendar_id = $1 AND p.event_id = r.event_id AND p.key = r.key RETURNING 1
) ${failUnless('$4')}`;

// Most changes alter no index key. Writing all columns would slow the whole patch by 8 %, and the statement by 50 % on a cluster.
const refreshText = (
  replaceRecordSql?: string,
): string => `${countedCtes('1', '$2', replaceRecordSql)}, done AS (
  UPDATE places p SET change = c.changes, shared_change = c.changes, open_change = ${changeNumberIf('$3', 'p.open_change')},
    position = CASE WHEN ${getsNewPosition('true', '$3')} THEN c.positions ELSE p.position END,
    updated_ms = $4, open_updated_ms = $5, latest_ms = $6, version = $7
  FROM counted c WHERE p.calendar_id = $1 AND p.event_id = $8 AND p.key = $9 RETURNING 1
) ${failUnless('1')}`;

// Fails if another event has an entry with the same id.
const insertText = `
INSERT INTO places AS p (calendar_id, event_id, key, position, change, ${changeNumbers.map(([name]) => name).join(', ')}, viewer_changes, home_id, ${writtenColumns.join(', ')})
SELECT c.id, r.event_id, r.key, c.positions - $4 + r.nth,
  ${changeNumberIf(isAnyChange, '0')}, ${changeNumbers.map(([, condition]) => changeNumberIf(`r.${condition}`, '0')).join(', ')}, ${viewerChanges}, $2::text, ${writtenColumns.map((name) => `r.${name}`).join(', ')}
FROM calendars c CROSS JOIN jsonb_to_recordset($3::jsonb) AS r (${numberedColumns}) WHERE c.id = $1
ON CONFLICT (calendar_id, event_id) DO UPDATE SET
  position = CASE WHEN ${getsNewPosition('excluded.shared_change > 0', 'excluded.open_change > 0')} THEN excluded.position ELSE p.position END,
  change = greatest(p.change, excluded.change) / (CASE WHEN p.key = excluded.key THEN 1 ELSE 0 END),
  ${changeNumbers.map(([name]) => `${name} = greatest(p.${name}, excluded.${name})`).join(', ')},
  viewer_changes = coalesce(p.viewer_changes || excluded.viewer_changes, p.viewer_changes, excluded.viewer_changes),
  ${['home_id', ...writtenColumns].map((name) => `${name} = excluded.${name}`).join(', ')}`;

const countText = assertRowCount(
  'UPDATE calendars SET changes = changes + 1, positions = positions + $2, changed_at = now() WHERE id = $1 AND time_zone = $3 RETURNING 1',
);
const updateSql = updateText();
const updateWithRecordSql = updateText(replaceRecordText(['$1', '$6', '$7', '$8', '$9', '$10']));
const refreshSql = refreshText();
const refreshWithRecordSql = refreshText(replaceRecordText(['$1', '$9', '$10', '$7', '$11', '$12']));

const numberedValues = ({ calendarId, home, rows }: EntriesOfCalendar): unknown[] => [
  calendarId,
  home,
  JSON.stringify(rows.map((row, index) => ({ nth: index + 1, ...row }))),
  rows.length,
];

export const putEntries = (entries: EntriesOfCalendar): Statement[] => [
  {
    name: 'count entries',
    text: countText,
    values: [entries.calendarId, entries.rows.length, entries.zone ?? null],
  },
  { name: 'put entries', text: insertText, values: numberedValues(entries) },
];

const refreshValues = ({
  calendarId,
  zone,
  rows: [row, ...moreRows],
}: EntriesOfCalendar): unknown[] | undefined =>
  row?.only_counters_changed && moreRows.length === 0
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

/** Updates entries; fails if one is missing. */
function updateEntries(entries: EntriesOfCalendar): Statement {
  const refresh = refreshValues(entries);
  return refresh
    ? { name: 'refresh entry', text: refreshSql, values: refresh }
    : {
        name: 'update entries',
        text: updateSql,
        values: [...numberedValues(entries), entries.zone ?? null],
      };
}

/** Replaces a record and updates its entries on its home in one statement, which needs no BEGIN. */
function replaceWithEntries([, ...record]: StoredReplacement, entries: EntriesOfCalendar): Statement {
  const refresh = refreshValues(entries);
  const [, before, , body, exceptionRevision] = record;
  return refresh
    ? {
        name: 'replace event, refresh entry',
        text: refreshWithRecordSql,
        values: [...refresh, before, body, exceptionRevision],
      }
    : {
        name: 'replace event and entries',
        text: updateWithRecordSql,
        values: [...numberedValues(entries), entries.zone ?? null, ...record],
      };
}

const entryKey = (calendarId: string, eventId: string): string => JSON.stringify([calendarId, eventId]);

export function entriesBefore(
  before: EventRecord | undefined,
  series: EventRecord | undefined,
  exceptions: readonly EventRecord[],
): Set<string> {
  const ids = before
    ? [idsByCalendar(before, series), ...exceptions.map((exception) => idsByCalendar(exception, before))]
    : [];
  return new Set(
    ids.flatMap((idByCalendar) =>
      [...idByCalendar].map(([calendarId, eventId]) => entryKey(calendarId, indexKey(eventId))),
    ),
  );
}

interface EntryWrites {
  readonly recordStatement: Statement | undefined;
  readonly entries: readonly Statement[];
  /** See `Writes`: the record and its entry on its home, by separate statements. */
  readonly split?: () => { readonly record: Statement; readonly entries: Statement };
}

/** Writes entries on each calendar. `replacement`: a record that keeps its home. `storedEntries`: keys of existing entries. */
export function writeEntries(
  calendars: readonly EntriesOfCalendar[],
  replacement: StoredReplacement | undefined,
  storedEntries: ReadonlySet<string>,
): EntryWrites {
  const areStored = ({ calendarId, rows }: EntriesOfCalendar): boolean =>
    rows.every((row) => storedEntries.has(entryKey(calendarId, row.event_id)));
  const entryStatements = (entries: EntriesOfCalendar): Statement[] =>
    areStored(entries) ? [updateEntries(entries)] : putEntries(entries);
  const [firstCalendar, ...otherCalendars] = calendars;
  // Only the first calendar may be combined with the record: counters are locked in the order of calendars.
  if (replacement && firstCalendar && firstCalendar.calendarId === replacement[0] && areStored(firstCalendar))
    return {
      recordStatement: replaceWithEntries(replacement, firstCalendar),
      entries: otherCalendars.flatMap(entryStatements),
      ...(otherCalendars.length === 0 && {
        split: () => ({ record: replaceRecord(replacement), entries: updateEntries(firstCalendar) }),
      }),
    };
  return {
    recordStatement: replacement && replaceRecord(replacement),
    entries: calendars.flatMap(entryStatements),
  };
}

export const moveEntries = (calendarId: string, rows: readonly EntryRow[]): Statement => ({
  name: 'move entries',
  text: `UPDATE places p SET from_ms = r.from_ms, to_ms = r.to_ms, start_ms = r.start_ms, long = r.long
    FROM jsonb_to_recordset($2) AS r (${rowColumns}) WHERE p.calendar_id = $1 AND p.event_id = r.event_id AND p.key = r.key`,
  values: [calendarId, JSON.stringify(rows)],
});

/** Finds the `event_id` of rows that differ from the table; `missing` if the table has none. */
export const findDifferences = ({ calendarId, rows }: EntriesOfCalendar): Statement => ({
  name: 'differing entries',
  text: `SELECT r.event_id, p.calendar_id IS NULL AS missing FROM jsonb_to_recordset($2) AS r (${rowColumns})
    LEFT JOIN places p ON p.calendar_id = $1 AND p.event_id = r.event_id
    WHERE (${['key', ...derivedColumns].map((name) => `p.${name}`).join(', ')}) IS DISTINCT FROM (${['key', ...derivedColumns].map((name) => `r.${name}`).join(', ')})`,
  values: [calendarId, JSON.stringify(rows)],
});
