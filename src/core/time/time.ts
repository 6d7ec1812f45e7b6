import type { PatchOf } from '../fields/table.ts';
import {
  instantAt,
  isDate,
  localTimeOf,
  offsetAt,
  parseDateTime,
  formatOffset,
  startOfDay,
} from './local-time.ts';
import { isTimeZone } from './time-zone.ts';

/** A day, or an instant with its zone, as the Calendar API writes it. */
export interface EventTime {
  readonly date?: string;
  readonly dateTime?: string;
  readonly timeZone?: string;
}

/** A time as a client sends it: null clears a part or the whole; an absent part is kept. */
export type TimePatch = PatchOf<EventTime> | null | undefined;

/** Property of an EventTime that is set. */
export type TimeKind = 'date' | 'dateTime';

/** Returns which of `date` and `dateTime` is set; null if none or both are. */
export function kindOf(time: EventTime | undefined): TimeKind | null {
  if (!time || (time.date === undefined) === (time.dateTime === undefined)) return null;
  return time.date === undefined ? 'dateTime' : 'date';
}

/**
 * Returns the instant in epoch milliseconds (finer digits are dropped), or null for an invalid time. A day is its first
 * instant in the calendar's zone; its own `timeZone` is ignored. Skipped and repeated local times: see `instantAt`.
 */
export function instantOf(time: EventTime, calendarZone: string): number | null {
  const kind = kindOf(time);
  if (kind === null) return null;
  if (kind === 'date') {
    const date = time.date as string;
    if (!isDate(date) || !isTimeZone(calendarZone)) return null;
    return startOfDay(localTimeOf(date), calendarZone);
  }
  const zone = time.timeZone ?? calendarZone;
  const dateTime = time.dateTime as string;
  const parsedDateTime = parseDateTime(dateTime);
  if (!parsedDateTime) return null;
  if (parsedDateTime.offset !== null) return Date.parse(dateTime.toUpperCase());
  return isTimeZone(zone) ? instantAt(localTimeOf(dateTime), zone) : null;
}

const instantByTime = new WeakMap<EventTime, number>();

/** Returns the instant of a stored time. Caches times with an offset, because lists compare them repeatedly. */
export function storedInstantOf(time: EventTime, calendarZone: string): number | null {
  const cachedInstant = instantByTime.get(time);
  if (cachedInstant !== undefined) return cachedInstant;
  const instant = instantOf(time, calendarZone);
  const hasOffset = time.dateTime !== undefined && parseDateTime(time.dateTime)?.offset;
  if (instant !== null && hasOffset && Object.isFrozen(time)) instantByTime.set(time, instant);
  return instant;
}

/** Returns a number to compare start and end. Days count as in UTC, so that no zone makes an all-day event empty. */
export function comparableTimeOf(time: EventTime): number | null {
  return time.date === undefined ? instantOf(time, '') : instantOf({ date: time.date }, 'UTC');
}

/**
 * Returns a sent time in the spelling to store. A dateTime of the same instant as `visibleTime` keeps the spelling of that.
 * A dateTime without an offset gets the one of its zone. Skipped local times move forward by the gap.
 */
export function toStoredSpelling(
  sentTime: TimePatch,
  visibleTime: EventTime | undefined,
  calendarZone: string,
): TimePatch {
  const dateTime = sentTime?.dateTime;
  if (!sentTime || typeof dateTime !== 'string' || dateTime === visibleTime?.dateTime) return sentTime;
  const zone = sentTime.timeZone === undefined ? visibleTime?.timeZone : (sentTime.timeZone ?? undefined);
  // The instant is unknown without zone and offset, even if the text equals that of `visibleTime`.
  if (zone === undefined && parseDateTime(dateTime)?.offset === null) return sentTime;
  if (visibleTime?.dateTime !== undefined) {
    const instant = instantOf({ dateTime, timeZone: zone }, calendarZone);
    if (instant !== null && instant === instantOf({ dateTime: visibleTime.dateTime }, calendarZone))
      return { ...sentTime, dateTime: visibleTime.dateTime };
  }
  return zone === undefined ? sentTime : { ...sentTime, dateTime: withOffset(dateTime, zone) };
}

/** Adds the zone's offset to a dateTime. Returns one that has an offset, or is invalid, unchanged. */
export function withOffset(dateTime: string, zone: string): string {
  if (parseDateTime(dateTime)?.offset !== null || !isTimeZone(zone)) return dateTime;
  const localTime = localTimeOf(dateTime);
  const instant = instantAt(localTime, zone);
  const offset = offsetAt(instant, zone);
  const gap = instant + offset - localTime;
  return `${gap === 0 ? dateTime : shiftLocalTime(dateTime, gap)}${formatOffset(offset)}`;
}

/** Moves a local time by whole seconds. The fraction stays, without trailing zeros. */
function shiftLocalTime(dateTime: string, ms: number): string {
  const [wholeSeconds = '', fraction = ''] = dateTime.split('.');
  const fractionDigits = fraction.replace(/0+$/, '');
  return `${new Date(localTimeOf(wholeSeconds) + ms).toISOString().slice(0, 19)}${fractionDigits && `.${fractionDigits}`}`;
}
