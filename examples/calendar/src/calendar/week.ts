import { Temporal } from 'temporal-polyfill';
import type { EventFieldsFragment } from '../gql/graphql.ts';

/** An event, and the calendar on which it is shown: ids of events are unique on their calendar only. */
export type CalendarEvent = EventFieldsFragment & { readonly calendarId: string };

/** A week that is shown, Monday to Sunday, in the calendar's own time zone. */
export interface Week {
  readonly monday: Temporal.PlainDate;
  readonly zone: string;
}

export const mondayOf = (date: Temporal.PlainDate): Temporal.PlainDate => date.subtract({ days: date.dayOfWeek - 1 });
export const todayIn = (zone: string): Temporal.PlainDate => Temporal.Now.plainDateISO(zone);
export const daysOf = ({ monday }: Week): readonly Temporal.PlainDate[] => Array.from({ length: 7 }, (_, days) => monday.add({ days }));

export function boundsOf({ monday, zone }: Week): { timeMin: string; timeMax: string } {
  const at = (date: Temporal.PlainDate): string => date.toZonedDateTime(zone).toString({ timeZoneName: 'never' });
  return { timeMin: at(monday), timeMax: at(monday.add({ days: 7 })) };
}

/** When an event is, on the clocks of the calendar. `end` is exclusive, of all-day events too. */
export interface Times {
  readonly allDay: boolean;
  readonly start: Temporal.PlainDateTime;
  readonly end: Temporal.PlainDateTime;
}

/** Undefined for an event of which no time is shown. */
export function timesOf({ start, end }: Pick<EventFieldsFragment, 'start' | 'end'>, zone: string): Times | undefined {
  if (start?.date && end?.date) {
    return { allDay: true, start: Temporal.PlainDate.from(start.date).toPlainDateTime(), end: Temporal.PlainDate.from(end.date).toPlainDateTime() };
  }
  if (!start?.dateTime || !end?.dateTime) return undefined;
  const local = (moment: string): Temporal.PlainDateTime => Temporal.Instant.from(moment).toZonedDateTimeISO(zone).toPlainDateTime();
  return { allDay: false, start: local(start.dateTime), end: local(end.dateTime) };
}

/** The moment on the calendar's clocks, with its offset, so that the zone that is stored beside it stays. */
export const momentOf = (local: Temporal.PlainDateTime, zone: string): string => local.toZonedDateTime(zone).toString({ timeZoneName: 'never', smallestUnit: 'second' });

const day = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' });
const asUtc = (date: Temporal.PlainDate): Date => new Date(`${date.toString()}T00:00Z`);

export const dayName = (date: Temporal.PlainDate): string => day.format(asUtc(date));
export const clock = (time: Temporal.PlainDateTime): string => time.toPlainTime().toString({ smallestUnit: 'minute' });

export function weekTitle({ monday }: Week): string {
  return new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })
    .formatRange(asUtc(monday), asUtc(monday.add({ days: 6 })));
}

/** "Tuesday 1 December, 10:00 to 11:00", as it is read out. */
export function spokenTimes({ allDay, start, end }: Times): string {
  const last = end.subtract(allDay ? { days: 1 } : { minutes: 0 }).toPlainDate();
  const first = start.toPlainDate();
  const sameDay = first.equals(last);
  if (allDay) return sameDay ? `${dayName(first)}, all day` : `${dayName(first)} to ${dayName(last)}`;
  return `${dayName(first)}, ${clock(start)} to ${sameDay ? '' : `${dayName(last)}, `}${clock(end)}`;
}
