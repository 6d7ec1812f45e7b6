import type { ApolloClient } from '@apollo/client';
import { failureOf } from '../api/failure.ts';
import { eventQuery } from '../api/operations.ts';
import { RefusalError } from '../api/refusal.ts';
import type { CalendarEvent } from '../calendar/week.ts';

/** Reads an event from the gateway. Throws if it is gone, also because its series moved: instances get other ids then. */
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
    if (!data?.event || data.event.status === 'cancelled') throw eventGoneError();
    return { ...data.event, calendarId };
  } catch (error) {
    throw failureOf(error, 'event').isMissing ? eventGoneError() : error;
  }
}

const eventGoneError = (): RefusalError =>
  new RefusalError('cannot', 'This event is not there any more: it was deleted, or its series was moved.');
