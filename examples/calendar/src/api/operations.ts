import { graphql } from '../gql/gql.ts';

/** An event as every part of the page knows it: selected as a whole everywhere, so that the cache never lacks a field. */
export const eventFields = graphql(`
  fragment EventFields on Event {
    nodeId id etag status summary description location
    start { date dateTime timeZone }
    end { date dateTime timeZone }
    recurrence recurringEventId visibility
    organizer { email self }
    attendees { email displayName responseStatus organizer self resource }
    reminders { useDefault overrides { method minutes } }
  }
`);

export const calendarQuery = graphql(`
  query DemoCalendar {
    calendar(calendarId: "primary") { id timeZone accessRole defaultReminders { method minutes } }
  }
`);

export const weekQuery = graphql(`
  query DemoWeek($timeMin: DateTime!, $timeMax: DateTime!, $after: String) {
    events(calendarId: "primary", singleEvents: true, orderBy: startTime, timeMin: $timeMin, timeMax: $timeMax, after: $after) {
      nodes { ...EventFields }
      pageInfo { hasNextPage endCursor }
      nextSyncToken
    }
  }
`);

export const changesQuery = graphql(`
  query DemoChanges($syncToken: String!, $after: String) {
    events(calendarId: "primary", singleEvents: true, syncToken: $syncToken, after: $after) {
      nodes { ...EventFields }
      pageInfo { hasNextPage endCursor }
      nextSyncToken
    }
  }
`);

export const eventQuery = graphql(`
  query DemoEvent($eventId: String!) {
    event(calendarId: "primary", eventId: $eventId) { ...EventFields }
  }
`);

export const patchEvent = graphql(`
  mutation DemoPatchEvent($eventId: String!, $event: EventInput!, $ifMatch: String, $sendUpdates: SendUpdates) {
    patchEvent(calendarId: "primary", eventId: $eventId, event: $event, ifMatch: $ifMatch, sendUpdates: $sendUpdates) { ...EventFields }
  }
`);

export const insertEvent = graphql(`
  mutation DemoInsertEvent($event: EventInput!, $requestId: String!, $sendUpdates: SendUpdates) {
    insertEvent(calendarId: "primary", event: $event, requestId: $requestId, sendUpdates: $sendUpdates) { ...EventFields }
  }
`);

export const deleteEvent = graphql(`
  mutation DemoDeleteEvent($eventId: String!, $ifMatch: String, $sendUpdates: SendUpdates) {
    deleteEvent(calendarId: "primary", eventId: $eventId, ifMatch: $ifMatch, sendUpdates: $sendUpdates)
  }
`);

export const calendarChanged = graphql(`
  subscription DemoCalendarChanged {
    calendarChanged(calendarId: "primary") { changedAt }
  }
`);

export const notificationsQuery = graphql(`
  query DemoNotifications($bucket: String!, $userProject: String) {
    notifications(bucket: $bucket, userProject: $userProject) {
      nodeId id topic event_types object_name_prefix payload_format custom_attributes
    }
  }
`);

export const insertNotification = graphql(`
  mutation DemoInsertNotification($bucket: String!, $userProject: String, $requestId: String!, $notification: NotificationInput!) {
    insertNotification(bucket: $bucket, userProject: $userProject, requestId: $requestId, notification: $notification) { nodeId id }
  }
`);

export const deleteNotification = graphql(`
  mutation DemoDeleteNotification($bucket: String!, $userProject: String, $notificationId: String!) {
    deleteNotification(bucket: $bucket, userProject: $userProject, notificationId: $notificationId)
  }
`);

export const publishObjectChange = graphql(`
  mutation DemoPublish($bucket: String!, $requestId: String!, $change: ObjectChangeInput!) {
    publishObjectChange(bucket: $bucket, requestId: $requestId, change: $change) { messages { messageId notificationId } }
  }
`);

export const messagePublished = graphql(`
  subscription DemoMessagePublished($topic: String!) {
    messagePublished(topic: $topic) { messageId notificationId topic attributes data }
  }
`);
