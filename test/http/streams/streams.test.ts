import { once } from 'node:events';
import { connect } from 'node:net';
import { SignJWT } from 'jose';
import {
  writeCalendarSubscription,
  listenForStreams,
  writeMessageSubscription,
  type StreamOptions,
  type Streams,
} from './stream.harness.ts';
import { waitUntil } from '../../eventually.ts';
import { allScopes, secret, startGateway, tokenFor, type TestGateway } from '../../harness.ts';
import { createMemoryStores } from '../../../src/adapters/memory/stores.ts';
import type { Replacements } from '../../../src/app.ts';
import { putCalendar } from '../../contracts/event-samples.ts';

const alice = 'alice@example.com';
const patchHoliday = (summary: string): string =>
  `mutation { patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: "${summary}" }) { id } }`;

describe('/graphql/stream', () => {
  const logLines: string[] = [];
  let gateway: TestGateway;
  let streams: Streams;
  const startWithStreams = async (
    env: Record<string, string> = {},
    replacements: Replacements = {},
  ): Promise<void> => {
    gateway = await startGateway(env, {
      logTarget: { write: (line) => void logLines.push(line) },
      ...replacements,
    });
    streams = await listenForStreams(gateway);
  };
  const readStreamMetrics = async (): Promise<string[]> =>
    (await gateway.app.inject('/metrics')).body.match(/^graphql_streams\S* .*$/gm) ?? [];
  const listLoggedStreams = (): Record<string, unknown>[] =>
    logLines
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ ended }) => ended !== undefined);
  beforeEach(() => void logLines.splice(0));
  afterEach(() => gateway.close());

  test('sends an error of the operation as its only event', async () => {
    await startWithStreams();
    const conditionalRootMessage = 'The root field of a subscription must not depend on @skip or @include.';
    const cases: [query: string, message: string, code?: string][] = [
      ['{ calendars { id } }', '/graphql/stream is for subscriptions only: send a query to /graphql.'],
      [
        'mutation { deleteEvent(calendarId: "primary", eventId: "x") }',
        '/graphql/stream is for subscriptions only: send a mutation to /graphql.',
      ],
      [
        'subscription { calendarChanged { changedAt } }',
        'Field "calendarChanged" argument "calendarId" of type "String!" is required, but it was not provided.',
      ],
      [
        'subscription { __typename }',
        'Anonymous Subscription must not select an introspection top level field.',
      ],
      [writeCalendarSubscription().replace(') {', ') @skip(if: true) {'), conditionalRootMessage],
      [
        'subscription { ... @include(if: true) { calendarChanged(calendarId: "primary") { changedAt } } }',
        conditionalRootMessage,
      ],
      [
        'subscription { ...Root } fragment Root on Subscription { ... { ...Inner } } fragment Inner on Subscription { calendarChanged(calendarId: "primary") @include(if: true) { changedAt } }',
        conditionalRootMessage,
      ],
      [writeCalendarSubscription('nobody@example.com'), 'There is no such calendar.', 'NOT_FOUND'],
      [writeMessageSubscription('no topic'), expect.stringMatching(/topic/)],
      [
        writeMessageSubscription('projects/demo-project/topics/other'),
        'No bucket that you manage publishes to this topic.',
        'NOT_FOUND',
      ],
    ];
    for (const [query, message, code = 'BAD_USER_INPUT'] of cases) {
      const stream = await streams.open(query);
      expect([stream.status, stream.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
      ]);
      const extensions = { code, requestId: stream.headers.get('x-request-id') };
      const events = await stream.readUntilEnd();
      expect(events).toMatchObject([
        { id: undefined, event: 'next', data: { errors: [{ message, extensions }] } },
        { id: undefined, event: 'complete', data: undefined },
      ]);
      expect(Object.keys(events[0]?.data as object)).toEqual(['errors']);
    }
  });

  test.each(['on', 'eager'])(
    'refuses a document with a conditional root field of a subscription, even for another operation (compiled: %s)',
    async (COMPILED_OPERATIONS) => {
      await startWithStreams({ COMPILED_OPERATIONS });
      const createDocument = (rootDirective: string, nestedDirective: string): string =>
        `query A { calendar(calendarId: "primary") { id } } subscription B($s: Boolean!) { calendarChanged(calendarId: "primary") ${rootDirective} { changedAt ${nestedDirective} } }`;
      const { status, errors } = await gateway.ask(
        createDocument('@include(if: $s)', ''),
        {},
        { operationName: 'A' },
      );
      const message = 'The root field of a subscription must not depend on @skip or @include.';
      expect([status, errors?.map((error) => error.message)]).toEqual([200, [message]]);
      const { data } = await gateway.ask(createDocument('', '@include(if: $s)'), {}, { operationName: 'A' });
      expect(data).toEqual({ calendar: { id: alice } });
    },
  );

  test('refuses whole requests with an HTTP status', async () => {
    await startWithStreams();
    const storageScopes = allScopes.filter((scope) => scope.includes('devstorage'));
    const cases: [StreamOptions, number, string][] = [
      [{ as: null }, 401, 'UNAUTHENTICATED'],
      [{ token: 'a.b.c' }, 401, 'UNAUTHENTICATED'],
      [{ scopes: storageScopes }, 403, 'FORBIDDEN'],
      [{ headers: { accept: 'application/json' } }, 406, 'BAD_USER_INPUT'],
      [{ headers: { 'content-type': 'text/plain' } }, 415, 'BAD_USER_INPUT'],
    ];
    for (const [options, status, code] of cases) {
      const stream = await streams.open(writeCalendarSubscription(), options);
      expect(stream.status).toBe(status);
      expect((await stream.json()).errors).toMatchObject([
        { extensions: { code, requestId: stream.headers.get('x-request-id') } },
      ]);
    }
  });

  test('accepts a GET that no foreign page can send, but never a HEAD', async () => {
    await startWithStreams();
    const url = `${streams.url}?query=${encodeURIComponent(writeCalendarSubscription())}`;
    expect((await fetch(url, { headers: { accept: 'text/event-stream' } })).status).toBe(400);
    const accept = 'multipart/mixed;subscriptionSpec=1.0, text/event-stream';
    const stream = await fetch(url, {
      headers: { accept, authorization: `Bearer ${await tokenFor(alice)}` },
    });
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    await stream.body?.cancel();
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(405);
  });

  test('may be called by pages of allowed origins', async () => {
    await startWithStreams({ CORS_ORIGINS: 'https://app.example.com' });
    const stream = await streams.open(writeCalendarSubscription(), {
      headers: { origin: 'https://app.example.com' },
    });
    expect(stream.headers.get('access-control-allow-origin')).toBe('https://app.example.com');
    stream.close();
  });

  test('limits streams per caller and in total, and frees a slot when a stream closes', async () => {
    await startWithStreams({}, { streamLimits: { maxPerCaller: 2, maxTotal: 3 } });
    const [firstStream] = [
      await streams.open(writeCalendarSubscription()),
      await streams.open(writeCalendarSubscription()),
    ];
    const refusedStream = await streams.open(writeCalendarSubscription());
    expect([refusedStream.status, refusedStream.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await refusedStream.json()).errors[0]?.message).toBe(
      'You have 2 streams open, the maximum. Close one first.',
    );
    await streams.open(writeCalendarSubscription(), { as: 'bob@example.com' });
    const streamOverTotal = await streams.open(writeCalendarSubscription(), { as: 'bob@example.com' });
    expect([streamOverTotal.status, (await streamOverTotal.json()).errors[0]?.extensions.code]).toEqual([
      503,
      'UNAVAILABLE',
    ]);
    firstStream.close();
    await waitUntil(
      async () => (await streams.open(writeCalendarSubscription(), { as: 'bob@example.com' })).status === 200,
    );
  });

  test('charges the rate limit at the start and each minute, and ends the stream when it is used up', async () => {
    await startWithStreams({ RATE_LIMIT: '3' }, { streamLimits: { checkIntervalMs: 20 } });
    const [firstEvent, lastEvent] = await (await streams.open(writeCalendarSubscription())).readUntilEnd();
    const extensions = { code: 'RATE_LIMITED', reason: 'rateLimitExceeded' };
    expect(firstEvent?.data.errors).toMatchObject([{ extensions }]);
    expect(lastEvent?.event).toBe('complete');
    expect((await streams.open(writeCalendarSubscription())).status).toBe(429);
  });

  test('ends a stream with an error when its token expires', async () => {
    let now = Date.now();
    await startWithStreams({}, { clock: () => now });
    const expirySeconds = Math.floor(now / 1000) + 3600;
    const token = await new SignJWT({ email: alice, scope: allScopes.join(' ') })
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject('x')
      .setExpirationTime(expirySeconds)
      .sign(Buffer.from(secret));
    now = expirySeconds * 1000 + 29_900; // 30 s are tolerated
    const stream = await streams.open(writeCalendarSubscription(), { token });
    now += 100;
    const [errorEvent, completeEvent] = await stream.readUntilEnd();
    expect(errorEvent?.data.errors).toMatchObject([
      { message: 'The token has expired. Sign in again.', extensions: { code: 'UNAUTHENTICATED' } },
    ]);
    expect(completeEvent?.event).toBe('complete');
  });

  test('ends streams without complete when the server stops, so that clients reconnect', async () => {
    await startWithStreams();
    const stream = await streams.open(writeCalendarSubscription());
    const drainResult = gateway.app.drain(50);
    expect(await stream.readUntilEnd()).toEqual([]);
    await drainResult;
    expect(listLoggedStreams().at(-1)).toMatchObject({ ended: 'server', events: 0, status: 200 });
  });

  test.each([
    ['server-sent events', 'graphql/stream', 'text/event-stream'],
    ['multipart', 'graphql', 'multipart/mixed;subscriptionSpec=1.0'],
  ])('disconnects a client of %s that does not read, but no other client', async (_name, path, accept) => {
    await startWithStreams({}, { streamLimits: { maxStallMs: 5000 } });
    const [port, token] = [Number(new URL(streams.url).port), await tokenFor(alice)];
    const body = JSON.stringify({ query: writeMessageSubscription() });
    const slowSocket = connect(port, '127.0.0.1');
    await once(slowSocket, 'connect');
    slowSocket.write(
      `POST /${path} HTTP/1.1\r\nhost: x\r\naccept: ${accept}\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    await once(slowSocket, 'data');
    slowSocket.pause();
    const reader = await streams.open(writeMessageSubscription());
    const publishMutation = `mutation ($object: JSONObject) { publishObjectChange(bucket: "demo-photos", change: { eventType: OBJECT_FINALIZE, objectId: "albums/x", object: $object }) { messages { messageId } } }`;
    const object = { filler: 'x'.repeat(500_000) };
    while (!listLoggedStreams().some(({ ended }) => ended === 'slow')) {
      const { data } = await gateway.ask(publishMutation, { object });
      expect((await reader.next())?.id).toBe(data.publishObjectChange.messages[0].messageId);
    }
    expect(await readStreamMetrics()).toEqual([
      'graphql_streams_open{root_field="messagePublished"} 1',
      'graphql_streams_ended_total{root_field="messagePublished",end="slow"} 1',
    ]);
    reader.close();
    slowSocket.destroy();
  });

  test.each(['before', 'during'])(
    'reports access that is lost %s a lookup, keeps the stream open, and logs the code',
    async (revocationTime) => {
      const stores = createMemoryStores(Date.now);
      const { events, calendars } = stores;
      let beforeLookup = async (): Promise<void> => undefined;
      const listEvents: typeof events.listEvents = async (...args) => {
        await beforeLookup();
        return events.listEvents(...args);
      };
      await startWithStreams({}, { stores: { ...stores, events: { ...events, listEvents } } });
      const stream = await streams.open(
        `subscription { calendarsChanged(calendarIds: ["primary", "${alice}"]) { changedAt } }`,
        { as: 'bob@example.com' },
      );
      await stream.next();
      await stream.next();
      const revokeAccess = async (): Promise<void> => {
        const [calendar] = await calendars.calendars([{ id: alice }]);
        if (calendar) await putCalendar(calendars, { ...calendar, acl: [] });
      };
      if (revocationTime === 'before') await revokeAccess();
      else beforeLookup = revokeAccess;
      await gateway.ask(patchHoliday('unseen'));
      expect((await stream.next())?.data.errors).toMatchObject([
        { path: ['calendarsChanged'], extensions: { code: 'NOT_FOUND' } },
      ]);
      expect(await readStreamMetrics()).toContain('graphql_streams_open{root_field="calendarsChanged"} 1');
      stream.close();
      await waitUntil(() => listLoggedStreams().length > 0);
      const outcome = { events: 3, ended: 'client', codes: ['NOT_FOUND'] };
      expect(listLoggedStreams()).toMatchObject([
        { kind: 'subscription', subject: 'sub of bob@example.com', ...outcome },
      ]);
    },
  );

  test('watches calendars while a stream follows them, and removes its listeners', async () => {
    const stores = createMemoryStores(Date.now);
    const { events } = stores;
    let watcherCount = 0;
    const watchCalendars: typeof events.watchCalendars = (onChange) => {
      const stopWatching = events.watchCalendars(onChange);
      watcherCount += 1;
      return () => {
        watcherCount -= 1;
        stopWatching();
      };
    };
    const warnings: Error[] = [];
    const collectWarning = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', collectWarning); // MaxListenersExceededWarning
    const ids = Array.from({ length: 50 }, (_, index) => `team${index}@example.com`);
    const seed = { calendars: ids.map((id) => ({ id, owner: alice, timeZone: 'UTC' })) };
    await startWithStreams({}, { seed, stores: { ...stores, events: { ...events, watchCalendars } } });
    const query = `subscription { calendarsChanged(calendarIds: ${JSON.stringify(ids)}) { calendarId } }`;
    const openStreams = [await streams.open(query), await streams.open(query)];
    for (const stream of openStreams) for (const _id of ids) await stream.next();
    expect(watcherCount).toBe(1);
    for (const stream of openStreams) stream.close();
    await waitUntil(() => watcherCount === 0);
    process.off('warning', collectWarning);
    expect(warnings).toEqual([]);
  });
});
