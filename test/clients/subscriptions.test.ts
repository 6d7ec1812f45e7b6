import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange, gql } from '@urql/core';
import { createClient } from 'graphql-sse';
import { tokenFor } from '../harness.ts';
import { startListening } from '../http/raw.ts';
import { useForAll } from '../started.ts';

/** Contract, section 2: clients with their defaults, pointed at /graphql. */
const subscribe = 'subscription { calendarChanged(calendarId: "primary") { calendarId } }';
const subscribeToHidden = 'subscription { calendarChanged(calendarId: "nobody@example.com") { calendarId } }';
const expectedEvent = { calendarChanged: { calendarId: 'alice@example.com' } };
const message = 'There is no such calendar.';

interface Follower {
  /** Returns the data of the first event, or the message of the error. */
  first(query: string): Promise<unknown>;
}

type Headers = Readonly<Record<string, string>>;

const clients: Readonly<Record<string, (url: string, headers: Headers) => Follower>> = {
  'Apollo Client with HttpLink': (uri, headers) => {
    const client = new ApolloClient({ cache: new InMemoryCache(), link: new HttpLink({ uri, headers }) });
    return {
      first: (text) =>
        new Promise((resolve) => {
          const subscription = client.subscribe({ query: gql(text) }).subscribe({
            next: ({ data, error }) => {
              resolve(error?.message ?? data);
              queueMicrotask(() => subscription.unsubscribe());
            },
            error: (error: Error) => resolve(error.message),
          });
        }),
    };
  },
  'urql with fetchExchange': (url, headers) => {
    const client = new Client({
      url,
      fetchOptions: { headers },
      fetchSubscriptions: true,
      preferGetMethod: false,
      exchanges: [fetchExchange],
    });
    return {
      first: (text) =>
        new Promise((resolve) => {
          const { unsubscribe } = client.subscription(text, {}).subscribe(({ data, error }) => {
            resolve(error?.graphQLErrors[0]?.message ?? data);
            queueMicrotask(() => unsubscribe());
          });
        }),
    };
  },
  'graphql-sse in distinct connections mode': (url, headers) => {
    const client = createClient({ url, headers, retryAttempts: 0 });
    return {
      async first(text) {
        for await (const { data, errors } of client.iterate({ query: text }))
          return errors?.[0]?.message ?? data;
        return undefined;
      },
    };
  },
};

describe.each(Object.entries(clients))('a subscription of %s', (_name, make) => {
  const gateway = useForAll(startListening);
  let client: Follower;
  beforeAll(async () => {
    client = make(gateway.url, { authorization: `Bearer ${await tokenFor('alice@example.com')}` });
  });

  test('receives an event', async () => {
    const first = client.first(subscribe);
    const changing = setInterval(() => {
      const summary = `change ${Date.now()}`;
      void gateway.ask(
        `mutation { patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: "${summary}" }) { id } }`,
      );
    }, 50);
    expect(await first).toMatchObject(expectedEvent);
    clearInterval(changing);
  });

  test('receives the error of a refused subscription', async () => {
    expect(await client.first(subscribeToHidden)).toBe(message);
  });
});
