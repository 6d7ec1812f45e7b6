import { memoize } from '../memoize.ts';

/** Zones whose formatters are cached, since creating one is slow. */
const maxCachedZones = 512;
/** Bounds the cache of the starts of days to some megabytes. */
const maxCachedDays = 50_000;

/** Formatter of a zone by Intl, which browsers have too. Throws a RangeError for an unknown zone. */
const formatterOf = memoize(
  maxCachedZones,
  (zone: string) => new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'longOffset' }),
);

export function isIntlZone(zone: string): boolean {
  try {
    return formatterOf(zone) !== undefined;
  } catch {
    return false;
  }
}

/** End of a formatted time: `GMT`, or an offset such as `GMT-03:30`, which historical ones follow with seconds. */
const formattedOffsetPattern = /GMT(?:([+\-\u2212])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Offset of a zone from UTC at an instant, in milliseconds; positive east of Greenwich. */
export function offsetAt(instant: number, zone: string): number {
  const [, sign = '+', hours = 0, minutes = 0, seconds = 0] =
    formattedOffsetPattern.exec(formatterOf(zone).format(instant)) ?? [];
  const offset = ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
  return sign === '+' ? offset : -offset;
}

const dayMs = 86_400_000;

/**
 * Returns the instant of a local time in a zone. Both are epoch milliseconds, the local time as if in UTC. A skipped
 * local time moves forward by the gap; of a repeated one, the first counts (RFC 5545, section 3.3.5).
 */
export function instantAt(localTime: number, zone: string): number {
  const [offsetBefore, offsetAfter] = [offsetAt(localTime - dayMs, zone), offsetAt(localTime + dayMs, zone)];
  const instant = localTime - offsetBefore;
  if (offsetBefore === offsetAfter || offsetAt(instant, zone) === offsetBefore) return instant;
  const laterInstant = localTime - offsetAfter;
  return offsetAt(laterInstant, zone) === offsetAfter ? laterInstant : instant;
}

/**
 * First instant of a local day: later than midnight if the clocks skip midnight. `midnight`: epoch
 * milliseconds as if in UTC. A stored zone that this Node.js does not know counts as UTC.
 */
export const startOfDay = memoize(maxCachedDays, (midnight: number, zone: string): number => {
  if (!isIntlZone(zone)) return midnight;
  const instant = instantAt(midnight, zone);
  const offset = offsetAt(instant, zone);
  if (instant + offset === midnight) return instant;
  // The clocks changed in between: a binary search finds the first second with the new offset.
  let [low, high] = [midnight - offset - 1000, instant];
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (offsetAt(middle, zone) === offset) high = middle;
    else low = middle;
  }
  return high;
});

/** Length of `yyyy-mm-dd`. */
const dateLength = 10;

/** Parses a date, or a date-time without offset (RFC 3339), to epoch milliseconds as if in UTC. */
export const localTimeOf = (text: string): number =>
  Date.parse(`${text.length === dateLength ? `${text}T00:00:00` : text.toUpperCase()}Z`);

/** Formats an offset for RFC 3339. Drops seconds, which some historical offsets have. */
export function formatOffset(offsetMs: number): string {
  const minutes = Math.floor(Math.abs(offsetMs) / 60_000);
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  return `${offsetMs < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

const dayRegExpText = String.raw`(\d{4})-(\d{2})-(\d{2})`;
const datePattern = new RegExp(`^${dayRegExpText}$`);
// No leap second (60): neither JavaScript nor calendars can represent it.
const dateTimePattern = new RegExp(
  String.raw`^${dayRegExpText}[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$`,
);

/** True for an existing day, yyyy-mm-dd, in the years 0001 to 9999 (full-date of RFC 3339, section 5.6). */
export function isDate(text: string): boolean {
  const match = datePattern.exec(text);
  return match !== null && isExistingDay(match);
}

function isExistingDay(match: RegExpExecArray): boolean {
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  // A day that does not exist becomes one of another month.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return year >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/**
 * Parses a date-time (RFC 3339, section 5.6) with an optional offset: years 0001 to 9999, seconds 00 to 59, up to nine
 * digits of fraction. Returns the offset as written, or null if the text is invalid.
 */
export function parseDateTime(text: string): { offset: string | null } | null {
  const match = dateTimePattern.exec(text);
  return match && isExistingDay(match) ? { offset: match[4] ?? null } : null;
}
