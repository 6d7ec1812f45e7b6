import { graphql } from '../gql/gql.ts';

/** Fields of an event. All operations select all of them, so that the cache never lacks one. */
export const eventFields = graphql(`
  fragment EventFields on Event {
    nodeId
    id
    iCalUID
    etag
    status
    summary
    description
    location
    start {
      date
      dateTime
      timeZone
    }
    end {
      date
      dateTime
      timeZone
    }
    recurrence
    recurringEventId
    colorId
    visibility
    locked
    privateCopy
    creator {
      email
    }
    organizer {
      email
      self
    }
    attendees {
      email
      displayName
      responseStatus
      organizer
      self
      resource
    }
    reminders {
      useDefault
      overrides {
        method
        minutes
      }
    }
  }
`);

/** A page of events. */
export const eventPage = graphql(`
  fragment EventPage on EventConnection {
    nodes {
      ...EventFields
    }
    pageInfo {
      hasNextPage
      endCursor
    }
    nextSyncToken
  }
`);

/** Fields of a calendar, which all operations select. */
export const calendarFields = graphql(`
  fragment CalendarFields on Calendar {
    nodeId
    id
    etag
    summary
    description
    location
    timeZone
    backgroundColor
    accessRole
    primary
    defaultReminders {
      method
      minutes
    }
  }
`);

export const calendarsQuery = graphql(`
  query DemoCalendars {
    calendars {
      ...CalendarFields
    }
  }
`);

export const insertCalendarMutation = graphql(`
  mutation DemoInsertCalendar($calendar: CalendarInput!, $requestId: String!) {
    insertCalendar(calendar: $calendar, requestId: $requestId) {
      ...CalendarFields
    }
  }
`);

export const patchCalendarMutation = graphql(`
  mutation DemoPatchCalendar($calendarId: String!, $calendar: CalendarInput!, $ifMatch: String) {
    patchCalendar(calendarId: $calendarId, calendar: $calendar, ifMatch: $ifMatch) {
      ...CalendarFields
    }
  }
`);

export const deleteCalendarMutation = graphql(`
  mutation DemoDeleteCalendar($calendarId: String!, $ifMatch: String) {
    deleteCalendar(calendarId: $calendarId, ifMatch: $ifMatch)
  }
`);

export const calendarAccessQuery = graphql(`
  query DemoCalendarAccess($calendarId: String!) {
    calendarAccess(calendarId: $calendarId) {
      email
      role
    }
  }
`);

export const setCalendarAccessMutation = graphql(`
  mutation DemoSetCalendarAccess($calendarId: String!, $email: String!, $role: CalendarAccessRole!) {
    setCalendarAccess(calendarId: $calendarId, email: $email, role: $role) {
      email
      role
    }
  }
`);

/** Reads the secret address of the iCalendar feed of a calendar. */
export const calendarFeedQuery = graphql(`
  query DemoCalendarFeed($calendarId: String!) {
    calendar(calendarId: $calendarId) {
      nodeId
      feedUrl
    }
  }
`);

export const resetCalendarFeedMutation = graphql(`
  mutation DemoResetCalendarFeed($calendarId: String!) {
    resetCalendarFeed(calendarId: $calendarId) {
      nodeId
      feedUrl
    }
  }
`);

/** Reads a page of the events of a calendar in a range of time, with instances instead of series. */
export const eventsQuery = graphql(`
  query DemoEvents(
    $calendarId: String!
    $timeMin: DateTime!
    $timeMax: DateTime!
    $q: String
    $after: String
  ) {
    events(
      calendarId: $calendarId
      singleEvents: true
      orderBy: startTime
      timeMin: $timeMin
      timeMax: $timeMax
      q: $q
      after: $after
    ) {
      ...EventPage
    }
  }
`);

/** Reads the events of a calendar that changed since a sync token. */
export const changesQuery = graphql(`
  query DemoChanges($calendarId: String!, $syncToken: String!, $after: String) {
    events(calendarId: $calendarId, singleEvents: true, syncToken: $syncToken, after: $after) {
      ...EventPage
    }
  }
`);

export const eventQuery = graphql(`
  query DemoEvent($calendarId: String!, $eventId: String!) {
    event(calendarId: $calendarId, eventId: $eventId) {
      ...EventFields
    }
  }
`);

export const patchEventMutation = graphql(`
  mutation DemoPatchEvent(
    $calendarId: String!
    $eventId: String!
    $event: EventInput!
    $attendeeChanges: AttendeeChangesInput
    $ifMatch: String
    $sendUpdates: SendUpdates
  ) {
    patchEvent(
      calendarId: $calendarId
      eventId: $eventId
      event: $event
      attendeeChanges: $attendeeChanges
      ifMatch: $ifMatch
      sendUpdates: $sendUpdates
    ) {
      ...EventFields
    }
  }
`);

/** Changes an instance and all later ones. */
export const patchFollowingEventsMutation = graphql(`
  mutation DemoPatchFollowingEvents(
    $calendarId: String!
    $eventId: String!
    $event: EventInput!
    $attendeeChanges: AttendeeChangesInput
    $requestId: String!
    $ifMatch: String
    $sendUpdates: SendUpdates
  ) {
    patchFollowingEvents(
      calendarId: $calendarId
      eventId: $eventId
      event: $event
      attendeeChanges: $attendeeChanges
      requestId: $requestId
      ifMatch: $ifMatch
      sendUpdates: $sendUpdates
    ) {
      following {
        ...EventFields
      }
    }
  }
`);

export const insertEventMutation = graphql(`
  mutation DemoInsertEvent(
    $calendarId: String!
    $event: EventInput!
    $requestId: String!
    $sendUpdates: SendUpdates
  ) {
    insertEvent(calendarId: $calendarId, event: $event, requestId: $requestId, sendUpdates: $sendUpdates) {
      ...EventFields
    }
  }
`);

/** Imports an iCalendar text, or says what an import would do. */
export const importCalendarMutation = graphql(`
  mutation DemoImportCalendar($calendarId: String!, $icalendar: String!, $validateOnly: Boolean!) {
    importCalendar(calendarId: $calendarId, icalendar: $icalendar, validateOnly: $validateOnly) {
      created
      updated
      unchanged
      refused {
        uid
        index
        issues {
          message
        }
      }
    }
  }
`);

/** Moves an event or a series to another calendar. */
export const moveEventMutation = graphql(`
  mutation DemoMoveEvent(
    $calendarId: String!
    $eventId: String!
    $destination: String!
    $ifMatch: String
    $sendUpdates: SendUpdates
  ) {
    moveEvent(
      calendarId: $calendarId
      eventId: $eventId
      destination: $destination
      ifMatch: $ifMatch
      sendUpdates: $sendUpdates
    ) {
      ...EventFields
    }
  }
`);

export const deleteEventMutation = graphql(`
  mutation DemoDeleteEvent(
    $calendarId: String!
    $eventId: String!
    $ifMatch: String
    $sendUpdates: SendUpdates
  ) {
    deleteEvent(calendarId: $calendarId, eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates)
  }
`);

/** Deletes an instance and all later ones. */
export const deleteFollowingEventsMutation = graphql(`
  mutation DemoDeleteFollowingEvents(
    $calendarId: String!
    $eventId: String!
    $ifMatch: String
    $sendUpdates: SendUpdates
  ) {
    deleteFollowingEvents(
      calendarId: $calendarId
      eventId: $eventId
      ifMatch: $ifMatch
      sendUpdates: $sendUpdates
    ) {
      nodeId
      id
    }
  }
`);

/** Busy times of calendars; a calendar that the caller may not see has an error instead. */
export const freeBusyQuery = graphql(`
  query DemoFreeBusy($calendarIds: [String!]!, $timeMin: DateTime!, $timeMax: DateTime!) {
    freeBusy(calendarIds: $calendarIds, timeMin: $timeMin, timeMax: $timeMax) {
      calendarId
      busy {
        start
        end
      }
      error {
        reason
      }
    }
  }
`);

/** Reports changes of all visible calendars in a single stream. */
export const calendarsChangedSubscription = graphql(`
  subscription DemoCalendarsChanged($calendarIds: [String!]!) {
    calendarsChanged(calendarIds: $calendarIds) {
      calendarId
    }
  }
`);

export const bucketsQuery = graphql(`
  query DemoBuckets($project: String!) {
    buckets(project: $project) {
      nodes {
        nodeId
        id
        etag
        timeCreated
        billing {
          requesterPays
        }
      }
      pageInfo {
        hasNextPage
      }
    }
  }
`);

export const insertBucketMutation = graphql(`
  mutation DemoInsertBucket($project: String!, $requestId: String!, $bucket: BucketInput!) {
    insertBucket(project: $project, requestId: $requestId, bucket: $bucket) {
      nodeId
      id
    }
  }
`);

export const deleteBucketMutation = graphql(`
  mutation DemoDeleteBucket($bucket: String!, $ifMatch: String) {
    deleteBucket(bucket: $bucket, ifMatch: $ifMatch)
  }
`);

export const notificationsQuery = graphql(`
  query DemoNotifications($bucket: String!, $userProject: String) {
    notifications(bucket: $bucket, userProject: $userProject) {
      nodeId
      id
      topic
      event_types
      object_name_prefix
      payload_format
      custom_attributes
    }
  }
`);

export const insertNotificationMutation = graphql(`
  mutation DemoInsertNotification(
    $bucket: String!
    $userProject: String
    $requestId: String!
    $notification: NotificationInput!
  ) {
    insertNotification(
      bucket: $bucket
      userProject: $userProject
      requestId: $requestId
      notification: $notification
    ) {
      nodeId
      id
    }
  }
`);

export const deleteNotificationMutation = graphql(`
  mutation DemoDeleteNotification($bucket: String!, $userProject: String, $notificationId: String!) {
    deleteNotification(bucket: $bucket, userProject: $userProject, notificationId: $notificationId)
  }
`);

export const publishObjectChangeMutation = graphql(`
  mutation DemoPublish($bucket: String!, $requestId: String!, $change: ObjectChangeInput!) {
    publishObjectChange(bucket: $bucket, requestId: $requestId, change: $change) {
      messages {
        messageId
        notificationId
      }
    }
  }
`);

export const messagePublishedSubscription = graphql(`
  subscription DemoMessagePublished($topic: String!) {
    messagePublished(topic: $topic) {
      messageId
      notificationId
      topic
      attributes
      data
    }
  }
`);
