// Client of the attacks on the REST face, and common checks of its responses.
import { sendRaw } from './transport.js';

export const calendars = '/calendar/v3/calendars';
export const events = `${calendars}/primary/events`;

/** Sends a request. Objects are sent as JSON. */
export async function ask(gateway, token, line, { body, headers = {} } = {}) {
  const [method, path] = line.split(/ (.*)/s);
  const isJson = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
  const answer = await gateway.send({
    method,
    path,
    body: isJson ? JSON.stringify(body) : body,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(isJson ? JSON.stringify(body) : body),
      }),
      ...headers,
    },
  });
  return { ...answer, json: parseJson(answer.body) };
}

/** Sends a request as raw bytes, which client libraries would refuse. */
export async function askRaw(gateway, token, line, { headers = [], body = '' } = {}) {
  const length =
    body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
  const head = [
    `${line} HTTP/1.1`,
    'Host: 127.0.0.1',
    ...(token ? [`Authorization: Bearer ${token}`] : []),
    ...headers,
    ...length,
    'Connection: close',
  ].join('\r\n');
  const answer = await sendRaw(gateway.port, Buffer.from(`${head}\r\n\r\n${body}`, 'latin1'), {
    limitMs: 5000,
  });
  return { ...answer, headers: headersOf(answer.head), json: parseJson(answer.body) };
}

const parseJson = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const headersOf = (head) =>
  Object.fromEntries(
    head
      .split('\r\n')
      .slice(1)
      .map((line) => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
  );

/** Text that discloses internals of the server. */
const internals =
  /node_modules|\.[jt]s:\d|\/(?:src|dist|home|tmp|usr|etc)\/|\bat (?:async )?[\w.<>]+ \(|TypeError|SyntaxError|RangeError|SELECT |INSERT |\[object |undefined|fastify/i;

/** Returns the problem of an error's envelope; undefined if it is valid. */
export function envelopeProblem({ status, json, headers, body }) {
  const { code, message, errors, status: name } = json?.error ?? {};
  if (!Array.isArray(errors) || errors.length === 0) return 'no envelope';
  if (code !== status) return `code ${code}`;
  if (message !== errors[0].message || typeof message !== 'string' || message === '')
    return 'another message';
  if (!/^[A-Z_]+$/.test(name)) return `status ${name}`;
  if (
    !errors.every(({ domain, reason, message: text }) =>
      [domain, reason, text].every((value) => typeof value === 'string' && value !== ''),
    )
  )
    return 'an error without a name';
  if (internals.test(body)) return `it tells ${internals.exec(body)[0]}`;
  if (headers['x-content-type-options'] !== 'nosniff' || !/^application\/json/.test(headers['content-type']))
    return 'its headers';
  return undefined;
}

/** Creates a check for an error with one of these statuses in a valid envelope. */
export const expectRefusal =
  (...statuses) =>
  (answer) =>
    statuses.includes(answer.status)
      ? envelopeProblem(answer)
      : `${answer.status}${answer.fault ? ` ${answer.fault}` : ''}`;

/** Checks many inputs and returns a row. `check`: returns the problem of an input, or undefined. */
export async function checkInputs(attack, criterion, inputs, check, concurrency = 1) {
  const problems = [];
  const remaining = inputs.values();
  const client = async () => {
    for (const input of remaining) {
      const problem = await check(input);
      if (problem !== undefined)
        problems.push(`${JSON.stringify(input)?.slice(0, 100)}: ${String(problem).slice(0, 160)}`);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  return {
    row: 'rest',
    attack,
    criterion,
    figure:
      problems.length === 0
        ? `${inputs.length} as they should be`
        : `${problems.length} of ${inputs.length} wrong: ${problems.slice(0, 3).join('; ').replaceAll('|', '/')}`,
    held: problems.length === 0 && inputs.length > 0,
  };
}

const documents = ['/discovery/v1/apis/calendar/v3/rest', '/discovery/v1/apis/storage/v1/rest'];

/** Reads all methods from the discovery documents. Paths contain variables such as `{calendarId}`. */
export async function readMethods(gateway) {
  const answers = await Promise.all(documents.map((path) => ask(gateway, undefined, `GET ${path}`)));
  return answers.flatMap(({ json }) =>
    Object.values(json.resources)
      .flatMap(({ methods }) => Object.values(methods))
      .map(({ id, httpMethod, path, request, scopes }) => ({
        id,
        verb: httpMethod,
        path: json.basePath + path,
        body: request !== undefined,
        scopes,
      })),
  );
}

/** Replaces the variables of a path by values. */
export const fillPath = (path, values) =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name) => encodeURIComponent(values[name] ?? name));
