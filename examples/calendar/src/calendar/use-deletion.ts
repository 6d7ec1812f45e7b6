import { useApolloClient } from '@apollo/client/react';
import { useRef } from 'react';
import { failureOf, messageOf } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { deleteEvents, reportDeletion } from '../editor/delete-events.ts';
import type { useScopeDialog } from '../editor/scope-dialog.tsx';
import { titleOf } from './event-card.tsx';
import type { CalendarEvent } from './event-times.ts';

/**
 * Returns a function that deletes an event, after asking how much of a series. It resolves to whether the
 * event was deleted. A notice offers to undo the deletion. `onAttempted`: called after each attempt, also a
 * failed one, and after an undo.
 */
export function useDeletion(
  askScope: ReturnType<typeof useScopeDialog>['askScope'],
  onAttempted: (event: CalendarEvent) => void,
): (event: CalendarEvent) => Promise<boolean> {
  const client = useApolloClient();
  const pendingIds = useRef(new Set<string>());
  return async (event) => {
    if (pendingIds.current.has(event.nodeId)) return false;
    pendingIds.current.add(event.nodeId);
    try {
      const scope = await askScope(event, 'delete');
      if (!scope) return false;
      const restore = await deleteEvents(client, event, scope);
      reportDeletion(event, scope, restore, () => onAttempted(event));
      return true;
    } catch (error) {
      const reason = failureOf(error, 'event').isConflict
        ? 'It has changed meanwhile. Please check it and try again.'
        : messageOf(error);
      showNotice('error', `“${titleOf(event)}” was not deleted. ${reason}`);
      return false;
    } finally {
      pendingIds.current.delete(event.nodeId);
      onAttempted(event);
    }
  };
}
