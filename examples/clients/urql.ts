import { Client, type CombinedError, fetchExchange } from '@urql/core';
import { cacheExchange, type KeyingConfig } from '@urql/exchange-graphcache';
import { fieldErrors, type GatewayError } from './errors.ts';
import { patchEvent } from './operations.ts';

/** Types that are a part of what they stand in. */
const embedded = [
  'EventTime',
  'EventAttachment',
  'EventAttendee',
  'EventCreator',
  'EventOrganizer',
  'ConferenceData',
  'ConferenceSolution',
  'ConferenceSolutionKey',
  'ConferenceCreateRequest',
  'ConferenceRequestStatus',
  'EntryPoint',
  'ConferenceParameters',
  'ConferenceAddOnParameters',
  'EventExtendedProperties',
  'EventGadget',
  'EventReminders',
  'EventReminder',
  'EventSource',
  'EventConnection',
  'EventEdge',
  'MessageConnection',
  'MessageEdge',
  'ObjectChangeResult',
  'CalendarChange',
  'GuestsNotified',
  'Warning',
  'WriteReport',
  'SeriesSplit',
  'PageInfo',
  'BucketBilling',
  'BucketConnection',
  'BucketEdge',
  'CalendarAccess',
  'CalendarBusy',
  'BusyPeriod',
  'CalendarBusyError',
];

/** Events, notifications and buckets by `nodeId`, calendars by their `id`. */
export const keys: KeyingConfig = {
  Event: ({ nodeId }) => nodeId as string,
  Notification: ({ nodeId }) => nodeId as string,
  Bucket: ({ nodeId }) => nodeId as string,
  PublishedMessage: ({ messageId }) => messageId as string | null,
  ...Object.fromEntries(embedded.map((name) => [name, () => null])),
};

export const createClient = (url: string, token: string): Client =>
  new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
    exchanges: [cacheExchange({ keys }), fetchExchange],
  });

/** The gateway's errors; without a connection, that there is none. */
export const errorsOf = ({ graphQLErrors, message }: CombinedError): readonly GatewayError[] =>
  graphQLErrors.length > 0 ? graphQLErrors : [{ message: `The gateway cannot be reached. ${message}` }];

/** Saves a form; the messages by field, where the gateway refused it. */
export async function save(
  client: Client,
  eventId: string,
  event: Record<string, unknown>,
): Promise<Record<string, string>> {
  const { error } = await client.mutation(patchEvent, { calendarId: 'primary', eventId, event }).toPromise();
  return error ? fieldErrors(errorsOf(error), 'event') : {};
}
