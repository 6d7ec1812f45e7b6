import { RestError } from '../../../../src/faces/rest/errors.ts';
import { parseBatch as parseBytes, type BatchPart } from '../../../../src/faces/rest/multipart.ts';
import { anyCharacter, fc } from '../../../property.ts';

const batchType = 'multipart/mixed; boundary=b';
const writePart = (request: string, partHeaders = 'Content-Type: application/http'): string =>
  `--b\r\n${partHeaders}\r\n\r\n${request}\r\n`;
const writeBatch = (...parts: string[]): string => `${parts.join('')}--b--\r\n`;
const getRequest = 'GET /calendar/v3/colors HTTP/1.1\r\n';
const parseBatch = (contentType: string, body: string | Buffer): readonly BatchPart[] =>
  parseBytes(contentType, Buffer.from(body));
/** Returns the message with which a batch is refused, or undefined for a valid one. */
const readParseError = (body: string | Buffer, contentType = batchType): string | undefined => {
  try {
    parseBatch(contentType, body);
  } catch (error) {
    if (error instanceof RestError && error.status === 400) return error.message;
    throw error;
  }
  return undefined;
};

/** A batch by google-api-python-client 1.7, with the spaces and line breaks of Python's MIME generator. */
const pythonBatch = `--===============7330845974216740156==
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

test('parses a batch of the Python client, with its line breaks and folded headers', () => {
  const pythonParts = parseBatch(
    'multipart/mixed; boundary="===============7330845974216740156=="',
    Buffer.from(pythonBatch),
  );
  expect(pythonParts).toEqual([
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

test('parts have a Content-ID only if it was sent; repeated headers are joined', () => {
  const joinedParts = parseBatch(
    'Multipart/Mixed;charset=UTF-8; boundary="b" ',
    writeBatch(writePart(`${getRequest}if-none-match: "1"\r\nIf-None-Match: "2"  \r\n__proto__: x\r\n`)),
  );
  const headers = { 'if-none-match': '"1", "2"', ['__proto__']: 'x' };
  expect(joinedParts).toEqual([{ method: 'GET', url: '/calendar/v3/colors', headers, body: '' }]);
});

test('text outside the boundaries is ignored, and so is a longer boundary', () => {
  const body = `Hello\r\n--before\r\n${writeBatch(writePart('POST /a HTTP/1.1\r\n\r\n{\r\n--be\r\n --b\r\nx--b\r\n}'))}\r\n--b\r\n`;
  expect(parseBatch(batchType, body)).toMatchObject([
    { method: 'POST', body: '{\r\n--be\r\n --b\r\nx--b\r\n}' },
  ]);
});

test('a batch has at most 50 parts', () => {
  const writeParts = (count: number) => writeBatch(writePart(getRequest).repeat(count));
  expect(parseBatch(batchType, writeParts(50))).toHaveLength(50);
  for (const body of [writeParts(51), '--b\r\n'.repeat(100_000)])
    expect(readParseError(body)).toMatch(/at most 50 parts/);
});

test.each([
  ['no type', writeBatch(writePart(getRequest)), ''],
  ['another type', writeBatch(writePart(getRequest)), 'multipart/related; boundary=b'],
  ['a type without a boundary', writeBatch(writePart(getRequest)), 'multipart/mixed'],
  ['an empty boundary', '--\r\n----', 'multipart/mixed; boundary=""'],
  ['two boundaries', writeBatch(writePart(getRequest)), 'multipart/mixed; boundary=b; boundary=c'],
  ['a boundary with a line break', writeBatch(writePart(getRequest)), 'multipart/mixed; boundary="b\r\n"'],
  ['a boundary that ends with a space', writeBatch(writePart(getRequest)), 'multipart/mixed; boundary="b "'],
  ['a boundary of 71 characters', `--${'b'.repeat(71)}--`, `multipart/mixed; boundary=${'b'.repeat(71)}`],
  ['text behind the boundary', writeBatch(writePart(getRequest)), 'multipart/mixed; boundary=b x'],
])('%s is refused', (_what, body, contentType) => {
  expect(readParseError(body, contentType)).toMatch(/RFC 2046/);
});

const httpType = 'Content-Type: application/http';
const longHeader = `a: ${'b'.repeat(20_000)}`;
const notHttpMessage = /Part 1 .* not application\/http/;
test.each([
  ['bytes that are no UTF-8', Buffer.from([0xff]), /not valid UTF-8/],
  ['nothing', '', /no end/],
  ['a batch that was cut off', writePart(getRequest), /no end/],
  ['a batch without parts', '--b--', /no parts/],
  ['an empty part', '--b\r\n--b--', notHttpMessage],
  ['a part without headers', '--b\r\n\r\nGET / HTTP/1.1\r\n--b--', notHttpMessage],
  [
    'a part of another type',
    writeBatch(writePart(getRequest, 'Content-Type: application/json')),
    notHttpMessage,
  ],
  [
    'a second part of another type',
    writeBatch(writePart(getRequest), writePart(getRequest, 'Content-Type: text/plain')),
    /Part 2 /,
  ],
  [
    'an encoded part',
    writeBatch(writePart(getRequest, `${httpType}\r\nContent-Transfer-Encoding: base64`)),
    /Transfer-Encoding/,
  ],
  ['a part without a request', writeBatch(writePart('')), /request line/],
  ['a request line of another form', writeBatch(writePart('GET /a')), /request line/],
  ['a path with control characters', writeBatch(writePart('GET /a\u0000b HTTP/1.1')), /request line/],
  ['another host', writeBatch(writePart('GET https://example.com/a HTTP/1.1')), /host/],
  ['another host without a scheme', writeBatch(writePart('GET //example.com/a HTTP/1.1')), /host/],
  [
    'a batch in a batch',
    writeBatch(writePart('POST /batch/calendar/v3?a HTTP/1.1\r\n\r\n')),
    /no other batch/,
  ],
  [
    'a batch in a batch by its type',
    writeBatch(writePart('POST /x HTTP/1.1\r\nContent-Type: Multipart/Mixed; boundary=c\r\n\r\n')),
    /no other batch/,
  ],
  ['a header without a name', writeBatch(writePart(`${getRequest}: x`)), /malformed/],
  ['a header without a colon', writeBatch(writePart(`${getRequest}x`)), /malformed/],
  ['a header with a carriage return', writeBatch(writePart(`${getRequest}a: b\rc: d`)), /malformed/],
  ['too many headers', writeBatch(writePart(getRequest + 'a: b\r\n'.repeat(101))), /more than 100 headers/],
  ['too long headers', writeBatch(writePart(getRequest + longHeader)), /longer than 16384/],
  [
    'too long headers of the part',
    writeBatch(writePart(getRequest, `${httpType}\r\n${longHeader}`)),
    /longer than 16384/,
  ],
])('%s is refused', (_what, body, problem) => {
  expect(readParseError(body)).toMatch(problem);
});

test('a path that only starts like the batch path is no batch', () => {
  expect(parseBatch(batchType, writeBatch(writePart('GET /batches HTTP/1.1')))).toMatchObject([
    { url: '/batches' },
  ]);
});

const bodyLine = fc.constantFrom(
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

test('any body is either parsed or refused with 400', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.array(bodyLine), fc.array(anyCharacter)).map((pieces) => pieces.join('')),
      (body) => {
        expect(readParseError(body) ?? parseBatch(batchType, body)).not.toHaveLength(0);
      },
    ),
  );
});

test('parsing returns the written parts, whatever the boundary', () => {
  const anyBoundary = fc.string({
    unit: fc.constantFrom(..."ab09'()+_,-./:=?"),
    minLength: 1,
    maxLength: 70,
  });
  const anyContent = fc.array(anyCharacter).map((pieces) => Buffer.from(pieces.join('').trim()).toString());
  const anyPart: fc.Arbitrary<BatchPart> = fc.record({
    contentId: fc.uuid().map((id) => `<${id} + 1>`),
    method: fc.constantFrom('GET', 'POST', 'PATCH'),
    url: fc.webPath().map((path) => `/x${path}`),
    headers: fc.constant({ authorization: 'Bearer x' }),
    body: anyContent,
  });
  const anyParts = fc.array(anyPart, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(anyBoundary, anyParts, fc.constantFrom('\n', '\r\n'), (boundaryText, parts, lineEnd) => {
      fc.pre(parts.every(({ body }) => !body.includes(`--${boundaryText}`)));
      const lines = parts.flatMap(({ contentId, method, url, body }) => [
        ...[`--${boundaryText}`, 'Content-Type: application/http', `Content-ID: ${contentId}`, ''],
        ...[`${method} ${url} HTTP/1.1`, 'Authorization: Bearer x', '', body],
      ]);
      const text = [...lines, `--${boundaryText}--`].join(lineEnd);
      expect(parseBatch(`multipart/mixed; boundary="${boundaryText}"`, text)).toEqual(parts);
    }),
  );
});
