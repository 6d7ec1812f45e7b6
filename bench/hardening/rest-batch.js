// Attacks by batches of the REST face: their forms, costs and limits.
import { connect } from 'node:net';
import { tokenOf } from './gateway.js';
import { ask, calendars, events, expectRefusal, checkInputs, envelopeProblem } from './rest-client.js';

const multipart = (boundary = 'b') => ({ 'content-type': `multipart/mixed; boundary=${boundary}` });
const part = (line, head = '', body = '') =>
  `--b\r\nContent-Type: application/http\r\n\r\n${line} HTTP/1.1\r\n${head}\r\n${body}\r\n`;
export const batchOf = (parts) => `${parts.join('')}--b--`;
const path = '/batch/calendar/v3';
const colors = part('GET /calendar/v3/colors');
const repeat = (count, create) => Array.from({ length: count }, (_, index) => create(index));

/** Parses the responses of the parts. */
function partsOf({ body, headers }) {
  const boundary = /boundary=(\S+)/.exec(headers['content-type'] ?? '')?.[1] ?? 'none';
  return body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((text) => {
      const [, head = '', ...content] = text.trim().split('\r\n\r\n');
      const fields = Object.fromEntries(
        head
          .split('\r\n')
          .slice(1)
          .map((line) => [line.split(':')[0].toLowerCase(), line.slice(line.indexOf(':') + 2)]),
      );
      const json = content.length === 0 ? undefined : JSON.parse(content.join('\r\n\r\n'));
      return {
        status: Number(head.split(' ')[1]),
        headers: { 'x-content-type-options': 'nosniff', ...fields },
        head,
        json,
        body: content.join(''),
      };
    });
}

const sendBatch = (gateway, token, body, headers = {}) =>
  ask(gateway, token, `POST ${path}`, { body, headers: { ...multipart(), ...headers } });

const bombs = [
  ['51 parts', batchOf(repeat(51, () => colors))],
  ['100,000 boundaries', '--b\r\n'.repeat(100_000)],
  ['100,000 ends', '--b--\r\n'.repeat(100_000)],
  ['boundaries and blanks', `--b${' '.repeat(900_000)}x`],
  ['no end', colors],
  ['nothing', ''],
  ['an end alone', '--b--'],
  ['a megabyte without a boundary', 'x'.repeat(1_000_000)],
  ['a megabyte of line ends', '\r\n'.repeat(500_000)],
  [
    'multipart inside',
    batchOf([part('POST /calendar/v3/colors', 'Content-Type: multipart/mixed; boundary=c\r\n', '--c--')]),
  ],
  ...['/batch/calendar/v3', '/batch/storage/v1', '/batch', '/batch?x', '/batch/'].map((to) => [
    `a batch at ${to}`,
    batchOf([part(`POST ${to}`, 'Content-Type: application/json\r\n', '{}')]),
  ]),
  ['100 kB of headers', batchOf([part('GET /calendar/v3/colors', `X: ${'x'.repeat(100_000)}\r\n`)])],
  ['10,000 headers', batchOf([part('GET /calendar/v3/colors', 'X: y\r\n'.repeat(10_000))])],
  ['100,000 folded lines', batchOf([part('GET /calendar/v3/colors', `X: y${'\r\n y'.repeat(100_000)}\r\n`)])],
  ...[
    'http://127.0.0.1/calendar/v3/colors',
    'https://evil.example/',
    '//evil.example/',
    'evil.example:443',
    '*',
    'calendar/v3/colors',
    '\\\\evil\\x',
    'file:///etc/passwd',
  ].map((to) => [`to ${to}`, batchOf([part(`GET ${to}`)])]),
  ['a path with a blank', batchOf([part('GET /calendar/v3/colors x')])],
  [
    'no UTF-8',
    Buffer.concat([Buffer.from(part(`POST ${events}`)), Buffer.from([0xff, 0xfe]), Buffer.from('\r\n--b--')]),
  ],
  ['a header with CR', batchOf([part('GET /calendar/v3/colors', 'X: a\rY: b\r\n')])],
  ['NUL in the request line', batchOf([part('GET /calendar/v3/\u0000colors')])],
];
const oddBoundaries = [
  '""',
  '"b',
  '"b\\"',
  'b; boundary=c',
  '"b "',
  'x'.repeat(71),
  '"a\tb"',
  '(.*)+$',
  '[',
  '\\',
  '*',
  '%62',
  '"(((((.*)*)*)*)*)"',
  'é',
];

async function checkForms({ gateway, token }) {
  return [
    await checkInputs(
      'batches that are bombs or broken',
      '400 in the envelope, within 400 ms',
      bombs,
      async ([, body]) => {
        const answer = await sendBatch(gateway, token, body);
        return expectRefusal(400)(answer) ?? (answer.ms <= 400 ? undefined : `${answer.ms} ms`);
      },
    ),
    await checkInputs('odd boundaries', '400 in the envelope', oddBoundaries, async (boundary) =>
      expectRefusal(400)(
        await sendBatch(gateway, token, batchOf([colors]), {
          'content-type': Buffer.from(multipart(boundary)['content-type']).toString('latin1'),
        }),
      ),
    ),
    await checkInputs(
      'a boundary made like a pattern',
      'is a text',
      ["'()+_,-./:=?", '(.)?', '++', '.:.'],
      async (boundary) => {
        const answer = await sendBatch(
          gateway,
          token,
          batchOf([colors]).replaceAll('--b', `--${boundary}`),
          multipart(`"${boundary}"`),
        );
        return partsOf(answer)[0]?.status === 200 ? undefined : `${answer.status}`;
      },
    ),
    await checkInputs(
      'parts that call what is no REST',
      '404 in the envelope',
      [
        '/graphql',
        '/graphql?query={__typename}',
        '/health/live',
        '/health/ready',
        '/metrics',
        '/',
        '/explorer',
        '/calendar/../graphql',
        '/calendar/v3/../../metrics',
        '/%67raphql',
        '/calendar%2Fv3%2Fcolors',
        '/favicon.ico',
      ],
      async (to) =>
        expectRefusal(404)(partsOf(await sendBatch(gateway, token, batchOf([part(`GET ${to}`)])))[0] ?? {}),
    ),
    await checkInputs(
      'batches in batches that are spelled otherwise',
      'refused in the part',
      ['/%62atch/calendar/v3', '/batch%2Fcalendar/v3', '/BATCH/calendar/v3', '/./batch/calendar/v3'],
      async (to) =>
        expectRefusal(
          400,
          404,
          405,
          415,
        )(
          partsOf(
            await sendBatch(
              gateway,
              token,
              batchOf([
                part(
                  `POST ${to}`,
                  'Content-Type: application/x-www-form-urlencoded; x=multipart/mixed; boundary=b\r\n',
                  batchOf([colors]).replaceAll('--b', '--c'),
                ),
              ]),
            ),
          )[0] ?? {},
        ),
    ),
  ];
}

async function checkCallers({ gateway, token }) {
  const bob = await tokenOf('bob@example.com');
  const primary = `GET ${calendars}/primary`;
  const as = (value) => `Authorization: ${value}\r\n`;
  const ids = async (by, ...heads) =>
    partsOf(await sendBatch(gateway, by, batchOf(heads.map((head) => part(primary, head)))))
      .map(({ status, json }) => json?.id ?? status)
      .join();
  const cases = [
    [
      'its own token',
      () => ids(token, '', as(`Bearer ${bob}`), ''),
      'alice@example.com,bob@example.com,alice@example.com',
    ],
    [
      'its own token, the batch none',
      () => ids(undefined, '', as(`Bearer ${bob}`), ''),
      '401,bob@example.com,401',
    ],
    [
      'tokens that are none',
      () =>
        ids(
          token,
          as('Bearer x'),
          as('Basic YTpi'),
          as('Bearer'),
          as(''),
          as(`Bearer ${token}\r\nAuthorization: Bearer ${bob}`),
          '',
        ),
      '401,401,401,401,401,alice@example.com',
    ],
    [
      'a token in the query',
      async () =>
        partsOf(await sendBatch(gateway, undefined, batchOf([part(`${primary}?access_token=${token}`)])))[0]
          ?.status,
      401,
    ],
    [
      'a token of the batch that is none',
      async () => (await sendBatch(gateway, 'a.b.c', batchOf([part(primary, as(`Bearer ${bob}`))]))).status,
      401,
    ],
  ];
  const injected = ['x\r\n y', 'x>\u0085', '<a> <b>', '"><script>', '<%0d%0aX: 1>', '<'.repeat(3000)];
  return [
    await checkInputs(
      'who calls a part',
      'its own token, else that of the batch, never that of another part',
      cases,
      async ([, check, expected]) => {
        const result = await check();
        return result === expected ? undefined : result;
      },
    ),
    await checkInputs('odd identifiers of parts', 'one line of the answer, or 400', injected, async (id) => {
      const answer = await sendBatch(
        gateway,
        token,
        batchOf([colors.replace('\r\n\r\n', `\r\nContent-ID: ${id}\r\n\r\n`)]),
      );
      if (answer.status === 400) return envelopeProblem(answer);
      return answer.status === 200 && partsOf(answer)[0]?.status === 200 && !/^X: 1/m.test(answer.body)
        ? undefined
        : `${answer.status}`;
    }),
    await checkInputs(
      'a body at the limit, and beyond',
      '200, 413',
      [
        [1024 * 1024, 200],
        [1024 * 1024 + 1, 413],
      ],
      async ([size, status]) => {
        const whole = batchOf([colors, part(`GET ${calendars}/primary`)]);
        const answer = await sendBatch(gateway, token, `${'x'.repeat(size - whole.length - 2)}\r\n${whole}`);
        return answer.status === status
          ? status === 413
            ? envelopeProblem(answer)
            : undefined
          : `${answer.status}`;
      },
    ),
  ];
}

/** Counts the parts that pass a limit of 20 per minute, and checks that the next request is refused. */
async function checkLimits({ start, seed }) {
  const gateway = await start({ env: { REST: 'on', RATE_LIMIT: '20' }, seed });
  try {
    const kinds = [
      ['reads', `GET ${events}/victim`],
      ['writes', `PATCH ${events}/victim`, '{}'],
      ['paths without anything', 'GET /calendar/v3/nothing'],
      ['verbs that are not allowed', 'DELETE /calendar/v3/colors'],
      ['broken bodies', `POST ${events}`, '{'],
      ['broken fields', `GET ${events}?fields=((`],
      ['methods that stand for others', `POST ${events}/victim`, '{}', 'X-HTTP-Method-Override: GET\r\n'],
      ['OPTIONS', 'OPTIONS /calendar/v3/colors'],
      ['discovery', 'GET /discovery/v1/apis'],
    ];
    const row = await checkInputs(
      '50 parts with a limit of 20',
      'at most 20 are let through, then 429 with Retry-After; the next request too',
      kinds.map((kind, index) => [...kind, index]),
      async (input) => {
        const [, line, body = '', head = ''] = input.length > 3 ? input.slice(0, -1) : input;
        const token = await tokenOf('alice@example.com', { sub: `limited ${input.at(-1)}` });
        const parts = partsOf(
          await sendBatch(
            gateway,
            token,
            batchOf(repeat(50, () => part(line, `${head}Content-Type: application/json\r\n`, body))),
          ),
        );
        const through = parts.filter(({ status }) => status !== 429);
        const limited = parts.filter(({ status }) => status === 429);
        const next = await ask(gateway, token, `GET ${events}/victim`);
        if (through.length > 20 || next.status !== 429 || parts.length !== 50)
          return `${through.length} of ${parts.length}, then ${next.status}`;
        return limited.every(({ headers }) => /^\d+$/.test(headers['retry-after']))
          ? envelopeProblem(limited[0])
          : 'no Retry-After';
      },
    );
    const broken = await checkInputs(
      '30 broken batches, and 50 tokens that are none, with a limit of 20',
      '429 in the end',
      ['broken', 'tokens'],
      async (kind) => {
        const token = kind === 'broken' ? await tokenOf('alice@example.com', { sub: 'breaks' }) : undefined;
        const sent =
          kind === 'broken'
            ? await Promise.all(repeat(30, () => sendBatch(gateway, token, '--b')))
            : partsOf(
                await sendBatch(
                  gateway,
                  undefined,
                  batchOf(
                    repeat(50, (index) =>
                      part('GET /calendar/v3/colors', `Authorization: Bearer a.b.${index}\r\n`),
                    ),
                  ),
                ),
              );
        const last = sent.filter(({ status }) => status === 429).length;
        return last >= sent.length - 20 ? undefined : `${last} of ${sent.length}`;
      },
    );
    return [row, broken];
  } finally {
    await gateway.stop();
  }
}

/** Disconnects the caller of a batch after its first part, with much work before the last part. */
export async function checkDisconnect({ gateway, token }) {
  const insertPart = (id) =>
    part(
      `POST ${events}`,
      'Content-Type: application/json\r\n',
      JSON.stringify({ id, start: { date: '2027-01-01' }, end: { date: '2027-01-02' } }),
    );
  const body = batchOf([
    insertPart('thefirst'),
    ...repeat(48, () => part(`GET ${calendars}/full/events?maxResults=2500`)),
    insertPart('thelast0'),
  ]);
  const socket = connect(gateway.port, '127.0.0.1').on('error', () => undefined);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: multipart/mixed; boundary=b\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const lists = async () =>
    Number(
      /^rest_request_duration_seconds_count\{operation="events",status="200"\} (\d+)$/m.exec(
        (await gateway.send({ path: '/metrics' })).body,
      )?.[1] ?? 0,
    );
  const earlier = await lists();
  const statusOf = async (id) => (await ask(gateway, token, `GET ${events}/${id}`)).status;
  for (let tries = 0; tries < 100 && (await statusOf('thefirst')) !== 200; tries += 1);
  socket.destroy();
  let [before, now] = [-1, 0];
  // Running parts may finish: waits until the count stays the same.
  for (let rounds = 0; rounds < 50 && before !== now; rounds += 1) {
    before = now;
    await new Promise((resolve) => setTimeout(resolve, 400));
    now = (await lists()) - earlier;
  }
  const first = await statusOf('thefirst');
  const last = await statusOf('thelast0');
  return {
    row: 'rest',
    attack: 'the caller of a batch of 50 is gone after its first part',
    criterion: 'most of the rest is not run',
    figure: `first ${first}, lists ${now} of 48, last ${last}`,
    held: first === 200 && last === 404 && now < 24,
  };
}

export const restChecks = [checkForms, checkCallers, checkLimits];

const list = `${calendars}/full/events?maxResults=2500`;
const inBatch = (parts) => ({ method: 'POST', path, headers: multipart(), body: batchOf(parts) });
const overridden = (body) => ({
  method: 'POST',
  path: events,
  headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-http-method-override': 'GET' },
  body,
});
const manyNames = `items(${repeat(900, (index) => `f${index}`).join()},*(*(*,a),*)),*/*/*/*`;

/** Growth by a few lists of megabytes on a fresh heap. Ten of them over GraphQL take 600 MB. */
const maxListsGrowthMb = 400;

/** Expensive requests, in the form of `costAttacks`. */
export const restAttacks = [
  [
    'rest',
    'a list of 2,500 events with 20 guests each, indented',
    () => ({ path: `${list}&prettyPrint=true` }),
    2,
    maxListsGrowthMb,
  ],
  [
    'rest',
    'the same, its fields named by stars and 900 names',
    () => ({ path: `${list}&fields=${manyNames}` }),
    2,
    maxListsGrowthMb,
  ],
  [
    'rest',
    '50 of them in a batch',
    () => inBatch(repeat(50, () => part(`GET ${list}`))),
    2,
    maxListsGrowthMb,
  ],
  ['rest', 'a form of 250,000 parameters', () => overridden('a=b&'.repeat(250_000)), 20],
  [
    'rest',
    '4,900 fields and 190 guests with 100 fields each that there are not',
    () => ({
      method: 'PATCH',
      path: `${events}/victim`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...Object.fromEntries(repeat(4900, (index) => [`k${index}`, 1])),
        attendees: repeat(190, (guest) => ({
          email: `g${guest}@example.com`,
          ...Object.fromEntries(repeat(100, (index) => [`k${index}`, 1])),
        })),
      }),
    }),
    10,
  ],
  ['rest', 'a batch of 100,000 boundaries', () => ({ ...inBatch([]), body: '--b\r\n'.repeat(100_000) }), 20],
  [
    'rest',
    'a batch of 50 tokens that are none',
    () =>
      inBatch(
        repeat(50, (index) => part('GET /calendar/v3/colors', `Authorization: Bearer a.b.${index}\r\n`)),
      ),
    10,
  ],
];
