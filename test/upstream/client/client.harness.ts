import type { IncomingMessage, ServerResponse } from 'node:http';
import { viewerOf } from '../../../src/access/permissions.ts';
import type { Call, CallContext } from '../../../src/upstream/client/http-exchange.ts';
import { rememberBearer } from '../../../src/upstream/identity/token-verifier.ts';
import {
  createUpstreamClient,
  type UpstreamClientDependencies,
} from '../../../src/upstream/client/client.ts';
import { startLoopbackServer } from '../../loopback-server.ts';

/*
 * Test harness for the upstream client: a fake service on loopback sends the given answers in order, and time passes
 * only in pauses.
 *
 *     const service = await startService(refusal(500, 'backendError'), json(200, { id: 'e1' }));
 *     const client = openClient(service.url);
 *     await client.call(readCall);
 *     expect(client.timer.pauses).toEqual([300]);
 */

/** A request as the fake service received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The index of its connection, from 0 on. */
  readonly connection: number;
}

/** Answers a request to the fake service. */
export type Answer = (response: ServerResponse, request: ReceivedRequest) => void;

/** Answers with a status and JSON. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));

/** Answers with an error in the format of Google's APIs. */
export function refusal(
  status: number,
  reason: string,
  headers: Record<string, string> = {},
  errorFields: object = {},
): Answer {
  const message = `Message of ${reason}`;
  const errors = [{ domain: 'global', reason, message, ...errorFields }];
  return json(status, { error: { code: status, message, errors } }, headers);
}

/** Answers with a text that need not be JSON. */
export const text =
  (body: string, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body);

/** Resets the connection. */
export const reset: Answer = (response) => void response.socket?.resetAndDestroy();

/** Never answers. */
export const silent: Answer = () => undefined;

export type FakeService = Awaited<ReturnType<typeof startService>>;

/** Starts a fake service. `received` has its requests in order. */
export async function startService(...answers: Answer[]) {
  const connections: unknown[] = [];
  const service = {
    received: [] as ReceivedRequest[],
    /** Answers by the index of their request; the last one is repeated. */
    answers: answers as readonly Answer[],
  };
  const { url, close: stop } = await startLoopbackServer((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const { method = '', headers, socket } = request;
        if (!connections.includes(socket)) connections.push(socket);
        const body = Buffer.concat(chunks).toString();
        const received = {
          method,
          url: request.url ?? '',
          headers,
          body,
          connection: connections.indexOf(socket),
        };
        service.received.push(received);
        const answer = service.answers[service.received.length - 1] ?? service.answers.at(-1);
        answer?.(response, received);
      });
  });
  return Object.assign(service, { url, stop });
}

/** Creates a clock whose time passes only in pauses. */
export function createManualTimer(randomValue = 0) {
  let nowMs = 0;
  const pauses: number[] = [];
  return {
    /** Durations in milliseconds. */
    pauses,
    advance: (ms: number) => void (nowMs += ms),
    now: () => nowMs,
    random: () => randomValue,
    async pause(ms: number) {
      pauses.push(ms);
      nowMs += ms;
    },
  };
}

/** Records the log lines, metrics and spans of calls. */
export function createRecorder() {
  const lines: { level: string; details: object; message: string }[] = [];
  const attempts: string[] = [];
  const retries: string[] = [];
  const spans: unknown[] = [];
  const logAt =
    (level: string) =>
    (details: object, message: string): void =>
      void lines.push({ level, details, message });
  return {
    lines,
    attempts,
    retries,
    spans,
    log: { info: logAt('info'), warn: logAt('warn'), error: logAt('error') },
    metrics: {
      recordAttempt: (...[service, method, status]: [string, string, string, number]) =>
        void attempts.push(`${service} ${method} ${status}`),
      countRetry: (...labels: string[]) => void retries.push(labels.join(' ')),
    },
    runTraced: <T>(name: string, system: object, runWork: () => Promise<T>): Promise<T> => {
      spans.push([name, system]);
      return runWork();
    },
  };
}

export const token = 'ya29.secret-token';
const viewer = rememberBearer(viewerOf({ sub: 'alice' }, undefined), token);
export const readCall: Call = {
  apiMethod: 'events.get',
  path: ['calendars', 'alice@example.com', 'events', 'e1'],
};
export const writeCall: Call = {
  apiMethod: 'events.insert',
  path: ['calendars', 'primary', 'events'],
  body: { summary: 'Secret plan' },
  repeatable: false,
};

/** Opens a client of a service on loopback. */
export function openClient(baseUrl: string, overrides: Partial<UpstreamClientDependencies> = {}) {
  const timer = createManualTimer();
  const records = createRecorder();
  const refusedTokens: string[] = [];
  const { log, metrics, runTraced } = records;
  const client = createUpstreamClient({
    service: 'calendar',
    baseUrl,
    clock: () => Date.UTC(2031, 0, 1),
    log,
    metrics,
    runTraced,
    timer,
    onRefused: (refusedToken) => void refusedTokens.push(refusedToken),
    ...overrides,
  });
  return {
    ...records,
    timer,
    refusedTokens,
    client,
    close: () => client.close(),
    call: (call: Call, context: Partial<CallContext> = {}) =>
      client.call(call, { viewer, request: {}, ...context }),
  };
}
