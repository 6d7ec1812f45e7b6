import type { ApolloServer } from '@apollo/server';
import { fastifyApolloDrainPlugin, fastifyApolloHandler } from '@as-integrations/fastify';
import Fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { TokenVerifier } from '../access/token.ts';
import { AppError, invalidInput } from '../core/errors.ts';
import type { Backlog } from '../core/publisher.ts';
import type { Clock } from '../core/clock.ts';
import type { RateLimiter } from '../core/rate-limit.ts';
import type { GatewayContext, Loaders, Services } from '../graphql/context.ts';
import { documentFault } from '../graphql/limits.ts';
import { withRequestId } from '../graphql/request-id.ts';
import { waitOf, type Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { addCallers, callerHooks } from './callers.ts';
import { addCompression } from './compression.ts';
import { limitConnections, type ConnectionLimits } from './connections.ts';
import { allowOrigins } from './cors.ts';
import { addNotFound, refuseOnSocket, sendError, standardHeaders } from './errors.ts';
import { acceptJsonOnly, maxBodyBytes } from './json-body.ts';
import { addLocalMetrics } from './metrics.ts';
import { addPages, checkHosts, guardPages } from './pages.ts';
import { serializers, watchRequests } from './request-log.ts';
import { addDrain } from './shutdown.ts';

export interface AppParts {
  readonly apollo: ApolloServer<GatewayContext>;
  readonly verify: TokenVerifier;
  readonly limiter?: RateLimiter;
  readonly services: Services;
  /** Fresh loaders for each request. */
  readonly loaders: () => Loaders;
  readonly backlog: () => Promise<Backlog>;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Whether `/metrics` is on this server, for callers on this machine. */
  readonly showMetrics: boolean;
  readonly tracing: Tracing;
  readonly corsOrigins: readonly string[];
  readonly connections: ConnectionLimits;
  readonly demo: boolean;
  /** Whether there are pages for developers. */
  readonly explorer: boolean;
  readonly logLevel: 'silent' | 'warn' | 'info';
  readonly logTo?: LogTarget;
}

export interface LogTarget {
  write(line: string): void;
}

/** How long the head of a request, and a request as a whole, may take to arrive. */
const timeoutMs = 15_000;
/** How often connections are looked at for that. */
const checkingMs = 1000;

/** The HTTP side: routes, limits of the transport, and errors in GraphQL's form wherever they arise. */
export async function createApp(parts: AppParts): Promise<FastifyInstance> {
  const app: FastifyInstance = Fastify({
    bodyLimit: maxBodyBytes,
    connectionTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    // Node's own answer to a missing Host has no body: `checkHosts` says what is wrong.
    http: { headersTimeout: timeoutMs, requestTimeout: timeoutMs, connectionsCheckingInterval: checkingMs, requireHostHeader: false },
    forceCloseConnections: true, // those that `drain` leaves never became requests
    genReqId: () => randomUUID(),
    logger: { level: parts.logLevel, serializers, ...(parts.logTo && { stream: parts.logTo }) },
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: (error, socket) => refuseOnSocket(error, socket, app.log),
  });
  // Whatever a client expects: the request is answered as it is, and not by node's own 417.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  limitConnections(app, parts.connections, () => parts.metrics.connectionRefused());
  app.setErrorHandler(sendError);
  app.addHook('onRequest', async (request, reply) => {
    void reply.headers({ ...standardHeaders, 'x-request-id': request.id });
  });
  answerHeadLikeGet(app);
  watchRequests(app, parts.metrics, parts.tracing);
  addDrain(app);
  addCallers(app);
  checkHosts(app);
  if (parts.demo) guardPages(app);
  acceptJsonOnly(app);
  await allowOrigins(app, parts.corsOrigins, parts.demo);
  addCompression(app);
  addNotFound(app);
  graphqlRoute(app, parts);
  healthRoutes(app, parts);
  if (parts.showMetrics) addLocalMetrics(app, parts.metrics);
  if (parts.explorer) addPages(app);
  return app;
}

/** HEAD runs as GET; only what is sent at the end differs. */
function answerHeadLikeGet(app: FastifyInstance): void {
  const heads = new WeakSet<FastifyRequest>();
  app.addHook('onRequest', async (request) => {
    if (request.method !== 'HEAD') return;
    heads.add(request);
    request.raw.method = 'GET';
  });
  app.addHook('onSend', async (request) => {
    if (heads.has(request)) request.raw.method = 'HEAD';
  });
}

function healthRoutes(app: FastifyInstance, { backlog, clock }: AppParts): void {
  app.get('/health/live', async () => ({ status: 'ok' }));
  app.get('/health/ready', async (_request, reply) => {
    if (app.draining()) return reply.code(503).send({ status: 'stopping' });
    const waiting = await backlog();
    return { status: 'ok', outbox: { messages: waiting.count, oldestSeconds: waitOf(waiting, clock()) } };
  });
}

function graphqlRoute(app: FastifyInstance, { apollo, verify, limiter, services, loaders }: AppParts): void {
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
    ...callerHooks(verify, limiter),
    preHandler: async (request) => {
      if (request.method === 'POST') checkBody(request.body);
      checkDocument(request.method === 'POST' ? request.body : request.query);
    },
    handler: (request, reply) => handle?.(request, reply),
  });
  app.options('/graphql', async (_request, reply) => reply.code(204).header('allow', 'GET, HEAD, POST, OPTIONS').send());
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
    address: request.network,
    services,
    loaders,
    log: request.log,
    report: request.report,
    notes: { warnings: [] },
  };
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
