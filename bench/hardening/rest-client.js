// How the attacks on the REST face speak to it, and what they expect of its answers.
import { wire } from './transport.js';

export const calendars = '/calendar/v3/calendars';
export const events = `${calendars}/primary/events`;

/** One request; a body that is no text is sent as JSON. */
export async function ask(gateway, token, line, { body, headers = {} } = {}) {
  const [method, path] = line.split(/ (.*)/s);
  const json = body !== undefined && typeof body !== 'string' && !Buffer.isBuffer(body);
  const answer = await gateway.send({
    method,
    path,
    body: json ? JSON.stringify(body) : body,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(json ? JSON.stringify(body) : body),
      }),
      ...headers,
    },
  });
  return { ...answer, json: parsed(answer.body) };
}

/** The same by bytes that no client's library would send. */
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
  const answer = await wire(gateway.port, Buffer.from(`${head}\r\n\r\n${body}`, 'latin1'), { limitMs: 5000 });
  return { ...answer, headers: headersOf(answer.head), json: parsed(answer.body) };
}

const parsed = (text) => {
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

/** Words that only the inside of a server has. */
const inside =
  /node_modules|\.[jt]s:\d|\/(?:src|dist|home|tmp|usr|etc)\/|\bat (?:async )?[\w.<>]+ \(|TypeError|SyntaxError|RangeError|SELECT |INSERT |\[object |undefined|fastify/i;

/** What is wrong with an error's envelope; undefined for nothing. */
export function wrongEnvelope({ status, json, headers, body }) {
  const { code, message, errors, status: name } = json?.error ?? {};
  if (!Array.isArray(errors) || errors.length === 0) return 'no envelope';
  if (code !== status) return `code ${code}`;
  if (message !== errors[0].message || typeof message !== 'string' || message === '')
    return 'another message';
  if (!/^[A-Z_]+$/.test(name)) return `status ${name}`;
  if (
    !errors.every(({ domain, reason, message: text }) =>
      [domain, reason, text].every((one) => typeof one === 'string' && one !== ''),
    )
  )
    return 'an error without a name';
  if (inside.test(body)) return `it tells ${inside.exec(body)[0]}`;
  if (headers['x-content-type-options'] !== 'nosniff' || !/^application\/json/.test(headers['content-type']))
    return 'its headers';
  return undefined;
}

/** An error of one of these statuses, in its envelope; what is wrong, or undefined. */
export const refusedWith =
  (...statuses) =>
  (answer) =>
    statuses.includes(answer.status)
      ? wrongEnvelope(answer)
      : `${answer.status}${answer.fault ? ` ${answer.fault}` : ''}`;

/** A row of many inputs. `check` tells what is wrong with one; undefined for nothing. */
export async function rowOf(attack, criterion, inputs, check, sideBySide = 1) {
  const wrong = [];
  const left = inputs.values();
  const client = async () => {
    for (const input of left) {
      const told = await check(input);
      if (told !== undefined)
        wrong.push(`${JSON.stringify(input)?.slice(0, 100)}: ${String(told).slice(0, 160)}`);
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, client));
  return {
    row: 'rest',
    attack,
    criterion,
    figure:
      wrong.length === 0
        ? `${inputs.length} as they should be`
        : `${wrong.length} of ${inputs.length} wrong: ${wrong.slice(0, 3).join('; ').replaceAll('|', '/')}`,
    held: wrong.length === 0 && inputs.length > 0,
  };
}

const documents = ['/discovery/v1/apis/calendar/v3/rest', '/discovery/v1/apis/storage/v1/rest'];

/** All methods, as the discovery documents have them: `{ id, verb, path, body, scopes }`, the path with its variables. */
export async function methodsOf(gateway) {
  const found = await Promise.all(documents.map((path) => ask(gateway, undefined, `GET ${path}`)));
  return found.flatMap(({ json }) =>
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

/** A path with values for its variables. */
export const filled = (path, values) =>
  path.replaceAll(/\{(\w+)\}/g, (_all, name) => encodeURIComponent(values[name] ?? name));
