// Days are counted from 1 January 1970, months from January of the year 0.

/** Days, or other units, one after the other; `end` is not among them. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

export const dayMs = 86_400_000;
const daysBefore = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/** In the order of their numbers: Monday is 0. */
export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** 1 January of any year, also of those behind the last one that `Date` has. */
export const newYear = (year: number): number =>
  365 * (year - 1970) +
  Math.floor((year - 1969) / 4) -
  Math.floor((year - 1901) / 100) +
  Math.floor((year - 1601) / 400);

/** The first day of a month. */
export function monthBegin(month: number): number {
  const [year, index] = [Math.floor(month / 12), remainder(month, 12)];
  const begin = newYear(year);
  const isLeap = newYear(year + 1) - begin === 366;
  return begin + (daysBefore[index] as number) + (isLeap && index > 1 ? 1 : 0);
}

export const dayAt = (local: number): number => Math.floor(local / dayMs);
export const yearAt = (day: number): number => new Date(day * dayMs).getUTCFullYear();

export function monthAt(day: number): number {
  const date = new Date(day * dayMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** 1 January 1970 was a Thursday. */
export const weekdayAt = (day: number): number => remainder(day + 3, 7);

/** The first day of the week that a day is in. */
export const weekBegin = (day: number, weekStart: number): number =>
  day - remainder(weekdayAt(day) - weekStart, 7);

/** The day on which week 1 of a year begins: the first week with at least four days in the year, so 4 January is in it. */
export const firstWeek = (year: number, weekStart: number): number => weekBegin(newYear(year) + 3, weekStart);

/** The year to which the week of a day belongs. */
export const weekYearAt = (day: number, weekStart: number): number => yearAt(weekBegin(day, weekStart) + 3);

/** What remains of a division, never below 0. */
export const remainder = (value: number, divisor: number): number =>
  value - Math.floor(value / divisor) * divisor;

/** Numbers in ascending order, none twice; a list is one, and so is what is worked out by index. */
export interface Ordered {
  readonly length: number;
  at(index: number): number | undefined;
}

/** The index of the first number that is not below `value`. */
export function lowerBound(ordered: Ordered, value: number): number {
  let [low, high] = [0, ordered.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ordered.at(middle) as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Each of some numbers with each of others added, which are all smaller than what lies between two of the former. */
export function sums(greater: Ordered, smaller: Ordered): Ordered {
  const size = smaller.length;
  return {
    length: greater.length * size,
    at: (index) => (greater.at(Math.floor(index / size)) as number) + (smaller.at(index % size) as number),
  };
}

/** Finds the units around one that a part such as BYHOUR excludes; undefined if it allows the unit. `cycle`: such as 24 hours. */
export function gapsOf(
  allowed: readonly number[] | undefined,
  cycle: number,
): (unit: number) => Span | undefined {
  if (!allowed) return () => undefined;
  const inCycle = new Set(allowed);
  const distance = (from: number, step: number): number => {
    let far = 0;
    while (far < cycle && !inCycle.has(remainder(from + far * step, cycle))) far += 1;
    return far;
  };
  const distances = Array.from({ length: cycle }, (_, number) => ({
    back: distance(number, -1),
    ahead: distance(number, 1),
  }));
  return (unit) => {
    const { back, ahead } = distances[remainder(unit, cycle)] as { back: number; ahead: number };
    return ahead === 0 ? undefined : { begin: unit - back + 1, end: unit + ahead };
  };
}
