import { useApolloClient } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { failureOf } from '../api/failure.ts';
import { showNotice } from '../api/notices.ts';
import { insertEventMutation, patchEventMutation } from '../api/operations.ts';
import { createRequestIds } from '../api/request-ids.ts';
import type { CalendarEvent, Times } from '../calendar/event-times.ts';
import type { Calendar } from '../calendars/calendar.ts';
import { followFocus } from '../calendar/use-moved-focus.ts';
import type { ResponseStatus, SendUpdates } from '../gql/graphql.ts';
import { useFormErrors } from '../ui/use-form.ts';
import { deleteEvents, reportDeletion } from './delete-events.ts';
import { buildNewTimes, readTypedTimes } from './draft-times.ts';
import { isGroupChanged, draftOf, toEventInput, fieldGroups, rebaseDraft, type Draft } from './draft.ts';
import { inputAt, moveErrorsToFields } from './form-errors.ts';
import { toAttendeeChanges, hasGuestChanges, toFormPath } from './guests.ts';
import { findInputErrors } from './input-errors.ts';
import { moveToCalendar } from './move-event.ts';
import { readEvent } from './read-event.ts';
import { isUndoable, restoreFields, saveChange, type EventChange, type Scope } from './save-change.ts';
import { useScopeDialog } from './scope-dialog.tsx';
import { subjectOf, undoChange } from './undo-change.ts';
import { forgetUnsavedInput, storeUnsavedInput } from './unsaved-input.ts';

/** Subject of the editor: an event as read, or a new one. */
export interface Editing {
  readonly calendarId: string;
  readonly event: CalendarEvent | undefined;
  readonly draft: Draft;
  /** Whether to compare with the version of somebody who changed the event first. */
  readonly startsInConflict?: boolean;
  /** Whether the input is from before the page was reloaded. */
  readonly isRestored?: boolean;
}

/** A version that somebody else saved first, and the version from which both started. */
export interface Conflict {
  readonly before: Draft;
  readonly theirs: Draft;
  readonly theirEvent: CalendarEvent;
  /** The part of the series to change, if chosen before. */
  readonly scope: Scope | undefined;
}

interface EditorOptions {
  readonly editing: Editing;
  readonly zone: string;
  /** Closes the form. `savedTimes`: times that were stored. */
  readonly onDone: (savedTimes?: Times) => void;
  /** Called with the calendar of each stored change. */
  readonly onChanged: (calendarId: string) => Promise<void>;
}

/**
 * Maximum number of retries of one save, each on top of the version that somebody else has saved meanwhile.
 */
const maxRetries = 3;

/** The state of the form, and the actions of its buttons. */
export function useEditor({ editing, zone, onDone, onChanged }: EditorOptions) {
  const client = useApolloClient();
  const [calendarId, setCalendarId] = useState(editing.calendarId);
  const [event, setEvent] = useState(editing.event);
  const [draft, setDraft] = useState(editing.draft);
  const { form, errors, setErrors } = useFormErrors(draft, inputAt);
  const [conflict, setConflict] = useState<Conflict>();
  const [isBusy, setIsBusy] = useState(false);
  const [notifiesGuests, setNotifiesGuests] = useState(false);
  const [requestIds] = useState(createRequestIds);
  const scopeQuestion = useScopeDialog();
  const sendUpdates: SendUpdates | undefined = notifiesGuests ? 'all' : undefined;

  const initialDraft = event ? draftOf(event, zone) : editing.draft;
  const isChanged = editing.isRestored === true || hasChanges(initialDraft, withoutBlankGuests(draft));
  useEffect(() => {
    if (isChanged) storeUnsavedInput({ calendarId, event, draft });
    else forgetUnsavedInput();
  }, [isChanged, calendarId, event, draft]);

  /** Runs a change, and shows its errors in the form. */
  const runChange = async (change: () => Promise<void>): Promise<void> => {
    setIsBusy(true);
    setErrors({});
    setConflict(undefined);
    try {
      await change();
    } catch (error) {
      setErrors(moveErrorsToFields(failureOf(error, 'event').errorsByField, draft));
    } finally {
      setIsBusy(false);
    }
  };
  /** Closes the form. After a change of several events, first waits until their new etags have been read. */
  const finish = async (
    outcome: 'created' | 'saved',
    scope: Scope = 'this',
    undo?: () => void,
  ): Promise<void> => {
    const readPromise = onChanged(calendarId);
    if (scope !== 'this') await readPromise;
    showNotice(
      'done',
      `“${draft.summary || '(no title)'}” was ${outcome}.`,
      undo && { label: 'Undo', run: undo },
      event && subjectOf(event, scope),
    );
    onDone(readTypedTimes(draft));
  };
  /** Continues from another version of the event. */
  const continueWithVersion = (latestEvent: CalendarEvent, latestDraft: Draft): void => {
    setEvent(latestEvent);
    setDraft(latestDraft);
    setConflict(undefined);
  };
  /** Reads the event again, and keeps the input. */
  const refreshEvent = async (base: CalendarEvent): Promise<void> => {
    const latestEvent = await readEvent(client, calendarId, base.id);
    continueWithVersion(latestEvent, rebaseDraft(draftOf(base, zone), draft, draftOf(latestEvent, zone)));
  };

  /**
   * Runs a change and closes the form. If somebody else changed the event first, shows its current version
   * instead.
   */
  const runUnlessChanged = (
    base: CalendarEvent,
    outcome: 'deleted' | 'moved',
    change: () => Promise<void>,
  ): Promise<void> =>
    runChange(async () => {
      try {
        await change();
        onDone();
      } catch (error) {
        if (!failureOf(error, 'event').isConflict) throw error;
        await refreshEvent(base);
        setErrors({
          '': `Not ${outcome}: somebody else changed this event meanwhile. Look at it as it is now.`,
        });
      }
    });

  /** Checks the input, and shows errors at their fields. */
  const validate = (input: Draft): boolean => {
    const inputErrors = findInputErrors(input);
    if (Object.keys(inputErrors).length === 0) return true;
    setErrors(moveErrorsToFields(inputErrors, input), input);
    return false;
  };
  const createEvent = (): Promise<void> =>
    runChange(async () => {
      const guests = draft.guests.map(({ email }) => ({ email }));
      const variables = {
        calendarId,
        event: {
          ...toEventInput(draft),
          ...buildNewTimes(draft, undefined, zone)?.input,
          attendees: guests,
        },
        sendUpdates,
      };
      const { data } = await client.mutate({
        mutation: insertEventMutation,
        variables: { ...variables, requestId: requestIds.idFor(variables) },
      });
      if (data?.insertEvent) followFocus(data.insertEvent.nodeId);
      await finish('created');
    });

  /** Stores a draft of the event. If somebody else changed it since it was read, both changes are merged or compared. */
  const storeDraft = async (
    base: CalendarEvent,
    newDraft: Draft,
    scope: Scope,
    remainingRetries = maxRetries,
  ): Promise<void> => {
    const before = draftOf(base, zone);
    try {
      const change: EventChange = {
        event: base,
        scope,
        input: toEventInput(newDraft, before),
        sendUpdates,
        attendeeChanges: toAttendeeChanges(before.guests, newDraft.guests),
        times: buildNewTimes(newDraft, base, zone),
      };
      const savedChange = await saveChange(client, change);
      const undo = (): void =>
        void undoChange(
          { kind: 'change', event: base, scope, newTitle: newDraft.summary || undefined },
          async () => {
            if (savedChange) await restoreFields(client, savedChange);
            void onChanged(calendarId);
          },
        );
      await finish('saved', scope, savedChange?.etagAfter && isUndoable(change) ? undo : undefined);
    } catch (error) {
      const failure = failureOf(error, 'event', (path) => toFormPath(path, before.guests, newDraft.guests));
      if (failure.isConflict && remainingRetries > 0)
        await mergeOrCompare(base, newDraft, scope, remainingRetries - 1);
      else setErrors(moveErrorsToFields(failure.errorsByField, newDraft), newDraft);
    }
  };
  /**
   * Applies the changes to the latest version. If somebody else changed one of the form’s groups, both
   * versions are shown instead; guests are always merged.
   */
  const mergeOrCompare = async (
    base: CalendarEvent,
    mine: Draft,
    chosenScope: Scope | undefined,
    retries = maxRetries,
  ): Promise<void> => {
    const theirEvent = await readEvent(client, calendarId, base.id);
    const [before, theirs] = [draftOf(base, zone), draftOf(theirEvent, zone)];
    const newDraft = rebaseDraft(before, mine, theirs);
    // An earlier attempt was stored, although its response was lost.
    if (!hasChanges(theirs, newDraft)) return finish('saved');
    if (fieldGroups.some((group) => isGroupChanged(before, theirs, group)))
      return setConflict({ before, theirs, theirEvent, scope: chosenScope });
    continueWithVersion(theirEvent, newDraft);
    const scope =
      chosenScope ??
      (await scopeQuestion.askScope(theirEvent, 'change', { keepsStart: keepsStart(theirs, newDraft) }));
    if (scope) await storeDraft(theirEvent, newDraft, scope, retries);
  };
  const saveDraft = async (base: CalendarEvent, newDraft: Draft, chosenScope?: Scope): Promise<void> => {
    const before = draftOf(base, zone);
    if (!hasChanges(before, newDraft)) return onDone();
    if (!validate(newDraft)) return;
    // An instance has no rule of its own.
    const scopes: readonly Scope[] | undefined = isGroupChanged(before, newDraft, 'repeats')
      ? ['following', 'all']
      : undefined;
    const scope =
      chosenScope ??
      (await scopeQuestion.askScope(base, 'change', { scopes, keepsStart: keepsStart(before, newDraft) }));
    if (scope) await runChange(() => storeDraft(base, newDraft, scope));
  };

  return {
    form,
    event,
    draft,
    errors,
    conflict,
    isBusy,
    isChanged,
    notifiesGuests,
    calendarId,
    setNotifiesGuests,
    setDraft,
    setCalendarId,
    scopeDialog: scopeQuestion.dialog,
    save: async () => (event ? saveDraft(event, draft) : validate(draft) && createEvent()),
    compare: () => event && runChange(() => mergeOrCompare(event, draft, undefined)),
    takeTheirs: ({ theirs, theirEvent }: Conflict) => continueWithVersion(theirEvent, theirs),
    keepMine: async ({ before, theirs, theirEvent, scope }: Conflict) => {
      const newDraft = rebaseDraft(before, draft, theirs);
      continueWithVersion(theirEvent, newDraft);
      await saveDraft(theirEvent, newDraft, scope);
    },
    remove: async () => {
      const scope = event && (await scopeQuestion.askScope(event, 'delete'));
      if (!scope) return;
      await runUnlessChanged(event, 'deleted', async () => {
        const restoreEvents = await deleteEvents(client, event, scope, sendUpdates);
        reportDeletion(event, scope, restoreEvents, () => void onChanged(calendarId));
        void onChanged(calendarId);
      });
    },
    move: async (destination: Calendar, calendars: readonly Calendar[]) =>
      event &&
      runUnlessChanged(event, 'moved', () =>
        moveToCalendar(client, event, { destination, calendars, sendUpdates, onChanged }),
      ),
    respond: async (responseStatus: ResponseStatus) => {
      const ownEmail = event?.attendees?.find(({ self }) => self)?.email;
      const scope = event && ownEmail && (await scopeQuestion.askScope(event, 'answer'));
      if (!scope) return;
      await runChange(async () => {
        const eventId = scope === 'all' ? (event.recurringEventId ?? event.id) : event.id;
        await client.mutate({
          mutation: patchEventMutation,
          variables: {
            calendarId,
            eventId,
            event: {},
            attendeeChanges: { add: [{ email: ownEmail, responseStatus }] },
          },
        });
        void onChanged(calendarId);
        await refreshEvent(event);
      });
    },
  };
}

/** Drops guests without an address, which are no input to lose. */
const withoutBlankGuests = (draft: Draft): Draft => ({
  ...draft,
  guests: draft.guests.filter(({ attendee, email }) => attendee || email.trim() !== ''),
});
/** Whether a change keeps the start of the event. */
const keepsStart = (before: Draft, after: Draft): boolean =>
  (['allDay', 'startDate', 'startTime', 'startZone'] as const).every(
    (field) => before[field] === after[field],
  );
const hasChanges = (before: Draft, after: Draft): boolean =>
  fieldGroups.some((group) => isGroupChanged(before, after, group)) ||
  hasGuestChanges(before.guests, after.guests);
