import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { decodeJwt } from 'jose';
import { serve } from '../../loopback.ts';
import { startEvents } from '../../event/event.harness.ts';
import { partOf, Refusal, type Json, type Method } from './answers.ts';
import { Buckets } from './buckets.ts';
import { Events } from './events.ts';
import { Misbehaviour, type Wrong } from './misbehaviour.ts';

/*
 * The fake of Google's services: a server on a port of this machine that answers as their reference describes them. Members
 * with their usual values are left out, nothing is null, and `fields` is obeyed. It answers only the
 * methods that its tests need; a test of one more adds it to `events.ts` or `buckets.ts`.
 *
 *     const front = await startFront();                  // a whole gateway in front of it, configured by UPSTREAM
 *     front.services.wrong.next(['503']);                // what goes wrong with the next call: `misbehaviour.ts`
 *     await front.gateway.patch(id, { summary: 'S' });
 *     expect(front.services.events.all(alice)).toHaveLength(1);
 */

export type Front = Awaited<ReturnType<typeof startFront>>;

/** A gateway in front of the fake, whose pauses take no time. Alice, Bob and Carol have calendars, and there is a bucket `photos`. */
export async function startFront() {
  const [events, buckets, wrong] = [new Events(), new Buckets(), new Misbehaviour()];
  for (const name of ['alice', 'bob', 'carol']) events.open(`${name}@example.com`);
  buckets.open('photos');
  const methods = [
    ...events.methods.map((method) => compiled('/calendar/v3', method)),
    ...buckets.methods.map((method) => compiled('/storage/v1', method)),
  ];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await textOf(request);
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://services');
    if (pathname === '/tokeninfo')
      return tokenInfo(response, new URLSearchParams(body).get('access_token') ?? '');
    const method = methods.find(({ verb, pattern }) => verb === request.method && pattern.test(pathname));
    if (!method) return send(response, { status: 404, text: 'Not Found' });
    const fault = wrong.of(method.name);
    const carriedOut = (): Promise<Wrong> => {
      const named = method.pattern.exec(pathname)?.slice(1).map(decodeURIComponent) ?? [];
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      const caller = claimsOf(token)?.email;
      return run(method, { named, query, body, ifMatch: request.headers['if-match'] || undefined, caller });
    };
    const rightful = !fault || fault.done ? await carriedOut() : { status: 200, text: '{}' };
    if (!fault) return send(response, rightful);
    wrong.passed();
    if (!fault.answer) return void response.socket?.resetAndDestroy();
    return send(response, fault.answer(rightful));
  }

  const { url, close } = await serve((request, response) => void answer(request, response));
  let skipped = 0;
  const gateway = await startEvents(
    {
      waiting: {
        now: () => performance.now() + skipped,
        pause: async (ms) => void (skipped += ms),
        chance: () => 0.5,
      },
    },
    {
      AUTH_JWT_SECRET: '',
      UPSTREAM: 'calendar,storage',
      UPSTREAM_CALENDAR_URL: `${url}/calendar/v3`,
      UPSTREAM_STORAGE_URL: `${url}/storage/v1`,
      UPSTREAM_TOKENINFO_URL: `${url}/tokeninfo`,
    },
  );
  return {
    gateway,
    services: { url, events, buckets, wrong },
    /** Lets a minute go by: a service that was away is tried again. */
    later: () => void (skipped += 60_000),
    async close() {
      await gateway.close();
      await close();
    },
  };
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

async function run({ run: carryOut }: Method, { body, caller, ...rest }: Came): Promise<Wrong> {
  try {
    if (caller === undefined) throw new Refusal(401, 'authError', 'Invalid Credentials');
    const { status = 200, json } = carryOut({
      ...rest,
      caller,
      body: (body === '' ? {} : JSON.parse(body)) as Json,
    });
    return { status, text: json ? JSON.stringify(await partOf(json, rest.query.get('fields'))) : '' };
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
