import { hidesGuests, isCancelled, placesOfRecord, updatedAt, type EventRecord } from '../../../event/model/record.ts';
import { spanOf } from '../../../event/model/span.ts';
import { grouped } from '../grouped.ts';

/** What is shorter, and no series, is looked for by its start. */
export const longMs = 2 * 86_400_000;

/** One event on one calendar, in the columns that lists are asked by. Numbers that may be infinite go as strings. */
export interface PlaceRow {
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
}

/** A record as it was and as it is to be. */
export interface Replacement {
  readonly before: EventRecord | undefined;
  readonly next: EventRecord;
  /** Of an exception. */
  readonly series: EventRecord | undefined;
  /** The exceptions of a series: they change with it. */
  readonly exceptions: readonly EventRecord[];
}

/** The rows to write, by calendar, in the order of the calendars' ids; calendars without a time zone are not there. */
export function rowsFor({ before, next, series, exceptions }: Replacement, zones: ReadonlyMap<string, string>): [string, PlaceRow[]][] {
  const rows: { readonly calendarId: string; readonly row: PlaceRow }[] = [];
  const add = (calendarId: string, row: PlaceRow): unknown => rows.push({ calendarId, row });
  for (const [calendarId, eventId] of placesOfRecord(next, series)) {
    const zone = zones.get(calendarId);
    if (zone === undefined) continue;
    const changed = isChange(before, next, calendarId);
    const row = rowOf(next, series, { calendarId, eventId, zone, changed });
    const old = before && !changed && placesOfRecord(before, series).has(calendarId) ? rowOf(before, series, { calendarId, eventId, zone, changed }) : undefined;
    if (JSON.stringify(row) !== JSON.stringify(old) || before?.homeId !== next.homeId) add(calendarId, row);
  }
  for (const exception of exceptions) {
    for (const [calendarId, eventId] of placesOfRecord(exception, next)) {
      const zone = zones.get(calendarId);
      if (zone !== undefined) add(calendarId, rowOf(exception, next, { calendarId, eventId, zone, changed: true }));
    }
  }
  const byCalendar = [...grouped(rows, ({ calendarId }) => calendarId)].sort(([a], [b]) => (a < b ? -1 : 1));
  return byCalendar.map(([calendarId, own]) => [calendarId, own.map(({ row }) => row)]);
}

/** Whether one calendar shows something else than before: the core, its own copy, or what a user keeps on it. */
function isChange(before: EventRecord | undefined, next: EventRecord, calendarId: string): boolean {
  const [copy, old] = [next.copies[calendarId], before?.copies[calendarId]];
  const stamp = copy && hidesGuests(next, copy) ? 'openStamp' : 'coreStamp';
  if (next[stamp].tag !== before?.[stamp].tag || copy?.stamp.tag !== old?.stamp.tag) return true;
  return JSON.stringify(copy?.viewers) !== JSON.stringify(old?.viewers);
}

interface Here {
  readonly calendarId: string;
  readonly eventId: string;
  readonly zone: string;
  readonly changed: boolean;
}

function rowOf(record: EventRecord, series: EventRecord | undefined, { calendarId, eventId, zone, changed }: Here): PlaceRow {
  const { from, to, start } = spanOf(record, zone, series);
  const copy = record.copies[calendarId];
  const recurs = (record.core.recurrence ?? []).length > 0;
  const both = series ? [record, series] : [record];
  // An exception without a copy of its own is shown through that of its series.
  const shown = both.flatMap((one) => {
    const through = one.copies[calendarId] ? one : (series ?? one);
    const of = through.copies[calendarId];
    return of ? [Date.parse(updatedAt(one, of, hidesGuests(through, of)))] : [];
  });
  const updated = Math.max(0, ...shown);
  const viewers = viewersOf(both, calendarId);
  return {
    event_id: eventId, key: record.key, series_key: series?.key ?? null,
    from_ms: String(from), to_ms: String(to), start_ms: String(start), long: recurs || to - from > longMs,
    ical_uid: (series ?? record).core.iCalUID ?? null,
    cancelled: !series && copy !== undefined && isCancelled(record, copy),
    recurs, along: series?.copies[calendarId] !== undefined,
    updated_ms: updated, latest_ms: Math.max(updated, ...Object.values(viewers ?? {})), viewers, changed,
  };
}

function viewersOf(records: readonly EventRecord[], calendarId: string): PlaceRow['viewers'] {
  const found = new Map<string, number>();
  for (const { copies } of records) {
    for (const [identity, { stamp }] of Object.entries(copies[calendarId]?.viewers ?? {})) {
      found.set(identity, Math.max(found.get(identity) ?? 0, Date.parse(stamp.at)));
    }
  }
  return found.size > 0 ? Object.fromEntries(found) : null;
}
