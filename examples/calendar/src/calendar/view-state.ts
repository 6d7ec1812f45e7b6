import { Temporal } from 'temporal-polyfill';
import { locale } from '../ui/locale.ts';
import { formatDayWithYear, toUtcDate, weekStartOf } from './event-times.ts';

export const views = ['day', 'week', 'month'] as const;
export type View = (typeof views)[number];

/** The visible view and its date: a day, or any day of a week or month. */
export interface ViewState {
  readonly view: View;
  readonly date: Temporal.PlainDate;
}

/** Days from `start` until before `end`, on the clocks of a time zone. */
export interface DateRange {
  readonly start: Temporal.PlainDate;
  readonly end: Temporal.PlainDate;
  readonly zone: string;
}

const daysPerWeek = 7;
const [minYear, maxYear] = [1900, 2200];

/**
 * Returns the days of a view. A month has whole weeks. A week of fewer than seven days (`weekDays`) begins on
 * its date rather than on the first weekday.
 */
export function computeVisibleRange(
  { view, date }: ViewState,
  zone: string,
  weekDays = daysPerWeek,
): DateRange {
  if (view === 'day') return { start: date, end: date.add({ days: 1 }), zone };
  if (view === 'week' && weekDays < daysPerWeek)
    return { start: date, end: date.add({ days: weekDays }), zone };
  const firstDay = view === 'week' ? date : date.with({ day: 1 });
  const lastDay = view === 'week' ? date : firstDay.add({ months: 1 }).subtract({ days: 1 });
  return { start: weekStartOf(firstDay), end: weekStartOf(lastDay).add({ weeks: 1 }), zone };
}

/** Whether a date is one of the days of a range. */
export const isInRange = (date: Temporal.PlainDate, { start, end }: DateRange): boolean =>
  Temporal.PlainDate.compare(start, date) <= 0 && Temporal.PlainDate.compare(date, end) < 0;

/** Whether the page offers a date. Far beyond these years, neither dates nor the gateway's queries work. */
export const isSupportedDate = ({ year }: Temporal.PlainDate): boolean => year >= minYear && year <= maxYear;

/** Returns the previous (-1) or next (1) day, days, week or month. */
export const computeAdjacentView = (
  { view, date }: ViewState,
  direction: -1 | 1,
  weekDays = daysPerWeek,
): ViewState => ({
  view,
  date: date.add(view === 'week' ? { days: direction * weekDays } : { [`${view}s`]: direction }),
});

/** Formats the days of a view: "Friday 9 April 2027", "5 – 11 April 2027" or "April 2027". */
export function formatViewTitle(viewState: ViewState, weekDays = daysPerWeek): string {
  const { view, date } = viewState;
  if (view === 'day') return formatDayWithYear(date);
  if (view === 'month') return formatMonth(date);
  const { start, end } = computeVisibleRange(viewState, 'UTC', weekDays);
  return weekFormat.formatRange(toUtcDate(start), toUtcDate(end.subtract({ days: 1 })));
}

/** Formats a month: "April 2027". */
export const formatMonth = (date: Temporal.PlainDate): string => monthFormat.format(toUtcDate(date));

const monthFormat = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
const weekFormat = new Intl.DateTimeFormat(locale, {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

/**
 * Parses `?view=month&date=2026-11-23`, or `?week=…` for the week of a day. Absent and invalid members are
 * undefined.
 */
export function parseViewState(search: string): Partial<ViewState> {
  const parameters = new URLSearchParams(search);
  const week = parameters.get('week');
  const name = week === null ? parameters.get('view') : 'week';
  return {
    view: views.find((view) => view === name),
    date: parseSupportedDate(week ?? parameters.get('date')),
  };
}

/** Parses a date; undefined if it is absent, invalid or outside the supported years. */
function parseSupportedDate(text: string | null): Temporal.PlainDate | undefined {
  try {
    const date = text === null ? undefined : Temporal.PlainDate.from(text);
    return date && isSupportedDate(date) ? date : undefined;
  } catch {
    return undefined;
  }
}
