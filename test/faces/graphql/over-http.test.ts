import { createHash } from 'node:crypto';
import inject from 'light-my-request';
import { startGateway, tokenFor, type Answer, type TestGateway } from '../../harness.ts';

const read = '{ event(calendarId: "primary", eventId: "holiday") { id } }';
const found = { data: { event: { id: 'holiday' } } };
const json = { 'content-type': 'application/json' };

describe('GraphQL over HTTP', () => {
  let gateway: TestGateway;
  let authorization: string;
  beforeAll(async () => {
    gateway = await startGateway({ EXPLORER: 'off' });
    authorization = `Bearer ${await tokenFor('alice@example.com')}`;
  });
  afterAll(() => gateway.close());

  const urlOf = (params: Record<string, string>): string =>
    `/graphql?${new URLSearchParams(params).toString()}`;
  const post = (body: unknown) =>
    gateway.app.inject({
      method: 'POST',
      url: '/graphql',
      headers: { ...json, authorization },
      payload: JSON.stringify(body),
    });
  const messageOf = (response: Awaited<ReturnType<typeof post>>): string | undefined =>
    response.json<Answer>().errors?.[0]?.message;

  test.each(['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'])(
    'a GET that carries %s cannot come from a foreign page and is answered',
    async (name) => {
      const url = urlOf({ query: '{ __typename }' });
      const plain = await gateway.app.inject({ url });
      expect([plain.statusCode, messageOf(plain)]).toEqual([
        400,
        expect.stringMatching(/foreign page \(CSRF\)\. Send one of these headers/),
      ]);
      const response = await gateway.app.inject({
        url,
        headers: { [name]: name === 'authorization' ? authorization : 'x' },
      });
      expect(response.json()).toEqual({ data: { __typename: 'Query' } });
    },
  );

  test('a HEAD is answered like a GET, without the body', async () => {
    const [got, asked] = await Promise.all(
      (['GET', 'HEAD'] as const).map((method) =>
        gateway.app.inject({ method, url: urlOf({ query: read }), headers: { authorization } }),
      ),
    );
    expect([got?.statusCode, got?.json()]).toEqual([200, found]);
    expect([asked?.statusCode, asked?.body, asked?.headers['content-type']]).toEqual([
      200,
      '',
      got?.headers['content-type'],
    ]);
    expect(asked?.headers['content-length']).toBe(got?.headers['content-length']);
  });

  test.each(['PUT', 'PATCH', 'DELETE'] as const)('%s is told which methods there are', async (method) => {
    const response = await gateway.app.inject({ method, url: '/graphql' });
    expect([response.statusCode, response.headers.allow]).toEqual([
      405,
      expect.stringMatching(/^GET, HEAD, POST/),
    ]);
  });

  describe('a list in the body is told for each of its entries that batching is not supported', () => {
    const send = (payload: string, headers: Record<string, string> = {}, url = '/graphql') =>
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
        const {
          statusCode,
          body,
          headers: { 'x-request-id': requestId },
        } = await send(payload, headers, url);
        const message =
          'The body must be one JSON object: batching is not supported. Send each operation in a request of its own.';
        const extensions = {
          code: 'BAD_USER_INPUT',
          reason: 'invalid',
          issues: [{ path: [], reason: 'invalid', message }],
          requestId,
        };
        expect([statusCode, JSON.parse(body)]).toEqual([
          400,
          Array.from({ length: count }, () => ({ errors: [{ message, extensions }] })),
        ]);
      }
    });

    test('and nothing of it runs', async () => {
      await send(
        JSON.stringify([
          {
            query:
              'mutation { patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: "never" }) { id } }',
          },
        ]),
      );
      expect(
        (await gateway.ask('{ event(calendarId: "primary", eventId: "holiday") { summary } }')).data.event
          .summary,
      ).toBe('Public holiday');
    });

    test('and is no list where its caller is refused', async () => {
      const { statusCode, body } = await send(ofLength(2, { query: read }), {
        authorization: 'Bearer a.b.c',
      });
      expect([statusCode, JSON.parse(body)]).toMatchObject([
        401,
        { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
      ]);
    });

    test('and is not looked at where there is nothing', async () => {
      expect((await send('[1]', {}, '/nope')).statusCode).toBe(404);
    });
  });

  test('a client that accepts nothing there is gets 406, and nothing is changed', async () => {
    const query =
      'mutation { patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: "never" }) { id } }';
    const answer = await gateway.ask(query, {}, { headers: { accept: 'image/png' } });
    expect(answer.status).toBe(406);
    expect(
      (await gateway.ask('{ event(calendarId: "primary", eventId: "holiday") { summary } }')).data.event
        .summary,
    ).toBe('Public holiday');
  });

  describe('a document that the client gives the hash of', () => {
    const hash = (query: string): object => ({
      persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') },
    });

    test('is asked for once, and remembered', async () => {
      const query = `${read} # once`;
      expect(messageOf(await post({ extensions: hash(query) }))).toBe('PersistedQueryNotFound');
      expect((await post({ query, extensions: hash(query) })).json()).toEqual(found);
      expect((await post({ extensions: hash(query) })).json()).toEqual(found);
      const url = urlOf({ extensions: JSON.stringify(hash(query)) });
      expect((await gateway.app.inject({ url, headers: { authorization } })).json()).toEqual(found);
    });

    test('must be the one with that hash', async () => {
      const response = await post({ query: read, extensions: hash('{ __typename }') });
      expect([response.statusCode, messageOf(response)]).toEqual([
        400,
        'sha256Hash is not the SHA-256 of the query.',
      ]);
    });
  });

  test('several mutations of which one fails keep the results of the others, their warnings and whom they told', async () => {
    const patch = (eventId: string, event: string): string =>
      `patchEvent(calendarId: "primary", eventId: "${eventId}", sendUpdates: all, event: ${event}) { summary }`;
    const answer = await gateway.ask(`mutation {
      one: ${patch('teammeeting', '{ summary: "One", etag: "mine" }')}
      none: ${patch('nowhere', '{ summary: "None" }')}
      two: ${patch('teammeeting', '{ summary: "Two", htmlLink: "https://x.example" }')}
    }`);
    expect([answer.status, answer.data]).toEqual([
      200,
      { one: { summary: 'One' }, none: null, two: { summary: 'Two' } },
    ]);
    expect(answer.errors?.map(({ path }) => path)).toEqual([['none']]);
    expect(answer.warnings?.map(({ field, path }) => [field, ...path])).toEqual([
      ['one', 'event', 'etag'],
      ['two', 'event', 'htmlLink'],
    ]);
    expect(Object.keys(answer.guestsNotified ?? {})).toEqual(['one', 'two']);
    expect(answer.guestsNotified?.one).toBeGreaterThan(0);
  });

  test('a token that was sent and refused is told apart from none', async () => {
    const challenge = async (headers: Record<string, string>): Promise<unknown> =>
      (await gateway.ask(read, {}, { as: null, headers })).headers['www-authenticate'];
    expect(await challenge({})).toBe('Bearer');
    expect(await challenge({ authorization: 'Bearer a.b.c' })).toBe('Bearer error="invalid_token"');
  });
});
