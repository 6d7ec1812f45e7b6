import { ruleParts } from './rrule.ts';

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

/**
 * Tells which units around one a part such as BYHOUR excludes; undefined for a unit that it allows. Units are numbered
 * on and on, and allowed by their numbers in a cycle, such as the hours of a day.
 */
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

/** The parts of a rule by name. */
export type Parts = ReadonlyMap<string, string>;

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

/** How long one period of a frequency is; months and years differ in length. */
const FREQUENCIES: ReadonlyMap<string, number | undefined> = new Map([
  ['SECONDLY', second],
  ['MINUTELY', minute],
  ['HOURLY', hour],
  ['DAILY', dayMs],
  ['WEEKLY', 7 * dayMs],
  ['MONTHLY', undefined],
  ['YEARLY', undefined],
]);

/** The parts that name times of the day: how long their unit is, and how many of it the next longer one has. */
export const CLOCK_PARTS = [
  { name: 'BYHOUR', unit: hour, count: 24 },
  { name: 'BYMINUTE', unit: minute, count: 60 },
  { name: 'BYSECOND', unit: second, count: 60 },
] as const;

/** A rule without INTERVAL and BYSETPOS that names the units of its frequency says the same with the next longer one. */
const LONGER = [
  ['SECONDLY', 'BYSECOND', 'MINUTELY'],
  ['MINUTELY', 'BYMINUTE', 'HOURLY'],
  ['HOURLY', 'BYHOUR', 'DAILY'],
] as const;
const everyDay = Array.from({ length: 31 }, (_, index) => index + 1).join(',');

/** The parts of an RRULE or EXRULE value, in upper case and with the longest frequency that says the same; undefined for none. */
export function readRule(value: string): Parts | undefined {
  const parts = ruleParts(value);
  if (!FREQUENCIES.has(frequencyOf(parts)) || !(intervalOf(parts) >= 1)) return undefined;
  if (intervalOf(parts) !== 1 || parts.has('BYSETPOS')) return parts;
  for (const [frequency, part, longer] of LONGER) {
    if (parts.get('FREQ') === frequency && parts.has(part)) parts.set('FREQ', longer);
  }
  if (
    parts.get('FREQ') !== 'DAILY' ||
    !['BYMONTH', 'BYMONTHDAY', 'BYYEARDAY'].some((name) => parts.has(name))
  )
    return parts;
  parts.set('FREQ', 'YEARLY');
  if (!parts.has('BYMONTHDAY') && !parts.has('BYYEARDAY')) parts.set('BYMONTHDAY', everyDay);
  return parts;
}

/** Takes from the start what a rule leaves open of its days (RFC 5545, section 3.3.10): a weekday, or a day of a month. */
export function withDays(parts: Parts, start: number): Parts {
  if (['BYDAY', 'BYMONTHDAY', 'BYYEARDAY'].some((name) => parts.has(name))) return parts;
  const date = new Date(start);
  const [monthDay, month] = [`${date.getUTCDate()}`, `${date.getUTCMonth() + 1}`];
  if (frequencyOf(parts) === 'WEEKLY' || parts.has('BYWEEKNO'))
    return new Map([...parts, ['BYDAY', WEEKDAYS[weekdayAt(dayAt(start))] as string]]);
  if (frequencyOf(parts) === 'YEARLY')
    return new Map([['BYMONTH', month], ...parts, ['BYMONTHDAY', monthDay]]);
  return frequencyOf(parts) === 'MONTHLY' ? new Map([...parts, ['BYMONTHDAY', monthDay]]) : parts;
}

export const frequencyOf = (parts: Parts): string => parts.get('FREQ') ?? '';
export const intervalOf = (parts: Parts): number => Number(parts.get('INTERVAL') ?? 1);
/** The length of one period; undefined for those of months and years. */
export const periodOf = (parts: Parts): number | undefined => FREQUENCIES.get(frequencyOf(parts));
/** A rule that takes the same step again and again. */
export const isEven = (parts: Parts): boolean =>
  periodOf(parts) !== undefined && ![...parts.keys()].some((name) => name.startsWith('BY'));
/** 0 is Monday, on which weeks begin where the rule does not say. */
export const weekStartOf = (parts: Parts): number => Math.max(0, WEEKDAYS.indexOf(parts.get('WKST') ?? ''));

/** The numbers of a part, in order and each once; undefined when the rule does not have the part. */
export function numbersOf(parts: Parts, name: string): number[] | undefined {
  const numbers = parts.get(name)?.split(',').map(Number).filter(Number.isInteger);
  // A leap second is taken as the one before it (RFC 5545, section 3.3.12).
  const values = name === 'BYSECOND' ? numbers?.map((number) => Math.min(number, 59)) : numbers;
  return values && [...new Set(values)].sort((one, other) => one - other);
}

export function setOf(parts: Parts, name: string): ReadonlySet<number> | undefined {
  const numbers = numbersOf(parts, name);
  return numbers && new Set(numbers);
}
