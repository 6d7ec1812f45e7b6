import type { ApolloClient } from '@apollo/client';
import { timesOf, type CalendarEvent, type Times } from '../calendar/week.ts';
import { inputOfTimes } from './moved-series.ts';
import { saveChange, type Scope } from './save-change.ts';

/** Moves an event, it and those that follow, or all of its series. Throws what `failureOf` puts into words. */
export async function changeTimes(
  client: ApolloClient,
  event: CalendarEvent,
  times: Times,
  zone: string,
  scope: Scope,
): Promise<void> {
  const before = timesOf(event, zone);
  const input = inputOfTimes(times, zone, before?.allDay);
  await saveChange(client, {
    event,
    scope,
    input: {},
    times: { input, move: before && { before, after: times, zone } },
  });
}

/** An event as it will be. */
export function withTimes(event: CalendarEvent, times: Times, zone: string): CalendarEvent {
  const { start, end } = inputOfTimes(times, zone);
  const time = (now: CalendarEvent['start'], next: typeof start) => ({
    date: null,
    dateTime: null,
    timeZone: now?.timeZone ?? null,
    ...next,
  });
  return { ...event, start: time(event.start, start), end: time(event.end, end) };
}
