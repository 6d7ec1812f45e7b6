// Attacks by headers, and by values that the REST face copies into response headers.
import { ask, askRaw, events, expectRefusal, checkInputs, envelopeProblem } from './rest-client.js';
import { sendRaw } from './transport.js';

const hour = { start: { dateTime: '2027-05-01T09:00:00Z' }, end: { dateTime: '2027-05-01T10:00:00Z' } };
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
      'fields of odd names, told in X-Warnings',
      'ASCII, at most 4 kB, JSON',
      bodies,
      async (body) => {
        const { status, headers } = await ask(gateway, token, `POST ${events}?validateOnly=true`, {
          body: { ...hour, ...body },
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
      'an envelope, or 200 with headers of ASCII',
      oddTexts.flatMap((text) => [
        ['GET', `${events}/${encodeURIComponent(text.toWellFormed())}`],
        ['GET', `${events}?pageToken=${encodeURIComponent(text.toWellFormed())}`],
        ['GET', `${events}?timeZone=${encodeURIComponent(text.toWellFormed())}`],
        ['GET', `${events}?q=${encodeURIComponent(text.toWellFormed())}`],
      ]),
      async ([verb, path]) => {
        const answer = await ask(gateway, token, `${verb} ${path}`);
        if (
          answer.headers['x-odd'] !== undefined ||
          Object.values(answer.headers).some((value) => !/^[\t -~]*$/.test(String(value)))
        )
          return 'a header';
        return answer.status === 200 ? undefined : expectRefusal(400, 404)(answer);
      },
    ),
    await checkInputs(
      'conditions that are odd or long',
      'no 5xx, and nothing is written where they fail',
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
        const answer = await ask(
          gateway,
          token,
          `${name === 'if-match' ? 'PATCH' : 'GET'} ${events}/victim`,
          { headers: { [name]: value }, ...(name === 'if-match' && { body: { summary: 'x' } }) },
        );
        return answer.status === 200 && name !== 'if-match'
          ? undefined
          : [400, 412, 431].includes(answer.status) && answer.ms < 400
            ? envelopeProblem(answer)
            : `${answer.status} in ${answer.ms} ms`;
      },
    ),
  ];
}

async function checkOrigins({ gateway, token }) {
  const document = '/discovery/v1/apis/calendar/v3/rest';
  return [
    await checkInputs(
      'pages of other origins',
      'are allowed nothing',
      ['https://evil.example', 'null', 'http://localhost:3000', 'https://www.googleapis.com'],
      async (origin) => {
        const preflight = await ask(gateway, undefined, `OPTIONS ${events}`, {
          headers: {
            origin,
            'access-control-request-method': 'DELETE',
            'access-control-request-headers': 'authorization,x-http-method-override',
          },
        });
        const read = await ask(gateway, token, `GET ${events}`, { headers: { origin } });
        return [preflight, read].some(({ headers }) => headers['access-control-allow-origin'] !== undefined)
          ? 'allowed'
          : undefined;
      },
    ),
    await checkInputs(
      'X-Forwarded-Proto and -Host of odd values, in discovery',
      'rootUrl is http or https at the own host',
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
        const { json } = await ask(gateway, undefined, `GET ${document}`, {
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
      'a Host that is none, in discovery',
      '400 in the envelope',
      ['a b', 'a/b', '"><script>', 'a@b', 'a?b', 'a:b', '[::1', 'evil.example#'],
      async (host) => {
        const { status, body } = await sendRaw(
          gateway.port,
          `GET ${document} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
          { limitMs: 3000 },
        );
        return status === 400 && JSON.parse(body).error?.code === 400 && !body.includes(host)
          ? undefined
          : `${status} ${body}`;
      },
    ),
    await checkInputs(
      'answers for clients that take gzip or br',
      'are compressed, and vary by it',
      ['gzip', 'br', 'gzip;q=0.1, br;q=0'],
      async (accepted) => {
        const { status, headers } = await ask(gateway, undefined, `GET ${document}`, {
          headers: { 'accept-encoding': accepted },
        });
        return status === 200 &&
          ['gzip', 'br'].includes(headers['content-encoding']) &&
          /Accept-Encoding/.test(headers.vary)
          ? undefined
          : `${status} ${headers['content-encoding']} ${headers.vary}`;
      },
    ),
    await checkInputs(
      'a head of more than 16 kB, a request line that is none',
      '431 and 400 in the envelope',
      [
        [`GET ${events}?q=${'x'.repeat(20_000)}`, 431],
        [`GET ${events}/é`, 400],
        [`GET ${events} x`, 400],
      ],
      async ([line, status]) => expectRefusal(status)(await askRaw(gateway, token, line)),
    ),
  ];
}

export const restChecks = [checkWarnings, checkOrigins];

/** Sends a body at a byte a second. */
export async function checkSlowBody(gateway, token) {
  const { status, body, seconds } = await sendRaw(
    gateway.port,
    `POST ${events} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\nConnection: close\r\n\r\n`,
    { drip: true },
  );
  return {
    row: 'rest',
    attack: 'a body at a byte a second',
    criterion: 'cut at 15 s with 408 in the envelope',
    figure: `${seconds.toFixed(1)} s, ${status}`,
    held: seconds >= 14 && seconds <= 17 && status === 408 && JSON.parse(body).error?.code === 408,
  };
}
