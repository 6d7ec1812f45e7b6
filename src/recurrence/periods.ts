import {
  clockParts,
  frequencyOf,
  intervalOf,
  numbersOf,
  type RuleParts,
  periodLengthMsOf,
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
  addEachOffset,
  firstDayOfWeek,
  weekdayAt,
  weekdayCodes,
  weekYearAt,
  yearAt,
} from './calendar-days.ts';

/** Days allowed by all BY parts of a rule, whether these expand or limit (RFC 5545, section 3.3.10). */
interface AllowedDays {
  /** Begins (ms as if in UTC) of the allowed days among the days `[begin, end)`. */
  listDayBegins(begin: number, end: number): number[];
  /** Excluded range around a day that is not allowed: its months, or the day alone. */
  excludedAt(day: number): Span | undefined;
}

const noDays: Span = { begin: 0, end: 0 };

/** Whether one BY part allows a day, given the days of its month and year. */
type DayTest = (day: number, month: Span, year: Span) => boolean;

/** Creates the tests of days. The month and year of the last tested day are kept, since days come in order. */
function createAllowedDays(parts: RuleParts): AllowedDays {
  const gapAt = createGapFinder(
    numbersOf(parts, 'BYMONTH')?.map((month) => month - 1),
    12,
  );
  const dayTests = createDayTests(parts);
  let [month, year]: [Span, Span] = [noDays, noDays];
  let excludedMonths: Span | undefined;
  const selectMonthOf = (day: number): void => {
    if (day >= month.begin && day < month.end) return;
    const monthNumber = monthAt(day);
    const gap = gapAt(monthNumber);
    month = { begin: firstDayOfMonth(monthNumber), end: firstDayOfMonth(monthNumber + 1) };
    const yearNumber = Math.floor(monthNumber / 12);
    year = { begin: firstDayOfYear(yearNumber), end: firstDayOfYear(yearNumber + 1) };
    excludedMonths = gap && { begin: firstDayOfMonth(gap.begin), end: firstDayOfMonth(gap.end) };
  };
  const isAllowed = (day: number): boolean => dayTests.every((test) => test(day, month, year));
  return {
    listDayBegins(begin, end) {
      const allowedDays: number[] = [];
      for (let day = begin; day < end;) {
        selectMonthOf(day);
        const stop = Math.min(end, month.end);
        if (excludedMonths) day = excludedMonths.end;
        else for (; day < stop; day += 1) if (isAllowed(day)) allowedDays.push(day * dayMs);
      }
      return allowedDays;
    },
    excludedAt(day) {
      selectMonthOf(day);
      return excludedMonths ?? (isAllowed(day) ? undefined : { begin: day, end: day + 1 });
    },
  };
}

/** Whether `list` has the number of a day in a month or year; negative numbers count from the end. */
const includesDay = (list: ReadonlySet<number>, day: number, { begin, end }: Span): boolean =>
  list.has(day - begin + 1) || list.has(day - end);

/** Whether `list` has the number of a week in a year, or of a weekday in a month or year; negative numbers count from the end. */
const includesWeek = (list: ReadonlySet<number>, day: number, { begin, end }: Span): boolean =>
  list.has(Math.floor((day - begin) / 7) + 1) || list.has(Math.floor((day - end) / 7));

/** Creates the tests of all BY parts for days that a rule has. */
function createDayTests(parts: RuleParts): DayTest[] {
  const [monthDays, yearDays] = [numberSetOf(parts, 'BYMONTHDAY'), numberSetOf(parts, 'BYYEARDAY')];
  const tests: (DayTest | undefined)[] = [
    monthDays && ((day, month) => includesDay(monthDays, day, month)),
    yearDays && ((day, _month, year) => includesDay(yearDays, day, year)),
    createWeekdayTest(parts),
    createWeekTest(parts),
  ];
  return tests.filter((test) => test !== undefined);
}

/** Creates the test of BYWEEKNO, whose numbers refer to years of whole weeks. */
function createWeekTest(parts: RuleParts): DayTest | undefined {
  const [weeks, weekStart] = [numberSetOf(parts, 'BYWEEKNO'), weekStartOf(parts)];
  if (!weeks) return undefined;
  let year = noDays;
  return (day) => {
    if (day < year.begin || day >= year.end) {
      const weekYear = weekYearAt(day, weekStart);
      year = {
        begin: firstDayOfWeekYear(weekYear, weekStart),
        end: firstDayOfWeekYear(weekYear + 1, weekStart),
      };
    }
    return includesWeek(weeks, day, year);
  };
}

/** Creates the test of BYDAY. Its numbers refer to the year in a yearly rule without BYMONTH, else to the month. */
function createWeekdayTest(parts: RuleParts): DayTest | undefined {
  const days = parts.get('BYDAY')?.split(',');
  if (!days) return undefined;
  const refersToYear = frequencyOf(parts) === 'YEARLY' && !parts.has('BYMONTH');
  const numbersByWeekday = weekdayCodes.map(
    (weekday) =>
      new Set(days.filter((text) => text.endsWith(weekday)).map((text) => Number(text.slice(0, -2)))),
  );
  return (day, month, year) => {
    const weekdayNumbers = numbersByWeekday[weekdayAt(day)] as ReadonlySet<number>;
    // Number 0 means a weekday without a number, which allows each of them.
    return (
      weekdayNumbers.has(0) ||
      (weekdayNumbers.size > 0 && includesWeek(weekdayNumbers, day, refersToYear ? year : month))
    );
  };
}

/** Periods of a rule, numbered by INTERVAL; number 0 contains the start. Times are local, as if in UTC. */
export interface Periods {
  /** Number of the first period that contains or follows a local time, at least 0. */
  firstNumberFrom(local: number): number;
  /** Number of the last period that contains or precedes a local time; negative before the start. */
  lastNumberUntil(local: number): number;
  /** Local time at which a period begins. */
  beginOf(number: number): number;
  /** Whether a local time is in a period, not between two. */
  includes(local: number): boolean;
  /** Starts in a period, at least all in `[from, before)`; they may precede the start of the series. */
  startsOf(number: number, from: number, before: number): SortedNumbers;
  /** Nearest period after an empty one that may have starts. */
  nextCandidate(number: number): number;
  /** Nearest period before an empty one that may have starts. */
  previousCandidate(number: number): number;
}

/** Numbers the periods of a rule whose series starts at the local time `start`. */
export function periodsOf(rule: RuleParts, start: number): Periods {
  const parts = withImpliedDays(rule, start);
  const [calendarUnit, interval] = [calendarUnitOf(parts), intervalOf(parts)];
  const firstUnitNumber = calendarUnit.numberAt(start);
  const stepMs = stepMsOf(parts);
  const { stepBeginsIn, excludedAt } = allowedStepsOf(parts, stepMs);
  const offsets = offsetsOf(parts, start);
  const positions = numbersOf(parts, 'BYSETPOS');
  const unitNumberOf = (number: number): number => firstUnitNumber + number * interval;
  const beginOf = (number: number): number => calendarUnit.beginOf(unitNumberOf(number));
  const firstNumberFrom = (local: number): number =>
    Math.max(0, Math.ceil((calendarUnit.numberAt(local) - firstUnitNumber) / interval));
  const lastNumberUntil = (local: number): number =>
    Math.floor((calendarUnit.numberAt(local) - firstUnitNumber) / interval);
  return {
    firstNumberFrom,
    lastNumberUntil,
    beginOf,
    includes: (local) => modulo(calendarUnit.numberAt(local) - firstUnitNumber, interval) === 0,
    startsOf(number, from, before) {
      const [begin, end] = [beginOf(number), calendarUnit.beginOf(unitNumberOf(number) + 1)];
      if (positions) return selectPositions(addEachOffset(stepBeginsIn(begin, end), offsets), positions);
      return addEachOffset(
        stepBeginsIn(Math.max(begin, Math.floor(from / stepMs) * stepMs), Math.min(end, before)),
        offsets,
      );
    },
    nextCandidate(number) {
      const gap = excludedAt(beginOf(number));
      return Math.max(number + 1, gap ? firstNumberFrom(gap.end) : 0);
    },
    previousCandidate(number) {
      const gap = excludedAt(beginOf(number));
      return Math.min(number - 1, gap ? lastNumberUntil(gap.begin - 1) : number);
    },
  };
}

/** Consecutively numbered years, months, weeks, days, hours, minutes or seconds. */
interface CalendarUnit {
  numberAt(local: number): number;
  beginOf(number: number): number;
}

/** Returns the unit of a rule's frequency. */
function calendarUnitOf(parts: RuleParts): CalendarUnit {
  const [frequency, weekStart] = [frequencyOf(parts), weekStartOf(parts)];
  const unitOfDays = (
    numberAt: (day: number) => number,
    beginOf: (number: number) => number,
  ): CalendarUnit => ({
    numberAt: (local) => numberAt(dayAt(local)),
    beginOf: (number) => beginOf(number) * dayMs,
  });
  if (frequency === 'MONTHLY') return unitOfDays(monthAt, firstDayOfMonth);
  if (frequency === 'YEARLY' && !parts.has('BYWEEKNO')) return unitOfDays(yearAt, firstDayOfYear);
  // BYWEEKNO refers to years of whole weeks.
  if (frequency === 'YEARLY')
    return unitOfDays(
      (day) => weekYearAt(day, weekStart),
      (year) => firstDayOfWeekYear(year, weekStart),
    );
  const lengthMs = periodLengthMsOf(parts) ?? dayMs;
  const shiftMs = frequency === 'WEEKLY' ? firstDayOfWeek(0, weekStart) * dayMs : 0;
  return {
    numberAt: (local) => Math.floor((local - shiftMs) / lengthMs),
    beginOf: (number) => number * lengthMs + shiftMs,
  };
}

/** Creates the lookups of the days, hours, minutes or seconds (`stepLengthMs`) that a rule allows, by their begin. */
function allowedStepsOf(parts: RuleParts, stepLengthMs: number) {
  const days = createAllowedDays(parts);
  const clockLimits = clockParts
    .filter(({ unitMs }) => unitMs >= stepLengthMs)
    .map(({ name, unitMs, count }) => ({
      unitMs,
      gapAt: createGapFinder(numbersOf(parts, name), count),
    }));
  const excludedAt = (local: number): Span | undefined => {
    const gap = days.excludedAt(dayAt(local));
    if (gap) return { begin: gap.begin * dayMs, end: gap.end * dayMs };
    for (const { unitMs, gapAt } of clockLimits) {
      const unitGap = gapAt(Math.floor(local / unitMs));
      if (unitGap) return { begin: unitGap.begin * unitMs, end: unitGap.end * unitMs };
    }
    return undefined;
  };
  const allowedDaysIn = (begin: number, end: number): number[] =>
    days.listDayBegins(dayAt(begin), Math.ceil(end / dayMs));
  return {
    excludedAt,
    stepBeginsIn:
      stepLengthMs === dayMs ? allowedDaysIn : (begin: number) => (excludedAt(begin) ? [] : [begin]),
  };
}

/**
 * Returns the length (ms) of the shortest unit that a rule selects by frequency or days: a day, or less for
 * shorter periods.
 */
const stepMsOf = (parts: RuleParts): number => Math.min(dayMs, periodLengthMsOf(parts) ?? dayMs);

/** Offsets (ms) within a step from the parts for shorter units, such as BYMINUTE within an hour. */
function offsetsOf(rule: RuleParts, start: number): SortedNumbers {
  const parts = withImpliedTimes(rule, start);
  return clockParts
    .filter(({ unitMs }) => unitMs < stepMsOf(parts))
    .reduceRight<SortedNumbers>(
      (shorterOffsets, { name, unitMs }) => {
        const unitOffsets = (numbersOf(parts, name) ?? []).map((number) => number * unitMs);
        return addEachOffset(unitOffsets, shorterOffsets);
      },
      [0],
    );
}

/** Adds missing parts for times of day from the start. */
function withImpliedTimes(parts: RuleParts, start: number): RuleParts {
  const missingParts = clockParts.filter(({ name, unitMs }) => unitMs < stepMsOf(parts) && !parts.has(name));
  return new Map([
    ...parts,
    ...missingParts.map(
      ({ name, unitMs, count }) => [name, `${modulo(Math.floor(start / unitMs), count)}`] as const,
    ),
  ]);
}

/** Returns the BY parts that a rule leaves out and takes from its start. */
export function impliedParts(parts: RuleParts, start: number): RuleParts {
  const allParts = withImpliedTimes(withImpliedDays(parts, start), start);
  return new Map([...allParts].filter(([name]) => !parts.has(name)));
}

/** Selects starts by BYSETPOS: from 1 forwards, or from -1 backwards. */
function selectPositions(starts: SortedNumbers, positions: readonly number[]): SortedNumbers {
  const indexes = new Set(
    positions.map((position) => (position > 0 ? position - 1 : starts.length + position)),
  );
  const validIndexes = [...indexes].filter((index) => index >= 0 && index < starts.length);
  return validIndexes.sort((a, b) => a - b).map((index) => starts.at(index) as number);
}
