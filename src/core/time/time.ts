import type { Nullable } from '../fields/table.ts';
import {
  instantAt,
  isDate,
  localOf,
  offsetAt,
  parseDateTime,
  printOffset,
  startOfDay,
} from './local-time.ts';
import { isTimeZone } from './time-zone.ts';

/** A day, or a moment with its zone, as the Calendar API writes it. */
export interface EventTime {
  readonly date?: string;
  readonly dateTime?: string;
  readonly timeZone?: string;
}

/** A time as a client sends it: null clears a part or the whole, and an absent part is kept. */
export type TimePatch = Nullable<EventTime> | null | undefined;

export type TimeKind = 'date' | 'dateTime';

/** Which of `date` and `dateTime` is set; null when it is none or both. */
export function kindOf(time: EventTime | undefined): TimeKind | null {
  if (!time || (time.date === undefined) === (time.dateTime === undefined)) return null;
  return time.date === undefined ? 'dateTime' : 'date';
}

/**
 * The instant in epoch milliseconds (finer digits are cut off), or null when the object does not name one.
 * A day is its first moment in the calendar's zone, whatever zone stands beside it. A local time that the clocks skip moves forward by the length of the gap,
 * one that happens twice is the first of the two (RFC 5545, section 3.3.5).
 */
export function instantOf(time: EventTime, calendarZone: string): number | null {
  const kind = kindOf(time);
  if (kind === null) return null;
  if (kind === 'date') {
    const date = time.date as string;
    if (!isDate(date) || !isTimeZone(calendarZone)) return null;
    return startOfDay(localOf(date), calendarZone);
  }
  const zone = time.timeZone ?? calendarZone;
  const dateTime = time.dateTime as string;
  const parsed = parseDateTime(dateTime);
  if (!parsed) return null;
  if (parsed.offset !== null) return Date.parse(dateTime.toUpperCase());
  return isTimeZone(zone) ? instantAt(localOf(dateTime), zone) : null;
}

const instants = new WeakMap<EventTime, number>();

/** The instant of a stored time. Lists compare the same times with ranges again and again, so a time with an offset is parsed once. */
export function storedInstantOf(time: EventTime, calendarZone: string): number | null {
  const known = instants.get(time);
  if (known !== undefined) return known;
  const instant = instantOf(time, calendarZone);
  if (
    instant !== null &&
    time.date === undefined &&
    Object.isFrozen(time) &&
    parseDateTime(time.dateTime as string)?.offset
  )
    instants.set(time, instant);
  return instant;
}

/** Days are counted as if in UTC, so that neither a zone nor a day it skipped makes an all-day event empty. */
export function orderOf(time: EventTime): number | null {
  return time.date === undefined ? instantOf(time, '') : instantOf({ date: time.date }, 'UTC');
}

/**
 * A time as a client sent it, in the spelling in which it is stored: a dateTime that names the moment that is shown
 * keeps the spelling that is shown, and one without an offset gets that of its zone. A local time that the clocks skip
 * moves forward by the length of the gap (RFC 5545, section 3.3.5).
 */
export function inStoredSpelling(
  sent: TimePatch,
  shown: EventTime | undefined,
  calendarZone: string,
): TimePatch {
  const dateTime = sent?.dateTime;
  if (!sent || typeof dateTime !== 'string' || dateTime === shown?.dateTime) return sent;
  const zone = sent.timeZone === undefined ? shown?.timeZone : (sent.timeZone ?? undefined);
  // Which moment is meant is unknown, though it may be written like the one that is shown.
  if (zone === undefined && parseDateTime(dateTime)?.offset === null) return sent;
  if (shown?.dateTime !== undefined) {
    const moment = instantOf({ dateTime, timeZone: zone }, calendarZone);
    if (moment !== null && moment === instantOf({ dateTime: shown.dateTime }, calendarZone))
      return { ...sent, dateTime: shown.dateTime };
  }
  return zone === undefined ? sent : { ...sent, dateTime: withOffset(dateTime, zone) };
}

/** A dateTime with the offset that its zone has then; as it is where it has one, or where either is none. */
export function withOffset(dateTime: string, zone: string): string {
  if (parseDateTime(dateTime)?.offset !== null || !isTimeZone(zone)) return dateTime;
  const local = localOf(dateTime);
  const instant = instantAt(local, zone);
  const offset = offsetAt(instant, zone);
  const moved = instant + offset - local;
  return `${moved === 0 ? dateTime : movedBy(dateTime, moved)}${printOffset(offset)}`;
}

/** A local time moved by whole seconds; its fraction stays, without zeros at the end. */
function movedBy(dateTime: string, ms: number): string {
  const [whole = '', fraction = ''] = dateTime.split('.');
  const digits = fraction.replace(/0+$/, '');
  return `${new Date(localOf(whole) + ms).toISOString().slice(0, 19)}${digits && `.${digits}`}`;
}
