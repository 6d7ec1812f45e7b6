import type { ApolloClient } from '@apollo/client';
import { failureOf } from '../api/failure.ts';
import { eventQuery } from '../api/operations.ts';
import { RefusalError } from '../api/refusal.ts';
import type { CalendarEvent } from '../calendar/event-times.ts';

/**
 * Reads an event from the gateway. Throws if the event is gone; instances get other ids when their series
 * moves.
 */
export async function readEvent(
  client: ApolloClient,
  calendarId: string,
  eventId: string,
): Promise<CalendarEvent> {
  try {
    const { data } = await client.query({
      query: eventQuery,
      variables: { calendarId, eventId },
      fetchPolicy: 'network-only',
    });
    if (!data?.event || data.event.status === 'cancelled') throw createGoneError();
    return { ...data.event, calendarId };
  } catch (error) {
    throw failureOf(error, 'event').isMissing ? createGoneError() : error;
  }
}

const createGoneError = (): RefusalError =>
  new RefusalError('cannot', 'This event is not there any more: it was deleted, or its series was moved.');
