// Measured operations: a document, and variables by the number of the request, so that no two requests are the same.
import { createGatewaySchema } from '../../dist/faces/graphql/schema.js';
import { buildFullSelection } from '../hardening/selection.js';
import { bucketCount, formatWeekBounds } from './data.js';

const { schema } = createGatewaySchema();
const selectAllFields = (type) => buildFullSelection(schema.getType(type));
const calendarId = 'primary';
const eventTypes = ['OBJECT_FINALIZE', 'OBJECT_METADATA_UPDATE', 'OBJECT_DELETE', 'OBJECT_ARCHIVE'];

const patchMutation = (
  name,
  selection,
) => `mutation ${name}($calendarId: String!, $eventId: String!, $event: EventInput!) {
  patchEvent(calendarId: $calendarId, eventId: $eventId, event: $event) ${selection}
}`;

/**
 * Operations by name. `field`: root field. `weight`: cost relative to a small operation. `changingFields`:
 * fields whose values differ between servers.
 */
export const operations = {
  smallPatch: {
    title: 'patch of two strings, 8 fields back',
    field: 'patchEvent',
    query: patchMutation(
      'SmallPatch',
      '{ id etag summary location status updated start { dateTime } end { dateTime } }',
    ),
    variables: (index) => ({
      calendarId,
      eventId: `event${index % 100}`,
      event: { summary: `Planning ${index}`, location: `Room ${index % 9}` },
    }),
    changingFields: ['etag', 'updated'],
  },
  fullPatch: {
    title: 'patch of 10 fields, all 118 back',
    field: 'patchEvent',
    query: patchMutation('FullPatch', selectAllFields('Event')),
    variables: (index) => ({
      calendarId,
      eventId: `event${100 + (index % 100)}`,
      event: {
        summary: `Planning ${index}`,
        location: `Room ${index % 9}`,
        description: `What we did in week ${index}, what comes next.`,
        colorId: `${1 + (index % 11)}`,
        transparency: index % 2 ? 'opaque' : 'transparent',
        visibility: 'default',
        guestsCanModify: index % 2 === 0,
        guestsCanInviteOthers: index % 3 === 0,
        extendedProperties: { private: { ticket: `W-${index}` } },
        source: { title: `Issue ${index}`, url: `https://issues.example.com/${index}` },
      },
    }),
    changingFields: ['etag', 'updated', 'created', 'sequence'],
  },
  insertNotification: {
    title: 'insertNotification, all fields back',
    field: 'insertNotification',
    query: `mutation InsertNotification($bucket: String!, $notification: NotificationInput!) { insertNotification(bucket: $bucket, notification: $notification) ${selectAllFields('Notification')} }`,
    // Spreads the notifications: a bucket has at most ten of each event type.
    variables: (index) => ({
      bucket: `bucket-${index % bucketCount}`,
      notification: {
        topic: 'projects/my-project/topics/uploads',
        event_types: [eventTypes[Math.floor(index / bucketCount) % 4]],
        payload_format: 'JSON_API_V1',
        object_name_prefix: `photos/${index}`,
        custom_attributes: { team: 'blue', run: `${index}` },
      },
    }),
    changingFields: [],
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
    variables: (index) => {
      const [timeMin, timeMax] = formatWeekBounds(8 + (index % 10));
      return { calendarId, timeMin, timeMax };
    },
    changingFields: ['endCursor', 'etag'],
  },
};
