import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, type Reason, serviceUnavailableError } from '../core/errors.ts';
import { type Face, HttpError, servesPath } from './face.ts';
import { pathOf, searchOf } from './request-head.ts';

/** Headers of every response: caches must not store it, and browsers must not guess its type. */
export const standardHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

/** Adds a header's name to `Vary`, once. */
export function addVary(reply: FastifyReply, header: string): void {
  const varyHeader = reply.getHeader('vary');
  const names = varyHeader === undefined ? [] : String(varyHeader).split(/, */);
  if (!names.includes(header)) void reply.header('vary', [...names, header].join(', '));
}

/** Creates the functions that send errors in the format of the face that serves the path, by default of the first face. */
export function createErrorResponder(faces: readonly [Face, ...Face[]]) {
  const faceOf = (path: string): Face =>
    faces.find(({ routes }) => routes.some((route) => servesPath(route, path))) ?? faces[0];
  return {
    send: (error: FastifyError | AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      const { id: requestId, log, headers } = request;
      const face = faceOf(pathOf(request.url));
      const response = face.toErrorResponse(
        toHttpError(error),
        { headers, search: searchOf(request.url) },
        { requestId, log, report: request.report ?? { codes: [] } },
      );
      if (face.varyHeader !== undefined) addVary(reply, face.varyHeader);
      if (canReadBody(request.raw)) void reply.removeHeader('connection');
      return reply
        .code(response.status)
        .headers({
          ...response.headers,
          ...challengeHeaders(response.status, request),
          ...standardHeaders,
          'x-request-id': requestId,
        })
        .send(response.body);
    },
    /** Refuses malformed and slow requests, and closes the connection. `lastRequest`: the latest one with a valid head. */
    refuseOnSocket(
      error: Error & { code?: string; rawPacket?: unknown },
      socket: Socket,
      log: FastifyBaseLogger,
      lastRequest: IncomingMessage | undefined,
    ): void {
      if (error.code === 'ECONNRESET' || socket.destroyed) return;
      if (!socket.writable) return void socket.destroy();
      const [status, reason, message] = socketErrors[error.code ?? ''] ?? [
        400,
        'invalid',
        'This is not a valid HTTP request.',
      ];
      const requestId = randomUUID();
      log.info({ requestId, status, code: error.code }, 'refused on the socket');
      const unfinishedRequest = lastRequest?.complete === false ? lastRequest : undefined;
      const face = faceOf(pathOf(unfinishedRequest?.url ?? parseTarget(error.rawPacket)));
      const response = face.toErrorResponse(
        new HttpError(status, reason, message),
        { headers: unfinishedRequest?.headers ?? {}, search: searchOf(unfinishedRequest?.url ?? '') },
        { requestId, log, report: { codes: [] } },
      );
      const headers = {
        ...standardHeaders,
        ...response.headers,
        ...(face.varyHeader !== undefined && { vary: face.varyHeader }),
        'content-length': Buffer.byteLength(response.body),
        'x-request-id': requestId,
        connection: 'close',
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(
        `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}\r\n${lines.join('')}\r\n${response.body}`,
        () => socket.destroy(),
      );
    },
  };
}

/** Maximum size of a body that is still read and discarded after the request was refused. */
const maxDiscardedBytes = 16 * 1024 * 1024;

/** Whether the body of a refused request can be read. A client that is cut off while writing would miss the response. */
const canReadBody = ({ complete, headers }: IncomingMessage): boolean =>
  complete || Number(headers['content-length']) <= maxDiscardedBytes;

/** Returns the challenge for a refused token, which differs from that for a missing one (RFC 6750, section 3.1). */
function challengeHeaders(status: number, { headers }: FastifyRequest): Record<string, string> {
  if (status !== 401 || headers.authorization === undefined) return {};
  return { 'www-authenticate': 'Bearer error="invalid_token"' };
}

/** Converts Fastify's errors about a request to HttpError. Other errors stay unchanged, and are masked later. */
function toHttpError(error: FastifyError | AppError): unknown {
  if (error instanceof AppError) return error;
  const { statusCode, code } = error;
  if (statusCode === undefined || statusCode >= 500) return error;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new HttpError(415, 'invalid', 'The Content-Type must be application/json.');
  if (code === 'FST_ERR_BAD_URL')
    return new HttpError(400, 'invalid', 'The path of the URL is not well-formed.');
  return new HttpError(statusCode, 'invalid', `${STATUS_CODES[statusCode] ?? 'The request is not valid'}.`);
}

/** Lists the methods of a route for the `Allow` header; empty for an unknown route. */
export const listMethods = (app: FastifyInstance, url: string): string =>
  ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
    .filter((method) => app.hasRoute({ method, url }))
    .join(', ');

/** Refuses unknown paths (404) and methods (405), before the body is read. */
export function refuseUnknownRoutes(app: FastifyInstance, faces: readonly Face[]): void {
  const refuseRequest = (request: FastifyRequest): never => {
    const path = pathOf(request.url);
    const route = faces.flatMap(({ routes }) => routes).find((candidate) => servesPath(candidate, path));
    const methods = listMethods(app, route?.path ?? path);
    if (methods === '') throw notFoundError(faces);
    throw new HttpError(405, 'invalid', `${request.method} is not allowed here. Use ${methods}.`, {
      allow: methods,
    });
  };
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404) refuseRequest(request);
    done();
  });
  app.setNotFoundHandler(refuseRequest);
}

export const notFoundError = (faces: readonly Face[]): HttpError =>
  new HttpError(
    404,
    'notFound',
    ['There is nothing here.', ...faces.flatMap(({ notFoundHint }) => notFoundHint ?? [])].join(' '),
  );

/** Extracts the target from the first bytes of a request whose head is malformed. */
const parseTarget = (packet: unknown): string =>
  Buffer.isBuffer(packet) ? (/^[A-Z]+ (\/\S*)/.exec(packet.toString('latin1', 0, 200))?.[1] ?? '') : '';

/** Responses by Node's error code: status, reason and message. */
const socketErrors: Readonly<Record<string, readonly [number, Reason, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'invalid', 'The request took too long to arrive. Send it again.'],
  HPE_HEADER_OVERFLOW: [431, 'tooLong', 'The headers of a request may have 16 kB at most.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'tooLong', 'The extensions of a chunk are too long.'],
};

/** Time limit (ms) for the silence of a connection during a request. */
export const socketTimeoutMs = 15_000;

/** Status in the log for clients that disconnected before the response. */
export const clientClosedStatus = 499;

/** Whether the response was sent, or its client is gone. */
export const isEnded = (response: ServerResponse): boolean => response.writableEnded || response.destroyed;

/** Sends an error on a socket timeout instead of cutting the connection, unless the response has started. */
export function respondOnTimeout(response: ServerResponse, refuse: (error: AppError) => void): void {
  response.on('timeout', () => {
    if (response.headersSent)
      response.destroy(); // the client does not read
    else refuse(timeoutError(response.socket?.timeout ?? socketTimeoutMs));
  });
}

function timeoutError(timeoutMs: number): AppError {
  const seconds = timeoutMs / 1000;
  const message = `This was not finished within ${seconds} s. Ask for less at once. Parts of a mutation may have been carried out: read the result before you send it again.`;
  return serviceUnavailableError(message, { retryAfter: seconds });
}
