import { gunzipSync } from 'node:zlib';
import inject, { type DispatchFunc } from 'light-my-request';
import { startGateway, tokenFor, type TestGateway } from '../../harness.ts';
import type { Replacements } from '../../../src/app.ts';
import { useForAll } from '../../started.ts';

/*
 * A test of the REST face sends requests as they are written in HTTP:
 *
 *   describe('colours', () => {
 *     const rest = useRest();
 *     test('have a kind', async () => {
 *       expect(await rest.json('GET /calendar/v3/colors')).toMatchObject({ kind: 'calendar#colors' });
 *       expect(await rest.refusal('GET /calendar/v3/colors?alt=xml')).toBe('400 invalidParameter alt');
 *       expect(await rest.as('bob@example.com').status('PUT /calendar/v3/colors', {})).toBe(405);
 *     });
 *   });
 */

export interface RestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  // Test code reads whatever a method answers.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
  readonly body: string;
  /** `reason location` of each error. */
  readonly reasons: readonly string[];
  /** `reason path` of each entry of the header X-Warnings, in its order; absent without the header. */
  readonly warnings?: readonly string[];
}

/** Sends a request such as `GET /calendar/v3/colors`. The body is sent as JSON; a text or bytes as they are. */
type Send<T> = (request: string, body?: unknown) => Promise<T>;

export interface RestClient {
  readonly send: Send<RestAnswer>;
  readonly json: Send<RestAnswer['json']>;
  readonly status: Send<number>;
  /** The status and the sorted reasons of a response: `400 invalid maxResults, required start`. */
  readonly refusal: Send<string>;
  /** Client of this gateway with the token of another caller; null for no token. Without `as`, alice@example.com calls. */
  as(email: string | null, scopes?: readonly string[]): RestClient;
  withHeaders(headers: Readonly<Record<string, string>>): RestClient;
}

export interface RestGateway extends TestGateway, RestClient {}

interface Sender {
  readonly as: string | null;
  readonly scopes?: readonly string[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
}
type SendAs = (sender: Sender, ...request: Parameters<Send<RestAnswer>>) => Promise<RestAnswer>;

function clientOf(sendAs: SendAs, sender: Sender = { as: 'alice@example.com', headers: {} }): RestClient {
  const send: RestClient['send'] = (...request) => sendAs(sender, ...request);
  return {
    send,
    json: async (...request) => (await send(...request)).json,
    status: async (...request) => (await send(...request)).status,
    async refusal(...request) {
      const { status, reasons } = await send(...request);
      return `${status} ${[...reasons].sort().join(', ')}`.trim();
    },
    as: (as, scopes) => clientOf(sendAs, { ...sender, as, scopes }),
    withHeaders: (headers) => clientOf(sendAs, { ...sender, headers: { ...sender.headers, ...headers } }),
  };
}

/** A gateway in memory with its REST face, reached through its HTTP routes. */
export async function startRest(
  env: Readonly<Record<string, string>> = {},
  replacements: Replacements = {},
): Promise<RestGateway> {
  const gateway = await startGateway({ REST: 'on', ...env }, replacements);
  const dispatch: DispatchFunc = (request, reply) => void gateway.app.server.emit('request', request, reply);
  const sendAs: SendAs = async ({ as, scopes, headers }, request, content) => {
    const [method = '', url = ''] = request.split(' ');
    const response = await inject(dispatch, {
      method: method as 'GET',
      url,
      headers: {
        ...(as !== null && { authorization: `Bearer ${await tokenFor(as, scopes, replacements.clock?.())}` }),
        ...(content !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(content !== undefined && {
        payload: typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
      }),
    });
    const got = response.headers as RestAnswer['headers'];
    const isPacked = got['content-encoding'] === 'gzip';
    const body = isPacked ? gunzipSync(response.rawPayload).toString() : response.body;
    const json = body !== '' && got['content-type']?.includes('json') ? JSON.parse(body) : undefined;
    const errors = (json?.error?.errors ?? []) as readonly { reason: string; location?: string }[];
    const warnings = JSON.parse(got['x-warnings'] ?? '[]') as readonly { reason: string; path: string[] }[];
    return {
      status: response.statusCode,
      headers: got,
      json,
      body,
      reasons: errors.map(({ reason, location }) => [reason, location].join(' ').trim()),
      ...(got['x-warnings'] && {
        warnings: warnings.map(({ reason, path }) => `${reason} ${path.join('.')}`),
      }),
    };
  };
  return { ...gateway, ...clientOf(sendAs) };
}

/** Called in a `describe`: one gateway for all tests of it, closed after them. */
export function useRest(
  ...options: Parameters<typeof startRest>
): RestClient & Pick<RestGateway, 'app' | 'ask'> {
  const gateway = useForAll(() => startRest(...options));
  return {
    ...clientOf(({ as, scopes, headers }, ...request) =>
      gateway
        .as(as, scopes)
        .withHeaders(headers)
        .send(...request),
    ),
    ask: (...question) => gateway.ask(...question),
    get app() {
      return gateway.app;
    },
  };
}

/** The events of the caller's own calendar. */
export const events = '/calendar/v3/calendars/primary/events';
/** An hour on 2 December 2026. */
export const times = {
  start: { dateTime: '2026-12-02T10:00:00Z' },
  end: { dateTime: '2026-12-02T11:00:00Z' },
};
