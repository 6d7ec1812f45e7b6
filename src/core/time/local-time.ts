import { remembered } from '../remembered.ts';

/** The clocks of the zones, by Intl: what every browser has, and no more than it needs. Throws a RangeError for a name that is no zone. */
const formatOf = remembered(
  512,
  (zone: string) => zone,
  (zone) =>
    new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    }),
);

/** Whether this environment knows the zone. */
export function isKnownZone(zone: string): boolean {
  try {
    return formatOf(zone) !== undefined;
  } catch {
    return false;
  }
}

/** How far a zone's clocks are ahead of UTC at an instant; both in milliseconds. */
export function offsetAt(instant: number, zone: string): number {
  const whole = Math.floor(instant / 1000) * 1000;
  const parts: Record<string, string> = {};
  for (const { type, value } of formatOf(zone).formatToParts(whole)) parts[type] = value;
  const number = (name: string): number => Number(parts[name]);
  const year = parts.era?.startsWith('B') ? 1 - number('year') : number('year');
  return (
    utcOf(year, number('month'), number('day'), number('hour'), number('minute'), number('second')) - whole
  );
}

/** Epoch milliseconds of a UTC time; unlike `Date.UTC`, years below 100 are taken as they stand. */
function utcOf(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
): number {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.setUTCHours(hour, minute, second);
}

const dayMs = 86_400_000;

/**
 * The instant of a local time in a zone, both in epoch milliseconds, the local one as if in UTC. A local time that the
 * clocks skip moves forward by the length of the gap; one that happens twice is the first of the two (RFC 5545, 3.3.5).
 */
export function instantAt(local: number, zone: string): number {
  const [before, after] = [offsetAt(local - dayMs, zone), offsetAt(local + dayMs, zone)];
  const first = local - before;
  if (before === after || offsetAt(first, zone) === before) return first;
  const second = local - after;
  return offsetAt(second, zone) === after ? second : first;
}

/** The first instant of a local day, which begins later than at midnight where the clocks skip that. Remembered: some megabytes. */
export const startOfDay = remembered(
  50_000,
  (midnight: number, zone: string) => `${midnight} ${zone}`,
  firstInstant,
);

function firstInstant(midnight: number, zone: string): number {
  const instant = instantAt(midnight, zone);
  const offset = offsetAt(instant, zone);
  if (instant + offset === midnight) return instant;
  // The clocks were turned between the two: the first second with the offset that holds from then on.
  let [before, at] = [midnight - offset - 1000, instant];
  while (at - before > 1000) {
    const middle = before + Math.floor((at - before) / 2000) * 1000;
    if (offsetAt(middle, zone) === offset) at = middle;
    else before = middle;
  }
  return at;
}

/** A local time of RFC 3339 without its offset, or a day, as epoch milliseconds as if in UTC. */
export const localOf = (written: string): number =>
  Date.parse(`${written.length === 10 ? `${written}T00:00:00` : written.toUpperCase()}Z`);

/** An offset as RFC 3339 writes it; seconds, which some zones had long ago, are cut off. */
export function printOffset(offset: number): string {
  const minutes = Math.floor(Math.abs(offset) / 60_000);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

const DAY = String.raw`(\d{4})-(\d{2})-(\d{2})`;
const DATE = new RegExp(`^${DAY}$`);
// No leap second (60): neither JavaScript nor calendars can represent it.
const DATE_TIME = new RegExp(
  String.raw`^${DAY}[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$`,
);

/** An existing day, yyyy-mm-dd, in the years 0001 to 9999 (RFC 3339, section 5.6: full-date). */
export function isDate(text: string): boolean {
  const match = DATE.exec(text);
  return match !== null && exists(match);
}

/** Whether a calendar has the year, month and day that were matched. */
function exists(match: RegExpExecArray): boolean {
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/**
 * Parses a date-time of RFC 3339, section 5.6, with an optional offset: years 0001 to 9999, seconds 00 to 59, at most nine
 * digits of fraction. Returns the offset as written, or null for another text.
 */
export function parseDateTime(text: string): { offset: string | null } | null {
  const match = DATE_TIME.exec(text);
  return match && exists(match) ? { offset: match[4] ?? null } : null;
}
