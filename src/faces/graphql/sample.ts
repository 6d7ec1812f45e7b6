import { dayOfWeek } from '../../core/text/week.ts';

/** An operation that runs on the demo data, and the variables that it takes. */
interface Sample {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const none = {};
const zone = 'Europe/Berlin';

/** `day`: one of the demo's first week, counted from its Monday. */
const calendarSamples = (day: (afterMonday: number) => string): readonly Sample[] => [
  {
    document: `mutation PatchEvent($event: EventInput!) {
  patchEvent(calendarId: "primary", eventId: "teammeeting", event: $event) {
    id summary
    start { dateTime timeZone }
    attendees { email responseStatus }
    etag updated
  }
}`,
    variables: { event: { summary: 'Team meeting, moved to the large room', location: 'Room 5' } },
  },
  {
    document: `query Event {
  event(calendarId: "primary", eventId: "teammeeting") {
    nodeId summary status
    attendees { email displayName responseStatus }
    reminders {
      useDefault
      overrides { method minutes }
    }
    etag
  }
}`,
    variables: none,
  },
  {
    document: `query Events($timeMin: DateTime, $timeMax: DateTime) {
  events(calendarId: "primary", singleEvents: true, orderBy: startTime, timeMin: $timeMin, timeMax: $timeMax, first: 20) {
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
    document: `query Instances($first: Int) {
  instances(calendarId: "primary", eventId: "standup", first: $first) {
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
    document: `mutation InsertEvent($newEvent: EventInput!) {
  insertEvent(calendarId: "primary", sendUpdates: all, event: $newEvent) {
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
    document: `mutation DeleteEvent {
  deleteEvent(calendarId: "primary", eventId: "holiday")
}`,
    variables: none,
  },
  {
    document: `query Calendars {
  calendars {
    id timeZone accessRole primary
    defaultReminders { method minutes }
  }
}`,
    variables: none,
  },
  {
    document: `query Calendar {
  calendar(calendarId: "primary") {
    id timeZone accessRole
  }
}`,
    variables: none,
  },
  {
    document: `subscription CalendarChanged {
  calendarChanged(calendarId: "primary") { calendarId changedAt }
}`,
    variables: none,
  },
  {
    document: `subscription CalendarsChanged {
  calendarsChanged(calendarIds: ["primary", "bob@example.com"]) { calendarId changedAt }
}`,
    variables: none,
  },
];

const storageSamples: readonly Sample[] = [
  {
    document: `mutation InsertNotification($notification: NotificationInput!) {
  insertNotification(bucket: "demo-photos", notification: $notification) {
    id topic event_types selfLink
  }
}`,
    variables: {
      notification: {
        topic: 'projects/demo-project/topics/new-photos',
        event_types: ['OBJECT_FINALIZE'],
        custom_attributes: { team: 'photos' },
        object_name_prefix: 'holidays/',
      },
    },
  },
  {
    document: `query Notifications {
  notifications(bucket: "demo-photos") {
    nodeId id topic event_types custom_attributes object_name_prefix payload_format
  }
}`,
    variables: none,
  },
  {
    document: `query Notification {
  notification(bucket: "demo-photos", notificationId: "1") {
    id topic etag selfLink
  }
}`,
    variables: none,
  },
  {
    document: `mutation PublishObjectChange($change: ObjectChangeInput!) {
  publishObjectChange(bucket: "demo-photos", change: $change) {
    messages { messageId notificationId topic attributes data state }
  }
}`,
    variables: { change: { eventType: 'OBJECT_FINALIZE', objectId: 'albums/cat.jpg', object: { size: '31415', contentType: 'image/jpeg' } } },
  },
  {
    document: `query Messages {
  messages(topic: "projects/demo-project/topics/photos") {
    nodes { messageId state attributes data }
  }
}`,
    variables: none,
  },
  {
    document: `mutation DeleteNotification {
  deleteNotification(bucket: "demo-photos", notificationId: "1")
}`,
    variables: none,
  },
  {
    document: `subscription MessagePublished {
  messagePublished(topic: "projects/demo-project/topics/photos") { messageId attributes data }
}`,
    variables: none,
  },
];

/** Samples of one resource as one document with one set of variables. */
export interface SampleSet extends Sample {
  readonly name: string;
}

/** All of them run with the one set of variables: no two share the name of one. */
function together(name: string, samples: readonly Sample[]): SampleSet {
  const documents = samples.map(({ document }) => document);
  return {
    name,
    document: ['# Each of these operations runs on the demo data.', ...documents].join('\n\n'),
    variables: Object.assign({}, ...samples.map(({ variables }) => variables)) as Sample['variables'],
  };
}

const calendarOf = (now: number): readonly Sample[] => calendarSamples((afterMonday) => dayOfWeek(now, zone, afterMonday));

/** What explorers show, in the week of `now`: a sample for each root field. The first of each set is the one to begin with. */
export const sampleSets = (now: number): readonly SampleSet[] => [together('Calendar', calendarOf(now)), together('Storage', storageSamples)];

/** All samples at once, for an explorer that shows a single document. */
export const allSamples = (now: number): SampleSet => together('Gateway', [...calendarOf(now), ...storageSamples]);
