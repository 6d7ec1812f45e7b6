import { type Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { withTimeout } from '../../core/runtime/clock.ts';
import { parseRetryAfter } from '../../core/text/retry-after.ts';
import { type DeliveryResult, doneResult } from '../../outbox/destination.ts';
import { describeFailure } from '../connection-failures.ts';

/** A failure whose message may be logged: it contains neither sent data nor words of the receiver. */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
}

/** Converts an error of Node.js, which may contain bytes of the receiver, into one that may be logged. */
function toWebhookFailure(error: unknown, reasons: Readonly<Record<string, string>> = {}): WebhookFailure {
  if (error instanceof WebhookFailure) return error;
  const { code } = error as { readonly code?: unknown };
  if (code === 'HPE_HEADER_OVERFLOW') return new WebhookFailure('the headers of the response are too long');
  return new WebhookFailure(
    String(code).startsWith('HPE_') ? `no HTTP response (${String(code)})` : describeFailure(code, reasons),
  );
}

/** Maximum pause that a receiver can ask for with `Retry-After`. */
const maxPauseMs = 24 * 60 * 60 * 1000;

/** The delivery outcome of a response: 410 turns the webhook off, `Retry-After` pauses it. */
export function toDeliveryResult({ status, retryAfter }: ResponseHead, now: number): DeliveryResult {
  if (status >= 200 && status < 300) return doneResult;
  const cause = new WebhookFailure(`answered with ${status}`);
  if (status === 410) return { outcome: 'off', cause };
  const pauseMs = retryAfter === undefined ? 0 : parseRetryAfter(retryAfter, now);
  return pauseMs > 0
    ? { outcome: 'pause', until: now + Math.min(pauseMs, maxPauseMs), cause }
    : { outcome: 'again', cause };
}

/** A message to post, and the agent that connects. */
interface PostRequest {
  readonly url: URL;
  readonly agent: Agent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

interface PostInput extends PostRequest {
  /** Milliseconds until the response head, including lookup and connect. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Head of a response; its body is not used. */
interface ResponseHead {
  readonly status: number;
  readonly retryAfter?: string;
}

/** Limits of a response: all bytes of heads and body, and the number of informational responses. */
const maxResponseBytes = 64 * 1024;
const maxInformationalResponses = 16;
/** Maximum bytes of a chunked response, whose chunks may be one byte each. */
const maxChunkedBytes = 8 * 1024;
/** Milliseconds to drain the unused body, so that the connection can be reused. */
const maxBodyMs = 1000;

/** Posts a body and resolves with the response head; discards the response body. Rejects with a WebhookFailure. */
export const post = ({ timeoutMs, signal, ...postRequest }: PostInput): Promise<ResponseHead> =>
  withTimeout(timeoutMs, [signal], (attemptSignal) => postReconnecting(postRequest, attemptSignal)).catch(
    (error: unknown) => {
      throw toWebhookFailure(error, { ETIMEDOUT: `no response within ${timeoutMs / 1000} s` });
    },
  );

/** Posts again if the receiver had closed a reused connection, which is not a failure. */
async function postReconnecting(postRequest: PostRequest, timeoutSignal: AbortSignal): Promise<ResponseHead> {
  for (;;) {
    const outcome = await postOnce(postRequest, timeoutSignal);
    if ('responseHead' in outcome) return outcome.responseHead;
    const { code } = outcome.error as { readonly code?: unknown };
    const wasStale =
      outcome.wasReused && (code === 'ECONNRESET' || code === 'EPIPE') && !timeoutSignal.aborted;
    if (!wasStale) throw toWebhookFailure(outcome.error);
  }
}

/** Result of one attempt: a response, or an error and whether the attempt reused an earlier connection. */
type PostOutcome =
  { readonly responseHead: ResponseHead } | { readonly error: unknown; readonly wasReused: boolean };

/** Posts once. Resolves with an error too, so that the caller can decide whether to repeat. */
function postOnce({ url, agent, headers, body }: PostRequest, signal: AbortSignal): Promise<PostOutcome> {
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
      resolve({ error, wasReused: request.reusedSocket });
      request.destroy();
    };
    const readLimit = limitReading(request, fail);
    request
      .on('response', (response: IncomingMessage) => {
        timer = setTimeout(() => request.destroy(), maxBodyMs);
        resolve({
          responseHead: { status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'] },
        });
        response.on('error', () => undefined).resume();
        if (response.headers['transfer-encoding'] !== undefined) readLimit.reduceLimit(maxChunkedBytes);
      })
      .on('error', fail)
      .on('close', () => {
        clearTimeout(timer);
        resolve({
          error: new WebhookFailure('the connection was closed before a response'),
          wasReused: false,
        });
      });
    request.end(body);
  });
}

/** Ends a request whose response exceeds the limits, and zeroes the current chunk, so that the parser stops at once. */
function limitReading(
  request: ClientRequest,
  fail: (error: unknown) => void,
): { reduceLimit(bytes: number): void } {
  let [readBytes, maxBytes, informationalCount] = [0, maxResponseBytes, 0];
  let currentChunk: Buffer | undefined;
  const endWith = (reason: string): void => {
    currentChunk?.fill(0);
    fail(new WebhookFailure(reason));
  };
  request.on('information', () => {
    informationalCount += 1;
    if (informationalCount > maxInformationalResponses) endWith('too many informational responses');
  });
  request.on('socket', (socket: Socket) => {
    const countBytes = (chunk: Buffer): void => {
      currentChunk = chunk;
      readBytes += chunk.length;
      if (readBytes > maxBytes) endWith('the response is too long');
    };
    socket.prependListener('data', countBytes);
    request.on('close', () => socket.off('data', countBytes));
  });
  return {
    reduceLimit(newMaxBytes) {
      maxBytes = newMaxBytes;
      if (readBytes > maxBytes) endWith('the response is too long');
    },
  };
}
