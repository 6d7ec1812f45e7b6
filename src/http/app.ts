import Fastify, { LogController, type FastifyInstance, type FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { addFaces, type AppOptions } from './face-routes.ts';
import { addCallers } from './callers.ts';
import { atOnce, beforeSending } from './hooks.ts';
import { createProxies } from './proxies.ts';
import { addCompression } from './compression.ts';
import { allowOrigins } from './cors.ts';
import { addDrain, limitClients, limitConnections } from './connections.ts';
import { addNotFound, createErrorAnswers, silenceMs, standardHeaders } from './errors.ts';
import { addHealth } from './health.ts';
import { acceptJsonOnly, maxBodyBytes } from './body.ts';
import { watchRequests } from './request-log.ts';
import { addMetrics } from './metrics.ts';
import { addPages, guardPages } from './pages.ts';
import { checkHosts } from './head.ts';

/** How long (ms) the head of a request, and a request as a whole, may take to arrive. */
const arrivalMs = 15_000;
/** How often (ms) connections are checked for that. */
const checkingMs = 1000;

/** The HTTP side: limits of the transport, who is asking, and the routes of all faces. */
export async function createApp(parts: AppOptions): Promise<FastifyInstance> {
  const arriving = new WeakMap<Socket, IncomingMessage>();
  const errors = createErrorAnswers(parts.faces);
  const app: FastifyInstance = Fastify({
    bodyLimit: maxBodyBytes,
    connectionTimeout: silenceMs,
    requestTimeout: arrivalMs,
    // Node's own answer to a missing Host has no body: `checkHosts` says what is wrong.
    http: {
      headersTimeout: arrivalMs,
      requestTimeout: arrivalMs,
      connectionsCheckingInterval: checkingMs,
      requireHostHeader: false,
    },
    forceCloseConnections: true, // those that `drain` leaves never became requests
    genReqId: () => randomUUID(),
    childLoggerFactory: (logger) => logger, // each line of the log names its request itself
    loggerInstance: parts.log,
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: (error, request, reply) => void errors.send(error, request, reply),
    clientErrorHandler: (error, socket) =>
      errors.refuseOnSocket(error, socket, app.log, arriving.get(socket)),
  });
  app.addHttpMethod('QUERY', { overrideExisting: true }); // without a body: else the framework asks for its type before it looks for a route
  app.server.prependListener('request', (request) => arriving.set(request.socket, request)); // the framework's own stays the last one
  // Whatever a client expects: the request is answered as it is, and not by node's own 417.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  const proxies = createProxies(parts.trustedProxies);
  const onRefused = (): void => parts.metrics.connectionRefused();
  limitConnections(app, parts.connections, proxies, onRefused);
  app.setErrorHandler(errors.send);
  app.addHook(
    'onRequest',
    atOnce(({ id }, reply) => void reply.headers(standardHeaders).header('x-request-id', id)),
  );
  answerHeadLikeGet(app);
  watchRequests(app, parts.metrics, parts.tracing);
  addDrain(app);
  addCallers(app, proxies);
  limitClients(app, parts.connections, proxies, onRefused);
  checkHosts(app);
  if (parts.demo) guardPages(app, parts.faces);
  await allowOrigins(app, parts.corsOrigins, parts.demo, parts.faces);
  addNotFound(app, parts.faces);
  acceptJsonOnly(app);
  addCompression(app);
  addFaces(app, parts);
  addHealth(app, parts);
  if (parts.showMetrics) addMetrics(app, parts.metrics, parts.faces);
  if (parts.explorer)
    await addPages(app, {
      demo: parts.demo,
      token: parts.demoToken,
      samples: parts.samples,
      faces: parts.faces,
    });
  return app;
}

declare module 'fastify' {
  interface FastifyRequest {
    isHead: boolean;
  }
}

/** HEAD runs as GET; only what is sent at the end differs. */
function answerHeadLikeGet(app: FastifyInstance): void {
  app.decorateRequest('isHead', false);
  const begin = (request: FastifyRequest): void => {
    if (request.method !== 'HEAD') return;
    request.isHead = true;
    request.raw.method = 'GET';
  };
  app.addHook('onRequest', atOnce(begin));
  app.addHook(
    'onSend',
    beforeSending((request) => {
      if (request.isHead) request.raw.method = 'HEAD';
    }),
  );
}
