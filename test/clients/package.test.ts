import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange, gql } from '@urql/core';
import { cacheExchange } from '@urql/exchange-graphcache';
import { build } from 'esbuild';
import { type GraphQLInterfaceType, isObjectType } from 'graphql';
import { GraphQLClient } from 'graphql-request';
import { gzipSync } from 'node:zlib';
import {
  graphcacheKeys,
  issuesOf,
  type Issue,
  typePolicies,
  type Warning,
  warningsOf,
} from '../../src/client/client.ts';
import { createGatewaySchema } from '../../src/faces/graphql/schema.ts';
import { startGateway, tokenFor, type TestGateway } from '../harness.ts';
import { listenOnFreePort } from '../http/raw-http.ts';

const startTime = { dateTime: '2030-01-01T10:00:00+01:00', timeZone: 'Europe/Berlin' };

let gateway: TestGateway;
let url: string;
let headers: Readonly<Record<string, string>>;
beforeAll(async () => {
  const createCalendarSeed = (id: string) => ({
    id,
    owner: 'alice@example.com',
    timeZone: 'Europe/Berlin',
    events: [
      {
        id: 'teammeeting',
        iCalUID: `meeting-of-${id}`,
        summary: `Meeting of ${id}`,
        description: 'Weekly',
        start: startTime,
        end: { dateTime: '2030-01-01T11:00:00+01:00' },
        attendees: ['bob', 'carol', 'dan'].map((name) => ({
          email: `${name}@example.com`,
          displayName: name,
        })),
        attachments: [{ fileUrl: 'https://example.com/a', title: 'Plan' }],
      },
    ],
  });
  gateway = await startGateway(
    {},
    { seed: { calendars: ['alice@example.com', 'team@example.com'].map(createCalendarSeed) } },
  );
  url = `http://127.0.0.1:${await listenOnFreePort(gateway)}/graphql`;
  headers = { authorization: `Bearer ${await tokenFor('alice@example.com')}` };
});
afterAll(() => gateway.close());

/** Creates an Apollo client. `read` loads a selection of the event, `readCached` takes it from the cache. */
function createApollo(): {
  read(selection: string): Promise<unknown>;
  readCached(selection: string): unknown;
} {
  const client = new ApolloClient({
    cache: new InMemoryCache({ typePolicies }),
    link: new HttpLink({ uri: url, headers }),
  });
  const buildQuery = (selection: string) =>
    gql(`{ event(calendarId: "primary", eventId: "teammeeting") ${selection} }`);
  return {
    read: async (selection) =>
      (await client.query<{ event: unknown }>({ query: buildQuery(selection), fetchPolicy: 'network-only' }))
        .data?.event,
    readCached: (selection) => client.readQuery<{ event: unknown }>({ query: buildQuery(selection) })?.event,
  };
}

describe('typePolicies', () => {
  test('name each object type of the schema', () => {
    const types = Object.values(createGatewaySchema().schema.getTypeMap())
      .filter((type) => isObjectType(type) && !type.name.startsWith('_'))
      .map(({ name }) => name)
      .filter((name) => !['Query', 'Mutation', 'Subscription'].includes(name));
    expect(Object.keys(typePolicies).sort()).toEqual(types.sort());
    expect(Object.keys(graphcacheKeys).sort()).toEqual(types.sort());
  });

  test('merge selections of the viewer by two components, and cache its calendars by nodeId', async () => {
    const cache = new InMemoryCache({ typePolicies });
    const client = new ApolloClient({
      cache,
      link: new HttpLink({ uri: url, headers }),
    });
    const selections = ['email', 'primaryCalendar { nodeId id }', 'calendars { nodeId summary }'];
    for (const selection of selections) await client.query({ query: gql(`{ viewer { ${selection} } }`) });
    expect(client.readQuery({ query: gql(`{ viewer { ${selections.join(' ')} } }`) })).toMatchObject({
      viewer: { email: 'alice@example.com', primaryCalendar: { id: 'alice@example.com' } },
    });
    const cacheKeys = Object.keys(cache.extract());
    expect(cacheKeys.filter((key) => key.startsWith('Calendar:'))).toHaveLength(2);
    expect(cacheKeys.filter((key) => key.startsWith('Viewer'))).toEqual([]);
  });

  test('cache selections of a fragment on Node, with possibleTypes', async () => {
    const { nodeId } = (await createApollo().read('{ nodeId }')) as { readonly nodeId: string };
    const possibleTypes = { Node: ['Event', 'Calendar', 'Bucket', 'Notification'] };
    const { schema } = createGatewaySchema();
    const nodeTypes = schema.getPossibleTypes(schema.getType('Node') as GraphQLInterfaceType);
    expect(nodeTypes.map(({ name }) => name).sort()).toEqual(possibleTypes.Node.toSorted());
    const client = new ApolloClient({
      cache: new InMemoryCache({ typePolicies, possibleTypes }),
      link: new HttpLink({ uri: url, headers }),
    });
    const query = gql(`{ node(nodeId: "${nodeId}") { ... on Node { nodeId } ... on Event { summary } } }`);
    await client.query({ query });
    expect(client.readQuery({ query })).toMatchObject({
      node: { nodeId, summary: 'Meeting of alice@example.com' },
    });
  });

  test('merge selections of an event and its nested objects by two components', async () => {
    const { read, readCached } = createApollo();
    await read(
      '{ nodeId start { dateTime } organizer { email } attendees { email displayName } attachments { fileUrl title } }',
    );
    await read(
      '{ nodeId start { timeZone } organizer { self } attendees { email responseStatus } attachments { fileUrl mimeType } }',
    );
    expect(
      readCached(
        '{ start { dateTime timeZone } organizer { email self } attendees { email displayName responseStatus } attachments { title mimeType } }',
      ),
    ).toMatchObject({
      start: startTime,
      organizer: { email: 'alice@example.com', self: true },
      attendees: [{ displayName: 'bob', responseStatus: 'needsAction' }, {}, {}],
      attachments: [{ title: 'Plan', mimeType: null }],
    });
  });

  test('keep guests missing from a shortened list, and drop those missing from a whole list', () => {
    const cache = new InMemoryCache({ typePolicies });
    const query = gql('{ event(eventId: "x") { nodeId attendeesOmitted attendees { email displayName } } }');
    const createGuest = (name: string, displayName = name) => ({
      __typename: 'EventAttendee',
      email: name,
      displayName,
    });
    const writeGuests = (attendeesOmitted: boolean | null, attendees: readonly object[]) =>
      cache.writeQuery({
        query,
        data: { event: { __typename: 'Event', nodeId: 'n', attendeesOmitted, attendees } },
      });
    const readNames = () =>
      cache
        .readQuery<{ event: { attendees: { displayName: string }[] } }>({ query })
        ?.event.attendees.map(({ displayName }) => displayName);
    writeGuests(null, [createGuest('bob'), createGuest('carol')]);
    writeGuests(true, [createGuest('carol', 'Caroline')]);
    expect(readNames()).toEqual(['Caroline', 'bob']);
    writeGuests(true, []);
    expect(readNames()).toEqual(['Caroline', 'bob']);
    writeGuests(null, [createGuest('bob')]);
    expect(readNames()).toEqual(['bob']);
  });

  test('replace guests that were read without email', async () => {
    const { read, readCached } = createApollo();
    await read('{ nodeId attendees { displayName } }');
    await read('{ nodeId attendees { responseStatus } }');
    expect(readCached('{ attendees { responseStatus } }')).toMatchObject({
      attendees: Array(3).fill({ responseStatus: 'needsAction' }),
    });
    expect(readCached('{ attendees { displayName } }')).toBeUndefined();
  });

  test('embed objects that were read without nodeId or with an alias for it', async () => {
    const { read, readCached } = createApollo();
    await read('{ id summary }');
    await read('{ id description }');
    expect(readCached('{ id summary description }')).toMatchObject({ description: 'Weekly' });
    await read('{ key: nodeId summary }');
    expect(readCached('{ key: nodeId summary }')).toMatchObject({ key: expect.any(String) });
  });
});

test('graphcacheKeys embed objects without nodeId and without a warning', async () => {
  const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
  const client = new Client({
    url,
    fetchOptions: { headers },
    preferGetMethod: false,
    exchanges: [cacheExchange({ keys: graphcacheKeys }), fetchExchange],
  });
  const eventsQuery = gql(`{ own: event(calendarId: "primary", eventId: "teammeeting") { nodeId id summary }
    other: event(calendarId: "team@example.com", eventId: "teammeeting") { id attendees { id email } } }`);
  const { data } = await client.query(eventsQuery, {}).toPromise();
  expect(data).toMatchObject({
    own: { summary: 'Meeting of alice@example.com' },
    other: { id: 'teammeeting' },
  });
  expect(warn.mock.calls).toEqual([]);
  warn.mockRestore();
});

const patchEvent = `mutation ($event: EventInput!) {
  patchEvent(calendarId: "primary", eventId: "teammeeting", event: $event) { id } report { warnings { field path reason message } } }`;

/** Functions that send a patch with a client library and return its result or error. */
const sendersByLibrary: Readonly<Record<string, (event: object) => Promise<unknown>>> = {
  '@apollo/client': (event) =>
    new ApolloClient({ cache: new InMemoryCache(), link: new HttpLink({ uri: url, headers }) })
      .mutate({ mutation: gql(patchEvent), variables: { event } })
      .catch((error: unknown) => error),
  async urql(event) {
    const client = new Client({
      url,
      fetchOptions: { headers },
      preferGetMethod: false,
      exchanges: [fetchExchange],
    });
    const result = await client.mutation(gql(patchEvent), { event }).toPromise();
    return result.error ?? result;
  },
  'graphql-request': (event) =>
    new GraphQLClient(url, { headers }).request(patchEvent, { event }).catch((error: unknown) => error),
  async fetch(event) {
    const body = JSON.stringify({ query: patchEvent, variables: { event } });
    return (
      await fetch(url, { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body })
    ).json();
  },
};

describe.each(Object.entries(sendersByLibrary))('%s', (_name, send) => {
  test('lets issuesOf find the issues of a refused request', async () => {
    const issues: readonly Issue[] = issuesOf(await send({ summary: 'x'.repeat(9000), colorId: '99' }));
    expect(issues.map(({ path, reason }) => [path.join('.'), reason])).toEqual([
      ['event.summary', 'tooLong'],
      ['event.colorId', 'invalid'],
    ]);
  });

  test('lets issuesOf find the issues of a variable of the wrong type', async () => {
    expect(
      issuesOf(await send({ summary: 1, nonsense: true }))
        .map(({ path }) => path.join('.'))
        .sort(),
    ).toEqual(['event.nonsense', 'event.summary']);
  });

  test('lets warningsOf find the warnings of a result, which has no issues', async () => {
    const result = await send({ htmlLink: 'https://example.com' });
    const warnings: readonly Warning[] = warningsOf(result);
    expect(warnings.map(({ field, path, reason }) => [field, path.join('.'), reason])).toEqual([
      ['patchEvent', 'event.htmlLink', 'readOnly'],
    ]);
    expect(issuesOf(result)).toEqual([]);
  });
});

test.each([undefined, null, 'text', new TypeError('fetch failed'), { errors: [{ message: 'No.' }] }])(
  '%p has no issues and no warnings',
  (value) => expect([issuesOf(value), warningsOf(value)]).toEqual([[], []]),
);

test('the client package has no dependencies and takes at most 4 KiB', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: ['src/client/client.ts'],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
  });
  expect(Object.keys(metafile.inputs)).toEqual(['src/client/client.ts']);
  expect(gzipSync(outputFiles[0]?.contents ?? '').length).toBeLessThan(4096);
});
