import { Environment, graphql, Network } from 'relay-runtime';

/** Identifies objects by `nodeId`. Objects without it are stored as part of their parent. */
const getDataID = ({ nodeId }) => nodeId;

export const createEnvironment = (url, token) =>
  new Environment({
    getDataID,
    network: Network.create(async ({ id, text }, variables) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(id ? { documentId: id, variables } : { query: text, variables }),
      });
      return response.json();
    }),
  });

export const week = graphql`
  query nodesWeekQuery($timeMin: DateTime!, $timeMax: DateTime!) {
    calendars {
      ...nodes_calendar @arguments(timeMin: $timeMin, timeMax: $timeMax)
    }
  }
`;

export const calendar = graphql`
  fragment nodes_calendar on Calendar
  @refetchable(queryName: "nodesCalendarQuery")
  @argumentDefinitions(timeMin: { type: "DateTime!" }, timeMax: { type: "DateTime!" }) {
    summary
    events(timeMin: $timeMin, timeMax: $timeMax, singleEvents: true) {
      nodes {
        ...nodes_event
      }
    }
  }
`;

export const event = graphql`
  fragment nodes_event on Event @refetchable(queryName: "nodesEventQuery") {
    id
    summary
    start {
      date
      dateTime
    }
  }
`;

export const patchEvent = graphql`
  mutation nodesPatchEventMutation($calendarId: String!, $eventId: String!, $event: EventInput!) {
    patchEvent(calendarId: $calendarId, eventId: $eventId, event: $event) {
      ...nodes_event
    }
  }
`;

export const bucket = graphql`
  fragment nodes_bucket on Bucket @refetchable(queryName: "nodesBucketQuery") {
    name
    notifications {
      ...nodes_notification
    }
  }
`;

export const notification = graphql`
  fragment nodes_notification on Notification @refetchable(queryName: "nodesNotificationQuery") {
    id
    topic
  }
`;
