// Calendar arithmetic with numbered days and months: day 0 is 1 January 1970, a Thursday; month 0 is January of the year 0.

/** A half-open range `[begin, end)` of days or other units. */
export interface Span {
  readonly begin: number;
  readonly end: number;
}

export const dayMs = 86_400_000;
/** Local time of the last second of a day. */
export const lastSecondOfDayMs = dayMs - 1000;
/** Number of days before the first of each month, in a year that is not a leap year. */
const daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];

/** Weekdays as RFC 5545 writes them, by number; Monday is 0. */
export const weekdayCodes = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** Returns the day number of 1 January, also for years beyond the range of `Date`. */
export const firstDayOfYear = (year: number): number =>
  365 * (year - 1970) +
  Math.floor((year - 1969) / 4) -
  Math.floor((year - 1901) / 100) +
  Math.floor((year - 1601) / 400);

/** Returns the number of a month's first day. `month` counts from January of the year 0. */
export function firstDayOfMonth(month: number): number {
  const [year, index] = [Math.floor(month / 12), modulo(month, 12)];
  const begin = firstDayOfYear(year);
  const isLeap = firstDayOfYear(year + 1) - begin === 366;
  return begin + (daysBeforeMonth[index] as number) + (isLeap && index > 1 ? 1 : 0);
}

/** Returns the number of the day that contains a local time (ms as if in UTC). */
export const dayAt = (local: number): number => Math.floor(local / dayMs);
export const yearAt = (day: number): number => new Date(day * dayMs).getUTCFullYear();

export function monthAt(day: number): number {
  const date = new Date(day * dayMs);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

export const weekdayAt = (day: number): number => modulo(day + 3, 7);

export const firstDayOfWeek = (day: number, weekStart: number): number =>
  day - modulo(weekdayAt(day) - weekStart, 7);

/** Returns the first day of week 1, which is the first week with at least four days in the year, and so contains 4 January. */
export const firstDayOfWeekYear = (year: number, weekStart: number): number =>
  firstDayOfWeek(firstDayOfYear(year) + 3, weekStart);

/** Returns the year to whose numbered weeks a day belongs. */
export const weekYearAt = (day: number, weekStart: number): number =>
  yearAt(firstDayOfWeek(day, weekStart) + 3);

/** Remainder of a division, never negative. */
export const modulo = (value: number, divisor: number): number =>
  value - Math.floor(value / divisor) * divisor;

/** Ascending, distinct numbers: an array, or numbers computed by index. */
export interface SortedNumbers {
  readonly length: number;
  at(index: number): number | undefined;
}

/** Index of the first number that is not below `value`, by binary search. */
export function lowerBound(sortedNumbers: SortedNumbers, value: number): number {
  let [low, high] = [0, sortedNumbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sortedNumbers.at(middle) as number) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Adds each of `offsets` to each of `begins`. All offsets must be less than the gaps between begins. */
export function addEachOffset(begins: SortedNumbers, offsets: SortedNumbers): SortedNumbers {
  const offsetCount = offsets.length;
  return {
    length: begins.length * offsetCount,
    at: (index) =>
      (begins.at(Math.floor(index / offsetCount)) as number) + (offsets.at(index % offsetCount) as number),
  };
}

/**
 * Creates a function that finds the excluded units around a unit, for a part such as BYHOUR; undefined for an allowed unit.
 * `cycleLength`: number of units after which they repeat, such as 24 hours.
 */
export function createGapFinder(
  allowedUnits: readonly number[] | undefined,
  cycleLength: number,
): (unit: number) => Span | undefined {
  if (!allowedUnits) return () => undefined;
  const allowedInCycle = new Set(allowedUnits);
  /** Counts the steps (1 or -1) to the next allowed unit; `cycleLength` if none is allowed. */
  const stepsToAllowedUnit = (firstUnit: number, step: number): number => {
    let steps = 0;
    while (steps < cycleLength && !allowedInCycle.has(modulo(firstUnit + steps * step, cycleLength)))
      steps += 1;
    return steps;
  };
  const distances = Array.from({ length: cycleLength }, (_, unit) => ({
    back: stepsToAllowedUnit(unit, -1),
    ahead: stepsToAllowedUnit(unit, 1),
  }));
  return (unit) => {
    const { back, ahead } = distances[modulo(unit, cycleLength)] as { back: number; ahead: number };
    return ahead === 0 ? undefined : { begin: unit - back + 1, end: unit + ahead };
  };
}
