// Equivalent requests over GraphQL and over REST with `fields` of the same selection; `n` numbers the requests. `seenIn`
// extracts the values that both responses must have in common.
import { allFields } from '../hardening/selection.js';
import { createGateway } from '../../dist/faces/graphql/schema.js';
import { operations } from './operations.js';

const { schema } = createGateway();
const events = '/calendar/v3/calendars/primary/events';
const eventOf = (n) => `event${n % 100}`;

const graphqlRequest = (query, variables) => ({
  body: JSON.stringify({ query, operationName: /\w+ (\w+)/.exec(query)[1], variables }),
});
const patchQuery =
  'mutation Patch($eventId: String!, $event: EventInput!) { patchEvent(calendarId: "primary", eventId: $eventId, event: $event) { id summary etag updated } }';
const changeOf = (n) => ({ summary: `Planning ${n}` });
const getQuery = (selection) =>
  `query Get($eventId: String!) { event(calendarId: "primary", eventId: $eventId) ${selection} }`;
const eventSelection = allFields(schema.getType('Event'));
const { weekView, insertNotification } = operations;
const timeFields = 'dateTime,timeZone';
const weekFields = `items(id,summary,location,status,htmlLink,colorId,start(${timeFields}),end(${timeFields}),attendees(email,responseStatus,self)),nextPageToken`;
const restWeek = (n, fields) => {
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
    graphql: (n) => graphqlRequest(patchQuery, { eventId: eventOf(n), event: changeOf(n) }),
    rest: (n) => ({
      line: `PATCH ${events}/${eventOf(n)}?fields=id,summary,etag,updated`,
      body: JSON.stringify(changeOf(n)),
    }),
    seenIn: (answer) => [Object.keys(answer).sort(), answer.id, answer.summary],
  },
  event: {
    title: 'an event, 4 fields of it',
    graphql: (n) => graphqlRequest(getQuery('{ id summary etag updated }'), { eventId: eventOf(n) }),
    rest: (n) => ({ line: `GET ${events}/${eventOf(n)}?fields=id,summary,etag,updated` }),
    seenIn: (answer) => answer,
  },
  wholeEvent: {
    title: 'an event, all of it',
    graphql: (n) => graphqlRequest(getQuery(eventSelection), { eventId: eventOf(n) }),
    rest: (n) => ({ line: `GET ${events}/${eventOf(n)}` }),
    seenIn: ({ id, attendees }) => [id, attendees.length],
  },
  week: {
    title: 'a week of 50 events, 9 fields of each',
    weight: 10,
    graphql: (n) => graphqlRequest(weekView.query, weekView.variables(n)),
    rest: (n) => restWeek(n, { fields: weekFields }),
    seenIn: ({ nodes, items = nodes }) => idsOf(items),
  },
  insertNotification: {
    title: 'insertNotification, all fields back',
    graphql: (n) => graphqlRequest(insertNotification.query, insertNotification.variables(n)),
    rest: (n) => {
      const { bucket, notification } = insertNotification.variables(n);
      return { line: `POST /storage/v1/b/${bucket}/notificationConfigs`, body: JSON.stringify(notification) };
    },
    seenIn: ({ object_name_prefix: prefix, topic }) => [prefix, topic],
  },
};
