import { failureOf, messageOf } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { titleOf } from '../calendar/event-card.tsx';
import { followFocus } from '../calendar/use-moved-focus.ts';
import type { CalendarEvent } from '../calendar/event-times.ts';

/**
 * Undoes a move to other times or another calendar, or a change in the form, and reports the result. A later
 * change of another person is kept: then the undo fails. `retry`: run by the notice after other failures.
 */
export async function undoChange(
  kind: 'move' | 'change',
  event: CalendarEvent,
  restore: () => Promise<unknown>,
  retry: () => void,
): Promise<void> {
  const title = `“${titleOf(event)}”`;
  const failureText = `${title} was not ${kind === 'move' ? 'moved' : 'changed'} back`;
  try {
    await restore();
    showNotice('done', `The ${kind} of ${title} was undone.`);
  } catch (error) {
    if (failureOf(error, 'event').isConflict)
      showNotice('error', `${failureText}: it was changed since then.`);
    else showNotice('error', `${failureText}. ${messageOf(error)}`, { label: 'Try again', run: retry });
  }
  followFocus(event.nodeId);
}
