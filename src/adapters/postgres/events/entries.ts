import { groupByKey, isSameJson } from '../../../core/json.ts';
import { type EventRecord, idsByCalendar, type StoredEvent } from '../../../event/model/record.ts';
import {
  type CalendarEntry,
  createCalendarEntry,
  type ChangedEntry,
  type EntryLocation,
  projectRecord,
  type Replacement,
  spanOnCalendar,
} from '../../../event/projection/projection.ts';
import type { Row, Statement } from '../database.ts';
import { assertRowCount, failUnless } from '../transaction.ts';
import { compareKeys, indexKey, splitIntoChunks } from '../statements.ts';

/** Duration from which an event is indexed as `long`; shorter ones are found by their start. */
export const minLongMs = 2 * 86_400_000;

/** Columns derived from an event's record and its series. Instants (epoch ms) are strings, as JSON has no infinity. */
function columnsOf(entry: CalendarEntry) {
  const { record, series, iCalUID, updatedMs, viewers, hiddenFrom } = entry;
  const { from, to, start } = spanOnCalendar(entry, entry);
  return {
    event_id: indexKey(entry.eventId),
    key: record.key,
    series_key: series?.key ?? null,
    from_ms: String(from),
    to_ms: String(to),
    start_ms: String(start),
    /** A series, or longer than `minLongMs`: found by its end. */
    long: entry.isSeries || to - from > minLongMs,
    ical_uid: iCalUID === undefined ? null : indexKey(iCalUID),
    cancelled: entry.isCancelled,
    recurs: entry.isSeries,
    /** An exception whose series is on this calendar too. */
    along: entry.followsSeries,
    /** Time of the last change visible to all, to readers in `hidden_from`, and to anybody. */
    updated_ms: updatedMs,
    open_updated_ms: entry.publicUpdatedMs,
    latest_ms: Math.max(updatedMs, ...Object.values(viewers)),
    /** Times at which users last changed their own settings, by identity. */
    viewers: Object.keys(viewers).length > 0 ? viewers : null,
    hidden_from: hiddenFrom.length > 0 ? hiddenFrom : null,
    /** Versions of the record and its series when the entry was last written; null in rows of earlier releases. */
    version: record.version,
    series_version: series?.version ?? null,
  };
}

type EntryColumns = Readonly<ReturnType<typeof columnsOf>>;

/** A row of the table `places` with the marks of its change. */
interface EntryRow extends EntryColumns {
  /** The change is visible to all; also to readers in `hidden_from`; only to these users. */
  readonly changed: boolean;
  readonly changed_open: boolean;
  readonly changed_for: readonly string[];
  /** The change is visible to all, and the event is or was a series. */
  readonly changed_series: boolean;
  /** A visible change of a stored entry that alters only change numbers and times. Not a column. */
  readonly only_counters_changed: boolean;
}

/** A row of the table `places` to write, and the calendar it belongs to. */
export interface CalendarRow {
  readonly calendarId: string;
  readonly home: string;
  readonly row: EntryRow;
}

/** Entries of one calendar whose events have one home. */
export interface EntriesOfCalendar {
  readonly calendarId: string;
  readonly zone: string | null;
  readonly home: string;
  readonly rows: readonly EntryRow[];
}

/** Time zone of a calendar; undefined if it does not exist. */
export type ZoneOf = (calendarId: string) => string | undefined;

/** The calendar that stores a record: its home, or that of its series. */
export const homeOfRecord = (record: EventRecord, series: EventRecord | undefined): string =>
  (series ?? record).homeId;

/** Projects a change onto exceptions and the rows to write. */
export function projectRows(replacement: Replacement, zoneOf: ZoneOf) {
  const { before, next, series } = replacement;
  const { entries, ...exceptions } = projectRecord(replacement, zoneOf);
  const oldIds = before?.homeId === next.homeId ? idsByCalendar(before, series) : new Map<string, string>();
  const rows = [...entries].flatMap((entry): CalendarRow[] => {
    const { calendarId, record, before: previousEvent } = entry;
    const row = buildChangedRow(entry, record === next && oldIds.has(calendarId) ? previousEvent : undefined);
    return row ? [{ calendarId, home: homeOfRecord(next, series), row }] : [];
  });
  return { ...exceptions, rows };
}

/** Groups rows by calendar, sorted by id: the lock order of all transactions. */
export const groupByCalendar = (rows: readonly CalendarRow[], zoneOf: ZoneOf): EntriesOfCalendar[] =>
  [...groupByKey(rows, ({ calendarId, home }) => JSON.stringify([calendarId, home])).values()]
    .map((group) => ({
      calendarId: group[0].calendarId,
      home: group[0].home,
      zone: zoneOf(group[0].calendarId) ?? null,
      rows: group.map(({ row }) => row),
    }))
    .sort((a, b) => compareKeys(a.calendarId, b.calendarId));

/** The row of an entry; undefined if the stored row is the same. `writtenEvent`: the event of the stored row. */
function buildChangedRow(entry: ChangedEntry, writtenEvent: StoredEvent | undefined): EntryRow | undefined {
  const { change, concernsSeries, series } = entry;
  const currentColumns = columnsOf(entry);
  const writtenColumns = writtenEvent && columnsOf(createCalendarEntry(writtenEvent, entry));
  const isSameExcept = (...ignoredColumns: readonly (keyof EntryColumns)[]): boolean =>
    writtenColumns !== undefined &&
    (Object.keys(currentColumns) as (keyof EntryColumns)[]).every(
      (name) => ignoredColumns.includes(name) || isSameJson(writtenColumns[name], currentColumns[name]),
    );
  // The version may lag behind the record.
  if (!change.isShared && !change.isPublic && isSameExcept('version')) return undefined;
  return {
    ...currentColumns,
    changed: change.isShared,
    changed_open: change.isPublic,
    changed_for: change.viewers,
    changed_series: change.isShared && concernsSeries,
    only_counters_changed:
      change.isShared &&
      change.viewers.length === 0 &&
      !concernsSeries &&
      !series &&
      isSameExcept('version', 'updated_ms', 'open_updated_ms', 'latest_ms'),
  };
}

/** The row of an event that did not change, for a rewrite of its keys. */
export const buildUnchangedRow = (event: StoredEvent, place: EntryLocation): EntryRow => ({
  ...columnsOf(createCalendarEntry(event, place)),
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
  ...buildUnchangedRow(event, { calendarId, eventId: id as string, zone }),
  event_id: id as string,
});

/** Types of the columns that are derived from records, apart from versions. */
const derivedTypes = {
  series_key: 'text',
  from_ms: 'double precision',
  to_ms: 'double precision',
  start_ms: 'double precision',
  long: 'boolean',
  ical_uid: 'text',
  cancelled: 'boolean',
  recurs: 'boolean',
  along: 'boolean',
  updated_ms: 'double precision',
  open_updated_ms: 'double precision',
  latest_ms: 'double precision',
  viewers: 'jsonb',
  hidden_from: 'jsonb',
};
const rowTypes = {
  event_id: 'text',
  key: 'text',
  ...derivedTypes,
  version: 'integer',
  series_version: 'integer',
  changed: 'boolean',
  changed_open: 'boolean',
  changed_for: 'jsonb',
  changed_series: 'boolean',
} satisfies Record<Exclude<keyof EntryRow, 'only_counters_changed'>, string>;
const rowColumns = Object.entries(rowTypes)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');
const derivedColumns = Object.keys(derivedTypes);
const writtenColumns = [...derivedColumns, 'version', 'series_version'];
/** Columns of last change numbers, each with the condition that this change counts. */
const changeNumbers = Object.entries({
  shared_change: 'changed',
  open_change: 'changed_open',
  series_change: 'changed_series',
});

// SQL aliases: `p` is an entry (table `places`), `r` a row to write, `c` the calendar with its counters.
const changeNumberIf = (condition: string, fallback: string): string =>
  `CASE WHEN ${condition} THEN c.changes ELSE ${fallback} END`;
const anyChangeCondition = `r.changed OR r.changed_for <> '[]'`;
const viewerChanges =
  '(SELECT jsonb_object_agg(identity, c.changes) FROM jsonb_array_elements_text(r.changed_for) AS identity)';
/** Condition for a new position, as the old one would reveal the event's age to new readers. */
const newPositionCondition = (sharedCondition: string, openCondition: string): string =>
  `(p.shared_change = 0 AND ${sharedCondition}) OR (p.open_change = 0 AND ${openCondition})`;

/** Values of a refreshed entry by name, each with its type. */
const refreshedTypes = {
  calendar_id: 'text',
  zone: 'text',
  event_id: 'text',
  key: 'text',
  changed_open: 'boolean',
  updated_ms: 'double precision',
  open_updated_ms: 'double precision',
  latest_ms: 'double precision',
  version: 'integer',
};
type RefreshedValue = keyof typeof refreshedTypes;
const refreshedNames = Object.keys(refreshedTypes) as RefreshedValue[];
const placeholderOf = (name: RefreshedValue): string => `$${refreshedNames.indexOf(name) + 1}`;

// The calendar's counter stays locked until commit, so that change numbers become visible in order. It fails if the zone changed.
// Most changes alter no index key. Writing all columns takes a fifth more of PostgreSQL's CPU time for a patch.
const countedColumns = 'changes = c.changes + 1, positions = c.positions + 1, changed_at = now()';
const buildRefresh = (valueOf: (name: RefreshedValue) => string): string =>
  `UPDATE places p SET change = c.changes, shared_change = c.changes, open_change = ${changeNumberIf(valueOf('changed_open'), 'p.open_change')},
    position = CASE WHEN ${newPositionCondition('true', valueOf('changed_open'))} THEN c.positions ELSE p.position END,
    updated_ms = ${valueOf('updated_ms')}, open_updated_ms = ${valueOf('open_updated_ms')}, latest_ms = ${valueOf('latest_ms')}, version = ${valueOf('version')}
  FROM counted c WHERE p.calendar_id = ${valueOf('calendar_id')} AND p.event_id = ${valueOf('event_id')} AND p.key = ${valueOf('key')}`;
const refreshText = `WITH counted AS (
  UPDATE calendars c SET ${countedColumns} WHERE id = $1 AND time_zone = $2 RETURNING changes, positions
), done AS (${buildRefresh(placeholderOf)} RETURNING 1) ${failUnless('1')}`;

// Refreshes entries of several calendars on one server; each value is an array. Locks the calendars in their order (`nth`) first.
// The arrays are also conditions, so that a plan made without statistics does not read all rows.
const refreshSeveralText = `WITH locked AS (
  SELECT r.* FROM unnest(${refreshedNames.map((name) => `${placeholderOf(name)}::${refreshedTypes[name]}[]`).join(', ')})
    WITH ORDINALITY AS r (${refreshedNames.join(', ')}, nth) JOIN calendars c ON c.id = r.calendar_id
  WHERE c.id = ANY ($1) ORDER BY r.nth FOR NO KEY UPDATE OF c
), counted AS (
  UPDATE calendars c SET ${countedColumns} FROM locked r
  WHERE c.id = r.calendar_id AND c.time_zone = r.zone AND c.id = ANY ($1) RETURNING c.changes, c.positions, r.*
), done AS (
  ${buildRefresh((name) => `c.${name}`)} AND p.calendar_id = ANY ($1) AND p.event_id = ANY (${placeholderOf('event_id')}) RETURNING 1
) ${failUnless('cardinality($1)')}`;

// Fails, by a division by zero, if another event has an entry with the same id. Rows carry their number in the batch (`nth`):
// Citus routes neither window functions nor an INSERT within another statement to one shard.
const insertText = `
INSERT INTO places AS p (calendar_id, event_id, key, position, change, ${changeNumbers.map(([name]) => name).join(', ')}, viewer_changes, home_id, ${writtenColumns.join(', ')})
SELECT c.id, r.event_id, r.key, c.positions - $4 + r.nth,
  ${changeNumberIf(anyChangeCondition, '0')}, ${changeNumbers.map(([, condition]) => changeNumberIf(`r.${condition}`, '0')).join(', ')}, ${viewerChanges}, $2::text, ${writtenColumns.map((name) => `r.${name}`).join(', ')}
FROM calendars c CROSS JOIN jsonb_to_recordset($3::jsonb) AS r (nth integer, ${rowColumns}) WHERE c.id = $1
ON CONFLICT (calendar_id, event_id) DO UPDATE SET
  position = CASE WHEN ${newPositionCondition('excluded.shared_change > 0', 'excluded.open_change > 0')} THEN excluded.position ELSE p.position END,
  change = greatest(p.change, excluded.change) / (CASE WHEN p.key = excluded.key THEN 1 ELSE 0 END),
  ${changeNumbers.map(([name]) => `${name} = greatest(p.${name}, excluded.${name})`).join(', ')},
  viewer_changes = coalesce(p.viewer_changes || excluded.viewer_changes, p.viewer_changes, excluded.viewer_changes),
  ${['home_id', ...writtenColumns].map((name) => `${name} = excluded.${name}`).join(', ')}`;

const countText = assertRowCount(
  'UPDATE calendars SET changes = changes + 1, positions = positions + $2, changed_at = now() WHERE id = $1 AND time_zone = $3 RETURNING 1',
);

/** Inserts or updates entries. Counts the change at the calendar first, which fails if the zone changed. */
export const putEntries = ({ calendarId, home, zone, rows }: EntriesOfCalendar): Statement[] => [
  { name: 'count entries', text: countText, values: [calendarId, rows.length, zone] },
  {
    name: 'put entries',
    text: insertText,
    values: [
      calendarId,
      home,
      JSON.stringify(rows.map((row, index) => ({ nth: index + 1, ...row }))),
      rows.length,
    ],
  },
];

/** Circumstances under which entries are written. */
export interface WriteMode {
  /** Whether an earlier attempt failed: all columns are then written, as stored entries may have changed. */
  readonly isRetry: boolean;
  /** Allows a statement that writes on several calendars, which a cluster cannot route. */
  readonly isOneServer: boolean;
}

/** Maximum calendars of one statement: each row is compared with the ids of all, and all waits for locks share its timeout. */
const maxRefreshedCalendars = 25;

/** Writes the entries of a change, in the order of their calendars. */
export function writeEntries(
  calendars: readonly EntriesOfCalendar[],
  { isRetry, isOneServer }: WriteMode,
): Statement[] {
  const refreshedEntries = calendars.map(({ calendarId, zone, rows: [row, ...others] }) =>
    !isRetry && row?.only_counters_changed && others.length === 0
      ? { calendar_id: calendarId, zone, ...row }
      : undefined,
  );
  const isRefresh = refreshedEntries.every((entry) => entry !== undefined);
  // A calendar occurs twice if its events have two homes.
  const hasOneRowEach = new Set(calendars.map(({ calendarId }) => calendarId)).size === calendars.length;
  if (isOneServer && isRefresh && hasOneRowEach && calendars.length > 1)
    return splitIntoChunks(refreshedEntries, maxRefreshedCalendars).map((entries) => ({
      name: 'refresh entries',
      text: refreshSeveralText,
      values: refreshedNames.map((name) => entries.map((entry) => entry[name])),
    }));
  return calendars.flatMap((entries, index) => {
    const entry = refreshedEntries[index];
    return entry
      ? [{ name: 'refresh entry', text: refreshText, values: refreshedNames.map((name) => entry[name]) }]
      : putEntries(entries);
  });
}

/** Writes new times of entries, after a change of the calendar's zone. */
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
