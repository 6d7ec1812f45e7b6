import {
  dayAt,
  dayMs,
  firstWeek,
  monthAt,
  monthBegin,
  newYear,
  remainder,
  weekBegin,
  weekYearAt,
  yearAt,
  type Span,
} from './calendar-days.ts';
import { dayLimits } from './day-limits.ts';
import { gapsOf } from './gaps.ts';
import { sums, type Ordered } from './ordered.ts';
import {
  CLOCK_PARTS,
  frequencyOf,
  intervalOf,
  numbersOf,
  periodOf,
  weekStartOf,
  withDays,
  type Parts,
} from './rule.ts';

/**
 * The periods of a rule, of which INTERVAL takes one in so many, by their numbers: 0 is the one that holds the start.
 * Times are local, written as the epoch milliseconds they would have in UTC.
 */
export interface Periods {
  /** The first that ends behind a time. */
  from(local: number): number;
  /** The last that begins at a time or before it. */
  until(local: number): number;
  beginOf(number: number): number;
  /** Whether a time lies in one of them, not in one that INTERVAL leaves out. */
  includes(local: number): boolean;
  /** What the rule gives in a period, the start of the series or not: at least all of it from `from` on and before `before`. */
  startsOf(number: number, from: number, before: number): Ordered;
  /** The nearest periods behind and before an empty one that need not be empty too. */
  next(number: number): number;
  previous(number: number): number;
}

export function periodsOf(rule: Parts, start: number): Periods {
  const parts = withDays(rule, start);
  const [unit, interval] = [unitOf(parts), intervalOf(parts)];
  const origin = unit.at(start);
  const step = stepOf(parts);
  const { basesIn, excluded } = basesOf(parts, step);
  const times = timesOf(parts, start);
  const positions = numbersOf(parts, 'BYSETPOS');
  const unitAt = (number: number): number => origin + number * interval;
  const beginOf = (number: number): number => unit.begin(unitAt(number));
  const from = (local: number): number => Math.max(0, Math.ceil((unit.at(local) - origin) / interval));
  const until = (local: number): number => Math.floor((unit.at(local) - origin) / interval);
  return {
    from,
    until,
    beginOf,
    includes: (local) => remainder(unit.at(local) - origin, interval) === 0,
    startsOf(number, after, before) {
      const [begin, end] = [beginOf(number), unit.begin(unitAt(number) + 1)];
      if (positions) return picked(sums(basesIn(begin, end), times), positions);
      return sums(basesIn(Math.max(begin, Math.floor(after / step) * step), Math.min(end, before)), times);
    },
    next(number) {
      const gap = excluded(beginOf(number));
      return Math.max(number + 1, gap ? from(gap.end) : 0);
    },
    previous(number) {
      const gap = excluded(beginOf(number));
      return Math.min(number - 1, gap ? until(gap.begin - 1) : number);
    },
  };
}

/** Units of the calendar, numbered on and on: years, months, weeks, days, hours, minutes or seconds. */
interface Unit {
  at(local: number): number;
  begin(unit: number): number;
}

function unitOf(parts: Parts): Unit {
  const [frequency, weekStart] = [frequencyOf(parts), weekStartOf(parts)];
  const unitOfDays = (at: (day: number) => number, begin: (unit: number) => number): Unit => ({
    at: (local) => at(dayAt(local)),
    begin: (unit) => begin(unit) * dayMs,
  });
  if (frequency === 'MONTHLY') return unitOfDays(monthAt, monthBegin);
  if (frequency === 'YEARLY' && !parts.has('BYWEEKNO')) return unitOfDays(yearAt, newYear);
  // Beside BYWEEKNO a year is one of whole weeks.
  if (frequency === 'YEARLY')
    return unitOfDays(
      (day) => weekYearAt(day, weekStart),
      (year) => firstWeek(year, weekStart),
    );
  const length = periodOf(parts) ?? dayMs;
  const shift = frequency === 'WEEKLY' ? weekBegin(0, weekStart) * dayMs : 0;
  return { at: (local) => Math.floor((local - shift) / length), begin: (unit) => unit * length + shift };
}

/** What a rule allows of the days, or of the hours, minutes or seconds, that are as long as `step`. */
function basesOf(parts: Parts, step: number) {
  const days = dayLimits(parts);
  const limits = CLOCK_PARTS.filter(({ unit }) => unit >= step).map(({ name, unit, count }) => ({
    unit,
    gapAt: gapsOf(numbersOf(parts, name), count),
  }));
  /** The time around a moment that the rule excludes as a whole: months, a day, hours, minutes or seconds. */
  const excluded = (local: number): Span | undefined => {
    const gap = days.excludedAt(dayAt(local));
    if (gap) return { begin: gap.begin * dayMs, end: gap.end * dayMs };
    for (const { unit, gapAt } of limits) {
      const shorter = gapAt(Math.floor(local / unit));
      if (shorter) return { begin: shorter.begin * unit, end: shorter.end * unit };
    }
    return undefined;
  };
  const daysIn = (begin: number, end: number): number[] =>
    days.allowedIn(dayAt(begin), Math.ceil(end / dayMs));
  return { excluded, basesIn: step === dayMs ? daysIn : (begin: number) => (excluded(begin) ? [] : [begin]) };
}

const stepOf = (parts: Parts): number => Math.min(dayMs, periodOf(parts) ?? dayMs);

/** What the parts for units shorter than a step add to a day, an hour or a minute. */
function timesOf(rule: Parts, start: number): Ordered {
  const parts = withTimes(rule, start);
  return CLOCK_PARTS.filter(({ unit }) => unit < stepOf(parts)).reduceRight<Ordered>(
    (shorter, { name, unit }) => {
      return sums(
        (numbersOf(parts, name) ?? []).map((number) => number * unit),
        shorter,
      );
    },
    [0],
  );
}

/** Takes from the start what a rule leaves open of its times. */
function withTimes(parts: Parts, start: number): Parts {
  const open = CLOCK_PARTS.filter(({ name, unit }) => unit < stepOf(parts) && !parts.has(name));
  return new Map([
    ...parts,
    ...open.map(({ name, unit, count }) => [name, `${remainder(Math.floor(start / unit), count)}`] as const),
  ]);
}

/** What a rule leaves open and takes from its start. */
export function impliedBy(parts: Parts, start: number): Parts {
  return new Map([...withTimes(withDays(parts, start), start)].filter(([name]) => !parts.has(name)));
}

/** Those at some positions: counted from 1, or from -1 backwards. */
function picked(starts: Ordered, positions: readonly number[]): Ordered {
  const indexes = new Set(
    positions.map((position) => (position > 0 ? position - 1 : starts.length + position)),
  );
  const within = [...indexes].filter((index) => index >= 0 && index < starts.length);
  return within.sort((one, other) => one - other).map((index) => starts.at(index) as number);
}
