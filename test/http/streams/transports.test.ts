import { once } from 'node:events';
import { putCalendar } from '../../contracts/event-samples.ts';
import { openSocket, startListening } from '../raw-http.ts';
import { waitUntil } from '../../eventually.ts';
import { writeCalendarSubscription } from './stream.harness.ts';
import { tokenFor } from '../../harness.ts';
import { useForAll } from '../../use-resource.ts';

/** Accept values of the two protocols for subscriptions at `/graphql` (docs/live-updates.md). */
const multipartAccept = 'multipart/mixed;subscriptionSpec=1.0';
const eventStreamAccept = 'text/event-stream';
/** Content types of their responses. */
const multipartType = 'multipart/mixed; boundary="graphql"; subscriptionSpec=1.0';
const eventType = 'text/event-stream; charset=utf-8';
const patchHoliday = (summary: string): string =>
  `mutation { patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: "${summary}" }) { id } }`;

describe('subscriptions at /graphql', () => {
  let gateway: Awaited<ReturnType<typeof startListening>>;
  const startGatewayWith = async (...startArgs: Parameters<typeof startListening>): Promise<void> =>
    void (gateway = await startListening(...startArgs));
  afterEach(() => gateway.close());

  const postQuery = async (
    query: string,
    headers: Readonly<Record<string, string>> = {},
    options: { readonly as?: string; readonly signal?: AbortSignal } = {},
  ): Promise<Response> =>
    fetch(gateway.url, {
      method: 'POST',
      signal: options.signal ?? null,
      body: JSON.stringify({ query }),
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await tokenFor(options.as ?? 'alice@example.com')}`,
        ...headers,
      },
    });
  /** Decodes the chunks of a body as they arrive. */
  async function* readChunks({ body }: Response): AsyncGenerator<string> {
    const decoder = new TextDecoder();
    for await (const chunk of body ?? []) yield decoder.decode(chunk as Uint8Array, { stream: true });
  }
  const readStatusAndType = async (
    accept: string | undefined,
    query = writeCalendarSubscription(),
  ): Promise<string> => {
    const controller = new AbortController();
    const headers: Record<string, string> = accept === undefined ? {} : { accept };
    const response = await postQuery(query, headers, { signal: controller.signal });
    const type = response.headers.get('content-type') ?? '';
    controller.abort();
    return `${response.status} ${type}`;
  };

  test.each([
    [multipartAccept, multipartType],
    ['multipart/mixed; boundary=graphql; subscriptionSpec="1.0", application/json', multipartType],
    ['application/json;q=0.9, Multipart/Mixed;SubscriptionSpec=1.0', multipartType],
    [`${eventStreamAccept}, ${multipartAccept}`, multipartType],
    [`${multipartAccept}, */*`, multipartType],
    [`${multipartAccept};q=0.5, ${eventStreamAccept}`, eventType],
    [`${eventStreamAccept};q=0.5, ${multipartAccept};q=0.6`, multipartType],
    [`${multipartAccept};q=0, */*`, eventType],
    [`${eventStreamAccept};q=0, */*, ${multipartAccept};q=0.1`, multipartType],
    [eventStreamAccept, eventType],
    ['text/*', eventType],
    ['multipart/mixed;boundary="a,b;c";subscriptionSpec=1.0', multipartType],
    [' ', eventType],
    ['*/*', eventType],
    ['multipart/mixed, */*', eventType],
  ])('get for Accept: %s a response of type %s', async (accept, type) => {
    await startGatewayWith();
    expect(await readStatusAndType(accept)).toBe(`200 ${type}`);
  });

  test.each([
    'application/json',
    'multipart/mixed',
    'multipart/*',
    `${eventStreamAccept};q=0, */*`,
    `${multipartAccept};q=0`,
  ])('are refused for Accept: %s, with both protocols in the message', async (accept) => {
    await startGatewayWith();
    const response = await postQuery(writeCalendarSubscription(), { accept });
    const { errors } = (await response.json()) as { errors: { message: string }[] };
    expect(response.status).toBe(400);
    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(errors[0]?.message).toMatch(/multipart\/mixed with subscriptionSpec=1\.0, or text\/event-stream/);
  });

  test('are sent in the multipart protocol as complete parts, with heartbeats', async () => {
    await startGatewayWith();
    const response = await postQuery(writeCalendarSubscription(), {
      accept: multipartAccept,
      'accept-encoding': 'gzip',
    });
    expect([response.headers.get('vary'), response.headers.get('content-encoding')]).toEqual([
      expect.stringContaining('Accept'),
      null,
    ]);
    const chunks = readChunks(response);
    const writePart = (json: string): string =>
      `\r\nContent-Type: application/json\r\n\r\n${json}\r\n--graphql`;
    expect((await chunks.next()).value).toBe(`--graphql${writePart('{}')}`);
    await gateway.ask(patchHoliday('A'));
    const { value } = await chunks.next();
    const [, json = ''] =
      /^\r\nContent-Type: application\/json\r\n\r\n(.*)\r\n--graphql$/.exec(value ?? '') ?? [];
    expect(JSON.parse(json)).toEqual({
      payload: {
        data: { calendarChanged: { calendarId: 'alice@example.com', changedAt: expect.any(String) } },
      },
    });
    const chunkAfterDrain = gateway.app.drain(0).then(() => chunks.next());
    expect((await chunkAfterDrain).done).toBe(true); // no closing delimiter, since the server stops
  });

  test('never contain the delimiter within a part', async () => {
    await startGatewayWith();
    const topic = 'projects/demo-project/topics/photos';
    const response = await postQuery(`subscription { messagePublished(topic: "${topic}") { attributes } }`, {
      accept: multipartAccept,
    });
    const chunks = readChunks(response);
    await chunks.next();
    const { errors } = await gateway.ask(
      `mutation { publishObjectChange(bucket: "demo-photos", change: { eventType: OBJECT_FINALIZE, objectId: "albums/a--graphql--b", objectGeneration: "1" }) { messages { topic } } }`,
    );
    expect(errors).toBeUndefined();
    const { value = '' } = await chunks.next();
    expect(value.split('--graphql')).toHaveLength(2);
    const { payload } = JSON.parse(value.slice(value.indexOf('{'), value.lastIndexOf('}') + 1)) as {
      payload: { data: { messagePublished: { attributes: Record<string, string> } } };
    };
    expect(payload.data.messagePublished.attributes.objectId).toBe('albums/a--graphql--b');
    await response.body?.cancel().catch(() => undefined);
  });

  test('end with an error and the closing delimiter when the caller loses access', async () => {
    await startGatewayWith();
    const response = await postQuery(
      writeCalendarSubscription('alice@example.com'),
      { accept: multipartAccept },
      { as: 'bob@example.com' },
    );
    let text = '';
    const readResult = (async () => {
      for await (const chunk of readChunks(response)) text += chunk;
    })();
    await waitUntil(() => text.includes('{}'));
    const { calendars } = gateway.stores;
    const [calendar] = await calendars.calendars([{ id: 'alice@example.com' }]);
    if (!calendar) throw new Error('there is no such calendar');
    await putCalendar(calendars, { ...calendar, acl: [] });
    await gateway.ask(patchHoliday('for me'));
    await readResult;
    expect(text).toMatch(/\{"payload":null,"errors":\[.*NOT_FOUND.*\]\}\r\n--graphql--\r\n$/);
  });

  describe('that cannot be opened', () => {
    const invalidQuery = 'subscription { calendarChanged(calendarId: "primary") { nothing } }';
    const forbiddenQuery = writeCalendarSubscription('nobody@example.com');

    test.each([
      [multipartAccept, invalidQuery, '200 application/json; charset=utf-8'],
      [
        `${multipartAccept}, application/graphql-response+json`,
        invalidQuery,
        '400 application/graphql-response+json; charset=utf-8',
      ],
      [
        `${multipartAccept}, application/graphql-response+json`,
        forbiddenQuery,
        '200 application/graphql-response+json; charset=utf-8',
      ],
      ['*/*', invalidQuery, '200 application/json; charset=utf-8'],
      [`${eventStreamAccept}, application/json`, forbiddenQuery, '200 application/json; charset=utf-8'],
      [eventStreamAccept, invalidQuery, `200 ${eventType}`],
      [eventStreamAccept, forbiddenQuery, `200 ${eventType}`],
    ])('get for Accept: %s the response of other operations: %s', async (accept, query, expected) => {
      await startGatewayWith();
      expect(await readStatusAndType(accept, query)).toBe(expected);
    });

    test('are sent as one error event and complete to clients that accept only server-sent events', async () => {
      await startGatewayWith();
      const text = await (await postQuery(forbiddenQuery, { accept: eventStreamAccept })).text();
      expect(text).toMatch(
        /^retry: \d+\n\nevent: next\ndata: \{"errors":\[.*NOT_FOUND.*\n\nevent: complete\ndata:\n\n$/,
      );
    });
  });

  test('share the stream limit with /graphql/stream', async () => {
    await startGatewayWith({}, { streamLimits: { maxPerCaller: 2 } });
    const streams = [
      await postQuery(writeCalendarSubscription(), { accept: multipartAccept }),
      await fetch(`${gateway.url}/stream?query=${encodeURIComponent(writeCalendarSubscription())}`, {
        headers: { authorization: `Bearer ${await tokenFor('alice@example.com')}` },
      }),
    ];
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    const refusedStream = await postQuery(writeCalendarSubscription(), { accept: eventStreamAccept });
    expect([refusedStream.status, refusedStream.headers.get('retry-after')]).toEqual([429, '60']);
    for (const { body } of streams) await body?.cancel();
  });

  test('may be sent by GET, unlike mutations and requests of foreign pages', async () => {
    await startGatewayWith();
    const getQuery = (query: string, headers: Record<string, string>): Promise<Response> =>
      fetch(`${gateway.url}?query=${encodeURIComponent(query)}`, { headers });
    const authorization = `Bearer ${await tokenFor('alice@example.com')}`;
    const stream = await getQuery(writeCalendarSubscription(), { authorization, accept: multipartAccept });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, multipartType]);
    await stream.body?.cancel();
    expect((await getQuery(patchHoliday('A'), { authorization, accept: multipartAccept })).status).toBe(405);
    expect((await getQuery('subscription {', { accept: eventStreamAccept })).status).toBe(400);
    const headResponse = await fetch(
      `${gateway.url}?query=${encodeURIComponent(writeCalendarSubscription())}`,
      {
        method: 'HEAD',
        headers: { authorization, accept: multipartAccept },
      },
    );
    expect([headResponse.status, headResponse.headers.get('content-type')]).toEqual([200, multipartType]);
  });

  test('are refused over WebSocket', async () => {
    await startGatewayWith();
    for (const target of ['/graphql', '/graphql/stream']) {
      const socket = await openSocket(gateway.port);
      socket.write(
        `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: graphql-transport-ws\r\nAuthorization: Bearer x\r\n\r\n`,
      );
      const [answerBytes] = (await once(socket, 'data')) as [Buffer];
      socket.destroy();
      expect(answerBytes.toString()).toMatch(
        /^HTTP\/1\.1 400 .*connection: close.*"code":"BAD_USER_INPUT","reason":"notOffered"/is,
      );
      expect(answerBytes.toString()).toMatch(
        /multipart\/mixed with subscriptionSpec=1\.0, or text\/event-stream/,
      );
    }
  });
});

describe('queries and mutations at /graphql', () => {
  const gateway = useForAll(startListening);
  const postWithAccept = async (accept: string, query = '{ calendars { id } }'): Promise<Response> =>
    fetch(gateway.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${await tokenFor('alice@example.com')}`,
        accept,
      },
      body: JSON.stringify({ query }),
    });

  test('are sent as one event and complete to clients that accept only server-sent events', async () => {
    for (const query of ['{ calendars { id } }', patchHoliday('B')]) {
      const response = await postWithAccept(eventStreamAccept, query);
      expect([response.status, response.headers.get('content-type')]).toEqual([200, eventType]);
      expect(await response.text()).toMatch(
        /event: next\ndata: \{"data":\{.*\}\}\n\nevent: complete\ndata:\n\n$/,
      );
    }
  });

  test.each([
    [`${eventStreamAccept}, application/json;q=0.1`, 200, 'application/json; charset=utf-8'],
    [`${multipartAccept}, application/json`, 200, 'application/json; charset=utf-8'],
    ['*/*', 200, 'application/json; charset=utf-8'],
    ['text/*', 200, 'application/json; charset=utf-8'],
    ['text/*, text/event-stream;q=0', 200, 'application/json; charset=utf-8'],
    ['application/*', 200, 'application/json; charset=utf-8'],
    [multipartAccept, 406, 'application/json; charset=utf-8'],
    ['text/html', 406, 'application/json; charset=utf-8'],
  ])('get for Accept: %s a %d, %s', async (accept, status, type) => {
    const response = await postWithAccept(accept);
    expect([response.status, response.headers.get('content-type')]).toEqual([status, type]);
    await response.body?.cancel();
  });
});
