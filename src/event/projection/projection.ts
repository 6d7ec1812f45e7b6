import { withoutNulls } from '../../core/patch.ts';
import { type EventTime, instantOf } from '../../core/time/time.ts';
import { lastEndOf } from '../../recurrence/occurrences.ts';
import { parseOriginal } from '../../recurrence/original-start.ts';
import type { ChangeTarget, ChangeState, SeriesState } from '../event.store.ts';
import { durationMsOf } from '../instances/compose.ts';
import { type ChangedException, exceptionsAfter, sortByOriginal } from '../instances/exceptions-after.ts';
import { droppedRecords } from '../instances/expired.ts';
import { attendeeKey } from '../model/fields.ts';
import {
  type EventRecord,
  type EventReference,
  idsByCalendar,
  isCancelled,
  isSeries,
  originalStartOf,
  recordAsOnCalendar,
  asOnCalendar,
  type StoredEvent,
  storedEventOf,
} from '../model/record.ts';
import {
  restrictedGuestsOn,
  hidesGuestsOn,
  lastChangedMsOn,
  viewerTimes,
  visibleChange,
  type VisibleChange,
} from '../visibility/visible-state.ts';

/** Keys of the guests on a record's own list, which is null in an exception that clears it. */
export const invitedGuests = ({ core }: EventRecord): ReadonlySet<string> =>
  new Set((core.attendees ?? []).flatMap((entry) => attendeeKey(entry) ?? []));

export interface Replacement {
  readonly before: EventRecord | undefined;
  readonly next: EventRecord;
  readonly series: EventRecord | undefined;
  /** Exceptions of a series before the change. */
  readonly exceptions: readonly EventRecord[];
  /** Exception that the same decision changed, after the change. */
  readonly exception?: EventRecord;
}

/** Replacements that add a series and its exceptions. */
export const replacementsForNew = ({ record, exceptions }: SeriesState): Replacement[] =>
  [record, ...sortByOriginal(exceptions)].map((next) => ({
    before: undefined,
    next,
    series: next === record ? undefined : record,
    exceptions: [],
  }));

export type { ChangedException } from '../instances/exceptions-after.ts';

interface Projection {
  /** Exceptions of a replaced series, without the dropped ones. */
  readonly exceptions: readonly ChangedException[];
  /** Exceptions that are deleted together with their entries. */
  readonly dropped: readonly EventRecord[];
  /** Entries on each calendar: those of the record, then those of its exceptions. */
  readonly entries: readonly ChangedEntry[];
}

/** Derives the exceptions and entries of a changed record, for all stores. `zoneOf` is undefined for unknown calendars. */
export function projectRecord(
  { before, next, series, exceptions, exception: decided }: Replacement,
  zoneOf: (calendarId: string) => string | undefined,
): Projection {
  const entries: ChangedEntry[] = [];
  const add = (ids: ReadonlyMap<string, string>, after: StoredEvent, old: StoredEvent | undefined): void => {
    for (const [calendarId, eventId] of ids) {
      const zone = zoneOf(calendarId);
      if (zone !== undefined) entries.push(changedEntry(old, after, { calendarId, eventId, zone }));
    }
  };
  add(idsByCalendar(next, series), storedEventOf(next, series), before && storedEventOf(before, series));
  const after = exceptionsAfter(exceptions, next, before);
  const dropped = droppedRecords(after, next, before);
  const remaining = dropped.size === 0 ? after : after.filter((exception) => !dropped.has(exception));
  const changed = remaining.map((exception) =>
    decided && originalStartOf(decided) === originalStartOf(exception.next)
      ? { ...exception, next: { ...decided, key: exception.next.key } }
      : exception,
  );
  for (const { before: old, next: exception } of changed) {
    // Calendars that lose the exception get an entry too, which shows this last change.
    const ids = new Map([...(old ? idsByCalendar(old, before) : []), ...idsByCalendar(exception, next)]);
    add(ids, storedEventOf(exception, next), before && old && storedEventOf(old, before));
  }
  return { exceptions: changed, dropped: [...dropped].flatMap(({ before: old }) => old ?? []), entries };
}

/** Calendar with its time zone, and the event's id there. */
export interface EntryPlace extends EventReference {
  readonly zone: string;
}

/** Index keys of an event on one calendar, by which lists find it. */
export interface CalendarEntry extends StoredEvent, EntryPlace {
  readonly iCalUID: string | undefined;
  readonly cancelled: boolean;
  /** The event is a series on this calendar. */
  readonly recurs: boolean;
  /** The event is an exception whose series is on this calendar too, so lists can return the series in its place. */
  readonly along: boolean;
  /** Epoch milliseconds of the latest change for readers who see the guest list. */
  readonly updated: number;
  /** Epoch milliseconds of the latest change for readers from whom guests are hidden. */
  readonly openUpdated: number;
  /** Readers of the calendar from whom guests are hidden, by identity. */
  readonly hiddenFrom: readonly string[];
  /** Epoch milliseconds of users' latest changes of own settings, by identity. */
  readonly viewers: Readonly<Record<string, number>>;
}

export interface ChangedEntry extends CalendarEntry {
  /** Event on the calendar before the change; undefined for a new one. */
  readonly before: StoredEvent | undefined;
  readonly change: VisibleChange;
  /** The event is a series, or was one before the change. */
  readonly concernsSeries: boolean;
  readonly keepsSpan: boolean;
}

export function calendarEntry(stored: StoredEvent, { calendarId, eventId, zone }: EntryPlace): CalendarEntry {
  const event = asOnCalendar(calendarId, stored);
  const { record, series } = event;
  const hidden = restrictedGuestsOn(calendarId, event);
  const updated = lastChangedMsOn(calendarId, event, hidesGuestsOn(calendarId, event));
  return {
    calendarId,
    eventId,
    zone,
    ...storedEventOf(record, stored.series),
    iCalUID: (series ?? record).core.iCalUID,
    cancelled: isCancelledOn(calendarId, event),
    recurs: isSeries(recordAsOnCalendar(record, calendarId)),
    along: series?.copies[calendarId] !== undefined && isSeries(recordAsOnCalendar(series, calendarId)),
    updated,
    openUpdated: hidden.length > 0 ? lastChangedMsOn(calendarId, event, true) : updated,
    hiddenFrom: hidden,
    viewers: viewerTimes(calendarId, event),
  };
}

function changedEntry(old: StoredEvent | undefined, stored: StoredEvent, place: EntryPlace): ChangedEntry {
  const { calendarId } = place;
  const [event, before] = [asOnCalendar(calendarId, stored), old && asOnCalendar(calendarId, old)];
  const entry = calendarEntry(stored, place);
  return {
    ...entry,
    before,
    change: visibleChange(calendarId, before, event),
    concernsSeries:
      entry.recurs || (before !== undefined && isSeries(recordAsOnCalendar(before.record, calendarId))),
    keepsSpan: before !== undefined && keepsSpan(calendarId, event, before),
  };
}

function isCancelledOn(calendarId: string, { record, series }: StoredEvent): boolean {
  const copy = record.copies[calendarId];
  return !series && copy !== undefined && isCancelled(record, copy);
}

/** Span of an event as a calendar shows it. */
export function spanOn(
  { calendarId, zone }: Pick<EntryPlace, 'calendarId' | 'zone'>,
  event: StoredEvent,
): Span {
  const { record, series } = asOnCalendar(calendarId, event);
  const from = series && recordAsOnCalendar(series, calendarId);
  // Exceptions of a series that uninvited the owner have their original starts only.
  return spanOf(
    from === series ? recordAsOnCalendar(record, calendarId) : { ...record, core: {} },
    zone,
    from,
  );
}

/** Whether a change kept the span. False is possible for an equal span. */
function keepsSpan(
  calendarId: string,
  { record, series }: StoredEvent,
  { record: old, series: oldSeries }: StoredEvent,
): boolean {
  if (!series)
    return (
      !oldSeries && hasSameTimes(recordAsOnCalendar(record, calendarId), recordAsOnCalendar(old, calendarId))
    );
  return (
    record === old &&
    series.core.start === oldSeries?.core.start &&
    series.core.end === oldSeries?.core.end &&
    series.copies[calendarId]?.state === oldSeries?.copies[calendarId]?.state
  );
}

const hasSameTimes = (
  { core, instance }: EventRecord,
  { core: oldCore, instance: oldInstance }: EventRecord,
): boolean =>
  core.start === oldCore.start &&
  core.end === oldCore.end &&
  core.recurrence === oldCore.recurrence &&
  instance === oldInstance;

/** Range in which an event may take place, in epoch milliseconds; `to` is exclusive and may be Infinity. */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** Sort key of the order by start. */
  readonly start: number;
}

const never: Span = { from: Infinity, to: -Infinity, start: Infinity };

/** Span of an event in the calendar's zone. That of an exception includes its own and its original time. */
export function spanOf(record: EventRecord, zone: string, series?: EventRecord): Span {
  const { core, instance } = record;
  if (!instance)
    return (core.recurrence ?? []).length > 0
      ? seriesSpan(record, zone)
      : singleSpan(core.start ?? core.originalStartTime, core.end, zone);
  const length = series ? durationMsOf(series) : 0;
  const from = originalMoment(instance.original, zone);
  const [start, end] = [ownTime(core.start), ownTime(core.end)];
  const own =
    start || end ? singleSpan(start ?? end, end ?? start, zone) : { from, to: from + length, start: from };
  return {
    from: Math.min(own.from, from),
    to: Math.max(own.to, from + length, own.from + length, from + 1),
    start: own.start,
  };
}

/** Whether the span of an event depends on the calendar's zone, since it starts or ends with a day. */
export function dependsOnZone({ core: { start, end, originalStartTime }, instance }: EventRecord): boolean {
  if (instance && !instance.original.includes('T')) return true;
  return [start, end, originalStartTime].some((time) => typeof time?.date === 'string');
}

/** Own time of an exception; undefined for a patch of the series' time without a date, such as a zone alone. */
function ownTime(time: EventTime | undefined): EventTime | undefined {
  const { date, dateTime } = time ?? {};
  return date || dateTime ? withoutNulls({ ...time }) : undefined;
}

function singleSpan(start: EventTime | undefined, end: EventTime | undefined, zone: string): Span {
  const [from, to] = [start && instantOf(start, zone), end && instantOf(end, zone)];
  // An event without a usable end occupies its start.
  return typeof from === 'number' ? { from, to: Math.max(to ?? from, from + 1), start: from } : never;
}

function seriesSpan({ core }: EventRecord, zone: string): Span {
  const { from, to } = singleSpan(core.start, core.end, zone);
  const last = lastEndOf(core);
  // `lastEnd` counts days as in UTC, from which zones differ by up to 14 hours. Occurrences start at whole seconds.
  return {
    from: Math.floor(from / 1000) * 1000,
    to:
      last === undefined
        ? Infinity
        : Math.max(to, last + (core.start?.date === undefined ? 0 : 14 * 3_600_000)),
    start: from,
  };
}

/** Epoch milliseconds of an original start; a day starts in the zone. */
function originalMoment(original: string, zone: string): number {
  if (original.includes('T')) return parseOriginal(original);
  const date = original.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  return instantOf({ date }, zone) ?? NaN;
}

/** Records that a decision may replace: the loaded events, and the series if the target divides it. */
export const replaceableRecords = (
  { event, series, guests }: ChangeState,
  { dividesSeries }: ChangeTarget,
): EventRecord[] =>
  [event, ...(dividesSeries ? [series] : []), ...[...guests.values()].map(({ holder }) => holder)].filter(
    (record) => record !== undefined,
  );
