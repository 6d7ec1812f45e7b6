import { remembered } from '../kernel/remembered.ts';

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
