import type { ApolloClient } from '@apollo/client';
import { patchEvent } from '../api/operations.ts';
import { momentOf, timesOf, type CalendarEvent, type Times } from '../calendar/week.ts';
import type { Scope } from './scope-dialog.tsx';

/** Gives an event other times. They are shown at once, and taken back where the gateway refuses them. */
export async function changeTimes(client: ApolloClient, event: CalendarEvent, times: Times, zone: string, _scope: Scope): Promise<void> {
  const switched = timesOf(event, zone)?.allDay !== times.allDay;
  const input = (time: Times['start']) =>
    times.allDay
      ? { date: time.toPlainDate().toString(), ...(switched && { dateTime: null }) }
      : { dateTime: momentOf(time, zone), ...(switched && { date: null, timeZone: zone }) };
  const [start, end] = [input(times.start), input(times.end)];
  const kept = { date: null, dateTime: null };
  const shown = { ...event, start: { ...event.start, ...kept, ...start }, end: { ...event.end, ...kept, ...end } };
  await client.mutate({
    mutation: patchEvent,
    variables: { calendarId: event.calendarId, eventId: event.id, event: { start, end }, ifMatch: event.etag },
    optimisticResponse: { patchEvent: shown as CalendarEvent },
  });
}
