import { createHash } from 'node:crypto';
import inject from 'light-my-request';
import { tokenFor, useGateway, type Answer, type TestGateway } from '../harness.ts';

const readQuery = '{ event(calendarId: "primary", eventId: "holiday") { id } }';
const holidayResponse = { data: { event: { id: 'holiday' } } };
const preflightHeader = { 'apollo-require-preflight': 'true' };
const jsonHeaders = { 'content-type': 'application/json' };

type InjectedResponse = Awaited<ReturnType<TestGateway['app']['inject']>>;

interface RequestInput {
  readonly method?: 'GET' | 'POST';
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string | Buffer;
}

/** Reads status, code and reason of a refusal, and checks its request ID. */
function readRefusal(response: InjectedResponse): string {
  expect(response.headers['content-type']).toMatch(/^application\/(graphql-response\+)?json; charset=utf-8$/);
  const { errors } = response.json<{ errors: { message: string; extensions: Record<string, unknown> }[] }>();
  expect(errors).toHaveLength(1);
  expect(errors[0]?.message).not.toBe('');
  expect(errors[0]?.extensions.requestId).toBe(response.headers['x-request-id']);
  return `${response.statusCode} ${errors[0]?.extensions.code as string} ${errors[0]?.extensions.reason as string}`;
}

describe('GraphQL over HTTP', () => {
  const gateway = useGateway({ EXPLORER: 'off' });
  let authorization: string;
  beforeAll(async () => {
    authorization = `Bearer ${await tokenFor('alice@example.com')}`;
  });

  const send = ({
    method = 'POST',
    url = '/graphql',
    headers = jsonHeaders,
    payload,
  }: RequestInput): Promise<InjectedResponse> =>
    gateway.app.inject({ method, url, headers: { authorization, ...headers }, payload });
  const post = (body: unknown, headers = {}): Promise<InjectedResponse> =>
    send({ headers: { ...jsonHeaders, ...headers }, payload: JSON.stringify(body) });
  const get = (
    params: Record<string, string>,
    headers: Record<string, string> = preflightHeader,
  ): Promise<InjectedResponse> =>
    send({ method: 'GET', url: `/graphql?${new URLSearchParams(params).toString()}`, headers });
  const readSummary = async (): Promise<string> => {
    const { data } = await gateway.ask('{ event(calendarId: "primary", eventId: "holiday") { summary } }');
    return data.event.summary as string;
  };

  const jsonType = 'application/json';
  const graphqlType = 'application/graphql-response+json';
  test.each([
    ['a result', readQuery, 200],
    ['an error of one field', '{ event(calendarId: "primary", eventId: "none") { id } }', 200],
    ['an invalid document', '{', 400],
    ['a missing variable', 'query ($n: String!) { event(calendarId: $n, eventId: "x") { id } }', 400],
    ['an ambiguous operation', 'query A { __typename } query B { __typename }', 400],
  ])('%s has the status of its media type', async (_case, query, status) => {
    for (const type of [jsonType, graphqlType]) {
      const response = await post({ query }, { accept: type });
      expect(response.headers['content-type']).toBe(`${type}; charset=utf-8`);
      expect(response.statusCode).toBe(type === jsonType ? 200 : status);
    }
  });

  const neverMutation =
    'mutation { patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: "never" }) { id } }';

  test('an unsupported Accept is refused, and nothing is changed', async () => {
    expect(readRefusal(await post({ query: neverMutation }, { accept: 'image/png' }))).toBe(
      '406 BAD_USER_INPUT invalid',
    );
    expect(await readSummary()).toBe('Public holiday');
  });

  describe('GET', () => {
    test('runs queries, with variables and operationName', async () => {
      const query =
        'query A { __typename } query B($id: String!) { event(calendarId: "primary", eventId: $id) { id } }';
      const response = await get({ query, operationName: 'B', variables: '{"id":"holiday"}' });
      expect([response.statusCode, response.json()]).toEqual([200, holidayResponse]);
      const message = 'The document holds no operation with the name in operationName.';
      expect((await get({ query, operationName: 'C' })).json()).toMatchObject({ errors: [{ message }] });
    });

    test('never runs mutations', async () => {
      for (const accept of [jsonType, graphqlType]) {
        const response = await get({ query: neverMutation }, { ...preflightHeader, accept });
        expect(readRefusal(response)).toBe('405 BAD_USER_INPUT invalid');
        expect(response.headers.allow).toBe('POST');
      }
      expect(await readSummary()).toBe('Public holiday');
    });

    const encodedQuery = encodeURIComponent(readQuery);
    test.each([
      ['without a query', ''],
      ['with invalid JSON in variables', `query=${encodedQuery}&variables=%7B`],
      ['with a parameter twice', `query=${encodedQuery}&query=${encodedQuery}`],
    ])('%s is refused', async (_what, search) => {
      const response = await send({ method: 'GET', url: `/graphql?${search}`, headers: preflightHeader });
      expect(readRefusal(response)).toBe('400 BAD_USER_INPUT invalid');
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
    ])('of the type "%s" is refused and not run', async (type) => {
      const headers = { ...preflightHeader, ...(type !== '' && { 'content-type': type }) };
      const query = neverMutation;
      for (const payload of [JSON.stringify({ query }), new URLSearchParams({ query }).toString(), query])
        expect(readRefusal(await send({ headers, payload }))).toBe('415 BAD_USER_INPUT invalid');
      expect(await readSummary()).toBe('Public holiday');
    });

    test.each([
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'Application/JSON',
    ])('of the type %s is read', async (type) =>
      expect((await post({ query: readQuery }, { 'content-type': type })).json()).toEqual(holidayResponse),
    );

    test.each(['gzip', 'br', 'identity, gzip'])('compressed (%s) is refused', async (encoding) => {
      expect(readRefusal(await post({ query: readQuery }, { 'content-encoding': encoding }))).toBe(
        '415 BAD_USER_INPUT invalid',
      );
      expect((await post({ query: readQuery }, { 'content-encoding': 'identity' })).json()).toEqual(
        holidayResponse,
      );
    });

    test.each([
      ['nothing', ''],
      ['incomplete JSON', '{"query":'],
      ['a text', '"{ __typename }"'],
      ['no query', '{}'],
      ['an empty query', '{"query":" "}'],
      ['a query that is no text', '{"query":{}}'],
      ['variables that are a list', '{"query":"{ __typename }","variables":[]}'],
      ['an operation name that is no text', '{"query":"{ __typename }","operationName":5}'],
      ['extensions that are no object', '{"query":"{ __typename }","extensions":5}'],
      ['a stored query that is no object', '{"extensions":{"persistedQuery":5}}'],
      [
        'a stored query of another version',
        `{"extensions":{"persistedQuery":{"version":2,"sha256Hash":"${'a'.repeat(64)}"}}}`,
      ],
    ])('with %s is refused', async (_what, payload) => {
      for (const accept of [jsonType, graphqlType])
        expect(readRefusal(await send({ payload, headers: { ...jsonHeaders, accept } }))).toBe(
          '400 BAD_USER_INPUT invalid',
        );
    });

    test('may have null for variables, operationName and extensions', async () => {
      const response = await post({
        query: readQuery,
        variables: null,
        operationName: null,
        extensions: null,
      });
      expect(response.json()).toEqual(holidayResponse);
    });

    test.each([
      [[0xef, 0xbb, 0xbf], 200],
      [[0xef, 0xbb, 0xbc], 400],
      [[0xef, 0xbc, 0xbf], 400],
    ])('may start with a byte order mark, but not with similar bytes: %j', async (bytes, status) => {
      const payload = Buffer.concat([Buffer.from(bytes), Buffer.from(JSON.stringify({ query: readQuery }))]);
      expect((await send({ payload })).statusCode).toBe(status);
    });

    test('must be UTF-8', async () => {
      const payload = Buffer.from(`{"query":${JSON.stringify(readQuery)},"x":"\xff"}`, 'latin1');
      expect(readRefusal(await send({ payload }))).toBe('400 BAD_USER_INPUT invalid');
    });

    const bodyOfSize = (bytes: number): string => {
      const bodyStart = `${JSON.stringify({ query: readQuery }).slice(0, -1)},"x":"`;
      return `${bodyStart}${'x'.repeat(bytes - bodyStart.length - 2)}"}`;
    };
    test('may have 1 MiB and not a byte more', async () => {
      const maxBodyBytes = 1024 * 1024;
      expect((await send({ payload: bodyOfSize(maxBodyBytes - 1) })).json()).toEqual(holidayResponse);
      expect((await send({ payload: bodyOfSize(maxBodyBytes) })).json()).toEqual(holidayResponse);
      expect(readRefusal(await send({ payload: bodyOfSize(maxBodyBytes + 1) }))).toBe(
        '413 BAD_USER_INPUT tooLong',
      );
    });

    test('may have 25,000 values and not one more, not counting commas in strings', async () => {
      const bodyWithValues = (values: number): string =>
        `{"query":${JSON.stringify(readQuery)},"x":[${Array(values - 1)
          .fill('",\\",\\\\"')
          .join(',')}]}`;
      expect((await send({ payload: bodyWithValues(25_000) })).json()).toEqual(holidayResponse);
      expect(readRefusal(await send({ payload: bodyWithValues(25_001) }))).toBe('400 BAD_USER_INPUT tooMany');
    });

    test('may have objects with 5,000 keys and not one more, not counting colons in strings', async () => {
      const bodyWithKeys = (keys: number): string =>
        `{"query":${JSON.stringify(readQuery)},"x":[{${Array.from({ length: keys }, (_, key) => `"\\"${key}:":":"`).join(',')}},{"y":1}]}`;
      expect((await send({ payload: bodyWithKeys(5_000) })).json()).toEqual(holidayResponse);
      expect(readRefusal(await send({ payload: bodyWithKeys(5_001) }))).toBe('400 BAD_USER_INPUT tooMany');
    });

    const nestArrays = (levels: number): string =>
      `{"query":${JSON.stringify(readQuery)},"x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;
    test('may be 40 levels deep and not one more', async () => {
      expect((await send({ payload: nestArrays(39) })).json()).toEqual(holidayResponse);
      expect((await send({ payload: nestArrays(40) })).json()).toEqual(holidayResponse);
      expect(readRefusal(await send({ payload: nestArrays(41) }))).toBe('400 BAD_USER_INPUT invalid');
      expect(readRefusal(await send({ payload: nestArrays(100_000) }))).toBe('400 BAD_USER_INPUT invalid');
    });
  });

  test('health needs no token', async () => {
    const [liveResponse, readyResponse] = [
      await gateway.app.inject('/health/live'),
      await gateway.app.inject('/health/ready'),
    ];
    expect([liveResponse.statusCode, liveResponse.json()]).toEqual([200, { status: 'ok' }]);
    const outbox = { messages: 0, oldestSeconds: 0 };
    expect([readyResponse.statusCode, readyResponse.json()]).toEqual([200, { status: 'ok', outbox }]);
  });

  test('every response has a unique request ID, and its errors have it too', async () => {
    const answers = [
      await gateway.ask('{ nope }'),
      await gateway.ask('{ nope }'),
      await gateway.ask('{ nope }', {}, { headers: { 'x-request-id': 'mine' } }),
    ];
    const requestIds = answers.map(({ headers }) => headers['x-request-id']);
    expect(new Set(requestIds).size).toBe(3);
    expect(answers.map(({ errors }) => errors?.[0]?.extensions.requestId)).toEqual(requestIds);
    expect(requestIds).not.toContain('mine');
  });

  const messageOf = (response: InjectedResponse): string | undefined =>
    response.json<Answer>().errors?.[0]?.message;

  test.each(['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'])(
    'a GET with %s passes the CSRF check',
    async (name) => {
      const url = '/graphql?query={__typename}';
      const withoutHeader = await gateway.app.inject({ url });
      expect(withoutHeader.statusCode).toBe(400);
      expect(messageOf(withoutHeader)).toMatch(/page of another origin \(CSRF\)\. Send one of these headers/);
      const headers = { [name]: name === 'authorization' ? authorization : 'x' };
      expect((await gateway.app.inject({ url, headers })).json()).toEqual({ data: { __typename: 'Query' } });
    },
  );

  describe('a list as body gets one error per entry: batching is not supported', () => {
    /** Sends a body through the server's `request` event, as a connection does. */
    const sendList = (payload: string, headers: Record<string, string> = {}, url = '/graphql') =>
      inject((request, reply) => void gateway.app.server.emit('request', request, reply), {
        method: 'POST',
        url,
        headers: { ...jsonHeaders, authorization, ...headers },
        payload,
      });
    const repeatEntry = (count: number, entry: unknown): string =>
      JSON.stringify(Array.from({ length: count }, () => entry));
    const trickyEntry = { query: '[{"\\",]}', variables: { list: [1, [2, 3], { a: ',', b: {} }] } };

    test.each<[string, string, number]>([
      ['two operations', repeatEntry(2, { query: readQuery }), 2],
      ['one operation', repeatEntry(1, { query: readQuery }), 1],
      ['entries with lists, brackets and commas', repeatEntry(7, trickyEntry), 7],
      ['spaces and a byte order mark before it', `\ufeff \n\t${repeatEntry(3, { query: readQuery })}`, 3],
      ['no entry', ' [ ] ', 1],
      ['a hundred entries', repeatEntry(100, trickyEntry), 100],
      ['more than a hundred', repeatEntry(101, 1), 100],
      ['more values than a body may have', repeatEntry(40, Array(1000).fill(0)), 40],
      ['more than a body may be nested', `[${'['.repeat(200)}${']'.repeat(200)},1]`, 2],
      ['a body of the maximum size', `[${'"x",'.repeat(262_143)}1]`, 100],
      ['half a list', '[{"query":"{ __typename }"},{"qu', 2],
    ])('%s', async (_what, payload, count) => {
      const variants: [Record<string, string>, string?][] = [
        [{}],
        [{ origin: 'https://elsewhere.example' }],
        [{ accept: 'text/event-stream' }, '/graphql/stream'],
      ];
      for (const [headers, url] of variants) {
        const { statusCode, body, headers: responseHeaders } = await sendList(payload, headers, url);
        const message =
          'The body must be one JSON object: batching is not supported. Send each operation in a request of its own.';
        const issues = [{ path: [], reason: 'invalid', message }];
        const requestId = responseHeaders['x-request-id'];
        const extensions = { code: 'BAD_USER_INPUT', reason: 'invalid', issues, requestId };
        expect([statusCode, JSON.parse(body)]).toEqual([
          400,
          Array(count).fill({ errors: [{ message, extensions }] }),
        ]);
      }
    });

    test('and is not run', async () => {
      await sendList(JSON.stringify([{ query: neverMutation }]));
      expect(await readSummary()).toBe('Public holiday');
    });

    test('but gets one error for a refused caller or an unknown path', async () => {
      const refusedResponse = await sendList(repeatEntry(2, { query: readQuery }), {
        authorization: 'Bearer a.b.c',
      });
      expect(refusedResponse.statusCode).toBe(401);
      expect(refusedResponse.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
      expect((await sendList('[1]', {}, '/nope')).statusCode).toBe(404);
    });
  });

  describe('a persisted query', () => {
    const createPersistedExtension = (query: string): object => ({
      persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
    });

    test('is requested once, and remembered', async () => {
      const query = `${readQuery} # once`;
      const unknownHashResponse = await post({ extensions: createPersistedExtension(query) });
      expect(messageOf(unknownHashResponse)).toBe('PersistedQueryNotFound');
      expect(readRefusal(unknownHashResponse)).toBe('200 PERSISTED_QUERY_NOT_FOUND invalid');
      expect((await post({ query, extensions: createPersistedExtension(query) })).json()).toEqual(
        holidayResponse,
      );
      expect((await post({ extensions: createPersistedExtension(query) })).json()).toEqual(holidayResponse);
      expect((await get({ extensions: JSON.stringify(createPersistedExtension(query)) })).json()).toEqual(
        holidayResponse,
      );
    });

    test('must match its hash', async () => {
      const response = await post({
        query: readQuery,
        extensions: createPersistedExtension('{ __typename }'),
      });
      expect(response.statusCode).toBe(400);
      expect(messageOf(response)).toBe('sha256Hash is not the SHA-256 of the query.');
    });
  });
});
