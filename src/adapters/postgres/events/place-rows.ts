import { lookChange, updatedOn, viewerTimes, type LookChange } from '../../../event/model/look.ts';
import { isCancelled, placesOfRecord, type EventRecord } from '../../../event/model/record.ts';
import { spanOf } from '../../../event/model/span.ts';
import { grouped } from '../grouped.ts';
import { indexKey } from '../lookup.ts';

/** What is shorter, and no series, is looked for by its start. */
export const longMs = 2 * 86_400_000;

/** One event on one calendar, in the columns that lists are asked by. Numbers that may be infinite go as strings. */
export interface PlaceRow {
  /** As `indexKey` writes it, like the iCalUID. */
  readonly event_id: string;
  readonly key: string;
  readonly series_key: string | null;
  readonly from_ms: string;
  readonly to_ms: string;
  readonly start_ms: string;
  readonly long: boolean;
  readonly ical_uid: string | null;
  readonly cancelled: boolean;
  readonly recurs: boolean;
  readonly along: boolean;
  readonly updated_ms: number;
  readonly latest_ms: number;
  readonly viewers: Readonly<Record<string, number>> | null;
  /** It looks different on this calendar than before. */
  readonly changed: boolean;
  /** To these users alone. */
  readonly changed_for: readonly string[];
}

/** A record as it was and as it is to be. */
export interface Replacement {
  readonly before: EventRecord | undefined;
  readonly next: EventRecord;
  /** Of an exception. */
  readonly series: EventRecord | undefined;
  /** The exceptions of a series: they change with it. */
  readonly exceptions: readonly Follower[];
}

/** An exception before and after its series changed. */
export interface Follower {
  readonly before: EventRecord;
  readonly next: EventRecord;
}

/** The rows to write, by calendar, in the order of the calendars' ids; calendars without a time zone are not there. */
export function rowsFor({ before, next, series, exceptions }: Replacement, zones: ReadonlyMap<string, string>): [string, PlaceRow[]][] {
  const rows: { readonly calendarId: string; readonly row: PlaceRow }[] = [];
  const add = (calendarId: string, row: PlaceRow): unknown => rows.push({ calendarId, row });
  for (const [calendarId, eventId] of placesOfRecord(next, series)) {
    const zone = zones.get(calendarId);
    if (zone === undefined) continue;
    const change = lookChange(calendarId, before && { record: before, series }, { record: next, series });
    const row = rowOf(next, series, { calendarId, eventId, zone, change });
    const old = before && !change.shared && placesOfRecord(before, series).has(calendarId) ? rowOf(before, series, { calendarId, eventId, zone, change }) : undefined;
    if (JSON.stringify(row) !== JSON.stringify(old) || before?.homeId !== next.homeId) add(calendarId, row);
  }
  for (const { before: old, next: exception } of exceptions) {
    for (const [calendarId, eventId] of placesOfRecord(exception, next)) {
      const zone = zones.get(calendarId);
      if (zone === undefined) continue;
      const change = lookChange(calendarId, before && { record: old, series: before }, { record: exception, series: next });
      add(calendarId, rowOf(exception, next, { calendarId, eventId, zone, change }));
    }
  }
  const byCalendar = [...grouped(rows, ({ calendarId }) => calendarId)].sort(([a], [b]) => (a < b ? -1 : 1));
  return byCalendar.map(([calendarId, own]) => [calendarId, own.map(({ row }) => row)]);
}

interface Here {
  readonly calendarId: string;
  readonly eventId: string;
  readonly zone: string;
  readonly change: LookChange;
}

function rowOf(record: EventRecord, series: EventRecord | undefined, { calendarId, eventId, zone, change }: Here): PlaceRow {
  const { from, to, start } = spanOf(record, zone, series);
  const copy = record.copies[calendarId];
  const { iCalUID } = (series ?? record).core;
  const recurs = (record.core.recurrence ?? []).length > 0;
  const updated = updatedOn(calendarId, { record, series });
  const viewers = viewerTimes(calendarId, { record, series });
  return {
    event_id: indexKey(eventId), key: record.key, series_key: series?.key ?? null,
    from_ms: String(from), to_ms: String(to), start_ms: String(start), long: recurs || to - from > longMs,
    ical_uid: iCalUID === undefined ? null : indexKey(iCalUID),
    cancelled: !series && copy !== undefined && isCancelled(record, copy),
    recurs, along: series?.copies[calendarId] !== undefined,
    updated_ms: updated, latest_ms: Math.max(updated, ...Object.values(viewers)), viewers: Object.keys(viewers).length > 0 ? viewers : null,
    changed: change.shared, changed_for: change.viewers,
  };
}
