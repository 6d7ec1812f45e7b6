import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Call, CallFor } from '../../../src/upstream/client/exchange.ts';
import { createUpstreamClient, type UpstreamClientParts } from '../../../src/upstream/client/client.ts';
import { serve } from '../../loopback.ts';

/*
 * The harness of tests of what goes over a connection: a service on loopback answers what a test gives it, in order, and
 * time passes in pauses alone.
 *
 *     const service = await startService(refusal(500, 'backendError'), json(200, { id: 'e1' }));
 *     const open = clientOf(service.url);
 *     await open.call(reading);
 *     expect(open.waiting.pauses).toEqual([300]);
 */

/** A request as a service on loopback got it. */
export interface Got {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  /** The number of its connection, from 0 on. */
  readonly connection: number;
}

export type Answer = (response: ServerResponse, got: Got) => void;

/** Answers with a status and JSON. */
export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));

/** Answers as the official APIs tell of errors. */
export function refusal(
  status: number,
  reason: string,
  headers: Record<string, string> = {},
  more: object = {},
): Answer {
  const message = `Message of ${reason}`;
  const errors = [{ domain: 'global', reason, message, ...more }];
  return json(status, { error: { code: status, message, errors } }, headers);
}

/** Answers with a text that need not be JSON. */
export const text =
  (body: string, status = 200, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body);

/** Ends the connection in the middle. */
export const reset: Answer = (response) => void response.socket?.resetAndDestroy();

/** Never answers. */
export const silent: Answer = () => undefined;

export type FakeService = Awaited<ReturnType<typeof startService>>;

export async function startService(...answers: Answer[]) {
  const connections: unknown[] = [];
  const service = {
    got: [] as Got[],
    /** Answers to the next requests, in turn; the last one is repeated. */
    answers: answers as readonly Answer[],
  };
  const { url, close: stop } = await serve((request, response) => {
    const chunks: Buffer[] = [];
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const { method = '', headers, socket } = request;
        if (!connections.includes(socket)) connections.push(socket);
        const body = Buffer.concat(chunks).toString();
        const got = {
          method,
          url: request.url ?? '',
          headers,
          body,
          connection: connections.indexOf(socket),
        };
        service.got.push(got);
        const answer = service.answers[service.got.length - 1] ?? service.answers.at(-1);
        answer?.(response, got);
      });
  });
  return Object.assign(service, { url, stop });
}

/** Time that passes in pauses alone. */
export function manualWaiting(chance = 0) {
  let time = 0;
  const pauses: number[] = [];
  return {
    /** The pauses that were made. */
    pauses,
    /** Lets time pass. */
    pass: (ms: number) => void (time += ms),
    now: () => time,
    chance: () => chance,
    async pause(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted();
      pauses.push(ms);
      time += ms;
    },
  };
}

/** Keeps what is told of calls. */
export function recorder() {
  const lines: { level: string; details: object; message: string }[] = [];
  const attempts: string[] = [];
  const retries: string[] = [];
  const spans: unknown[] = [];
  const line =
    (level: string) =>
    (details: object, message: string): void =>
      void lines.push({ level, details, message });
  return {
    lines,
    attempts,
    retries,
    spans,
    log: { info: line('info'), warn: line('warn'), error: line('error') },
    figures: {
      attempted: (...[service, method, status]: [string, string, string, number]) =>
        void attempts.push(`${service} ${method} ${status}`),
      retried: (...of: string[]) => void retries.push(of.join(' ')),
    },
    traced: <T>(name: string, system: object, work: () => Promise<T>): Promise<T> => {
      spans.push([name, system]);
      return work();
    },
  };
}

export const token = 'ya29.secret-token';
export const reading: Call = {
  method: 'events.get',
  verb: 'GET',
  path: ['calendars', 'alice@example.com', 'events', 'e1'],
  repeatable: true,
};
export const writing: Call = {
  method: 'events.insert',
  verb: 'POST',
  path: ['calendars', 'primary', 'events'],
  body: { summary: 'Secret plan' },
  repeatable: false,
};

/** A client of a service on loopback. */
export function clientOf(base: string, more: Partial<UpstreamClientParts> = {}) {
  const waiting = manualWaiting();
  const told = recorder();
  const refused: string[] = [];
  const { log, figures, traced } = told;
  const client = createUpstreamClient({
    service: 'calendar',
    base,
    clock: () => Date.UTC(2031, 0, 1),
    log,
    figures,
    traced,
    waiting,
    onRefused: (one) => void refused.push(one),
    ...more,
  });
  return {
    ...told,
    waiting,
    refused,
    client,
    close: () => client.close(),
    call: (call: Call, from: Partial<CallFor> = {}) => client.call(call, { token, request: {}, ...from }),
  };
}
