import Fastify, { LogController, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { AppOptions } from './app-options.ts';
import { addCallers, callerHooks } from './callers.ts';
import { addCompression } from './compression.ts';
import { limitClients, limitConnections } from './connections.ts';
import { allowOrigins } from './cors.ts';
import { addNotFound, refuseOnSocket, searchOf, sendError, standardHeaders } from './errors.ts';
import { answerDirectly } from './direct.ts';
import { addHealth } from './health.ts';
import { atOnce, beforeSending } from './hooks.ts';
import { acceptJsonOnly, createJsonReader, maxBodyBytes } from './json-body.ts';
import { addLocalMetrics } from './log/metrics.ts';
import { addSchemaFile } from './pages/schema-file.ts';
import { createProxies } from './proxies.ts';
import { addPages, checkHosts, guardLandingPage } from './pages/pages.ts';
import { createTeller, watchRequests } from './log/request-log.ts';
import { addDrain } from './shutdown.ts';
import { answerAtLimit, isOver, silenceMs } from './unanswered.ts';
import { streamRoute } from './streams/streams.ts';
import { addVary } from './vary.ts';

/** How long the head of a request, and a request as a whole, may take to arrive. */
const arrivalMs = 15_000;
/** How often connections are looked at for that. */
const checkingMs = 1000;

/** The HTTP side: routes, limits of the transport, and errors in GraphQL's form wherever they arise. */
export async function createApp(parts: AppOptions): Promise<FastifyInstance> {
  const arriving = new WeakMap<Socket, IncomingMessage>();
  const app: FastifyInstance = Fastify({
    bodyLimit: maxBodyBytes,
    connectionTimeout: silenceMs,
    requestTimeout: arrivalMs,
    // Node's own answer to a missing Host has no body: `checkHosts` says what is wrong.
    http: { headersTimeout: arrivalMs, requestTimeout: arrivalMs, connectionsCheckingInterval: checkingMs, requireHostHeader: false },
    forceCloseConnections: true, // those that `drain` leaves never became requests
    genReqId: () => randomUUID(),
    childLoggerFactory: (logger) => logger, // each line of the log names its request itself
    loggerInstance: parts.log,
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: (error, request, reply) => void sendError(error, request, reply),
    clientErrorHandler: (error, socket) => refuseOnSocket(error, socket, app.log, arriving.get(socket)),
  });
  app.server.prependListener('request', (request) => arriving.set(request.socket, request)); // the framework's own stays the last one
  // Whatever a client expects: the request is answered as it is, and not by node's own 417.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  const proxies = createProxies(parts.trustedProxies);
  const onRefused = (): void => parts.metrics.connectionRefused();
  limitConnections(app, parts.connections, proxies, onRefused);
  app.setErrorHandler(sendError);
  app.addHook('onRequest', atOnce(({ id }, reply) => void reply.headers(standardHeaders).header('x-request-id', id)));
  answerHeadLikeGet(app);
  const tell = createTeller(app.log, parts.metrics);
  watchRequests(app, tell, parts.tracing);
  addDrain(app);
  addCallers(app, proxies);
  const isRefused = limitClients(app, parts.connections, proxies, onRefused);
  checkHosts(app);
  if (parts.demo) guardLandingPage(app);
  const readBody = createJsonReader();
  acceptJsonOnly(app, readBody);
  await allowOrigins(app, parts.corsOrigins, parts.demo);
  addCompression(app);
  addNotFound(app);
  graphqlRoute(app, parts);
  streamRoute(app, parts);
  if (parts.introspection !== 'off') addSchemaFile(app, parts);
  addHealth(app, parts);
  if (parts.showMetrics) addLocalMetrics(app, parts.metrics);
  if (parts.explorer) await addPages(app, { demo: parts.demo, token: parts.demoToken });
  answerDirectly(app, { ...parts, ...proxies, isRefused, readBody, tell });
  return app;
}

/** HEAD runs as GET; only what is sent at the end differs. */
function answerHeadLikeGet(app: FastifyInstance): void {
  const heads = new WeakSet<FastifyRequest>();
  const begin = (request: FastifyRequest): void => {
    if (request.method !== 'HEAD') return;
    heads.add(request);
    request.raw.method = 'GET';
  };
  app.addHook('onRequest', atOnce(begin));
  app.addHook('onSend', beforeSending((request) => {
    if (heads.has(request)) request.raw.method = 'HEAD';
  }));
}

/** Resolves when an answer is sent, or its connection is gone. */
const sentOf = ({ raw }: FastifyReply): Promise<void> => (raw.destroyed ? Promise.resolve() : new Promise((resolve) => raw.once('close', resolve)));

function graphqlRoute(app: FastifyInstance, { execute, verify, limiter }: AppOptions): void {
  app.route({
    method: ['GET', 'POST'],
    url: '/graphql',
    ...callerHooks(verify, limiter),
    handler: async (request, reply) => {
      const { id, viewer, network, log, method, body, url, report } = request;
      addVary(reply, 'Accept');
      answerAtLimit(reply.raw, (error) => void reply.send(error));
      const answer = await execute(
        { method, headers: request.headers, search: searchOf(url), body },
        { requestId: id, viewer, address: network, log, report, sent: () => sentOf(reply), isOver: () => isOver(reply.raw) },
      );
      if (isOver(reply.raw)) return reply.hijack();
      void reply.code(answer.status).headers(answer.headers);
      return answer.body;
    },
  });
  app.options('/graphql', async (_request, reply) => reply.code(204).header('allow', 'GET, HEAD, POST, OPTIONS').send());
}
