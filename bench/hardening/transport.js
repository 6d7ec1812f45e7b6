// Attacks on the HTTP transport: slow, malformed and oversized requests, connections, hosts and origins.
import { networkInterfaces } from 'node:os';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { outcomeOf, parseJson, signToken, withGateway } from './gateway.js';
import { smallSeed } from './seed.js';

const typenameBody = '{"query":"{ __typename }"}';
/** Time in which the gateway writes the log lines of sent requests. */
const logDelayMs = 300;
const maxAnonymousGrowthMb = 200;
const maxStreamsPerCaller = 20;

/** Whether a body is an error in GraphQL's form, with the extensions that all errors of the gateway have. */
const isGraphqlError = (body) => {
  const { message, extensions } = parseJson(body)?.errors?.[0] ?? {};
  return (
    typeof message === 'string' &&
    ['code', 'reason', 'issues', 'requestId'].every((name) => name in (extensions ?? {}))
  );
};

/** Sends raw bytes, then a byte a second if `drips` is set. Resolves to the response and its time in seconds. */
export function sendBytes(port, bytes, { drips = false, timeoutMs = 25_000 } = {}) {
  return new Promise((resolve) => {
    const startedAt = performance.now();
    const socket = connect(port, '127.0.0.1');
    let text = '';
    const dripTimer = drips && setInterval(() => socket.write('a'), 1000);
    const timeout = setTimeout(() => socket.destroy(), timeoutMs);
    socket
      .setEncoding('utf8')
      .on('data', (chunk) => (text += chunk))
      .on('error', () => undefined);
    socket.on('close', () => {
      clearInterval(dripTimer);
      clearTimeout(timeout);
      const [head = '', body = ''] = text.split(/\r\n\r\n(.*)/s);
      resolve({
        status: Number(head.split(' ')[1] ?? 0),
        head,
        body,
        seconds: (performance.now() - startedAt) / 1000,
      });
    });
    socket.write(bytes);
  });
}

/** Creates the head of a request. `fields`: header lines. */
const createHead = (requestLine, ...fields) =>
  `${[requestLine, ...fields, 'Connection: close'].join('\r\n')}\r\n\r\n`;
const createPostHead = (...fields) =>
  createHead('POST /graphql HTTP/1.1', 'Content-Type: application/json', ...fields);

/** Whether a request was cut at the request timeout of 15 s, which the gateway checks every second. */
export const isCutAtTimeout = ({ seconds, status }) => seconds >= 14 && seconds <= 17 && status === 408;

/** Creates a check that sends `bytes` and then a byte a second. */
const createSlowRequestCheck = (attack, bytes) => async (gateway) => {
  const response = await sendBytes(gateway.port, bytes, { drips: true });
  return {
    attack,
    criterion: 'cut at 15 s with 408',
    figure: `${response.seconds.toFixed(1)} s, ${response.status}`,
    isMet: isCutAtTimeout(response) && isGraphqlError(response.body),
  };
};

export const slowTransportChecks = {
  'slow-headers': createSlowRequestCheck('headers at a byte a second', 'POST /graphql HTTP/1.1\r\nX: '),
  'slow-body': createSlowRequestCheck(
    'a body at a byte a second',
    createPostHead('Host: x', 'Content-Length: 1000'),
  ),
};

async function checkErrors() {
  const requests = [
    ['hello\r\n\r\n', 400],
    [createHead('GET / HTTP/1.1', 'Host: x', `X: ${'a'.repeat(20_000)}`), 431],
    [createHead('OPTIONS * HTTP/1.1', 'Host: x'), 404],
    [createHead('PUT /graphql HTTP/1.1', 'Host: x'), 405],
    [createHead('GET /nope HTTP/1.1', 'Host: x'), 404],
    [createHead('GET /% HTTP/1.1', 'Host: x'), 400],
    [`${createPostHead('Host: ', `Content-Length: ${typenameBody.length}`)}${typenameBody}`, 400],
    [`${createPostHead('Host: a b/c', `Content-Length: ${typenameBody.length}`)}${typenameBody}`, 400],
    [createPostHead('Host: x', 'Content-Length: 2000000'), 413],
    [createPostHead('Host: x', 'Content-Length: 5', 'Authorization: Bearer a.b.c'), 401],
    [
      `${createHead('POST /graphql HTTP/1.1', 'Host: x', 'Content-Type: text/plain', 'Content-Length: 2')}{}`,
      415,
    ],
  ];
  return withGateway({}, async ({ port }) => {
    const problems = [];
    for (const [bytes, status] of requests) {
      const response = await sendBytes(port, bytes);
      const hasSecurityHeaders =
        /^x-content-type-options: nosniff\r?$/im.test(response.head) &&
        /^cache-control: no-store\r?$/im.test(response.head);
      if (response.status !== status || !isGraphqlError(response.body) || !hasSecurityHeaders)
        problems.push(`${status}: ${response.status}`);
    }
    return {
      attack: 'errors of HTTP: 400, 401, 404, 405, 413, 415, 431, OPTIONS *, odd Host',
      criterion: "the status, in GraphQL's form, with nosniff and no-store",
      figure:
        problems.length === 0 ? `${requests.length} as they should be` : `wrong: ${problems.join('; ')}`,
      isMet: problems.length === 0,
    };
  });
}

async function checkAnonymousBodies() {
  return withGateway({}, async (gateway) => {
    const { currentMb } = gateway.readMemory();
    gateway.resetPeak();
    const body = `{"query":"${'x'.repeat(60_000)}`;
    await Promise.all(
      Array.from({ length: 1500 }, () =>
        sendBytes(gateway.port, createPostHead('Host: x', 'Content-Length: 65000') + body, {
          timeoutMs: 4000,
        }),
      ),
    );
    const growthMb = Math.round(gateway.readMemory().peakMb - currentMb);
    const healthResponse = await gateway.send({ path: '/health/live' });
    return {
      attack: '1,500 anonymous bodies of 64 kB that never end',
      criterion: `< ${maxAnonymousGrowthMb} MB, the health check responds`,
      figure: `${growthMb} MB, ${healthResponse.fault ?? healthResponse.status}`,
      isMet: growthMb < maxAnonymousGrowthMb && healthResponse.status === 200,
    };
  });
}

async function checkDemoPage() {
  return withGateway({ isDemo: true }, async (gateway) => {
    const token = /TOKEN=(\S+)/.exec(gateway.readLog())?.[1] ?? 'none';
    const openPage = (host) => gateway.send({ path: '/graphql', headers: { host, accept: 'text/html' } });
    const [ownPage, foreignPage] = [await openPage('localhost:4000'), await openPage('evil.example')];
    return {
      attack: 'the demo page for a foreign Host (DNS rebinding)',
      criterion: 'no token in it',
      figure: `${foreignPage.status} (own: ${ownPage.status})`,
      isMet: token !== 'none' && !foreignPage.body.includes(token),
    };
  });
}

async function checkLog() {
  return withGateway({}, async (gateway) => {
    const token = await signToken('alice@example.com');
    const secretText = 'must-not-be-logged';
    await gateway.send({
      path: `/graphql?query=${secretText}&variables=${secretText}`,
      headers: { authorization: `Bearer ${token}` },
    });
    await gateway.sendGraphql(
      `query { event(calendarId: "${secretText}", eventId: "x") { id } }`,
      { v: secretText },
      { token },
    );
    await pause(logDelayMs);
    const log = gateway.readLog();
    const requestLines = log.split('\n').filter((line) => line.includes('"msg":"request"')).length;
    const hasLeak = log.includes(secretText) || log.includes(token.slice(-20));
    return {
      attack: 'query texts, variables, URLs and tokens in the log',
      criterion: 'none of them; one line for each request',
      figure: `${requestLines} lines for 2 requests, ${hasLeak ? 'leaks' : 'no leak'}`,
      isMet: !hasLeak && requestLines === 2,
    };
  });
}

async function checkMetrics() {
  const otherAddress = Object.values(networkInterfaces())
    .flat()
    .find((candidate) => candidate?.family === 'IPv4' && !candidate.internal)?.address;
  return withGateway({ env: { HOST: '0.0.0.0' } }, async (gateway) => {
    const readStatus = async (options) => (await gateway.send({ path: '/metrics', ...options })).status;
    const otherStatus = otherAddress ? await readStatus({ host: otherAddress }) : 404;
    const proxyStatus = await readStatus({ headers: { 'x-forwarded-for': '192.0.2.1' } });
    const localStatus = await readStatus();
    return {
      attack: '/metrics from another address and through a proxy',
      criterion: '404, 404; from this machine 200',
      figure: `${otherAddress ? otherStatus : 'no other address here'}, ${proxyStatus}, ${localStatus}`,
      isMet: otherStatus === 404 && proxyStatus === 404 && localStatus === 200,
    };
  });
}

async function checkCors() {
  return withGateway({}, async (gateway) => {
    const allowedOrigins = [];
    for (const origin of ['https://studio.apollographql.com', 'http://localhost:3000', 'null']) {
      const { headers } = await gateway.send({
        method: 'OPTIONS',
        path: '/graphql',
        headers: { origin, 'access-control-request-method': 'POST' },
      });
      allowedOrigins.push(headers['access-control-allow-origin'] ?? 'refused');
    }
    return {
      attack: "CORS in production: Apollo's studio, loopback, null",
      criterion: 'refused',
      figure: allowedOrigins.join(', '),
      isMet: allowedOrigins.every((origin) => origin === 'refused'),
    };
  });
}

/**
 * Creates a check that opens more streams than a caller may have. A closed stream must free its slot, and no
 * document may open two. `accept`: media type of the streams.
 */
const createStreamsCheck = (accept) => () =>
  withGateway({ seed: smallSeed }, async ({ port }) => {
    const token = await signToken('alice@example.com');
    const rootField = 'calendarChanged(calendarId: "primary") { calendarId }';
    const openStream = (query, headers = { authorization: `Bearer ${token}` }) =>
      fetch(`http://127.0.0.1:${port}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept, ...headers },
        body: JSON.stringify({ query }),
      });
    const statuses = {};
    const openStreams = [];
    for (let index = 0; index < 2 * maxStreamsPerCaller; index += 1) {
      const response = await openStream(`subscription { ${rootField} }`);
      statuses[response.status] = (statuses[response.status] ?? 0) + 1;
      if (response.status === 200) openStreams.push(response);
      else void response.body.cancel();
    }
    const anonymousStatus = (await openStream(`subscription { ${rootField} }`, {})).status;
    await openStreams.pop().body.cancel();
    await pause(200); // The gateway notices the closed connection.
    const reopenedResponse = await openStream(`subscription { ${rootField} }`);
    openStreams.push(reopenedResponse);
    const twoFields = `subscription { a: ${rootField} b: ${rootField} }`;
    const twoFieldsText = await (await openStream(twoFields)).text();
    for (const { body } of openStreams) await body.cancel();
    return {
      attack: `${2 * maxStreamsPerCaller} streams of one caller, ${accept}`,
      criterion: '20 open, then 429; 401 without a token; a closed stream frees its slot; one root field',
      figure: `${JSON.stringify(statuses)}, ${anonymousStatus}, ${reopenedResponse.status}`,
      isMet:
        statuses[200] === maxStreamsPerCaller &&
        statuses[429] === maxStreamsPerCaller &&
        anonymousStatus === 401 &&
        reopenedResponse.status === 200 &&
        twoFieldsText.includes('must select only one'),
    };
  });

async function checkRateLimits() {
  return withGateway({ env: { RATE_LIMIT: '20' } }, async (gateway) => {
    const token = await signToken('alice@example.com');
    const largeResponse = await gateway.sendGraphql(
      `{ ${Array.from({ length: 50 }, (_, index) => `a${index}: event(calendarId: "primary", eventId: "x") { id }`).join(' ')} }`,
      undefined,
      { token },
    );
    const message = largeResponse.json?.errors?.[0]?.message ?? '';
    const invalidOutcomes = [];
    for (let count = 0; count < 25; count += 1)
      invalidOutcomes.push(
        outcomeOf(
          await gateway.sendGraphql('{ nope }', undefined, { token: await signToken('bob@example.com') }),
        ),
      );
    const badTokenStatuses = [];
    for (let count = 0; count < 25; count += 1)
      badTokenStatuses.push(
        (
          await gateway.send({
            method: 'POST',
            path: '/graphql',
            headers: { 'content-type': 'application/json', authorization: 'Bearer a.b.c' },
            body: typenameBody,
          })
        ).status,
      );
    return [
      {
        attack: 'a document above RATE_LIMIT by itself',
        criterion: 'the message says "at most", not "try again"',
        figure: message.slice(0, 100),
        isMet: message !== '' && !/try again/i.test(message),
      },
      {
        attack: 'invalid documents, and bad tokens',
        criterion: 'count for the limit: 429 within 25 requests',
        figure: `${invalidOutcomes.at(-1)}, ${badTokenStatuses.at(-1)}`,
        isMet: invalidOutcomes.at(-1) === 'RATE_LIMITED' && badTokenStatuses.at(-1) === 429,
      },
    ];
  });
}

/** Checks that the request ids of errors are in the log. */
async function checkErrorRequestIds() {
  return withGateway({}, async (gateway) => {
    const responses = [
      await gateway.sendGraphql('{ nope }'),
      await gateway.send({ path: '/nope' }),
      await sendBytes(gateway.port, 'hello\r\n\r\n'),
    ];
    await pause(logDelayMs);
    const log = gateway.readLog();
    const ids = responses.map(({ body }) => JSON.parse(body).errors[0].extensions.requestId);
    const loggedIds = ids.filter((id) => log.includes(id));
    return {
      attack: 'request ids of errors',
      criterion: 'all in the log',
      figure: `${loggedIds.length} of ${ids.length}`,
      isMet: loggedIds.length === ids.length,
    };
  });
}

export const transportChecks = {
  'http-errors': checkErrors,
  'anonymous-bodies': checkAnonymousBodies,
  'demo-page': checkDemoPage,
  log: checkLog,
  metrics: checkMetrics,
  cors: checkCors,
  'rate-limits': checkRateLimits,
  'streams-multipart': createStreamsCheck('multipart/mixed;subscriptionSpec=1.0'),
  'streams-sse': createStreamsCheck('text/event-stream'),
  'error-request-ids': checkErrorRequestIds,
};
