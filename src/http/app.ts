import type { ApolloServer } from '@apollo/server';
import { fastifyApolloDrainPlugin, fastifyApolloHandler } from '@as-integrations/fastify';
import cors from '@fastify/cors';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { Viewer } from '../access/permissions.ts';
import type { TokenVerifier } from '../access/token.ts';
import { AppError, invalidInput } from '../core/errors.ts';
import type { Backlog } from '../core/publisher.ts';
import type { Clock } from '../core/clock.ts';
import type { GatewayContext, Loaders, Services } from '../graphql/context.ts';
import { clientError, refusalOf } from '../graphql/errors.ts';
import { documentFault } from '../graphql/limits.ts';
import { withRequestId } from '../graphql/request-id.ts';
import { acceptJsonOnly } from './json-body.ts';
import { createMetrics, waitOf } from './metrics.ts';
import { addDrain } from './shutdown.ts';

declare module 'fastify' {
  interface FastifyRequest {
    viewer: Viewer | undefined;
  }
}

export interface AppParts {
  readonly apollo: ApolloServer<GatewayContext>;
  readonly verify: TokenVerifier;
  readonly services: Services;
  /** Fresh loaders for each request. */
  readonly loaders: () => Loaders;
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
  app.setNotFoundHandler((request, reply) =>
    sendError(new AppError('NOT_FOUND', 'notFound', 'There is nothing here. GraphQL is at /graphql.'), request, reply),
  );
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

function routes(app: FastifyInstance, { apollo, verify, services, loaders, backlog, clock }: AppParts): void {
  apollo.addPlugin(fastifyApolloDrainPlugin(app));
  let handle: ((request: FastifyRequest, reply: FastifyReply) => unknown) | undefined;
  app.addHook('onReady', async () => {
    await apollo.start();
    const apolloHandler = fastifyApolloHandler(apollo, {
      context: async (request) => contextOf(request, services, loaders()),
    });
    handle = (request, reply) => withRequestId(request.id, () => apolloHandler.call(app, request, reply));
  });
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    preHandler: async (request) => {
      request.viewer = await verify(authorizationOf(request));
      if (request.method === 'POST') checkBody(request.body);
      checkDocument(request.method === 'POST' ? request.body : request.query);
    },
    handler: (request, reply) => handle?.(request, reply),
  });
  app.get('/health/live', async () => ({ status: 'ok' }));
  app.get('/health/ready', async () => {
    const waiting = await backlog();
    return { status: 'ok', outbox: { messages: waiting.count, oldestSeconds: waitOf(waiting, clock()) } };
  });
  const metrics = createMetrics(backlog, clock);
  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()));
}

function contextOf(request: FastifyRequest, services: Services, loaders: Loaders): GatewayContext {
  const { viewer } = request;
  return {
    requestId: request.id,
    viewer,
    caller: () => {
      if (!viewer) throw new AppError('UNAUTHENTICATED', 'authError', 'This needs a token.');
      return viewer;
    },
    address: request.ip,
    services,
    loaders,
    log: request.log,
    notes: { warnings: [] },
  };
}

/** Two Authorization headers could mean two callers: neither is believed (RFC 9110, section 5.3). */
function authorizationOf({ headers, raw }: FastifyRequest): string | undefined {
  const count = raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization').length;
  if (count > 1) throw new AppError('UNAUTHENTICATED', 'authError', 'Send one Authorization header only.');
  return headers.authorization;
}

const fault = (message: string): AppError => invalidInput([{ path: [], reason: 'invalid', message }]);

function checkDocument(parameters: unknown): void {
  const { query } = parameters as Record<string, unknown>;
  const found = typeof query === 'string' ? documentFault(query) : undefined;
  if (found !== undefined) throw fault(found);
}

/** The form of a GraphQL request over HTTP; one operation a request. */
function checkBody(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw fault('The body must be one JSON object with query and, where needed, variables and operationName.');
  }
  const { query, variables, operationName, extensions } = body as Record<string, unknown>;
  const persisted = typeof extensions === 'object' && extensions !== null && 'persistedQuery' in extensions;
  if (typeof query !== 'string' ? !persisted || query !== undefined : query.trim() === '') {
    throw fault('The body needs a query: the text of a GraphQL document.');
  }
  if (variables !== undefined && variables !== null && (typeof variables !== 'object' || Array.isArray(variables))) {
    throw fault('variables must be a JSON object.');
  }
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw fault('operationName must be a text.');
  }
}

function sendError(error: FastifyError | AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const status = error instanceof AppError ? undefined : error.statusCode;
  const shown = status && status < 500 ? new AppError('BAD_USER_INPUT', status === 413 ? 'tooLong' : 'invalid', messageOf(error)) : error;
  const client = clientError(shown, request.id, request.log);
  const refusal = refusalOf(client);
  const code = refusal?.status ?? status ?? (client.extensions.code === 'NOT_FOUND' ? 404 : 400);
  return reply
    .code(code)
    .headers({ ...refusal?.headers, 'x-request-id': request.id })
    .type('application/json; charset=utf-8')
    .send({ errors: [client] });
}

function messageOf({ code, message }: FastifyError | AppError): string {
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return 'The Content-Type must be application/json.';
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return `The body may have ${maxBodyBytes} bytes at most.`;
  return message;
}
