import type { RRuleTemporal } from 'rrule-temporal';
import type { Temporal } from 'temporal-polyfill';

export type ManualOptions = Extract<ConstructorParameters<typeof RRuleTemporal<Temporal.ZonedDateTime>>[0], { freq: unknown }>;
export type Parts = ReadonlyMap<string, string>;

const minute = 60_000;
const day = 86_400_000;

/** How long one period of a frequency is, about; of months and years the shortest. */
const PERIODS: Readonly<Record<string, number>> = {
  SECONDLY: 1000, MINUTELY: minute, HOURLY: 60 * minute, DAILY: day, WEEKLY: 7 * day, MONTHLY: 28 * day, YEARLY: 365 * day,
};

/** A rule without INTERVAL and BYSETPOS that names the units of its frequency says the same with the next longer one. */
const LONGER = [['SECONDLY', 'BYSECOND', 'MINUTELY'], ['MINUTELY', 'BYMINUTE', 'HOURLY'], ['HOURLY', 'BYHOUR', 'DAILY']] as const;
const everyDay = Array.from({ length: 31 }, (_, index) => index + 1).join(',');

/** The parts of a valid RRULE or EXRULE value by name, in upper case and with the longest frequency that says the same. */
export function readRule(value: string): Parts {
  const parts = new Map<string, string>();
  for (const part of value.toUpperCase().split(';')) parts.set(part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1));
  if (Number(parts.get('INTERVAL') ?? 1) !== 1 || parts.has('BYSETPOS')) return parts;
  for (const [frequency, part, longer] of LONGER) {
    if (parts.get('FREQ') === frequency && parts.has(part)) parts.set('FREQ', longer);
  }
  if (parts.get('FREQ') !== 'DAILY' || !['BYMONTH', 'BYMONTHDAY', 'BYYEARDAY'].some((name) => parts.has(name))) return parts;
  parts.set('FREQ', 'YEARLY');
  if (!parts.has('BYMONTHDAY') && !parts.has('BYYEARDAY')) parts.set('BYMONTHDAY', everyDay);
  return parts;
}

/** The frequency of a rule, which every valid one has. */
export const frequencyOf = (parts: Parts): string => parts.get('FREQ') ?? '';
const basePeriodOf = (parts: Parts): number => PERIODS[frequencyOf(parts)] ?? Infinity;
export const intervalOf = (parts: Parts): number => Number(parts.get('INTERVAL') ?? 1);
/** A rule that takes the same step again and again; none of months or years, which differ in length. */
export const isEven = (parts: Parts): boolean =>
  basePeriodOf(parts) <= 7 * day && ![...parts.keys()].some((name) => name.startsWith('BY'));
export const periodOf = (parts: Parts): number => basePeriodOf(parts) * intervalOf(parts);
/** True where the days of a rule and its times of the day can be told apart: each of its days has all of its times. */
export const isByDay = (parts: Parts): boolean => !parts.has('BYSETPOS') && basePeriodOf(parts) >= day;

/** The numbers of a part, in order and each once; undefined when the rule does not have the part. */
export function numbersOf(parts: Parts, name: string): number[] | undefined {
  const numbers = parts.get(name)?.split(',').map(Number);
  // A leap second is taken as the one before it (RFC 5545, section 3.3.12).
  const kept = name === 'BYSECOND' ? numbers?.map((second) => Math.min(second, 59)) : numbers;
  return kept && [...new Set(kept)].sort((one, other) => one - other);
}

/** The weekdays of a rule as the library takes them. Where some have numbers all get theirs, else it passes over the others. */
export function weekdaysOf(parts: Parts): string[] | undefined {
  const weekdays = parts.get('BYDAY')?.split(',').map((weekday) => weekday.replace(/^\+?0*|(?<=^-)0*/g, ''));
  if (!weekdays?.some(isNumbered)) return weekdays;
  const plain = weekdays.filter((weekday) => !isNumbered(weekday));
  const numbers = [...Array.from({ length: isOfYear(parts) ? 52 : 4 }, (_, index) => index + 1), -1];
  const numbered = weekdays.filter((weekday) => isNumbered(weekday) && !plain.includes(weekday.slice(-2)));
  return [...numbered, ...plain.flatMap((weekday) => numbers.map((number) => `${number}${weekday}`))];
}

/** Whether the numbers of weekdays count through the year, not through a month. */
export const isOfYear = (parts: Parts): boolean => parts.get('FREQ') === 'YEARLY' && !parts.has('BYMONTH');

export const weekdayAt = (local: number): string => ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'][new Date(local).getUTCDay()] as string;
const isNumbered = (weekday: string): boolean => /\d/.test(weekday);

/** A rule as the library takes it, without COUNT and UNTIL; `times` tells whether with its times of the day. */
export function optionsOf(parts: Parts, times: boolean, start: number): Omit<ManualOptions, 'dtstart'> {
  // The library takes the weekday of a week's year from where it begins to read, which need not be the start.
  const ofStart = parts.has('BYWEEKNO') && !parts.has('BYMONTHDAY') && !parts.has('BYYEARDAY') ? [weekdayAt(start)] : undefined;
  const weekStart = parts.get('WKST');
  // These are left to the test of days.
  const isTested = isByDay(parts) && parts.get('FREQ') === 'YEARLY';
  const weekdays = isTested && (parts.has('BYMONTHDAY') || parts.has('BYYEARDAY')) ? undefined : weekdaysOf(parts);
  const monthDays = isTested && parts.has('BYYEARDAY') ? undefined : numbersOf(parts, 'BYMONTHDAY');
  const given = {
    byMonth: numbersOf(parts, 'BYMONTH'), byMonthDay: monthDays, byYearDay: numbersOf(parts, 'BYYEARDAY'),
    byWeekNo: numbersOf(parts, 'BYWEEKNO'), byDay: weekdays ?? ofStart, bySetPos: numbersOf(parts, 'BYSETPOS'), wkst: weekStart,
    ...(times && { byHour: numbersOf(parts, 'BYHOUR'), byMinute: numbersOf(parts, 'BYMINUTE'), bySecond: numbersOf(parts, 'BYSECOND') }),
  };
  const set = Object.fromEntries(Object.entries(given).filter(([, part]) => part !== undefined));
  return { freq: parts.get('FREQ') as ManualOptions['freq'], interval: intervalOf(parts), ...set };
}

/** How many times of the day a rule has in one of its periods. */
export function timesIn(parts: Parts): number {
  const count = (name: string): number => numbersOf(parts, name)?.length ?? 1;
  const shorter = { BYSECOND: minute, BYMINUTE: 60 * minute, BYHOUR: day };
  return Object.entries(shorter).reduce((product, [name, from]) => (basePeriodOf(parts) >= from ? product * count(name) : product), 1);
}

/** At most how many days a rule has in one of its periods. */
export function daysIn(parts: Parts): number {
  const frequency = frequencyOf(parts);
  const size = (name: string): number => numbersOf(parts, name)?.length ?? Infinity;
  const weekdays = weekdaysOf(parts);
  const perWeekday = (plain: number, numbered: number): number =>
    weekdays?.reduce((sum, weekday) => sum + (isNumbered(weekday) ? numbered : plain), 0) ?? Infinity;
  const orOne = (most: number): number => (Number.isFinite(most) ? most : 1);
  if (frequency === 'WEEKLY') return weekdays?.length ?? 1;
  if (frequency === 'MONTHLY') return orOne(Math.min(size('BYMONTHDAY'), perWeekday(5, 1)));
  if (frequency !== 'YEARLY') return 1;
  const months = size('BYMONTH');
  const inMonths = Number.isFinite(months) ? perWeekday(5 * months, months) : perWeekday(53, 1);
  const most = Math.min(size('BYMONTHDAY') * Math.min(months, 12), size('BYYEARDAY'), size('BYWEEKNO') * (weekdays?.length ?? 1), inMonths);
  return Number.isFinite(most) ? most : orOne(months);
}
