import { ApolloClient, ApolloLink, HttpLink } from '@apollo/client';
import { CombinedGraphQLErrors } from '@apollo/client/errors';
import { SetContextLink } from '@apollo/client/link/context';
import { ErrorLink } from '@apollo/client/link/error';
import { gql } from '@urql/core';
import {
  change,
  changeGuests,
  createCache,
  createClient as createApollo,
  rename,
} from '../../examples/clients/apollo.ts';
import { createClient as createFetch } from '../../examples/clients/fetch.ts';
import { createClient as createGraphqlRequest, save } from '../../examples/clients/graphql-request.ts';
import {
  patchEvent,
  patchGuests,
  readEvent,
  readNotifications,
  readWeek,
} from '../../examples/clients/operations.ts';
import { createClient as createPersisted } from '../../examples/clients/persisted.ts';
import { follow, sync, type Replica } from '../../examples/clients/sync.ts';
import { createClient as createUrql } from '../../examples/clients/urql.ts';
import { startGateway, tokenFor, type TestGateway } from '../harness.ts';
import { listen } from '../http/raw.ts';
import { everyField } from '../selections.ts';

const target = { calendarId: 'primary', eventId: 'teammeeting' };
const hour = {
  start: { dateTime: '2026-12-01T10:00:00+01:00' },
  end: { dateTime: '2026-12-01T11:00:00+01:00' },
};
const seed = {
  calendars: ['alice@example.com', 'team@example.com'].map((id) => ({
    id,
    owner: 'alice@example.com',
    timeZone: 'Europe/Berlin',
    events: [
      {
        ...hour,
        id: 'teammeeting',
        iCalUID: `meeting-of-${id}`,
        summary: `Meeting of ${id}`,
        attendees: [{ id: 'profile1', email: 'bob@example.com', displayName: id }],
      },
    ],
  })),
  buckets: ['demo-photos', 'demo-archive'].map((name) => ({
    name,
    project: 'demo-project',
    managers: ['alice@example.com'],
    notifications: [{ topic: `projects/demo-project/topics/${name}` }],
  })),
};

let gateway: TestGateway;
let url: string;
let token: string;
beforeEach(async () => {
  gateway = await startGateway({}, { seed });
  url = `http://127.0.0.1:${await listen(gateway)}/graphql`;
  token = await tokenFor('alice@example.com');
});
afterEach(() => gateway.close());

const meetingOf = (id: string) => ({ summary: `Meeting of ${id}`, attendees: [{ displayName: id }] });

/** A new title by another client. */
const renameElsewhere = (summary: string) =>
  gateway.ask(
    `mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "${summary}" }) { id } }`,
  );

describe('@apollo/client', () => {
  test('keeps events of two calendars and notifications of two buckets apart that share an id, and so their guests', async () => {
    const client = createApollo(url, token);
    for (const calendarId of ['primary', 'team@example.com'])
      await client.query({ query: readEvent, variables: { ...target, calendarId } });
    for (const bucket of ['demo-photos', 'demo-archive'])
      await client.query({ query: readNotifications, variables: { bucket } });
    const read = (calendarId: string) =>
      client.readQuery({ query: readEvent, variables: { ...target, calendarId } })?.event;
    expect(read('primary')).toMatchObject(meetingOf('alice@example.com'));
    expect(read('team@example.com')).toMatchObject(meetingOf('team@example.com'));
    for (const bucket of ['demo-photos', 'demo-archive']) {
      const cached = client.readQuery({ query: readNotifications, variables: { bucket } });
      expect(cached?.notifications?.[0]?.topic).toContain(`/${bucket}`);
    }
  });

  test('shows the week of all calendars by one request', async () => {
    const client = createApollo(url, token);
    const variables = { timeMin: '2026-11-30T00:00:00+01:00', timeMax: '2026-12-07T00:00:00+01:00' };
    await client.query({ query: readWeek, variables });
    const calendars = client.readQuery({ query: readWeek, variables })?.calendars ?? [];
    const titles = calendars.map(({ id, events }) => [id, events?.nodes.map((event) => event?.summary)]);
    expect(titles).toEqual(['alice@example.com', 'team@example.com'].map((id) => [id, [`Meeting of ${id}`]]));
  });

  test('shows at once who is invited and who is not any more, and keeps whom somebody else invites meanwhile', async () => {
    const client = createApollo(url, token);
    await client.query({ query: readEvent, variables: target });
    const shown: string[] = [];
    const watching = client.watchQuery({ query: readEvent, variables: target }).subscribe(({ data }) => {
      const guests = (data?.event?.attendees ?? []).map((guest) => guest?.email).join();
      if (shown.at(-1) !== guests) shown.push(guests);
    });
    const variables = { ...target, attendeeChanges: { add: [{ email: 'eve@example.com' }] } };
    await createApollo(url, token).mutate({ mutation: patchGuests, variables });
    await changeGuests(client, target, ['dana@example.com'], ['bob@example.com']);
    watching.unsubscribe();
    expect(shown).toEqual(['bob@example.com', 'dana@example.com', 'eve@example.com,dana@example.com']);
  });

  test('shows a change at once, then what the server says of it, and takes it back when that is no', async () => {
    const client = createApollo(url, token);
    await client.query({ query: readEvent, variables: target });
    const seen: (string | null | undefined)[] = [];
    const watching = client.watchQuery({ query: readEvent, variables: target }).subscribe(({ data }) => {
      const summary = data?.event?.summary;
      if (typeof summary === 'string' && seen.at(-1) !== summary) seen.push(summary.slice(0, 10));
    });
    await rename(client, target, 'Moved');
    await expect(rename(client, target, 'x'.repeat(9000))).rejects.toThrow('at most 8192');
    watching.unsubscribe();
    expect(seen).toEqual(['Meeting of', 'Moved', 'xxxxxxxxxx', 'Moved']);
  });

  test('finds out by ifMatch that somebody else was faster, and decides anew', async () => {
    const client = createApollo(url, token);
    await client.query({ query: readEvent, variables: target });
    await renameElsewhere('Other');
    const asked: (string | null | undefined)[] = [];
    const done = await change(client, target, (summary) => {
      asked.push(summary);
      return `${summary} and mine`;
    });
    expect([done, asked]).toEqual([true, ['Meeting of alice@example.com', 'Other']]);
    const { data } = await gateway.ask(
      '{ event(calendarId: "primary", eventId: "teammeeting") { summary } }',
    );
    expect(data.event.summary).toBe('Other and mine');
  });

  test('sends queries by their hash in a GET, the text once', async () => {
    const sent: string[] = [];
    const client = createPersisted(url, token, (input, init) => {
      const { search } = new URL(input instanceof Request ? input.url : input);
      const hasText = search.includes('query=') || JSON.stringify(init?.body ?? '').includes('query');
      sent.push(hasText ? 'text' : `${init?.method} hash`);
      return fetch(input, init);
    });
    const options = { query: readEvent, variables: target, fetchPolicy: 'network-only' } as const;
    for (const _again of [1, 2]) expect((await client.query(options)).data?.event?.id).toBe('teammeeting');
    expect(sent).toEqual(['GET hash', 'text', 'GET hash']);
  });

  test('renews a token by a link that acts upon the code, and asks again', async () => {
    const tokens = ['a.b.c', token];
    const renew = new ErrorLink(({ error, operation, forward }) => {
      const codes = CombinedGraphQLErrors.is(error)
        ? error.errors.map(({ extensions }) => extensions?.code)
        : [];
      if (!codes.includes('UNAUTHENTICATED') || tokens.length < 2) return undefined;
      tokens.shift();
      return forward(operation);
    });
    const sign = new SetContextLink(({ headers }) => ({
      headers: { ...(headers as object), authorization: `Bearer ${tokens[0]}` },
    }));
    const link = ApolloLink.from([renew, sign, new HttpLink({ uri: url })]);
    const client = new ApolloClient({ cache: createCache(), link });
    expect((await client.query({ query: readEvent, variables: target })).data?.event?.id).toBe('teammeeting');
    expect(tokens).toHaveLength(1);
  });
});

describe('urql with graphcache', () => {
  test('keeps events apart, and takes a change over without asking again', async () => {
    const client = createUrql(url, token);
    const read = async (calendarId: string) =>
      (await client.query(readEvent, { ...target, calendarId }).toPromise()).data?.event;
    await read('primary');
    await read('team@example.com');
    await client.mutation(patchEvent, { ...target, event: { summary: 'Moved' } }).toPromise();
    const cached = client.readQuery(readEvent, target)?.data?.event;
    expect(cached).toMatchObject({ summary: 'Moved', attendees: [{ displayName: 'alice@example.com' }] });
    expect(await read('team@example.com')).toMatchObject(meetingOf('team@example.com'));
  });
});

describe('the keys for graphcache', () => {
  test('leave nothing to warn of, whatever is asked for', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const client = createUrql(url, token);
    const everything = gql(`{ calendars { id defaultReminders { method } }
      events(calendarId: "primary") { nodes ${everyField('Event')} edges { cursor } pageInfo { hasNextPage } }
      notifications(bucket: "demo-photos") ${everyField('Notification')}
      messages(topic: "projects/demo-project/topics/demo-photos") { nodes { messageId } edges { cursor } pageInfo { hasNextPage } } }`);
    const { data, error } = await client.query(everything, {}).toPromise();
    const publish = gql(`mutation {
      publishObjectChange(bucket: "demo-photos", change: { eventType: OBJECT_FINALIZE, objectId: "cat" }) { messages { messageId } } }`);
    const change = await client.mutation(publish, {}).toPromise();
    expect([error, change.error]).toEqual([undefined, undefined]);
    expect(Object.keys(data as object)).toEqual(['calendars', 'events', 'notifications', 'messages']);
    expect(warn.mock.calls).toEqual([]);
    warn.mockRestore();
  });
});

describe('graphql-request', () => {
  test('tells the faults of a form by the names of its fields', async () => {
    const client = createGraphqlRequest(url, token);
    const reminders = { overrides: [{ method: 'popup', minutes: -1 }] };
    const faults = await save(client, 'teammeeting', { summary: 'x'.repeat(9000), reminders });
    expect(Object.keys(faults)).toEqual(['summary', 'reminders.overrides.0.minutes']);
    expect(await save(client, 'teammeeting', { summary: 'Short' })).toEqual({});
    expect(await save(client, 'nosuchevent', { summary: 'Short' })).toEqual({ '': expect.any(String) });
  });
});

describe('fetch', () => {
  test('is enough for typed operations, and for warnings', async () => {
    const send = createFetch(url, token);
    const event = { summary: 'Moved', htmlLink: 'https://example.com' };
    const { data, warnings } = await send(patchEvent, { ...target, event });
    expect(data?.patchEvent?.summary).toBe('Moved');
    expect(warnings).toMatchObject([{ field: 'patchEvent', path: ['event', 'htmlLink'] }]);
  });

  test('keeps a replica by sync tokens, and starts over where one is too old', async () => {
    const send = createFetch(url, token);
    const replica: Replica = { events: new Map(), syncToken: undefined };
    await sync(send, 'primary', replica);
    const first = replica.syncToken;
    await send(patchEvent, { ...target, event: { summary: 'Moved' } });
    await sync(send, 'primary', replica);
    expect([[...replica.events.values()].map(({ summary }) => summary), replica.syncToken === first]).toEqual(
      [['Moved'], false],
    );
    await send(patchEvent, { ...target, event: { status: 'cancelled' } });
    await sync(send, 'primary', replica);
    expect(replica.events.size).toBe(0);
    await send(patchEvent, { ...target, event: { status: 'confirmed' } });
    replica.syncToken = 'too old';
    await sync(send, 'primary', replica);
    expect([...replica.events.values()].map(({ summary }) => summary)).toEqual(['Moved']);
  });
});

describe('a calendar that is followed', () => {
  const stop = new AbortController();
  afterAll(() => stop.abort());
  const followed = (at = url, { signal } = stop) =>
    follow(at, token, 'primary', { events: new Map(), syncToken: undefined }, signal);
  const titles = ({ value }: IteratorResult<Replica>): unknown[] =>
    [...(value as Replica).events.values()].map(({ summary }) => summary);
  test('shows each change, also one between the sync and the stream', async () => {
    const replicas = followed();
    expect(titles(await replicas.next())).toEqual(['Meeting of alice@example.com']);
    // The stream is opened when the next replica is asked for.
    for (const summary of ['Before the stream', 'Beside the stream']) {
      await renameElsewhere(summary);
      expect(titles(await replicas.next())).toEqual([summary]);
    }
    await replicas.return(undefined);
  });

  test('goes on at the gateway that takes the place of one that stops', async () => {
    const replicas = followed();
    await replicas.next();
    const next = replicas.next();
    await renameElsewhere('Old');
    expect(titles(await next)).toEqual(['Old']);
    const waiting = replicas.next();
    await gateway.close();
    gateway = await startGateway({}, { seed });
    await gateway.app.listen({ port: Number(new URL(url).port), host: '127.0.0.1' });
    // Its memory is another one: the replica is made anew.
    expect(titles(await waiting)).toEqual(['Meeting of alice@example.com']);
    await replicas.return(undefined);
  });

  test('ends with the words of the gateway when that refuses to tell more', async () => {
    let now = Date.now();
    const limited = await startGateway({}, { seed, clock: () => now });
    const replicas = followed(`http://127.0.0.1:${await listen(limited)}/graphql`);
    await replicas.next();
    now += 2 * 60 * 60 * 1000;
    await expect(replicas.next()).rejects.toThrow('The token has expired');
    await limited.close();
  });

  test('is left at once, also while nothing changes', async () => {
    const leaving = new AbortController();
    const replicas = followed(url, leaving);
    await replicas.next();
    const waiting = replicas.next();
    leaving.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});
