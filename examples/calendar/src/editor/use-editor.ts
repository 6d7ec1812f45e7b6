import { useApolloClient } from '@apollo/client/react';
import { useEffect, useState } from 'react';
import { failureOf, messageOf, type FieldErrors } from '../api/failure.ts';
import { notify } from '../api/notices.ts';
import { insertEvent, patchEvent } from '../api/operations.ts';
import { createRequestIds } from '../api/request-ids.ts';
import { titleOf } from '../calendar/event-card.tsx';
import type { CalendarEvent } from '../calendar/week.ts';
import type { ResponseStatus, SendUpdates } from '../gql/graphql.ts';
import { deleteEvents } from './delete-events.ts';
import { newTimesOf } from './draft-times.ts';
import { differs, draftOf, inputOf, parts, rebased, type Draft } from './draft.ts';
import { errorsInForm } from './form-errors.ts';
import { attendeeChangesOf, changesGuests, pathInForm } from './guests.ts';
import { missingIn } from './missing.ts';
import { readEvent } from './read-event.ts';
import { saveChange, type Scope } from './save-change.ts';
import { useScope } from './scope-dialog.tsx';
import { forgetUnsaved, keepUnsaved } from './unsaved.ts';

/** Subject of the editor: an event as it was read, or a new one. */
export interface Editing {
  readonly calendarId: string;
  readonly event: CalendarEvent | undefined;
  readonly draft: Draft;
  /** Set if another person changed the event first: their version is shown before the form. */
  readonly conflict?: boolean;
  /** Whether the input was kept from before the page was opened again. */
  readonly restored?: boolean;
}

/** Two versions of one event, and the part of its series to change, if chosen. */
export interface Conflict {
  readonly before: Draft;
  readonly theirs: Draft;
  readonly theirEvent: CalendarEvent;
  readonly scope: Scope | undefined;
}

interface EditorOptions {
  readonly editing: Editing;
  readonly zone: string;
  readonly onDone: () => void;
  /** Called after a change that does not close the form. */
  readonly onChanged: () => void;
}

/** The state of the form, and the actions of its buttons. */
export function useEditor({ editing, zone, onDone, onChanged }: EditorOptions) {
  const client = useApolloClient();
  const [calendarId, setCalendarId] = useState(editing.calendarId);
  const [event, setEvent] = useState(editing.event);
  const [draft, setDraft] = useState(editing.draft);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [conflict, setConflict] = useState<Conflict>();
  const [busy, setBusy] = useState(false);
  const [notifies, setNotifies] = useState(false);
  const [requestIds] = useState(createRequestIds);
  const scope = useScope();
  const sendUpdates: SendUpdates | undefined = notifies ? 'all' : undefined;

  const first = event ? draftOf(event, zone) : editing.draft;
  const isChanged = editing.restored === true || hasChanges(first, withoutBlanks(draft));
  useEffect(() => {
    if (isChanged) keepUnsaved({ calendarId, event, draft });
    else forgetUnsaved();
  }, [isChanged, calendarId, event, draft]);

  const run = async (work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setErrors({});
    setConflict(undefined);
    try {
      await work();
    } catch (error) {
      setErrors(errorsInForm(failureOf(error, 'event').fields, draft));
    } finally {
      setBusy(false);
    }
  };
  const done = (what: string): void => {
    notify('done', `“${draft.summary || '(no title)'}” was ${what}.`);
    onDone();
  };
  const take = (fresh: CalendarEvent, wanted: Draft): void => {
    setEvent(fresh);
    setDraft(wanted);
    setConflict(undefined);
  };
  /** Takes over what the event is by now, under what was typed. */
  const refresh = async (base: CalendarEvent): Promise<void> => {
    const fresh = await readEvent(client, calendarId, base.id);
    take(fresh, rebased(draftOf(base, zone), draft, draftOf(fresh, zone)));
  };

  /** Whether nothing is missing; else it is said at its field. */
  const isWhole = (wanted: Draft): boolean => {
    const missing = missingIn(wanted, zone);
    if (Object.keys(missing).length === 0) return true;
    setErrors(missing);
    return false;
  };
  const create = (): Promise<void> =>
    run(async () => {
      const guests = draft.guests.map(({ email }) => ({ email }));
      const variables = {
        calendarId,
        event: {
          ...inputOf(draft, undefined, zone),
          ...newTimesOf(draft, undefined, zone)?.input,
          attendees: guests,
        },
        sendUpdates,
      };
      await client.mutate({
        mutation: insertEvent,
        variables: { ...variables, requestId: requestIds.of(variables) },
      });
      done('created');
    });

  /** Stores `wanted` over the event as it was read. Where it was changed since, both are put together, or shown side by side. */
  const put = async (base: CalendarEvent, wanted: Draft, how: Scope, mayRepeat = 3): Promise<void> => {
    const before = draftOf(base, zone);
    try {
      await saveChange(client, {
        event: base,
        scope: how,
        input: inputOf(wanted, before, zone),
        sendUpdates,
        attendeeChanges: attendeeChangesOf(before.guests, wanted.guests),
        times: newTimesOf(wanted, base, zone),
      });
      done('saved');
    } catch (error) {
      const failure = failureOf(error, 'event', (path) => pathInForm(path, before.guests, wanted.guests));
      if (failure.conflict && mayRepeat > 0) await meet(base, wanted, how, mayRepeat - 1);
      else setErrors(errorsInForm(failure.fields, wanted));
    }
  };
  /** Looks at what somebody else made of the event. Guests, and what the form does not show, are no reason to ask. */
  const meet = async (
    base: CalendarEvent,
    mine: Draft,
    how: Scope | undefined,
    mayRepeat = 3,
  ): Promise<void> => {
    const theirEvent = await readEvent(client, calendarId, base.id);
    const [before, theirs] = [draftOf(base, zone), draftOf(theirEvent, zone)];
    const wanted = rebased(before, mine, theirs);
    // Stored before, though its answer did not come.
    if (!hasChanges(theirs, wanted)) return done('saved');
    if (parts.some((part) => differs(before, theirs, part)))
      return setConflict({ before, theirs, theirEvent, scope: how });
    take(theirEvent, wanted);
    const known = how ?? (await scope.ask(theirEvent, 'change', { sameStart: sameStart(theirs, wanted) }));
    if (known) await put(theirEvent, wanted, known, mayRepeat);
  };
  const save = async (base: CalendarEvent, wanted: Draft, known?: Scope): Promise<void> => {
    const before = draftOf(base, zone);
    if (!hasChanges(before, wanted)) return onDone();
    if (!isWhole(wanted)) return;
    const scopes: readonly Scope[] | undefined = differs(before, wanted, 'repeats')
      ? ['following', 'all']
      : undefined;
    const how = known ?? (await scope.ask(base, 'change', { scopes, sameStart: sameStart(before, wanted) }));
    if (how) await run(() => put(base, wanted, how));
  };

  return {
    event,
    draft,
    errors,
    conflict,
    busy,
    isChanged,
    notifies,
    calendarId,
    setNotifies,
    setDraft,
    setCalendarId,
    scopeDialog: scope.dialog,
    save: async () => (event ? save(event, draft) : isWhole(draft) && create()),
    compare: () => event && run(() => meet(event, draft, undefined)),
    takeTheirs: ({ theirs, theirEvent }: Conflict) => take(theirEvent, theirs),
    keepMine: async ({ before, theirs, theirEvent, scope: known }: Conflict) => {
      const wanted = rebased(before, draft, theirs);
      take(theirEvent, wanted);
      await save(theirEvent, wanted, known);
    },
    remove: async () => {
      const how = event && (await scope.ask(event, 'delete'));
      if (!how) return;
      await run(async () => {
        try {
          const restore = await deleteEvents(client, event, how, sendUpdates);
          const undo = (): void =>
            void restore?.().then(onChanged, (error: unknown) =>
              notify('error', `“${titleOf(event)}” was not restored. ${messageOf(error)}`, {
                label: 'Try again',
                run: undo,
              }),
            );
          notify('done', `“${titleOf(event)}” was deleted.`, restore && { label: 'Undo', run: undo });
          onDone();
        } catch (error) {
          if (!failureOf(error, 'event').conflict) throw error;
          await refresh(event);
          setErrors({
            '': 'Not deleted: somebody else changed this event meanwhile. Look at it as it is now.',
          });
        }
      });
    },
    answer: async (responseStatus: ResponseStatus) => {
      const own = event?.attendees?.find(({ self }) => self)?.email;
      const how = event && own && (await scope.ask(event, 'answer'));
      if (!how) return;
      await run(async () => {
        const eventId = how === 'all' ? (event.recurringEventId ?? event.id) : event.id;
        await client.mutate({
          mutation: patchEvent,
          variables: {
            calendarId,
            eventId,
            event: {},
            attendeeChanges: { add: [{ email: own, responseStatus }] },
          },
        });
        onChanged();
        await refresh(event);
      });
    },
  };
}

/** An address field that was added and left empty is no input to lose. */
const withoutBlanks = (draft: Draft): Draft => ({
  ...draft,
  guests: draft.guests.filter(({ known, email }) => known || email.trim() !== ''),
});
const sameStart = (one: Draft, other: Draft): boolean =>
  one.allDay === other.allDay && one.startDate === other.startDate && one.startTime === other.startTime;
const hasChanges = (before: Draft, now: Draft): boolean =>
  parts.some((part) => differs(before, now, part)) || changesGuests(before.guests, now.guests);
