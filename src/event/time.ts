import { Temporal } from 'temporal-polyfill';
import type { Issue } from '../core/errors.ts';
import { isDate, parseDateTime } from '../core/rfc3339.ts';

/** A time object (event resource, section 2). An unset field is absent, never null. */
export interface EventTime {
  readonly date?: string;
  readonly dateTime?: string;
  readonly timeZone?: string;
}

/** The fields of a merged event that `checkTimes` looks at. */
export interface EventTimes {
  readonly start?: EventTime;
  readonly end?: EventTime;
  readonly originalStartTime?: EventTime;
  readonly recurrence?: readonly string[];
  readonly recurringEventId?: string;
  readonly endTimeUnspecified?: boolean;
}

export type TimeKind = 'date' | 'dateTime';

const ZONE_NAME = /^[A-Za-z][\w+-]*(?:\/[\w+-]+)*$/;
const LONGEST_ZONE_NAME = 64;
const ZONES_REMEMBERED = 2048;

// Abbreviations and names that ICU adds to the IANA list. BST, for one, would silently mean Dhaka.
const ICU_ONLY = new Set(
  ('act aet agt art ast bet bst cat cnt cst ctt eat ect iet ist jst mit net nst plt pnt prt pst sst vst ' +
    'etc/unknown').split(' '),
);

const SWITCH_CURE =
  'when switching between all-day (date) and timed (dateTime), send null for the other field in start and in end';

const knownZones = new Map<string, boolean>();

/** A name of the IANA Time Zone Database, in any case. An offset such as +02:00 is not a name. */
export function isTimeZone(name: string): boolean {
  if (name.length > LONGEST_ZONE_NAME) return false;
  const key = name.toLowerCase();
  const known = knownZones.get(key);
  if (known !== undefined) return known;
  const valid = findZone(name, key);
  // Names come from clients, so the memory is bounded; starting over costs a few microseconds a name.
  if (knownZones.size >= ZONES_REMEMBERED) knownZones.clear();
  knownZones.set(key, valid);
  return valid;
}

function findZone(name: string, key: string): boolean {
  if (!ZONE_NAME.test(name) || ICU_ONLY.has(key) || key.startsWith('systemv/')) return false;
  try {
    Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
    return true;
  } catch {
    return false;
  }
}

/** Which of `date` and `dateTime` is set; null when it is none or both. */
export function kindOf(time: EventTime | undefined): TimeKind | null {
  if (!time || (time.date === undefined) === (time.dateTime === undefined)) return null;
  return time.date === undefined ? 'dateTime' : 'date';
}

/**
 * The instant in epoch milliseconds (finer digits are cut off), or null when the object does not name one.
 * A day is its first moment in the zone. A local time that the clocks skip moves forward by the length of the gap,
 * one that happens twice is the first of the two (RFC 5545, section 3.3.5).
 */
export function instantOf(time: EventTime, calendarZone: string): number | null {
  const kind = kindOf(time);
  if (kind === null) return null;
  const zone = time.timeZone ?? calendarZone;
  if (kind === 'date') {
    const date = time.date as string;
    if (!isDate(date) || !isTimeZone(zone)) return null;
    return Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds;
  }
  const dateTime = time.dateTime as string;
  const parsed = parseDateTime(dateTime);
  if (!parsed) return null;
  if (parsed.offset !== null) return Date.parse(dateTime.toUpperCase());
  return isTimeZone(zone) ? Temporal.PlainDateTime.from(dateTime).toZonedDateTime(zone).epochMilliseconds : null;
}

/**
 * Every broken rule of a merged event's time objects, paths from the event on (event resource, section 2: time
 * objects). `endTimeUnspecified` changes nothing here: an end is still provided.
 */
export function checkTimes(event: EventTimes, calendarZone: string): Issue[] {
  const { start, end, originalStartTime } = event;
  // What makes an instance recurring is refused by checkRecurrence; asking it for a zone too would mislead.
  const recurring = event.recurringEventId === undefined && (event.recurrence?.length ?? 0) > 0;
  const issues = [
    ...(start ? checkTime('start', start, recurring, calendarZone) : [missing('start')]),
    ...(end ? checkTime('end', end, recurring, calendarZone) : [missing('end')]),
    ...(originalStartTime ? checkTime('originalStartTime', originalStartTime, false, calendarZone) : []),
  ];
  return start && end ? [...issues, ...checkRange(start, end)] : issues;
}

const missing = (field: string): Issue => ({
  path: [field],
  reason: 'required',
  message: `${field} is required: { date } for an all-day event, { dateTime, timeZone } for a timed one`,
});

function checkTime(field: string, time: EventTime, recurring: boolean, calendarZone: string): Issue[] {
  const issues: Issue[] = [];
  const { date, dateTime } = time;
  if (date === undefined && dateTime === undefined) {
    issues.push({ path: [field], reason: 'required', message: `${field} needs either date or dateTime` });
  }
  if (date !== undefined && dateTime !== undefined) {
    const message = `${field} has both date and dateTime, and only one is allowed: ${SWITCH_CURE}`;
    issues.push({ path: [field], reason: 'invalid', message });
  }
  if (date !== undefined && !isDate(date)) {
    const message = `${field}.date must be a day of the calendar, written yyyy-mm-dd`;
    issues.push({ path: [field, 'date'], reason: 'invalid', message });
  }
  if (dateTime !== undefined && !parseDateTime(dateTime)) {
    const message = `${field}.dateTime must be an RFC 3339 date-time such as 2026-07-01T09:30:00+02:00`;
    issues.push({ path: [field, 'dateTime'], reason: 'invalid', message });
  }
  return [...issues, ...checkZone(field, time, recurring, calendarZone)];
}

function checkZone(field: string, time: EventTime, recurring: boolean, calendarZone: string): Issue[] {
  const path = [field, 'timeZone'];
  const example = `for example "${calendarZone}", the calendar's own`;
  if (time.timeZone !== undefined) {
    if (isTimeZone(time.timeZone)) return [];
    const message = `${field}.timeZone must be a name of the IANA Time Zone Database (no offset), ${example}`;
    return [{ path, reason: 'invalid', message }];
  }
  if (kindOf(time) !== 'dateTime') return [];
  // An all-day series is expanded by days, which no zone changes; only hours need one to survive a clock change.
  if (recurring) {
    const message = `${field}.timeZone is required for a recurring event with a dateTime: ${example}`;
    return [{ path, reason: 'required', message }];
  }
  if (parseDateTime(time.dateTime as string)?.offset !== null) return [];
  const message = `${field}.dateTime has no offset: add one (Z or +02:00), or set timeZone, ${example}`;
  return [{ path, reason: 'required', message }];
}

/** Start and end against each other; says nothing where one of them has no meaning of its own. */
function checkRange(start: EventTime, end: EventTime): Issue[] {
  const [kind, endKind] = [kindOf(start), kindOf(end)];
  if (kind === null || endKind === null) return [];
  if (kind !== endKind) {
    const message = `start and end must be of one kind, both date or both dateTime: ${SWITCH_CURE}`;
    return [{ path: ['end'], reason: 'invalid', message }];
  }
  const [from, to] = [orderOf(start), orderOf(end)];
  if (from === null || to === null || from < to) return [];
  const message =
    kind === 'date'
      ? 'end.date must be after start.date: it is the day after the last one, so a one-day event ends the next day'
      : 'end must be after start';
  return [{ path: ['end'], reason: 'timeRangeEmpty', message }];
}

/** Days are counted as if in UTC, so that neither a zone nor a day it skipped makes an all-day event empty. */
function orderOf(time: EventTime): number | null {
  return time.date === undefined ? instantOf(time, '') : instantOf({ date: time.date }, 'UTC');
}
