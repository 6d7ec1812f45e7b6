import { gunzipSync } from 'node:zlib';
import inject, { type DispatchFunc } from 'light-my-request';
import { startGateway, tokenFor, type TestGateway } from '../../harness.ts';
import type { Replacements } from '../../../src/app.ts';
import { useForAll } from '../../use-resource.ts';

/*
 * Client for tests of the REST face, with requests written as in HTTP:
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

/** A response of the REST face. */
export interface RestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  // Tests read whatever a method returns.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
  readonly body: string;
  /** `reason location` of each error. */
  readonly reasons: readonly string[];
  /** `reason path` of each entry of the header X-Warnings, in its order; absent without the header. */
  readonly warnings?: readonly string[];
}

/** Sends a request such as `GET /calendar/v3/colors`. Strings and buffers are sent as is, other bodies as JSON. */
type Send<T> = (request: string, body?: unknown) => Promise<T>;

/** Sends requests to the REST face as one caller. */
export interface RestClient {
  readonly send: Send<RestAnswer>;
  /** Sends a request and resolves with the JSON of the response. */
  readonly json: Send<RestAnswer['json']>;
  /** Sends a request and resolves with the status of the response. */
  readonly status: Send<number>;
  /** Resolves with status and sorted reasons of an error response: `400 invalid maxResults, required start`. */
  readonly refusal: Send<string>;
  /** Returns a client with the token of another caller; null for no token. The default is alice@example.com. */
  as(email: string | null, scopes?: readonly string[]): RestClient;
  /** Returns a client that sends further headers. */
  withHeaders(headers: Readonly<Record<string, string>>): RestClient;
}

export interface RestGateway extends TestGateway, RestClient {}

/** Caller and headers of the requests of a client. */
interface Sender {
  readonly as: string | null;
  readonly scopes?: readonly string[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
}
type SendAs = (sender: Sender, ...request: Parameters<Send<RestAnswer>>) => Promise<RestAnswer>;

function createClient(sendAs: SendAs, sender: Sender = { as: 'alice@example.com', headers: {} }): RestClient {
  const send: RestClient['send'] = (...request) => sendAs(sender, ...request);
  return {
    send,
    json: async (...request) => (await send(...request)).json,
    status: async (...request) => (await send(...request)).status,
    async refusal(...request) {
      const { status, reasons } = await send(...request);
      return `${status} ${[...reasons].sort().join(', ')}`.trim();
    },
    as: (as, scopes) => createClient(sendAs, { ...sender, as, scopes }),
    withHeaders: (headers) => createClient(sendAs, { ...sender, headers: { ...sender.headers, ...headers } }),
  };
}

/** Starts a gateway in memory with its REST face; the client uses its HTTP routes. */
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
    const responseHeaders = response.headers as RestAnswer['headers'];
    const isGzipped = responseHeaders['content-encoding'] === 'gzip';
    const body = isGzipped ? gunzipSync(response.rawPayload).toString() : response.body;
    const json =
      body !== '' && responseHeaders['content-type']?.includes('json') ? JSON.parse(body) : undefined;
    const errors = (json?.error?.errors ?? []) as readonly { reason: string; location?: string }[];
    const warnings = JSON.parse(responseHeaders['x-warnings'] ?? '[]') as readonly {
      reason: string;
      path: string[];
    }[];
    return {
      status: response.statusCode,
      headers: responseHeaders,
      json,
      body,
      reasons: errors.map(({ reason, location }) => [reason, location].join(' ').trim()),
      ...(responseHeaders['x-warnings'] && {
        warnings: warnings.map(({ reason, path }) => `${reason} ${path.join('.')}`),
      }),
    };
  };
  return { ...gateway, ...createClient(sendAs) };
}

/** Starts one gateway for all tests of a `describe`, and closes it after them. */
export function useRest(
  ...options: Parameters<typeof startRest>
): RestClient & Pick<RestGateway, 'app' | 'ask'> {
  const gateway = useForAll(() => startRest(...options));
  return {
    ...createClient(({ as, scopes, headers }, ...request) =>
      gateway
        .as(as, scopes)
        .withHeaders(headers)
        .send(...request),
    ),
    ask: (...askOptions) => gateway.ask(...askOptions),
    get app() {
      return gateway.app;
    },
  };
}

/** Path of the event list of the caller's own calendar. */
export const eventListUrl = '/calendar/v3/calendars/primary/events';
/** An hour on 2 December 2026. */
export const times = {
  start: { dateTime: '2026-12-02T10:00:00Z' },
  end: { dateTime: '2026-12-02T11:00:00Z' },
};
