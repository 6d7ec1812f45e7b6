import type { ApolloClient } from '@apollo/client';
import { showNotice } from '../api/notices.ts';
import {
  deleteEventMutation,
  deleteFollowingEventsMutation,
  eventQuery,
  patchEventMutation,
} from '../api/operations.ts';
import { RefusalError } from '../api/refusal.ts';
import { titleOf } from '../calendar/event-card.tsx';
import { createNeighbourFocus } from '../calendar/use-moved-focus.ts';
import type { CalendarEvent } from '../calendar/event-times.ts';
import type { SendUpdates } from '../gql/graphql.ts';
import { readSeries, type Scope } from './save-change.ts';
import { subjectOf, undoChange } from './undo-change.ts';

/**
 * Deletes an event, it and all later ones, or its series. Fails if the event was changed since it was read. Returns the
 * function that restores the event or series, unless somebody else did; undefined if that is not possible.
 */
export async function deleteEvents(
  client: ApolloClient,
  event: CalendarEvent,
  scope: Scope,
  sendUpdates?: SendUpdates,
): Promise<(() => Promise<unknown>) | undefined> {
  const { calendarId } = event;
  const focusNeighbour = createNeighbourFocus(event.nodeId);
  const { id: eventId, etag: ifMatch, status } = scope === 'all' ? await readSeries(client, event) : event;
  await client.mutate({
    mutation: scope === 'following' ? deleteFollowingEventsMutation : deleteEventMutation,
    variables: { calendarId, eventId, ifMatch, sendUpdates },
  });
  focusNeighbour();
  if (scope === 'following') return undefined;
  let wasAttempted = false;
  return async () => {
    const { data } = await client.query({
      query: eventQuery,
      variables: { calendarId, eventId },
      fetchPolicy: 'no-cache',
    });
    if (data?.event?.status !== 'cancelled') {
      // An earlier attempt was stored, although its response was lost.
      if (wasAttempted) return;
      throw new RefusalError('conflict', 'This event was changed since it was deleted.');
    }
    wasAttempted = true;
    await client.mutate({
      mutation: patchEventMutation,
      variables: { calendarId, eventId, event: { status }, ifMatch: data.event.etag },
    });
  };
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
