import { useApolloClient } from '@apollo/client/react';
import { useRef } from 'react';
import { failureOf } from '../api/failure.ts';
import { notify } from '../api/notices.ts';
import { eventFields } from '../api/operations.ts';
import { changeTimes } from '../editor/change-times.ts';
import type { useScope } from '../editor/scope-dialog.tsx';
import { titleOf } from './event-card.tsx';
import { spokenTimes, type CalendarEvent, type Times } from './week.ts';

interface MoveOptions {
  readonly zone: string;
  /** Which events of a series are meant; undefined: none after all. */
  readonly ask: ReturnType<typeof useScope>['ask'];
  readonly onMoved: (event: CalendarEvent, words: string) => void;
  readonly onConflict: (event: CalendarEvent, times: Times) => void;
}

/** Stores new times of an event, and says what became of it. */
export function useMove({ zone, ask, onMoved, onConflict }: MoveOptions): (event: CalendarEvent, times: Times) => Promise<void> {
  const client = useApolloClient();
  // One after the other: the second move of an event goes with the etag that the first one made.
  const last = useRef(Promise.resolve());

  const move = async (shown: CalendarEvent, times: Times): Promise<void> => {
    const id = client.cache.identify(shown);
    const event = { ...shown, ...client.cache.readFragment({ id, fragment: eventFields, fragmentName: 'EventFields' }) };
    const scope = event.recurringEventId ? await ask(event, 'change') : 'this';
    if (!scope) return;
    try {
      await changeTimes(client, event, times, zone, scope);
      onMoved(event, `${titleOf(event)} is now on ${spokenTimes(times)}.`);
    } catch (error) {
      const failure = failureOf(error, 'event');
      if (failure.conflict) onConflict(event, times);
      else notify('error', `“${titleOf(event)}” stays where it was. ${Object.values(failure.fields).join(' ')}`);
    }
  };
  return (event, times) => (last.current = last.current.then(() => move(event, times)));
}
