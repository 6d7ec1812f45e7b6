import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { startGateway, tokenFor, type TestGateway } from '../harness.ts';

const read = '{ event(calendarId: "primary", eventId: "holiday") { id } }';
const found = { data: { event: { id: 'holiday' } } };
const preflight = { 'apollo-require-preflight': 'true' };
const json = { 'content-type': 'application/json' };

type Injected = Awaited<ReturnType<TestGateway['app']['inject']>>;

interface Sent {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS';
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string | Buffer;
}

/** The code and the reason of a refusal in GraphQL's form; its id is that of the response. */
function refusal(response: Injected): string {
  expect(response.headers['content-type']).toMatch(/^application\/(graphql-response\+)?json; charset=utf-8$/);
  const { errors } = response.json<{ errors: { message: string; extensions: Record<string, unknown> }[] }>();
  expect(errors).toHaveLength(1);
  expect(errors[0]?.message).not.toBe('');
  expect(errors[0]?.extensions.requestId).toBe(response.headers['x-request-id']);
  return `${response.statusCode} ${errors[0]?.extensions.code as string} ${errors[0]?.extensions.reason as string}`;
}

describe('GraphQL over HTTP', () => {
  let gateway: TestGateway;
  let authorization: string;
  beforeAll(async () => {
    gateway = await startGateway(
      { CORS_ORIGINS: 'https://app.example.com', EXPLORER: 'off' },
      { processMetrics: true },
    );
    authorization = `Bearer ${await tokenFor('alice@example.com')}`;
  });
  afterAll(() => gateway.close());

  const send = ({ method = 'POST', url = '/graphql', headers = json, payload }: Sent): Promise<Injected> =>
    gateway.app.inject({ method, url, headers: { authorization, ...headers }, payload });
  const post = (body: unknown, headers = {}): Promise<Injected> =>
    send({ headers: { ...json, ...headers }, payload: JSON.stringify(body) });
  const get = (
    params: Record<string, string>,
    headers: Record<string, string> = preflight,
  ): Promise<Injected> =>
    send({ method: 'GET', url: `/graphql?${new URLSearchParams(params).toString()}`, headers });
  const summary = async (): Promise<string> => {
    const { data } = await gateway.ask('{ event(calendarId: "primary", eventId: "holiday") { summary } }');
    return data.event.summary as string;
  };

  const plain = 'application/json';
  const graphql = 'application/graphql-response+json';
  describe.each([
    ['no Accept', undefined, plain],
    ['Accept */*', '*/*', plain],
    [`Accept ${plain}`, plain, plain],
    [`Accept ${graphql}`, graphql, graphql],
    ['both, JSON preferred', `${graphql};q=0.5, ${plain}`, plain],
    ['both, as clients send them', `${graphql}, ${plain};q=0.9`, graphql],
  ])('with %s', (_what, accept, type) => {
    test.each([
      ['a result', read, 200, 200],
      ['an error of one field', '{ event(calendarId: "primary", eventId: "none") { id } }', 200, 200],
      [
        'an error beside a result',
        `{ event(calendarId: "primary", eventId: "none") { id } __typename }`,
        200,
        200,
      ],
      ['a document that is none', '{', 200, 400],
      ['a field that is none', '{ nope }', 200, 400],
      [
        'a variable that is missing',
        'query ($n: String!) { event(calendarId: $n, eventId: "x") { id } }',
        200,
        400,
      ],
      ['an operation that is not said', 'query A { __typename } query B { __typename }', 200, 400],
    ])('%s has its status and type', async (_case, query, ofPlain, ofGraphql) => {
      const response = await post({ query }, accept === undefined ? {} : { accept });
      expect(response.headers['content-type']).toBe(`${type}; charset=utf-8`);
      expect(response.statusCode).toBe(type === plain ? ofPlain : ofGraphql);
    });
  });

  test('a type this server does not speak is refused', async () => {
    expect(refusal(await post({ query: read }, { accept: 'image/png' }))).toBe('406 BAD_USER_INPUT invalid');
  });

  describe('GET', () => {
    test('runs queries, with variables and the name of an operation', async () => {
      const query =
        'query A { __typename } query B($id: String!) { event(calendarId: "primary", eventId: $id) { id } }';
      const response = await get({ query, operationName: 'B', variables: '{"id":"holiday"}' });
      expect([response.statusCode, response.json()]).toEqual([200, found]);
    });

    test('of an operation that the document lacks is told so', async () => {
      const response = await get({
        query: 'query A { __typename } query B { __typename }',
        operationName: 'C',
      });
      expect(response.json()).toMatchObject({
        errors: [{ message: 'The document holds no operation with the name in operationName.' }],
      });
    });

    test('never runs mutations', async () => {
      const query =
        'mutation { patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: "never" }) { id } }';
      for (const accept of [plain, graphql]) {
        const response = await get({ query }, { ...preflight, accept });
        expect(refusal(response)).toBe('405 BAD_USER_INPUT invalid');
        expect(response.headers.allow).toBe('POST');
      }
      expect(await summary()).toBe('Public holiday');
    });

    test.each([
      ['without a query', {}],
      ['with variables that are no JSON', { query: read, variables: '{' }],
    ])('%s is refused', async (_what, params) => {
      expect(refusal(await get(params))).toBe('400 BAD_USER_INPUT invalid');
    });

    test('with a parameter twice is refused', async () => {
      const url = `/graphql?${new URLSearchParams([
        ['query', read],
        ['query', read],
      ]).toString()}`;
      expect(refusal(await send({ method: 'GET', url, headers: preflight }))).toBe(
        '400 BAD_USER_INPUT invalid',
      );
    });

    test('shows a browser no page when the explorer is off', async () => {
      expect(refusal(await get({}, { accept: 'text/html' }))).toBe('400 BAD_USER_INPUT invalid');
    });
  });

  describe('the body', () => {
    test.each([
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'application/graphql',
      'application/json5',
      'application/json; charset=utf-16',
      'application/json; charset=iso-8859-1',
      '',
    ])('of the type "%s" is refused and nothing of it runs', async (type) => {
      const query =
        'mutation { patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: "never" }) { id } }';
      const bodies = [JSON.stringify({ query }), new URLSearchParams({ query }).toString(), query];
      for (const payload of bodies) {
        const response = await send({
          headers: { ...preflight, ...(type !== '' && { 'content-type': type }) },
          payload,
        });
        expect(refusal(response)).toBe('415 BAD_USER_INPUT invalid');
      }
      expect(await summary()).toBe('Public holiday');
    });

    test.each([
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'Application/JSON',
    ])('of the type %s is read', async (type) => {
      expect((await post({ query: read }, { 'content-type': type })).json()).toEqual(found);
    });

    test.each(['gzip', 'br', 'identity, gzip'])('compressed (%s) is refused', async (encoding) => {
      expect(refusal(await post({ query: read }, { 'content-encoding': encoding }))).toBe(
        '415 BAD_USER_INPUT invalid',
      );
      expect((await post({ query: read }, { 'content-encoding': 'identity' })).json()).toEqual(found);
    });

    test.each([
      ['nothing', ''],
      ['half a JSON text', '{"query":'],
      ['null', 'null'],
      ['a text', '"{ __typename }"'],
      ['a number', '5'],
      ['no query', '{}'],
      ['an empty query', '{"query":" "}'],
      ['a query that is no text', '{"query":{}}'],
      ['variables that are a list', '{"query":"{ __typename }","variables":[]}'],
      ['variables that are a text', '{"query":"{ __typename }","variables":"{}"}'],
      ['an operation name that is no text', '{"query":"{ __typename }","operationName":5}'],
      ['extensions that are no object', '{"query":"{ __typename }","extensions":5}'],
      ['a stored query that is no object', '{"extensions":{"persistedQuery":5}}'],
      [
        'a stored query of another version',
        `{"extensions":{"persistedQuery":{"version":2,"sha256Hash":"${'a'.repeat(64)}"}}}`,
      ],
    ])('that holds %s is refused', async (_what, payload) => {
      expect(refusal(await send({ payload }))).toBe('400 BAD_USER_INPUT invalid');
      expect(refusal(await send({ payload, headers: { ...json, accept: graphql } }))).toBe(
        '400 BAD_USER_INPUT invalid',
      );
    });

    test('may hold null for variables, operationName and extensions', async () => {
      const response = await post({ query: read, variables: null, operationName: null, extensions: null });
      expect(response.json()).toEqual(found);
    });

    test.each([
      [[0xef, 0xbb, 0xbf], 200],
      [[0xef, 0xbb, 0xbc], 400],
      [[0xef, 0xbc, 0xbf], 400],
    ])('may begin with a byte order mark and nothing like it: %j', async (mark, status) => {
      const payload = Buffer.concat([Buffer.from(mark), Buffer.from(JSON.stringify({ query: read }))]);
      expect((await send({ payload })).statusCode).toBe(status);
    });

    test('must be UTF-8', async () => {
      const payload = Buffer.concat([
        Buffer.from(`{"query":"${read.replaceAll('"', '\\"')}","x":"`),
        Buffer.from([0xff]),
        Buffer.from('"}'),
      ]);
      expect(refusal(await send({ payload }))).toBe('400 BAD_USER_INPUT invalid');
    });

    const ofSize = (bytes: number): string => {
      const start = `${JSON.stringify({ query: read }).slice(0, -1)},"x":"`;
      return `${start}${'x'.repeat(bytes - start.length - 2)}"}`;
    };
    test('may have 1 MiB and not a byte more', async () => {
      const limit = 1024 * 1024;
      expect((await send({ payload: ofSize(limit - 1) })).json()).toEqual(found);
      expect((await send({ payload: ofSize(limit) })).json()).toEqual(found);
      expect(refusal(await send({ payload: ofSize(limit + 1) }))).toBe('413 BAD_USER_INPUT tooLong');
    });

    test('may hold 25,000 values and not one more; commas in strings are none', async () => {
      const holding = (values: number): string =>
        `{"query":${JSON.stringify(read)},"x":[${Array(values - 1)
          .fill('",\\",\\\\"')
          .join(',')}]}`;
      expect((await send({ payload: holding(25_000) })).json()).toEqual(found);
      expect(refusal(await send({ payload: holding(25_001) }))).toBe('400 BAD_USER_INPUT tooMany');
    });

    test('may hold objects of 5,000 keys and not one more; colons in strings are none', async () => {
      const holding = (keys: number): string =>
        `{"query":${JSON.stringify(read)},"x":[{${Array.from({ length: keys }, (_, key) => `"\\"${key}:":":"`).join(',')}},{"y":1}]}`;
      expect((await send({ payload: holding(5_000) })).json()).toEqual(found);
      expect(refusal(await send({ payload: holding(5_001) }))).toBe('400 BAD_USER_INPUT tooMany');
    });

    const nested = (levels: number): string =>
      `{"query":${JSON.stringify(read)},"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    test('may be 40 levels deep and not one more', async () => {
      expect((await send({ payload: nested(39) })).json()).toEqual(found);
      expect((await send({ payload: nested(40) })).json()).toEqual(found);
      expect(refusal(await send({ payload: nested(41) }))).toBe('400 BAD_USER_INPUT invalid');
      expect(refusal(await send({ payload: nested(100_000) }))).toBe('400 BAD_USER_INPUT invalid');
    });
  });

  test('a stored query that is not known is told in the way clients act upon', async () => {
    const response = await post({
      extensions: { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } },
    });
    expect(refusal(response)).toBe('200 PERSISTED_QUERY_NOT_FOUND invalid');
  });

  test('two Authorization headers are refused, even when both are right', async () => {
    await gateway.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = gateway.app.server.address() as AddressInfo;
    const body = JSON.stringify({ query: read });
    const ask = async (headers: readonly string[]): Promise<string> => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      const head = [
        'POST /graphql HTTP/1.1',
        'Host: x',
        'Connection: close',
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ];
      socket.write(`${[...head, ...headers].join('\r\n')}\r\n\r\n${body}`);
      return text(socket);
    };
    expect(await ask([`Authorization: ${authorization}`])).toMatch(/^HTTP\/1\.1 200 [^]*"holiday"/);
    const twice = await ask([`Authorization: ${authorization}`, `authorization: ${authorization}`]);
    expect(twice).toMatch(
      /^HTTP\/1\.1 401 [^]*www-authenticate: Bearer error="invalid_token"\r\n[^]*"UNAUTHENTICATED"/,
    );
  });

  test.each([
    ['GET', '/nope', '404 NOT_FOUND notFound'],
    ['POST', '/nope', '404 NOT_FOUND notFound'],
    ['GET', '/graphql/x', '404 NOT_FOUND notFound'],
    ['PUT', '/graphql', '405 BAD_USER_INPUT invalid'],
    ['DELETE', '/graphql', '405 BAD_USER_INPUT invalid'],
    ['POST', '/metrics', '405 BAD_USER_INPUT invalid'],
    ['GET', '/%', '400 BAD_USER_INPUT invalid'],
  ] as const)('%s %s is answered in JSON as well', async (method, url, expected) => {
    expect(refusal(await send({ method, url, headers: {} }))).toBe(expected);
  });

  test('health needs no token', async () => {
    const health = async (what: string): Promise<unknown[]> => {
      const response = await gateway.app.inject(`/health/${what}`);
      return [response.statusCode, response.json()];
    };
    expect(await health('live')).toEqual([200, { status: 'ok' }]);
    expect(await health('ready')).toEqual([200, { status: 'ok', outbox: { messages: 0, oldestSeconds: 0 } }]);
  });

  test('metrics tell of the process and of waiting messages', async () => {
    const response = await gateway.app.inject('/metrics');
    expect(response.headers['content-type']).toMatch(/^text\/plain/);
    expect(response.body).toMatch(/^outbox_messages 0$/m);
    expect(response.body).toMatch(/^outbox_oldest_seconds 0$/m);
    expect(response.body).toMatch(/^process_cpu_seconds_total /m);
  });

  test('every answer has an id of its own, and errors carry it', async () => {
    const answers = [
      await gateway.ask('{ nope }'),
      await gateway.ask('{ nope }'),
      await gateway.ask('{ nope }', {}, { headers: { 'x-request-id': 'mine' } }),
    ];
    const ids = answers.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(3);
    expect(answers.map(({ errors }) => errors?.[0]?.extensions.requestId)).toEqual(ids);
    expect(ids).not.toContain('mine');
  });
});
