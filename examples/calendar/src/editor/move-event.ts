import type { ApolloClient } from '@apollo/client';
import { showNotice } from '../api/notices.ts';
import { moveEventMutation } from '../api/operations.ts';
import { titleOf } from '../calendar/event-card.tsx';
import type { CalendarEvent } from '../calendar/event-times.ts';
import { mayWrite, type Calendar } from '../calendars/calendar.ts';
import { nameOf } from '../calendars/use-calendars.ts';
import type { SendUpdates } from '../gql/graphql.ts';
import { readSeries } from './save-change.ts';
import { subjectOf, undoChange } from './undo-change.ts';

/** Lists the calendars to which the caller may move an event, or the series of an instance. */
export function listDestinations(
  { calendarId, status, organizer, creator, locked, privateCopy }: CalendarEvent,
  calendars: readonly Calendar[],
): readonly Calendar[] {
  const role = calendars.find(({ id }) => id === calendarId)?.accessRole;
  const callerEmail = calendars.find(({ primary }) => primary)?.id;
  const mayMoveAway = role === 'owner' || (role === 'writer' && creator?.email === callerEmail);
  // Copies of guests, private copies and locked events do not move.
  const isMovable = organizer?.self === true && status !== 'cancelled' && !locked && !privateCopy;
  return mayMoveAway && isMovable
    ? calendars.filter((calendar) => mayWrite(calendar) && calendar.id !== calendarId)
    : [];
}

interface CalendarMove {
  readonly destination: Calendar;
  /** All calendars of the caller. */
  readonly calendars: readonly Calendar[];
  readonly sendUpdates: SendUpdates | undefined;
  /** Reads the changes of each calendar that changed. */
  readonly onChanged: (calendarId: string) => Promise<void>;
}

/**
 * Moves an event, or the series of an instance, to another calendar. Fails if the event was changed since it
 * was read. A notice offers to undo the move, if the caller may move the event back.
 */
export async function moveToCalendar(
  client: ApolloClient,
  event: CalendarEvent,
  { destination, calendars, sendUpdates, onChanged }: CalendarMove,
): Promise<void> {
  const sendMove = async (source: CalendarEvent, destinationId: string): Promise<CalendarEvent> => {
    const { calendarId, id: eventId, etag: ifMatch } = source;
    const { data } = await client.mutate({
      mutation: moveEventMutation,
      variables: { calendarId, eventId, destination: destinationId, ifMatch, sendUpdates },
    });
    // Until both are read, a series shows on both calendars.
    await Promise.all([onChanged(calendarId), onChanged(destinationId)]);
    return { ...source, ...data?.moveEvent, calendarId: destinationId };
  };
  const movedEvent = await sendMove(
    event.recurringEventId ? await readSeries(client, event) : event,
    destination.id,
  );
  const undo = (): void =>
    void undoChange({ kind: 'move', event, scope: 'all' }, () => sendMove(movedEvent, event.calendarId));
  const title = `“${titleOf(event)}”`;
  showNotice(
    'done',
    `${event.recurringEventId ? `All events of ${title} were` : `${title} was`} moved to ${nameOf(destination)}.`,
    listDestinations(movedEvent, calendars).some(({ id }) => id === event.calendarId)
      ? { label: 'Undo', run: undo }
      : undefined,
    subjectOf(event, 'all'),
  );
}
