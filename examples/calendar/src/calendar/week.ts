import { Temporal } from 'temporal-polyfill';
import type { EventFieldsFragment } from '../gql/graphql.ts';
import { firstWeekday, locale } from '../ui/locale.ts';

/** An event, and the calendar on which it is shown: ids of events are unique on their calendar only. */
export type CalendarEvent = EventFieldsFragment & { readonly calendarId: string };

/** The first day of the week with a date, by the reader's locale. */
export const weekStartOf = (date: Temporal.PlainDate): Temporal.PlainDate =>
  date.subtract({ days: (date.dayOfWeek - firstWeekday + 7) % 7 });
export const todayIn = (zone: string): Temporal.PlainDate => Temporal.Now.plainDateISO(zone);

/** A time on the page's clocks. What is stored has its zone with it: 02:30 comes twice in autumn. What is typed has none. */
type Local = Temporal.PlainDateTime | Temporal.ZonedDateTime;

/** When an event is, on the page's clocks. `end` is exclusive, of all-day events too. */
export interface Times {
  readonly allDay: boolean;
  readonly start: Local;
  readonly end: Local;
}

/** Undefined for an event of which no time is shown. */
export function timesOf(
  { start, end }: Pick<EventFieldsFragment, 'start' | 'end'>,
  zone: string,
): Times | undefined {
  if (start?.date && end?.date) {
    return {
      allDay: true,
      start: Temporal.PlainDate.from(start.date).toPlainDateTime(),
      end: Temporal.PlainDate.from(end.date).toPlainDateTime(),
    };
  }
  if (!start?.dateTime || !end?.dateTime) return undefined;
  return { allDay: false, start: zonedOf(start.dateTime, zone), end: zonedOf(end.dateTime, zone) };
}

export const zonedOf = (moment: string, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.from(moment).toZonedDateTimeISO(zone);

export const inZone = (local: Local, zone: string): Temporal.ZonedDateTime =>
  local instanceof Temporal.ZonedDateTime ? local : local.toZonedDateTime(zone);

/** The moment on the page's clocks, with its offset, so that the zone that is stored beside it stays. */
export const momentOf = (local: Local, zone: string): string =>
  inZone(local, zone).toString({ timeZoneName: 'never', smallestUnit: 'second' });

const day = new Intl.DateTimeFormat(locale, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'UTC',
});
export const asUtc = (date: Temporal.PlainDate): Date => new Date(`${date.toString()}T00:00Z`);

export const dayName = (date: Temporal.PlainDate): string => day.format(asUtc(date));

const hours = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' });

/** "10:00" or "10:00 AM"; "02:30 CEST" in the hour of autumn that comes twice. */
export function clock(time: Local | Temporal.PlainTime): string {
  const plain = time instanceof Temporal.PlainTime ? time : time.toPlainTime();
  const words = hours.format(new Date(`1970-01-01T${plain.toString({ smallestUnit: 'minute' })}Z`));
  if (!(time instanceof Temporal.ZonedDateTime) || !comesTwice(time)) return words;
  const name = new Intl.DateTimeFormat(locale, { timeZone: time.timeZoneId, timeZoneName: 'short' });
  return `${words} ${name.formatToParts(time.epochMilliseconds).find(({ type }) => type === 'timeZoneName')?.value ?? time.offset}`;
}

function comesTwice(time: Temporal.ZonedDateTime): boolean {
  const at = (disambiguation: 'earlier' | 'later') =>
    time.toPlainDateTime().toZonedDateTime(time.timeZoneId, { disambiguation });
  return !at('earlier').equals(at('later'));
}

/** "Tuesday 1 December, 10:00 – 11:00", as it is read out. */
export function spokenTimes({ allDay, start, end }: Times): string {
  const first = start.toPlainDate();
  const last = (allDay ? end.subtract({ days: 1 }) : end).toPlainDate();
  const sameDay = first.equals(last);
  if (allDay) return sameDay ? `${dayName(first)}, all day` : `${dayName(first)} – ${dayName(last)}`;
  return `${dayName(first)}, ${clock(start)} – ${sameDay ? '' : `${dayName(last)}, `}${clock(end)}`;
}
