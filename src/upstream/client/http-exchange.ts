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
import type { Viewer } from '../../access/permissions.ts';
import type { Fields } from '../../core/json.ts';
import type { RequestKey } from '../../core/runtime/request-loader.ts';
import { type RawResponse, CallFailure, type FailureReason, ServiceRefusal } from './responses.ts';

/** Limits on connections to one service. `maxFreeSockets` are kept while idle; `timeout`: maximum idle time (ms). */
const connectionPoolOptions = { keepAlive: true, maxSockets: 256, maxFreeSockets: 32, timeout: 10_000 };

/** An origin (scheme, host, port) with its own connection pool. */
export type Origin = ReturnType<typeof createOrigin>;

export function createOrigin(baseUrl: string) {
  const url = new URL(baseUrl);
  const isSecure = url.protocol === 'https:';
  const agent = isSecure ? new HttpsAgent(connectionPoolOptions) : new HttpAgent(connectionPoolOptions);
  const { hostname, port } = urlToHttpOptions(url);
  return {
    host: url.host,
    /** Path prefix of requests, without a trailing slash. */
    basePath: url.pathname.replace(/\/$/, ''),
    send: isSecure ? httpsRequest : httpRequest,
    options: { protocol: url.protocol, hostname: hostname as string, port, agent },
    close: (): void => agent.destroy(),
  };
}

/** Services behind the gateway, as metrics and traces name them. */
export type Service = 'calendar' | 'storage';

/** HTTP methods of the official API's methods, by the last part of their names. */
const httpMethods = {
  get: 'GET',
  list: 'GET',
  instances: 'GET',
  query: 'POST',
  insert: 'POST',
  import: 'POST',
  move: 'POST',
  patch: 'PATCH',
  delete: 'DELETE',
} as const;
type MethodName = keyof typeof httpMethods;
const readingMethods: readonly MethodName[] = ['get', 'list', 'instances', 'query'];

const methodNameOf = ({ apiMethod }: Pick<Call, 'apiMethod'>): MethodName =>
  apiMethod.slice(apiMethod.indexOf('.') + 1) as MethodName;

export const httpMethodOf = (call: Pick<Call, 'apiMethod'>) => httpMethods[methodNameOf(call)];
export const isReading = (call: Pick<Call, 'apiMethod'>): boolean =>
  readingMethods.includes(methodNameOf(call));

/** Query parameters; null and undefined are omitted. */
export type Query = Readonly<
  Record<string, string | number | boolean | readonly string[] | null | undefined>
>;

/** A call of a method of the official API. */
export interface Call {
  /** Name in the discovery document without the service (`events.get`), for metrics and the log. */
  readonly apiMethod: `${string}.${MethodName}`;
  /** Path segments below the base URL, not yet percent-encoded. */
  readonly path: readonly string[];
  readonly query?: Query;
  readonly body?: object;
  readonly ifMatch?: string | undefined;
  /** Whether a write may be retried after an unknown outcome, since a second one changes nothing and notifies nobody. */
  readonly repeatable?: boolean;
}

/** Viewer on whose behalf a call is made, and the request, whose calls share a retry budget. */
export interface CallContext {
  readonly viewer: Viewer;
  readonly request: RequestKey;
}

export interface UpstreamClient {
  /**
   * Makes a call with the viewer's token; resolves to the JSON of the response, `{}` for an empty one. Rejects with a ServiceRefusal if the service refuses the call, else with an AppError: UNAUTHENTICATED, RATE_LIMITED or
   * UNAVAILABLE (reason `backendError`, or `outcomeUnknown` for a write that may have been carried out).
   */
  call(call: Call, context: CallContext): Promise<Fields>;
  close(): void;
}

const encodeText = (value: string): string => encodeURIComponent(toUSVString(value));

/** Builds the target of a request: its encoded path and query. */
export function buildRequestTarget(
  basePath: string,
  { path, query = {} }: Pick<Call, 'path' | 'query'>,
): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    valuesOf(value).map((entry) => `${encodeText(name)}=${encodeText(String(entry))}`),
  );
  return [basePath, ...path.map(encodeSegment)].join('/') + (pairs.length === 0 ? '' : `?${pairs.join('&')}`);
}

const valuesOf = (value: Query[string]): readonly (string | number | boolean)[] =>
  value == null ? [] : typeof value === 'object' ? value : [value];

/** Maximum number of characters of an id. */
const maxIdLength = 1024;

/** Encodes an id. Ids that are too long, or would change the path (`..`), match nothing. */
function encodeSegment(id: string): string {
  if (id.length > maxIdLength || /^\.{0,2}$/.test(id))
    throw new ServiceRefusal(404, 'notFound', 'There is no object with this id.');
  return encodeText(id);
}

/** Maximum size of the body of a response, compressed and decompressed. */
const maxBodyBytes = 16 * 1024 * 1024;

/** An HTTP request to send once. */
export interface OutgoingRequest {
  readonly httpMethod: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Milliseconds until the end of the response, including the wait for a connection. */
  readonly timeoutMs: number;
}

/** Sends one request and reads its response, without following redirects. Rejects with a CallFailure. */
export async function sendRequest(
  { send, options }: Origin,
  { httpMethod, path, headers, body = '', timeoutMs }: OutgoingRequest,
): Promise<RawResponse> {
  const request = send({
    method: httpMethod,
    path,
    headers: { 'accept-encoding': 'gzip', 'user-agent': 'resource-gateway (gzip)', ...headers },
    ...options,
  });
  const wasConnected = watchConnection(request);
  let hasTimedOut = false;
  let timer: NodeJS.Timeout | undefined;
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      timer = setTimeout(() => {
        hasTimedOut = true;
        // Destroying a request that waits for a connection emits no event, so this rejects first.
        reject(new CallFailure('timeout'));
        request.destroy();
      }, timeoutMs);
      request.on('response', resolve).on('error', reject).end(body);
    });
    const { headers: responseHeaders, statusCode } = response;
    return {
      status: statusCode as number,
      retryAfter: responseHeaders['retry-after'],
      challenge: responseHeaders['www-authenticate'],
      text: decodeText(await decompress(await readBody(response), responseHeaders['content-encoding'])),
    };
  } catch (error) {
    const reason = hasTimedOut ? 'timeout' : toFailureReason(error as NodeJS.ErrnoException);
    throw new CallFailure(wasConnected() ? reason : 'unreachable');
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the body of a response. Rejects with CallFailure if it is too long. */
async function readBody(response: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let receivedBytes = 0;
  for await (const chunk of response) {
    receivedBytes += chunk.length;
    if (receivedBytes > maxBodyBytes) throw new CallFailure('tooLong');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Returns a check whether the request had a connection, so that it may have been carried out. */
function watchConnection(request: ClientRequest): () => boolean {
  let isConnected = false;
  request.on('socket', (socket: Socket) => {
    if (request.reusedSocket) isConnected = true;
    else
      socket.once(socket instanceof TLSSocket ? 'secureConnect' : 'connect', () => {
        isConnected = true;
      });
  });
  return () => isConnected;
}

/** Returns the reason why an attempt has no response. */
function toFailureReason(error: NodeJS.ErrnoException): FailureReason {
  if (error instanceof CallFailure) return error.reason;
  return error.code?.startsWith('HPE_') ? 'malformed' : 'reset';
}

const gunzipAsync = promisify(gunzip);

async function decompress(body: Buffer, coding: string | undefined): Promise<Buffer> {
  if (coding === undefined || coding === 'identity' || body.length === 0) return body;
  if (coding !== 'gzip') throw new CallFailure('malformed');
  try {
    return await gunzipAsync(body, { maxOutputLength: maxBodyBytes });
  } catch (error) {
    throw new CallFailure(
      (error as { readonly code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE' ? 'tooLong' : 'malformed',
    );
  }
}

function decodeText(body: Buffer): string {
  if (!isUtf8(body)) throw new CallFailure('malformed');
  return body.toString();
}
