/* eslint-disable */
import * as types from './graphql.ts';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "\n  query ReadEvent($calendarId: String!, $eventId: String!) {\n    event(calendarId: $calendarId, eventId: $eventId) {\n      nodeId\n      id\n      summary\n      location\n      etag\n      updated\n      start {\n        date\n        dateTime\n        timeZone\n      }\n      organizer {\n        email\n        self\n      }\n      attendees {\n        id\n        email\n        displayName\n        responseStatus\n      }\n    }\n  }\n": typeof types.ReadEventDocument,
    "\n  mutation PatchEvent($calendarId: String!, $eventId: String!, $event: EventInput!, $ifMatch: String) {\n    patchEvent(calendarId: $calendarId, eventId: $eventId, event: $event, ifMatch: $ifMatch) {\n      nodeId\n      id\n      summary\n      location\n      etag\n      updated\n    }\n  }\n": typeof types.PatchEventDocument,
    "\n  mutation PatchGuests($calendarId: String!, $eventId: String!, $attendeeChanges: AttendeeChangesInput!) {\n    patchEvent(\n      calendarId: $calendarId\n      eventId: $eventId\n      event: {}\n      attendeeChanges: $attendeeChanges\n      sendUpdates: all\n    ) {\n      nodeId\n      id\n      etag\n      updated\n      attendees {\n        id\n        email\n        displayName\n        responseStatus\n      }\n    }\n  }\n": typeof types.PatchGuestsDocument,
    "\n  query Changes($calendarId: String!, $syncToken: String, $after: String) {\n    events(calendarId: $calendarId, syncToken: $syncToken, first: 100, after: $after) {\n      nodes {\n        nodeId\n        id\n        status\n        summary\n        etag\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nextSyncToken\n    }\n  }\n": typeof types.ChangesDocument,
    "\n  query ReadWeek($timeMin: DateTime!, $timeMax: DateTime!) {\n    calendars {\n      nodeId\n      id\n      summary\n      events(timeMin: $timeMin, timeMax: $timeMax, singleEvents: true, orderBy: startTime) {\n        nodes {\n          nodeId\n          id\n          summary\n          start {\n            date\n            dateTime\n          }\n        }\n        pageInfo {\n          hasNextPage\n        }\n      }\n    }\n  }\n": typeof types.ReadWeekDocument,
    "\n  query ReadNotifications($bucket: String!) {\n    notifications(bucket: $bucket) {\n      nodeId\n      id\n      topic\n      custom_attributes\n    }\n  }\n": typeof types.ReadNotificationsDocument,
    "\n  subscription CalendarChanged($calendarId: String!) {\n    calendarChanged(calendarId: $calendarId) {\n      calendarId\n      changedAt\n    }\n  }\n": typeof types.CalendarChangedDocument,
    "\n  subscription CalendarsChanged($calendarIds: [String!]!) {\n    calendarsChanged(calendarIds: $calendarIds) {\n      calendarId\n      changedAt\n    }\n  }\n": typeof types.CalendarsChangedDocument,
};
const documents: Documents = {
    "\n  query ReadEvent($calendarId: String!, $eventId: String!) {\n    event(calendarId: $calendarId, eventId: $eventId) {\n      nodeId\n      id\n      summary\n      location\n      etag\n      updated\n      start {\n        date\n        dateTime\n        timeZone\n      }\n      organizer {\n        email\n        self\n      }\n      attendees {\n        id\n        email\n        displayName\n        responseStatus\n      }\n    }\n  }\n": types.ReadEventDocument,
    "\n  mutation PatchEvent($calendarId: String!, $eventId: String!, $event: EventInput!, $ifMatch: String) {\n    patchEvent(calendarId: $calendarId, eventId: $eventId, event: $event, ifMatch: $ifMatch) {\n      nodeId\n      id\n      summary\n      location\n      etag\n      updated\n    }\n  }\n": types.PatchEventDocument,
    "\n  mutation PatchGuests($calendarId: String!, $eventId: String!, $attendeeChanges: AttendeeChangesInput!) {\n    patchEvent(\n      calendarId: $calendarId\n      eventId: $eventId\n      event: {}\n      attendeeChanges: $attendeeChanges\n      sendUpdates: all\n    ) {\n      nodeId\n      id\n      etag\n      updated\n      attendees {\n        id\n        email\n        displayName\n        responseStatus\n      }\n    }\n  }\n": types.PatchGuestsDocument,
    "\n  query Changes($calendarId: String!, $syncToken: String, $after: String) {\n    events(calendarId: $calendarId, syncToken: $syncToken, first: 100, after: $after) {\n      nodes {\n        nodeId\n        id\n        status\n        summary\n        etag\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nextSyncToken\n    }\n  }\n": types.ChangesDocument,
    "\n  query ReadWeek($timeMin: DateTime!, $timeMax: DateTime!) {\n    calendars {\n      nodeId\n      id\n      summary\n      events(timeMin: $timeMin, timeMax: $timeMax, singleEvents: true, orderBy: startTime) {\n        nodes {\n          nodeId\n          id\n          summary\n          start {\n            date\n            dateTime\n          }\n        }\n        pageInfo {\n          hasNextPage\n        }\n      }\n    }\n  }\n": types.ReadWeekDocument,
    "\n  query ReadNotifications($bucket: String!) {\n    notifications(bucket: $bucket) {\n      nodeId\n      id\n      topic\n      custom_attributes\n    }\n  }\n": types.ReadNotificationsDocument,
    "\n  subscription CalendarChanged($calendarId: String!) {\n    calendarChanged(calendarId: $calendarId) {\n      calendarId\n      changedAt\n    }\n  }\n": types.CalendarChangedDocument,
    "\n  subscription CalendarsChanged($calendarIds: [String!]!) {\n    calendarsChanged(calendarIds: $calendarIds) {\n      calendarId\n      changedAt\n    }\n  }\n": types.CalendarsChangedDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ReadEvent($calendarId: String!, $eventId: String!) {\n    event(calendarId: $calendarId, eventId: $eventId) {\n      nodeId\n      id\n      summary\n      location\n      etag\n      updated\n      start {\n        date\n        dateTime\n        timeZone\n      }\n      organizer {\n        email\n        self\n      }\n      attendees {\n        id\n        email\n        displayName\n        responseStatus\n      }\n    }\n  }\n"): (typeof documents)["\n  query ReadEvent($calendarId: String!, $eventId: String!) {\n    event(calendarId: $calendarId, eventId: $eventId) {\n      nodeId\n      id\n      summary\n      location\n      etag\n      updated\n      start {\n        date\n        dateTime\n        timeZone\n      }\n      organizer {\n        email\n        self\n      }\n      attendees {\n        id\n        email\n        displayName\n        responseStatus\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PatchEvent($calendarId: String!, $eventId: String!, $event: EventInput!, $ifMatch: String) {\n    patchEvent(calendarId: $calendarId, eventId: $eventId, event: $event, ifMatch: $ifMatch) {\n      nodeId\n      id\n      summary\n      location\n      etag\n      updated\n    }\n  }\n"): (typeof documents)["\n  mutation PatchEvent($calendarId: String!, $eventId: String!, $event: EventInput!, $ifMatch: String) {\n    patchEvent(calendarId: $calendarId, eventId: $eventId, event: $event, ifMatch: $ifMatch) {\n      nodeId\n      id\n      summary\n      location\n      etag\n      updated\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation PatchGuests($calendarId: String!, $eventId: String!, $attendeeChanges: AttendeeChangesInput!) {\n    patchEvent(\n      calendarId: $calendarId\n      eventId: $eventId\n      event: {}\n      attendeeChanges: $attendeeChanges\n      sendUpdates: all\n    ) {\n      nodeId\n      id\n      etag\n      updated\n      attendees {\n        id\n        email\n        displayName\n        responseStatus\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation PatchGuests($calendarId: String!, $eventId: String!, $attendeeChanges: AttendeeChangesInput!) {\n    patchEvent(\n      calendarId: $calendarId\n      eventId: $eventId\n      event: {}\n      attendeeChanges: $attendeeChanges\n      sendUpdates: all\n    ) {\n      nodeId\n      id\n      etag\n      updated\n      attendees {\n        id\n        email\n        displayName\n        responseStatus\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query Changes($calendarId: String!, $syncToken: String, $after: String) {\n    events(calendarId: $calendarId, syncToken: $syncToken, first: 100, after: $after) {\n      nodes {\n        nodeId\n        id\n        status\n        summary\n        etag\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nextSyncToken\n    }\n  }\n"): (typeof documents)["\n  query Changes($calendarId: String!, $syncToken: String, $after: String) {\n    events(calendarId: $calendarId, syncToken: $syncToken, first: 100, after: $after) {\n      nodes {\n        nodeId\n        id\n        status\n        summary\n        etag\n      }\n      pageInfo {\n        hasNextPage\n        endCursor\n      }\n      nextSyncToken\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ReadWeek($timeMin: DateTime!, $timeMax: DateTime!) {\n    calendars {\n      nodeId\n      id\n      summary\n      events(timeMin: $timeMin, timeMax: $timeMax, singleEvents: true, orderBy: startTime) {\n        nodes {\n          nodeId\n          id\n          summary\n          start {\n            date\n            dateTime\n          }\n        }\n        pageInfo {\n          hasNextPage\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  query ReadWeek($timeMin: DateTime!, $timeMax: DateTime!) {\n    calendars {\n      nodeId\n      id\n      summary\n      events(timeMin: $timeMin, timeMax: $timeMax, singleEvents: true, orderBy: startTime) {\n        nodes {\n          nodeId\n          id\n          summary\n          start {\n            date\n            dateTime\n          }\n        }\n        pageInfo {\n          hasNextPage\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query ReadNotifications($bucket: String!) {\n    notifications(bucket: $bucket) {\n      nodeId\n      id\n      topic\n      custom_attributes\n    }\n  }\n"): (typeof documents)["\n  query ReadNotifications($bucket: String!) {\n    notifications(bucket: $bucket) {\n      nodeId\n      id\n      topic\n      custom_attributes\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription CalendarChanged($calendarId: String!) {\n    calendarChanged(calendarId: $calendarId) {\n      calendarId\n      changedAt\n    }\n  }\n"): (typeof documents)["\n  subscription CalendarChanged($calendarId: String!) {\n    calendarChanged(calendarId: $calendarId) {\n      calendarId\n      changedAt\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription CalendarsChanged($calendarIds: [String!]!) {\n    calendarsChanged(calendarIds: $calendarIds) {\n      calendarId\n      changedAt\n    }\n  }\n"): (typeof documents)["\n  subscription CalendarsChanged($calendarIds: [String!]!) {\n    calendarsChanged(calendarIds: $calendarIds) {\n      calendarId\n      changedAt\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;