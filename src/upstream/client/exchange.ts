import { isUtf8 } from 'node:buffer';
import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { urlToHttpOptions } from 'node:url';
import { promisify, toUSVString } from 'node:util';
import { gunzip } from 'node:zlib';
import type { RequestKey } from '../../core/runtime/limits.ts';
import { type Answer, CallFailure, type FailureReason, type Reply, ServiceRefusal } from './responses.ts';

/** Connections held at once to one service, and kept while nothing is under way. */
const pool = { keepAlive: true, maxSockets: 256, maxFreeSockets: 32, timeout: 10_000 };

/** An origin (scheme, host and port) that requests go to, with connections of its own. */
export interface Origin {
  readonly host: string;
  /** The begin of the paths of requests, without a slash at the end. */
  readonly base: string;
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
    throw new ServiceRefusal(404, 'notFound', 'There is nothing of this id.');
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

/** Sends one request and reads its answer, whatever that says: redirects are not followed. Rejects with a CallFailure. */
export async function exchange(
  { send, options }: Origin,
  { verb, path, headers, body = '', timeout, signal }: Exchange,
): Promise<Answer> {
  const length = verb === 'GET' || verb === 'DELETE' ? {} : { 'content-length': Buffer.byteLength(body) };
  const request = send({
    method: verb,
    path,
    headers: { 'accept-encoding': 'gzip', 'user-agent': 'resource-gateway (gzip)', ...headers, ...length },
    signal,
    ...options,
  });
  const isConnected = watchConnection(request);
  let isLate = false;
  let timer: NodeJS.Timeout | undefined;
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      timer = setTimeout(() => {
        isLate = true;
        // A request that waits for a connection says nothing of its end.
        reject(new CallFailure('timeout'));
        request.destroy();
      }, timeout);
      request.on('response', resolve).on('error', reject).end(body);
    });
    const { headers: answer, statusCode } = response;
    return {
      status: statusCode as number,
      etag: answer.etag,
      retryAfter: answer['retry-after'],
      challenge: answer['www-authenticate'],
      text: textOf(await unpacked(await bodyOf(response), answer['content-encoding'])),
    };
  } catch (error) {
    const reason = isLate ? 'timeout' : reasonOf(error as NodeJS.ErrnoException);
    throw new CallFailure(reason === 'gone' || isConnected() ? reason : 'unreachable');
  } finally {
    clearTimeout(timer);
  }
}

function bodyOf(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response
      .on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes <= mostBytes) return void chunks.push(chunk);
        reject(new CallFailure('tooLong'));
        response.destroy();
      })
      .on('end', () => resolve(Buffer.concat(chunks)))
      .on('error', reject);
  });
}

/** Tells whether a request had a connection, so that it may have been carried out. */
function watchConnection(request: ClientRequest): () => boolean {
  let connected = false;
  request.on('socket', (socket: Socket) => {
    if (request.reusedSocket) connected = true;
    else
      socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
        connected = true;
      });
  });
  return () => connected;
}

function reasonOf(error: NodeJS.ErrnoException): FailureReason {
  if (error instanceof CallFailure) return error.reason;
  if (error.code === 'ABORT_ERR') return 'gone';
  return error.code?.startsWith('HPE_') ? 'malformed' : 'reset';
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
