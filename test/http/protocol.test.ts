import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { tokenFor } from '../harness.ts';
import { useForAll } from '../use-resource.ts';
import { parseAnswer, exchangeBytes, openSocket, startListening, type RawAnswer } from './raw-http.ts';

const queryBody = JSON.stringify({ query: '{ __typename }' });
const writeRequestHead = (requestLine: string, lines: readonly string[] = ['Host: 127.0.0.1']): string =>
  `${[requestLine, ...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`;
const writePostRequest = (...lines: readonly string[]): string =>
  `${writeRequestHead('POST /graphql HTTP/1.1', [...lines, 'Content-Type: application/json', `Content-Length: ${queryBody.length}`])}${queryBody}`;

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
    [
      'headers of more than 16 kB',
      writeRequestHead('GET / HTTP/1.1', [longHeader]),
      '431 BAD_USER_INPUT tooLong',
    ],
    ['two lengths', writeRequestHead('POST /graphql HTTP/1.1', twoLengths), '400 BAD_USER_INPUT invalid'],
    ['an empty Host', writePostRequest('Host: '), '400 BAD_USER_INPUT invalid'],
    ['no Host', writePostRequest(), '400 BAD_USER_INPUT invalid'],
    ['a Host with spaces', writePostRequest('Host: a b'), '400 BAD_USER_INPUT invalid'],
    ['a Host with a path', writePostRequest('Host: a/b?c'), '400 BAD_USER_INPUT invalid'],
    ['two Hosts', writePostRequest('Host: a', 'Host: b'), '400 BAD_USER_INPUT invalid'],
    ['a rare method', writeRequestHead('QUERY /graphql HTTP/1.1'), '405 BAD_USER_INPUT invalid'],
    ['half an IPv6 Host', writePostRequest('Host: [::1'), '400 BAD_USER_INPUT invalid'],
    ['OPTIONS *', writeRequestHead('OPTIONS * HTTP/1.1'), '404 NOT_FOUND notFound'],
    ['OPTIONS of an unknown path', writeRequestHead('OPTIONS /nope HTTP/1.1'), '404 NOT_FOUND notFound'],
    ['TRACE', writeRequestHead('TRACE /graphql HTTP/1.1'), '405 BAD_USER_INPUT invalid'],
    [
      'a method of another protocol',
      writeRequestHead('PROPFIND /graphql HTTP/1.1'),
      '405 BAD_USER_INPUT invalid',
    ],
    ['a malformed path', writeRequestHead('GET /% HTTP/1.1'), '400 BAD_USER_INPUT invalid'],
    ['a GET of an unknown path', writeRequestHead('GET /nope HTTP/1.1'), '404 NOT_FOUND notFound'],
    ['a POST to an unknown path', writeRequestHead('POST /nope HTTP/1.1'), '404 NOT_FOUND notFound'],
    ['a path below a known one', writeRequestHead('GET /graphql/x HTTP/1.1'), '404 NOT_FOUND notFound'],
    ['PUT', writeRequestHead('PUT /graphql HTTP/1.1'), '405 BAD_USER_INPUT invalid'],
    [
      'a POST to a path for GET only',
      writeRequestHead('POST /metrics HTTP/1.1'),
      '405 BAD_USER_INPUT invalid',
    ],
    [
      'an invalid token',
      writePostRequest('Host: x', 'Authorization: Bearer a.b.c'),
      '401 UNAUTHENTICATED authError',
    ],
  ])('refuses %s with a GraphQL error', async (_what, bytes, expected) => {
    const answer = await exchangeBytes(gateway.port, bytes);
    expect(answer.headers['www-authenticate']).toBe(
      answer.status === 401 ? 'Bearer error="invalid_token"' : undefined,
    );
    expect(readRefusal(answer)).toBe(expected);
  });

  test('lists the methods of a path in Allow', async () => {
    expect((await exchangeBytes(gateway.port, writeRequestHead('PUT /graphql HTTP/1.1'))).headers.allow).toBe(
      'GET, HEAD, POST, OPTIONS',
    );
    const optionsAnswer = await exchangeBytes(gateway.port, writeRequestHead('OPTIONS /graphql HTTP/1.1'));
    expect([optionsAnswer.status, optionsAnswer.headers.allow]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
  });

  test.each(['/health/live', '/health/ready', '/graphql?query=%7B__typename%7D', '/nope'])(
    'answers HEAD %s like GET, without a body',
    async (path) => {
      const lines = ['Host: 127.0.0.1', 'Apollo-Require-Preflight: 1'];
      const getAnswer = await exchangeBytes(gateway.port, writeRequestHead(`GET ${path} HTTP/1.1`, lines));
      const headAnswer = await exchangeBytes(gateway.port, writeRequestHead(`HEAD ${path} HTTP/1.1`, lines));
      const { date: _date, 'x-request-id': _id, ...headers } = getAnswer.headers;
      expect(headAnswer).toMatchObject({ status: getAnswer.status, headers, body: '' });
      expect(Number(headers['content-length'])).toBe(Buffer.byteLength(getAnswer.body));
    },
  );

  test('refuses two Authorization headers, even if both are valid', async () => {
    expect((await exchangeBytes(gateway.port, writePostRequest('Host: x', authorization))).status).toBe(200);
    const answer = await exchangeBytes(
      gateway.port,
      writePostRequest('Host: x', authorization, authorization.replace('A', 'a')),
    );
    expect(readRefusal(answer)).toBe('401 UNAUTHENTICATED authError');
    expect(answer.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  });

  test('ignores unknown Expect headers', async () =>
    expect((await exchangeBytes(gateway.port, writePostRequest('Host: x', 'Expect: wonders'))).status).toBe(
      200,
    ));

  test('answers HTTP/1.0, which has no Host header', async () =>
    expect(
      (await exchangeBytes(gateway.port, writePostRequest().replace('HTTP/1.1', 'HTTP/1.0'))).status,
    ).toBe(200));

  test('sends no-store and nosniff with every response', async () => {
    const safeHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };
    for (const bytes of [
      writePostRequest('Host: x'),
      writePostRequest('Host: x', authorization),
      writeRequestHead('OPTIONS /graphql HTTP/1.1'),
      writeRequestHead('GET /graphql HTTP/1.1'),
    ])
      expect((await exchangeBytes(gateway.port, bytes)).headers).toMatchObject(safeHeaders);
  });

  // 64 kB (65,536 bytes) without a token, 1 MiB (1,048,576 bytes) with one.
  describe('limits the body by its caller', () => {
    const jsonHeaders = ['Host: x', 'Content-Type: application/json'];
    const writeBodyHead = (...lines: readonly string[]): string =>
      writeRequestHead('POST /graphql HTTP/1.1', [...jsonHeaders, ...lines]);
    const postWithLength = (contentLength: number, ...lines: readonly string[]): Promise<RawAnswer> =>
      exchangeBytes(gateway.port, writeBodyHead(`Content-Length: ${contentLength}`, ...lines));

    test('and discards the rest: the client gets the response and reuses the connection', async () => {
      const socket = await openSocket(gateway.port);
      const requestLine = writeBodyHead('Content-Length: 2000000').replace('Connection: close\r\n', '');
      socket.write(requestLine + ' '.repeat(1_000_000));
      expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1.1 413 /);
      socket.write(' '.repeat(1_000_000) + writePostRequest('Host: x'));
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
      const answer = await exchangeBytes(gateway.port, writeBodyHead('Transfer-Encoding: chunked') + chunk);
      expect(readRefusal(answer)).toBe('413 BAD_USER_INPUT tooLong');
    });
  });
});
