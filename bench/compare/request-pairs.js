// Equivalent requests over GraphQL and over REST, which selects the same fields. `graphql` and `rest` create
// a request by its number. `comparable`: extracts the values that both responses must have in common.
// `weight`: cost relative to a small request.
import { buildFullSelection } from '../hardening/selection.js';
import { createGatewaySchema } from '../../dist/faces/graphql/schema.js';
import { operations } from './operations.js';

const { schema } = createGatewaySchema();
const eventsPath = '/calendar/v3/calendars/primary/events';
const eventIdOf = (index) => `event${index % 100}`;

const createGraphqlRequest = (query, variables) => ({
  body: JSON.stringify({ query, operationName: /\w+ (\w+)/.exec(query)[1], variables }),
});
const patchEventQuery =
  'mutation Patch($eventId: String!, $event: EventInput!) { patchEvent(calendarId: "primary", eventId: $eventId, event: $event) { id summary etag updated } }';
const createPatch = (index) => ({ summary: `Planning ${index}` });
const createGetQuery = (selection) =>
  `query Get($eventId: String!) { event(calendarId: "primary", eventId: $eventId) ${selection} }`;
const eventSelection = buildFullSelection(schema.getType('Event'));
const { weekView, insertNotification } = operations;
const timeFields = 'dateTime,timeZone';
const weekFields = `items(id,summary,location,status,htmlLink,colorId,start(${timeFields}),end(${timeFields}),attendees(email,responseStatus,self)),nextPageToken`;
const createRestWeekRequest = (index, parameters) => {
  const { timeMin, timeMax } = weekView.variables(index);
  const query = new URLSearchParams({
    timeMin,
    timeMax,
    singleEvents: 'true',
    orderBy: 'startTime',
    maxResults: '50',
    ...parameters,
  });
  return { requestLine: `GET ${eventsPath}?${query}` };
};
const idsOf = (entries) => entries.map(({ id }) => id);

export const requestPairs = {
  smallPatch: {
    title: 'patch of a summary, 4 fields back',
    graphql: (index) =>
      createGraphqlRequest(patchEventQuery, { eventId: eventIdOf(index), event: createPatch(index) }),
    rest: (index) => ({
      requestLine: `PATCH ${eventsPath}/${eventIdOf(index)}?fields=id,summary,etag,updated`,
      body: JSON.stringify(createPatch(index)),
    }),
    comparable: (resource) => [Object.keys(resource).sort(), resource.id, resource.summary],
  },
  event: {
    title: 'an event, 4 fields of it',
    graphql: (index) =>
      createGraphqlRequest(createGetQuery('{ id summary etag updated }'), { eventId: eventIdOf(index) }),
    rest: (index) => ({
      requestLine: `GET ${eventsPath}/${eventIdOf(index)}?fields=id,summary,etag,updated`,
    }),
    comparable: (resource) => resource,
  },
  wholeEvent: {
    title: 'an event, all of it',
    graphql: (index) => createGraphqlRequest(createGetQuery(eventSelection), { eventId: eventIdOf(index) }),
    rest: (index) => ({ requestLine: `GET ${eventsPath}/${eventIdOf(index)}` }),
    comparable: ({ id, attendees }) => [id, attendees.length],
  },
  week: {
    title: 'a week of 50 events, 9 fields of each',
    weight: 10,
    graphql: (index) => createGraphqlRequest(weekView.query, weekView.variables(index)),
    rest: (index) => createRestWeekRequest(index, { fields: weekFields }),
    comparable: ({ nodes, items = nodes }) => idsOf(items),
  },
  insertNotification: {
    title: 'insertNotification, all fields back',
    graphql: (index) => createGraphqlRequest(insertNotification.query, insertNotification.variables(index)),
    rest: (index) => {
      const { bucket, notification } = insertNotification.variables(index);
      return {
        requestLine: `POST /storage/v1/b/${bucket}/notificationConfigs`,
        body: JSON.stringify(notification),
      };
    },
    comparable: ({ object_name_prefix: prefix, topic }) => [prefix, topic],
  },
};
