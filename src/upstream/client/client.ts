import { validateHeaderValue } from 'node:http';
import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import { attempted, type CallFigures, Circuit, realWaiting, type Waiting } from './attempts.ts';
import {
  type Call,
  type CallFor,
  createOrigin,
  exchange,
  type Service,
  targetOf,
  type UpstreamClient,
} from './exchange.ts';
import { CallFailure, errorOfFailure, type Reply, replyOf, ServiceRefusal } from './responses.ts';

/** Runs a call in a span of the trace at hand; `system`: attributes of what is called. */
export type Traced = <T>(
  name: string,
  system: Readonly<Record<string, string>>,
  work: () => Promise<T>,
) => Promise<T>;

export interface UpstreamClientParts {
  readonly service: Service;
  /** The base of its URLs. Tokens go nowhere else. */
  readonly base: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly figures: CallFigures;
  readonly traced: Traced;
  /** Called with a token that the service does not accept. */
  readonly onRefused: (token: string) => void;
  readonly waiting?: Waiting;
}

/** Calls one of the services over connections of its own. */
export function createUpstreamClient({
  service,
  base,
  clock,
  log,
  figures,
  traced,
  onRefused,
  waiting = realWaiting,
}: UpstreamClientParts): UpstreamClient {
  const origin = createOrigin(base);
  const parts = { circuit: new Circuit(), figures, waiting };

  async function send(call: Call, { token, request, signal }: CallFor): Promise<Reply> {
    const { method, verb, repeatable } = call;
    const path = targetOf(origin.base, call);
    const headers = headersOf(call, token);
    const body = call.body && JSON.stringify(call.body);
    return attempted(
      {
        service,
        method,
        request,
        repeatable,
        signal,
        send: (timeout) => exchange(origin, { verb, path, headers, body, timeout, signal }),
        judge(answer, again) {
          if (answer.status === 401) onRefused(token);
          // Whatever an earlier attempt deleted is not there any more.
          if (again && verb === 'DELETE' && answer.status === 404) return { status: 204, body: undefined };
          try {
            return replyOf(answer, verb, clock());
          } catch (error) {
            if (error instanceof ServiceRefusal) error.again = again;
            throw error;
          }
        },
      },
      parts,
    );
  }

  return {
    call: (call, from) =>
      traced(
        `${service} ${call.method}`,
        { 'server.address': origin.host, 'http.request.method': call.verb },
        () =>
          send(call, from).catch((error: unknown) => {
            const { method, verb, readsOnly = verb === 'GET' } = call;
            const isFailure = error instanceof CallFailure;
            const { status, reason } = error as Partial<ServiceRefusal>;
            // Messages tell nothing of what was asked.
            log[isFailure ? 'warn' : 'info']({ service, method, status, reason }, 'a call upstream failed');
            throw isFailure ? errorOfFailure(error, !readsOnly) : error;
          }),
      ),
    close: () => origin.close(),
  };
}

function headersOf({ body, ifMatch }: Call, token: string): Record<string, string> {
  return {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    ...(body && { 'content-type': 'application/json' }),
    ...(ifMatch !== undefined && { 'if-match': etagOf(ifMatch) }),
  };
}

/** What can stand in no header is the etag of nothing, and an empty one would be no condition. */
function etagOf(ifMatch: string): string {
  try {
    validateHeaderValue('if-match', ifMatch);
    if (ifMatch.trim() === '') throw new RangeError();
    return ifMatch;
  } catch {
    throw new ServiceRefusal(412, 'conditionNotMet', 'Precondition Failed');
  }
}
