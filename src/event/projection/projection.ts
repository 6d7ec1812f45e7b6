import { withoutNulls } from '../../core/patch.ts';
import { type EventTime, instantOf } from '../../core/time/time.ts';
import { lastEnd } from '../../recurrence/occurrences.ts';
import { startOf } from '../../recurrence/original-start.ts';
import type { ChangeTarget, ChangeState, SeriesState } from '../event.store.ts';
import { lengthOf } from '../instances/compose.ts';
import { type ChangedException, exceptionsAfter, inOriginalOrder } from '../instances/exceptions-after.ts';
import { droppedBy } from '../instances/expired.ts';
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
  storedOf,
} from '../model/record.ts';
import {
  hiddenFrom,
  hidesGuestsOn,
  updatedOn,
  viewerTimes,
  visibleChange,
  type VisibleChange,
} from '../visibility/visible-state.ts';

/** The addresses on a record's own guest list, as `addressKey` writes them. An exception that clears the list holds null. */
export const invitedTo = ({ core }: EventRecord): ReadonlySet<string> =>
  new Set((core.attendees ?? []).flatMap((entry) => attendeeKey(entry) ?? []));

/** A record as it was and as it is to be. */
export interface Replacement {
  readonly before: EventRecord | undefined;
  readonly next: EventRecord;
  /** Of an exception: the series that it changes an occurrence of. */
  readonly series: EventRecord | undefined;
  /** Of a series: its exceptions, which change with it. */
  readonly exceptions: readonly EventRecord[];
  /** One of them that was changed by the same decision, as it is to be. */
  readonly exception?: EventRecord;
}

/** A new series and its exceptions, each a record that was not there. */
export const additions = ({ record, exceptions }: SeriesState): Replacement[] =>
  [record, ...inOriginalOrder(exceptions)].map((next) => ({
    before: undefined,
    next,
    series: next === record ? undefined : record,
    exceptions: [],
  }));

export type { ChangedException } from '../instances/exceptions-after.ts';

interface Projection {
  /** All exceptions of a series that was replaced, but for those that are dropped. */
  readonly exceptions: readonly ChangedException[];
  /** Exceptions that are dropped, with their entries. */
  readonly dropped: readonly EventRecord[];
  /** What is to be known of it on each calendar: in the order of the calendars, of the exceptions behind their series. */
  readonly entries: readonly ChangedEntry[];
}

/** Exceptions and entries after a change of a record, the same for all stores. `zoneOf`: undefined where there is no calendar. */
export function project(
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
  add(idsByCalendar(next, series), storedOf(next, series), before && storedOf(before, series));
  const after = exceptionsAfter(exceptions, next, before);
  const dropped = droppedBy(after, next, before);
  const remaining = dropped.size === 0 ? after : after.filter((one) => !dropped.has(one));
  const changed = remaining.map((one) =>
    decided && originalStartOf(decided) === originalStartOf(one.next)
      ? { ...one, next: { ...decided, key: one.next.key } }
      : one,
  );
  for (const { before: old, next: exception } of changed) {
    // Also where an exception does not stand any more: that is the last change which shows there.
    const ids = new Map([...(old ? idsByCalendar(old, before) : []), ...idsByCalendar(exception, next)]);
    add(ids, storedOf(exception, next), before && old && storedOf(old, before));
  }
  return { exceptions: changed, dropped: [...dropped].flatMap((one) => one.before ?? []), entries };
}

/** A calendar with the zone in which its days begin, and the event's id there. */
export interface EntryPlace extends EventReference {
  readonly zone: string;
}

/** Index keys of one event on one calendar, by which lists find it. */
export interface CalendarEntry extends StoredEvent, EntryPlace {
  readonly iCalUID: string | undefined;
  readonly cancelled: boolean;
  /** The calendar shows a series. */
  readonly recurs: boolean;
  /** An exception that comes with its series, which is a series on this calendar too. */
  readonly along: boolean;
  /** The last change that all see who see the guests of this calendar, and the last one that the others see: epoch milliseconds. */
  readonly updated: number;
  readonly openUpdated: number;
  /** Those of the calendar's readers from whom the guests are hidden, by identity. */
  readonly hiddenFrom: readonly string[];
  /** When users last changed what they keep on the copy: epoch milliseconds by identity. */
  readonly viewers: Readonly<Record<string, number>>;
}

/** An entry after a change of its event. */
export interface ChangedEntry extends CalendarEntry {
  /** The event as the calendar had it; absent for one that was not there. */
  readonly before: StoredEvent | undefined;
  readonly change: VisibleChange;
  /** The event is, or was just before, a series. */
  readonly concernsSeries: boolean;
  /** The span is the one that the entry had before. */
  readonly keepsSpan: boolean;
}

/** The entry of an event at a place, whether anything changed or not. */
export function calendarEntry(stored: StoredEvent, { calendarId, eventId, zone }: EntryPlace): CalendarEntry {
  const event = asOnCalendar(calendarId, stored);
  const { record, series } = event;
  const hidden = hiddenFrom(calendarId, event);
  const updated = updatedOn(calendarId, event, hidesGuestsOn(calendarId, event));
  return {
    calendarId,
    eventId,
    zone,
    ...storedOf(record, stored.series),
    iCalUID: (series ?? record).core.iCalUID,
    cancelled: isCancelledOn(calendarId, event),
    recurs: isSeries(recordAsOnCalendar(record, calendarId)),
    along: series?.copies[calendarId] !== undefined && isSeries(recordAsOnCalendar(series, calendarId)),
    updated,
    openUpdated: hidden.length > 0 ? updatedOn(calendarId, event, true) : updated,
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

/** When something of an event takes place as a calendar shows it. */
export function spanOn(
  { calendarId, zone }: Pick<EntryPlace, 'calendarId' | 'zone'>,
  event: StoredEvent,
): Span {
  const { record, series } = asOnCalendar(calendarId, event);
  const from = series && recordAsOnCalendar(series, calendarId);
  // Of a series that was taken away the exceptions remain by their original starts alone.
  return spanOf(
    from === series ? recordAsOnCalendar(record, calendarId) : { ...record, core: {} },
    zone,
    from,
  );
}

/** An event whose times are what they were; an exception that is what it was, of a series that takes place when it did. */
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
  { core: now, instance }: EventRecord,
  { core: then, instance: before }: EventRecord,
): boolean =>
  now.start === then.start &&
  now.end === then.end &&
  now.recurrence === then.recurrence &&
  instance === before;

/** When something of an event may take place: epoch milliseconds; `to` is not included and may be Infinity. */
export interface Span {
  readonly from: number;
  readonly to: number;
  /** Place in the order of starts. */
  readonly start: number;
}

const never: Span = { from: Infinity, to: -Infinity, start: Infinity };

/** The span by which stores look an event up, in the calendar's zone: a whole series; of an exception, its own time and its occurrence's. */
export function spanOf(record: EventRecord, zone: string, series?: EventRecord): Span {
  const { core, instance } = record;
  if (!instance)
    return (core.recurrence ?? []).length > 0
      ? seriesSpan(record, zone)
      : singleSpan(core.start ?? core.originalStartTime, core.end, zone);
  const length = series ? lengthOf(series) : 0;
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

/** Whether it depends on the calendar's zone when an event takes place: it begins or ends with a day. */
export function hasDays({ core: { start, end, originalStartTime }, instance }: EventRecord): boolean {
  if (instance && !instance.original.includes('T')) return true;
  return [start, end, originalStartTime].some((time) => typeof time?.date === 'string');
}

/** A time that an exception has of its own: it may hold nulls over what its series has, or a zone alone. */
function ownTime(time: EventTime | undefined): EventTime | undefined {
  const { date, dateTime } = time ?? {};
  return date || dateTime ? withoutNulls({ ...time }) : undefined;
}

function singleSpan(start: EventTime | undefined, end: EventTime | undefined, zone: string): Span {
  const [from, to] = [start && instantOf(start, zone), end && instantOf(end, zone)];
  // An event without a usable end takes up its start.
  return typeof from === 'number' ? { from, to: Math.max(to ?? from, from + 1), start: from } : never;
}

function seriesSpan({ core }: EventRecord, zone: string): Span {
  const { from, to } = singleSpan(core.start, core.end, zone);
  const last = lastEnd(core);
  // Days are counted as in UTC there, and zones are up to 14 hours apart from it.
  // Starts of occurrences are whole seconds.
  return {
    from: Math.floor(from / 1000) * 1000,
    to:
      last === undefined
        ? Infinity
        : Math.max(to, last + (core.start?.date === undefined ? 0 : 14 * 3_600_000)),
    start: from,
  };
}

/** When an occurrence starts that is named by its original start, a day in the zone. */
function originalMoment(original: string, zone: string): number {
  if (original.includes('T')) return startOf(original);
  const date = original.replace(/^(\d{4})(\d{2})(\d{2})$/, '$1-$2-$3');
  return instantOf({ date }, zone) ?? NaN;
}

/** The records that a decision may replace: those that were found, and the series where the target divides it. */
export const replaceable = (
  { event, series, guests }: ChangeState,
  { divides }: ChangeTarget,
): EventRecord[] =>
  [event, ...(divides ? [series] : []), ...[...guests.values()].map(({ holder }) => holder)].filter(
    (record) => record !== undefined,
  );
