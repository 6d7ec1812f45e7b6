import { useApolloClient } from '@apollo/client/react';
import { useRef } from 'react';
import { failureOf } from '../api/failure.ts';
import { notify } from '../api/notices.ts';
import { eventFields, patchEvent } from '../api/operations.ts';
import { titleOf } from './event-card.tsx';
import { momentOf, spokenTimes, type CalendarEvent, type Times } from './week.ts';

interface MoveOptions {
  readonly zone: string;
  readonly onMoved: (words: string) => void;
  readonly onConflict: (event: CalendarEvent, times: Times) => void;
}

/** Stores new times of an event. They are shown at once, and taken back where the gateway refuses them. */
export function useMove({ zone, onMoved, onConflict }: MoveOptions): (event: CalendarEvent, times: Times) => Promise<void> {
  const client = useApolloClient();
  // One after the other: the second move of an event goes with the etag that the first one made.
  const last = useRef(Promise.resolve());
  const move = async (shown: CalendarEvent, times: Times): Promise<void> => {
    const id = client.cache.identify(shown);
    const event = { ...shown, ...client.cache.readFragment({ id, fragment: eventFields, fragmentName: 'EventFields' }) };
    const start = { dateTime: momentOf(times.start, zone) };
    const end = { dateTime: momentOf(times.end, zone) };
    try {
      await client.mutate({
        mutation: patchEvent,
        variables: { calendarId: shown.calendarId, eventId: event.id, event: { start, end }, ifMatch: event.etag },
        optimisticResponse: { patchEvent: { ...event, start: { ...timed(event.start), ...start }, end: { ...timed(event.end), ...end } } },
      });
      onMoved(`${titleOf(event)} is now on ${spokenTimes(times)}.`);
    } catch (error) {
      const failure = failureOf(error, 'event');
      if (failure.conflict) onConflict(event, times);
      else notify('error', `“${titleOf(event)}” stays where it was. ${Object.values(failure.fields).join(' ')}`);
    }
  };
  return (event, times) => (last.current = last.current.then(() => move(event, times)));
}

const timed = (time: CalendarEvent['start']) => ({ date: null, timeZone: time?.timeZone ?? null });
