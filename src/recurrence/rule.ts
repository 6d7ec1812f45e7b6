import { parseRuleParts } from './recurrence-lines.ts';
import { dayMs, weekdayCodes, weekdayAt, dayAt } from './calendar-days.ts';

/** Parts of a rule by name, such as `FREQ` and `BYDAY`. */
export type RuleParts = ReadonlyMap<string, string>;

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Lengths of periods (ms) by frequency; months and years have none. */
const periodLengthsMs: ReadonlyMap<string, number | undefined> = new Map([
  ['SECONDLY', secondMs],
  ['MINUTELY', minuteMs],
  ['HOURLY', hourMs],
  ['DAILY', dayMs],
  ['WEEKLY', 7 * dayMs],
  ['MONTHLY', undefined],
  ['YEARLY', undefined],
]);

/** Parts for times of day, with the length of their unit (ms) and the number of units in the next longer one. */
export const clockParts = [
  { name: 'BYHOUR', unitMs: hourMs, count: 24 },
  { name: 'BYMINUTE', unitMs: minuteMs, count: 60 },
  { name: 'BYSECOND', unitMs: secondMs, count: 60 },
] as const;

/** Frequencies with a part that makes them equivalent to a longer frequency, in rules without INTERVAL and BYSETPOS. */
const longerFrequencies = [
  ['SECONDLY', 'BYSECOND', 'MINUTELY'],
  ['MINUTELY', 'BYMINUTE', 'HOURLY'],
  ['HOURLY', 'BYHOUR', 'DAILY'],
] as const;
/** Value of BYMONTHDAY that allows all days. */
const allMonthDays = Array.from({ length: 31 }, (_, index) => index + 1).join(',');

/** Parses an RRULE or EXRULE value; undefined if invalid. Chooses the longest equivalent frequency, which needs least work. */
export function readRule(value: string): RuleParts | undefined {
  const parts = parseRuleParts(value);
  if (!periodLengthsMs.has(frequencyOf(parts)) || !(intervalOf(parts) >= 1)) return undefined;
  if (intervalOf(parts) !== 1 || parts.has('BYSETPOS')) return parts;
  for (const [frequency, byPart, longerFrequency] of longerFrequencies) {
    if (parts.get('FREQ') === frequency && parts.has(byPart)) parts.set('FREQ', longerFrequency);
  }
  if (
    parts.get('FREQ') !== 'DAILY' ||
    !['BYMONTH', 'BYMONTHDAY', 'BYYEARDAY'].some((name) => parts.has(name))
  )
    return parts;
  parts.set('FREQ', 'YEARLY');
  if (!parts.has('BYMONTHDAY') && !parts.has('BYYEARDAY')) parts.set('BYMONTHDAY', allMonthDays);
  return parts;
}

/** Adds a missing weekday, month or day of the month from the local start (RFC 5545, section 3.3.10). */
export function withImpliedDays(parts: RuleParts, start: number): RuleParts {
  if (['BYDAY', 'BYMONTHDAY', 'BYYEARDAY'].some((name) => parts.has(name))) return parts;
  const date = new Date(start);
  const [monthDay, month] = [`${date.getUTCDate()}`, `${date.getUTCMonth() + 1}`];
  if (frequencyOf(parts) === 'WEEKLY' || parts.has('BYWEEKNO'))
    return new Map([...parts, ['BYDAY', weekdayCodes[weekdayAt(dayAt(start))] as string]]);
  if (frequencyOf(parts) === 'YEARLY')
    return new Map([['BYMONTH', month], ...parts, ['BYMONTHDAY', monthDay]]);
  return frequencyOf(parts) === 'MONTHLY' ? new Map([...parts, ['BYMONTHDAY', monthDay]]) : parts;
}

export const frequencyOf = (parts: RuleParts): string => parts.get('FREQ') ?? '';
export const intervalOf = (parts: RuleParts): number => Number(parts.get('INTERVAL') ?? 1);
export const periodLengthMsOf = (parts: RuleParts): number | undefined =>
  periodLengthsMs.get(frequencyOf(parts));
/** Whether all starts are equally far apart: the rule has no BY parts, and its periods have one length. */
export const hasConstantStep = (parts: RuleParts): boolean =>
  periodLengthMsOf(parts) !== undefined && ![...parts.keys()].some((name) => name.startsWith('BY'));
/** Returns the first weekday of weeks; 0 is Monday, the default. */
export const weekStartOf = (parts: RuleParts): number =>
  Math.max(0, weekdayCodes.indexOf(parts.get('WKST') ?? ''));

/** Returns the sorted, distinct numbers of a part; undefined if the rule lacks the part. */
export function numbersOf(parts: RuleParts, name: string): number[] | undefined {
  const numbers = parts.get(name)?.split(',').map(Number).filter(Number.isInteger);
  // A leap second counts as second 59 (RFC 5545, section 3.3.12).
  const cappedNumbers = name === 'BYSECOND' ? numbers?.map((number) => Math.min(number, 59)) : numbers;
  return cappedNumbers && [...new Set(cappedNumbers)].sort((a, b) => a - b);
}

export function numberSetOf(parts: RuleParts, name: string): ReadonlySet<number> | undefined {
  const numbers = numbersOf(parts, name);
  return numbers && new Set(numbers);
}
