import { useApolloClient } from '@apollo/client/react';
import { useRef } from 'react';
import { failureOf, messageOf } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { deleteEvents, reportDeletion } from '../editor/delete-events.ts';
import type { useScopeDialog } from '../editor/scope-dialog.tsx';
import { titleOf } from './event-card.tsx';
import type { CalendarEvent } from './event-times.ts';

/**
 * Returns a function that deletes an event, after asking how much of a series. A notice offers to undo the
 * deletion. `onAttempted`: called after each attempt, also a failed one, and after an undo.
 */
export function useDeletion(
  askScope: ReturnType<typeof useScopeDialog>['askScope'],
  onAttempted: (event: CalendarEvent) => void,
): (event: CalendarEvent) => Promise<void> {
  const client = useApolloClient();
  const pendingIds = useRef(new Set<string>());
  return async (event) => {
    if (pendingIds.current.has(event.nodeId)) return;
    pendingIds.current.add(event.nodeId);
    try {
      const scope = await askScope(event, 'delete');
      if (!scope) return;
      const restore = await deleteEvents(client, event, scope);
      reportDeletion(event, scope, restore, () => onAttempted(event));
    } catch (error) {
      const reason = failureOf(error, 'event').isConflict
        ? 'It has changed meanwhile. Please check it and try again.'
        : messageOf(error);
      showNotice('error', `“${titleOf(event)}” was not deleted. ${reason}`);
    } finally {
      pendingIds.current.delete(event.nodeId);
      onAttempted(event);
    }
  };
}
