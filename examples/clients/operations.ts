import { graphql } from './gql/gql.ts';

// Operations of the recipes; graphql-codegen generates a type for each.
export const readEvent = graphql(`
  query ReadEvent($calendarId: String!, $eventId: String!) {
    event(calendarId: $calendarId, eventId: $eventId) {
      nodeId
      id
      summary
      location
      etag
      updated
      start {
        date
        dateTime
        timeZone
      }
      organizer {
        email
        self
      }
      attendees {
        id
        email
        displayName
        responseStatus
      }
    }
  }
`);

export const patchEvent = graphql(`
  mutation PatchEvent($calendarId: String!, $eventId: String!, $event: EventInput!, $ifMatch: String) {
    patchEvent(calendarId: $calendarId, eventId: $eventId, event: $event, ifMatch: $ifMatch) {
      nodeId
      id
      summary
      location
      etag
      updated
    }
  }
`);

export const patchGuests = graphql(`
  mutation PatchGuests($calendarId: String!, $eventId: String!, $attendeeChanges: AttendeeChangesInput!) {
    patchEvent(
      calendarId: $calendarId
      eventId: $eventId
      event: {}
      attendeeChanges: $attendeeChanges
      sendUpdates: all
    ) {
      nodeId
      id
      etag
      updated
      attendees {
        id
        email
        displayName
        responseStatus
      }
    }
  }
`);

export const listChanges = graphql(`
  query Changes($calendarId: String!, $syncToken: String, $after: String) {
    events(calendarId: $calendarId, syncToken: $syncToken, first: 100, after: $after) {
      nodes {
        nodeId
        id
        status
        summary
        etag
      }
      pageInfo {
        hasNextPage
        endCursor
      }
      nextSyncToken
    }
  }
`);

export const readWeek = graphql(`
  query ReadWeek($timeMin: DateTime!, $timeMax: DateTime!) {
    calendars {
      nodeId
      id
      summary
      events(timeMin: $timeMin, timeMax: $timeMax, singleEvents: true, orderBy: startTime) {
        nodes {
          nodeId
          id
          summary
          start {
            date
            dateTime
          }
        }
        pageInfo {
          hasNextPage
        }
      }
    }
  }
`);

export const readNotifications = graphql(`
  query ReadNotifications($bucket: String!) {
    notifications(bucket: $bucket) {
      nodeId
      id
      topic
      custom_attributes
    }
  }
`);

export const calendarChanged = graphql(`
  subscription CalendarChanged($calendarId: String!) {
    calendarChanged(calendarId: $calendarId) {
      calendarId
      changedAt
    }
  }
`);

export const calendarsChanged = graphql(`
  subscription CalendarsChanged($calendarIds: [String!]!) {
    calendarsChanged(calendarIds: $calendarIds) {
      calendarId
      changedAt
    }
  }
`);
