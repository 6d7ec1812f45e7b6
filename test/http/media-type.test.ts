import { once } from 'node:events';
import type { Socket } from 'node:net';
import { startGateway, tokenFor } from '../harness.ts';
import {
  parseAnswer,
  exchangeBytes,
  listenOnFreePort,
  openSocket,
  startListening,
  type RawAnswer,
} from './raw-http.ts';
import { useForAll, useForEach } from '../use-resource.ts';

const graphqlType = 'application/graphql-response+json';
const jsonType = 'application/json';
const typenameBody = JSON.stringify({ query: '{ __typename }' });

/** A request that is refused as a whole. */
interface RefusedRequest {
  readonly requestLine?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  /** Prefix of the Accept header. */
  readonly acceptPrefix?: string;
  readonly status: number;
}

const postLine = 'POST /graphql HTTP/1.1';
const streamLine = 'POST /graphql/stream HTTP/1.1';
const invalidTokenHeader = 'Authorization: Bearer a.b.c';
/** Requests with an Origin header are handled by the framework (Fastify). */
const pageOriginHeader = 'Origin: https://elsewhere.example';

const refusedRequests: Readonly<Record<string, RefusedRequest>> = {
  'an invalid token': { headers: [invalidTokenHeader], status: 401 },
  'an invalid token, from a page': { headers: [invalidTokenHeader, pageOriginHeader], status: 401 },
  'no token where one is needed': { body: JSON.stringify({ query: '{ calendars { id } }' }), status: 401 },
  'invalid JSON': { body: '{"query":', status: 400 },
  'a body that is a list': { body: '[]', status: 400 },
  'a too long body': { body: ' '.repeat(70_000), status: 413 },
  'a body of another type': { headers: ['Content-Type: text/plain'], status: 415 },
  'an invalid Host': { headers: ['Host: a b'], status: 400 },
  'another method': { requestLine: 'PATCH /graphql HTTP/1.1', status: 405 },
  'an unknown path': { requestLine: 'GET /nope HTTP/1.1', status: 404 },
  'an unknown path, with a body of another type': {
    requestLine: 'POST /nope HTTP/1.1',
    headers: ['Content-Type: image/jpeg', 'Content-Encoding: br'],
    status: 404,
  },
  'a malformed path': { requestLine: 'GET /% HTTP/1.1', status: 400 },
  'a mutation by GET': {
    requestLine: `GET /graphql?query=${encodeURIComponent('mutation { __typename }')} HTTP/1.1`,
    headers: ['Apollo-Require-Preflight: 1'],
    status: 405,
  },
  'the schema, without a token': { requestLine: 'GET /schema.graphql HTTP/1.1', status: 401 },
  'a stream with an invalid token': { requestLine: streamLine, headers: [invalidTokenHeader], status: 401 },
  'a stream without a token': {
    requestLine: streamLine,
    acceptPrefix: 'text/event-stream, ',
    body: JSON.stringify({ query: 'subscription { calendarChanged(calendarId: "primary") { changedAt } }' }),
    status: 401,
  },
  'a client that does not accept streams': { requestLine: streamLine, status: 406 },
};

function writeRequest(
  { requestLine = postLine, headers = [], body = typenameBody, acceptPrefix = '' }: RefusedRequest,
  accept: string | undefined,
): string {
  const sentBody = requestLine.startsWith('GET') ? '' : body;
  const defaultHeaders = ['Host: x', 'Content-Type: application/json'].filter(
    (line) => !headers.some((other) => other.startsWith(line.replace(/:.*/, ':'))),
  );
  const lines = [
    requestLine,
    ...defaultHeaders,
    ...headers,
    ...(accept === undefined ? [] : [`Accept: ${acceptPrefix}${accept}`]),
    `Content-Length: ${sentBody.length}`,
    'Connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${sentBody}`;
}

const varyOf = ({ headers }: RawAnswer): string[] => (headers.vary ?? '').split(/, */).sort();

describe('the media type of a response that refuses the whole request', () => {
  const gateway = useForAll(() => startListening({ EXPLORER: 'off', INTROSPECTION: 'authenticated' }));

  test.each(Object.entries(refusedRequests))('is the one in Accept: %s', async (_what, refusedRequest) => {
    const typesByAccept: readonly (readonly [accept: string | undefined, type: string])[] = [
      [undefined, jsonType],
      ['*/*', jsonType],
      [jsonType, jsonType],
      [graphqlType, graphqlType],
      [`${graphqlType}; charset=utf-8`, graphqlType],
      [`${graphqlType},${jsonType};q=0.9`, graphqlType],
      [`${jsonType}, ${graphqlType};q=0.5`, jsonType],
      ['text/csv', jsonType],
    ];
    for (const [accept, type] of typesByAccept) {
      if (refusedRequest.status === 406 && (accept ?? '*/*') === '*/*') continue;
      const answer = await exchangeBytes(gateway.port, writeRequest(refusedRequest, accept));
      const actual = { accept, status: answer.status, type: answer.headers['content-type'] };
      expect(actual).toEqual({ accept, status: refusedRequest.status, type: `${type}; charset=utf-8` });
      expect(varyOf(answer)).toContain('Accept');
      expect([JSON.parse(answer.body)].flat()).toMatchObject([
        { errors: [{ extensions: { requestId: answer.headers['x-request-id'] } }] },
      ]);
    }
  });

  test.each(['by hand', 'by the framework'])(
    'varies by Accept on success too, answered %s',
    async (handler) => {
      const pageHeaders = handler === 'by hand' ? [] : [pageOriginHeader];
      const longQuery = JSON.stringify({ query: '{ __schema { types { name description } } }' });
      const token = `Authorization: Bearer ${await tokenFor('alice@example.com')}`;
      const readVary = async (body: string): Promise<string[]> =>
        varyOf(
          await exchangeBytes(
            gateway.port,
            writeRequest({ headers: [token, ...pageHeaders], body, status: 200 }, graphqlType),
          ),
        );
      expect([await readVary(typenameBody), await readVary(longQuery)]).toEqual([
        ['Accept', 'Origin'],
        ['Accept', 'Accept-Encoding', 'Origin'],
      ]);
    },
  );

  test.each(['by hand', 'by the framework'])(
    'is the one in Accept for a 429 too, answered %s',
    async (handler) => {
      const limitedGateway = await startGateway({ RATE_LIMIT: '1' });
      const port = await listenOnFreePort(limitedGateway);
      const postOnce = (): Promise<RawAnswer> =>
        exchangeBytes(
          port,
          writeRequest(
            { headers: handler === 'by hand' ? [] : [pageOriginHeader], status: 429 },
            graphqlType,
          ),
        );
      expect((await postOnce()).status).toBe(200);
      const limitedAnswer = await postOnce();
      expect([limitedAnswer.status, limitedAnswer.headers['content-type']]).toEqual([
        429,
        `${graphqlType}; charset=utf-8`,
      ]);
      expect(limitedAnswer.headers['retry-after']).toMatch(/^\d+$/);
      await limitedGateway.close();
    },
  );
});

describe('the media type of a request timeout', () => {
  const gateway = useForEach(startListening);
  let client: Socket;
  afterEach(() => client.destroy());

  /** Sends a request with an incomplete body; returns the server's socket. */
  async function startPartialRequest(accept: string): Promise<Socket> {
    const connectionEvent = once(gateway.app.server, 'connection') as Promise<[Socket]>;
    const requestEvent = once(gateway.app.server, 'request');
    client = await openSocket(gateway.port);
    const [serverSocket] = await connectionEvent;
    client.write(
      `POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\naccept: ${accept}\r\ncontent-length: 100\r\n\r\n{`,
    );
    await requestEvent;
    return serverSocket;
  }

  test.each([graphqlType, jsonType])('is the one in Accept: %s', async (accept) => {
    const serverSocket = await startPartialRequest(accept);
    const firstBytes = once(client, 'data') as Promise<[Buffer]>;
    const timeoutError = Object.assign(new Error('timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
    gateway.app.server.emit('clientError', timeoutError, serverSocket);
    const { status, headers } = parseAnswer((await firstBytes)[0].toString());
    expect([status, headers['content-type']]).toEqual([408, `${accept}; charset=utf-8`]);
  });
});
