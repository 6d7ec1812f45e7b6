// Client for the attacks on the REST face, and checks of its responses that they share.
import { parseJson, scaleLimitMs } from './gateway.js';
import { sendBytes } from './transport.js';

export const calendarsPath = '/calendar/v3/calendars';
export const eventsPath = `${calendarsPath}/primary/events`;
/** Times of an event that most attacks write. */
export const oneHourTimes = {
  start: { dateTime: '2027-05-01T09:00:00Z' },
  end: { dateTime: '2027-05-01T10:00:00Z' },
};
/** Limit for requests that are cheap to refuse. */
export const maxRefusalMs = scaleLimitMs(400);

/** Sends a request, such as `GET /path`. Objects are sent as JSON. */
export async function sendRest(gateway, token, requestLine, { body, headers = {} } = {}) {
  const [method, path] = requestLine.split(/ (.*)/s);
  const isObject = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
  const content = isObject ? JSON.stringify(body) : body;
  const response = await gateway.send({
    method,
    path,
    body: content,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(content),
      }),
      ...headers,
    },
  });
  return { ...response, json: parseJson(response.body) };
}

/** Sends a request as bytes, because client libraries would refuse it. `headers`: header lines. */
export async function sendRestBytes(gateway, token, requestLine, { headers = [], body = '' } = {}) {
  const contentHeaders =
    body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  const head = [
    `${requestLine} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...(token ? [`Authorization: Bearer ${token}`] : []),
    ...headers,
    ...contentHeaders,
    'Connection: close',
  ].join('\r\n');
  const response = await sendBytes(gateway.port, Buffer.from(`${head}\r\n\r\n${body}`, 'latin1'), {
    timeoutMs: scaleLimitMs(5000),
  });
  return { ...response, headers: parseHeaders(response.head), json: parseJson(response.body) };
}

/** Parses the headers of a response; names are in lower case. */
const parseHeaders = (head) =>
  Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
  );

/** Texts that disclose internals of the server. */
const internalsPattern =
  /node_modules|\.[jt]s:\d|\/(?:src|dist|home|tmp|usr|etc)\/|\bat (?:async )?[\w.<>]+ \(|TypeError|SyntaxError|RangeError|SELECT |INSERT |\[object |undefined|fastify/i;

/** Returns the problem of an error response in Google's envelope; undefined if it is valid. */
export function findEnvelopeProblem({ status, json, headers, body }) {
  const { code, message, errors, status: statusName } = json?.error ?? {};
  if (!Array.isArray(errors) || errors.length === 0) return 'no envelope';
  if (code !== status) return `code ${code}`;
  if (message !== errors[0].message || typeof message !== 'string' || message === '')
    return 'another message';
  if (!/^[A-Z_]+$/.test(statusName)) return `status ${statusName}`;
  if (
    !errors.every(({ domain, reason, message: text }) =>
      [domain, reason, text].every((value) => typeof value === 'string' && value !== ''),
    )
  )
    return 'an error without domain, reason or message';
  if (internalsPattern.test(body)) return `it discloses ${internalsPattern.exec(body)[0]}`;
  if (headers['x-content-type-options'] !== 'nosniff' || !/^application\/json/.test(headers['content-type']))
    return 'wrong headers';
  return undefined;
}

/** Creates a check that a response is an error with one of these statuses, in a valid envelope. */
export const expectRefusal =
  (...statuses) =>
  (response) =>
    statuses.includes(response.status)
      ? findEnvelopeProblem(response)
      : `${response.status}${response.fault ? ` ${response.fault}` : ''}`;

/** Checks inputs and returns one row of the table. `check`: returns the problem of an input, or undefined. */
export async function checkInputs(attack, criterion, inputs, check, concurrency = 1) {
  const problems = [];
  const remainingInputs = inputs.values();
  const checkRemaining = async () => {
    for (const input of remainingInputs) {
      const problem = await check(input);
      if (problem !== undefined)
        problems.push(`${JSON.stringify(input)?.slice(0, 100)}: ${String(problem).slice(0, 160)}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, checkRemaining));
  return {
    attack,
    criterion,
    figure:
      problems.length === 0
        ? `${inputs.length} as they should be`
        : `${problems.length} of ${inputs.length} wrong: ${problems.slice(0, 3).join('; ').replaceAll('|', '/')}`,
    isMet: problems.length === 0 && inputs.length > 0,
  };
}

const discoveryPaths = ['/discovery/v1/apis/calendar/v3/rest', '/discovery/v1/apis/storage/v1/rest'];

/** Reads all methods from the discovery documents. Paths contain variables such as `{calendarId}`. */
export async function readMethods(gateway) {
  const responses = await Promise.all(
    discoveryPaths.map((path) => sendRest(gateway, undefined, `GET ${path}`)),
  );
  return responses.flatMap(({ json }) =>
    Object.values(json.resources)
      .flatMap(({ methods }) => Object.values(methods))
      .map(({ id, httpMethod, path, request, scopes }) => ({
        id,
        verb: httpMethod,
        path: json.basePath + path,
        hasBody: request !== undefined,
        scopes,
      })),
  );
}

/** Replaces the variables of a path by values, or by their names. */
export const fillPath = (path, values) =>
  path.replaceAll(/\{(\w+)\}/g, (_match, name) => encodeURIComponent(values[name] ?? name));
