import type { ApolloClient } from '@apollo/client';
import { Refused } from '../api/refusal.ts';
import { createRequestIds } from '../api/request-ids.ts';
import { followingRule, patchEvent, patchFollowingEvents } from '../api/operations.ts';
import type { CalendarEvent } from '../calendar/week.ts';
import type { AttendeeChangesInput, EventFieldsFragment, EventInput, SendUpdates } from '../gql/graphql.ts';
import type { NewTimes } from './draft-times.ts';
import { movedSeries } from './moved-series.ts';
import { goneMeanwhile, readEvent } from './read-event.ts';

/** How much of a series is meant; of a single event there is this one only. */
export type Scope = 'this' | 'following' | 'all';

export interface Change {
  /** As it was read: an event, or one of a series. */
  readonly event: CalendarEvent;
  readonly scope: Scope;
  /** All but the times. */
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
  const recurrence =
    times?.move && input.recurrence === undefined
      ? movedSeries(await following(client, event), times.move).recurrence
      : undefined;
  const body = {
    calendarId,
    eventId,
    event: { ...input, ...times?.input, ...(recurrence && { recurrence }) },
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

let lastFollowing: { readonly event: CalendarEvent; readonly series: EventFieldsFragment } | undefined;

/** What a series is from an event on; known still when the division was stored and only its answer was lost. */
async function following(client: ApolloClient, event: CalendarEvent): Promise<EventFieldsFragment> {
  if (lastFollowing?.event.nodeId === event.nodeId && lastFollowing.event.etag === event.etag)
    return lastFollowing.series;
  const { calendarId, id: eventId, etag: ifMatch } = event;
  const { data } = await client.mutate({
    mutation: followingRule,
    variables: { calendarId, eventId, ifMatch },
    fetchPolicy: 'no-cache',
  });
  const series = data?.patchFollowingEvents?.following;
  if (!series) throw goneMeanwhile();
  lastFollowing = { event, series };
  return series;
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
