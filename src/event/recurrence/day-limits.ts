import {
  dayMs,
  firstWeek,
  monthAt,
  monthBegin,
  newYear,
  WEEKDAYS,
  weekdayAt,
  weekYearAt,
  type Span,
} from './calendar-days.ts';
import { gapsOf } from './gaps.ts';
import { frequencyOf, numbersOf, setOf, weekStartOf, type Parts } from './rule.ts';

/**
 * The days that a rule allows. What RFC 5545 (section 3.3.10) calls expansions and limits comes to the same here: a day of
 * a period counts if each of the BY parts names it.
 */
export interface DayLimits {
  /** The begins of those from a day on and before another, in local time. */
  allowedIn(begin: number, end: number): number[];
  /** The months, or else the day, around a day that is not allowed. */
  excludedAt(day: number): Span | undefined;
}

type DayTest = (day: number, month: Span, year: Span) => boolean;

export function dayLimits(parts: Parts): DayLimits {
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
