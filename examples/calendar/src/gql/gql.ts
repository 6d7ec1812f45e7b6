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
    "\n  fragment EventFields on Event {\n    nodeId\n    id\n    iCalUID\n    etag\n    status\n    summary\n    description\n    location\n    start {\n      date\n      dateTime\n      timeZone\n    }\n    end {\n      date\n      dateTime\n      timeZone\n    }\n    recurrence\n    recurringEventId\n    colorId\n    visibility\n    locked\n    privateCopy\n    creator {\n      email\n    }\n    organizer {\n      email\n      self\n    }\n    attendees {\n      email\n      displayName\n      responseStatus\n      organizer\n      self\n      resource\n    }\n    reminders {\n      useDefault\n      overrides {\n        method\n        minutes\n      }\n    }\n  }\n": typeof types.EventFieldsFragmentDoc,
    "\n  fragment EventPage on EventConnection {\n    nodes {\n      ...EventFields\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nextSyncToken\n  }\n": typeof types.EventPageFragmentDoc,
    "\n  fragment CalendarFields on Calendar {\n    nodeId\n    id\n    etag\n    summary\n    description\n    location\n    timeZone\n    backgroundColor\n    accessRole\n    primary\n    defaultReminders {\n      method\n      minutes\n    }\n  }\n": typeof types.CalendarFieldsFragmentDoc,
    "\n  query DemoCalendars {\n    calendars {\n      ...CalendarFields\n    }\n  }\n": typeof types.DemoCalendarsDocument,
    "\n  mutation DemoInsertCalendar($calendar: CalendarInput!, $requestId: String!) {\n    insertCalendar(calendar: $calendar, requestId: $requestId) {\n      ...CalendarFields\n    }\n  }\n": typeof types.DemoInsertCalendarDocument,
    "\n  mutation DemoPatchCalendar($calendarId: String!, $calendar: CalendarInput!, $ifMatch: String) {\n    patchCalendar(calendarId: $calendarId, calendar: $calendar, ifMatch: $ifMatch) {\n      ...CalendarFields\n    }\n  }\n": typeof types.DemoPatchCalendarDocument,
    "\n  mutation DemoDeleteCalendar($calendarId: String!, $ifMatch: String) {\n    deleteCalendar(calendarId: $calendarId, ifMatch: $ifMatch)\n  }\n": typeof types.DemoDeleteCalendarDocument,
    "\n  query DemoCalendarAccess($calendarId: String!) {\n    calendarAccess(calendarId: $calendarId) {\n      email\n      role\n    }\n  }\n": typeof types.DemoCalendarAccessDocument,
    "\n  mutation DemoSetCalendarAccess($calendarId: String!, $email: String!, $role: CalendarAccessRole!) {\n    setCalendarAccess(calendarId: $calendarId, email: $email, role: $role) {\n      email\n      role\n    }\n  }\n": typeof types.DemoSetCalendarAccessDocument,
    "\n  query DemoCalendarFeed($calendarId: String!) {\n    calendar(calendarId: $calendarId) {\n      nodeId\n      feedUrl\n    }\n  }\n": typeof types.DemoCalendarFeedDocument,
    "\n  mutation DemoResetCalendarFeed($calendarId: String!) {\n    resetCalendarFeed(calendarId: $calendarId) {\n      nodeId\n      feedUrl\n    }\n  }\n": typeof types.DemoResetCalendarFeedDocument,
    "\n  query DemoEvents(\n    $calendarId: String!\n    $timeMin: DateTime!\n    $timeMax: DateTime!\n    $q: String\n    $after: String\n  ) {\n    events(\n      calendarId: $calendarId\n      singleEvents: true\n      orderBy: startTime\n      timeMin: $timeMin\n      timeMax: $timeMax\n      q: $q\n      after: $after\n    ) {\n      ...EventPage\n    }\n  }\n": typeof types.DemoEventsDocument,
    "\n  query DemoChanges($calendarId: String!, $syncToken: String!, $after: String) {\n    events(calendarId: $calendarId, singleEvents: true, syncToken: $syncToken, after: $after) {\n      ...EventPage\n    }\n  }\n": typeof types.DemoChangesDocument,
    "\n  query DemoEvent($calendarId: String!, $eventId: String!) {\n    event(calendarId: $calendarId, eventId: $eventId) {\n      ...EventFields\n    }\n  }\n": typeof types.DemoEventDocument,
    "\n  mutation DemoPatchEvent(\n    $calendarId: String!\n    $eventId: String!\n    $event: EventInput!\n    $attendeeChanges: AttendeeChangesInput\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    patchEvent(\n      calendarId: $calendarId\n      eventId: $eventId\n      event: $event\n      attendeeChanges: $attendeeChanges\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      ...EventFields\n    }\n  }\n": typeof types.DemoPatchEventDocument,
    "\n  mutation DemoPatchFollowingEvents(\n    $calendarId: String!\n    $eventId: String!\n    $event: EventInput!\n    $attendeeChanges: AttendeeChangesInput\n    $requestId: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    patchFollowingEvents(\n      calendarId: $calendarId\n      eventId: $eventId\n      event: $event\n      attendeeChanges: $attendeeChanges\n      requestId: $requestId\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      following {\n        ...EventFields\n      }\n    }\n  }\n": typeof types.DemoPatchFollowingEventsDocument,
    "\n  mutation DemoInsertEvent(\n    $calendarId: String!\n    $event: EventInput!\n    $requestId: String!\n    $sendUpdates: SendUpdates\n  ) {\n    insertEvent(calendarId: $calendarId, event: $event, requestId: $requestId, sendUpdates: $sendUpdates) {\n      ...EventFields\n    }\n  }\n": typeof types.DemoInsertEventDocument,
    "\n  mutation DemoImportCalendar($calendarId: String!, $icalendar: String!, $validateOnly: Boolean!) {\n    importCalendar(calendarId: $calendarId, icalendar: $icalendar, validateOnly: $validateOnly) {\n      created\n      updated\n      unchanged\n      refused {\n        uid\n        index\n        issues {\n          message\n        }\n      }\n    }\n  }\n": typeof types.DemoImportCalendarDocument,
    "\n  mutation DemoMoveEvent(\n    $calendarId: String!\n    $eventId: String!\n    $destination: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    moveEvent(\n      calendarId: $calendarId\n      eventId: $eventId\n      destination: $destination\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      ...EventFields\n    }\n  }\n": typeof types.DemoMoveEventDocument,
    "\n  mutation DemoDeleteEvent(\n    $calendarId: String!\n    $eventId: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    deleteEvent(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates)\n  }\n": typeof types.DemoDeleteEventDocument,
    "\n  mutation DemoDeleteFollowingEvents(\n    $calendarId: String!\n    $eventId: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    deleteFollowingEvents(\n      calendarId: $calendarId\n      eventId: $eventId\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      nodeId\n      id\n    }\n  }\n": typeof types.DemoDeleteFollowingEventsDocument,
    "\n  query DemoFreeBusy($calendarIds: [String!]!, $timeMin: DateTime!, $timeMax: DateTime!) {\n    freeBusy(calendarIds: $calendarIds, timeMin: $timeMin, timeMax: $timeMax) {\n      calendarId\n      busy {\n        start\n        end\n      }\n      error {\n        reason\n      }\n    }\n  }\n": typeof types.DemoFreeBusyDocument,
    "\n  subscription DemoCalendarsChanged($calendarIds: [String!]!) {\n    calendarsChanged(calendarIds: $calendarIds) {\n      calendarId\n    }\n  }\n": typeof types.DemoCalendarsChangedDocument,
    "\n  query DemoBuckets($project: String!) {\n    buckets(project: $project) {\n      nodes {\n        nodeId\n        id\n        etag\n        timeCreated\n        billing {\n          requesterPays\n        }\n      }\n      pageInfo {\n        hasNextPage\n      }\n    }\n  }\n": typeof types.DemoBucketsDocument,
    "\n  mutation DemoInsertBucket($project: String!, $requestId: String!, $bucket: BucketInput!) {\n    insertBucket(project: $project, requestId: $requestId, bucket: $bucket) {\n      nodeId\n      id\n    }\n  }\n": typeof types.DemoInsertBucketDocument,
    "\n  mutation DemoDeleteBucket($bucket: String!, $ifMatch: String) {\n    deleteBucket(bucket: $bucket, ifMatch: $ifMatch)\n  }\n": typeof types.DemoDeleteBucketDocument,
    "\n  query DemoNotifications($bucket: String!, $userProject: String) {\n    notifications(bucket: $bucket, userProject: $userProject) {\n      nodeId\n      id\n      topic\n      event_types\n      object_name_prefix\n      payload_format\n      custom_attributes\n    }\n  }\n": typeof types.DemoNotificationsDocument,
    "\n  mutation DemoInsertNotification(\n    $bucket: String!\n    $userProject: String\n    $requestId: String!\n    $notification: NotificationInput!\n  ) {\n    insertNotification(\n      bucket: $bucket\n      userProject: $userProject\n      requestId: $requestId\n      notification: $notification\n    ) {\n      nodeId\n      id\n    }\n  }\n": typeof types.DemoInsertNotificationDocument,
    "\n  mutation DemoDeleteNotification($bucket: String!, $userProject: String, $notificationId: String!) {\n    deleteNotification(bucket: $bucket, userProject: $userProject, notificationId: $notificationId)\n  }\n": typeof types.DemoDeleteNotificationDocument,
    "\n  mutation DemoPublish($bucket: String!, $requestId: String!, $change: ObjectChangeInput!) {\n    publishObjectChange(bucket: $bucket, requestId: $requestId, change: $change) {\n      messages {\n        messageId\n        notificationId\n      }\n    }\n  }\n": typeof types.DemoPublishDocument,
    "\n  subscription DemoMessagePublished($topic: String!) {\n    messagePublished(topic: $topic) {\n      messageId\n      notificationId\n      topic\n      attributes\n      data\n    }\n  }\n": typeof types.DemoMessagePublishedDocument,
};
const documents: Documents = {
    "\n  fragment EventFields on Event {\n    nodeId\n    id\n    iCalUID\n    etag\n    status\n    summary\n    description\n    location\n    start {\n      date\n      dateTime\n      timeZone\n    }\n    end {\n      date\n      dateTime\n      timeZone\n    }\n    recurrence\n    recurringEventId\n    colorId\n    visibility\n    locked\n    privateCopy\n    creator {\n      email\n    }\n    organizer {\n      email\n      self\n    }\n    attendees {\n      email\n      displayName\n      responseStatus\n      organizer\n      self\n      resource\n    }\n    reminders {\n      useDefault\n      overrides {\n        method\n        minutes\n      }\n    }\n  }\n": types.EventFieldsFragmentDoc,
    "\n  fragment EventPage on EventConnection {\n    nodes {\n      ...EventFields\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nextSyncToken\n  }\n": types.EventPageFragmentDoc,
    "\n  fragment CalendarFields on Calendar {\n    nodeId\n    id\n    etag\n    summary\n    description\n    location\n    timeZone\n    backgroundColor\n    accessRole\n    primary\n    defaultReminders {\n      method\n      minutes\n    }\n  }\n": types.CalendarFieldsFragmentDoc,
    "\n  query DemoCalendars {\n    calendars {\n      ...CalendarFields\n    }\n  }\n": types.DemoCalendarsDocument,
    "\n  mutation DemoInsertCalendar($calendar: CalendarInput!, $requestId: String!) {\n    insertCalendar(calendar: $calendar, requestId: $requestId) {\n      ...CalendarFields\n    }\n  }\n": types.DemoInsertCalendarDocument,
    "\n  mutation DemoPatchCalendar($calendarId: String!, $calendar: CalendarInput!, $ifMatch: String) {\n    patchCalendar(calendarId: $calendarId, calendar: $calendar, ifMatch: $ifMatch) {\n      ...CalendarFields\n    }\n  }\n": types.DemoPatchCalendarDocument,
    "\n  mutation DemoDeleteCalendar($calendarId: String!, $ifMatch: String) {\n    deleteCalendar(calendarId: $calendarId, ifMatch: $ifMatch)\n  }\n": types.DemoDeleteCalendarDocument,
    "\n  query DemoCalendarAccess($calendarId: String!) {\n    calendarAccess(calendarId: $calendarId) {\n      email\n      role\n    }\n  }\n": types.DemoCalendarAccessDocument,
    "\n  mutation DemoSetCalendarAccess($calendarId: String!, $email: String!, $role: CalendarAccessRole!) {\n    setCalendarAccess(calendarId: $calendarId, email: $email, role: $role) {\n      email\n      role\n    }\n  }\n": types.DemoSetCalendarAccessDocument,
    "\n  query DemoCalendarFeed($calendarId: String!) {\n    calendar(calendarId: $calendarId) {\n      nodeId\n      feedUrl\n    }\n  }\n": types.DemoCalendarFeedDocument,
    "\n  mutation DemoResetCalendarFeed($calendarId: String!) {\n    resetCalendarFeed(calendarId: $calendarId) {\n      nodeId\n      feedUrl\n    }\n  }\n": types.DemoResetCalendarFeedDocument,
    "\n  query DemoEvents(\n    $calendarId: String!\n    $timeMin: DateTime!\n    $timeMax: DateTime!\n    $q: String\n    $after: String\n  ) {\n    events(\n      calendarId: $calendarId\n      singleEvents: true\n      orderBy: startTime\n      timeMin: $timeMin\n      timeMax: $timeMax\n      q: $q\n      after: $after\n    ) {\n      ...EventPage\n    }\n  }\n": types.DemoEventsDocument,
    "\n  query DemoChanges($calendarId: String!, $syncToken: String!, $after: String) {\n    events(calendarId: $calendarId, singleEvents: true, syncToken: $syncToken, after: $after) {\n      ...EventPage\n    }\n  }\n": types.DemoChangesDocument,
    "\n  query DemoEvent($calendarId: String!, $eventId: String!) {\n    event(calendarId: $calendarId, eventId: $eventId) {\n      ...EventFields\n    }\n  }\n": types.DemoEventDocument,
    "\n  mutation DemoPatchEvent(\n    $calendarId: String!\n    $eventId: String!\n    $event: EventInput!\n    $attendeeChanges: AttendeeChangesInput\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    patchEvent(\n      calendarId: $calendarId\n      eventId: $eventId\n      event: $event\n      attendeeChanges: $attendeeChanges\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      ...EventFields\n    }\n  }\n": types.DemoPatchEventDocument,
    "\n  mutation DemoPatchFollowingEvents(\n    $calendarId: String!\n    $eventId: String!\n    $event: EventInput!\n    $attendeeChanges: AttendeeChangesInput\n    $requestId: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    patchFollowingEvents(\n      calendarId: $calendarId\n      eventId: $eventId\n      event: $event\n      attendeeChanges: $attendeeChanges\n      requestId: $requestId\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      following {\n        ...EventFields\n      }\n    }\n  }\n": types.DemoPatchFollowingEventsDocument,
    "\n  mutation DemoInsertEvent(\n    $calendarId: String!\n    $event: EventInput!\n    $requestId: String!\n    $sendUpdates: SendUpdates\n  ) {\n    insertEvent(calendarId: $calendarId, event: $event, requestId: $requestId, sendUpdates: $sendUpdates) {\n      ...EventFields\n    }\n  }\n": types.DemoInsertEventDocument,
    "\n  mutation DemoImportCalendar($calendarId: String!, $icalendar: String!, $validateOnly: Boolean!) {\n    importCalendar(calendarId: $calendarId, icalendar: $icalendar, validateOnly: $validateOnly) {\n      created\n      updated\n      unchanged\n      refused {\n        uid\n        index\n        issues {\n          message\n        }\n      }\n    }\n  }\n": types.DemoImportCalendarDocument,
    "\n  mutation DemoMoveEvent(\n    $calendarId: String!\n    $eventId: String!\n    $destination: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    moveEvent(\n      calendarId: $calendarId\n      eventId: $eventId\n      destination: $destination\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      ...EventFields\n    }\n  }\n": types.DemoMoveEventDocument,
    "\n  mutation DemoDeleteEvent(\n    $calendarId: String!\n    $eventId: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    deleteEvent(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates)\n  }\n": types.DemoDeleteEventDocument,
    "\n  mutation DemoDeleteFollowingEvents(\n    $calendarId: String!\n    $eventId: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    deleteFollowingEvents(\n      calendarId: $calendarId\n      eventId: $eventId\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      nodeId\n      id\n    }\n  }\n": types.DemoDeleteFollowingEventsDocument,
    "\n  query DemoFreeBusy($calendarIds: [String!]!, $timeMin: DateTime!, $timeMax: DateTime!) {\n    freeBusy(calendarIds: $calendarIds, timeMin: $timeMin, timeMax: $timeMax) {\n      calendarId\n      busy {\n        start\n        end\n      }\n      error {\n        reason\n      }\n    }\n  }\n": types.DemoFreeBusyDocument,
    "\n  subscription DemoCalendarsChanged($calendarIds: [String!]!) {\n    calendarsChanged(calendarIds: $calendarIds) {\n      calendarId\n    }\n  }\n": types.DemoCalendarsChangedDocument,
    "\n  query DemoBuckets($project: String!) {\n    buckets(project: $project) {\n      nodes {\n        nodeId\n        id\n        etag\n        timeCreated\n        billing {\n          requesterPays\n        }\n      }\n      pageInfo {\n        hasNextPage\n      }\n    }\n  }\n": types.DemoBucketsDocument,
    "\n  mutation DemoInsertBucket($project: String!, $requestId: String!, $bucket: BucketInput!) {\n    insertBucket(project: $project, requestId: $requestId, bucket: $bucket) {\n      nodeId\n      id\n    }\n  }\n": types.DemoInsertBucketDocument,
    "\n  mutation DemoDeleteBucket($bucket: String!, $ifMatch: String) {\n    deleteBucket(bucket: $bucket, ifMatch: $ifMatch)\n  }\n": types.DemoDeleteBucketDocument,
    "\n  query DemoNotifications($bucket: String!, $userProject: String) {\n    notifications(bucket: $bucket, userProject: $userProject) {\n      nodeId\n      id\n      topic\n      event_types\n      object_name_prefix\n      payload_format\n      custom_attributes\n    }\n  }\n": types.DemoNotificationsDocument,
    "\n  mutation DemoInsertNotification(\n    $bucket: String!\n    $userProject: String\n    $requestId: String!\n    $notification: NotificationInput!\n  ) {\n    insertNotification(\n      bucket: $bucket\n      userProject: $userProject\n      requestId: $requestId\n      notification: $notification\n    ) {\n      nodeId\n      id\n    }\n  }\n": types.DemoInsertNotificationDocument,
    "\n  mutation DemoDeleteNotification($bucket: String!, $userProject: String, $notificationId: String!) {\n    deleteNotification(bucket: $bucket, userProject: $userProject, notificationId: $notificationId)\n  }\n": types.DemoDeleteNotificationDocument,
    "\n  mutation DemoPublish($bucket: String!, $requestId: String!, $change: ObjectChangeInput!) {\n    publishObjectChange(bucket: $bucket, requestId: $requestId, change: $change) {\n      messages {\n        messageId\n        notificationId\n      }\n    }\n  }\n": types.DemoPublishDocument,
    "\n  subscription DemoMessagePublished($topic: String!) {\n    messagePublished(topic: $topic) {\n      messageId\n      notificationId\n      topic\n      attributes\n      data\n    }\n  }\n": types.DemoMessagePublishedDocument,
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
export function graphql(source: "\n  fragment EventFields on Event {\n    nodeId\n    id\n    iCalUID\n    etag\n    status\n    summary\n    description\n    location\n    start {\n      date\n      dateTime\n      timeZone\n    }\n    end {\n      date\n      dateTime\n      timeZone\n    }\n    recurrence\n    recurringEventId\n    colorId\n    visibility\n    locked\n    privateCopy\n    creator {\n      email\n    }\n    organizer {\n      email\n      self\n    }\n    attendees {\n      email\n      displayName\n      responseStatus\n      organizer\n      self\n      resource\n    }\n    reminders {\n      useDefault\n      overrides {\n        method\n        minutes\n      }\n    }\n  }\n"): (typeof documents)["\n  fragment EventFields on Event {\n    nodeId\n    id\n    iCalUID\n    etag\n    status\n    summary\n    description\n    location\n    start {\n      date\n      dateTime\n      timeZone\n    }\n    end {\n      date\n      dateTime\n      timeZone\n    }\n    recurrence\n    recurringEventId\n    colorId\n    visibility\n    locked\n    privateCopy\n    creator {\n      email\n    }\n    organizer {\n      email\n      self\n    }\n    attendees {\n      email\n      displayName\n      responseStatus\n      organizer\n      self\n      resource\n    }\n    reminders {\n      useDefault\n      overrides {\n        method\n        minutes\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment EventPage on EventConnection {\n    nodes {\n      ...EventFields\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nextSyncToken\n  }\n"): (typeof documents)["\n  fragment EventPage on EventConnection {\n    nodes {\n      ...EventFields\n    }\n    pageInfo {\n      hasNextPage\n      endCursor\n    }\n    nextSyncToken\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  fragment CalendarFields on Calendar {\n    nodeId\n    id\n    etag\n    summary\n    description\n    location\n    timeZone\n    backgroundColor\n    accessRole\n    primary\n    defaultReminders {\n      method\n      minutes\n    }\n  }\n"): (typeof documents)["\n  fragment CalendarFields on Calendar {\n    nodeId\n    id\n    etag\n    summary\n    description\n    location\n    timeZone\n    backgroundColor\n    accessRole\n    primary\n    defaultReminders {\n      method\n      minutes\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoCalendars {\n    calendars {\n      ...CalendarFields\n    }\n  }\n"): (typeof documents)["\n  query DemoCalendars {\n    calendars {\n      ...CalendarFields\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoInsertCalendar($calendar: CalendarInput!, $requestId: String!) {\n    insertCalendar(calendar: $calendar, requestId: $requestId) {\n      ...CalendarFields\n    }\n  }\n"): (typeof documents)["\n  mutation DemoInsertCalendar($calendar: CalendarInput!, $requestId: String!) {\n    insertCalendar(calendar: $calendar, requestId: $requestId) {\n      ...CalendarFields\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoPatchCalendar($calendarId: String!, $calendar: CalendarInput!, $ifMatch: String) {\n    patchCalendar(calendarId: $calendarId, calendar: $calendar, ifMatch: $ifMatch) {\n      ...CalendarFields\n    }\n  }\n"): (typeof documents)["\n  mutation DemoPatchCalendar($calendarId: String!, $calendar: CalendarInput!, $ifMatch: String) {\n    patchCalendar(calendarId: $calendarId, calendar: $calendar, ifMatch: $ifMatch) {\n      ...CalendarFields\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoDeleteCalendar($calendarId: String!, $ifMatch: String) {\n    deleteCalendar(calendarId: $calendarId, ifMatch: $ifMatch)\n  }\n"): (typeof documents)["\n  mutation DemoDeleteCalendar($calendarId: String!, $ifMatch: String) {\n    deleteCalendar(calendarId: $calendarId, ifMatch: $ifMatch)\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoCalendarAccess($calendarId: String!) {\n    calendarAccess(calendarId: $calendarId) {\n      email\n      role\n    }\n  }\n"): (typeof documents)["\n  query DemoCalendarAccess($calendarId: String!) {\n    calendarAccess(calendarId: $calendarId) {\n      email\n      role\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoSetCalendarAccess($calendarId: String!, $email: String!, $role: CalendarAccessRole!) {\n    setCalendarAccess(calendarId: $calendarId, email: $email, role: $role) {\n      email\n      role\n    }\n  }\n"): (typeof documents)["\n  mutation DemoSetCalendarAccess($calendarId: String!, $email: String!, $role: CalendarAccessRole!) {\n    setCalendarAccess(calendarId: $calendarId, email: $email, role: $role) {\n      email\n      role\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoCalendarFeed($calendarId: String!) {\n    calendar(calendarId: $calendarId) {\n      nodeId\n      feedUrl\n    }\n  }\n"): (typeof documents)["\n  query DemoCalendarFeed($calendarId: String!) {\n    calendar(calendarId: $calendarId) {\n      nodeId\n      feedUrl\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoResetCalendarFeed($calendarId: String!) {\n    resetCalendarFeed(calendarId: $calendarId) {\n      nodeId\n      feedUrl\n    }\n  }\n"): (typeof documents)["\n  mutation DemoResetCalendarFeed($calendarId: String!) {\n    resetCalendarFeed(calendarId: $calendarId) {\n      nodeId\n      feedUrl\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoEvents(\n    $calendarId: String!\n    $timeMin: DateTime!\n    $timeMax: DateTime!\n    $q: String\n    $after: String\n  ) {\n    events(\n      calendarId: $calendarId\n      singleEvents: true\n      orderBy: startTime\n      timeMin: $timeMin\n      timeMax: $timeMax\n      q: $q\n      after: $after\n    ) {\n      ...EventPage\n    }\n  }\n"): (typeof documents)["\n  query DemoEvents(\n    $calendarId: String!\n    $timeMin: DateTime!\n    $timeMax: DateTime!\n    $q: String\n    $after: String\n  ) {\n    events(\n      calendarId: $calendarId\n      singleEvents: true\n      orderBy: startTime\n      timeMin: $timeMin\n      timeMax: $timeMax\n      q: $q\n      after: $after\n    ) {\n      ...EventPage\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoChanges($calendarId: String!, $syncToken: String!, $after: String) {\n    events(calendarId: $calendarId, singleEvents: true, syncToken: $syncToken, after: $after) {\n      ...EventPage\n    }\n  }\n"): (typeof documents)["\n  query DemoChanges($calendarId: String!, $syncToken: String!, $after: String) {\n    events(calendarId: $calendarId, singleEvents: true, syncToken: $syncToken, after: $after) {\n      ...EventPage\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoEvent($calendarId: String!, $eventId: String!) {\n    event(calendarId: $calendarId, eventId: $eventId) {\n      ...EventFields\n    }\n  }\n"): (typeof documents)["\n  query DemoEvent($calendarId: String!, $eventId: String!) {\n    event(calendarId: $calendarId, eventId: $eventId) {\n      ...EventFields\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoPatchEvent(\n    $calendarId: String!\n    $eventId: String!\n    $event: EventInput!\n    $attendeeChanges: AttendeeChangesInput\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    patchEvent(\n      calendarId: $calendarId\n      eventId: $eventId\n      event: $event\n      attendeeChanges: $attendeeChanges\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      ...EventFields\n    }\n  }\n"): (typeof documents)["\n  mutation DemoPatchEvent(\n    $calendarId: String!\n    $eventId: String!\n    $event: EventInput!\n    $attendeeChanges: AttendeeChangesInput\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    patchEvent(\n      calendarId: $calendarId\n      eventId: $eventId\n      event: $event\n      attendeeChanges: $attendeeChanges\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      ...EventFields\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoPatchFollowingEvents(\n    $calendarId: String!\n    $eventId: String!\n    $event: EventInput!\n    $attendeeChanges: AttendeeChangesInput\n    $requestId: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    patchFollowingEvents(\n      calendarId: $calendarId\n      eventId: $eventId\n      event: $event\n      attendeeChanges: $attendeeChanges\n      requestId: $requestId\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      following {\n        ...EventFields\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation DemoPatchFollowingEvents(\n    $calendarId: String!\n    $eventId: String!\n    $event: EventInput!\n    $attendeeChanges: AttendeeChangesInput\n    $requestId: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    patchFollowingEvents(\n      calendarId: $calendarId\n      eventId: $eventId\n      event: $event\n      attendeeChanges: $attendeeChanges\n      requestId: $requestId\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      following {\n        ...EventFields\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoInsertEvent(\n    $calendarId: String!\n    $event: EventInput!\n    $requestId: String!\n    $sendUpdates: SendUpdates\n  ) {\n    insertEvent(calendarId: $calendarId, event: $event, requestId: $requestId, sendUpdates: $sendUpdates) {\n      ...EventFields\n    }\n  }\n"): (typeof documents)["\n  mutation DemoInsertEvent(\n    $calendarId: String!\n    $event: EventInput!\n    $requestId: String!\n    $sendUpdates: SendUpdates\n  ) {\n    insertEvent(calendarId: $calendarId, event: $event, requestId: $requestId, sendUpdates: $sendUpdates) {\n      ...EventFields\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoImportCalendar($calendarId: String!, $icalendar: String!, $validateOnly: Boolean!) {\n    importCalendar(calendarId: $calendarId, icalendar: $icalendar, validateOnly: $validateOnly) {\n      created\n      updated\n      unchanged\n      refused {\n        uid\n        index\n        issues {\n          message\n        }\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation DemoImportCalendar($calendarId: String!, $icalendar: String!, $validateOnly: Boolean!) {\n    importCalendar(calendarId: $calendarId, icalendar: $icalendar, validateOnly: $validateOnly) {\n      created\n      updated\n      unchanged\n      refused {\n        uid\n        index\n        issues {\n          message\n        }\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoMoveEvent(\n    $calendarId: String!\n    $eventId: String!\n    $destination: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    moveEvent(\n      calendarId: $calendarId\n      eventId: $eventId\n      destination: $destination\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      ...EventFields\n    }\n  }\n"): (typeof documents)["\n  mutation DemoMoveEvent(\n    $calendarId: String!\n    $eventId: String!\n    $destination: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    moveEvent(\n      calendarId: $calendarId\n      eventId: $eventId\n      destination: $destination\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      ...EventFields\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoDeleteEvent(\n    $calendarId: String!\n    $eventId: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    deleteEvent(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates)\n  }\n"): (typeof documents)["\n  mutation DemoDeleteEvent(\n    $calendarId: String!\n    $eventId: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    deleteEvent(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates)\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoDeleteFollowingEvents(\n    $calendarId: String!\n    $eventId: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    deleteFollowingEvents(\n      calendarId: $calendarId\n      eventId: $eventId\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      nodeId\n      id\n    }\n  }\n"): (typeof documents)["\n  mutation DemoDeleteFollowingEvents(\n    $calendarId: String!\n    $eventId: String!\n    $ifMatch: String\n    $sendUpdates: SendUpdates\n  ) {\n    deleteFollowingEvents(\n      calendarId: $calendarId\n      eventId: $eventId\n      ifMatch: $ifMatch\n      sendUpdates: $sendUpdates\n    ) {\n      nodeId\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoFreeBusy($calendarIds: [String!]!, $timeMin: DateTime!, $timeMax: DateTime!) {\n    freeBusy(calendarIds: $calendarIds, timeMin: $timeMin, timeMax: $timeMax) {\n      calendarId\n      busy {\n        start\n        end\n      }\n      error {\n        reason\n      }\n    }\n  }\n"): (typeof documents)["\n  query DemoFreeBusy($calendarIds: [String!]!, $timeMin: DateTime!, $timeMax: DateTime!) {\n    freeBusy(calendarIds: $calendarIds, timeMin: $timeMin, timeMax: $timeMax) {\n      calendarId\n      busy {\n        start\n        end\n      }\n      error {\n        reason\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription DemoCalendarsChanged($calendarIds: [String!]!) {\n    calendarsChanged(calendarIds: $calendarIds) {\n      calendarId\n    }\n  }\n"): (typeof documents)["\n  subscription DemoCalendarsChanged($calendarIds: [String!]!) {\n    calendarsChanged(calendarIds: $calendarIds) {\n      calendarId\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoBuckets($project: String!) {\n    buckets(project: $project) {\n      nodes {\n        nodeId\n        id\n        etag\n        timeCreated\n        billing {\n          requesterPays\n        }\n      }\n      pageInfo {\n        hasNextPage\n      }\n    }\n  }\n"): (typeof documents)["\n  query DemoBuckets($project: String!) {\n    buckets(project: $project) {\n      nodes {\n        nodeId\n        id\n        etag\n        timeCreated\n        billing {\n          requesterPays\n        }\n      }\n      pageInfo {\n        hasNextPage\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoInsertBucket($project: String!, $requestId: String!, $bucket: BucketInput!) {\n    insertBucket(project: $project, requestId: $requestId, bucket: $bucket) {\n      nodeId\n      id\n    }\n  }\n"): (typeof documents)["\n  mutation DemoInsertBucket($project: String!, $requestId: String!, $bucket: BucketInput!) {\n    insertBucket(project: $project, requestId: $requestId, bucket: $bucket) {\n      nodeId\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoDeleteBucket($bucket: String!, $ifMatch: String) {\n    deleteBucket(bucket: $bucket, ifMatch: $ifMatch)\n  }\n"): (typeof documents)["\n  mutation DemoDeleteBucket($bucket: String!, $ifMatch: String) {\n    deleteBucket(bucket: $bucket, ifMatch: $ifMatch)\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  query DemoNotifications($bucket: String!, $userProject: String) {\n    notifications(bucket: $bucket, userProject: $userProject) {\n      nodeId\n      id\n      topic\n      event_types\n      object_name_prefix\n      payload_format\n      custom_attributes\n    }\n  }\n"): (typeof documents)["\n  query DemoNotifications($bucket: String!, $userProject: String) {\n    notifications(bucket: $bucket, userProject: $userProject) {\n      nodeId\n      id\n      topic\n      event_types\n      object_name_prefix\n      payload_format\n      custom_attributes\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoInsertNotification(\n    $bucket: String!\n    $userProject: String\n    $requestId: String!\n    $notification: NotificationInput!\n  ) {\n    insertNotification(\n      bucket: $bucket\n      userProject: $userProject\n      requestId: $requestId\n      notification: $notification\n    ) {\n      nodeId\n      id\n    }\n  }\n"): (typeof documents)["\n  mutation DemoInsertNotification(\n    $bucket: String!\n    $userProject: String\n    $requestId: String!\n    $notification: NotificationInput!\n  ) {\n    insertNotification(\n      bucket: $bucket\n      userProject: $userProject\n      requestId: $requestId\n      notification: $notification\n    ) {\n      nodeId\n      id\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoDeleteNotification($bucket: String!, $userProject: String, $notificationId: String!) {\n    deleteNotification(bucket: $bucket, userProject: $userProject, notificationId: $notificationId)\n  }\n"): (typeof documents)["\n  mutation DemoDeleteNotification($bucket: String!, $userProject: String, $notificationId: String!) {\n    deleteNotification(bucket: $bucket, userProject: $userProject, notificationId: $notificationId)\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  mutation DemoPublish($bucket: String!, $requestId: String!, $change: ObjectChangeInput!) {\n    publishObjectChange(bucket: $bucket, requestId: $requestId, change: $change) {\n      messages {\n        messageId\n        notificationId\n      }\n    }\n  }\n"): (typeof documents)["\n  mutation DemoPublish($bucket: String!, $requestId: String!, $change: ObjectChangeInput!) {\n    publishObjectChange(bucket: $bucket, requestId: $requestId, change: $change) {\n      messages {\n        messageId\n        notificationId\n      }\n    }\n  }\n"];
/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "\n  subscription DemoMessagePublished($topic: String!) {\n    messagePublished(topic: $topic) {\n      messageId\n      notificationId\n      topic\n      attributes\n      data\n    }\n  }\n"): (typeof documents)["\n  subscription DemoMessagePublished($topic: String!) {\n    messagePublished(topic: $topic) {\n      messageId\n      notificationId\n      topic\n      attributes\n      data\n    }\n  }\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;