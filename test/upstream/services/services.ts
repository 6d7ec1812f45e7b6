import type { IncomingMessage, ServerResponse } from 'node:http';
import { decodeJwt } from 'jose';
import { startLoopbackServer } from '../../loopback-server.ts';
import { startEventGateway } from '../../event/event.harness.ts';
import { selectRequestedFields, Refusal, type Json, type Method } from './fake-api.ts';
import { FakeCalendarService } from './fake-calendar-service.ts';
import { Misbehaviour, type FaultyResponse } from './faults.ts';

/* Fakes Google's calendar service with a local server that follows its reference: it omits members with default values,
 * sends no null, and obeys `fields`. It has only the methods that tests need; add others to `fake-calendar-service.ts`.
 *
 *     const front = await startFront();                  // a gateway in front of the fake, by UPSTREAM
 *     front.services.misbehaviour.failNext(['503']);     // fails the next call
 *     await front.gateway.patch(id, { summary: 'S' });
 *     expect(front.services.events.listStored(alice)).toHaveLength(1);
 */

export type Front = Awaited<ReturnType<typeof startFront>>;

/** Starts the fake with calendars of Alice, Bob and Carol, and a gateway on it. */
export async function startFront() {
  const [events, misbehaviour] = [new FakeCalendarService(), new Misbehaviour()];
  for (const name of ['alice', 'bob', 'carol']) events.addCalendar(`${name}@example.com`);
  const methods = events.methods.map(compileMethod);

  async function answerRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const { pathname, searchParams: query } = new URL(request.url ?? '', 'http://services');
    if (pathname === '/tokeninfo')
      return sendTokenInfo(response, new URLSearchParams(body).get('access_token') ?? '');
    const method = methods.find(({ verb, pattern }) => verb === request.method && pattern.test(pathname));
    if (!method) return sendResponse(response, { status: 404, text: 'Not Found' });
    const fault = misbehaviour.takeNextFault(method.name);
    const carryOut = (): Promise<FaultyResponse> => {
      const pathParameters = method.pattern.exec(pathname)?.slice(1).map(decodeURIComponent) ?? [];
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      const caller = decodeClaims(token)?.email;
      return runMethod(method, {
        pathParameters,
        query,
        body,
        ifMatch: request.headers['if-match'] || undefined,
        caller,
      });
    };
    const correctResponse = !fault || fault.isCarriedOut ? await carryOut() : { status: 200, text: '{}' };
    if (!fault) return sendResponse(response, correctResponse);
    misbehaviour.runMeanwhile();
    if (!fault.createResponse) return void response.socket?.resetAndDestroy();
    return sendResponse(response, fault.createResponse(correctResponse));
  }

  const { url, close } = await startLoopbackServer(
    (request, response) => void answerRequest(request, response),
  );
  let skippedMs = 0;
  const gateway = await startEventGateway(
    {
      retryTimer: {
        now: () => performance.now() + skippedMs,
        pause: async (ms) => void (skippedMs += ms),
        random: () => 0.5,
      },
    },
    {
      AUTH_JWT_SECRET: '',
      UPSTREAM: 'calendar',
      UPSTREAM_CALENDAR_URL: `${url}/calendar/v3`,
      UPSTREAM_TOKENINFO_URL: `${url}/tokeninfo`,
    },
  );
  return {
    gateway,
    services: { url, events, misbehaviour },
    /** Skips a minute, after which the circuit lets calls through again. */
    skipMinute: () => void (skippedMs += 60_000),
    async close() {
      await gateway.close();
      await close();
    },
  };
}

interface CompiledMethod extends Method {
  readonly pattern: RegExp;
}

const compileMethod = (method: Method): CompiledMethod => ({
  ...method,
  pattern: new RegExp(`^/calendar/v3/${method.path.replaceAll('{}', '([^/]+)')}$`),
});

interface RawRequest {
  readonly pathParameters: readonly string[];
  readonly query: URLSearchParams;
  readonly body: string;
  readonly ifMatch: string | undefined;
  readonly caller: string | undefined;
}

async function runMethod(
  { run }: Method,
  { body, caller, ...otherParts }: RawRequest,
): Promise<FaultyResponse> {
  try {
    if (caller === undefined) throw new Refusal(401, 'authError', 'Invalid Credentials');
    const { status = 200, json } = run({
      ...otherParts,
      caller,
      body: (body === '' ? {} : JSON.parse(body)) as Json,
    });
    return {
      status,
      text: json ? JSON.stringify(await selectRequestedFields(json, otherParts.query.get('fields'))) : '',
    };
  } catch (error) {
    if (error instanceof Refusal) return { status: error.status, text: JSON.stringify(error.json) };
    return { status: 500, text: String(error) };
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8') as AsyncIterable<string>) text += chunk;
  return text;
}

interface Claims {
  readonly sub?: string;
  readonly email?: string;
  readonly scope?: string;
  readonly exp?: number;
}

function decodeClaims(token: string): Claims | undefined {
  try {
    return decodeJwt(token);
  } catch {
    return undefined;
  }
}

/** Sends tokeninfo of a token, with numbers as strings as Google does. */
export function sendTokenInfo(response: ServerResponse, token: string): void {
  const claims = decodeClaims(token);
  const { sub, email, scope, exp } = claims ?? {};
  const json = claims
    ? { sub, email, email_verified: 'true', scope, exp: `${exp}`, expires_in: '3000' }
    : { error: 'invalid_token', error_description: 'Invalid Value' };
  response.writeHead(claims ? 200 : 400, { 'content-type': 'application/json' }).end(JSON.stringify(json));
}

async function sendResponse(
  response: ServerResponse,
  { status, text, headers = {}, maxBytes }: FaultyResponse,
): Promise<void> {
  const body = Buffer.from(status === 204 ? '' : text);
  response.writeHead(status, {
    ...(status !== 204 && {
      'content-type': 'application/json; charset=UTF-8',
      'content-length': body.length,
    }),
    ...headers,
  });
  if (maxBytes === undefined) return void response.end(body);
  await new Promise((resolve) => response.write(body.subarray(0, maxBytes), resolve));
  response.socket?.destroy();
}
