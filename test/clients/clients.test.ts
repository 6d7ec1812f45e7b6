import { gql } from '@urql/core';
import {
  changeTitle,
  changeGuests,
  createClient as createApollo,
  renameEvent,
} from '../../examples/clients/apollo.ts';
import { createClient as createFetch } from '../../examples/clients/fetch.ts';
import { createClient as createGraphqlRequest, saveEvent } from '../../examples/clients/graphql-request.ts';
import {
  patchEvent,
  patchGuests,
  readEvent,
  readNotifications,
  readWeek,
} from '../../examples/clients/operations.ts';
import { createClient as createPersisted } from '../../examples/clients/persisted.ts';
import { followCalendar, syncReplica, type Replica } from '../../examples/clients/sync.ts';
import { createClient as createUrql } from '../../examples/clients/urql.ts';
import { startGateway, tokenFor, type TestGateway } from '../harness.ts';
import { findFreePort } from '../free-port.ts';
import { listenOnFreePort } from '../http/raw-http.ts';
import { selectEveryField } from '../selections.ts';

const target = { calendarId: 'primary', eventId: 'teammeeting' };
const meetingTimes = {
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
        ...meetingTimes,
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
  const port = await findFreePort();
  await gateway.app.listen({ port, host: '127.0.0.1' });
  url = `http://127.0.0.1:${port}/graphql`;
  token = await tokenFor('alice@example.com');
});
afterEach(() => gateway.close());

const meetingOf = (id: string) => ({ summary: `Meeting of ${id}`, attendees: [{ displayName: id }] });

/** Changes the title through another client. */
const renameElsewhere = (summary: string) =>
  gateway.ask(
    `mutation { patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "${summary}" }) { id } }`,
  );

describe('@apollo/client', () => {
  test('caches events and notifications with the same id separately by calendar or bucket', async () => {
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

  test('shows the week of all calendars with one request', async () => {
    const client = createApollo(url, token);
    const variables = { timeMin: '2026-11-30T00:00:00+01:00', timeMax: '2026-12-07T00:00:00+01:00' };
    await client.query({ query: readWeek, variables });
    const calendars = client.readQuery({ query: readWeek, variables })?.calendars ?? [];
    const summariesByCalendar = calendars.map(({ id, events }) => [
      id,
      events?.nodes.map((event) => event?.summary),
    ]);
    expect(summariesByCalendar).toEqual(
      ['alice@example.com', 'team@example.com'].map((id) => [id, [`Meeting of ${id}`]]),
    );
  });

  test('shows guest changes optimistically, and keeps guests added by another client', async () => {
    const client = createApollo(url, token);
    await client.query({ query: readEvent, variables: target });
    const shownGuests: string[] = [];
    const guestWatch = client.watchQuery({ query: readEvent, variables: target }).subscribe(({ data }) => {
      const guests = (data?.event?.attendees ?? []).map((guest) => guest?.email).join();
      if (shownGuests.at(-1) !== guests) shownGuests.push(guests);
    });
    const variables = { ...target, attendeeChanges: { add: [{ email: 'eve@example.com' }] } };
    await createApollo(url, token).mutate({ mutation: patchGuests, variables });
    await changeGuests(client, target, ['dana@example.com'], ['bob@example.com']);
    guestWatch.unsubscribe();
    expect(shownGuests).toEqual(['bob@example.com', 'dana@example.com', 'eve@example.com,dana@example.com']);
  });

  test('shows a change optimistically, and reverts it if it is refused', async () => {
    const client = createApollo(url, token);
    await client.query({ query: readEvent, variables: target });
    const shownTitles: (string | null | undefined)[] = [];
    const titleWatch = client.watchQuery({ query: readEvent, variables: target }).subscribe(({ data }) => {
      const summary = data?.event?.summary;
      if (typeof summary === 'string' && shownTitles.at(-1) !== summary)
        shownTitles.push(summary.slice(0, 10));
    });
    await renameEvent(client, target, 'Moved');
    await expect(renameEvent(client, target, 'x'.repeat(9000))).rejects.toThrow('at most 8192');
    titleWatch.unsubscribe();
    expect(shownTitles).toEqual(['Meeting of', 'Moved', 'xxxxxxxxxx', 'Moved']);
  });

  test('repeats its decision after a conflict found by ifMatch', async () => {
    const client = createApollo(url, token);
    await client.query({ query: readEvent, variables: target });
    await renameElsewhere('Other');
    const summaries: (string | null | undefined)[] = [];
    const isSaved = await changeTitle(client, target, (summary) => {
      summaries.push(summary);
      return `${summary} and mine`;
    });
    expect([isSaved, summaries]).toEqual([true, ['Meeting of alice@example.com', 'Other']]);
    const { data } = await gateway.ask(
      '{ event(calendarId: "primary", eventId: "teammeeting") { summary } }',
    );
    expect(data.event.summary).toBe('Other and mine');
  });

  test('sends persisted queries by GET with their hash, and the text once', async () => {
    const requestForms: string[] = [];
    const client = createPersisted(url, token, (input, init) => {
      const { search } = new URL(input instanceof Request ? input.url : input);
      const hasText = search.includes('query=') || JSON.stringify(init?.body ?? '').includes('query');
      requestForms.push(hasText ? 'text' : `${init?.method} hash`);
      return fetch(input, init);
    });
    const options = { query: readEvent, variables: target, fetchPolicy: 'network-only' } as const;
    for (const _again of [1, 2]) expect((await client.query(options)).data?.event?.id).toBe('teammeeting');
    expect(requestForms).toEqual(['GET hash', 'text', 'GET hash']);
  });
});

describe('urql with graphcache', () => {
  test('caches events by calendar, and applies a change without another request', async () => {
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
  test('cause no warnings, whatever is selected', async () => {
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const client = createUrql(url, token);
    const allFieldsQuery = gql(`{ calendars { id defaultReminders { method } }
      events(calendarId: "primary") { nodes ${selectEveryField('Event')} edges { cursor } pageInfo { hasNextPage } }
      notifications(bucket: "demo-photos") ${selectEveryField('Notification')}
      messages(topic: "projects/demo-project/topics/demo-photos") { nodes { messageId } edges { cursor } pageInfo { hasNextPage } } }`);
    const { data, error } = await client.query(allFieldsQuery, {}).toPromise();
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
  test('returns errors of a form by field name', async () => {
    const client = createGraphqlRequest(url, token);
    const reminders = { overrides: [{ method: 'popup', minutes: -1 }] };
    const messagesByField = await saveEvent(client, 'teammeeting', { summary: 'x'.repeat(9000), reminders });
    expect(Object.keys(messagesByField)).toEqual(['summary', 'reminders.overrides.0.minutes']);
    expect(await saveEvent(client, 'teammeeting', { summary: 'Short' })).toEqual({});
    expect(await saveEvent(client, 'nosuchevent', { summary: 'Short' })).toEqual({ '': expect.any(String) });
  });
});

describe('fetch', () => {
  test('supports typed operations and warnings', async () => {
    const send = createFetch(url, token);
    const event = { summary: 'Moved', htmlLink: 'https://example.com' };
    const { data, warnings } = await send(patchEvent, { ...target, event });
    expect(data?.patchEvent?.summary).toBe('Moved');
    expect(warnings).toMatchObject([{ field: 'patchEvent', path: ['event', 'htmlLink'] }]);
  });

  test('keeps a replica by sync tokens, and starts over if one has expired', async () => {
    const send = createFetch(url, token);
    const replica: Replica = { events: new Map(), syncToken: undefined };
    await syncReplica(send, 'primary', replica);
    const firstToken = replica.syncToken;
    await send(patchEvent, { ...target, event: { summary: 'Moved' } });
    await syncReplica(send, 'primary', replica);
    expect([
      [...replica.events.values()].map(({ summary }) => summary),
      replica.syncToken === firstToken,
    ]).toEqual([['Moved'], false]);
    await send(patchEvent, { ...target, event: { status: 'cancelled' } });
    await syncReplica(send, 'primary', replica);
    expect(replica.events.size).toBe(0);
    await send(patchEvent, { ...target, event: { status: 'confirmed' } });
    replica.syncToken = 'too old';
    await syncReplica(send, 'primary', replica);
    expect([...replica.events.values()].map(({ summary }) => summary)).toEqual(['Moved']);
  });
});

describe('following a calendar', () => {
  const suiteController = new AbortController();
  afterAll(() => suiteController.abort());
  const followPrimary = (endpoint = url, { signal } = suiteController) =>
    followCalendar(endpoint, token, 'primary', { events: new Map(), syncToken: undefined }, signal);
  const titlesOf = ({ value }: IteratorResult<Replica>): unknown[] =>
    [...(value as Replica).events.values()].map(({ summary }) => summary);
  test('shows each change, also one between the sync and the stream', async () => {
    const replicas = followPrimary();
    expect(titlesOf(await replicas.next())).toEqual(['Meeting of alice@example.com']);
    // The stream opens with the call of `next`.
    for (const summary of ['Before the stream', 'Beside the stream']) {
      await renameElsewhere(summary);
      expect(titlesOf(await replicas.next())).toEqual([summary]);
    }
    await replicas.return(undefined);
  });

  test('continues at the gateway that replaces a stopped one', async () => {
    const replicas = followPrimary();
    await replicas.next();
    const next = replicas.next();
    await renameElsewhere('Old');
    expect(titlesOf(await next)).toEqual(['Old']);
    const nextFromNewGateway = replicas.next();
    await gateway.close();
    gateway = await startGateway({}, { seed });
    await gateway.app.listen({ port: Number(new URL(url).port), host: '127.0.0.1' });
    // The new gateway has other sync tokens, so the replica is rebuilt.
    expect(titlesOf(await nextFromNewGateway)).toEqual(['Meeting of alice@example.com']);
    await replicas.return(undefined);
  });

  test("ends with the gateway's message when the stream is refused", async () => {
    let now = Date.now();
    const gatewayWithClock = await startGateway({}, { seed, clock: () => now });
    const replicas = followPrimary(`http://127.0.0.1:${await listenOnFreePort(gatewayWithClock)}/graphql`);
    await replicas.next();
    now += 2 * 60 * 60 * 1000;
    await expect(replicas.next()).rejects.toThrow('The token has expired');
    await gatewayWithClock.close();
  });

  test('stops at once by its signal, also without changes', async () => {
    const testController = new AbortController();
    const replicas = followPrimary(url, testController);
    await replicas.next();
    const pendingReplica = replicas.next();
    testController.abort();
    expect(await pendingReplica).toEqual({ done: true, value: undefined });
  });
});
