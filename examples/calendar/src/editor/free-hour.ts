import type { Temporal } from 'temporal-polyfill';
import { toZonedTime, timesOf, type CalendarEvent, type Times } from '../calendar/event-times.ts';

/** Hours of a week. */
const searchedHours = 7 * 24;

/** Finds the first full hour without an event, within a week from `earliestStart`; the first hour if all are taken. */
export function findFreeHour(
  events: readonly CalendarEvent[],
  earliestStart: Temporal.ZonedDateTime,
): Pick<Times, 'start' | 'end'> {
  const zone = earliestStart.timeZoneId;
  const busyPeriods = events.flatMap((event) => {
    const times = timesOf(event, zone);
    return !times || times.allDay
      ? []
      : [[toZonedTime(times.start, zone), toZonedTime(times.end, zone)] as const];
  });
  const firstHour = earliestStart.round({ smallestUnit: 'hour', roundingMode: 'ceil' });
  const isFree = (start: Temporal.ZonedDateTime): boolean =>
    !busyPeriods.some(
      ([busyStart, busyEnd]) =>
        busyStart.epochMilliseconds < start.add({ hours: 1 }).epochMilliseconds &&
        start.epochMilliseconds < busyEnd.epochMilliseconds,
    );
  const hours = Array.from({ length: searchedHours }, (_, index) => firstHour.add({ hours: index }));
  const start = hours.find(isFree) ?? firstHour;
  return { start, end: start.add({ hours: 1 }) };
}
