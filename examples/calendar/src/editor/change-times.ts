import type { ApolloClient } from '@apollo/client';
import { patchEvent } from '../api/operations.ts';
import { timesInput, timesOf, type CalendarEvent, type Times } from '../calendar/week.ts';
import type { Scope } from './scope-dialog.tsx';

/** Gives an event of a series other times. */
export async function changeTimes(client: ApolloClient, event: CalendarEvent, times: Times, zone: string, _scope: Scope): Promise<void> {
  const input = timesInput(timesOf(event, zone) ?? times, times, zone);
  await client.mutate({ mutation: patchEvent, variables: { calendarId: event.calendarId, eventId: event.id, event: input, ifMatch: event.etag } });
}
