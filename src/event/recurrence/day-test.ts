import { isOfYear, numbersOf, weekdayAt, weekdaysOf, type Parts } from './rule.ts';

const week = 7 * 86_400_000;

/**
 * Tells whether a day, by its midnight, is one that a YEARLY rule allows; undefined where the library knows that. It gives
 * too many: a 53rd weekday that a year lacks, all weekdays beside BYMONTHDAY or BYYEARDAY, all days of months beside
 * BYYEARDAY.
 */
export function dayTest(parts: Parts): ((local: number) => boolean) | undefined {
  if (parts.get('FREQ') !== 'YEARLY') return undefined;
  const weekdays = new Set(weekdaysOf(parts));
  const monthDays = parts.has('BYYEARDAY') ? new Set(numbersOf(parts, 'BYMONTHDAY')) : new Set<number>();
  if (weekdays.size === 0 && monthDays.size === 0) return undefined;
  const isYear = isOfYear(parts);
  return (local) => {
    const date = new Date(local).getUTCDate();
    if (monthDays.size > 0 && !monthDays.has(date) && !monthDays.has(date - 1 - new Date(edge(local, false, 1, 0)).getUTCDate())) return false;
    if (weekdays.size === 0) return true;
    const weekday = weekdayAt(local);
    const [before, after] = [local - edge(local, isYear, 0, 1), edge(local, isYear, 1, 0) - local].map((span) => Math.floor(span / week) + 1);
    return weekdays.has(weekday) || weekdays.has(`${before}${weekday}`) || weekdays.has(`-${after}${weekday}`);
  };
}

/** A day at an edge of the month or year of another: day 1 of it, or day 0 of the one that follows. */
function edge(local: number, isYear: boolean, later: number, day: number): number {
  const date = new Date(local);
  const [year, month] = [date.getUTCFullYear(), isYear ? 12 * later : date.getUTCMonth() + later];
  return date.setUTCFullYear(year, month, day);
}
