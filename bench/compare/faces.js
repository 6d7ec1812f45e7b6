// The same requests over both faces of the gateway: the n-th over GraphQL, and over REST with `fields` of the same selection.
// `seenIn` is what both answers must have in common.
import { allFields } from '../hardening/selection.js';
import { createGateway } from '../../dist/faces/graphql/schema.js';
import { operations } from './operations.js';

const { schema } = createGateway();
const events = '/calendar/v3/calendars/primary/events';
const eventOf = (n) => `event${n % 100}`;

const ask = (query, variables) => ({
  body: JSON.stringify({ query, operationName: /\w+ (\w+)/.exec(query)[1], variables }),
});
const patch =
  'mutation Patch($eventId: String!, $event: EventInput!) { patchEvent(calendarId: "primary", eventId: $eventId, event: $event) { id summary etag updated } }';
const change = (n) => ({ summary: `Planning ${n}` });
const get = (selection) =>
  `query Get($eventId: String!) { event(calendarId: "primary", eventId: $eventId) ${selection} }`;
const all = allFields(schema.getType('Event'));
const { weekView, insertNotification } = operations;
const times = 'dateTime,timeZone';
const weekFields = `items(id,summary,location,status,htmlLink,colorId,start(${times}),end(${times}),attendees(email,responseStatus,self)),nextPageToken`;
const week = (n, fields) => {
  const { timeMin, timeMax } = weekView.variables(n);
  const query = new URLSearchParams({
    timeMin,
    timeMax,
    singleEvents: 'true',
    orderBy: 'startTime',
    maxResults: '50',
    ...fields,
  });
  return { line: `GET ${events}?${query}` };
};
const idsOf = (entries) => entries.map(({ id }) => id);

export const pairs = {
  smallPatch: {
    title: 'patch of a summary, 4 fields back',
    graphql: (n) => ask(patch, { eventId: eventOf(n), event: change(n) }),
    rest: (n) => ({
      line: `PATCH ${events}/${eventOf(n)}?fields=id,summary,etag,updated`,
      body: JSON.stringify(change(n)),
    }),
    seenIn: (answer) => [Object.keys(answer).sort(), answer.id, answer.summary],
  },
  event: {
    title: 'an event, 4 fields of it',
    graphql: (n) => ask(get('{ id summary etag updated }'), { eventId: eventOf(n) }),
    rest: (n) => ({ line: `GET ${events}/${eventOf(n)}?fields=id,summary,etag,updated` }),
    seenIn: (answer) => answer,
  },
  wholeEvent: {
    title: 'an event, all of it',
    graphql: (n) => ask(get(all), { eventId: eventOf(n) }),
    rest: (n) => ({ line: `GET ${events}/${eventOf(n)}` }),
    seenIn: ({ id, attendees }) => [id, attendees.length],
  },
  week: {
    title: 'a week of 50 events, 9 fields of each',
    weight: 10,
    graphql: (n) => ask(weekView.query, weekView.variables(n)),
    rest: (n) => week(n, { fields: weekFields }),
    seenIn: ({ nodes, items = nodes }) => idsOf(items),
  },
  insertNotification: {
    title: 'insertNotification, all fields back',
    graphql: (n) => ask(insertNotification.query, insertNotification.variables(n)),
    rest: (n) => {
      const { bucket, notification } = insertNotification.variables(n);
      return { line: `POST /storage/v1/b/${bucket}/notificationConfigs`, body: JSON.stringify(notification) };
    },
    seenIn: ({ object_name_prefix: prefix, topic }) => [prefix, topic],
  },
};
