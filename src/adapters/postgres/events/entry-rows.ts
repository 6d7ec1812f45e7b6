import {
  entryBefore,
  project,
  type CalendarEntry,
  type ChangedException,
  type Replacement,
} from '../../../event/projection/projection.ts';
import { idsByCalendar, type EventRecord } from '../../../event/model/record.ts';
import { grouped } from '../../../core/kernel/grouped.ts';
import { indexKey } from '../lookup.ts';
import type { PlacesTable } from '../schema.ts';

/** Single events that are shorter (ms) are looked up by their start. */
export const longMs = 2 * 86_400_000;

/** Columns whose values may be infinite: they go as strings. */
type Moments = 'from_ms' | 'to_ms' | 'start_ms';

/** The columns that lists are asked by, but for those that number the entry and its changes. */
type Columns = Omit<
  PlacesTable,
  Moments | 'calendar_id' | 'home_id' | 'position' | 'change' | 'series_change'
>;

/** One event on one calendar, as it is written. */
export interface EntryRow extends Columns, Readonly<Record<Moments, string>> {
  /** It shows to all that it changed, to those from whom guests are hidden too, to these users alone. */
  readonly changed: boolean;
  readonly changed_open: boolean;
  readonly changed_for: readonly string[];
  /** And it is, or was just before, a series. */
  readonly changed_series: boolean;
  /** It shows to all that it changed, and no more has to be written of that than its numbers and times of change. No column. */
  readonly is_refreshed: boolean;
}

export interface Rows {
  /** The exceptions of a series that was replaced. */
  readonly exceptions: readonly ChangedException[];
  /** Exceptions that are dropped. */
  readonly dropped: readonly EventRecord[];
  /** By calendar, in the order of the calendars' ids. */
  readonly entries: readonly (readonly [calendarId: string, rows: readonly EntryRow[]])[];
}

/** What to write of a change; calendars without a time zone are not there. */
export function rowsFor(replacement: Replacement, zones: ReadonlyMap<string, string>): Rows {
  const { exceptions, dropped, entries } = project(replacement, (calendarId) => zones.get(calendarId));
  const written = entries.filter((entry) => !isWritten(entry, replacement, zones));
  return {
    exceptions,
    dropped,
    entries: byCalendar(written, ({ calendarId }) => calendarId).map(([calendarId, own]) => [
      calendarId,
      own.map(rowOf),
    ]),
  };
}

/** The rows of several changes that are stored together. */
export const rowsOfAll = (changes: readonly Rows['entries'][]): Rows['entries'] =>
  byCalendar(changes.flat(), ([calendarId]) => calendarId).map(([calendarId, own]) => [
    calendarId,
    own.flatMap(([, rows]) => rows),
  ]);

/** In the order of the calendars' ids, in which all who lock several of them do. */
const byCalendar = <T>(entries: Iterable<T>, calendarOf: (entry: T) => string) =>
  [...grouped(entries, calendarOf)].sort(([a], [b]) => (a < b ? -1 : 1));

/** Whether the very row of an entry stands in the database. */
function isWritten(
  entry: CalendarEntry,
  { before, next, series }: Replacement,
  zones: ReadonlyMap<string, string>,
): boolean {
  const { calendarId, change, record } = entry;
  if (
    record !== next ||
    !before ||
    change.shared ||
    before.homeId !== next.homeId ||
    !idsByCalendar(before, series).has(calendarId)
  )
    return false;
  const now = rowOf(entry);
  // A newer record than the row knows of is none that is missed.
  const old = {
    ...rowOf(entryBefore(before, series, entry, zones.get(calendarId) as string)),
    changed_for: change.viewers,
    version: now.version,
  };
  return JSON.stringify(old) === JSON.stringify(now);
}

export function rowOf(entry: CalendarEntry): EntryRow {
  const {
    eventId,
    record,
    series,
    span: { from, to, start },
    iCalUID,
    cancelled,
    recurs,
    along,
    updated,
    openUpdated,
    viewers,
    hiddenFrom,
    change,
    concernsSeries,
  } = entry;
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
    open_updated_ms: openUpdated,
    latest_ms: Math.max(updated, ...Object.values(viewers)),
    viewers: Object.keys(viewers).length > 0 ? viewers : null,
    hidden_from: hiddenFrom.length > 0 ? hiddenFrom : null,
    version: record.version,
    series_version: series?.version ?? null,
    changed: change.shared,
    changed_open: change.open,
    changed_for: change.viewers,
    changed_series: change.shared && concernsSeries,
    is_refreshed: change.shared && change.viewers.length === 0 && !concernsSeries && entry.isFoundAsBefore,
  };
}
