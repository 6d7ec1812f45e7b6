import { validateHeaderValue } from 'node:http';
import { type CallerDependencies, callWithRetries, Circuit, systemTimer } from './attempts.ts';
import { bearerOf } from '../identity/token-verifier.ts';
import type { Fields } from '../../core/json.ts';
import {
  type Call,
  type CallContext,
  createOrigin,
  httpMethodOf,
  isReading,
  sendRequest,
  type Service,
  buildRequestTarget,
  type UpstreamClient,
} from './http-exchange.ts';
import { CallFailure, errorOfFailure, parseResponse, ServiceRefusal } from './responses.ts';

/** Collaborators and settings of a client. */
export interface UpstreamClientDependencies extends CallerDependencies {
  readonly service: Service;
  /** Base URL of the service. Tokens are sent nowhere else. */
  readonly baseUrl: string;
  /** Called with a token that the service refused (401). */
  readonly onRefused: (token: string) => void;
}

/** Creates a client of one service, with its own connections, retries and circuit breaker. */
export function createUpstreamClient({
  service,
  baseUrl,
  clock,
  log,
  metrics,
  runTraced,
  onRefused,
  timer = systemTimer,
}: UpstreamClientDependencies): UpstreamClient {
  const origin = createOrigin(baseUrl);
  const dependencies = { circuit: new Circuit(), metrics, timer };

  async function sendWithRetries(call: Call, { viewer, request }: CallContext): Promise<Fields> {
    const { apiMethod, repeatable = isReading(call) } = call;
    const httpMethod = httpMethodOf(call);
    const token = bearerOf(viewer);
    const path = buildRequestTarget(origin.basePath, call);
    const headers = createHeaders(call, token);
    const body = call.body && JSON.stringify(call.body);
    return callWithRetries(
      {
        service,
        apiMethod,
        request,
        repeatable,
        send: (timeoutMs) => sendRequest(origin, { httpMethod, path, headers, body, timeoutMs }),
        classify(response, mayBeDone) {
          if (response.status === 401) onRefused(token);
          // An earlier attempt may have deleted the resource already.
          const isDeleted = mayBeDone && httpMethod === 'DELETE' && response.status === 404;
          if (isDeleted) return {};
          try {
            return parseResponse(response, httpMethod, clock());
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
    call: (call, context) =>
      runTraced(
        `${service} ${call.apiMethod}`,
        { 'server.address': origin.host, 'http.request.method': httpMethodOf(call) },
        () =>
          sendWithRetries(call, context).catch((error: unknown) => {
            const isFailure = error instanceof CallFailure;
            const { status, reason } = error as Partial<ServiceRefusal>;
            // Only fields without request data are logged.
            log[isFailure ? 'warn' : 'info'](
              { service, method: call.apiMethod, status, reason },
              'a call upstream failed',
            );
            throw isFailure ? errorOfFailure(error, !isReading(call)) : error;
          }),
      ),
    close: () => origin.close(),
  };
}

function createHeaders({ body, ifMatch }: Call, token: string): Record<string, string> {
  return {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    ...(body && { 'content-type': 'application/json' }),
    ...(ifMatch !== undefined && { 'if-match': requireValidEtag(ifMatch) }),
  };
}

/** Rejects etags that no header can hold, which match nothing, and empty ones, which would drop the condition. */
function requireValidEtag(ifMatch: string): string {
  try {
    validateHeaderValue('if-match', ifMatch);
    if (ifMatch.trim() === '') throw new RangeError();
    return ifMatch;
  } catch {
    throw new ServiceRefusal(412, 'conditionNotMet', 'Precondition Failed');
  }
}
