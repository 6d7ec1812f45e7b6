import { failureOf, messageOf } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { titleOf } from '../calendar/event-card.tsx';
import { followFocus } from '../calendar/use-moved-focus.ts';
import type { CalendarEvent } from '../calendar/event-times.ts';
import type { Scope } from './save-change.ts';

/** A move to other times or another calendar, or a change in the form, that can be undone. */
export interface UndoableChange {
  readonly kind: 'move' | 'change';
  /** The event before the change. */
  readonly event: CalendarEvent;
  readonly scope: Scope;
  /** Title since the change; undefined if the change kept the title. */
  readonly newTitle?: string;
}

/** Returns the subject of notices about a change of an event, or of its series. */
export const subjectOf = ({ calendarId, id, recurringEventId }: CalendarEvent, scope: Scope): string =>
  [calendarId, recurringEventId, (scope === 'this' || !recurringEventId) && id].filter(Boolean).join('/');

/**
 * Undoes a change and reports the result. A later change of another person is kept: then the undo fails.
 * `retry`: run by the notice after other failures.
 */
export async function undoChange(
  { kind, event, scope, newTitle = titleOf(event) }: UndoableChange,
  restore: () => Promise<unknown>,
  retry: () => void,
): Promise<void> {
  const subject = subjectOf(event, scope);
  const restoredTitle = titleOf(event);
  const failureText = `“${newTitle}” was not ${kind === 'move' ? 'moved' : 'changed'} back`;
  try {
    await restore();
    const successText =
      newTitle === restoredTitle
        ? `The ${kind} of “${restoredTitle}” was undone.`
        : `“${newTitle}” is called “${restoredTitle}” again.`;
    showNotice('done', successText, undefined, subject);
  } catch (error) {
    if (failureOf(error, 'event').isConflict)
      showNotice('error', `${failureText}: it was changed since then.`, undefined, subject);
    else
      showNotice('error', `${failureText}. ${messageOf(error)}`, { label: 'Try again', run: retry }, subject);
  }
  followFocus(event.nodeId);
}
