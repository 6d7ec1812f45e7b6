import { isUtf8 } from 'node:buffer';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { CallFailure, type FailureReason } from './failure.ts';
import type { Origin } from './origin.ts';

/** Bytes of an answer's body, before and after it is unpacked. */
const mostBytes = 16 * 1024 * 1024;

export interface Exchange {
  readonly verb: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Milliseconds until the whole answer is there; the wait for a connection counts. */
  readonly timeout: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  readonly etag?: string | undefined;
  readonly retryAfter?: string | undefined;
  readonly text: string;
}

/** Sends one request and reads its answer, whatever that says: redirects are not followed. Rejects with a CallFailure. */
export async function exchange(origin: Origin, asked: Exchange): Promise<Answer> {
  const { response, body } = await answerTo(origin, asked);
  const { etag, 'retry-after': retryAfter, 'content-encoding': coding } = response.headers;
  return {
    status: response.statusCode as number,
    etag,
    retryAfter,
    text: textOf(await unpacked(body, coding)),
  };
}

interface Raw {
  readonly response: IncomingMessage;
  readonly body: Buffer;
}

function answerTo(
  { send, options, isSecure }: Origin,
  { verb, path, headers, body, timeout, signal }: Exchange,
): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const length =
      body === undefined
        ? verb === 'POST' || verb === 'PATCH'
          ? { 'content-length': '0' }
          : {}
        : { 'content-length': `${Buffer.byteLength(body)}` };
    const request = send({
      method: verb,
      path,
      headers: { 'accept-encoding': 'gzip', 'user-agent': 'resource-gateway (gzip)', ...headers, ...length },
      signal,
      ...options,
    });
    const wasConnected = watchConnection(request, isSecure);
    const end = (reason: FailureReason): void => {
      clearTimeout(timer);
      reject(new CallFailure(reason === 'gone' || wasConnected() ? reason : 'unreachable'));
    };
    const fail = (reason: FailureReason): void => {
      end(reason);
      request.destroy();
    };
    const timer = setTimeout(() => fail('timeout'), timeout);
    request
      .on('response', (response: IncomingMessage) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response
          .on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > mostBytes) fail('tooLong');
            else chunks.push(chunk);
          })
          .on('end', () => {
            clearTimeout(timer);
            resolve({ response, body: Buffer.concat(chunks) });
          })
          .on('error', () => end('reset'));
      })
      .on('error', (error) => end(reasonOf(error)))
      .on('close', () => end('reset'));
    request.end(body);
  });
}

/** Tells whether a request had a connection, so that it may have been carried out. */
function watchConnection(request: ClientRequest, isSecure: boolean): () => boolean {
  let connected = false;
  request.on('socket', (socket: Socket) => {
    if (request.reusedSocket) connected = true;
    else
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        connected = true;
      });
  });
  return () => connected;
}

function reasonOf({ code }: NodeJS.ErrnoException): FailureReason {
  if (code === 'ABORT_ERR') return 'gone';
  return code?.startsWith('HPE_') ? 'malformed' : 'reset';
}

const gunzipped = promisify(gunzip);

async function unpacked(body: Buffer, coding: string | undefined): Promise<Buffer> {
  if (coding === undefined || coding === 'identity' || body.length === 0) return body;
  if (coding !== 'gzip') throw new CallFailure('malformed');
  try {
    return await gunzipped(body, { maxOutputLength: mostBytes });
  } catch (error) {
    throw new CallFailure(
      (error as { readonly code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE' ? 'tooLong' : 'malformed',
    );
  }
}

function textOf(body: Buffer): string {
  if (!isUtf8(body)) throw new CallFailure('malformed');
  return body.toString();
}
