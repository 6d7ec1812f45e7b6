import type { ApolloClient } from '@apollo/client';
import { deleteEvent, deleteFollowingEvents, patchEvent } from '../api/operations.ts';
import type { CalendarEvent } from '../calendar/week.ts';
import type { SendUpdates } from '../gql/graphql.ts';
import type { Scope } from './save-change.ts';

/** Deletes an event, it and all later ones, or its series. Returns the function that restores it, if that is possible. */
export async function deleteEvents(
  client: ApolloClient,
  event: CalendarEvent,
  scope: Scope,
  sendUpdates?: SendUpdates,
): Promise<(() => Promise<unknown>) | undefined> {
  const { calendarId, etag: ifMatch } = event;
  if (scope === 'following') {
    await client.mutate({
      mutation: deleteFollowingEvents,
      variables: { calendarId, eventId: event.id, ifMatch, sendUpdates },
    });
    return undefined;
  }
  const eventId = scope === 'all' ? (event.recurringEventId ?? event.id) : event.id;
  // The etag read is that of the instance, which does not protect the series.
  await client.mutate({
    mutation: deleteEvent,
    variables: { calendarId, eventId, ifMatch: scope === 'all' ? undefined : ifMatch, sendUpdates },
  });
  return () =>
    client.mutate({
      mutation: patchEvent,
      variables: { calendarId, eventId, event: { status: 'confirmed' } },
    });
}
