import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError, type Reason } from '../core/kernel/errors.ts';
import { clientError, refusalOf } from '../faces/graphql/errors.ts';
import { answerType } from '../faces/graphql/request/accept.ts';
import { addVary } from './vary.ts';

/** An error of HTTP, told with this status. */
export class HttpError extends AppError {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(statusCode: number, reason: Reason, message: string, headers: HttpError['headers'] = {}) {
    super(statusCode === 404 ? 'NOT_FOUND' : 'BAD_USER_INPUT', reason, message, [{ path: [], reason, message }]);
    this.statusCode = statusCode;
    this.headers = headers;
  }
}

/** What every answer says: it is not to be kept, and it is nothing but the type it names. */
export const standardHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

/** Answers with an error in GraphQL's form, wherever it arose. */
export function sendError(error: FastifyError | AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const client = clientError(ours(error), request.id, request.log);
  const refusal = refusalOf(client);
  const http = error instanceof HttpError ? error : undefined;
  const status = http?.statusCode ?? refusal?.status ?? (error instanceof AppError ? undefined : error.statusCode) ?? 400;
  if (request.report) request.report.codes = [client.extensions.code];
  addVary(reply, 'Accept');
  return reply
    .code(status)
    .headers({ ...refusal?.headers, ...http?.headers, ...challenge(status, request), ...standardHeaders, 'x-request-id': request.id })
    .type(answerType(request.headers).type)
    .send({ errors: [client] });
}

/** A token that was sent and not believed is told apart from none (RFC 6750, section 3.1). */
function challenge(status: number, { headers }: FastifyRequest): Record<string, string> {
  if (status !== 401 || headers.authorization === undefined) return {};
  return { 'www-authenticate': 'Bearer error="invalid_token"' };
}

/** Faults that the framework finds in a request, as ours; what is no fault of the request stays as it is, to be masked. */
function ours(error: FastifyError | AppError): unknown {
  if (error instanceof AppError) return error;
  const { statusCode, code } = error;
  if (statusCode === undefined || statusCode >= 500) return error;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return new HttpError(415, 'invalid', 'The Content-Type must be application/json.');
  if (code === 'FST_ERR_BAD_URL') return new HttpError(400, 'invalid', 'The path of the URL is not well-formed.');
  return new HttpError(statusCode, 'invalid', `${STATUS_CODES[statusCode] ?? 'The request is not valid'}.`);
}

/** Requests for what is not there: another method of a path that is (405), or no such path (404). */
export function addNotFound(app: FastifyInstance): void {
  app.setNotFoundHandler((request) => {
    const url = pathOf(request.url);
    const allowed = ['GET', 'HEAD', 'POST', 'OPTIONS'].filter((method) => app.hasRoute({ method, url }));
    if (allowed.length === 0) throw new HttpError(404, 'notFound', 'There is nothing here. GraphQL is at /graphql.');
    throw new HttpError(405, 'invalid', `${request.method} is not allowed here. Use ${allowed.join(', ')}.`, { allow: allowed.join(', ') });
  });
}

const hostHeader = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** The host of a Host header without its port; undefined for a header that is none. */
export const hostOf = (header: string | undefined): string | undefined => hostHeader.exec(header ?? '')?.[1];

/** The path of a request's URL: what its query holds is nobody's business. */
export const pathOf = (url: string): string => url.replace(/[?#].*$/s, '');

/** What follows the question mark of a request's URL. */
export const searchOf = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

const socketFaults: Readonly<Record<string, readonly [number, Reason, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'invalid', 'The request took too long to arrive. Send it again.'],
  HPE_HEADER_OVERFLOW: [431, 'tooLong', 'The headers of a request may have 16 kB at most.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'tooLong', 'The extensions of a chunk are too long.'],
};

/**
 * Answers what is no HTTP request, or arrives too slowly to become one, in GraphQL's form, and closes the connection.
 * `last`: the request whose head arrived last on this connection.
 */
export function refuseOnSocket(error: Error & { code?: string }, socket: Socket, log: FastifyBaseLogger, last: IncomingMessage | undefined): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const [status, reason, message] = socketFaults[error.code ?? ''] ?? [400, 'invalid', 'This is not a valid HTTP request.'];
  const requestId = randomUUID();
  log.info({ requestId, status, code: error.code }, 'refused on the socket');
  const body = JSON.stringify({ errors: [clientError(new HttpError(status, reason, message), requestId, log)] });
  const head = last?.complete === false ? last.headers : {};
  const headers = {
    ...standardHeaders,
    'content-type': answerType(head).type,
    vary: 'Accept',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
}
