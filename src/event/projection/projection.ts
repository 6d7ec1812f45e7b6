import { withoutNulls } from '../../core/json.ts';
import { startOfDay } from '../../core/time/local-time.ts';
import { type EventTime, instantOf } from '../../core/time/time.ts';
import { lastEndOf } from '../../recurrence/occurrences.ts';
import { parseOriginalStart } from '../../recurrence/original-start.ts';
import type { ChangeTarget, ChangeState, SeriesState } from '../event.store.ts';
import { durationMsOf } from '../instances/compose.ts';
import {
  type ChangedException,
  exceptionsAfterSeriesChange,
  sortByOriginal,
} from '../instances/exceptions-after.ts';
import { findDroppedExceptions } from '../instances/removed-instances.ts';
import { attendeeKey } from '../model/fields.ts';
import {
  type EventRecord,
  type EventReference,
  idsByCalendar,
  isCancelled,
  isRetired,
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
  viewerTimesOf,
  determineVisibleChange,
  type VisibleChange,
} from '../visibility/visible-state.ts';

/** Keys of the guests on a record's own list, which is null in an exception that clears it. */
export const invitedGuestKeys = ({ core }: EventRecord): ReadonlySet<string> =>
  new Set((core.attendees ?? []).flatMap((entry) => attendeeKey(entry) ?? []));

/** Change of one stored record: the record before and after it, and what belongs to its series. */
export interface Replacement {
  readonly before: EventRecord | undefined;
  readonly next: EventRecord;
  readonly series: EventRecord | undefined;
  /** Exceptions of a series before the change. */
  readonly exceptions: readonly EventRecord[];
  /** Exceptions that the same decision changed or added, after the change. */
  readonly decidedExceptions?: readonly EventRecord[] | undefined;
}

/** Replacements that add a series and its exceptions. */
export const replacementsForNewSeries = ({ record, exceptions }: SeriesState): Replacement[] =>
  [record, ...sortByOriginal(exceptions)].map((next) => ({
    before: undefined,
    next,
    series: next === record ? undefined : record,
    exceptions: [],
  }));

export type { ChangedException } from '../instances/exceptions-after.ts';

/** Exceptions and entries that follow from the change of one record. */
interface Projection {
  /** Exceptions of a replaced series, without the dropped ones. */
  readonly exceptions: readonly ChangedException[];
  /** Exceptions that are deleted together with their entries. */
  readonly deletedExceptions: readonly EventRecord[];
  /** Entries on each calendar: those of the record, then those of its exceptions. Each is computed when it is read, and once. */
  readonly entries: Iterable<ChangedEntry>;
}

/** Derives the exceptions and entries of a changed record, for all stores. `zoneOf` is undefined for unknown calendars. */
export function projectRecord(
  { before, next, series, exceptions, decidedExceptions = [] }: Replacement,
  zoneOf: (calendarId: string) => string | undefined,
): Projection {
  const updatedExceptions = exceptionsAfterSeriesChange(exceptions, next, before);
  const droppedExceptions = findDroppedExceptions(updatedExceptions, next, before);
  const remainingExceptions = updatedExceptions.filter((exception) => !droppedExceptions.has(exception));
  const decidedByOriginal = new Map(
    decidedExceptions.map((exception) => [originalStartOf(exception), exception]),
  );
  const changedExceptions = remainingExceptions.map((exception): ChangedException => {
    const original = originalStartOf(exception.next);
    const decidedException = decidedByOriginal.get(original);
    decidedByOriginal.delete(original);
    return decidedException
      ? { ...exception, next: { ...decidedException, key: exception.next.key } }
      : exception;
  });
  // New exceptions are those that follow no stored one.
  for (const exception of decidedByOriginal.values())
    changedExceptions.push({ before: undefined, next: exception });
  function* entriesOf(
    ids: ReadonlyMap<string, string>,
    eventAfter: StoredEvent,
    eventBefore: StoredEvent | undefined,
  ): Generator<ChangedEntry> {
    for (const [calendarId, eventId] of ids) {
      const zone = zoneOf(calendarId);
      if (zone !== undefined)
        yield createChangedEntry(eventBefore, eventAfter, { calendarId, eventId, zone });
    }
  }
  function* projectEntries(): Generator<ChangedEntry> {
    yield* entriesOf(
      idsByCalendar(next, series),
      storedEventOf(next, series),
      before && storedEventOf(before, series),
    );
    for (const { before: exceptionBefore, next: exception } of changedExceptions) {
      // Calendars that lose the exception get an entry too, which shows this last change.
      const ids = new Map([
        ...(exceptionBefore ? idsByCalendar(exceptionBefore, before) : []),
        ...idsByCalendar(exception, next),
      ]);
      yield* entriesOf(
        ids,
        storedEventOf(exception, next),
        before && exceptionBefore && storedEventOf(exceptionBefore, before),
      );
    }
  }
  return {
    exceptions: changedExceptions,
    deletedExceptions: [...droppedExceptions].flatMap(({ before: exceptionBefore }) => exceptionBefore ?? []),
    entries: projectEntries(),
  };
}

/** Calendar with its time zone, and the event's id there. */
export interface EntryLocation extends EventReference {
  readonly zone: string;
}

/** Index keys of an event on one calendar, by which lists find it. */
export interface CalendarEntry extends StoredEvent, EntryLocation {
  /** Absent for an imported event that another one replaced. */
  readonly iCalUID: string | undefined;
  readonly isCancelled: boolean;
  /** The event is a series on this calendar. */
  readonly isSeries: boolean;
  /** The event is an exception whose series is on this calendar too, so lists can return the series in its place. */
  readonly followsSeries: boolean;
  /** Epoch milliseconds of the latest change for readers who see the guest list. */
  readonly updatedMs: number;
  /** Epoch milliseconds of the latest change for readers from whom guests are hidden. */
  readonly publicUpdatedMs: number;
  /** Readers of the calendar from whom guests are hidden, by identity. */
  readonly hiddenFrom: readonly string[];
  /** Epoch milliseconds of users' latest changes of own settings, by identity. */
  readonly viewers: Readonly<Record<string, number>>;
}

/** Entry of a changed event, with the event before the change. */
export interface ChangedEntry extends CalendarEntry {
  /** Event on the calendar before the change; undefined for a new one. */
  readonly before: StoredEvent | undefined;
  readonly change: VisibleChange;
  /** The event is a series, or was one before the change. */
  readonly concernsSeries: boolean;
  /** The span (`spanOnCalendar`) surely did not change; false does not mean that it did. */
  readonly keepsSpan: boolean;
}

/** Computes the entry of an event on a calendar. */
export function createCalendarEntry(
  storedEvent: StoredEvent,
  { calendarId, eventId, zone }: EntryLocation,
): CalendarEntry {
  const event = asOnCalendar(calendarId, storedEvent);
  const { record, series } = event;
  const copy = record.copies[calendarId];
  const restrictedGuests = restrictedGuestsOn(calendarId, event);
  const updatedMs = lastChangedMsOn(calendarId, event, hidesGuestsOn(calendarId, event));
  return {
    record,
    series: storedEvent.series,
    calendarId,
    eventId,
    zone,
    iCalUID: isRetired(series ?? record) ? undefined : (series ?? record).core.iCalUID,
    isCancelled: !series && copy !== undefined && isCancelled(record, copy),
    isSeries: isSeries(recordAsOnCalendar(record, calendarId)),
    followsSeries:
      series?.copies[calendarId] !== undefined && isSeries(recordAsOnCalendar(series, calendarId)),
    updatedMs,
    publicUpdatedMs: restrictedGuests.length > 0 ? lastChangedMsOn(calendarId, event, true) : updatedMs,
    hiddenFrom: restrictedGuests,
    viewers: viewerTimesOf(calendarId, event),
  };
}

/** Computes the entry of a changed event, and what the change means for the readers of the calendar. */
function createChangedEntry(
  storedBefore: StoredEvent | undefined,
  storedAfter: StoredEvent,
  entryLocation: EntryLocation,
): ChangedEntry {
  const { calendarId } = entryLocation;
  const [eventAfter, eventBefore] = [
    asOnCalendar(calendarId, storedAfter),
    storedBefore && asOnCalendar(calendarId, storedBefore),
  ];
  const entry = createCalendarEntry(storedAfter, entryLocation);
  return {
    ...entry,
    before: eventBefore,
    change: determineVisibleChange(calendarId, eventBefore, eventAfter),
    concernsSeries:
      entry.isSeries ||
      (eventBefore !== undefined && isSeries(recordAsOnCalendar(eventBefore.record, calendarId))),
    keepsSpan:
      eventBefore !== undefined &&
      hasSameTimes(calendarId, eventAfter.record, eventBefore.record) &&
      hasSameTimes(calendarId, eventAfter.series, eventBefore.series),
  };
}

/** Span of an event as a calendar shows it. */
export function spanOnCalendar(
  { calendarId, zone }: Pick<EntryLocation, 'calendarId' | 'zone'>,
  event: StoredEvent,
): Span {
  const { record, series } = asOnCalendar(calendarId, event);
  const shownSeries = series && recordAsOnCalendar(series, calendarId);
  // Exceptions of a series that uninvited the owner have their original starts only.
  return spanOf(
    shownSeries === series ? recordAsOnCalendar(record, calendarId) : { ...record, core: {} },
    zone,
    shownSeries,
  );
}

/** Whether a record surely takes place at the same times as before; false does not mean that they differ. */
function hasSameTimes(
  calendarId: string,
  record: EventRecord | undefined,
  oldRecord: EventRecord | undefined,
): boolean {
  if (!record || !oldRecord) return record === oldRecord;
  const { core } = recordAsOnCalendar(record, calendarId);
  const { core: oldCore } = recordAsOnCalendar(oldRecord, calendarId);
  return (
    core.start === oldCore.start &&
    core.end === oldCore.end &&
    core.recurrence === oldCore.recurrence &&
    record.instance === oldRecord.instance &&
    record.copies[calendarId]?.state === oldRecord.copies[calendarId]?.state
  );
}

/** Range in which an event may take place, in epoch milliseconds; `to` is exclusive and may be Infinity. */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** Sort key of the order by start. */
  readonly start: number;
}

/** Largest difference of a time zone from UTC. */
const maxZoneOffsetMs = 14 * 3_600_000;

/** Span of an event without a usable start, which lists never find. */
const emptySpan: Span = { from: Infinity, to: -Infinity, start: Infinity };

/** Span of an event in the calendar's zone. That of an exception includes its own and its original time. */
export function spanOf(record: EventRecord, zone: string, series?: EventRecord): Span {
  const { core, instance } = record;
  if (!instance)
    return (core.recurrence ?? []).length > 0
      ? seriesSpan(record, zone)
      : singleSpan(core.start ?? core.originalStartTime, core.end, zone);
  const durationMs = series ? durationMsOf(series) : 0;
  const startMs = parseOriginalStart(instance.original);
  const from = instance.original.includes('T') ? startMs : startOfDay(startMs, zone);
  const [start, end] = [usableTimeOf(core.start), usableTimeOf(core.end)];
  const ownSpan =
    start || end
      ? singleSpan(start ?? end, end ?? start, zone)
      : { from, to: from + durationMs, start: from };
  return {
    from: Math.min(ownSpan.from, from),
    to: Math.max(ownSpan.to, from + durationMs, ownSpan.from + durationMs, from + 1),
    start: ownSpan.start,
  };
}

/** Whether the span of an event depends on the calendar's zone, since it starts or ends with a day. */
export function dependsOnZone({ core: { start, end, originalStartTime }, instance }: EventRecord): boolean {
  if (instance && !instance.original.includes('T')) return true;
  return [start, end, originalStartTime].some((time) => typeof time?.date === 'string');
}

/** Own time of an exception; undefined for a patch of the series' time without a date, such as a zone alone. */
function usableTimeOf(time: EventTime | undefined): EventTime | undefined {
  const { date, dateTime } = time ?? {};
  return date || dateTime ? withoutNulls({ ...time }) : undefined;
}

function singleSpan(start: EventTime | undefined, end: EventTime | undefined, zone: string): Span {
  const [from, to] = [start && instantOf(start, zone), end && instantOf(end, zone)];
  // An event without a usable end occupies its start.
  return typeof from === 'number' ? { from, to: Math.max(to ?? from, from + 1), start: from } : emptySpan;
}

function seriesSpan({ core }: EventRecord, zone: string): Span {
  const { from, to } = singleSpan(core.start, core.end, zone);
  const lastEnd = lastEndOf(core);
  // `lastEnd` counts days as in UTC, from which zones differ. Occurrences start at whole seconds.
  return {
    from: Math.floor(from / 1000) * 1000,
    to:
      lastEnd === undefined
        ? Infinity
        : Math.max(to, lastEnd + (core.start?.date === undefined ? 0 : maxZoneOffsetMs)),
    start: from,
  };
}

/** Records that a decision may replace, by key: the loaded events, and the series if the target divides it. */
export const replaceableRecords = (
  { event, series, guests, eventsWithUid }: ChangeState,
  { dividesSeries }: ChangeTarget,
): ReadonlyMap<string, EventRecord> =>
  new Map(
    [
      ...[event, dividesSeries ? series : undefined],
      ...[...guests.values()].flatMap(({ holder, imported, importedInstances = [] }) => [
        holder,
        imported,
        ...importedInstances,
      ]),
      ...eventsWithUid,
    ].flatMap((record) => (record ? [[record.key, record]] : [])),
  );
