import { type Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { within } from '../../core/runtime/clock.ts';
import { retryAfterMs } from '../../core/text/retry-after.ts';
import { type Delivery, done } from '../../outbox/destination.ts';
import { describeFailure } from '../connection-failures.ts';

/** A failure whose message may be logged: it tells nothing of what was sent, and nothing in the receiver's own words. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
}

/** An error of Node's, which may hold bytes of the receiver, as one that may be logged. */
function failureOf(error: unknown, words: Readonly<Record<string, string>> = {}): WebhookFailure {
  if (error instanceof WebhookFailure) return error;
  const { code } = error as { readonly code?: unknown };
  if (code === 'HPE_HEADER_OVERFLOW') return new WebhookFailure('the head of the answer is too long');
  return new WebhookFailure(
    String(code).startsWith('HPE_') ? `no answer of HTTP (${String(code)})` : describeFailure(code, words),
  );
}

const longestPause = 24 * 60 * 60 * 1000;

/** Derives from an answer what becomes of the message, and of its webhook. */
export function deliveryOf({ status, retryAfter }: Answer, now: number): Delivery {
  if (status >= 200 && status < 300) return done;
  const cause = new WebhookFailure(`answered with ${status}`);
  if (status === 410) return { outcome: 'off', cause };
  const pause = retryAfter === undefined ? 0 : retryAfterMs(retryAfter, now);
  return pause > 0
    ? { outcome: 'pause', until: now + Math.min(pause, longestPause), cause }
    : { outcome: 'again', cause };
}

interface Post {
  readonly url: URL;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface Exchange extends Post {
  /** Milliseconds until the head of the answer is there, the name resolved and the connection made in between. */
  readonly timeout: number;
  readonly signal: AbortSignal;
}

/** The head of an answer, as far as it counts. */
interface Answer {
  readonly status: number;
  readonly retryAfter?: string;
}

/** What is read of an answer, its head, informational ones before it and its body together. */
const mostBytes = 64 * 1024;
const mostInformational = 16;
/** The same of an answer in chunks, which may be a byte each. */
const mostBytesInChunks = 8 * 1024;
/** Milliseconds for the body of an answer, which nobody needs: a connection on which it has ended is used again. */
const bodyTime = 1000;

/**
 * Posts a body and answers as soon as the head of the answer is there; its body is thrown away, undecoded. Rejects with a
 * WebhookFailure.
 */
export const post = ({ timeout, signal, ...exchange }: Exchange): Promise<Answer> =>
  within(timeout, [signal], (until) => attempt(exchange, until)).catch((error: unknown) => {
    throw failureOf(error, { ETIMEDOUT: `no answer within ${timeout / 1000} s` });
  });

/** A kept connection that the receiver has closed meanwhile is no failure: the next one is taken. */
async function attempt(exchange: Post, until: AbortSignal): Promise<Answer> {
  for (;;) {
    const outcome = await once(exchange, until);
    if ('answer' in outcome) return outcome.answer;
    const { code } = outcome.error as { readonly code?: unknown };
    const wasStale = outcome.reused && (code === 'ECONNRESET' || code === 'EPIPE') && !until.aborted;
    if (!wasStale) throw failureOf(outcome.error);
  }
}

type Outcome = { readonly answer: Answer } | { readonly error: unknown; readonly reused: boolean };

function once({ url, agent, headers, body }: Post, signal: AbortSignal): Promise<Outcome> {
  return new Promise((resolve) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, {
      method: 'POST',
      agent,
      signal,
      headers: { ...headers, 'content-length': body.length },
    });
    let timer: NodeJS.Timeout | undefined;
    const fail = (error: unknown): void => {
      resolve({ error, reused: request.reusedSocket });
      request.destroy();
    };
    const reading = limitReading(request, fail);
    request
      .on('response', (response: IncomingMessage) => {
        timer = setTimeout(() => request.destroy(), bodyTime);
        resolve({
          answer: { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] },
        });
        response.on('error', () => undefined).resume();
        if (response.headers['transfer-encoding'] !== undefined) reading.limit(mostBytesInChunks);
      })
      .on('error', fail)
      .on('close', () => {
        clearTimeout(timer);
        resolve({ error: new WebhookFailure('the connection was closed before an answer'), reused: false });
      });
    request.end(body);
  });
}

/**
 * Ends a request whose answer is longer than anybody needs, whatever it is made of. What is at work then is blanked: the parser, which
 * would go on through thousands of small parts, stops there.
 */
function limitReading(
  request: ClientRequest,
  fail: (error: unknown) => void,
): { limit(bytes: number): void } {
  let [bytes, most, informational] = [0, mostBytes, 0];
  let current: Buffer | undefined;
  const end = (reason: string): void => {
    current?.fill(0);
    fail(new WebhookFailure(reason));
  };
  request.on('information', () => {
    informational += 1;
    if (informational > mostInformational) end('too many informational answers');
  });
  request.on('socket', (socket: Socket) => {
    const count = (chunk: Buffer): void => {
      current = chunk;
      bytes += chunk.length;
      if (bytes > most) end('the answer is too long');
    };
    socket.prependListener('data', count);
    request.on('close', () => socket.off('data', count));
  });
  return {
    limit(fewer) {
      most = fewer;
      if (bytes > most) end('the answer is too long');
    },
  };
}
