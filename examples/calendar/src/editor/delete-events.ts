import type { ApolloClient } from '@apollo/client';
import { messageOf } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { deleteEventMutation, deleteFollowingEventsMutation, patchEventMutation } from '../api/operations.ts';
import { titleOf } from '../calendar/event-card.tsx';
import { followFocus, followNeighbour } from '../calendar/use-moved-focus.ts';
import type { CalendarEvent } from '../calendar/event-times.ts';
import type { SendUpdates } from '../gql/graphql.ts';
import type { Scope } from './save-change.ts';
import { subjectOf } from './undo-change.ts';

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
  followNeighbour(event.nodeId);
  if (scope === 'following') {
    await client.mutate({
      mutation: deleteFollowingEventsMutation,
      variables: { calendarId, eventId: event.id, ifMatch, sendUpdates },
    });
    return undefined;
  }
  const eventId = scope === 'all' ? (event.recurringEventId ?? event.id) : event.id;
  // The etag read is that of the instance, which does not protect the series.
  await client.mutate({
    mutation: deleteEventMutation,
    variables: { calendarId, eventId, ifMatch: scope === 'all' ? undefined : ifMatch, sendUpdates },
  });
  return () =>
    client.mutate({
      mutation: patchEventMutation,
      variables: { calendarId, eventId, event: { status: 'confirmed' } },
    });
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
  const title = `“${titleOf(event)}”`;
  const subject = subjectOf(event, scope);
  const undo = (): void =>
    void restore?.().then(
      () => {
        showNotice('done', `${title} was restored.`, undefined, subject);
        followFocus(event.nodeId);
        onRestored();
      },
      (error: unknown) =>
        showNotice(
          'error',
          `${title} was not restored. ${messageOf(error)}`,
          { label: 'Try again', run: undo },
          subject,
        ),
    );
  showNotice('done', `${title} ${deletionTexts[scope]}`, restore && { label: 'Undo', run: undo }, subject);
}
