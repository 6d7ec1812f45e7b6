import {
  CLOCK_PARTS,
  frequencyOf,
  intervalOf,
  numbersOf,
  type RuleParts,
  periodLengthOf,
  numberSetOf,
  weekStartOf,
  withImpliedDays,
} from './rule.ts';
import {
  dayAt,
  dayMs,
  firstDayOfWeekYear,
  createGapFinder,
  monthAt,
  firstDayOfMonth,
  firstDayOfYear,
  type SortedNumbers,
  modulo,
  type Span,
  addPairs,
  firstDayOfWeek,
  weekdayAt,
  WEEKDAYS,
  weekYearAt,
  yearAt,
} from './calendar-days.ts';

/** Days allowed by all BY parts of a rule, whether these expand or limit (RFC 5545, section 3.3.10). */
interface DayLimits {
  allowedIn(begin: number, end: number): number[];
  /** Excluded range around a day that is not allowed: its months, or the day alone. */
  excludedAt(day: number): Span | undefined;
}

type DayTest = (day: number, month: Span, year: Span) => boolean;

function dayLimits(parts: RuleParts): DayLimits {
  const gapAt = createGapFinder(
    numbersOf(parts, 'BYMONTH')?.map((month) => month - 1),
    12,
  );
  const tests = [monthDayTest(parts), yearDayTest(parts), weekdayTest(parts), weekTest(parts)].filter(
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
    month = { begin: firstDayOfMonth(number), end: firstDayOfMonth(number + 1) };
    year = yearOf(Math.floor(number / 12));
    months = gap && { begin: firstDayOfMonth(gap.begin), end: firstDayOfMonth(gap.end) };
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

const yearOf = (year: number): Span => ({ begin: firstDayOfYear(year), end: firstDayOfYear(year + 1) });
const weekYearOf = (year: number, weekStart: number): Span => ({
  begin: firstDayOfWeekYear(year, weekStart),
  end: firstDayOfWeekYear(year + 1, weekStart),
});

/** Whether a list has the number of a day in a month or year; negative numbers count from the end. */
const includesDay = (list: ReadonlySet<number>, day: number, { begin, end }: Span): boolean =>
  list.has(day - begin + 1) || list.has(day - end);

/** Whether a list has the number of a week in a year, or of a weekday in a month or year. */
const includesWeek = (list: ReadonlySet<number>, day: number, { begin, end }: Span): boolean =>
  list.has(Math.floor((day - begin) / 7) + 1) || list.has(Math.floor((day - end) / 7));

function monthDayTest(parts: RuleParts): DayTest | undefined {
  const monthDays = numberSetOf(parts, 'BYMONTHDAY');
  return monthDays && ((day, month) => includesDay(monthDays, day, month));
}

function yearDayTest(parts: RuleParts): DayTest | undefined {
  const yearDays = numberSetOf(parts, 'BYYEARDAY');
  return yearDays && ((day, _month, year) => includesDay(yearDays, day, year));
}

/** Tests BYWEEKNO, whose numbers refer to years of whole weeks. */
function weekTest(parts: RuleParts): DayTest | undefined {
  const [weeks, weekStart] = [numberSetOf(parts, 'BYWEEKNO'), weekStartOf(parts)];
  let year: Span = { begin: 0, end: 0 };
  return (
    weeks &&
    ((day) => {
      if (day < year.begin || day >= year.end) year = weekYearOf(weekYearAt(day, weekStart), weekStart);
      return includesWeek(weeks, day, year);
    })
  );
}

/** Tests BYDAY. Its numbers refer to the year in a yearly rule without BYMONTH, else to the month. */
function weekdayTest(parts: RuleParts): DayTest | undefined {
  const days = parts.get('BYDAY')?.split(',');
  if (!days) return undefined;
  const isOfYear = frequencyOf(parts) === 'YEARLY' && !parts.has('BYMONTH');
  const numbers = WEEKDAYS.map(
    (weekday) =>
      new Set(days.filter((text) => text.endsWith(weekday)).map((text) => Number(text.slice(0, -2)))),
  );
  return (day, month, year) => {
    const list = numbers[weekdayAt(day)] as ReadonlySet<number>;
    // Number 0 means a weekday without a number, which allows each of them.
    return list.has(0) || (list.size > 0 && includesWeek(list, day, isOfYear ? year : month));
  };
}

/** Periods of a rule, numbered by INTERVAL; number 0 contains the start. Times are local, as if in UTC. */
export interface Periods {
  from(local: number): number;
  until(local: number): number;
  beginOf(number: number): number;
  includes(local: number): boolean;
  /** Starts in a period, at least all in `[from, before)`; they may precede the start of the series. */
  startsOf(number: number, from: number, before: number): SortedNumbers;
  /** Nearest periods after and before an empty one that may have starts. */
  next(number: number): number;
  previous(number: number): number;
}

export function periodsOf(rule: RuleParts, start: number): Periods {
  const parts = withImpliedDays(rule, start);
  const [unit, interval] = [unitOf(parts), intervalOf(parts)];
  const origin = unit.at(start);
  const step = stepOf(parts);
  const { basesIn, excluded } = basesOf(parts, step);
  const offsets = offsetsOf(parts, start);
  const positions = numbersOf(parts, 'BYSETPOS');
  const unitAt = (number: number): number => origin + number * interval;
  const beginOf = (number: number): number => unit.begin(unitAt(number));
  const from = (local: number): number => Math.max(0, Math.ceil((unit.at(local) - origin) / interval));
  const until = (local: number): number => Math.floor((unit.at(local) - origin) / interval);
  return {
    from,
    until,
    beginOf,
    includes: (local) => modulo(unit.at(local) - origin, interval) === 0,
    startsOf(number, after, before) {
      const [begin, end] = [beginOf(number), unit.begin(unitAt(number) + 1)];
      if (positions) return selectPositions(addPairs(basesIn(begin, end), offsets), positions);
      return addPairs(
        basesIn(Math.max(begin, Math.floor(after / step) * step), Math.min(end, before)),
        offsets,
      );
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

/** Consecutively numbered years, months, weeks, days, hours, minutes or seconds. */
interface Unit {
  at(local: number): number;
  begin(unit: number): number;
}

function unitOf(parts: RuleParts): Unit {
  const [frequency, weekStart] = [frequencyOf(parts), weekStartOf(parts)];
  const unitOfDays = (at: (day: number) => number, begin: (unit: number) => number): Unit => ({
    at: (local) => at(dayAt(local)),
    begin: (unit) => begin(unit) * dayMs,
  });
  if (frequency === 'MONTHLY') return unitOfDays(monthAt, firstDayOfMonth);
  if (frequency === 'YEARLY' && !parts.has('BYWEEKNO')) return unitOfDays(yearAt, firstDayOfYear);
  // BYWEEKNO refers to years of whole weeks.
  if (frequency === 'YEARLY')
    return unitOfDays(
      (day) => weekYearAt(day, weekStart),
      (year) => firstDayOfWeekYear(year, weekStart),
    );
  const length = periodLengthOf(parts) ?? dayMs;
  const shift = frequency === 'WEEKLY' ? firstDayOfWeek(0, weekStart) * dayMs : 0;
  return { at: (local) => Math.floor((local - shift) / length), begin: (unit) => unit * length + shift };
}

/** Days, hours, minutes or seconds (`step`: their length in ms) that a rule allows. */
function basesOf(parts: RuleParts, step: number) {
  const days = dayLimits(parts);
  const limits = CLOCK_PARTS.filter(({ unit }) => unit >= step).map(({ name, unit, count }) => ({
    unit,
    gapAt: createGapFinder(numbersOf(parts, name), count),
  }));
  const excluded = (local: number): Span | undefined => {
    const gap = days.excludedAt(dayAt(local));
    if (gap) return { begin: gap.begin * dayMs, end: gap.end * dayMs };
    for (const { unit, gapAt } of limits) {
      const unitGap = gapAt(Math.floor(local / unit));
      if (unitGap) return { begin: unitGap.begin * unit, end: unitGap.end * unit };
    }
    return undefined;
  };
  const daysIn = (begin: number, end: number): number[] =>
    days.allowedIn(dayAt(begin), Math.ceil(end / dayMs));
  return { excluded, basesIn: step === dayMs ? daysIn : (begin: number) => (excluded(begin) ? [] : [begin]) };
}

const stepOf = (parts: RuleParts): number => Math.min(dayMs, periodLengthOf(parts) ?? dayMs);

/** Offsets (ms) within a step from the parts for shorter units, such as BYMINUTE within an hour. */
function offsetsOf(rule: RuleParts, start: number): SortedNumbers {
  const parts = withImpliedTimes(rule, start);
  return CLOCK_PARTS.filter(({ unit }) => unit < stepOf(parts)).reduceRight<SortedNumbers>(
    (shorter, { name, unit }) => {
      return addPairs(
        (numbersOf(parts, name) ?? []).map((number) => number * unit),
        shorter,
      );
    },
    [0],
  );
}

function withImpliedTimes(parts: RuleParts, start: number): RuleParts {
  const missing = CLOCK_PARTS.filter(({ name, unit }) => unit < stepOf(parts) && !parts.has(name));
  return new Map([
    ...parts,
    ...missing.map(({ name, unit, count }) => [name, `${modulo(Math.floor(start / unit), count)}`] as const),
  ]);
}

export function impliedParts(parts: RuleParts, start: number): RuleParts {
  const allParts = withImpliedTimes(withImpliedDays(parts, start), start);
  return new Map([...allParts].filter(([name]) => !parts.has(name)));
}

/** Selects starts by BYSETPOS: from 1 forwards, or from -1 backwards. */
function selectPositions(starts: SortedNumbers, positions: readonly number[]): SortedNumbers {
  const indexes = new Set(
    positions.map((position) => (position > 0 ? position - 1 : starts.length + position)),
  );
  const within = [...indexes].filter((index) => index >= 0 && index < starts.length);
  return within.sort((a, b) => a - b).map((index) => starts.at(index) as number);
}
