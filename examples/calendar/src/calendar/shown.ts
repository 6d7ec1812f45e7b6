import { Temporal } from 'temporal-polyfill';
import { asUtc, dayName, mondayOf } from './week.ts';

export const views = ['day', 'week', 'month'] as const;
export type View = (typeof views)[number];

/** Visible range: a day, or the week or month that contains it. */
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

export function spanOf({ view, date }: Shown, zone: string): Span {
  if (view === 'day') return { from: date, to: date.add({ days: 1 }), zone };
  const first = view === 'week' ? date : date.with({ day: 1 });
  const last = view === 'week' ? date : first.add({ months: 1 }).subtract({ days: 1 });
  return { from: mondayOf(first), to: mondayOf(last).add({ weeks: 1 }), zone };
}

export const isWithin = (date: Temporal.PlainDate, { from, to }: Span): boolean =>
  Temporal.PlainDate.compare(from, date) <= 0 && Temporal.PlainDate.compare(date, to) < 0;

/** Dates that the page can show. Dates and the gateway have limits far beyond these. */
export const isShowable = (date: Temporal.PlainDate): boolean => date.year >= 1900 && date.year <= 2200;

/** The day, week or month before (-1) or after (1). */
export const neighbour = ({ view, date }: Shown, by: number): Shown => ({
  view,
  date: date.add({ [`${view}s`]: by }),
});

export function titleOfShown({ view, date }: Shown): string {
  if (view === 'day') return `${dayName(date)} ${date.year}`;
  if (view === 'month') return format({ month: 'long', year: 'numeric' }).format(asUtc(date));
  const monday = mondayOf(date);
  return format({ day: 'numeric', month: 'long', year: 'numeric' }).formatRange(
    asUtc(monday),
    asUtc(monday.add({ days: 6 })),
  );
}

const format = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });

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
