// Attacks by batches of the REST face: their forms, costs and limits.
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { maxLargeMb } from './costs.js';
import { signToken, withGateway } from './gateway.js';
import {
  sendRest,
  calendarsPath,
  eventsPath,
  expectRefusal,
  checkInputs,
  findEnvelopeProblem,
  maxRefusalMs,
} from './rest-client.js';
import { smallSeed } from './seed.js';

/** Maximum number of parts of a batch. */
const maxParts = 50;

const multipartHeaders = (boundary = 'b') => ({ 'content-type': `multipart/mixed; boundary=${boundary}` });
/** Creates a part of a batch with the boundary `b`. `head`: lines of headers that end with CRLF. */
const createPart = (requestLine, head = '', body = '') =>
  `--b\r\nContent-Type: application/http\r\n\r\n${requestLine} HTTP/1.1\r\n${head}\r\n${body}\r\n`;
const createBatch = (parts) => `${parts.join('')}--b--`;
const batchPath = '/batch/calendar/v3';
const colorsPart = createPart('GET /calendar/v3/colors');
const largeListPath = `${calendarsPath}/full/events?maxResults=2500`;
const createMany = (count, create) => Array.from({ length: count }, (_, index) => create(index));

/** Parses the responses of the parts, in the form of `sendRest`. */
function parseParts({ body, headers }) {
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

/** Sends a batch. `body`: all parts, with the boundary `b`. */
const sendBatch = (gateway, token, body, headers = {}) =>
  sendRest(gateway, token, `POST ${batchPath}`, { body, headers: { ...multipartHeaders(), ...headers } });

const brokenBatches = [
  [`${maxParts + 1} parts`, createBatch(createMany(maxParts + 1, () => colorsPart))],
  ['100,000 boundaries', '--b\r\n'.repeat(100_000)],
  ['100,000 ends', '--b--\r\n'.repeat(100_000)],
  ['boundaries and blanks', `--b${' '.repeat(900_000)}x`],
  ['no end', colorsPart],
  ['nothing', ''],
  ['an end alone', '--b--'],
  ['a megabyte without a boundary', 'x'.repeat(1_000_000)],
  ['a megabyte of line ends', '\r\n'.repeat(500_000)],
  [
    'multipart inside',
    createBatch([
      createPart('POST /calendar/v3/colors', 'Content-Type: multipart/mixed; boundary=c\r\n', '--c--'),
    ]),
  ],
  ...['/batch/calendar/v3', '/batch/storage/v1', '/batch', '/batch?x', '/batch/'].map((target) => [
    `a batch at ${target}`,
    createBatch([createPart(`POST ${target}`, 'Content-Type: application/json\r\n', '{}')]),
  ]),
  [
    '100 kB of headers',
    createBatch([createPart('GET /calendar/v3/colors', `X: ${'x'.repeat(100_000)}\r\n`)]),
  ],
  ['10,000 headers', createBatch([createPart('GET /calendar/v3/colors', 'X: y\r\n'.repeat(10_000))])],
  [
    '100,000 folded lines',
    createBatch([createPart('GET /calendar/v3/colors', `X: y${'\r\n y'.repeat(100_000)}\r\n`)]),
  ],
  ...[
    'http://127.0.0.1/calendar/v3/colors',
    'https://evil.example/',
    '//evil.example/',
    'evil.example:443',
    '*',
    'calendar/v3/colors',
    '\\\\evil\\x',
    'file:///etc/passwd',
  ].map((target) => [`to ${target}`, createBatch([createPart(`GET ${target}`)])]),
  ['a path with a blank', createBatch([createPart('GET /calendar/v3/colors x')])],
  [
    'no UTF-8',
    Buffer.concat([
      Buffer.from(createPart(`POST ${eventsPath}`)),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('\r\n--b--'),
    ]),
  ],
  ['a header with CR', createBatch([createPart('GET /calendar/v3/colors', 'X: a\rY: b\r\n')])],
  ['NUL in the request line', createBatch([createPart('GET /calendar/v3/\u0000colors')])],
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
      'broken batches, and batches that could exhaust the parser',
      `400 in the envelope, within ${maxRefusalMs} ms`,
      brokenBatches,
      async ([, body]) => {
        const response = await sendBatch(gateway, token, body);
        return (
          expectRefusal(400)(response) ?? (response.ms <= maxRefusalMs ? undefined : `${response.ms} ms`)
        );
      },
    ),
    await checkInputs('odd boundaries', '400 in the envelope', oddBoundaries, async (boundary) =>
      expectRefusal(400)(
        await sendBatch(gateway, token, createBatch([colorsPart]), {
          'content-type': Buffer.from(multipartHeaders(boundary)['content-type']).toString('latin1'),
        }),
      ),
    ),
    await checkInputs(
      'a boundary that looks like a regular expression',
      'is taken literally',
      ["'()+_,-./:=?", '(.)?', '++', '.:.'],
      async (boundary) => {
        const response = await sendBatch(
          gateway,
          token,
          createBatch([colorsPart]).replaceAll('--b', `--${boundary}`),
          multipartHeaders(`"${boundary}"`),
        );
        return parseParts(response)[0]?.status === 200 ? undefined : `${response.status}`;
      },
    ),
    await checkInputs(
      'parts that call paths outside of REST',
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
      async (target) =>
        expectRefusal(404)(
          parseParts(await sendBatch(gateway, token, createBatch([createPart(`GET ${target}`)])))[0] ?? {},
        ),
    ),
    await checkInputs(
      'nested batches with other spellings of the path',
      'refused in the part',
      ['/%62atch/calendar/v3', '/batch%2Fcalendar/v3', '/BATCH/calendar/v3', '/./batch/calendar/v3'],
      async (target) =>
        expectRefusal(
          400,
          404,
          405,
          415,
        )(
          parseParts(
            await sendBatch(
              gateway,
              token,
              createBatch([
                createPart(
                  `POST ${target}`,
                  'Content-Type: application/x-www-form-urlencoded; x=multipart/mixed; boundary=b\r\n',
                  createBatch([colorsPart]).replaceAll('--b', '--c'),
                ),
              ]),
            ),
          )[0] ?? {},
        ),
    ),
  ];
}

async function checkCallers({ gateway, token }) {
  const bobToken = await signToken('bob@example.com');
  const primaryRequestLine = `GET ${calendarsPath}/primary`;
  const authorizationHeader = (value) => `Authorization: ${value}\r\n`;
  /**
   * Reads the primary calendar in a batch with a part for each of `heads`. Returns ids, or statuses of
   * errors.
   */
  const readIds = async (callerToken, ...heads) =>
    parseParts(
      await sendBatch(
        gateway,
        callerToken,
        createBatch(heads.map((head) => createPart(primaryRequestLine, head))),
      ),
    )
      .map(({ status, json }) => json?.id ?? status)
      .join();
  const callerCases = [
    [
      'its own token',
      () => readIds(token, '', authorizationHeader(`Bearer ${bobToken}`), ''),
      'alice@example.com,bob@example.com,alice@example.com',
    ],
    [
      'its own token, the batch without a token',
      () => readIds(undefined, '', authorizationHeader(`Bearer ${bobToken}`), ''),
      '401,bob@example.com,401',
    ],
    [
      'invalid tokens',
      () =>
        readIds(
          token,
          authorizationHeader('Bearer x'),
          authorizationHeader('Basic YTpi'),
          authorizationHeader('Bearer'),
          authorizationHeader(''),
          authorizationHeader(`Bearer ${token}\r\nAuthorization: Bearer ${bobToken}`),
          '',
        ),
      '401,401,401,401,401,alice@example.com',
    ],
    [
      'a token in the query',
      async () =>
        parseParts(
          await sendBatch(
            gateway,
            undefined,
            createBatch([createPart(`${primaryRequestLine}?access_token=${token}`)]),
          ),
        )[0]?.status,
      401,
    ],
    [
      'an invalid token of the batch',
      async () =>
        (
          await sendBatch(
            gateway,
            'a.b.c',
            createBatch([createPart(primaryRequestLine, authorizationHeader(`Bearer ${bobToken}`))]),
          )
        ).status,
      401,
    ],
  ];
  const oddContentIds = ['x\r\n y', 'x>\u0085', '<a> <b>', '"><script>', '<%0d%0aX: 1>', '<'.repeat(3000)];
  return [
    await checkInputs(
      'the caller of a part',
      'by its own token, else by that of the batch, never by that of another part',
      callerCases,
      async ([, check, expected]) => {
        const result = await check();
        return result === expected ? undefined : result;
      },
    ),
    await checkInputs(
      'odd identifiers of parts',
      'one line of the response, or 400',
      oddContentIds,
      async (id) => {
        const response = await sendBatch(
          gateway,
          token,
          createBatch([colorsPart.replace('\r\n\r\n', `\r\nContent-ID: ${id}\r\n\r\n`)]),
        );
        if (response.status === 400) return findEnvelopeProblem(response);
        return response.status === 200 &&
          parseParts(response)[0]?.status === 200 &&
          !/^X: 1/m.test(response.body)
          ? undefined
          : `${response.status}`;
      },
    ),
    await checkInputs(
      'a body at the limit of 1 MiB, and above it',
      '200, 413',
      [
        [1024 * 1024, 200],
        [1024 * 1024 + 1, 413],
      ],
      async ([size, status]) => {
        const batch = createBatch([colorsPart, createPart(`GET ${calendarsPath}/primary`)]);
        const response = await sendBatch(
          gateway,
          token,
          // 2 bytes for the line break between the filler and the batch.
          `${'x'.repeat(size - batch.length - 2)}\r\n${batch}`,
        );
        return response.status === status
          ? status === 413
            ? findEnvelopeProblem(response)
            : undefined
          : `${response.status}`;
      },
    ),
  ];
}

const rateLimit = 20;

/** Counts the parts that pass the rate limit, and checks that the next request is refused. */
const checkRateLimit = () =>
  withGateway({ env: { REST: 'on', RATE_LIMIT: String(rateLimit) }, seed: smallSeed }, async (gateway) => {
    const requestKinds = [
      ['reads', `GET ${eventsPath}/victim`],
      ['writes', `PATCH ${eventsPath}/victim`, '{}'],
      ['paths that are not served', 'GET /calendar/v3/nothing'],
      ['methods that are not allowed', 'DELETE /calendar/v3/colors'],
      ['broken bodies', `POST ${eventsPath}`, '{'],
      ['broken fields', `GET ${eventsPath}?fields=((`],
      ['overridden methods', `POST ${eventsPath}/victim`, '{}', 'X-HTTP-Method-Override: GET\r\n'],
      ['OPTIONS', 'OPTIONS /calendar/v3/colors'],
      ['discovery', 'GET /discovery/v1/apis'],
    ];
    const partsRow = await checkInputs(
      `${maxParts} parts with a limit of ${rateLimit}`,
      `at most ${rateLimit} pass, then 429 with Retry-After; the next request too`,
      requestKinds,
      async ([kind, requestLine, body = '', head = '']) => {
        const token = await signToken('alice@example.com', { sub: kind });
        const parts = parseParts(
          await sendBatch(
            gateway,
            token,
            createBatch(
              createMany(maxParts, () =>
                createPart(requestLine, `${head}Content-Type: application/json\r\n`, body),
              ),
            ),
          ),
        );
        const passedParts = parts.filter(({ status }) => status !== 429);
        const limitedParts = parts.filter(({ status }) => status === 429);
        const nextResponse = await sendRest(gateway, token, `GET ${eventsPath}/victim`);
        if (passedParts.length > rateLimit || nextResponse.status !== 429 || parts.length !== maxParts)
          return `${passedParts.length} of ${parts.length}, then ${nextResponse.status}`;
        return limitedParts.every(({ headers }) => /^\d+$/.test(headers['retry-after']))
          ? findEnvelopeProblem(limitedParts[0])
          : 'no Retry-After';
      },
    );
    const invalidRow = await checkInputs(
      `30 broken batches, and ${maxParts} invalid tokens, with a limit of ${rateLimit}`,
      `429 after ${rateLimit}`,
      ['broken', 'tokens'],
      async (kind) => {
        const token = kind === 'broken' ? await signToken('alice@example.com', { sub: 'breaks' }) : undefined;
        const responses =
          kind === 'broken'
            ? await Promise.all(createMany(30, () => sendBatch(gateway, token, '--b')))
            : parseParts(
                await sendBatch(
                  gateway,
                  undefined,
                  createBatch(
                    createMany(maxParts, (index) =>
                      createPart('GET /calendar/v3/colors', `Authorization: Bearer a.b.${index}\r\n`),
                    ),
                  ),
                ),
              );
        const limitedCount = responses.filter(({ status }) => status === 429).length;
        return limitedCount >= responses.length - rateLimit
          ? undefined
          : `${limitedCount} of ${responses.length}`;
      },
    );
    return [partsRow, invalidRow];
  });

/** Disconnects the caller of a batch after its first part. Between it and the last part are expensive lists. */
export async function checkDisconnect({ gateway, token }) {
  const createInsertPart = (id) =>
    createPart(
      `POST ${eventsPath}`,
      'Content-Type: application/json\r\n',
      JSON.stringify({ id, start: { date: '2027-01-01' }, end: { date: '2027-01-02' } }),
    );
  const body = createBatch([
    createInsertPart('thefirst'),
    ...createMany(maxParts - 2, () => createPart(`GET ${largeListPath}`)),
    createInsertPart('thelast0'),
  ]);
  const socket = connect(gateway.port, '127.0.0.1').on('error', () => undefined);
  socket.write(
    `POST ${batchPath} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Type: multipart/mixed; boundary=b\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  /** Returns the number of lists of events that the gateway has served. */
  const readListCount = async () =>
    Number(
      /^rest_request_duration_seconds_count\{operation="events",status="200"\} (\d+)$/m.exec(
        (await gateway.send({ path: '/metrics' })).body,
      )?.[1] ?? 0,
    );
  const initialCount = await readListCount();
  const statusOf = async (id) => (await sendRest(gateway, token, `GET ${eventsPath}/${id}`)).status;
  for (let attempt = 0; attempt < 100 && (await statusOf('thefirst')) !== 200; attempt += 1);
  socket.destroy();
  let [previousCount, listCount] = [-1, 0];
  // Running parts may finish: waits until the count stays the same.
  for (let round = 0; round < 50 && previousCount !== listCount; round += 1) {
    previousCount = listCount;
    await pause(400);
    listCount = (await readListCount()) - initialCount;
  }
  const firstStatus = await statusOf('thefirst');
  const lastStatus = await statusOf('thelast0');
  return {
    attack: `a caller of a batch of ${maxParts} who disconnects after its first part`,
    criterion: 'the last part and most others are not run',
    figure: `first ${firstStatus}, lists ${listCount} of ${maxParts - 2}, last ${lastStatus}`,
    isMet: firstStatus === 200 && lastStatus === 404 && listCount < (maxParts - 2) / 2,
  };
}

export const batchChecks = {
  'batch-forms': checkForms,
  'batch-callers': checkCallers,
  'batch-rate-limit': checkRateLimit,
};

const createBatchRequest = (parts) => ({
  method: 'POST',
  path: batchPath,
  headers: multipartHeaders(),
  body: createBatch(parts),
});
const createOverriddenRequest = (body) => ({
  method: 'POST',
  path: eventsPath,
  headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-http-method-override': 'GET' },
  body,
});
const manyFields = `items(${createMany(900, (index) => `f${index}`).join()},*(*(*,a),*)),*/*/*/*`;

/** Expensive requests, in the form of attacks in costs.js. */
export const restCostAttacks = [
  {
    title: 'a list of 2,500 events with 20 guests each, indented',
    createRequest: () => ({ path: `${largeListPath}&prettyPrint=true` }),
    concurrency: 2,
    maxMb: maxLargeMb,
  },
  {
    title: 'the same list, with stars and 900 names in fields',
    createRequest: () => ({ path: `${largeListPath}&fields=${manyFields}` }),
    concurrency: 2,
    maxMb: maxLargeMb,
  },
  {
    title: `${maxParts} of these lists in a batch`,
    createRequest: () => createBatchRequest(createMany(maxParts, () => createPart(`GET ${largeListPath}`))),
    concurrency: 2,
    maxMb: maxLargeMb,
  },
  {
    title: 'a form of 250,000 parameters',
    createRequest: () => createOverriddenRequest('a=b&'.repeat(250_000)),
    concurrency: 20,
  },
  {
    title: '4,900 unknown fields and 190 guests with 100 unknown fields each',
    createRequest: () => ({
      method: 'PATCH',
      path: `${eventsPath}/victim`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        ...Object.fromEntries(createMany(4900, (index) => [`k${index}`, 1])),
        attendees: createMany(190, (guest) => ({
          email: `g${guest}@example.com`,
          ...Object.fromEntries(createMany(100, (index) => [`k${index}`, 1])),
        })),
      }),
    }),
    concurrency: 10,
  },
  {
    title: 'a batch of 100,000 boundaries',
    createRequest: () => ({ ...createBatchRequest([]), body: '--b\r\n'.repeat(100_000) }),
    concurrency: 20,
  },
  {
    title: `a batch with ${maxParts} invalid tokens`,
    createRequest: () =>
      createBatchRequest(
        createMany(maxParts, (index) =>
          createPart('GET /calendar/v3/colors', `Authorization: Bearer a.b.${index}\r\n`),
        ),
      ),
    concurrency: 10,
  },
];
