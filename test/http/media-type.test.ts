import { once } from 'node:events';
import type { Socket } from 'node:net';
import { startGateway, tokenFor } from '../harness.ts';
import { answerOf, exchange, listen, open, startListening, type RawAnswer } from './raw.ts';
import { useForAll, useForEach } from '../started.ts';

const graphql = 'application/graphql-response+json';
const plain = 'application/json';
const typename = JSON.stringify({ query: '{ __typename }' });

/** A request that is refused as a whole: its first line, its headers and its body. */
interface Refused {
  readonly start?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  /** What else the client takes. */
  readonly takes?: string;
  readonly status: number;
}

const post = 'POST /graphql HTTP/1.1';
const stream = 'POST /graphql/stream HTTP/1.1';
const badToken = 'Authorization: Bearer a.b.c';
/** Whatever comes from a page is answered by the framework. */
const fromPage = 'Origin: https://elsewhere.example';

const refusals: Readonly<Record<string, Refused>> = {
  'a token that is none': { headers: [badToken], status: 401 },
  'a token that is none, of a page': { headers: [badToken, fromPage], status: 401 },
  'no token where one is needed': { body: JSON.stringify({ query: '{ calendars { id } }' }), status: 401 },
  'a body that is no JSON': { body: '{"query":', status: 400 },
  'a body that is a list': { body: '[]', status: 400 },
  'a body that is too long': { body: ' '.repeat(70_000), status: 413 },
  'a body of another type': { headers: ['Content-Type: text/plain'], status: 415 },
  'a Host that is none': { headers: ['Host: a b'], status: 400 },
  'another method': { start: 'PATCH /graphql HTTP/1.1', status: 405 },
  'a path that is none': { start: 'GET /nope HTTP/1.1', status: 404 },
  'a path that is none, with a body of another type': {
    start: 'POST /nope HTTP/1.1',
    headers: ['Content-Type: image/jpeg', 'Content-Encoding: br'],
    status: 404,
  },
  'a path that is not well-formed': { start: 'GET /% HTTP/1.1', status: 400 },
  'a mutation by GET': {
    start: `GET /graphql?query=${encodeURIComponent('mutation { __typename }')} HTTP/1.1`,
    headers: ['Apollo-Require-Preflight: 1'],
    status: 405,
  },
  'the schema, without a token': { start: 'GET /schema.graphql HTTP/1.1', status: 401 },
  'a stream with a token that is none': { start: stream, headers: [badToken], status: 401 },
  'a stream without a token': {
    start: stream,
    takes: 'text/event-stream, ',
    body: JSON.stringify({ query: 'subscription { calendarChanged(calendarId: "primary") { changedAt } }' }),
    status: 401,
  },
  'a client that takes no stream': { start: stream, status: 406 },
};

function bytesOf(
  { start = post, headers = [], body = typename, takes = '' }: Refused,
  accept: string | undefined,
): string {
  const sent = start.startsWith('GET') ? '' : body;
  const usual = ['Host: x', 'Content-Type: application/json'].filter(
    (line) => !headers.some((other) => other.startsWith(line.replace(/:.*/, ':'))),
  );
  const lines = [
    start,
    ...usual,
    ...headers,
    ...(accept === undefined ? [] : [`Accept: ${takes}${accept}`]),
    `Content-Length: ${sent.length}`,
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${sent}`;
}

const varyOf = ({ headers }: RawAnswer): string[] => (headers.vary ?? '').split(/, */).sort();

describe('the media type of what refuses a request as a whole', () => {
  const gateway = useForAll(() => startListening({ EXPLORER: 'off', INTROSPECTION: 'authenticated' }));

  test.each(Object.entries(refusals))('is the one that is asked for: %s', async (_what, refused) => {
    const types: readonly (readonly [accept: string | undefined, type: string])[] = [
      [undefined, plain],
      ['*/*', plain],
      [plain, plain],
      [graphql, graphql],
      [`${graphql}; charset=utf-8`, graphql],
      [`${graphql},${plain};q=0.9`, graphql],
      [`${plain}, ${graphql};q=0.5`, plain],
      ['text/csv', plain],
    ];
    for (const [accept, type] of types) {
      if (refused.status === 406 && (accept ?? '*/*') === '*/*') continue;
      const answer = await exchange(gateway.port, bytesOf(refused, accept));
      const got = { accept, status: answer.status, type: answer.headers['content-type'] };
      expect(got).toEqual({ accept, status: refused.status, type: `${type}; charset=utf-8` });
      expect(varyOf(answer)).toContain('Accept');
      expect([JSON.parse(answer.body)].flat()).toMatchObject([
        { errors: [{ extensions: { requestId: answer.headers['x-request-id'] } }] },
      ]);
    }
  });

  test.each(['by hand', 'by the framework'])('varies by Accept, of answers too: %s', async (way) => {
    const page = way === 'by hand' ? [] : [fromPage];
    const long = JSON.stringify({ query: '{ __schema { types { name description } } }' });
    const token = `Authorization: Bearer ${await tokenFor('alice@example.com')}`;
    const ask = async (body: string): Promise<string[]> =>
      varyOf(
        await exchange(gateway.port, bytesOf({ headers: [token, ...page], body, status: 200 }, graphql)),
      );
    expect([await ask(typename), await ask(long)]).toEqual([
      ['Accept', 'Origin'],
      ['Accept', 'Accept-Encoding', 'Origin'],
    ]);
  });

  test.each(['by hand', 'by the framework'])('is that of a caller without budget, too: %s', async (way) => {
    const limited = await startGateway({ RATE_LIMIT: '1' });
    const at = await listen(limited);
    const ask = (): Promise<RawAnswer> =>
      exchange(at, bytesOf({ headers: way === 'by hand' ? [] : [fromPage], status: 429 }, graphql));
    expect((await ask()).status).toBe(200);
    const refused = await ask();
    expect([refused.status, refused.headers['content-type']]).toEqual([429, `${graphql}; charset=utf-8`]);
    expect(refused.headers['retry-after']).toMatch(/^\d+$/);
    await limited.close();
  });
});

describe('the media type of what ends a request that takes too long', () => {
  const gateway = useForEach(startListening);
  let client: Socket;
  afterEach(() => client.destroy());

  /** A request of which only a part of the body has arrived; the server's end of its connection. */
  async function begin(accept: string): Promise<Socket> {
    const accepted = once(gateway.app.server, 'connection') as Promise<[Socket]>;
    const arrived = once(gateway.app.server, 'request');
    client = await open(gateway.port);
    const [server] = await accepted;
    client.write(
      `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\naccept: ${accept}\r\ncontent-length: 100\r\n\r\n{`,
    );
    await arrived;
    return server;
  }

  test.each([graphql, plain])('is the one that is asked for, where the body is late: %s', async (accept) => {
    const server = await begin(accept);
    const answered = once(client, 'data') as Promise<[Buffer]>;
    const late = Object.assign(new Error('timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    gateway.app.server.emit('clientError', late, server);
    const { status, headers } = answerOf((await answered)[0].toString());
    expect([status, headers['content-type']]).toEqual([408, `${accept}; charset=utf-8`]);
  });
});
