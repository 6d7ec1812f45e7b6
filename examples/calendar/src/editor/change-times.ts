import type { ApolloClient } from '@apollo/client';
import { timesOf, type CalendarEvent, type Times } from '../calendar/event-times.ts';
import { toTimesInput } from './series-move.ts';
import { saveChange, type SavedChange, type Scope } from './save-change.ts';

/**
 * Stores new times of an event, of it and all later ones, or of its series. Errors are those of `saveChange`.
 */
export async function changeTimes(
  client: ApolloClient,
  event: CalendarEvent,
  times: Times,
  zone: string,
  scope: Scope,
): Promise<SavedChange | undefined> {
  const previousTimes = timesOf(event, zone);
  const input = toTimesInput(times, zone, previousTimes?.allDay);
  return saveChange(client, {
    event,
    scope,
    input: {},
    times: { input, move: previousTimes && { before: previousTimes, after: times, zone } },
  });
}

/** Returns the event with other times; the stored time zones stay. */
export function replaceTimes(event: CalendarEvent, times: Times, zone: string): CalendarEvent {
  const { start, end } = toTimesInput(times, zone);
  const keepStoredZone = (before: CalendarEvent['start'], after: typeof start) => ({
    date: null,
    dateTime: null,
    timeZone: before?.timeZone ?? null,
    ...after,
  });
  return { ...event, start: keepStoredZone(event.start, start), end: keepStoredZone(event.end, end) };
}
