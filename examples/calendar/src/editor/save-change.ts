import type { ApolloClient } from '@apollo/client';
import { Refused } from '../api/refusal.ts';
import { createRequestIds } from '../api/request-ids.ts';
import { patchEvent, patchFollowingEvents } from '../api/operations.ts';
import type { CalendarEvent } from '../calendar/week.ts';
import type { AttendeeChangesInput, EventInput, SendUpdates } from '../gql/graphql.ts';
import type { NewTimes } from './draft-times.ts';
import { movedSeries } from './moved-series.ts';
import { readEvent } from './read-event.ts';

/** Part of a series to change; a single event has only `this`. */
export type Scope = 'this' | 'following' | 'all';

export interface Change {
  /** Event or instance as it was read. */
  readonly event: CalendarEvent;
  readonly scope: Scope;
  /** Changed fields except the times. */
  readonly input: EventInput;
  readonly times?: NewTimes;
  readonly attendeeChanges?: AttendeeChangesInput;
  readonly sendUpdates?: SendUpdates;
}

/** Stores a change of an event as it was read, of it and those that follow, or of its whole series. */
export async function saveChange(client: ApolloClient, change: Change): Promise<void> {
  if (change.scope === 'following') await saveFollowing(client, change);
  else await (change.scope === 'all' ? saveAll(client, change) : saveThis(client, change));
}

async function saveThis(
  client: ApolloClient,
  { event, input, times, attendeeChanges, sendUpdates }: Change,
): Promise<void> {
  const { calendarId, id: eventId, etag: ifMatch } = event;
  await client.mutate({
    mutation: patchEvent,
    variables: {
      calendarId,
      eventId,
      event: { ...input, ...times?.input },
      attendeeChanges,
      ifMatch,
      sendUpdates,
    },
  });
}

const requestIds = createRequestIds();

async function saveFollowing(
  client: ApolloClient,
  { event, input, times, attendeeChanges, sendUpdates }: Change,
): Promise<void> {
  const { calendarId, id: eventId, etag: ifMatch } = event;
  const body = {
    calendarId,
    eventId,
    event: { ...input, ...times?.input },
    attendeeChanges,
    ifMatch,
    sendUpdates,
  };
  await client.mutate({
    mutation: patchFollowingEvents,
    variables: { ...body, requestId: requestIds.of(body) },
  });
  requestIds.done();
}

async function saveAll(
  client: ApolloClient,
  { event, input, times, attendeeChanges, sendUpdates }: Change,
): Promise<void> {
  const { calendarId, recurringEventId } = event;
  const [now, series] = (await Promise.all(
    [event.id, recurringEventId ?? event.id].map((id) => readEvent(client, calendarId, id)),
  )) as [CalendarEvent, CalendarEvent];
  // The one that was looked at is what the change was meant for; the series has an etag of its own.
  if (now.etag !== event.etag) throw new Refused('conflict', 'This event was changed since it was read.');
  const moved = times?.move ? movedSeries(series, times.move) : times?.input;
  await client.mutate({
    mutation: patchEvent,
    variables: {
      calendarId,
      eventId: series.id,
      event: { ...moved, ...input },
      attendeeChanges,
      ifMatch: series.etag,
      sendUpdates,
    },
  });
}
