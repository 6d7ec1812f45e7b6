import type { ApolloClient } from '@apollo/client';
import { showNotice } from '../api/notices.ts';
import { deleteEventMutation, deleteFollowingEventsMutation, patchEventMutation } from '../api/operations.ts';
import { titleOf } from '../calendar/event-card.tsx';
import { createNeighbourFocus } from '../calendar/use-moved-focus.ts';
import type { CalendarEvent } from '../calendar/event-times.ts';
import type { SendUpdates } from '../gql/graphql.ts';
import type { Scope } from './save-change.ts';
import { subjectOf, undoChange } from './undo-change.ts';

/**
 * Deletes an event, it and all later ones, or its series. Returns the function that restores the event or
 * series; undefined if that is not possible.
 */
export async function deleteEvents(
  client: ApolloClient,
  event: CalendarEvent,
  scope: Scope,
  sendUpdates?: SendUpdates,
): Promise<(() => Promise<unknown>) | undefined> {
  const { calendarId, etag: ifMatch } = event;
  const focusNeighbour = createNeighbourFocus(event.nodeId);
  if (scope === 'following') {
    await client.mutate({
      mutation: deleteFollowingEventsMutation,
      variables: { calendarId, eventId: event.id, ifMatch, sendUpdates },
    });
    focusNeighbour();
    return undefined;
  }
  const eventId = scope === 'all' ? (event.recurringEventId ?? event.id) : event.id;
  // The etag read is that of the instance, which does not protect the series.
  await client.mutate({
    mutation: deleteEventMutation,
    variables: { calendarId, eventId, ifMatch: scope === 'all' ? undefined : ifMatch, sendUpdates },
  });
  focusNeighbour();
  const status = eventId === event.id ? (event.status ?? 'confirmed') : 'confirmed';
  return () =>
    client.mutate({ mutation: patchEventMutation, variables: { calendarId, eventId, event: { status } } });
}

const deletionTexts: Readonly<Record<Scope, string>> = {
  this: 'was deleted.',
  following: 'and all that follow were deleted.',
  all: 'was deleted with all its repetitions.',
};

/** Reports a deletion in a notice that offers to undo it, if `restore` can. `onRestored`: called after the undo. */
export function reportDeletion(
  event: CalendarEvent,
  scope: Scope,
  restore: (() => Promise<unknown>) | undefined,
  onRestored: () => void,
): void {
  const undo = (): void =>
    void undoChange({ kind: 'deletion', event, scope }, async () => {
      await restore?.();
      onRestored();
    });
  showNotice(
    'done',
    `“${titleOf(event)}” ${deletionTexts[scope]}`,
    restore && { label: 'Undo', run: undo },
    subjectOf(event, scope),
  );
}
