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
    "\n  fragment EventFields on Event {\n    nodeId id etag status summary description location\n    start { date dateTime timeZone }\n    end { date dateTime timeZone }\n    recurrence recurringEventId visibility\n    organizer { email self }\n    attendees { email displayName responseStatus organizer self resource }\n    reminders { useDefault overrides { method minutes } }\n  }\n": typeof types.EventFieldsFragmentDoc,
    "\n  query DemoCalendar {\n    calendar(calendarId: \"primary\") { id timeZone accessRole defaultReminders { method minutes } }\n  }\n": typeof types.DemoCalendarDocument,
    "\n  query DemoWeek($timeMin: DateTime!, $timeMax: DateTime!, $after: String) {\n    events(calendarId: \"primary\", singleEvents: true, orderBy: startTime, timeMin: $timeMin, timeMax: $timeMax, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n": typeof types.DemoWeekDocument,
    "\n  query DemoChanges($syncToken: String!, $after: String) {\n    events(calendarId: \"primary\", singleEvents: true, syncToken: $syncToken, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n": typeof types.DemoChangesDocument,
    "\n  query DemoEvent($eventId: String!) {\n    event(calendarId: \"primary\", eventId: $eventId) { ...EventFields }\n  }\n": typeof types.DemoEventDocument,
    "\n  mutation DemoPatchEvent($eventId: String!, $event: EventInput!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    patchEvent(calendarId: \"primary\", eventId: $eventId, event: $event, ifMatch: $ifMatch, sendUpdates: $sendUpdates) { ...EventFields }\n  }\n": typeof types.DemoPatchEventDocument,
    "\n  mutation DemoInsertEvent($event: EventInput!, $requestId: String!, $sendUpdates: SendUpdates) {\n    insertEvent(calendarId: \"primary\", event: $event, requestId: $requestId, sendUpdates: $sendUpdates) { ...EventFields }\n  }\n": typeof types.DemoInsertEventDocument,
    "\n  mutation DemoDeleteEvent($eventId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    deleteEvent(calendarId: \"primary\", eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates)\n  }\n": typeof types.DemoDeleteEventDocument,
    "\n  subscription DemoCalendarChanged {\n    calendarChanged(calendarId: \"primary\") { changedAt }\n  }\n": typeof types.DemoCalendarChangedDocument,
    "\n  query DemoNotifications($bucket: String!, $userProject: String) {\n    notifications(bucket: $bucket, userProject: $userProject) {\n      nodeId id topic event_types object_name_prefix payload_format custom_attributes\n    }\n  }\n": typeof types.DemoNotificationsDocument,
    "\n  mutation DemoInsertNotification($bucket: String!, $userProject: String, $requestId: String!, $notification: NotificationInput!) {\n    insertNotification(bucket: $bucket, userProject: $userProject, requestId: $requestId, notification: $notification) { nodeId id }\n  }\n": typeof types.DemoInsertNotificationDocument,
    "\n  mutation DemoDeleteNotification($bucket: String!, $userProject: String, $notificationId: String!) {\n    deleteNotification(bucket: $bucket, userProject: $userProject, notificationId: $notificationId)\n  }\n": typeof types.DemoDeleteNotificationDocument,
    "\n  mutation DemoPublish($bucket: String!, $requestId: String!, $change: ObjectChangeInput!) {\n    publishObjectChange(bucket: $bucket, requestId: $requestId, change: $change) { messages { messageId notificationId } }\n  }\n": typeof types.DemoPublishDocument,
    "\n  subscription DemoMessagePublished($topic: String!) {\n    messagePublished(topic: $topic) { messageId notificationId topic attributes data }\n  }\n": typeof types.DemoMessagePublishedDocument,
};
const documents: Documents = {
    "\n  fragment EventFields on Event {\n    nodeId id etag status summary description location\n    start { date dateTime timeZone }\n    end { date dateTime timeZone }\n    recurrence recurringEventId visibility\n    organizer { email self }\n    attendees { email displayName responseStatus organizer self resource }\n    reminders { useDefault overrides { method minutes } }\n  }\n": types.EventFieldsFragmentDoc,
    "\n  query DemoCalendar {\n    calendar(calendarId: \"primary\") { id timeZone accessRole defaultReminders { method minutes } }\n  }\n": types.DemoCalendarDocument,
    "\n  query DemoWeek($timeMin: DateTime!, $timeMax: DateTime!, $after: String) {\n    events(calendarId: \"primary\", singleEvents: true, orderBy: startTime, timeMin: $timeMin, timeMax: $timeMax, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n": types.DemoWeekDocument,
    "\n  query DemoChanges($syncToken: String!, $after: String) {\n    events(calendarId: \"primary\", singleEvents: true, syncToken: $syncToken, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n": types.DemoChangesDocument,
    "\n  query DemoEvent($eventId: String!) {\n    event(calendarId: \"primary\", eventId: $eventId) { ...EventFields }\n  }\n": types.DemoEventDocument,
    "\n  mutation DemoPatchEvent($eventId: String!, $event: EventInput!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    patchEvent(calendarId: \"primary\", eventId: $eventId, event: $event, ifMatch: $ifMatch, sendUpdates: $sendUpdates) { ...EventFields }\n  }\n": types.DemoPatchEventDocument,
    "\n  mutation DemoInsertEvent($event: EventInput!, $requestId: String!, $sendUpdates: SendUpdates) {\n    insertEvent(calendarId: \"primary\", event: $event, requestId: $requestId, sendUpdates: $sendUpdates) { ...EventFields }\n  }\n": types.DemoInsertEventDocument,
    "\n  mutation DemoDeleteEvent($eventId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    deleteEvent(calendarId: \"primary\", eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates)\n  }\n": types.DemoDeleteEventDocument,
    "\n  subscription DemoCalendarChanged {\n    calendarChanged(calendarId: \"primary\") { changedAt }\n  }\n": types.DemoCalendarChangedDocument,
    "\n  query DemoNotifications($bucket: String!, $userProject: String) {\n    notifications(bucket: $bucket, userProject: $userProject) {\n      nodeId id topic event_types object_name_prefix payload_format custom_attributes\n    }\n  }\n": types.DemoNotificationsDocument,
    "\n  mutation DemoInsertNotification($bucket: String!, $userProject: String, $requestId: String!, $notification: NotificationInput!) {\n    insertNotification(bucket: $bucket, userProject: $userProject, requestId: $requestId, notification: $notification) { nodeId id }\n  }\n": types.DemoInsertNotificationDocument,
    "\n  mutation DemoDeleteNotification($bucket: String!, $userProject: String, $notificationId: String!) {\n    deleteNotification(bucket: $bucket, userProject: $userProject, notificationId: $notificationId)\n  }\n": types.DemoDeleteNotificationDocument,
    "\n  mutation DemoPublish($bucket: String!, $requestId: String!, $change: ObjectChangeInput!) {\n    publishObjectChange(bucket: $bucket, requestId: $requestId, change: $change) { messages { messageId notificationId } }\n  }\n": types.DemoPublishDocument,
    "\n  subscription DemoMessagePublished($topic: String!) {\n    messagePublished(topic: $topic) { messageId notificationId topic attributes data }\n  }\n": types.DemoMessagePublishedDocument,
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
export function graphql(source: "\n  fragment EventFields on Event {\n    nodeId id etag status summary description location\n    start { date dateTime timeZone }\n    end { date dateTime timeZone }\n    recurrence recurringEventId visibility\n    organizer { email self }\n    attendees { email displayName responseStatus organizer self resource }\n    reminders { useDefault overrides { method minutes } }\n  }\n"): (typeof documents)["\n  fragment EventFields on Event {\n    nodeId id etag status summary description location\n    start { date dateTime timeZone }\n    end { date dateTime timeZone }\n    recurrence recurringEventId visibility\n    organizer { email self }\n    attendees { email displayName responseStatus organizer self resource }\n    reminders { useDefault overrides { method minutes } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoCalendar {\n    calendar(calendarId: \"primary\") { id timeZone accessRole defaultReminders { method minutes } }\n  }\n"): (typeof documents)["\n  query DemoCalendar {\n    calendar(calendarId: \"primary\") { id timeZone accessRole defaultReminders { method minutes } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoWeek($timeMin: DateTime!, $timeMax: DateTime!, $after: String) {\n    events(calendarId: \"primary\", singleEvents: true, orderBy: startTime, timeMin: $timeMin, timeMax: $timeMax, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n"): (typeof documents)["\n  query DemoWeek($timeMin: DateTime!, $timeMax: DateTime!, $after: String) {\n    events(calendarId: \"primary\", singleEvents: true, orderBy: startTime, timeMin: $timeMin, timeMax: $timeMax, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoChanges($syncToken: String!, $after: String) {\n    events(calendarId: \"primary\", singleEvents: true, syncToken: $syncToken, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n"): (typeof documents)["\n  query DemoChanges($syncToken: String!, $after: String) {\n    events(calendarId: \"primary\", singleEvents: true, syncToken: $syncToken, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoEvent($eventId: String!) {\n    event(calendarId: \"primary\", eventId: $eventId) { ...EventFields }\n  }\n"): (typeof documents)["\n  query DemoEvent($eventId: String!) {\n    event(calendarId: \"primary\", eventId: $eventId) { ...EventFields }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoPatchEvent($eventId: String!, $event: EventInput!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    patchEvent(calendarId: \"primary\", eventId: $eventId, event: $event, ifMatch: $ifMatch, sendUpdates: $sendUpdates) { ...EventFields }\n  }\n"): (typeof documents)["\n  mutation DemoPatchEvent($eventId: String!, $event: EventInput!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    patchEvent(calendarId: \"primary\", eventId: $eventId, event: $event, ifMatch: $ifMatch, sendUpdates: $sendUpdates) { ...EventFields }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoInsertEvent($event: EventInput!, $requestId: String!, $sendUpdates: SendUpdates) {\n    insertEvent(calendarId: \"primary\", event: $event, requestId: $requestId, sendUpdates: $sendUpdates) { ...EventFields }\n  }\n"): (typeof documents)["\n  mutation DemoInsertEvent($event: EventInput!, $requestId: String!, $sendUpdates: SendUpdates) {\n    insertEvent(calendarId: \"primary\", event: $event, requestId: $requestId, sendUpdates: $sendUpdates) { ...EventFields }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoDeleteEvent($eventId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    deleteEvent(calendarId: \"primary\", eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates)\n  }\n"): (typeof documents)["\n  mutation DemoDeleteEvent($eventId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    deleteEvent(calendarId: \"primary\", eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates)\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription DemoCalendarChanged {\n    calendarChanged(calendarId: \"primary\") { changedAt }\n  }\n"): (typeof documents)["\n  subscription DemoCalendarChanged {\n    calendarChanged(calendarId: \"primary\") { changedAt }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoNotifications($bucket: String!, $userProject: String) {\n    notifications(bucket: $bucket, userProject: $userProject) {\n      nodeId id topic event_types object_name_prefix payload_format custom_attributes\n    }\n  }\n"): (typeof documents)["\n  query DemoNotifications($bucket: String!, $userProject: String) {\n    notifications(bucket: $bucket, userProject: $userProject) {\n      nodeId id topic event_types object_name_prefix payload_format custom_attributes\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoInsertNotification($bucket: String!, $userProject: String, $requestId: String!, $notification: NotificationInput!) {\n    insertNotification(bucket: $bucket, userProject: $userProject, requestId: $requestId, notification: $notification) { nodeId id }\n  }\n"): (typeof documents)["\n  mutation DemoInsertNotification($bucket: String!, $userProject: String, $requestId: String!, $notification: NotificationInput!) {\n    insertNotification(bucket: $bucket, userProject: $userProject, requestId: $requestId, notification: $notification) { nodeId id }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoDeleteNotification($bucket: String!, $userProject: String, $notificationId: String!) {\n    deleteNotification(bucket: $bucket, userProject: $userProject, notificationId: $notificationId)\n  }\n"): (typeof documents)["\n  mutation DemoDeleteNotification($bucket: String!, $userProject: String, $notificationId: String!) {\n    deleteNotification(bucket: $bucket, userProject: $userProject, notificationId: $notificationId)\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoPublish($bucket: String!, $requestId: String!, $change: ObjectChangeInput!) {\n    publishObjectChange(bucket: $bucket, requestId: $requestId, change: $change) { messages { messageId notificationId } }\n  }\n"): (typeof documents)["\n  mutation DemoPublish($bucket: String!, $requestId: String!, $change: ObjectChangeInput!) {\n    publishObjectChange(bucket: $bucket, requestId: $requestId, change: $change) { messages { messageId notificationId } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription DemoMessagePublished($topic: String!) {\n    messagePublished(topic: $topic) { messageId notificationId topic attributes data }\n  }\n"): (typeof documents)["\n  subscription DemoMessagePublished($topic: String!) {\n    messagePublished(topic: $topic) { messageId notificationId topic attributes data }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;