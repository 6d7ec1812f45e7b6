import { failureOf, messageOf } from '../api/failure.ts';
import { notify } from '../api/notices.ts';
import { titleOf } from '../calendar/event-card.tsx';
import type { CalendarEvent } from '../calendar/week.ts';

/** Undoes a move to other times or another calendar, and reports the result. A change since the move cannot be undone with it. */
export async function undoMove(
  event: CalendarEvent,
  restore: () => Promise<unknown>,
  retry: () => void,
): Promise<void> {
  const title = `“${titleOf(event)}”`;
  try {
    await restore();
    notify('done', `The move of ${title} was undone.`);
  } catch (error) {
    if (failureOf(error, 'event').conflict)
      notify('error', `${title} was not moved back: it was changed since the move.`);
    else
      notify('error', `${title} was not moved back. ${messageOf(error)}`, { label: 'Try again', run: retry });
  }
}
