import { Client, fetchExchange } from '@urql/core';
import { cacheExchange, type KeyingConfig } from '@urql/exchange-graphcache';

const embedded = (): null => null;

/** Events and notifications by `nodeId`, calendars by their `id`; everything else is a part of what it stands in. */
export const keys: KeyingConfig = {
  Event: ({ nodeId }) => nodeId as string,
  Notification: ({ nodeId }) => nodeId as string,
  PublishedMessage: ({ messageId }) => messageId as string | null,
  ...Object.fromEntries(
    [
      'EventTime', 'EventAttachment', 'EventAttendee', 'EventCreator', 'EventOrganizer', 'ConferenceData', 'ConferenceSolution',
      'ConferenceSolutionKey', 'ConferenceCreateRequest', 'ConferenceRequestStatus', 'EntryPoint', 'ConferenceParameters',
      'ConferenceAddOnParameters', 'EventExtendedProperties', 'EventGadget', 'EventReminders', 'EventReminder', 'EventSource',
      'EventConnection', 'EventEdge', 'MessageConnection', 'MessageEdge', 'ObjectChangeResult', 'CalendarChange', 'PageInfo',
    ].map((name) => [name, embedded]),
  ),
};

export const createClient = (url: string, token: string): Client =>
  new Client({
    url,
    preferGetMethod: false,
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
    exchanges: [cacheExchange({ keys }), fetchExchange],
  });
