import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { typePolicies } from 'resource-gateway/client';

const uri = `${process.env.GATEWAY_URL ?? 'http://127.0.0.1:4000'}/graphql`;
const link = new HttpLink({ uri, headers: { authorization: `Bearer ${process.env.TOKEN}` } });
const client = new ApolloClient({ link, cache: new InMemoryCache({ typePolicies }) });

const meeting = gql('{ event(calendarId: "primary", eventId: "teammeeting") { nodeId summary location } }');
await client.query({ query: meeting });
client.watchQuery({ query: meeting }).subscribe(({ data }) => console.log(data.event.location));

const changes = gql(`subscription { calendarChanged(calendarId: "primary") {
  calendar { event(eventId: "teammeeting") { nodeId summary location } } } }`);
client.subscribe({ query: changes }).subscribe(); // each result goes to the cache, and so to watchQuery

const patch = gql(`mutation ($event: EventInput!) {
  patchEvent(calendarId: "primary", eventId: "teammeeting", event: $event) { nodeId location } }`);
await client.mutate({ mutation: patch, variables: { event: { location: 'Room 7', description: null } } });
