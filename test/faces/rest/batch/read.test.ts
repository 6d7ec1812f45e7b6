import { RestFault } from '../../../../src/faces/rest/errors.ts';
import { parseBatch as parseBytes, type BatchPart } from '../../../../src/faces/rest/multipart.ts';
import { anyCharacter, fc } from '../../../property.ts';

const type = 'multipart/mixed; boundary=b';
const part = (request: string, head = 'Content-Type: application/http'): string =>
  `--b\r\n${head}\r\n\r\n${request}\r\n`;
const whole = (...parts: string[]): string => `${parts.join('')}--b--\r\n`;
const get = 'GET /calendar/v3/colors HTTP/1.1\r\n';
const parseBatch = (contentType: string, body: string | Buffer): readonly BatchPart[] =>
  parseBytes(contentType, Buffer.from(body));
const problemOf = (body: string | Buffer, contentType = type): string | undefined => {
  try {
    parseBatch(contentType, body);
  } catch (error) {
    if (error instanceof RestFault && error.status === 400) return error.message;
    throw error;
  }
  return undefined;
};

/** What google-api-python-client 1.7 sends, with the blanks and line ends of Python's generator of MIME. */
const fromPython = `--===============7330845974216740156==
Content-Type: application/http
MIME-Version: 1.0
Content-Transfer-Encoding: binary
Content-ID: <b29c5de2-0db4-490b-b421-6a51b598bd22 + 1>

GET /calendar/v3/calendars/primary/events/a?alt=json HTTP/1.1
Content-Type: application/json
MIME-Version: 1.0
accept: application/json
accept-encoding: gzip, deflate
user-agent: (gzip)
authorization: Bearer one
Host: 127.0.0.1:4000


--===============7330845974216740156==
Content-Type: application/http
MIME-Version: 1.0
Content-Transfer-Encoding: binary
Content-ID: <b29c5de2-0db4-490b-b421-6a51b598bd22 +
 a%20long%20name>

PATCH /calendar/v3/calendars/primary/events/b?alt=json HTTP/1.1
Content-Type: application/json
MIME-Version: 1.0
content-length: 15
Host: 127.0.0.1:4000

{"summary":"é"}
--===============7330845974216740156==--
`;

test('a batch of the Python client is read, its line ends and folded headers too', () => {
  const read = parseBatch(
    'multipart/mixed; boundary="===============7330845974216740156=="',
    Buffer.from(fromPython),
  );
  expect(read).toEqual([
    {
      contentId: '<b29c5de2-0db4-490b-b421-6a51b598bd22 + 1>',
      method: 'GET',
      url: '/calendar/v3/calendars/primary/events/a?alt=json',
      body: expect.stringMatching(/^\s*$/),
      headers: expect.objectContaining({ authorization: 'Bearer one', 'content-type': 'application/json' }),
    },
    {
      contentId: '<b29c5de2-0db4-490b-b421-6a51b598bd22 + a%20long%20name>',
      method: 'PATCH',
      url: '/calendar/v3/calendars/primary/events/b?alt=json',
      body: '{"summary":"é"}',
      headers: expect.objectContaining({ 'content-length': '15' }),
    },
  ]);
});

test('parts have an identifier only if it was sent, and headers that come twice are one', () => {
  const read = parseBatch(
    'Multipart/Mixed;charset=UTF-8; boundary="b" ',
    whole(part(`${get}if-none-match: "1"\r\nIf-None-Match: "2"  \r\n__proto__: x\r\n`)),
  );
  const headers = { 'if-none-match': '"1", "2"', ['__proto__']: 'x' };
  expect(read).toEqual([{ method: 'GET', url: '/calendar/v3/colors', headers, body: '' }]);
});

test('text before the first boundary or after the last one is no part, and a longer boundary is none', () => {
  const body = `Hello\r\n--before\r\n${whole(part('POST /a HTTP/1.1\r\n\r\n{\r\n--be\r\n --b\r\nx--b\r\n}'))}\r\n--b\r\n`;
  expect(parseBatch(type, body)).toMatchObject([{ method: 'POST', body: '{\r\n--be\r\n --b\r\nx--b\r\n}' }]);
});

test('fifty parts are a batch, one more is none', () => {
  const parts = (count: number) => whole(part(get).repeat(count));
  expect(parseBatch(type, parts(50))).toHaveLength(50);
  for (const body of [parts(51), '--b\r\n'.repeat(100_000)])
    expect(problemOf(body)).toMatch(/at most 50 parts/);
});

test.each([
  ['no type', whole(part(get)), ''],
  ['another type', whole(part(get)), 'multipart/related; boundary=b'],
  ['a type without a boundary', whole(part(get)), 'multipart/mixed'],
  ['an empty boundary', '--\r\n----', 'multipart/mixed; boundary=""'],
  ['two boundaries', whole(part(get)), 'multipart/mixed; boundary=b; boundary=c'],
  ['a boundary with a line break', whole(part(get)), 'multipart/mixed; boundary="b\r\n"'],
  ['a boundary that ends with a space', whole(part(get)), 'multipart/mixed; boundary="b "'],
  ['a boundary of 71 characters', `--${'b'.repeat(71)}--`, `multipart/mixed; boundary=${'b'.repeat(71)}`],
  ['text behind the boundary', whole(part(get)), 'multipart/mixed; boundary=b x'],
])('%s is refused', (_what, body, contentType) => {
  expect(problemOf(body, contentType)).toMatch(/RFC 2046/);
});

const http = 'Content-Type: application/http';
const long = `a: ${'b'.repeat(20_000)}`;
const notHttp = /Part 1 .* not application\/http/;
test.each([
  ['bytes that are no UTF-8', Buffer.from([0xff]), /not valid UTF-8/],
  ['nothing', '', /no end/],
  ['a batch that was cut off', part(get), /no end/],
  ['a batch without parts', '--b--', /no parts/],
  ['an empty part', '--b\r\n--b--', notHttp],
  ['a part without headers', '--b\r\n\r\nGET / HTTP/1.1\r\n--b--', notHttp],
  ['a part of another type', whole(part(get, 'Content-Type: application/json')), notHttp],
  ['a second part of another type', whole(part(get), part(get, 'Content-Type: text/plain')), /Part 2 /],
  ['an encoded part', whole(part(get, `${http}\r\nContent-Transfer-Encoding: base64`)), /Transfer-Encoding/],
  ['a part without a request', whole(part('')), /request line/],
  ['a request line of another form', whole(part('GET /a')), /request line/],
  ['a path with control characters', whole(part('GET /a\u0000b HTTP/1.1')), /request line/],
  ['another host', whole(part('GET https://example.com/a HTTP/1.1')), /host/],
  ['another host without a scheme', whole(part('GET //example.com/a HTTP/1.1')), /host/],
  ['a batch in a batch', whole(part('POST /batch/calendar/v3?a HTTP/1.1\r\n\r\n')), /no other batch/],
  [
    'a batch in a batch by its type',
    whole(part('POST /x HTTP/1.1\r\nContent-Type: Multipart/Mixed; boundary=c\r\n\r\n')),
    /no other batch/,
  ],
  ['a header without a name', whole(part(`${get}: x`)), /malformed/],
  ['a header without a colon', whole(part(`${get}x`)), /malformed/],
  ['a header with a carriage return', whole(part(`${get}a: b\rc: d`)), /malformed/],
  ['too many headers', whole(part(get + 'a: b\r\n'.repeat(101))), /more than 100 headers/],
  ['too long headers', whole(part(get + long)), /longer than 16384/],
  ['too long headers of the part', whole(part(get, `${http}\r\n${long}`)), /longer than 16384/],
])('%s is refused', (_what, body, problem) => {
  expect(problemOf(body)).toMatch(problem);
});

test('a path that only begins like a batch is none', () => {
  expect(parseBatch(type, whole(part('GET /batches HTTP/1.1')))).toMatchObject([{ url: '/batches' }]);
});

const line = fc.constantFrom(
  ...[
    '\r\n',
    '\n',
    '--b',
    '--b--',
    'Content-Type: application/http',
    'GET /a HTTP/1.1',
    ' ',
    'a: b',
    '\r',
    'x',
  ],
);

test('any body is read or refused, and nothing else happens', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.array(line), fc.array(anyCharacter)).map((all) => all.join('')),
      (body) => {
        expect(problemOf(body) ?? parseBatch(type, body)).not.toHaveLength(0);
      },
    ),
  );
});

test('what was put into parts is what is read, whatever the boundary', () => {
  const boundary = fc.string({ unit: fc.constantFrom(..."ab09'()+_,-./:=?"), minLength: 1, maxLength: 70 });
  const content = fc.array(anyCharacter).map((all) => Buffer.from(all.join('').trim()).toString());
  const request: fc.Arbitrary<BatchPart> = fc.record({
    contentId: fc.uuid().map((id) => `<${id} + 1>`),
    method: fc.constantFrom('GET', 'POST', 'PATCH'),
    url: fc.webPath().map((path) => `/x${path}`),
    headers: fc.constant({ authorization: 'Bearer x' }),
    body: content,
  });
  const requests = fc.array(request, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(boundary, requests, fc.constantFrom('\n', '\r\n'), (between, parts, end) => {
      fc.pre(parts.every(({ body }) => !body.includes(`--${between}`)));
      const lines = parts.flatMap(({ contentId, method, url, body }) => [
        ...[`--${between}`, 'Content-Type: application/http', `Content-ID: ${contentId}`, ''],
        ...[`${method} ${url} HTTP/1.1`, 'Authorization: Bearer x', '', body],
      ]);
      const text = [...lines, `--${between}--`].join(end);
      expect(parseBatch(`multipart/mixed; boundary="${between}"`, text)).toEqual(parts);
    }),
  );
});
