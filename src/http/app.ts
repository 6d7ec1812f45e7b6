import cors from '@fastify/cors';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Viewer } from '../access/permissions.ts';
import type { TokenVerifier } from '../access/token.ts';
import { AppError } from '../core/errors.ts';
import type { Backlog } from '../core/publisher.ts';
import type { Clock } from '../core/clock.ts';
import type { RateLimiter } from '../core/rate-limit.ts';
import { clientError, refusalOf } from '../graphql/errors.ts';
import type { Execute } from '../graphql/execute.ts';
import { acceptJsonOnly } from './json-body.ts';
import { createMetrics, waitOf } from './metrics.ts';
import { addDrain } from './shutdown.ts';

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer | undefined;
  }
}

export interface AppParts {
  readonly execute: Execute;
  readonly verify: TokenVerifier;
  /** Charges requests that fail before they are run; the others are charged by `execute`. */
  readonly limiter: RateLimiter | undefined;
  readonly backlog: () => Promise<Backlog>;
  readonly clock: Clock;
  readonly corsOrigins: readonly string[];
  readonly logLevel: 'silent' | 'warn' | 'info';
  readonly logTo?: LogTarget;
}

export interface LogTarget {
  write(line: string): void;
}

const sandboxOrigin = 'https://studio.apollographql.com';
const maxBodyBytes = 1024 * 1024;
const timeoutMs = 15_000;

/** The HTTP side: routes, limits of the transport, and errors in GraphQL's form wherever they arise. */
export async function createApp(parts: AppParts): Promise<FastifyInstance> {
  const app = Fastify({
    bodyLimit: maxBodyBytes,
    connectionTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    genReqId: () => randomUUID(),
    logger: { level: parts.logLevel, ...(parts.logTo && { stream: parts.logTo }) },
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
  });
  acceptJsonOnly(app);
  addDrain(app);
  app.decorateRequest('viewer', undefined);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((request, reply) => {
    if (request.url.replace(/\?.*/s, '') !== '/graphql') throw new AppError('NOT_FOUND', 'notFound', 'There is nothing here. GraphQL is at /graphql.');
    void reply.code(405).header('allow', allowed);
    throw new AppError('BAD_USER_INPUT', 'invalid', `${request.method} is not allowed here. Use POST, or GET for queries.`);
  });
  app.addHook('onRequest', async (request, reply) => {
    void reply.header('x-request-id', request.id);
  });
  await app.register(cors, {
    origin: [sandboxOrigin, ...parts.corsOrigins],
    methods: ['GET', 'POST'],
    allowedHeaders: ['content-type', 'authorization', 'apollo-require-preflight', 'x-apollo-operation-name'],
    exposedHeaders: ['x-request-id', 'retry-after', 'www-authenticate'],
    maxAge: 600,
  });
  routes(app, parts);
  return app;
}

const allowed = 'GET, HEAD, POST, OPTIONS';

function routes(app: FastifyInstance, { execute, verify, limiter, backlog, clock }: AppParts): void {
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    onRequest: async (request) => {
      request.viewer = await verify(authorizationOf(request));
    },
    onError: async ({ viewer, ip }) => void limiter?.(viewer?.key ?? ip, 1),
    handler: async (request, reply) => {
      const { id, viewer, ip, log, method, body, url } = request;
      const search = url.includes('?') ? url.slice(url.indexOf('?') + 1) : '';
      const answer = await execute(
        { method, headers: request.headers, search, body },
        { requestId: id, viewer, address: ip, log, report: { codes: [] } },
      );
      return reply.code(answer.status).headers(answer.headers).send(answer.body);
    },
  });
  app.get('/health/live', async () => ({ status: 'ok' }));
  app.get('/health/ready', async () => {
    const waiting = await backlog();
    return { status: 'ok', outbox: { messages: waiting.count, oldestSeconds: waitOf(waiting, clock()) } };
  });
  const metrics = createMetrics(backlog, clock);
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()));
}

/** Two Authorization headers could mean two callers: neither is believed (RFC 9110, section 5.3). */
function authorizationOf({ headers, raw }: FastifyRequest): string | undefined {
  const count = raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization').length;
  if (count > 1) throw new AppError('UNAUTHENTICATED', 'authError', 'Send one Authorization header only.');
  return headers.authorization;
}

function sendError(error: FastifyError | AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const status = error instanceof AppError ? undefined : error.statusCode;
  const shown = status && status < 500 ? new AppError('BAD_USER_INPUT', status === 413 ? 'tooLong' : 'invalid', messageOf(error)) : error;
  const client = clientError(shown, request.id, request.log);
  const refusal = refusalOf(client);
  const methodRefused = reply.statusCode === 405 ? 405 : undefined;
  const code = methodRefused ?? refusal?.status ?? status ?? (client.extensions.code === 'NOT_FOUND' ? 404 : 400);
  return reply
    .code(code)
    .headers({ ...refusal?.headers, ...challenge(code, request), 'x-request-id': request.id })
    .type('application/json; charset=utf-8')
    .send({ errors: [client] });
}

/** A token that was sent and not believed is told apart from none (RFC 6750, section 3.1). */
function challenge(status: number, { headers }: FastifyRequest): Record<string, string> {
  return status === 401 && headers.authorization !== undefined ? { 'www-authenticate': 'Bearer error="invalid_token"' } : {};
}

function messageOf({ code, message }: FastifyError | AppError): string {
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return 'The Content-Type must be application/json.';
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return `The body may have ${maxBodyBytes} bytes at most.`;
  return message;
}
