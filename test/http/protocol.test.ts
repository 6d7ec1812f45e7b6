import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { tokenFor } from '../harness.ts';
import { useForAll } from '../started.ts';
import { parseAnswer, exchange, openSocket, startListening, type RawAnswer } from './raw.ts';

const query = JSON.stringify({ query: '{ __typename }' });
const requestHead = (requestLine: string, lines: readonly string[] = ['Host: 127.0.0.1']): string =>
  `${[requestLine, ...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`;
const postRequest = (...lines: readonly string[]): string =>
  `${requestHead('POST /graphql HTTP/1.1', [...lines, 'Content-Type: application/json', `Content-Length: ${query.length}`])}${query}`;

const longHeader = `X: ${'a'.repeat(20_000)}`;
const twoLengths = ['Host: x', 'Content-Length: 2', 'Content-Length: 3'];

/** Reads the only GraphQL error of a response, and checks its no-store headers and its request ID. */
function readRefusal({ status, headers, body }: RawAnswer): string {
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  });
  const { errors } = JSON.parse(body) as {
    errors: { message: string; extensions: Record<string, unknown> }[];
  };
  expect(errors).toHaveLength(1);
  expect(errors[0]?.message).toMatch(/^[A-Z].*\.$/);
  const { code, reason, issues, requestId } = errors[0]?.extensions ?? {};
  expect(requestId).toBe(headers['x-request-id']);
  if (status !== 401) expect(issues).toEqual([{ path: [], reason, message: errors[0]?.message }]);
  return `${status} ${code as string} ${reason as string}`;
}

describe('the server over raw sockets', () => {
  const gateway = useForAll(startListening);
  let authorization: string;
  beforeAll(async () => {
    authorization = `Authorization: Bearer ${await tokenFor('alice@example.com')}`;
  });

  test.each([
    ['bytes that are not HTTP', 'hello\r\n\r\n', '400 BAD_USER_INPUT invalid'],
    ['headers of more than 16 kB', requestHead('GET / HTTP/1.1', [longHeader]), '431 BAD_USER_INPUT tooLong'],
    ['two lengths', requestHead('POST /graphql HTTP/1.1', twoLengths), '400 BAD_USER_INPUT invalid'],
    ['an empty Host', postRequest('Host: '), '400 BAD_USER_INPUT invalid'],
    ['no Host', postRequest(), '400 BAD_USER_INPUT invalid'],
    ['a Host with spaces', postRequest('Host: a b'), '400 BAD_USER_INPUT invalid'],
    ['a Host with a path', postRequest('Host: a/b?c'), '400 BAD_USER_INPUT invalid'],
    ['two Hosts', postRequest('Host: a', 'Host: b'), '400 BAD_USER_INPUT invalid'],
    ['a rare method', requestHead('QUERY /graphql HTTP/1.1'), '405 BAD_USER_INPUT invalid'],
    ['half an IPv6 Host', postRequest('Host: [::1'), '400 BAD_USER_INPUT invalid'],
    ['OPTIONS *', requestHead('OPTIONS * HTTP/1.1'), '404 NOT_FOUND notFound'],
    ['OPTIONS of an unknown path', requestHead('OPTIONS /nope HTTP/1.1'), '404 NOT_FOUND notFound'],
    ['TRACE', requestHead('TRACE /graphql HTTP/1.1'), '405 BAD_USER_INPUT invalid'],
    ['a method of another protocol', requestHead('PROPFIND /graphql HTTP/1.1'), '405 BAD_USER_INPUT invalid'],
    ['a malformed path', requestHead('GET /% HTTP/1.1'), '400 BAD_USER_INPUT invalid'],
    ['a GET of an unknown path', requestHead('GET /nope HTTP/1.1'), '404 NOT_FOUND notFound'],
    ['a POST to an unknown path', requestHead('POST /nope HTTP/1.1'), '404 NOT_FOUND notFound'],
    ['a path below a known one', requestHead('GET /graphql/x HTTP/1.1'), '404 NOT_FOUND notFound'],
    ['PUT', requestHead('PUT /graphql HTTP/1.1'), '405 BAD_USER_INPUT invalid'],
    ['a POST to a path for GET only', requestHead('POST /metrics HTTP/1.1'), '405 BAD_USER_INPUT invalid'],
    [
      'an invalid token',
      postRequest('Host: x', 'Authorization: Bearer a.b.c'),
      '401 UNAUTHENTICATED authError',
    ],
  ])('refuses %s with a GraphQL error', async (_what, bytes, expected) => {
    const answer = await exchange(gateway.port, bytes);
    expect(answer.headers['www-authenticate']).toBe(
      answer.status === 401 ? 'Bearer error="invalid_token"' : undefined,
    );
    expect(readRefusal(answer)).toBe(expected);
  });

  test('lists the methods of a path in Allow', async () => {
    expect((await exchange(gateway.port, requestHead('PUT /graphql HTTP/1.1'))).headers.allow).toBe(
      'GET, HEAD, POST, OPTIONS',
    );
    const options = await exchange(gateway.port, requestHead('OPTIONS /graphql HTTP/1.1'));
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
  });

  test.each(['/health/live', '/health/ready', '/graphql?query=%7B__typename%7D', '/nope'])(
    'answers HEAD %s like GET, without a body',
    async (path) => {
      const lines = ['Host: 127.0.0.1', 'Apollo-Require-Preflight: 1'];
      const getAnswer = await exchange(gateway.port, requestHead(`GET ${path} HTTP/1.1`, lines));
      const headAnswer = await exchange(gateway.port, requestHead(`HEAD ${path} HTTP/1.1`, lines));
      const { date: _date, 'x-request-id': _id, ...headers } = getAnswer.headers;
      expect(headAnswer).toMatchObject({ status: getAnswer.status, headers, body: '' });
      expect(Number(headers['content-length'])).toBe(Buffer.byteLength(getAnswer.body));
    },
  );

  test('refuses two Authorization headers, even if both are valid', async () => {
    expect((await exchange(gateway.port, postRequest('Host: x', authorization))).status).toBe(200);
    const answer = await exchange(
      gateway.port,
      postRequest('Host: x', authorization, authorization.replace('A', 'a')),
    );
    expect(readRefusal(answer)).toBe('401 UNAUTHENTICATED authError');
    expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  });

  test('ignores unknown Expect headers', async () =>
    expect((await exchange(gateway.port, postRequest('Host: x', 'Expect: wonders'))).status).toBe(200));

  test('answers HTTP/1.0, which has no Host header', async () =>
    expect((await exchange(gateway.port, postRequest().replace('HTTP/1.1', 'HTTP/1.0'))).status).toBe(200));

  test('sends no-store and nosniff with every response', async () => {
    const safeHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
    for (const bytes of [
      postRequest('Host: x'),
      postRequest('Host: x', authorization),
      requestHead('OPTIONS /graphql HTTP/1.1'),
      requestHead('GET /graphql HTTP/1.1'),
    ])
      expect((await exchange(gateway.port, bytes)).headers).toMatchObject(safeHeaders);
  });

  describe('limits the body by its caller', () => {
    const json = ['Host: x', 'Content-Type: application/json'];
    const bodyHead = (...lines: readonly string[]): string =>
      requestHead('POST /graphql HTTP/1.1', [...json, ...lines]);
    const postWithLength = (bytes: number, ...lines: readonly string[]): Promise<RawAnswer> =>
      exchange(gateway.port, bodyHead(`Content-Length: ${bytes}`, ...lines));

    test('and discards the rest: the client gets the response and reuses the connection', async () => {
      const socket = await openSocket(gateway.port);
      const requestLine = bodyHead('Content-Length: 2000000').replace('Connection: close\r\n', '');
      socket.write(requestLine + ' '.repeat(1_000_000));
      expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 413 /);
      socket.write(' '.repeat(1_000_000) + postRequest('Host: x'));
      expect(parseAnswer(await text(socket)).status).toBe(200);
    });

    test('to 64 kB without a token, before reading a byte', async () =>
      expect(readRefusal(await postWithLength(65_537))).toBe('413 BAD_USER_INPUT tooLong'));

    test('to 1 MiB with a token', async () =>
      expect(readRefusal(await postWithLength(1_048_577, authorization))).toBe('413 BAD_USER_INPUT tooLong'));

    test('to nothing with an invalid token', async () =>
      expect((await postWithLength(1_000_000_000, 'Authorization: Bearer a.b.c')).status).toBe(401));

    test('while it arrives, if it has no length', async () => {
      const chunk = `${(70_000).toString(16)}\r\n${' '.repeat(70_000)}\r\n`;
      const answer = await exchange(gateway.port, bodyHead('Transfer-Encoding: chunked') + chunk);
      expect(readRefusal(answer)).toBe('413 BAD_USER_INPUT tooLong');
    });
  });
});
