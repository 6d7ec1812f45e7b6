import { failureOf, messageOf } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { titleOf } from '../calendar/event-card.tsx';
import { followFocus } from '../calendar/use-moved-focus.ts';
import type { CalendarEvent } from '../calendar/event-times.ts';
import type { Scope } from './save-change.ts';

/** A move to other times or another calendar, a change in the form, or a deletion that can be undone. */
export interface UndoableChange {
  readonly kind: 'move' | 'change' | 'deletion';
  /** The event before the change. */
  readonly event: CalendarEvent;
  readonly scope: Scope;
  /** Title since the change; undefined if the change kept the title. */
  readonly newTitle?: string;
}

/** Returns the subject of notices about a change of an event, or of its series. */
export const subjectOf = ({ calendarId, id, recurringEventId }: CalendarEvent, scope: Scope): string =>
  [calendarId, recurringEventId, (scope === 'this' || !recurringEventId) && id].filter(Boolean).join('/');

const undoVerbs = { move: 'moved back', change: 'changed back', deletion: 'restored' } as const;

/**
 * Undoes a change and reports the result. A later change of another person is kept: then the undo fails.
 * `retry`: run by the notice after other failures.
 */
export async function undoChange(
  change: UndoableChange,
  restore: () => Promise<unknown>,
  retry = (): void => void undoChange(change, restore),
): Promise<void> {
  const { kind, event, scope, newTitle = titleOf(event) } = change;
  const subject = subjectOf(event, scope);
  const restoredTitle = titleOf(event);
  const failureText = `“${newTitle}” was not ${undoVerbs[kind]}`;
  try {
    await restore();
    const undoneText =
      kind === 'deletion'
        ? `“${restoredTitle}” was restored.`
        : `The ${kind} of “${restoredTitle}” was undone.`;
    const successText =
      newTitle === restoredTitle ? undoneText : `“${newTitle}” is called “${restoredTitle}” again.`;
    showNotice('done', successText, undefined, subject);
  } catch (error) {
    if (failureOf(error, 'event').isConflict)
      showNotice('error', `${failureText}: it was changed since then.`, undefined, subject);
    else
      showNotice('error', `${failureText}. ${messageOf(error)}`, { label: 'Try again', run: retry }, subject);
  }
  followFocus(event.nodeId);
}
