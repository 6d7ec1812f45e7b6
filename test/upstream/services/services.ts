import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { partOf, Refusal, type Json, type Method } from './answers.ts';
import { calendarMethods } from './calendar-methods.ts';
import { Events } from './events.ts';
import { Misbehaviour, type Wrong } from './misbehaviour.ts';
import { Buckets, storageMethods } from './storage-methods.ts';

/** A model of the official services, on a port of this machine. */
export interface Services {
  readonly url: string;
  readonly events: Events;
  readonly buckets: Buckets;
  readonly wrong: Misbehaviour;
  /** The methods that were called, in order. */
  readonly called: string[];
  /** Who asked about tokens, how often. */
  readonly tokensAsked: () => number;
  stop(): Promise<void>;
}

export async function startServices(): Promise<Services> {
  const [events, buckets, wrong] = [new Events(), new Buckets(), new Misbehaviour()];
  const called: string[] = [];
  let tokensAsked = 0;
  const methods = [
    ...calendarMethods(events).map((method) => compiled('/calendar/v3', method)),
    ...storageMethods(buckets).map((method) => compiled('/storage/v1', method)),
  ];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://services');
    if (pathname === '/tokeninfo') {
      tokensAsked += 1;
      return tokenInfo(response, new URLSearchParams(body).get('access_token') ?? '');
    }
    const method = methods.find(({ verb, pattern }) => verb === request.method && pattern.test(pathname));
    if (!method) return send(response, { status: 404, text: 'Not Found' });
    called.push(method.name);
    const fault = wrong.of(method.name);
    const carriedOut = (): Wrong => {
      const named = method.pattern.exec(pathname)?.slice(1).map(decodeURIComponent) ?? [];
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
      const caller = token === undefined ? undefined : claimsOf(token)?.email;
      return run(method, { named, query, body, ifMatch: request.headers['if-match'] || undefined, caller });
    };
    const rightful = !fault || fault.done ? carriedOut() : { status: 200, text: '{}' };
    if (!fault) return send(response, rightful);
    wrong.passed();
    if (!fault.answer) return void response.socket?.resetAndDestroy();
    return send(response, fault.answer(rightful));
  }

  const server = createServer((request, response) => void answer(request, response));
  return {
    url: await listening(server),
    events,
    buckets,
    wrong,
    called,
    tokensAsked: () => tokensAsked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The URL of a server on a free port of this machine. */
export async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Compiled extends Method {
  readonly pattern: RegExp;
}

const compiled = (base: string, method: Method): Compiled => ({
  ...method,
  pattern: new RegExp(`^${base}/${method.path.replaceAll('{}', '([^/]+)')}$`),
});

interface Came {
  readonly named: readonly string[];
  readonly query: URLSearchParams;
  readonly body: string;
  readonly ifMatch: string | undefined;
  readonly caller: string | undefined;
}

function run({ run: carryOut }: Method, { body, caller, ...rest }: Came): Wrong {
  try {
    if (caller === undefined) throw new Refusal(401, 'authError', 'Invalid Credentials');
    const { status = 200, json } = carryOut({
      ...rest,
      caller,
      body: (body === '' ? {} : JSON.parse(body)) as Json,
    });
    return { status, text: json ? JSON.stringify(partOf(json, rest.query.get('fields'))) : '' };
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, text: JSON.stringify(error.json) };
    return { status: 500, text: String(error) };
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of request.setEncoding('utf8') as AsyncIterable<string>) text += part;
  return text;
}

interface Claims {
  readonly sub?: string;
  readonly email?: string;
  readonly scope?: string;
  readonly exp?: number;
}

function claimsOf(token: string): Claims | undefined {
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
}

/** Says whose a token is: numbers as texts, as Google does it. */
export function tokenInfo(response: ServerResponse, token: string): void {
  const claims = claimsOf(token);
  const { sub, email, scope, exp } = claims ?? {};
  const json = claims
    ? { sub, email, email_verified: 'true', scope, exp: `${exp}`, expires_in: '3000' }
    : { error: 'invalid_token', error_description: 'Invalid Value' };
  response.writeHead(claims ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(json));
}

async function send(
  response: ServerResponse,
  { status, text, headers = {}, cutAt, delay }: Wrong,
): Promise<void> {
  if (delay !== undefined) await pause(delay, undefined, { ref: false });
  const body = Buffer.from(status === 204 ? '' : text);
  response.writeHead(status, {
    ...(status !== 204 && {
      'content-type': 'application/json; charset=UTF-8',
      'content-length': body.length,
    }),
    ...headers,
  });
  if (cutAt === undefined) return void response.end(body);
  await new Promise((resolve) => response.write(body.subarray(0, cutAt), resolve));
  response.socket?.destroy();
}
