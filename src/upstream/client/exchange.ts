import { isUtf8 } from 'node:buffer';
import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { urlToHttpOptions } from 'node:url';
import { promisify, toUSVString } from 'node:util';
import { gunzip } from 'node:zlib';
import type { RequestKey } from '../../core/runtime/limits.ts';
import { CallFailure, type FailureReason } from './failure.ts';

/** Connections held at once to one service, and kept while nothing is under way. */
const pool = { keepAlive: true, maxSockets: 256, maxFreeSockets: 32, timeout: 10_000 };

/** An origin (scheme, host and port) that requests go to, with connections of its own. */
export interface Origin {
  readonly host: string;
  /** The begin of the paths of requests, without a slash at the end. */
  readonly base: string;
  readonly isSecure: boolean;
  readonly send: typeof httpRequest;
  readonly options: {
    readonly protocol: string;
    readonly hostname: string;
    readonly port?: number | string | null;
    readonly agent: HttpAgent;
  };
  close(): void;
}

export function createOrigin(base: string): Origin {
  const url = new URL(base);
  const isSecure = url.protocol === 'https:';
  const agent = isSecure ? new HttpsAgent(pool) : new HttpAgent(pool);
  const { hostname, port } = urlToHttpOptions(url);
  return {
    host: url.host,
    base: url.pathname.replace(/\/$/, ''),
    isSecure,
    send: isSecure ? httpsRequest : httpRequest,
    options: { protocol: url.protocol, hostname: hostname as string, port, agent },
    close: () => agent.destroy(),
  };
}

export type Service = 'calendar' | 'storage';
export type Verb = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** Values of a query; what is null or undefined is left out. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | null | undefined>
>;

/** A call of a method of an official REST API. */
export interface Call {
  /** As the discovery document names it, without the service: `events.get`. For figures and the log. */
  readonly method: string;
  readonly verb: Verb;
  /** Below the base of the service: each segment is percent-encoded. */
  readonly path: readonly string[];
  readonly query?: Query;
  /** In official names. */
  readonly body?: object;
  readonly ifMatch?: string | undefined;
  /** True for a call that may be sent again after an unknown outcome: a second time it changes nothing, and notifies nobody. */
  readonly repeatable: boolean;
  /** True for a call that changes nothing though it is no GET. */
  readonly readsOnly?: boolean;
}

/** For whom a call is made, and within which request: all calls of one share its time. */
export interface CallFor {
  /** The caller's bearer token. */
  readonly token: string;
  readonly request: RequestKey;
  /** Aborted when nobody waits any more. */
  readonly signal?: AbortSignal;
}

/** An answer of a service with a status below 300. */
export interface Reply {
  readonly status: number;
  readonly etag?: string | undefined;
  /** The JSON of its body; undefined where there is none. */
  readonly body: unknown;
}

/** Calls one of the services. */
export interface UpstreamClient {
  /**
   * Rejects with a ServiceRefusal for what the service refuses, and with an AppError for what it never got to decide:
   * RATE_LIMITED, UNAVAILABLE (reason `backendError`, or `outcomeUnknown` where a write may have been carried
   * out), UNAUTHENTICATED.
   */
  call(call: Call, from: CallFor): Promise<Reply>;
  close(): void;
}

/** A refusal of a service, status 4xx, in the words of its answer. */
export class ServiceRefusal extends Error {
  readonly status: number;
  /** The reason of the first error: `invalid`, `notFound`, `forbiddenForNonOrganizer`; empty if the answer has none. */
  readonly reason: string;
  /** The service's text, shortened. */
  readonly words: string;
  /** The parameter or field that the first error names. */
  readonly location: string | undefined;
  /** An attempt before, whose answer was lost, may have been carried out. */
  again = false;

  constructor(status: number, reason: string, words: string, location: string | undefined) {
    super(`the service answered ${status} ${reason}`);
    this.name = 'ServiceRefusal';
    this.status = status;
    this.reason = reason;
    this.words = words;
    this.location = location;
  }
}

const encode = (value: string): string => encodeURIComponent(toUSVString(value));

/** Path and query of a call below a base. */
export function targetOf(base: string, { path, query = {} }: Pick<Call, 'path' | 'query'>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    valuesOf(value).map((one) => `${encode(name)}=${encode(String(one))}`),
  );
  return [base, ...path.map(segment)].join('/') + (pairs.length === 0 ? '' : `?${pairs.join('&')}`);
}

const valuesOf = (value: Query[string]): readonly (string | number | boolean)[] =>
  value == null ? [] : typeof value === 'object' ? value : [value];

/** No service has ids of more characters. */
const longestId = 1024;

/** Segments that would lead elsewhere, or that no URL has room for, are the id of nothing. */
function segment(id: string): string {
  if (id.length > longestId || /^\.{0,2}$/.test(id))
    throw new ServiceRefusal(404, 'notFound', 'There is nothing of this id.', undefined);
  return encode(id);
}

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
