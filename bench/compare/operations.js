// Measured operations: a document, and the variables of the n-th request, so that no two requests are the same.
import { createGateway } from '../../dist/faces/graphql/schema.js';
import { allFields } from '../hardening/selection.js';
import { buckets, weekOf } from './data.js';

const { schema } = createGateway();
const selectionOf = (type) => allFields(schema.getType(type));
const calendarId = 'primary';
const eventTypes = ['OBJECT_FINALIZE', 'OBJECT_METADATA_UPDATE', 'OBJECT_DELETE', 'OBJECT_ARCHIVE'];

const patch = (
  name,
  selection,
) => `mutation ${name}($calendarId: String!, $eventId: String!, $event: EventInput!) {
  patchEvent(calendarId: $calendarId, eventId: $eventId, event: $event) ${selection}
}`;

/** `field`: root field. `weight`: cost relative to a small operation. `changing`: fields that differ between servers. */
export const operations = {
  smallPatch: {
    title: 'patch of two strings, 8 fields back',
    field: 'patchEvent',
    query: patch(
      'SmallPatch',
      '{ id etag summary location status updated start { dateTime } end { dateTime } }',
    ),
    variables: (n) => ({
      calendarId,
      eventId: `event${n % 100}`,
      event: { summary: `Planning ${n}`, location: `Room ${n % 9}` },
    }),
    changing: ['etag', 'updated'],
  },
  fullPatch: {
    title: 'patch of 10 fields, all 118 back',
    field: 'patchEvent',
    query: patch('FullPatch', selectionOf('Event')),
    variables: (n) => ({
      calendarId,
      eventId: `event${100 + (n % 100)}`,
      event: {
        summary: `Planning ${n}`,
        location: `Room ${n % 9}`,
        description: `What we did in week ${n}, what comes next.`,
        colorId: `${1 + (n % 11)}`,
        transparency: n % 2 ? 'opaque' : 'transparent',
        visibility: 'default',
        guestsCanModify: n % 2 === 0,
        guestsCanInviteOthers: n % 3 === 0,
        extendedProperties: { private: { ticket: `W-${n}` } },
        source: { title: `Issue ${n}`, url: `https://issues.example.com/${n}` },
      },
    }),
    changing: ['etag', 'updated', 'created', 'sequence'],
  },
  insertNotification: {
    title: 'insertNotification, all fields back',
    field: 'insertNotification',
    query: `mutation InsertNotification($bucket: String!, $notification: NotificationInput!) { insertNotification(bucket: $bucket, notification: $notification) ${selectionOf('Notification')} }`,
    // Spreads the notifications: a bucket has at most ten of each event type.
    variables: (n) => ({
      bucket: `bucket-${n % buckets}`,
      notification: {
        topic: 'projects/my-project/topics/uploads',
        event_types: [eventTypes[Math.floor(n / buckets) % 4]],
        payload_format: 'JSON_API_V1',
        object_name_prefix: `photos/${n}`,
        custom_attributes: { team: 'blue', run: `${n}` },
      },
    }),
    changing: [],
  },
  weekView: {
    title: 'a week of 50 events, in order',
    field: 'events',
    weight: 10,
    query: `query WeekView($calendarId: String!, $timeMin: DateTime, $timeMax: DateTime) {
  events(calendarId: $calendarId, timeMin: $timeMin, timeMax: $timeMax, singleEvents: true, orderBy: startTime, first: 50) {
    nodes { id summary location status htmlLink colorId start { dateTime timeZone } end { dateTime timeZone } attendees { email responseStatus self } }
    pageInfo { hasNextPage endCursor }
  }
}`,
    variables: (n) => {
      const [timeMin, timeMax] = weekOf(8 + (n % 10));
      return { calendarId, timeMin, timeMax };
    },
    changing: ['endCursor', 'etag'],
  },
};
