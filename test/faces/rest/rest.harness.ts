import inject, { type DispatchFunc } from 'light-my-request';
import { startGateway, tokenFor, type TestGateway } from '../../harness.ts';
import type { Replacements } from '../../../src/compose.ts';

export interface RestAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  // Test code reads whatever a method answers.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly json: any;
  readonly body: string;
  /** `reason location` of each error. */
  readonly reasons: readonly string[];
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly warnings: any;
}

export interface RestAsk {
  /** alice@example.com unless told; null for no token. */
  readonly as?: string | null;
  readonly scopes?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RestGateway extends TestGateway {
  /** `GET /calendar/v3/…`; the body is sent as JSON, a text as it stands. */
  send(request: string, body?: unknown, options?: RestAsk): Promise<RestAnswer>;
  /** The same with a body of any bytes. */
  sendBytes(request: string, body: Buffer, options?: RestAsk): Promise<RestAnswer>;
}

/** A gateway in memory with its REST face, spoken to through its HTTP routes. */
export async function startRest(
  env: Readonly<Record<string, string>> = {},
  replacements: Replacements = {},
): Promise<RestGateway> {
  const gateway = await startGateway({ REST: 'on', ...env }, replacements);
  const dispatch: DispatchFunc = (request, reply) => void gateway.app.server.emit('request', request, reply);
  const sendAs = async (
    request: string,
    payload: string | Buffer | undefined,
    { as = 'alice@example.com', scopes, headers }: RestAsk,
  ): Promise<RestAnswer> => {
    const [method = '', url = ''] = request.split(' ');
    const authorization =
      as === null ? {} : { authorization: `Bearer ${await tokenFor(as, scopes, replacements.clock?.())}` };
    const response = await inject(dispatch, {
      method: method as 'GET',
      url,
      headers: { ...authorization, ...headers },
      ...(payload !== undefined && { payload }),
    });
    const got = response.headers as RestAnswer['headers'];
    const json =
      response.body === '' || !got['content-type']?.includes('json') ? undefined : JSON.parse(response.body);
    const errors = (json?.error?.errors ?? []) as readonly { reason: string; location?: string }[];
    return {
      status: response.statusCode,
      headers: got,
      json,
      body: response.body,
      reasons: errors.map(({ reason, location }) =>
        location === undefined ? reason : `${reason} ${location}`,
      ),
      warnings: got['x-warnings'] === undefined ? undefined : JSON.parse(got['x-warnings']),
    };
  };
  return {
    ...gateway,
    sendBytes: (request, body, options = {}) => sendAs(request, body, options),
    send(request, body, { headers, ...options } = {}) {
      const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' };
      return sendAs(request, body === undefined || typeof body === 'string' ? body : JSON.stringify(body), {
        ...options,
        headers: { ...type, ...headers },
      });
    },
  };
}

/** The own calendar's events. */
export const events = '/calendar/v3/calendars/primary/events';
