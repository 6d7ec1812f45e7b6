/**
 * A second expansion of recurrence rules, as plain as RFC 5545, section 3.3.10 can be read: it walks over every day, and
 * below a day over every second or minute, and asks whether the rule allows it. Slow, and shares no code with `src/`.
 */
export interface WalkerRule {
  readonly FREQ: 'YEARLY' | 'MONTHLY' | 'WEEKLY' | 'DAILY' | 'HOURLY' | 'MINUTELY' | 'SECONDLY';
  readonly INTERVAL?: number;
  readonly WKST?: string;
  readonly BYDAY?: readonly string[];
  readonly BYMONTH?: readonly number[];
  readonly BYMONTHDAY?: readonly number[];
  readonly BYYEARDAY?: readonly number[];
  readonly BYWEEKNO?: readonly number[];
  readonly BYHOUR?: readonly number[];
  readonly BYMINUTE?: readonly number[];
  readonly BYSECOND?: readonly number[];
  readonly BYSETPOS?: readonly number[];
}

const day = 86_400_000;
const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const UNITS = { HOURLY: 3_600_000, MINUTELY: 60_000, SECONDLY: 1000 };

const dayOf = (local: number): number => Math.floor(local / day);
/** 0 is Monday: 1 January 1970 was a Thursday. */
const weekdayOf = (days: number): number => (((days + 3) % 7) + 7) % 7;
const yearOf = (days: number): number => new Date(days * day).getUTCFullYear();
const monthOf = (days: number): number => new Date(days * day).getUTCMonth() + 1;
const newYear = (year: number): number => dayOf(Date.UTC(year, 0, 1));
const firstOf = (days: number): number => dayOf(Date.UTC(yearOf(days), monthOf(days) - 1, 1));
const endOfMonth = (days: number): number => dayOf(Date.UTC(yearOf(days), monthOf(days), 0));

/** The starts in local time from `start` on and before `end`, `start` itself only where the rule allows it; all that COUNT and UNTIL would end. */
export function walk(rule: WalkerRule, start: number, end: number): number[] {
  const periods = new Map<number, number[]>();
  const explicit = rule.BYWEEKNO ?? rule.BYYEARDAY ?? rule.BYMONTHDAY ?? rule.BYDAY;
  const startDate = new Date(start);
  const times = timesOf(rule, startDate);
  const restOfPeriod = { YEARLY: 400, MONTHLY: 31, WEEKLY: 7 }[rule.FREQ as 'YEARLY'] ?? 1;
  for (let days = beginOfPeriod(rule, start); days * day < end + restOfPeriod * day; days += 1) {
    if (!allowsDay(rule, days, explicit !== undefined, startDate)) continue;
    for (const time of times) {
      const period = periodOf(rule, start, days, days * day + time);
      if (period < 0 || period % (rule.INTERVAL ?? 1) !== 0) continue;
      const list = periods.get(period) ?? [];
      list.push(days * day + time);
      periods.set(period, list);
    }
  }
  return [...periods.values()]
    .flatMap((list) => positions(list, rule.BYSETPOS))
    .filter((local) => local >= start && local < end);
}

function positions(list: number[], wanted: WalkerRule['BYSETPOS']): number[] {
  if (!wanted) return list;
  return list.filter((_, index) => wanted.includes(index + 1) || wanted.includes(index - list.length));
}

/** Of the period that holds the start the days before it count for BYSETPOS. */
function beginOfPeriod({ FREQ, WKST }: WalkerRule, start: number): number {
  const days = dayOf(start);
  // The year of a week may be the one before that of its days.
  if (FREQ === 'YEARLY') return newYear(yearOf(days) - 1) - 7;
  if (FREQ === 'MONTHLY') return firstOf(days);
  return FREQ === 'WEEKLY' ? weekBegin(days, WKST) : days;
}

const weekBegin = (days: number, first = 'MO'): number =>
  days - ((weekdayOf(days) - WEEKDAYS.indexOf(first) + 7) % 7);

function periodOf(rule: WalkerRule, start: number, days: number, local: number): number {
  const from = dayOf(start);
  if (rule.FREQ === 'YEARLY')
    return rule.BYWEEKNO
      ? weekOf(days, rule.WKST).year - weekOf(from, rule.WKST).year
      : yearOf(days) - yearOf(from);
  if (rule.FREQ === 'MONTHLY') return yearOf(days) * 12 + monthOf(days) - yearOf(from) * 12 - monthOf(from);
  if (rule.FREQ === 'WEEKLY') return (weekBegin(days, rule.WKST) - weekBegin(from, rule.WKST)) / 7;
  if (rule.FREQ === 'DAILY') return days - from;
  const unit = UNITS[rule.FREQ];
  return Math.floor(local / unit) - Math.floor(start / unit);
}

/** Week 1 is the first that has at least four days in its year. */
function weekOf(days: number, first?: string): { year: number; week: number; weeks: number } {
  const firstWeek = (year: number): number => weekBegin(newYear(year) + 3, first);
  const middle = weekBegin(days, first) + 3;
  const year = yearOf(middle);
  return {
    year,
    week: (weekBegin(days, first) - firstWeek(year)) / 7 + 1,
    weeks: (firstWeek(year + 1) - firstWeek(year)) / 7,
  };
}

const within = (list: readonly number[] | undefined, forward: number, size: number): boolean =>
  !list || list.includes(forward) || list.includes(forward - size - 1);

function allowsDay(rule: WalkerRule, days: number, isExplicit: boolean, start: Date): boolean {
  const inMonth = days - firstOf(days) + 1;
  const inYear = days - newYear(yearOf(days)) + 1;
  if (rule.BYMONTH && !rule.BYMONTH.includes(monthOf(days))) return false;
  if (!within(rule.BYMONTHDAY, inMonth, endOfMonth(days) - firstOf(days) + 1)) return false;
  if (!within(rule.BYYEARDAY, inYear, newYear(yearOf(days) + 1) - newYear(yearOf(days)))) return false;
  const { week, weeks } = weekOf(days, rule.WKST);
  if (!within(rule.BYWEEKNO, week, weeks)) return false;
  const ofStart = {
    weekday: weekdayOf(dayOf(start.getTime())),
    day: start.getUTCDate(),
    month: start.getUTCMonth() + 1,
  };
  if (rule.BYDAY) return rule.BYDAY.some((weekday) => isWeekday(rule, weekday, days));
  if (rule.FREQ === 'WEEKLY' || (rule.BYWEEKNO && !rule.BYMONTHDAY && !rule.BYYEARDAY))
    return weekdayOf(days) === ofStart.weekday;
  if (isExplicit || (rule.FREQ !== 'MONTHLY' && rule.FREQ !== 'YEARLY')) return true;
  return (
    inMonth === ofStart.day &&
    (rule.FREQ === 'MONTHLY' || rule.BYMONTH !== undefined || monthOf(days) === ofStart.month)
  );
}

function isWeekday(rule: WalkerRule, text: string, days: number): boolean {
  if (WEEKDAYS[weekdayOf(days)] !== text.slice(-2)) return false;
  const ordinal = Number(text.slice(0, -2));
  if (ordinal === 0) return true;
  const inYear = rule.FREQ === 'YEARLY' && !rule.BYMONTH;
  const begin = inYear ? newYear(yearOf(days)) : firstOf(days);
  const end = inYear ? newYear(yearOf(days) + 1) - 1 : endOfMonth(days);
  return ordinal === Math.floor((days - begin) / 7) + 1 || ordinal === -Math.floor((end - days) / 7) - 1;
}

function timesOf({ BYHOUR, BYMINUTE, BYSECOND, FREQ }: WalkerRule, date: Date): number[] {
  const [hour, minute, second] = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()];
  const isBelow = (...frequencies: string[]): boolean => frequencies.includes(FREQ);
  const all = (size: number): number[] => Array.from({ length: size }, (_, index) => index);
  const hours = BYHOUR ?? (isBelow('HOURLY', 'MINUTELY', 'SECONDLY') ? all(24) : [hour]);
  const minutes = BYMINUTE ?? (isBelow('MINUTELY', 'SECONDLY') ? all(60) : [minute]);
  const seconds = BYSECOND ?? (isBelow('SECONDLY') ? all(60) : [second]);
  const times = hours.flatMap((h) =>
    minutes.flatMap((m) => seconds.map((s) => ((h * 60 + m) * 60 + s) * 1000)),
  );
  return [...new Set(times)].sort((one, other) => one - other);
}

const formats = new Map<string, Intl.DateTimeFormat>();
const offsets = new Map<string, number>();
/** Clocks have changed at whole minutes for longer than any case looks back. */
const oneMinute = 60_000;

/** The offset of a zone from UTC as the runtime's own formatter has it. */
export function offsetOf(instant: number, zone: string): number {
  const key = `${zone} ${Math.floor(instant / oneMinute)}`;
  const offset = offsets.get(key) ?? readOffset(Math.floor(instant / oneMinute) * oneMinute, zone);
  offsets.set(key, offset);
  return offset;
}

function readOffset(instant: number, zone: string): number {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  formats.set(zone, format);
  const parts = format.formatToParts(instant);
  const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value);
  return (
    Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) -
    Math.floor(instant / 1000) * 1000
  );
}

/** The instant of a local time: the first of two, and in a gap what the offset before the gap makes of it. */
export function instantAt(local: number, zone: string): number {
  const [before, after] = [offsetOf(local - day, zone), offsetOf(local + day, zone)];
  const fitting = [before, after]
    .map((offset) => local - offset)
    .filter((instant) => instant + offsetOf(instant, zone) === local);
  return fitting.length > 0 ? Math.min(...fitting) : local - before;
}
