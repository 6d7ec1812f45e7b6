import { Temporal } from 'temporal-polyfill';
import { locale } from '../ui/locale.ts';
import { asUtc, dayName, weekStartOf } from './week.ts';

export const views = ['day', 'week', 'month'] as const;
export type View = (typeof views)[number];

/** The view and its date: a day, or the week or month with it. */
export interface Shown {
  readonly view: View;
  readonly date: Temporal.PlainDate;
}

/** Days that are read and shown; `to` is exclusive. A month is shown in whole weeks. */
export interface Span {
  readonly from: Temporal.PlainDate;
  readonly to: Temporal.PlainDate;
  readonly zone: string;
}

/** `weekDays`: 7 for a week from Monday on, or the number of days that a week shows from its date on. */
export function spanOf({ view, date }: Shown, zone: string, weekDays = 7): Span {
  if (view === 'day') return { from: date, to: date.add({ days: 1 }), zone };
  if (view === 'week' && weekDays < 7) return { from: date, to: date.add({ days: weekDays }), zone };
  const first = view === 'week' ? date : date.with({ day: 1 });
  const last = view === 'week' ? date : first.add({ months: 1 }).subtract({ days: 1 });
  return { from: weekStartOf(first), to: weekStartOf(last).add({ weeks: 1 }), zone };
}

export const isWithin = (date: Temporal.PlainDate, { from, to }: Span): boolean =>
  Temporal.PlainDate.compare(from, date) <= 0 && Temporal.PlainDate.compare(date, to) < 0;

/** Dates that the page shows: neither dates nor the gateway go on far beyond. */
export const isShowable = (date: Temporal.PlainDate): boolean => date.year >= 1900 && date.year <= 2200;

/** The day, days, week or month before (-1) or after (1). */
export const neighbour = ({ view, date }: Shown, by: number, weekDays = 7): Shown => ({
  view,
  date: date.add(view === 'week' ? { days: by * weekDays } : { [`${view}s`]: by }),
});

export function titleOfShown(shown: Shown, weekDays = 7): string {
  const { view, date } = shown;
  if (view === 'day') return `${dayName(date)} ${date.year}`;
  if (view === 'month') return format({ month: 'long', year: 'numeric' }).format(asUtc(date));
  const { from, to } = spanOf(shown, 'UTC', weekDays);
  return format({ day: 'numeric', month: 'long', year: 'numeric' }).formatRange(
    asUtc(from),
    asUtc(to.subtract({ days: 1 })),
  );
}

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' });

/** `?view=month&date=2026-11-23`; `?week=…` is the week with that day. Undefined is what it does not say, or not rightly. */
export function shownIn(address: string): Partial<Shown> {
  const asked = new URLSearchParams(address);
  const week = asked.get('week');
  const view = week === null ? asked.get('view') : 'week';
  return { view: views.find((one) => one === view), date: dateIn(week ?? asked.get('date')) };
}

function dateIn(text: string | null): Temporal.PlainDate | undefined {
  try {
    const date = text === null ? undefined : Temporal.PlainDate.from(text);
    return date && isShowable(date) ? date : undefined;
  } catch {
    return undefined;
  }
}
