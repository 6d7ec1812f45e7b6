import { useApolloClient } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { failureOf, type FieldErrors } from '../api/failure.ts';
import { notify } from '../api/notices.ts';
import { deleteEvent, eventQuery, insertEvent, patchEvent } from '../api/operations.ts';
import { titleOf } from '../calendar/event-card.tsx';
import type { CalendarEvent } from '../calendar/week.ts';
import { draftOf, inputOf, rebased, type Draft } from './draft.ts';

/** What is being edited: an event as it was read, or a new one. */
export interface Editing {
  readonly calendarId: string;
  readonly event: CalendarEvent | undefined;
  readonly draft: Draft;
  /** Somebody else was faster: their version is to be looked at first. */
  readonly conflict?: boolean;
}

/** Two versions of one event. */
export interface Conflict {
  readonly before: Draft;
  readonly theirs: Draft;
  readonly theirEvent: CalendarEvent;
}

interface EditorOptions {
  readonly editing: Editing;
  readonly zone: string;
  readonly onDone: () => void;
  /** Something changed after the form was closed. */
  readonly onChanged: () => void;
}

/** The state of the form, and what its buttons do. */
export function useEditor({ editing, zone, onDone, onChanged }: EditorOptions) {
  const client = useApolloClient();
  const { calendarId } = editing;
  const [event, setEvent] = useState(editing.event);
  const [draft, setDraft] = useState(editing.draft);
  const [errors, setErrors] = useState<FieldErrors>({});
  const [conflict, setConflict] = useState<Conflict>();
  const [busy, setBusy] = useState(false);
  const [tell, setTell] = useState(false);
  // One for each new event: sent twice, it is created once. Another body takes another one.
  const request = useRef<{ readonly body: string; readonly id: string }>(undefined);
  const sendUpdates = tell ? 'all' : undefined;

  const compare = async (base: CalendarEvent): Promise<void> => {
    const { data } = await client.query({ query: eventQuery, variables: { calendarId, eventId: base.id }, fetchPolicy: 'network-only' });
    const theirEvent = data?.event && { ...data.event, calendarId };
    if (theirEvent && theirEvent.status !== 'cancelled') setConflict({ before: draftOf(base, zone), theirs: draftOf(theirEvent, zone), theirEvent });
    else setErrors({ '': 'This event was deleted meanwhile.' });
  };
  const run = async (base: CalendarEvent | undefined, work: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setErrors({});
    setConflict(undefined);
    try {
      await work();
      onDone();
    } catch (error) {
      const failure = failureOf(error, 'event');
      if (failure.conflict && base) await compare(base).catch((again: unknown) => setErrors(failureOf(again, 'event').fields));
      else setErrors(failure.fields);
    } finally {
      setBusy(false);
    }
  };

  const create = async (): Promise<void> => {
    const input = inputOf(draft, undefined, zone);
    const body = JSON.stringify(input);
    if (request.current?.body !== body) request.current = { body, id: crypto.randomUUID() };
    await client.mutate({ mutation: insertEvent, variables: { calendarId, event: input, requestId: request.current.id, sendUpdates } });
    notify('done', `“${draft.summary || '(no title)'}” was created.`);
  };
  const patch = async (base: CalendarEvent, before: Draft, wanted: Draft): Promise<void> => {
    const input = inputOf(wanted, before, zone);
    await client.mutate({ mutation: patchEvent, variables: { calendarId, eventId: base.id, event: input, ifMatch: base.etag, sendUpdates } });
    notify('done', `“${wanted.summary || '(no title)'}” was saved.`);
  };
  const remove = (eventId: string, ifMatch?: string | null) =>
    run(event, async () => {
      await client.mutate({ mutation: deleteEvent, variables: { calendarId, eventId, ifMatch, sendUpdates } });
      const restore = () => client.mutate({ mutation: patchEvent, variables: { calendarId, eventId, event: { status: 'confirmed' } } });
      notify('done', `“${event ? titleOf(event) : ''}” was deleted.`, {
        label: 'Undo',
        run: () => void restore().then(onChanged, (error: unknown) => notify('error', failureOf(error, 'event').fields[''] ?? 'It cannot be restored.')),
      });
    });

  return {
    event, draft, errors, conflict, busy, tell, setTell, setDraft,
    save: () => run(event, () => (event ? patch(event, draftOf(event, zone), draft) : create())),
    compare: () => (event ? compare(event).catch((error: unknown) => setErrors(failureOf(error, 'event').fields)) : undefined),
    remove,
    takeTheirs: ({ theirs, theirEvent }: Conflict) => {
      setEvent(theirEvent);
      setDraft(theirs);
      setConflict(undefined);
    },
    keepMine: ({ before, theirs, theirEvent }: Conflict) => {
      const wanted = rebased(before, draft, theirs);
      setEvent(theirEvent);
      setDraft(wanted);
      return run(theirEvent, () => patch(theirEvent, theirs, wanted));
    },
  };
}
