import { Temporal } from 'temporal-polyfill';
import type { EventFieldsFragment } from '../gql/graphql.ts';
import { firstWeekday, locale } from '../ui/locale.ts';

/** An event with its calendar, because ids of events are unique on their calendar only. */
export type CalendarEvent = EventFieldsFragment & { readonly calendarId: string };

/** Returns the first day of a date's week, by the reader's locale. */
export const weekStartOf = (date: Temporal.PlainDate): Temporal.PlainDate =>
  date.subtract({ days: (date.dayOfWeek - firstWeekday + 7) % 7 });
export const todayIn = (zone: string): Temporal.PlainDate => Temporal.Now.plainDateISO(zone);

/**
 * A time on the page's clocks. Stored times have their zone, because 02:30 comes twice in autumn; typed times
 * have none.
 */
type LocalTime = Temporal.PlainDateTime | Temporal.ZonedDateTime;

/** Start and end of an event on the page's clocks. `end` is exclusive, also of all-day events. */
export interface Times {
  readonly allDay: boolean;
  readonly start: LocalTime;
  readonly end: LocalTime;
}

/** Returns the times of an event; undefined if the caller may not see them. */
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
  return {
    allDay: false,
    start: parseZonedTime(start.dateTime, zone),
    end: parseZonedTime(end.dateTime, zone),
  };
}

/** Returns an instant (ISO 8601) as a time on the clocks of a zone. */
export const parseZonedTime = (instant: string, zone: string): Temporal.ZonedDateTime =>
  Temporal.Instant.from(instant).toZonedDateTimeISO(zone);

/** Places a local time in a zone. A time that already has a zone keeps it. */
export const toZonedTime = (localTime: LocalTime, zone: string): Temporal.ZonedDateTime =>
  localTime instanceof Temporal.ZonedDateTime ? localTime : localTime.toZonedDateTime(zone);

/** An event with its visible times. */
export interface DatedEvent {
  readonly event: CalendarEvent;
  readonly times: Times;
  readonly startMs: number;
}

/** Sorts events by start. Leaves out those whose times the caller may not see. */
export const sortByStart = (events: readonly CalendarEvent[], zone: string): DatedEvent[] =>
  events
    .flatMap((event) => {
      const times = timesOf(event, zone);
      return times ? [{ event, times, startMs: toZonedTime(times.start, zone).epochMilliseconds }] : [];
    })
    .sort((earlier, later) => earlier.startMs - later.startMs);

/** Formats a time with its offset but without its zone, because the event's own zone is sent in a field of its own. */
export const formatWithOffset = (local: LocalTime, zone: string): string =>
  toZonedTime(local, zone).toString({ timeZoneName: 'never', smallestUnit: 'second' });

const dayOptions = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const;
const dayFormat = new Intl.DateTimeFormat(locale, dayOptions);
const dayWithYearFormat = new Intl.DateTimeFormat(locale, { ...dayOptions, year: 'numeric' });

/** Converts a date for formatters in UTC. */
export const toUtcDate = (date: Temporal.PlainDate): Date => new Date(`${date.toString()}T00:00Z`);

/** Formats a date: "Tuesday 1 December". */
export const formatDayName = (date: Temporal.PlainDate): string => dayFormat.format(toUtcDate(date));

const timeFormat = new Intl.DateTimeFormat(locale, { timeStyle: 'short', timeZone: 'UTC' });

/** Formats a time: "10:00" or "10:00 AM"; "02:30 CEST" in the repeated hour of autumn. */
export function formatTime(time: LocalTime | Temporal.PlainTime): string {
  const plainTime = time instanceof Temporal.PlainTime ? time : time.toPlainTime();
  const text = timeFormat.format(new Date(`1970-01-01T${plainTime.toString({ smallestUnit: 'minute' })}Z`));
  if (!(time instanceof Temporal.ZonedDateTime) || !isInRepeatedHour(time)) return text;
  const parts = new Intl.DateTimeFormat(locale, {
    timeZone: time.timeZoneId,
    timeZoneName: 'short',
  }).formatToParts(time.epochMilliseconds);
  const zoneName = parts.find(({ type }) => type === 'timeZoneName')?.value ?? time.offset;
  return `${text} ${zoneName}`;
}

/** Formats a time for narrow columns: "10:00" or "10 AM". */
export const formatShortTime = (time: LocalTime): string => formatTime(time).replace(/:00(?=\s[AP]M$)/i, '');

/** Whether a local time comes twice on its day, because clocks go back. */
function isInRepeatedHour(time: Temporal.ZonedDateTime): boolean {
  const resolveLocalTime = (disambiguation: 'earlier' | 'later') =>
    time.toPlainDateTime().toZonedDateTime(time.timeZoneId, { disambiguation });
  return !resolveLocalTime('earlier').equals(resolveLocalTime('later'));
}

/** Formats a date: "Tuesday 1 December 2026". */
export const formatDayWithYear = (date: Temporal.PlainDate): string =>
  dayWithYearFormat.format(toUtcDate(date));

/** Describes times: "Tuesday 1 December, 10:00 – 11:00", for texts and screen readers. */
export function describeTimes({ allDay, start, end }: Times, formatDay = formatDayName): string {
  const firstDay = start.toPlainDate();
  const lastDay = (allDay ? end.subtract({ days: 1 }) : end).toPlainDate();
  const isOneDay = firstDay.equals(lastDay);
  if (allDay)
    return isOneDay ? `${formatDay(firstDay)}, all day` : `${formatDay(firstDay)} – ${formatDay(lastDay)}`;
  return `${formatDay(firstDay)}, ${formatTime(start)} – ${isOneDay ? '' : `${formatDay(lastDay)}, `}${formatTime(end)}`;
}

/** Describes times in the time zone of an event: "America/New_York: …"; undefined if its clock shows the same in `zone`. */
export function describeOwnTimes(event: CalendarEvent, zone: string): string | undefined {
  const eventZone = event.start?.timeZone ?? zone;
  const [times, timesInZone] = [timesOf(event, eventZone), timesOf(event, zone)];
  if (!times || !timesInZone || times.allDay) return undefined;
  const text = describeTimes(times);
  return text === describeTimes(timesInZone) ? undefined : `${eventZone}: ${text}`;
}
