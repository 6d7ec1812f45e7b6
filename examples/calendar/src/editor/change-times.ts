import type { ApolloClient } from '@apollo/client';
import { patchEvent } from '../api/operations.ts';
import { timesOf, type CalendarEvent, type Times } from '../calendar/week.ts';
import { toTimesInput } from './moved-series.ts';
import { saveChange, type SavedChange, type Scope } from './save-change.ts';

/** Stores new times of an event, of it and all later ones, or of its series. `failureOf` describes the errors. */
export async function changeTimes(
  client: ApolloClient,
  event: CalendarEvent,
  times: Times,
  zone: string,
  scope: Scope,
): Promise<SavedChange | undefined> {
  const before = timesOf(event, zone);
  const input = toTimesInput(times, zone, before?.allDay);
  return saveChange(client, {
    event,
    scope,
    input: {},
    times: { input, move: before && { before, after: times, zone } },
  });
}

/** Restores the times that an event or a series had. Fails if it was changed since it got `etag`. */
export async function restoreTimes(
  client: ApolloClient,
  { calendarId, id, start, end }: CalendarEvent,
  etag: string | null,
): Promise<void> {
  const toInput = (time: CalendarEvent['start']) => ({
    date: time?.date ?? null,
    dateTime: time?.dateTime ?? null,
    timeZone: time?.timeZone ?? null,
  });
  const event = { start: toInput(start), end: toInput(end) };
  await client.mutate({
    mutation: patchEvent,
    variables: { calendarId, eventId: id, event, ifMatch: etag },
  });
}

/** Returns the event with other times; the stored time zones stay. */
export function withTimes(event: CalendarEvent, times: Times, zone: string): CalendarEvent {
  const { start, end } = toTimesInput(times, zone);
  const withZone = (before: CalendarEvent['start'], after: typeof start) => ({
    date: null,
    dateTime: null,
    timeZone: before?.timeZone ?? null,
    ...after,
  });
  return { ...event, start: withZone(event.start, start), end: withZone(event.end, end) };
}
