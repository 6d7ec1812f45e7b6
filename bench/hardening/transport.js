// Attacks on the HTTP transport: slow, malformed and oversized requests, connections, hosts and origins.
import { networkInterfaces } from 'node:os';
import { connect } from 'node:net';
import { codeOf, tokenOf } from './gateway.js';

const typename = '{"query":"{ __typename }"}';
const isGraphqlError = (body) => {
  try {
    const { extensions, message } = JSON.parse(body).errors[0];
    return (
      typeof message === 'string' &&
      ['code', 'reason', 'issues', 'requestId'].every((key) => key in extensions)
    );
  } catch {
    return false;
  }
};

/** Sends raw bytes, then a byte a second if `drip` is set. Resolves to the response and its time in seconds. */
export function sendRaw(port, bytes, { drip = false, limitMs = 25_000 } = {}) {
  return new Promise((resolve) => {
    const started = performance.now();
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const timer = drip && setInterval(() => socket.write('a'), 1000);
    const limit = setTimeout(() => socket.destroy(), limitMs);
    socket
      .setEncoding('utf8')
      .on('data', (part) => (text += part))
      .on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(timer);
      clearTimeout(limit);
      const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
      resolve({
        status: Number(head.split(' ')[1] ?? 0),
        head,
        body,
        seconds: (performance.now() - started) / 1000,
      });
    });
    socket.write(bytes);
  });
}

const head = (start, ...lines) => `${[start, ...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`;
const postHead = (...lines) => head('POST /graphql HTTP/1.1', 'Content-Type: application/json', ...lines);

async function checkTimeout(gateway, bytes) {
  const { status, body, seconds } = await sendRaw(gateway.port, bytes, { drip: true });
  return {
    figure: `${seconds.toFixed(1)} s, ${status}`,
    held: seconds >= 14 && seconds <= 17 && status === 408 && isGraphqlError(body),
  };
}

export const slowTransportChecks = [
  [
    'M1',
    'headers at a byte a second',
    async (gateway) => ({
      row: 'M1',
      attack: 'headers at a byte a second',
      criterion: 'cut at 15 s with 408',
      ...(await checkTimeout(gateway, 'POST /graphql HTTP/1.1\r\nX: ')),
    }),
  ],
  [
    'M1',
    'a body at a byte a second',
    async (gateway) => ({
      row: 'M1',
      attack: 'a body at a byte a second',
      criterion: 'cut at 15 s with 408',
      ...(await checkTimeout(gateway, postHead('Host: x', 'Content-Length: 1000'))),
    }),
  ],
];

async function withGateway(start, settings, check) {
  const gateway = await start(settings);
  try {
    return await check(gateway);
  } finally {
    await gateway.stop();
  }
}

async function checkErrors({ start }) {
  const attack = 'errors of HTTP: 400, 401, 404, 405, 408-like, 413, 415, 431, OPTIONS *, odd Host';
  const requests = [
    ['hello\r\n\r\n', 400],
    [head('GET / HTTP/1.1', 'Host: x', `X: ${'a'.repeat(20_000)}`), 431],
    [head('OPTIONS * HTTP/1.1', 'Host: x'), 404],
    [head('PUT /graphql HTTP/1.1', 'Host: x'), 405],
    [head('GET /nope HTTP/1.1', 'Host: x'), 404],
    [head('GET /% HTTP/1.1', 'Host: x'), 400],
    [`${postHead('Host: ', `Content-Length: ${typename.length}`)}${typename}`, 400],
    [`${postHead('Host: a b/c', `Content-Length: ${typename.length}`)}${typename}`, 400],
    [postHead('Host: x', 'Content-Length: 2000000'), 413],
    [postHead('Host: x', 'Content-Length: 5', 'Authorization: Bearer a.b.c'), 401],
    [`${head('POST /graphql HTTP/1.1', 'Host: x', 'Content-Type: text/plain', 'Content-Length: 2')}{}`, 415],
  ];
  return withGateway(start, {}, async ({ port }) => {
    const problems = [];
    for (const [bytes, status] of requests) {
      const answer = await sendRaw(port, bytes);
      const kept =
        /^x-content-type-options: nosniff\r?$/im.test(answer.head) &&
        /^cache-control: no-store\r?$/im.test(answer.head);
      if (answer.status !== status || !isGraphqlError(answer.body) || !kept)
        problems.push(`${status}: ${answer.status}`);
    }
    return {
      row: 'L',
      attack,
      criterion: "status, GraphQL's form, nosniff, no-store",
      figure:
        problems.length === 0 ? `${requests.length} as they should be` : `wrong: ${problems.join('; ')}`,
      held: problems.length === 0,
    };
  });
}

async function checkAnonymousBodies({ start }) {
  return withGateway(start, {}, async (gateway) => {
    const base = gateway.memory().now;
    gateway.resetPeak();
    const body = `{"query":"${'x'.repeat(60_000)}`;
    await Promise.all(
      Array.from({ length: 1500 }, () =>
        sendRaw(gateway.port, postHead('Host: x', 'Content-Length: 65000') + body, { limitMs: 4000 }),
      ),
    );
    const growth = Math.round(gateway.memory().peak - base);
    const health = await gateway.send({ path: '/health/live' });
    return {
      row: 'L',
      attack: '1,500 anonymous bodies of 64 kB that never end',
      criterion: '< 200 MB, health answers',
      figure: `${growth} MB, ${health.status}`,
      held: growth < 200 && health.status === 200,
    };
  });
}

async function checkDemoPage({ start }) {
  return withGateway(start, { env: { demo: 'yes' } }, async (gateway) => {
    const token = /TOKEN=(\S+)/.exec(gateway.readLog())?.[1] ?? 'none';
    const page = (host) => gateway.send({ path: '/graphql', headers: { host, accept: 'text/html' } });
    const [ownPage, foreignPage] = [await page('localhost:4000'), await page('evil.example')];
    const held = token !== 'none' && !foreignPage.body.includes(token);
    return {
      row: 'L',
      attack: 'the demo page for a foreign Host (DNS rebinding)',
      criterion: 'no token in it',
      figure: `${foreignPage.status} (own: ${ownPage.status})`,
      held,
    };
  });
}

async function checkLog({ start }) {
  return withGateway(start, {}, async (gateway) => {
    const token = await tokenOf('alice@example.com');
    const secretText = 'must-not-be-logged';
    await gateway.send({
      path: `/graphql?query=${secretText}&variables=${secretText}`,
      headers: { authorization: `Bearer ${token}` },
    });
    await gateway.ask(
      `query { event(calendarId: "${secretText}", eventId: "x") { id } }`,
      { v: secretText },
      { token },
    );
    await new Promise((resolve) => setTimeout(resolve, 200));
    const log = gateway.readLog();
    const lines = log.split('\n').filter((line) => line.includes('"msg":"request"')).length;
    const leaks = log.includes(secretText) || log.includes(token.slice(-20));
    return {
      row: 'L',
      attack: 'query texts, variables, URLs and tokens in the log',
      criterion: 'none, one line a request',
      figure: `${lines} lines for 2 requests, ${leaks ? 'leaks' : 'no leak'}`,
      held: !leaks && lines === 2,
    };
  });
}

async function checkMetrics({ start }) {
  const address = Object.values(networkInterfaces())
    .flat()
    .find((candidate) => candidate?.family === 'IPv4' && !candidate.internal)?.address;
  return withGateway(start, { env: { HOST: '0.0.0.0' } }, async (gateway) => {
    const asStranger = address ? (await gateway.send({ host: address, path: '/metrics' })).status : 404;
    const byProxy = (await gateway.send({ path: '/metrics', headers: { 'x-forwarded-for': '192.0.2.1' } }))
      .status;
    const local = (await gateway.send({ path: '/metrics' })).status;
    return {
      row: 'L',
      attack: '/metrics from another address and through a proxy',
      criterion: '404, 404; from this machine 200',
      figure: `${address ? asStranger : 'no other address here'}, ${byProxy}, ${local}`,
      held: asStranger === 404 && byProxy === 404 && local === 200,
    };
  });
}

async function checkCors({ start }) {
  return withGateway(start, {}, async (gateway) => {
    const answers = [];
    for (const origin of ['https://studio.apollographql.com', 'http://localhost:3000', 'null']) {
      const { headers } = await gateway.send({
        method: 'OPTIONS',
        path: '/graphql',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      answers.push(headers['access-control-allow-origin'] ?? 'refused');
    }
    return {
      row: 'L',
      attack: "CORS in production: Apollo's studio, loopback, null",
      criterion: 'refused',
      figure: answers.join(', '),
      held: answers.every((answer) => answer === 'refused'),
    };
  });
}

/** Opens more streams than a caller may have. Checks that a closed one frees its slot, and that no document opens two. */
const checkStreams =
  (accept) =>
  async ({ start, seed }) =>
    withGateway(start, { seed }, async ({ port }) => {
      const token = await tokenOf('alice@example.com');
      const follow = 'calendarChanged(calendarId: "primary") { calendarId }';
      const open = (query, headers = { authorization: `Bearer ${token}` }) =>
        fetch(`http://127.0.0.1:${port}/graphql`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', accept, ...headers },
          body: JSON.stringify({ query }),
        });
      const statuses = {};
      const opened = [];
      const count = (response) => {
        statuses[response.status] = (statuses[response.status] ?? 0) + 1;
        if (response.status === 200) opened.push(response);
        else void response.body.cancel();
      };
      for (let index = 0; index < 40; index += 1) count(await open(`subscription { ${follow} }`));
      const anonymous = (await open(`subscription { ${follow} }`, {})).status;
      await opened.pop().body.cancel();
      await new Promise((resolve) => setTimeout(resolve, 200));
      const again = await open(`subscription { ${follow} }`);
      opened.push(again);
      const two = await (await open(`subscription { a: ${follow} b: ${follow} }`)).text();
      for (const { body } of opened) await body.cancel();
      return {
        row: 'L',
        attack: `40 streams of one caller, ${accept}`,
        criterion: '20 open, 429 for others; 401 without a token; a slot again; one root field',
        figure: `${JSON.stringify(statuses)}, ${anonymous}, ${again.status}`,
        held:
          statuses[200] === 20 &&
          statuses[429] === 20 &&
          anonymous === 401 &&
          again.status === 200 &&
          two.includes('must select only one'),
      };
    });

async function checkRateLimits({ start }) {
  return withGateway(start, { env: { RATE_LIMIT: '20' } }, async (gateway) => {
    const token = await tokenOf('alice@example.com');
    const large = await gateway.ask(
      `{ ${Array.from({ length: 50 }, (_, index) => `a${index}: event(calendarId: "primary", eventId: "x") { id }`).join(' ')} }`,
      undefined,
      { token },
    );
    const message = large.json?.errors?.[0]?.message ?? '';
    const invalid = [];
    for (let count = 0; count < 25; count += 1)
      invalid.push(
        codeOf(await gateway.ask('{ nope }', undefined, { token: await tokenOf('bob@example.com') })),
      );
    const anonymous = [];
    for (let count = 0; count < 25; count += 1)
      anonymous.push(
        (
          await gateway.send({
            method: 'POST',
            path: '/graphql',
            headers: { 'content-type': 'application/json', authorization: 'Bearer a.b.c' },
            body: typename,
          })
        ).status,
      );
    return [
      {
        row: 'L',
        attack: 'a document above RATE_LIMIT by itself',
        criterion: 'is told "at most", not "try again"',
        figure: message.slice(0, 100),
        held: message !== '' && !/try again/i.test(message),
      },
      {
        row: 'M2',
        attack: 'invalid documents, and bad tokens',
        criterion: 'charged: 429 within 25',
        figure: `${invalid.at(-1)}, ${anonymous.at(-1)}`,
        held: invalid.at(-1) === 'RATE_LIMITED' && anonymous.at(-1) === 429,
      },
    ];
  });
}

/** Checks that the request ids of errors are in the log. */
async function checkRequestIds({ start }) {
  return withGateway(start, {}, async (gateway) => {
    const answers = [
      await gateway.ask('{ nope }'),
      await gateway.send({ path: '/nope' }),
      await sendRaw(gateway.port, 'hello\r\n\r\n'),
    ];
    await new Promise((resolve) => setTimeout(resolve, 300));
    const log = gateway.readLog();
    const ids = answers.map(({ body }) => JSON.parse(body).errors[0].extensions.requestId);
    const found = ids.filter((id) => log.includes(id)).length;
    return {
      row: 'M5',
      attack: 'ids that errors are told with',
      criterion: 'all in the log',
      figure: `${found} of ${ids.length}`,
      held: found === ids.length,
    };
  });
}

export const transportChecks = [
  ['L', 'errors of HTTP', checkErrors],
  ['L', 'anonymous bodies', checkAnonymousBodies],
  ['L', 'demo page', checkDemoPage],
  ['L', 'log', checkLog],
  ['L', 'metrics', checkMetrics],
  ['L', 'studio', checkCors],
  ['L', 'rate limits', checkRateLimits],
  ['L', 'streams in parts', checkStreams('multipart/mixed;subscriptionSpec=1.0')],
  ['L', 'streams of events', checkStreams('text/event-stream')],
  ['M5', 'ids in the log', checkRequestIds],
];
