import type { Row } from '../database.ts';
import { compareKeys, indexKey } from '../transaction.ts';
import { groupByKey, isSameJson } from '../../../core/json-values.ts';
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

/** Duration from which an event is indexed as `long`; shorter ones are found by their start. */
export const minLongMs = 2 * 86_400_000;

/** Columns derived from an event's record and its series. Instants (epoch ms) are strings, as JSON has no infinity. */
function columnsOf(entry: CalendarEntry) {
  const {
    eventId,
    record,
    series,
    iCalUID,
    isCancelled,
    isSeries,
    followsSeries,
    updatedMs,
    viewers,
    hiddenFrom,
  } = entry;
  const { from, to, start } = spanOnCalendar(entry, entry);
  return {
    event_id: indexKey(eventId),
    key: record.key,
    series_key: series?.key ?? null,
    from_ms: String(from),
    to_ms: String(to),
    start_ms: String(start),
    /** A series, or longer than `minLongMs`: found by its end. */
    long: isSeries || to - from > minLongMs,
    ical_uid: iCalUID === undefined ? null : indexKey(iCalUID),
    cancelled: isCancelled,
    recurs: isSeries,
    /** An exception whose series is on this calendar too. */
    along: followsSeries,
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
export interface EntryRow extends EntryColumns {
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
  const isSameExcept = (ignoredColumns: ReadonlySet<string>): boolean =>
    writtenEvent !== undefined &&
    hasSameColumns(columnsOf(createCalendarEntry(writtenEvent, entry)), currentColumns, ignoredColumns);
  if (!change.isShared && !change.isPublic && isSameExcept(laggingColumns)) return undefined;
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
      isSameExcept(counterColumns),
  };
}

/** Columns that may lag behind the record. */
const laggingColumns: ReadonlySet<string> = new Set<keyof EntryColumns>(['version']);
/** Columns that an entry with unchanged index keys updates (`only_counters_changed`). */
const counterColumns: ReadonlySet<string> = new Set<keyof EntryColumns>([
  'version',
  'updated_ms',
  'open_updated_ms',
  'latest_ms',
]);

const hasSameColumns = (
  columns: EntryColumns,
  otherColumns: EntryColumns,
  ignoredColumns: ReadonlySet<string>,
): boolean =>
  (Object.keys(columns) as (keyof EntryColumns)[]).every(
    (name) => ignoredColumns.has(name) || isSameJson(columns[name], otherColumns[name]),
  );

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
