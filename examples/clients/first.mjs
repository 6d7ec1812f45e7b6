import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { typePolicies } from 'resource-gateway/client';

const uri = `${process.env.GATEWAY_URL ?? 'http://127.0.0.1:4000'}/graphql`;
const link = new HttpLink({ uri, headers: { authorization: `Bearer ${process.env.TOKEN}` } });
const client = new ApolloClient({ link, cache: new InMemoryCache({ typePolicies }) });

const readEvent = gql('{ event(calendarId: "primary", eventId: "teammeeting") { nodeId summary location } }');
await client.query({ query: readEvent });
client.watchQuery({ query: readEvent }).subscribe(({ data }) => console.log(data.event.location));

const calendarChanged = gql(`subscription { calendarChanged(calendarId: "primary") {
  calendar { event(eventId: "teammeeting") { nodeId summary location } } } }`);
client.subscribe({ query: calendarChanged }).subscribe(); // results update the cache and watchQuery

const moveEvent = gql(`mutation ($event: EventInput!) {
  patchEvent(calendarId: "primary", eventId: "teammeeting", event: $event) { nodeId location } }`);
await client.mutate({ mutation: moveEvent, variables: { event: { location: 'Room 7', description: null } } });
