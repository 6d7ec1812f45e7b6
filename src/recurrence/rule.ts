import { isDate } from '../core/time/local-time.ts';
import { dayMs, weekdayCodes, weekdayAt, dayAt } from './calendar-days.ts';

/** Form of a value in a recurrence line: DATE, or DATE-TIME without or with the Z of UTC. */
export type ValueForm = 'date' | 'local' | 'utc';

const valuePattern = /^(\d{4})(\d{2})(\d{2})(T(?:[01]\d|2[0-3])[0-5]\d[0-5]\d(Z)?)?$/i;

/** Returns the form of a DATE or DATE-TIME (RFC 5545, sections 3.3.4 and 3.3.5; no leap seconds); null for other text. */
export function valueFormOf(text: string): ValueForm | null {
  const match = valuePattern.exec(text);
  if (!match || !isDate(`${match[1]}-${match[2]}-${match[3]}`)) return null;
  if (match[4] === undefined) return 'date';
  return match[5] === undefined ? 'local' : 'utc';
}

/** Parses a DATE or DATE-TIME as if in UTC; returns epoch milliseconds. */
export function parseLocal(text: string): number {
  const numberIn = (begin: number, end: number): number => Number(text.slice(begin, end));
  const date = new Date(0);
  // `Date.UTC` would map the years 1 to 99 to the last century.
  date.setUTCFullYear(numberIn(0, 4), numberIn(4, 6) - 1, numberIn(6, 8));
  return date.setUTCHours(numberIn(9, 11), numberIn(11, 13), numberIn(13, 15));
}

/** Limits of local times (ms as if in UTC), whose years have four digits. */
const minLocalTime = Date.parse('0001-01-01T00:00:00Z');
export const maxLocalTime = Date.UTC(9999, 11, 31, 23, 59, 59);

/** Formats a local time (ms as if in UTC) as `yyyymmddThhmmss`, without the Z of UTC. */
export const formatCompact = (local: number): string =>
  new Date(Math.min(Math.max(local, minLocalTime), maxLocalTime))
    .toISOString()
    .slice(0, 19)
    .replace(/[-:]/g, '');

/** Syntax of a recurrence line: name, parameters and value. */
export const recurrenceLinePattern = /^(RRULE|EXRULE|RDATE|EXDATE)(?:;([^:]*))?:(.*)$/i;
export const isRuleLine = (line: string): boolean => /^(?:EX|R)RULE[:;]/i.test(line);

/** Splits a recurrence line into its name in upper case, parameters and value; other lines give empty texts. */
export function parseLine(line: string) {
  const [, name = '', parameters = '', value = ''] = recurrenceLinePattern.exec(line) ?? [];
  return { name: name.toUpperCase(), parameters, value };
}

/** Splits a rule into its parts by name, in upper case, without any check. */
export const parseRuleParts = (value: string): Map<string, string> =>
  new Map(
    value
      .toUpperCase()
      .split(';')
      .map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
  );

/** Replaces parts of a rule line, and appends those it lacks; undefined removes a part. */
export function replaceRuleParts(
  line: string,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const colonIndex = line.indexOf(':');
  const addedChanges = new Map(Object.entries(changes));
  const formatPart = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [`${name}=${value}`];
  const existingParts = line
    .slice(colonIndex + 1)
    .split(';')
    .flatMap((part) => {
      const name = part.slice(0, part.indexOf('=')).toUpperCase();
      if (!Object.hasOwn(changes, name)) return [part];
      addedChanges.delete(name);
      return formatPart(name, changes[name]);
    });
  const addedParts = [...addedChanges].flatMap(([name, value]) => formatPart(name, value));
  return `${line.slice(0, colonIndex)}:${[...existingParts, ...addedParts].join(';')}`;
}

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
