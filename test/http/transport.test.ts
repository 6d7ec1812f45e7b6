import { createHash } from 'node:crypto';
import inject from 'light-my-request';
import { tokenFor, useGateway, type Answer, type TestGateway } from '../harness.ts';

const read = '{ event(calendarId: "primary", eventId: "holiday") { id } }';
const found = { data: { event: { id: 'holiday' } } };
const preflight = { 'apollo-require-preflight': 'true' };
const json = { 'content-type': 'application/json' };

type Injected = Awaited<ReturnType<TestGateway['app']['inject']>>;

interface Sent {
  readonly method?: 'GET' | 'POST';
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
  const gateway = useGateway({ EXPLORER: 'off' });
  let authorization: string;
  beforeAll(async () => {
    authorization = `Bearer ${await tokenFor('alice@example.com')}`;
  });

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
      ['a result', read, 200],
      ['an error of one field', '{ event(calendarId: "primary", eventId: "none") { id } }', 200],
      ['a document that is none', '{', 400],
      ['a missing variable', 'query ($n: String!) { event(calendarId: $n, eventId: "x") { id } }', 400],
      ['an operation that is not said', 'query A { __typename } query B { __typename }', 400],
    ])('%s has its status and type', async (_case, query, status) => {
      const response = await post({ query }, accept === undefined ? {} : { accept });
      expect(response.headers['content-type']).toBe(`${type}; charset=utf-8`);
      expect(response.statusCode).toBe(type === plain ? 200 : status);
    });
  });

  const never =
    'mutation { patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: "never" }) { id } }';

  test('a type this server does not speak is refused, and nothing is changed', async () => {
    expect(refusal(await post({ query: never }, { accept: 'image/png' }))).toBe('406 BAD_USER_INPUT invalid');
    expect(await summary()).toBe('Public holiday');
  });

  describe('GET', () => {
    test('runs queries, with variables and the name of an operation that the document has', async () => {
      const query =
        'query A { __typename } query B($id: String!) { event(calendarId: "primary", eventId: $id) { id } }';
      const response = await get({ query, operationName: 'B', variables: '{"id":"holiday"}' });
      expect([response.statusCode, response.json()]).toEqual([200, found]);
      const message = 'The document holds no operation with the name in operationName.';
      expect((await get({ query, operationName: 'C' })).json()).toMatchObject({ errors: [{ message }] });
    });

    test('never runs mutations', async () => {
      for (const accept of [plain, graphql]) {
        const response = await get({ query: never }, { ...preflight, accept });
        expect(refusal(response)).toBe('405 BAD_USER_INPUT invalid');
        expect(response.headers.allow).toBe('POST');
      }
      expect(await summary()).toBe('Public holiday');
    });

    const encoded = encodeURIComponent(read);
    test.each([
      ['without a query', ''],
      ['with variables that are no JSON', `query=${encoded}&variables=%7B`],
      ['with a parameter twice', `query=${encoded}&query=${encoded}`],
    ])('%s is refused', async (_what, search) => {
      const response = await send({ method: 'GET', url: `/graphql?${search}`, headers: preflight });
      expect(refusal(response)).toBe('400 BAD_USER_INPUT invalid');
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
      const headers = { ...preflight, ...(type !== '' && { 'content-type': type }) };
      const query = never;
      for (const payload of [JSON.stringify({ query }), new URLSearchParams({ query }).toString(), query])
        expect(refusal(await send({ headers, payload }))).toBe('415 BAD_USER_INPUT invalid');
      expect(await summary()).toBe('Public holiday');
    });

    test.each([
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset="UTF-8"',
      'Application/JSON',
    ])('of the type %s is read', async (type) =>
      expect((await post({ query: read }, { 'content-type': type })).json()).toEqual(found),
    );

    test.each(['gzip', 'br', 'identity, gzip'])('compressed (%s) is refused', async (encoding) => {
      expect(refusal(await post({ query: read }, { 'content-encoding': encoding }))).toBe(
        '415 BAD_USER_INPUT invalid',
      );
      expect((await post({ query: read }, { 'content-encoding': 'identity' })).json()).toEqual(found);
    });

    test.each([
      ['nothing', ''],
      ['half a JSON text', '{"query":'],
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
    ])('that holds %s is refused', async (_what, payload) => {
      for (const accept of [plain, graphql])
        expect(refusal(await send({ payload, headers: { ...json, accept } }))).toBe(
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
      const payload = Buffer.from(`{"query":${JSON.stringify(read)},"x":"\xff"}`, 'latin1');
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

  test('health needs no token', async () => {
    const [live, ready] = [
      await gateway.app.inject('/health/live'),
      await gateway.app.inject('/health/ready'),
    ];
    expect([live.statusCode, live.json()]).toEqual([200, { status: 'ok' }]);
    const outbox = { messages: 0, oldestSeconds: 0 };
    expect([ready.statusCode, ready.json()]).toEqual([200, { status: 'ok', outbox }]);
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

  const messageOf = (response: Injected): string | undefined => response.json<Answer>().errors?.[0]?.message;

  test.each(['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'])(
    'a GET that carries %s cannot come from a foreign page and is answered',
    async (name) => {
      const url = '/graphql?query={__typename}';
      const bare = await gateway.app.inject({ url });
      expect(bare.statusCode).toBe(400);
      expect(messageOf(bare)).toMatch(/foreign page \(CSRF\)\. Send one of these headers/);
      const headers = { [name]: name === 'authorization' ? authorization : 'x' };
      expect((await gateway.app.inject({ url, headers })).json()).toEqual({ data: { __typename: 'Query' } });
    },
  );

  describe('a list in the body is told for each of its entries that batching is not supported', () => {
    /** Through the server's listeners, as from the network. */
    const emit = (payload: string, headers: Record<string, string> = {}, url = '/graphql') =>
      inject((request, reply) => void gateway.app.server.emit('request', request, reply), {
        method: 'POST',
        url,
        headers: { ...json, authorization, ...headers },
        payload,
      });
    const ofLength = (count: number, entry: unknown): string =>
      JSON.stringify(Array.from({ length: count }, () => entry));
    const hard = { query: '[{"\\",]}', variables: { list: [1, [2, 3], { a: ',', b: {} }] } };

    test.each<[string, string, number]>([
      ['two operations', ofLength(2, { query: read }), 2],
      ['one operation', ofLength(1, { query: read }), 1],
      ['entries with lists, brackets and commas', ofLength(7, hard), 7],
      ['blanks and a byte order mark before it', `\ufeff \n\t${ofLength(3, { query: read })}`, 3],
      ['no entry, which is told so all the same', ' [ ] ', 1],
      ['a hundred entries', ofLength(100, hard), 100],
      ['more than a hundred', ofLength(101, 1), 100],
      ['more values than a body may hold', ofLength(40, Array(1000).fill(0)), 40],
      ['more than a body may be nested', `[${'['.repeat(200)}${']'.repeat(200)},1]`, 2],
      ['as much as a body may have', `[${'"x",'.repeat(262_143)}1]`, 100],
      ['half a list', '[{"query":"{ __typename }"},{"qu', 2],
    ])('%s', async (_what, payload, count) => {
      const variants: [Record<string, string>, string?][] = [
        [{}],
        [{ origin: 'https://elsewhere.example' }],
        [{ accept: 'text/event-stream' }, '/graphql/stream'],
      ];
      for (const [headers, url] of variants) {
        const { statusCode, body, headers: answered } = await emit(payload, headers, url);
        const message =
          'The body must be one JSON object: batching is not supported. Send each operation in a request of its own.';
        const issues = [{ path: [], reason: 'invalid', message }];
        const requestId = answered['x-request-id'];
        const extensions = { code: 'BAD_USER_INPUT', reason: 'invalid', issues, requestId };
        expect([statusCode, JSON.parse(body)]).toEqual([
          400,
          Array(count).fill({ errors: [{ message, extensions }] }),
        ]);
      }
    });

    test('and nothing of it runs', async () => {
      await emit(JSON.stringify([{ query: never }]));
      expect(await summary()).toBe('Public holiday');
    });

    test('and is no list where its caller is refused, or where there is nothing', async () => {
      const refused = await emit(ofLength(2, { query: read }), { authorization: 'Bearer a.b.c' });
      expect(refused.statusCode).toBe(401);
      expect(refused.json()).toMatchObject({ errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] });
      expect((await emit('[1]', {}, '/nope')).statusCode).toBe(404);
    });
  });

  describe('a document that the client gives the hash of', () => {
    const hash = (query: string): object => ({
      persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
    });

    test('is asked for once, and remembered', async () => {
      const query = `${read} # once`;
      const unknown = await post({ extensions: hash(query) });
      expect(messageOf(unknown)).toBe('PersistedQueryNotFound');
      expect(refusal(unknown)).toBe('200 PERSISTED_QUERY_NOT_FOUND invalid');
      expect((await post({ query, extensions: hash(query) })).json()).toEqual(found);
      expect((await post({ extensions: hash(query) })).json()).toEqual(found);
      expect((await get({ extensions: JSON.stringify(hash(query)) })).json()).toEqual(found);
    });

    test('must be the one with that hash', async () => {
      const response = await post({ query: read, extensions: hash('{ __typename }') });
      expect(response.statusCode).toBe(400);
      expect(messageOf(response)).toBe('sha256Hash is not the SHA-256 of the query.');
    });
  });
});
