import type { ApolloClient } from '@apollo/client';
import { stripTypename } from '@apollo/client/utilities';
import { RefusalError } from '../api/refusal.ts';
import { createRequestIds } from '../api/request-ids.ts';
import { patchEventMutation, patchFollowingEventsMutation } from '../api/operations.ts';
import type { CalendarEvent } from '../calendar/event-times.ts';
import type { AttendeeChangesInput, EventInput, SendUpdates } from '../gql/graphql.ts';
import type { NewTimes } from './draft-times.ts';
import { createSeriesMove } from './series-move.ts';
import { readEvent } from './read-event.ts';

/** Part of a series to change; a single event has only `this`. */
export type Scope = 'this' | 'following' | 'all';

/** A change of an event that the form or the grid stores. */
export interface EventChange {
  /** Event or instance as read, with the etag to compare. */
  readonly event: CalendarEvent;
  readonly scope: Scope;
  /** Changed fields except the times. */
  readonly input: EventInput;
  readonly times?: NewTimes;
  readonly attendeeChanges?: AttendeeChangesInput;
  readonly sendUpdates?: SendUpdates;
}

/** An event or series before a change, its etag after it, and the fields that were sent. */
export interface SavedChange {
  readonly eventBefore: CalendarEvent;
  readonly etagAfter: string | null;
  readonly sentFields: readonly (keyof EventInput & keyof CalendarEvent)[];
}

/**
 * Stores a change of an event, of it and all later ones, or of its series. Fails if the event was changed
 * since it was read. Returns the data with which the change can be undone; undefined for `following`, because
 * the series stays divided.
 */
export async function saveChange(
  client: ApolloClient,
  change: EventChange,
): Promise<SavedChange | undefined> {
  const { event, scope, input, times, attendeeChanges, sendUpdates } = change;
  if (scope === 'following') return saveFollowing(client, change);
  const target = scope === 'all' ? await readSeries(client, event) : event;
  const newTimes = scope === 'all' && times?.move ? createSeriesMove(target, times.move) : times?.input;
  return sendPatch(client, target, { event: { ...newTimes, ...input }, attendeeChanges, sendUpdates });
}

async function sendPatch(
  client: ApolloClient,
  eventBefore: CalendarEvent,
  change: Pick<EventChange, 'attendeeChanges' | 'sendUpdates'> & { readonly event: EventInput },
): Promise<SavedChange> {
  const { calendarId, id: eventId, etag: ifMatch } = eventBefore;
  const { data } = await client.mutate({
    mutation: patchEventMutation,
    variables: { calendarId, eventId, ifMatch, ...change },
  });
  return {
    eventBefore,
    etagAfter: data?.patchEvent?.etag ?? null,
    sentFields: Object.keys(change.event) as SavedChange['sentFields'],
  };
}

/**
 * Whether `restoreFields` brings back all of the former state. It cannot restore instances that had the new
 * value themselves or that a rule dropped, responses of removed guests, and sent mails.
 */
export const isUndoable = ({ scope, input, attendeeChanges, sendUpdates }: EventChange): boolean =>
  scope === 'this' && !('recurrence' in input) && !attendeeChanges && !sendUpdates;

/** Restores the fields that a change set. Fails if the event or series was changed since. */
export async function restoreFields(
  client: ApolloClient,
  { eventBefore, etagAfter, sentFields }: SavedChange,
): Promise<void> {
  await sendPatch(
    client,
    { ...eventBefore, etag: etagAfter },
    {
      event: Object.fromEntries(
        sentFields.map((field) => [field, stripTypename(eventBefore[field] ?? null)]),
      ),
    },
  );
}

/** Request ids of changes of an instance and all later ones, from the form and from the grid. */
const requestIds = createRequestIds();

async function saveFollowing(
  client: ApolloClient,
  { event, input, times, attendeeChanges, sendUpdates }: EventChange,
): Promise<undefined> {
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
    mutation: patchFollowingEventsMutation,
    variables: { ...body, requestId: requestIds.idFor(body) },
  });
  requestIds.markDone();
}

/**
 * Reads the series of an instance, whose etag protects a change of all events. Throws if the instance was
 * changed since it was read.
 */
export async function readSeries(client: ApolloClient, event: CalendarEvent): Promise<CalendarEvent> {
  const { calendarId, recurringEventId } = event;
  const [currentInstance, series] = (await Promise.all(
    [event.id, recurringEventId ?? event.id].map((id) => readEvent(client, calendarId, id)),
  )) as [CalendarEvent, CalendarEvent];
  if (currentInstance.etag !== event.etag)
    throw new RefusalError('conflict', 'This event was changed since it was read.');
  return series;
}
