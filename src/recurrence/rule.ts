import { ruleParts } from './lines.ts';
import { dayMs, WEEKDAYS, weekdayAt, dayAt } from './calendar-days.ts';

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
