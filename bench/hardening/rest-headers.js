// Attacks by headers, and by values that the REST face copies into response headers.
import { scaleLimitMs } from './gateway.js';
import {
  sendRest,
  sendRestBytes,
  eventsPath,
  maxRefusalMs,
  oneHourTimes,
  expectRefusal,
  checkInputs,
  findEnvelopeProblem,
} from './rest-client.js';
import { isCutAtTimeout, sendBytes } from './transport.js';

/** Texts that a careless server would copy into headers, or would not encode. */
const oddTexts = [
  'a\r\nX-Odd: 1',
  '\u0000',
  'ü€𝄞',
  '\ud800',
  '"],"',
  '\\',
  '\u2028',
  'x'.repeat(5000),
  '<script>',
];

async function checkWarnings({ gateway, token }) {
  const bodies = [
    ...oddTexts.map((name) => ({ [name]: 1, validateOnly: 1 })),
    Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`${index}ü`.repeat(20), 1])),
    Object.fromEntries(oddTexts.map((name) => [name, { [name]: [name] }])),
  ];
  return [
    await checkInputs(
      'fields with odd names, which X-Warnings reports',
      'ASCII, at most 4 kB, JSON',
      bodies,
      async (body) => {
        const { status, headers } = await sendRest(gateway, token, `POST ${eventsPath}?validateOnly=true`, {
          body: { ...oneHourTimes, ...body },
        });
        const warningsHeader = headers['x-warnings'] ?? '';
        if (
          status !== 200 ||
          headers['x-odd'] !== undefined ||
          warningsHeader.length > 4096 ||
          !/^[ -~]+$/.test(warningsHeader)
        )
          return `${status} ${warningsHeader.length}`;
        return JSON.parse(warningsHeader).every(
          ({ path, reason, message }) => Array.isArray(path) && reason && message,
        )
          ? undefined
          : warningsHeader;
      },
    ),
    await checkInputs(
      'odd ids and texts, in ETag, Location and messages',
      '200, or an error in the envelope; headers in ASCII',
      oddTexts.flatMap((text) => [
        ['GET', `${eventsPath}/${encodeURIComponent(text.toWellFormed())}`],
        ['GET', `${eventsPath}?pageToken=${encodeURIComponent(text.toWellFormed())}`],
        ['GET', `${eventsPath}?timeZone=${encodeURIComponent(text.toWellFormed())}`],
        ['GET', `${eventsPath}?q=${encodeURIComponent(text.toWellFormed())}`],
      ]),
      async ([verb, path]) => {
        const response = await sendRest(gateway, token, `${verb} ${path}`);
        if (
          response.headers['x-odd'] !== undefined ||
          Object.values(response.headers).some((value) => !/^[\t -~]*$/.test(String(value)))
        )
          return 'a header';
        return response.status === 200 ? undefined : expectRefusal(400, 404)(response);
      },
    ),
    await checkInputs(
      'odd or long conditions',
      'no 5xx, and no change if they fail',
      [
        ['if-none-match', '"x",'.repeat(3500)],
        ['if-none-match', '"'.repeat(12_000)],
        ['if-none-match', 'W/'.repeat(6000)],
        ['if-none-match', '"x",'.repeat(10_000)],
        ['if-match', '"x",'.repeat(3500)],
        ['if-match', 'W/"x"'],
        ['if-match', '"'.repeat(12_000)],
      ],
      async ([name, value]) => {
        const response = await sendRest(
          gateway,
          token,
          `${name === 'if-match' ? 'PATCH' : 'GET'} ${eventsPath}/victim`,
          { headers: { [name]: value }, ...(name === 'if-match' && { body: { summary: 'x' } }) },
        );
        // A patch must fail under these conditions; a read may succeed.
        return response.status === 200 && name !== 'if-match'
          ? undefined
          : [400, 412, 431].includes(response.status) && response.ms < maxRefusalMs
            ? findEnvelopeProblem(response)
            : `${response.status} in ${response.ms} ms`;
      },
    ),
  ];
}

async function checkOddHeaders({ gateway, token }) {
  const discoveryPath = '/discovery/v1/apis/calendar/v3/rest';
  return [
    await checkInputs(
      'pages of other origins',
      'get no CORS headers',
      ['https://evil.example', 'null', 'http://localhost:3000', 'https://www.googleapis.com'],
      async (origin) => {
        const preflight = await sendRest(gateway, undefined, `OPTIONS ${eventsPath}`, {
          headers: {
            origin,
            'access-control-request-method': 'DELETE',
            'access-control-request-headers': 'authorization,x-http-method-override',
          },
        });
        const readResponse = await sendRest(gateway, token, `GET ${eventsPath}`, { headers: { origin } });
        return [preflight, readResponse].some(
          ({ headers }) => headers['access-control-allow-origin'] !== undefined,
        )
          ? 'allowed'
          : undefined;
      },
    ),
    await checkInputs(
      'X-Forwarded-Proto and -Host of odd values, in discovery',
      'rootUrl is http or https with the host of the gateway',
      [
        'javascript:',
        'https, javascript',
        'HTTPS',
        'https://evil.example/',
        '<script>',
        'x'.repeat(5000),
        'https\thttps',
      ],
      async (value) => {
        const { json } = await sendRest(gateway, undefined, `GET ${discoveryPath}`, {
          headers: {
            'x-forwarded-proto': value,
            'x-forwarded-host': 'evil.example',
            forwarded: 'host=evil.example;proto=https',
          },
        });
        return /^https?:\/\/(localhost|127\.0\.0\.1):\d+\/$/.test(json?.rootUrl) ? undefined : json?.rootUrl;
      },
    ),
    await checkInputs(
      'an invalid Host, in discovery',
      '400 in the envelope',
      ['a b', 'a/b', '"><script>', 'a@b', 'a?b', 'a:b', '[::1', 'evil.example#'],
      async (host) => {
        const { status, body } = await sendBytes(
          gateway.port,
          `GET ${discoveryPath} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
          { timeoutMs: scaleLimitMs(3000) },
        );
        return status === 400 && JSON.parse(body).error?.code === 400 && !body.includes(host)
          ? undefined
          : `${status} ${body}`;
      },
    ),
    await checkInputs(
      'responses for clients that accept gzip or br',
      'are compressed, and Vary names Accept-Encoding',
      ['gzip', 'br', 'gzip;q=0.1, br;q=0'],
      async (acceptEncoding) => {
        const { status, headers } = await sendRest(gateway, undefined, `GET ${discoveryPath}`, {
          headers: { 'accept-encoding': acceptEncoding },
        });
        return status === 200 &&
          ['gzip', 'br'].includes(headers['content-encoding']) &&
          /Accept-Encoding/.test(headers.vary)
          ? undefined
          : `${status} ${headers['content-encoding']} ${headers.vary}`;
      },
    ),
    await checkInputs(
      'a head of more than 16 kB, and invalid request lines',
      '431 and 400 in the envelope',
      [
        [`GET ${eventsPath}?q=${'x'.repeat(20_000)}`, 431],
        [`GET ${eventsPath}/é`, 400],
        [`GET ${eventsPath} x`, 400],
      ],
      async ([requestLine, status]) =>
        expectRefusal(status)(await sendRestBytes(gateway, token, requestLine)),
    ),
  ];
}

export const headerChecks = { warnings: checkWarnings, headers: checkOddHeaders };

/** Sends a body at a byte a second. */
export async function checkSlowBody({ gateway, token }) {
  const response = await sendBytes(
    gateway.port,
    `POST ${eventsPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n`,
    { drips: true },
  );
  return {
    attack: 'a body at a byte a second',
    criterion: 'cut at 15 s with 408 in the envelope',
    figure: `${response.seconds.toFixed(1)} s, ${response.status}`,
    isMet: isCutAtTimeout(response) && JSON.parse(response.body).error?.code === 408,
  };
}
