import { createHash } from 'node:crypto';
import { startGateway, tokenFor, type Answer, type TestGateway } from '../harness.ts';

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

  const urlOf = (params: Record<string, string>): string => `/graphql?${new URLSearchParams(params).toString()}`;
  const post = (body: unknown) =>
    gateway.app.inject({ method: 'POST', url: '/graphql', headers: { ...json, authorization }, payload: JSON.stringify(body) });
  const messageOf = (response: Awaited<ReturnType<typeof post>>): string | undefined => response.json<Answer>().errors?.[0]?.message;

  test.each(['authorization', 'apollo-require-preflight', 'x-apollo-operation-name'])(
    'a GET that carries %s cannot come from a foreign page and is answered',
    async (name) => {
      const url = urlOf({ query: '{ __typename }' });
      const plain = await gateway.app.inject({ url });
      expect([plain.statusCode, messageOf(plain)]).toEqual([400, expect.stringMatching(/foreign page \(CSRF\)\. Send one of these headers/)]);
      const response = await gateway.app.inject({ url, headers: { [name]: name === 'authorization' ? authorization : 'x' } });
      expect(response.json()).toEqual({ data: { __typename: 'Query' } });
    },
  );

  test('a HEAD is answered like a GET, without the body', async () => {
    const [got, asked] = await Promise.all(
      (['GET', 'HEAD'] as const).map((method) => gateway.app.inject({ method, url: urlOf({ query: read }), headers: { authorization } })),
    );
    expect([got?.statusCode, got?.json()]).toEqual([200, found]);
    expect([asked?.statusCode, asked?.body, asked?.headers['content-type']]).toEqual([200, '', got?.headers['content-type']]);
    expect(asked?.headers['content-length']).toBe(got?.headers['content-length']);
  });

  test.each(['PUT', 'PATCH', 'DELETE'] as const)('%s is told which methods there are', async (method) => {
    const response = await gateway.app.inject({ method, url: '/graphql' });
    expect([response.statusCode, response.headers.allow]).toEqual([405, expect.stringMatching(/^GET, HEAD, POST/)]);
  });

  test('a list in the body is told that batching is not supported', async () => {
    const response = await post([{ query: read }, { query: read }]);
    expect([response.statusCode, messageOf(response)]).toEqual([400, expect.stringMatching(/batching is not supported/)]);
  });

  test('a client that accepts nothing there is gets 406, and nothing is changed', async () => {
    const query = 'mutation { patchEvent(calendarId: "primary", eventId: "holiday", event: { summary: "never" }) { id } }';
    const answer = await gateway.ask(query, {}, { headers: { accept: 'image/png' } });
    expect(answer.status).toBe(406);
    expect((await gateway.ask('{ event(calendarId: "primary", eventId: "holiday") { summary } }')).data.event.summary).toBe('Public holiday');
  });

  describe('a document that the client gives the hash of', () => {
    const hash = (query: string): object => ({ persistedQuery: { version: 1, sha256Hash: createHash('sha256').update(query).digest('hex') } });

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
      expect([response.statusCode, messageOf(response)]).toEqual([400, 'sha256Hash is not the SHA-256 of the query.']);
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
    expect([answer.status, answer.data]).toEqual([200, { one: { summary: 'One' }, none: null, two: { summary: 'Two' } }]);
    expect(answer.errors?.map(({ path }) => path)).toEqual([['none']]);
    expect(answer.warnings?.map(({ field, path }) => [field, ...path])).toEqual([['one', 'event', 'etag'], ['two', 'event', 'htmlLink']]);
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
