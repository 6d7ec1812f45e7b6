import type { Temporal } from 'temporal-polyfill';
import { inZone, timesOf, type CalendarEvent, type Times } from '../calendar/week.ts';

/** Finds the first full hour from a moment on that no event takes, within a week; the first hour if there is none. */
export function nextFreeHour(
  events: readonly CalendarEvent[],
  from: Temporal.ZonedDateTime,
): Pick<Times, 'start' | 'end'> {
  const zone = from.timeZoneId;
  const taken = events.flatMap((event) => {
    const times = timesOf(event, zone);
    return !times || times.allDay ? [] : [[inZone(times.start, zone), inZone(times.end, zone)] as const];
  });
  const first = from.round({ smallestUnit: 'hour', roundingMode: 'ceil' });
  const isFree = (start: Temporal.ZonedDateTime): boolean =>
    !taken.some(
      ([begin, end]) =>
        begin.epochMilliseconds < start.add({ hours: 1 }).epochMilliseconds &&
        start.epochMilliseconds < end.epochMilliseconds,
    );
  const hours = Array.from({ length: 7 * 24 }, (_, count) => first.add({ hours: count }));
  const start = hours.find(isFree) ?? first;
  return { start, end: start.add({ hours: 1 }) };
}
