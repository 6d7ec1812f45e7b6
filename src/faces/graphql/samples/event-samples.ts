import { Temporal } from 'temporal-polyfill';
import { noVariables, type Day, type Sample } from './sample.ts';

/** The time zone of the demo's user. */
export const zone = 'Europe/Berlin';

/** The stand-up of a day, by the id of an instance. */
const standUpOn = (day: string): string =>
  `standup_${Temporal.PlainDateTime.from(`${day}T09:00:00`).toZonedDateTime(zone).toInstant().toString().replaceAll(/[-:]/g, '')}`;

export const eventSamples = (day: Day): readonly Sample[] => [
  {
    document: `mutation PatchEvent($event: EventInput!) {
  patchEvent(
    calendarId: "primary"
    eventId: "teammeeting"
    event: $event
  ) {
    id summary location
    start { dateTime timeZone }
    attendees { email responseStatus }
    etag updated
  }
  report { warnings { path message } }
}`,
    variables: { event: { summary: 'Team meeting, moved to the large room', location: 'Room 5' } },
  },
  {
    document: `query Event {
  event(
    calendarId: "primary"
    eventId: "teammeeting"
  ) {
    nodeId summary status
    attendees { email displayName responseStatus }
    reminders {
      useDefault
      overrides { method minutes }
    }
    etag
  }
}`,
    variables: noVariables,
  },
  {
    document: `query Events($timeMin: DateTime, $timeMax: DateTime) {
  events(
    calendarId: "primary"
    singleEvents: true
    orderBy: startTime
    timeMin: $timeMin
    timeMax: $timeMax
    first: 20
  ) {
    nodes {
      id summary
      start { date dateTime }
      end { date dateTime }
    }
    pageInfo { hasNextPage endCursor }
  }
}`,
    variables: { timeMin: `${day(0)}T00:00:00Z`, timeMax: `${day(7)}T00:00:00Z` },
  },
  {
    document: `mutation InsertEvent($newEvent: EventInput!) {
  insertEvent(
    calendarId: "primary"
    sendUpdates: all
    event: $newEvent
  ) {
    id summary htmlLink
    attendees { email responseStatus }
    etag
  }
}`,
    variables: {
      newEvent: {
        summary: 'Walk in the park',
        start: { dateTime: `${day(3)}T12:00:00`, timeZone: zone },
        end: { dateTime: `${day(3)}T12:45:00`, timeZone: zone },
        attendees: [{ email: 'bob@example.com' }],
        reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 15 }] },
      },
    },
  },
  {
    document: `query Instances($first: Int) {
  instances(
    calendarId: "primary"
    eventId: "standup"
    first: $first
  ) {
    nodes {
      id
      originalStartTime { dateTime }
      start { dateTime }
    }
  }
}`,
    variables: { first: 5 },
  },
  {
    document: `mutation PatchFollowingEvents($changedFrom: String!) {
  patchFollowingEvents(
    calendarId: "primary"
    eventId: $changedFrom
    validateOnly: true
    event: { summary: "Stand-up, in the large room" }
  ) {
    before { id summary recurrence }
    following {
      id summary recurrence
      start { dateTime }
    }
  }
}`,
    variables: { changedFrom: standUpOn(day(9)) },
  },
  {
    document: `mutation DeleteFollowingEvents($deletedFrom: String!) {
  deleteFollowingEvents(
    calendarId: "primary"
    eventId: $deletedFrom
  ) {
    id recurrence
  }
}`,
    variables: { deletedFrom: standUpOn(day(15)) },
  },
  {
    document: `mutation DeleteEvent {
  deleteEvent(
    calendarId: "primary"
    eventId: "holiday"
  )
}`,
    variables: noVariables,
  },
];
