import type { FastifyBaseLogger, FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, type Reason, unavailable } from '../core/errors.ts';
import { type Face, HttpError, matches } from './face.ts';
import { addVary, atOnce } from './hooks.ts';
import { pathOf, searchOf } from './head.ts';

/** Headers of every answer: caches must not store it, and browsers must not guess its type. */
export const standardHeaders = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

/** Errors on paths that no face serves have the form of the first face. */
export function createErrorAnswers(faces: readonly [Face, ...Face[]]) {
  const faceOf = (path: string): Face =>
    faces.find(({ routes }) => routes.some((route) => matches(route, path))) ?? faces[0];
  return {
    /** Answers with an error, wherever it arose, in the form of the face that serves the path. */
    send: (error: FastifyError | AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
      const { id: requestId, log, headers } = request;
      const face = faceOf(pathOf(request.url));
      const answer = face.refuse(
        faultOf(error),
        { headers, search: searchOf(request.url) },
        { requestId, log, report: request.report ?? { codes: [] } },
      );
      if (face.varies !== undefined) addVary(reply, face.varies);
      if (isSoonRead(request.raw)) void reply.removeHeader('connection');
      return reply
        .code(answer.status)
        .headers({
          ...answer.headers,
          ...challenge(answer.status, request),
          ...standardHeaders,
          'x-request-id': requestId,
        })
        .send(answer.body);
    },
    /** Answers malformed and slow requests, and closes the connection. `last`: the request whose head arrived last on it. */
    refuseOnSocket(
      error: Error & { code?: string; rawPacket?: unknown },
      socket: Socket,
      log: FastifyBaseLogger,
      last: IncomingMessage | undefined,
    ): void {
      if (error.code === 'ECONNRESET' || socket.destroyed) return;
      if (!socket.writable) return void socket.destroy();
      const [status, reason, message] = socketFaults[error.code ?? ''] ?? [
        400,
        'invalid',
        'This is not a valid HTTP request.',
      ];
      const requestId = randomUUID();
      log.info({ requestId, status, code: error.code }, 'refused on the socket');
      const head = last?.complete === false ? last : undefined;
      const face = faceOf(pathOf(head?.url ?? targetIn(error.rawPacket)));
      const answer = face.refuse(
        new HttpError(status, reason, message),
        { headers: head?.headers ?? {}, search: searchOf(head?.url ?? '') },
        { requestId, log, report: { codes: [] } },
      );
      const headers = {
        ...standardHeaders,
        ...answer.headers,
        ...(face.varies !== undefined && { vary: face.varies }),
        'content-length': Buffer.byteLength(answer.body),
        'x-request-id': requestId,
        connection: 'close',
      };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(
        `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}\r\n${lines.join('')}\r\n${answer.body}`,
        () => socket.destroy(),
      );
    },
  };
}

/** The longest body of which the rest is still read, to be dropped, once the request is refused. */
const readOutBytes = 16 * 1024 * 1024;

/** Whether a refused request's body is there, or soon: cut off while it writes, a client would not read the answer. */
const isSoonRead = ({ complete, headers }: IncomingMessage): boolean =>
  complete || Number(headers['content-length']) <= readOutBytes;

/** The challenge for a refused token differs from that for a missing one (RFC 6750, section 3.1). */
function challenge(status: number, { headers }: FastifyRequest): Record<string, string> {
  if (status !== 401 || headers.authorization === undefined) return {};
  return { 'www-authenticate': 'Bearer error="invalid_token"' };
}

/** Converts the framework's errors about a request to HttpError. Others stay as they are, and are masked. */
function faultOf(error: FastifyError | AppError): unknown {
  if (error instanceof AppError) return error;
  const { statusCode, code } = error;
  if (statusCode === undefined || statusCode >= 500) return error;
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return new HttpError(415, 'invalid', 'The Content-Type must be application/json.');
  if (code === 'FST_ERR_BAD_URL')
    return new HttpError(400, 'invalid', 'The path of the URL is not well-formed.');
  return new HttpError(statusCode, 'invalid', `${STATUS_CODES[statusCode] ?? 'The request is not valid'}.`);
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/** Refuses unknown paths (404), and methods that a path does not have (405), whatever body comes with them. */
export function addNotFound(app: FastifyInstance, faces: readonly Face[]): void {
  const refuse = (request: FastifyRequest): never => {
    const path = pathOf(request.url);
    const route = faces.flatMap(({ routes }) => routes).find((one) => matches(one, path));
    const allowed = methods.filter((method) => app.hasRoute({ method, url: route?.path ?? path }));
    if (allowed.length === 0) throw nothingHere(faces);
    throw new HttpError(405, 'invalid', `${request.method} is not allowed here. Use ${allowed.join(', ')}.`, {
      allow: allowed.join(', '),
    });
  };
  app.addHook(
    'onRequest',
    atOnce((request) => {
      if (request.is404) refuse(request);
    }),
  );
  app.setNotFoundHandler(refuse);
}

export const nothingHere = (faces: readonly Face[]): HttpError =>
  new HttpError(
    404,
    'notFound',
    ['There is nothing here.', ...faces.flatMap(({ whereabouts }) => whereabouts ?? [])].join(' '),
  );

/** The target of a request whose head could not be read, by its first bytes. */
const targetIn = (packet: unknown): string =>
  Buffer.isBuffer(packet) ? (/^[A-Z]+ (\/\S*)/.exec(packet.toString('latin1', 0, 200))?.[1] ?? '') : '';

const socketFaults: Readonly<Record<string, readonly [number, Reason, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'invalid', 'The request took too long to arrive. Send it again.'],
  HPE_HEADER_OVERFLOW: [431, 'tooLong', 'The headers of a request may have 16 kB at most.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'tooLong', 'The extensions of a chunk are too long.'],
};

/** How long (ms) a connection with a request under way may be silent. */
export const silenceMs = 15_000;

/** Logged as status when the client disconnected before the response. */
export const goneStatus = 499;

/** Whether the response was sent or its client disconnected. */
export const isOver = (response: ServerResponse): boolean => response.writableEnded || response.destroyed;

/** Answers with an error when the time for silence is over, instead of cutting the connection, unless the answer has begun. */
export function answerAtLimit(response: ServerResponse, refuse: (error: AppError) => void): void {
  response.on('timeout', () => {
    if (response.headersSent)
      response.destroy(); // its client does not read
    else refuse(tookTooLong());
  });
}

function tookTooLong(): AppError {
  const seconds = silenceMs / 1000;
  const message = `This was not done within ${seconds} s. Ask for less at once. Of a mutation some may have been carried out: read the result before you send it again.`;
  return unavailable(message, { retryAfter: seconds });
}
