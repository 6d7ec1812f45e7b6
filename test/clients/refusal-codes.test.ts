import { ApolloClient, ApolloLink, HttpLink } from '@apollo/client';
import { CombinedGraphQLErrors } from '@apollo/client/errors';
import { BatchHttpLink } from '@apollo/client/link/batch-http';
import { SetContextLink } from '@apollo/client/link/context';
import { ErrorLink } from '@apollo/client/link/error';
import { Client, fetchExchange } from '@urql/core';
import { ClientError, GraphQLClient, type RequestDocument } from 'graphql-request';
import { createCache } from '../../examples/clients/apollo.ts';
import { readEvent } from '../../examples/clients/operations.ts';
import { createMemoryStores } from '../../src/adapters/memory/stores.ts';
import type { Replacements } from '../../src/compose.ts';
import type { EventStore } from '../../src/event/event.store.ts';
import { listen } from '../http/raw.ts';
import { startGateway, tokenFor, type TestGateway } from '../harness.ts';

const target = { calendarId: 'primary', eventId: 'teammeeting' };

let gateway: TestGateway;
let url: string;
const start = async (env: Record<string, string> = {}, replacements: Replacements = {}): Promise<void> => {
  gateway = await startGateway(env, replacements);
  url = `http://127.0.0.1:${await listen(gateway)}/graphql`;
};
afterEach(() => gateway.close());

interface Told {
  readonly status: number;
  readonly codes: readonly unknown[];
}
type Ask = (token: string) => Promise<Told>;

const codesOf = (
  errors: readonly { readonly extensions?: Readonly<Record<string, unknown>> }[] | undefined,
): unknown[] => (errors ?? []).map(({ extensions }) => extensions?.code);

/** What each client tells of a request that is refused as a whole. */
const clients: Readonly<Record<string, Ask>> = {
  '@apollo/client': async (token) => {
    let status = 0;
    const send: typeof fetch = async (...request) => {
      const response = await fetch(...request);
      ({ status } = response);
      return response;
    };
    const client = new ApolloClient({
      cache: createCache(),
      link: new HttpLink({ uri: url, fetch: send, headers: { authorization: `Bearer ${token}` } }),
    });
    const { error } = await client.query({ query: readEvent, variables: target, errorPolicy: 'all' });
    return { status, codes: CombinedGraphQLErrors.is(error) ? codesOf(error.errors) : [error?.message] };
  },
  'graphql-request': async (token) => {
    const client = new GraphQLClient(url, { headers: { authorization: `Bearer ${token}` } });
    const error: unknown = await client
      .request(readEvent as RequestDocument, target)
      .catch((thrown: unknown) => thrown);
    if (!(error instanceof ClientError)) throw error;
    return { status: error.response.status, codes: codesOf(error.response.errors) };
  },
  urql: async (token) => {
    const client = new Client({
      url,
      preferGetMethod: false,
      exchanges: [fetchExchange],
      fetchOptions: { headers: { authorization: `Bearer ${token}` } },
    });
    const { error } = await client.query(readEvent, target).toPromise();
    return {
      status: (error?.response as Response).status,
      codes: error?.networkError ? [error.message] : codesOf(error?.graphQLErrors),
    };
  },
};

describe.each(Object.entries(clients))('%s', (_name, ask) => {
  test('is told the code of a token that is not believed, and of a budget that is used up', async () => {
    await start({ RATE_LIMIT: '2' });
    expect(await ask('a.b.c')).toEqual({ status: 401, codes: ['UNAUTHENTICATED'] });
    expect(await ask(await tokenFor('alice@example.com', []))).toEqual({ status: 403, codes: ['FORBIDDEN'] });
    await ask('a.b.c');
    expect(await ask('a.b.c')).toEqual({ status: 429, codes: ['RATE_LIMITED'] });
  });

  test('is told the code of a gateway that has no time', async () => {
    let silence = (): unknown => undefined;
    const stores = createMemoryStores(Date.now);
    const events: EventStore = {
      ...stores.events,
      events: () => {
        setImmediate(silence);
        return new Promise(() => undefined);
      },
    };
    await start({}, { stores: { ...stores, events } });
    gateway.app.server.on('request', (_request, response) => (silence = () => response.emit('timeout')));
    expect(await ask(await tokenFor('alice@example.com'))).toEqual({ status: 503, codes: ['UNAVAILABLE'] });
  });
});

describe('@apollo/client', () => {
  test('renews a token by a link that acts upon the code, and asks again', async () => {
    await start();
    const tokens = ['a.b.c', await tokenFor('alice@example.com')];
    const renew = new ErrorLink(({ error, operation, forward }) => {
      const expired = CombinedGraphQLErrors.is(error) && codesOf(error.errors).includes('UNAUTHENTICATED');
      if (!expired || tokens.length < 2) return undefined;
      tokens.shift();
      return forward(operation);
    });
    const sign = new SetContextLink(({ headers }) => ({
      headers: { ...(headers as object), authorization: `Bearer ${tokens[0]}` },
    }));
    const client = new ApolloClient({
      cache: createCache(),
      link: ApolloLink.from([renew, sign, new HttpLink({ uri: url })]),
    });
    expect((await client.query({ query: readEvent, variables: target })).data?.event?.id).toBe('teammeeting');
    expect(tokens).toHaveLength(1);
  });

  test('shows at each operation of a batch that there are none', async () => {
    await start();
    const link = new BatchHttpLink({
      uri: url,
      headers: { authorization: `Bearer ${await tokenFor('alice@example.com')}` },
    });
    const client = new ApolloClient({ cache: createCache(), link });
    const asked = ['teammeeting', 'holiday', 'standup'].map((eventId) =>
      client.query({ query: readEvent, variables: { ...target, eventId }, errorPolicy: 'all' }),
    );
    for (const { error } of await Promise.all(asked))
      expect(error?.message).toMatch(/batching is not supported/);
  });
});

test('graphql-request shows for each document of a batch that there are none', async () => {
  await start();
  const client = new GraphQLClient(url, {
    headers: { authorization: `Bearer ${await tokenFor('alice@example.com')}` },
  });
  const error: unknown = await client
    .batchRequests([{ document: '{ __typename }' }, { document: '{ __typename }' }])
    .catch((thrown: unknown) => thrown);
  if (!(error instanceof ClientError)) throw error;
  const results = error.response as unknown as Record<string, { errors: { message: string }[] }>;
  expect([results[0], results[1]].map((result) => result?.errors[0]?.message)).toEqual([
    expect.stringMatching(/batching/),
    expect.stringMatching(/batching/),
  ]);
});
