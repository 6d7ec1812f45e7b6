import { validateHeaderValue } from 'node:http';
import type { Clock } from '../../core/runtime/clock.ts';
import type { Log } from '../../core/runtime/log.ts';
import { callWithRetries, type CallMetrics, Circuit, realWaiting, type RetryTimer } from './attempts.ts';
import {
  type Call,
  type CallContext,
  createOrigin,
  sendRequest,
  type Service,
  buildTarget,
  type UpstreamClient,
} from './exchange.ts';
import { CallFailure, errorOfFailure, type ParsedResponse, parseReply, ServiceRefusal } from './responses.ts';

/** Runs a call in a span of the current trace. `system`: attributes of the called service. */
export type RunTraced = <T>(
  name: string,
  system: Readonly<Record<string, string>>,
  work: () => Promise<T>,
) => Promise<T>;

export interface UpstreamClientDependencies {
  readonly service: Service;
  /** Base URL of the service. Tokens are sent nowhere else. */
  readonly base: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly figures: CallMetrics;
  readonly traced: RunTraced;
  readonly onRefused: (token: string) => void;
  readonly waiting?: RetryTimer;
}

/** Creates a client of one service, with its own connections, retries and circuit breaker. */
export function createUpstreamClient({
  service,
  base,
  clock,
  log,
  figures,
  traced,
  onRefused,
  waiting = realWaiting,
}: UpstreamClientDependencies): UpstreamClient {
  const origin = createOrigin(base);
  const dependencies = { circuit: new Circuit(), figures, waiting };

  async function send(call: Call, { token, request, signal }: CallContext): Promise<ParsedResponse> {
    const { method, verb, repeatable } = call;
    const path = buildTarget(origin.base, call);
    const headers = headersOf(call, token);
    const body = call.body && JSON.stringify(call.body);
    return callWithRetries(
      {
        service,
        method,
        request,
        repeatable,
        signal,
        send: (timeout) => sendRequest(origin, { verb, path, headers, body, timeout, signal }),
        classify(answer, mayBeDone) {
          if (answer.status === 401) onRefused(token);
          // An earlier attempt may have deleted the resource already.
          const isDeleted = mayBeDone && verb === 'DELETE' && answer.status === 404;
          if (isDeleted) return { status: 204, body: undefined };
          try {
            return parseReply(answer, verb, clock());
          } catch (error) {
            if (error instanceof ServiceRefusal) error.hasEarlierAttempt = mayBeDone;
            throw error;
          }
        },
      },
      dependencies,
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
            // Only fields without request data are logged.
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

/** Rejects etags that no header can hold, which match nothing, and empty ones, which would drop the condition. */
function etagOf(ifMatch: string): string {
  try {
    validateHeaderValue('if-match', ifMatch);
    if (ifMatch.trim() === '') throw new RangeError();
    return ifMatch;
  } catch {
    throw new ServiceRefusal(412, 'conditionNotMet', 'Precondition Failed');
  }
}
