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
    "\n  fragment CalendarFields on Calendar {\n    nodeId id etag summary description location timeZone backgroundColor accessRole primary\n    defaultReminders { method minutes }\n  }\n": typeof types.CalendarFieldsFragmentDoc,
    "\n  query DemoCalendars {\n    calendars { ...CalendarFields }\n  }\n": typeof types.DemoCalendarsDocument,
    "\n  mutation DemoInsertCalendar($calendar: CalendarInput!, $requestId: String!) {\n    insertCalendar(calendar: $calendar, requestId: $requestId) { ...CalendarFields }\n  }\n": typeof types.DemoInsertCalendarDocument,
    "\n  mutation DemoPatchCalendar($calendarId: String!, $calendar: CalendarInput!, $ifMatch: String) {\n    patchCalendar(calendarId: $calendarId, calendar: $calendar, ifMatch: $ifMatch) { ...CalendarFields }\n  }\n": typeof types.DemoPatchCalendarDocument,
    "\n  mutation DemoDeleteCalendar($calendarId: String!, $ifMatch: String) {\n    deleteCalendar(calendarId: $calendarId, ifMatch: $ifMatch)\n  }\n": typeof types.DemoDeleteCalendarDocument,
    "\n  query DemoCalendarAccess($calendarId: String!) {\n    calendarAccess(calendarId: $calendarId) { email role }\n  }\n": typeof types.DemoCalendarAccessDocument,
    "\n  mutation DemoSetCalendarAccess($calendarId: String!, $email: String!, $role: CalendarAccessRole!) {\n    setCalendarAccess(calendarId: $calendarId, email: $email, role: $role) { email role }\n  }\n": typeof types.DemoSetCalendarAccessDocument,
    "\n  query DemoEvents($calendarId: String!, $timeMin: DateTime!, $timeMax: DateTime!, $after: String) {\n    events(calendarId: $calendarId, singleEvents: true, orderBy: startTime, timeMin: $timeMin, timeMax: $timeMax, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n": typeof types.DemoEventsDocument,
    "\n  query DemoChanges($calendarId: String!, $syncToken: String!, $after: String) {\n    events(calendarId: $calendarId, singleEvents: true, syncToken: $syncToken, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n": typeof types.DemoChangesDocument,
    "\n  query DemoEvent($calendarId: String!, $eventId: String!) {\n    event(calendarId: $calendarId, eventId: $eventId) { ...EventFields }\n  }\n": typeof types.DemoEventDocument,
    "\n  mutation DemoPatchEvent(\n    $calendarId: String!, $eventId: String!, $event: EventInput!, $attendeeChanges: AttendeeChangesInput, $ifMatch: String, $sendUpdates: SendUpdates\n  ) {\n    patchEvent(\n      calendarId: $calendarId, eventId: $eventId, event: $event, attendeeChanges: $attendeeChanges, ifMatch: $ifMatch, sendUpdates: $sendUpdates\n    ) { ...EventFields }\n  }\n": typeof types.DemoPatchEventDocument,
    "\n  mutation DemoPatchFollowingEvents(\n    $calendarId: String!, $eventId: String!, $event: EventInput!, $attendeeChanges: AttendeeChangesInput, $requestId: String!, $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    patchFollowingEvents(\n      calendarId: $calendarId, eventId: $eventId, event: $event, attendeeChanges: $attendeeChanges, requestId: $requestId, ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) { following { ...EventFields } }\n  }\n": typeof types.DemoPatchFollowingEventsDocument,
    "\n  mutation DemoFollowingRule($calendarId: String!, $eventId: String!, $ifMatch: String) {\n    patchFollowingEvents(calendarId: $calendarId, eventId: $eventId, event: {}, ifMatch: $ifMatch, validateOnly: true) { following { ...EventFields } }\n  }\n": typeof types.DemoFollowingRuleDocument,
    "\n  mutation DemoInsertEvent($calendarId: String!, $event: EventInput!, $requestId: String!, $sendUpdates: SendUpdates) {\n    insertEvent(calendarId: $calendarId, event: $event, requestId: $requestId, sendUpdates: $sendUpdates) { ...EventFields }\n  }\n": typeof types.DemoInsertEventDocument,
    "\n  mutation DemoDeleteEvent($calendarId: String!, $eventId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    deleteEvent(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates)\n  }\n": typeof types.DemoDeleteEventDocument,
    "\n  mutation DemoDeleteFollowingEvents($calendarId: String!, $eventId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    deleteFollowingEvents(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates) { nodeId id }\n  }\n": typeof types.DemoDeleteFollowingEventsDocument,
    "\n  subscription DemoCalendarsChanged($calendarIds: [String!]!) {\n    calendarsChanged(calendarIds: $calendarIds) { calendarId changedAt }\n  }\n": typeof types.DemoCalendarsChangedDocument,
    "\n  query DemoNotifications($bucket: String!, $userProject: String) {\n    notifications(bucket: $bucket, userProject: $userProject) {\n      nodeId id topic event_types object_name_prefix payload_format custom_attributes\n    }\n  }\n": typeof types.DemoNotificationsDocument,
    "\n  mutation DemoInsertNotification($bucket: String!, $userProject: String, $requestId: String!, $notification: NotificationInput!) {\n    insertNotification(bucket: $bucket, userProject: $userProject, requestId: $requestId, notification: $notification) { nodeId id }\n  }\n": typeof types.DemoInsertNotificationDocument,
    "\n  mutation DemoDeleteNotification($bucket: String!, $userProject: String, $notificationId: String!) {\n    deleteNotification(bucket: $bucket, userProject: $userProject, notificationId: $notificationId)\n  }\n": typeof types.DemoDeleteNotificationDocument,
    "\n  mutation DemoPublish($bucket: String!, $requestId: String!, $change: ObjectChangeInput!) {\n    publishObjectChange(bucket: $bucket, requestId: $requestId, change: $change) { messages { messageId notificationId } }\n  }\n": typeof types.DemoPublishDocument,
    "\n  subscription DemoMessagePublished($topic: String!) {\n    messagePublished(topic: $topic) { messageId notificationId topic attributes data }\n  }\n": typeof types.DemoMessagePublishedDocument,
};
const documents: Documents = {
    "\n  fragment EventFields on Event {\n    nodeId id etag status summary description location\n    start { date dateTime timeZone }\n    end { date dateTime timeZone }\n    recurrence recurringEventId visibility\n    organizer { email self }\n    attendees { email displayName responseStatus organizer self resource }\n    reminders { useDefault overrides { method minutes } }\n  }\n": types.EventFieldsFragmentDoc,
    "\n  fragment CalendarFields on Calendar {\n    nodeId id etag summary description location timeZone backgroundColor accessRole primary\n    defaultReminders { method minutes }\n  }\n": types.CalendarFieldsFragmentDoc,
    "\n  query DemoCalendars {\n    calendars { ...CalendarFields }\n  }\n": types.DemoCalendarsDocument,
    "\n  mutation DemoInsertCalendar($calendar: CalendarInput!, $requestId: String!) {\n    insertCalendar(calendar: $calendar, requestId: $requestId) { ...CalendarFields }\n  }\n": types.DemoInsertCalendarDocument,
    "\n  mutation DemoPatchCalendar($calendarId: String!, $calendar: CalendarInput!, $ifMatch: String) {\n    patchCalendar(calendarId: $calendarId, calendar: $calendar, ifMatch: $ifMatch) { ...CalendarFields }\n  }\n": types.DemoPatchCalendarDocument,
    "\n  mutation DemoDeleteCalendar($calendarId: String!, $ifMatch: String) {\n    deleteCalendar(calendarId: $calendarId, ifMatch: $ifMatch)\n  }\n": types.DemoDeleteCalendarDocument,
    "\n  query DemoCalendarAccess($calendarId: String!) {\n    calendarAccess(calendarId: $calendarId) { email role }\n  }\n": types.DemoCalendarAccessDocument,
    "\n  mutation DemoSetCalendarAccess($calendarId: String!, $email: String!, $role: CalendarAccessRole!) {\n    setCalendarAccess(calendarId: $calendarId, email: $email, role: $role) { email role }\n  }\n": types.DemoSetCalendarAccessDocument,
    "\n  query DemoEvents($calendarId: String!, $timeMin: DateTime!, $timeMax: DateTime!, $after: String) {\n    events(calendarId: $calendarId, singleEvents: true, orderBy: startTime, timeMin: $timeMin, timeMax: $timeMax, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n": types.DemoEventsDocument,
    "\n  query DemoChanges($calendarId: String!, $syncToken: String!, $after: String) {\n    events(calendarId: $calendarId, singleEvents: true, syncToken: $syncToken, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n": types.DemoChangesDocument,
    "\n  query DemoEvent($calendarId: String!, $eventId: String!) {\n    event(calendarId: $calendarId, eventId: $eventId) { ...EventFields }\n  }\n": types.DemoEventDocument,
    "\n  mutation DemoPatchEvent(\n    $calendarId: String!, $eventId: String!, $event: EventInput!, $attendeeChanges: AttendeeChangesInput, $ifMatch: String, $sendUpdates: SendUpdates\n  ) {\n    patchEvent(\n      calendarId: $calendarId, eventId: $eventId, event: $event, attendeeChanges: $attendeeChanges, ifMatch: $ifMatch, sendUpdates: $sendUpdates\n    ) { ...EventFields }\n  }\n": types.DemoPatchEventDocument,
    "\n  mutation DemoPatchFollowingEvents(\n    $calendarId: String!, $eventId: String!, $event: EventInput!, $attendeeChanges: AttendeeChangesInput, $requestId: String!, $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    patchFollowingEvents(\n      calendarId: $calendarId, eventId: $eventId, event: $event, attendeeChanges: $attendeeChanges, requestId: $requestId, ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) { following { ...EventFields } }\n  }\n": types.DemoPatchFollowingEventsDocument,
    "\n  mutation DemoFollowingRule($calendarId: String!, $eventId: String!, $ifMatch: String) {\n    patchFollowingEvents(calendarId: $calendarId, eventId: $eventId, event: {}, ifMatch: $ifMatch, validateOnly: true) { following { ...EventFields } }\n  }\n": types.DemoFollowingRuleDocument,
    "\n  mutation DemoInsertEvent($calendarId: String!, $event: EventInput!, $requestId: String!, $sendUpdates: SendUpdates) {\n    insertEvent(calendarId: $calendarId, event: $event, requestId: $requestId, sendUpdates: $sendUpdates) { ...EventFields }\n  }\n": types.DemoInsertEventDocument,
    "\n  mutation DemoDeleteEvent($calendarId: String!, $eventId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    deleteEvent(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates)\n  }\n": types.DemoDeleteEventDocument,
    "\n  mutation DemoDeleteFollowingEvents($calendarId: String!, $eventId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    deleteFollowingEvents(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates) { nodeId id }\n  }\n": types.DemoDeleteFollowingEventsDocument,
    "\n  subscription DemoCalendarsChanged($calendarIds: [String!]!) {\n    calendarsChanged(calendarIds: $calendarIds) { calendarId changedAt }\n  }\n": types.DemoCalendarsChangedDocument,
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
export function graphql(source: "\n  fragment CalendarFields on Calendar {\n    nodeId id etag summary description location timeZone backgroundColor accessRole primary\n    defaultReminders { method minutes }\n  }\n"): (typeof documents)["\n  fragment CalendarFields on Calendar {\n    nodeId id etag summary description location timeZone backgroundColor accessRole primary\n    defaultReminders { method minutes }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoCalendars {\n    calendars { ...CalendarFields }\n  }\n"): (typeof documents)["\n  query DemoCalendars {\n    calendars { ...CalendarFields }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoInsertCalendar($calendar: CalendarInput!, $requestId: String!) {\n    insertCalendar(calendar: $calendar, requestId: $requestId) { ...CalendarFields }\n  }\n"): (typeof documents)["\n  mutation DemoInsertCalendar($calendar: CalendarInput!, $requestId: String!) {\n    insertCalendar(calendar: $calendar, requestId: $requestId) { ...CalendarFields }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoPatchCalendar($calendarId: String!, $calendar: CalendarInput!, $ifMatch: String) {\n    patchCalendar(calendarId: $calendarId, calendar: $calendar, ifMatch: $ifMatch) { ...CalendarFields }\n  }\n"): (typeof documents)["\n  mutation DemoPatchCalendar($calendarId: String!, $calendar: CalendarInput!, $ifMatch: String) {\n    patchCalendar(calendarId: $calendarId, calendar: $calendar, ifMatch: $ifMatch) { ...CalendarFields }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoDeleteCalendar($calendarId: String!, $ifMatch: String) {\n    deleteCalendar(calendarId: $calendarId, ifMatch: $ifMatch)\n  }\n"): (typeof documents)["\n  mutation DemoDeleteCalendar($calendarId: String!, $ifMatch: String) {\n    deleteCalendar(calendarId: $calendarId, ifMatch: $ifMatch)\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoCalendarAccess($calendarId: String!) {\n    calendarAccess(calendarId: $calendarId) { email role }\n  }\n"): (typeof documents)["\n  query DemoCalendarAccess($calendarId: String!) {\n    calendarAccess(calendarId: $calendarId) { email role }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoSetCalendarAccess($calendarId: String!, $email: String!, $role: CalendarAccessRole!) {\n    setCalendarAccess(calendarId: $calendarId, email: $email, role: $role) { email role }\n  }\n"): (typeof documents)["\n  mutation DemoSetCalendarAccess($calendarId: String!, $email: String!, $role: CalendarAccessRole!) {\n    setCalendarAccess(calendarId: $calendarId, email: $email, role: $role) { email role }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoEvents($calendarId: String!, $timeMin: DateTime!, $timeMax: DateTime!, $after: String) {\n    events(calendarId: $calendarId, singleEvents: true, orderBy: startTime, timeMin: $timeMin, timeMax: $timeMax, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n"): (typeof documents)["\n  query DemoEvents($calendarId: String!, $timeMin: DateTime!, $timeMax: DateTime!, $after: String) {\n    events(calendarId: $calendarId, singleEvents: true, orderBy: startTime, timeMin: $timeMin, timeMax: $timeMax, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoChanges($calendarId: String!, $syncToken: String!, $after: String) {\n    events(calendarId: $calendarId, singleEvents: true, syncToken: $syncToken, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n"): (typeof documents)["\n  query DemoChanges($calendarId: String!, $syncToken: String!, $after: String) {\n    events(calendarId: $calendarId, singleEvents: true, syncToken: $syncToken, after: $after) {\n      nodes { ...EventFields }\n      pageInfo { hasNextPage endCursor }\n      nextSyncToken\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoEvent($calendarId: String!, $eventId: String!) {\n    event(calendarId: $calendarId, eventId: $eventId) { ...EventFields }\n  }\n"): (typeof documents)["\n  query DemoEvent($calendarId: String!, $eventId: String!) {\n    event(calendarId: $calendarId, eventId: $eventId) { ...EventFields }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoPatchEvent(\n    $calendarId: String!, $eventId: String!, $event: EventInput!, $attendeeChanges: AttendeeChangesInput, $ifMatch: String, $sendUpdates: SendUpdates\n  ) {\n    patchEvent(\n      calendarId: $calendarId, eventId: $eventId, event: $event, attendeeChanges: $attendeeChanges, ifMatch: $ifMatch, sendUpdates: $sendUpdates\n    ) { ...EventFields }\n  }\n"): (typeof documents)["\n  mutation DemoPatchEvent(\n    $calendarId: String!, $eventId: String!, $event: EventInput!, $attendeeChanges: AttendeeChangesInput, $ifMatch: String, $sendUpdates: SendUpdates\n  ) {\n    patchEvent(\n      calendarId: $calendarId, eventId: $eventId, event: $event, attendeeChanges: $attendeeChanges, ifMatch: $ifMatch, sendUpdates: $sendUpdates\n    ) { ...EventFields }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoPatchFollowingEvents(\n    $calendarId: String!, $eventId: String!, $event: EventInput!, $attendeeChanges: AttendeeChangesInput, $requestId: String!, $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    patchFollowingEvents(\n      calendarId: $calendarId, eventId: $eventId, event: $event, attendeeChanges: $attendeeChanges, requestId: $requestId, ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) { following { ...EventFields } }\n  }\n"): (typeof documents)["\n  mutation DemoPatchFollowingEvents(\n    $calendarId: String!, $eventId: String!, $event: EventInput!, $attendeeChanges: AttendeeChangesInput, $requestId: String!, $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    patchFollowingEvents(\n      calendarId: $calendarId, eventId: $eventId, event: $event, attendeeChanges: $attendeeChanges, requestId: $requestId, ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) { following { ...EventFields } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoFollowingRule($calendarId: String!, $eventId: String!, $ifMatch: String) {\n    patchFollowingEvents(calendarId: $calendarId, eventId: $eventId, event: {}, ifMatch: $ifMatch, validateOnly: true) { following { ...EventFields } }\n  }\n"): (typeof documents)["\n  mutation DemoFollowingRule($calendarId: String!, $eventId: String!, $ifMatch: String) {\n    patchFollowingEvents(calendarId: $calendarId, eventId: $eventId, event: {}, ifMatch: $ifMatch, validateOnly: true) { following { ...EventFields } }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoInsertEvent($calendarId: String!, $event: EventInput!, $requestId: String!, $sendUpdates: SendUpdates) {\n    insertEvent(calendarId: $calendarId, event: $event, requestId: $requestId, sendUpdates: $sendUpdates) { ...EventFields }\n  }\n"): (typeof documents)["\n  mutation DemoInsertEvent($calendarId: String!, $event: EventInput!, $requestId: String!, $sendUpdates: SendUpdates) {\n    insertEvent(calendarId: $calendarId, event: $event, requestId: $requestId, sendUpdates: $sendUpdates) { ...EventFields }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoDeleteEvent($calendarId: String!, $eventId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    deleteEvent(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates)\n  }\n"): (typeof documents)["\n  mutation DemoDeleteEvent($calendarId: String!, $eventId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    deleteEvent(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates)\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoDeleteFollowingEvents($calendarId: String!, $eventId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    deleteFollowingEvents(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates) { nodeId id }\n  }\n"): (typeof documents)["\n  mutation DemoDeleteFollowingEvents($calendarId: String!, $eventId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {\n    deleteFollowingEvents(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates) { nodeId id }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription DemoCalendarsChanged($calendarIds: [String!]!) {\n    calendarsChanged(calendarIds: $calendarIds) { calendarId changedAt }\n  }\n"): (typeof documents)["\n  subscription DemoCalendarsChanged($calendarIds: [String!]!) {\n    calendarsChanged(calendarIds: $calendarIds) { calendarId changedAt }\n  }\n"];
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