import type { ApolloClient } from '@apollo/client';
import { eventFields } from '../api/operations.ts';
import { timesOf, type CalendarEvent, type Times } from '../calendar/week.ts';
import { inputOfTimes } from './moved-series.ts';
import { saveChange, type Scope } from './save-change.ts';

/**
 * Moves an event, it and those that follow, or all of its series. A move of this one alone is shown at once, and taken back where
 * it is refused. Throws what `failureOf` puts into words.
 */
export async function changeTimes(client: ApolloClient, shown: CalendarEvent, times: Times, zone: string, scope: Scope): Promise<void> {
  // A move right after another one goes with the etag that the first one made.
  const event = { ...shown, ...client.cache.readFragment({ id: client.cache.identify(shown), fragment: eventFields, fragmentName: 'EventFields' }) };
  const before = timesOf(event, zone);
  const input = inputOfTimes(times, zone, before?.allDay);
  const time = (now: CalendarEvent['start'], next: typeof input.start) => ({ date: null, dateTime: null, timeZone: now?.timeZone ?? null, ...next });
  await saveChange(client, {
    event, scope, input: {}, times: { input, move: before && { before, after: times, zone } },
    ...(scope === 'this' && { optimistic: { ...event, start: time(event.start, input.start), end: time(event.end, input.end) } }),
  });
}
