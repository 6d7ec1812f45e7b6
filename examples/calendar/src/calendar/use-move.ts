import { useApolloClient } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { failureOf } from '../api/failure.ts';
import { notify } from '../api/notices.ts';
import { eventFields } from '../api/operations.ts';
import { createStore } from '../api/store.ts';
import { useStore } from '../api/use-store.ts';
import { changeTimes, withTimes } from '../editor/change-times.ts';
import type { Scope, useScope } from '../editor/scope-dialog.tsx';
import { titleOf } from './event-card.tsx';
import { spokenTimes, type CalendarEvent, type Times } from './week.ts';

interface MoveOptions {
  readonly zone: string;
  /** Asks which events of a series to change; undefined if the user cancels. */
  readonly ask: ReturnType<typeof useScope>['ask'];
  /** Ends when the event is known as it is now. */
  readonly onMoved: (event: CalendarEvent, words: string) => Promise<void>;
  readonly onConflict: (event: CalendarEvent, times: Times) => void;
}

export interface Moves {
  /** Events as they will be, by their `nodeId`: a move is shown at once, and taken back where it is refused. */
  readonly planned: ReadonlyMap<string, CalendarEvent>;
  /** Stores new times of an event, and says what became of it. */
  readonly move: (event: CalendarEvent, times: Times) => void;
}

export function useMove({ zone, ask, onMoved, onConflict }: MoveOptions): Moves {
  const client = useApolloClient();
  const [plans] = useState(() => createStore<Moves['planned']>(new Map()));
  // Moves run one after another, because the second move of an event needs the etag of the first.
  const last = useRef(Promise.resolve());

  const plan = (event: CalendarEvent): void => plans.set(new Map(plans.get()).set(event.nodeId, event));
  const isPlanned = (event: CalendarEvent): boolean => plans.get().get(event.nodeId) === event;
  const forget = (id: string): void => plans.set(new Map([...plans.get()].filter(([other]) => other !== id)));

  const store = async (shown: CalendarEvent, times: Times, scope: Scope): Promise<void> => {
    const id = client.cache.identify(shown);
    const event = {
      ...shown,
      ...client.cache.readFragment({ id, fragment: eventFields, fragmentName: 'EventFields' }),
    };
    try {
      await changeTimes(client, event, times, zone, scope);
    } catch (error) {
      // Waiting moves continue from this result.
      forget(event.nodeId);
      const failure = failureOf(error, 'event');
      if (failure.conflict) onConflict(event, times);
      else
        notify('error', `“${titleOf(event)}” stays where it was. ${Object.values(failure.fields).join(' ')}`);
      return;
    }
    void onMoved(event, `${titleOf(event)} is now on ${spokenTimes(times)}.`).then(
      () => isPlanned(shown) && forget(shown.nodeId),
    );
  };
  const moveOneOfSeries = async (event: CalendarEvent, times: Times): Promise<void> => {
    const scope = await ask(event, 'change');
    if (!scope) return;
    const after = withTimes(event, times, zone);
    if (scope === 'this') plan(after);
    await store(scope === 'this' ? after : event, times, scope);
  };
  const move = (event: CalendarEvent, times: Times): void => {
    if (event.recurringEventId) {
      last.current = last.current.then(() => moveOneOfSeries(event, times));
      return;
    }
    const after = withTimes(event, times, zone);
    plan(after);
    // A later move goes where both lead.
    last.current = last.current.then(() => (isPlanned(after) ? store(after, times, 'this') : undefined));
  };
  return { planned: useStore(plans), move };
}
