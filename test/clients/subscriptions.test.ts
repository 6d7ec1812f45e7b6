import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, fetchExchange, gql } from '@urql/core';
import { createClient } from 'graphql-sse';
import { tokenFor } from '../harness.ts';
import { startListening } from '../http/raw-http.ts';
import { useForAll } from '../use-resource.ts';

const visibleCalendarQuery = 'subscription { calendarChanged(calendarId: "primary") { calendarId } }';
const invisibleCalendarQuery =
  'subscription { calendarChanged(calendarId: "nobody@example.com") { calendarId } }';
const expectedData = { calendarChanged: { calendarId: 'alice@example.com' } };
const notFoundMessage = 'There is no such calendar.';

interface SubscriptionClient {
  /** Returns the data of the first event, or the message of the error. */
  readFirst(query: string): Promise<unknown>;
}

type Headers = Readonly<Record<string, string>>;

/** Clients with no more settings than subscriptions at /graphql need. */
const clients: Readonly<Record<string, (url: string, headers: Headers) => SubscriptionClient>> = {
  'Apollo Client with HttpLink': (uri, headers) => {
    const client = new ApolloClient({ cache: new InMemoryCache(), link: new HttpLink({ uri, headers }) });
    return {
      readFirst: (text) =>
        new Promise((resolve) => {
          const subscription = client.subscribe({ query: gql(text) }).subscribe({
            next: ({ data, error }) => {
              resolve(error?.message ?? data);
              // `subscription` is unassigned if the first event arrives at once.
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
      readFirst: (text) =>
        new Promise((resolve) => {
          const { unsubscribe } = client.subscription(text, {}).subscribe(({ data, error }) => {
            resolve(error?.graphQLErrors[0]?.message ?? data);
            // `unsubscribe` is unassigned if the first event arrives at once.
            queueMicrotask(() => unsubscribe());
          });
        }),
    };
  },
  'graphql-sse in distinct connections mode': (url, headers) => {
    const client = createClient({ url, headers, retryAttempts: 0 });
    return {
      async readFirst(text) {
        for await (const { data, errors } of client.iterate({ query: text }))
          return errors?.[0]?.message ?? data;
        return undefined;
      },
    };
  },
};

describe.each(Object.entries(clients))('a subscription of %s', (_name, createClientFor) => {
  const gateway = useForAll(startListening);
  let client: SubscriptionClient;
  beforeAll(async () => {
    client = createClientFor(gateway.url, { authorization: `Bearer ${await tokenFor('alice@example.com')}` });
  });

  test('receives the data of an event', async () => {
    const firstData = client.readFirst(visibleCalendarQuery);
    // Repeats changes, since the subscription may begin after the first one.
    const changeTimer = setInterval(() => {
      const summary = `change ${Date.now()}`;
      void gateway.ask(
        `mutation { patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: "${summary}" }) { id } }`,
      );
    }, 50);
    expect(await firstData).toMatchObject(expectedData);
    clearInterval(changeTimer);
  });

  test('receives the error message of a refused subscription', async () => {
    expect(await client.readFirst(invisibleCalendarQuery)).toBe(notFoundMessage);
  });
});
