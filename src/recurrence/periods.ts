import {
  CLOCK_PARTS,
  frequencyOf,
  intervalOf,
  numbersOf,
  type Parts,
  periodOf,
  setOf,
  weekStartOf,
  withDays,
} from './rule.ts';
import {
  dayAt,
  dayMs,
  firstWeek,
  gapsOf,
  monthAt,
  monthBegin,
  newYear,
  type Ordered,
  remainder,
  type Span,
  sums,
  weekBegin,
  weekdayAt,
  WEEKDAYS,
  weekYearAt,
  yearAt,
} from './calendar-days.ts';

/** The days that a rule allows: those that each BY part names, be it an expansion or a limit (RFC 5545, section 3.3.10). */
interface DayLimits {
  /** The begins of those from a day on and before another, in local time. */
  allowedIn(begin: number, end: number): number[];
  /** The months, or else the day, around a day that is not allowed. */
  excludedAt(day: number): Span | undefined;
}

type DayTest = (day: number, month: Span, year: Span) => boolean;

function dayLimits(parts: Parts): DayLimits {
  const gapAt = gapsOf(
    numbersOf(parts, 'BYMONTH')?.map((month) => month - 1),
    12,
  );
  const tests = [ofMonth(parts), ofYear(parts), ofWeekdays(parts), ofWeeks(parts)].filter(
    (test) => test !== undefined,
  );
  let [month, year, months]: [Span, Span, Span | undefined] = [
    { begin: 0, end: 0 },
    { begin: 0, end: 0 },
    undefined,
  ];
  const moveTo = (day: number): void => {
    if (day >= month.begin && day < month.end) return;
    const number = monthAt(day);
    const gap = gapAt(number);
    month = { begin: monthBegin(number), end: monthBegin(number + 1) };
    year = yearOf(Math.floor(number / 12));
    months = gap && { begin: monthBegin(gap.begin), end: monthBegin(gap.end) };
  };
  const isAllowed = (day: number): boolean => tests.every((test) => test(day, month, year));
  return {
    allowedIn(begin, end) {
      const begins: number[] = [];
      for (let day = begin; day < end;) {
        moveTo(day);
        const stop = Math.min(end, month.end);
        if (months) day = months.end;
        else for (; day < stop; day += 1) if (isAllowed(day)) begins.push(day * dayMs);
      }
      return begins;
    },
    excludedAt(day) {
      moveTo(day);
      return months ?? (isAllowed(day) ? undefined : { begin: day, end: day + 1 });
    },
  };
}

const yearOf = (year: number): Span => ({ begin: newYear(year), end: newYear(year + 1) });
const weekYearOf = (year: number, weekStart: number): Span => ({
  begin: firstWeek(year, weekStart),
  end: firstWeek(year + 1, weekStart),
});

/** Whether a list has the number of a day in a month or year: from the begin, or negative from the end. */
const isNumbered = (list: ReadonlySet<number>, day: number, { begin, end }: Span): boolean =>
  list.has(day - begin + 1) || list.has(day - end);

/** Whether it has the number of a day's week, or of a weekday among its like. */
const isNumberedWeekly = (list: ReadonlySet<number>, day: number, { begin, end }: Span): boolean =>
  list.has(Math.floor((day - begin) / 7) + 1) || list.has(Math.floor((day - end) / 7));

function ofMonth(parts: Parts): DayTest | undefined {
  const monthDays = setOf(parts, 'BYMONTHDAY');
  return monthDays && ((day, month) => isNumbered(monthDays, day, month));
}

function ofYear(parts: Parts): DayTest | undefined {
  const yearDays = setOf(parts, 'BYYEARDAY');
  return yearDays && ((day, _month, year) => isNumbered(yearDays, day, year));
}

/** Weeks are numbered through the years of whole weeks. */
function ofWeeks(parts: Parts): DayTest | undefined {
  const [weeks, weekStart] = [setOf(parts, 'BYWEEKNO'), weekStartOf(parts)];
  let year: Span = { begin: 0, end: 0 };
  return (
    weeks &&
    ((day) => {
      if (day < year.begin || day >= year.end) year = weekYearOf(weekYearAt(day, weekStart), weekStart);
      return isNumberedWeekly(weeks, day, year);
    })
  );
}

/** The numbers of weekdays count through the year where a yearly rule names no months, else through the month. */
function ofWeekdays(parts: Parts): DayTest | undefined {
  const named = parts.get('BYDAY')?.split(',');
  if (!named) return undefined;
  const isOfYear = frequencyOf(parts) === 'YEARLY' && !parts.has('BYMONTH');
  const numbers = WEEKDAYS.map(
    (weekday) =>
      new Set(named.filter((text) => text.endsWith(weekday)).map((text) => Number(text.slice(0, -2)))),
  );
  return (day, month, year) => {
    const list = numbers[weekdayAt(day)] as ReadonlySet<number>;
    // A weekday without a number is any of them.
    return list.has(0) || (list.size > 0 && isNumberedWeekly(list, day, isOfYear ? year : month));
  };
}

/** The periods of a rule by number, 0 with the start; INTERVAL takes one in so many. Times are local, as if in UTC. */
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
