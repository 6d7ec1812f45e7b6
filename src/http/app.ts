import Fastify, { LogController, type FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { addFaces, type AppOptions } from './face-routes.ts';
import { addClientNetworks, createProxies } from './callers.ts';
import { addCompression } from './compression.ts';
import { allowOrigins } from './cors.ts';
import { addDrain, limitClients, limitConnections } from './connections.ts';
import { refuseUnknownRoutes, createErrorResponder, socketTimeoutMs, standardHeaders } from './errors.ts';
import { addHealth, addMetrics } from './monitoring.ts';
import { addBodyParsers, maxBodyBytes } from './body.ts';
import { watchRequests } from './request-log.ts';
import { addPages, guardPages } from './pages.ts';
import { checkHosts } from './request-head.ts';

/** Time limit (ms) for a request to arrive, and for its headers; checked every `arrivalCheckMs`. */
const maxArrivalMs = 15_000;
const arrivalCheckMs = 1000;

/** Creates the HTTP server: transport limits, identification of callers, and the routes of all faces. */
export async function createApp(options: AppOptions): Promise<FastifyInstance> {
  const lastRequestBySocket = new WeakMap<Socket, IncomingMessage>();
  const errorResponder = createErrorResponder(options.faces);
  const app: FastifyInstance = Fastify({
    bodyLimit: maxBodyBytes,
    connectionTimeout: socketTimeoutMs,
    requestTimeout: maxArrivalMs,
    // Node's own response to a missing Host header has no body, so `checkHosts` refuses it instead.
    http: {
      headersTimeout: maxArrivalMs,
      requestTimeout: maxArrivalMs,
      connectionsCheckingInterval: arrivalCheckMs,
      requireHostHeader: false,
    },
    forceCloseConnections: true, // connections left after `drain` have no complete request
    genReqId: () => randomUUID(),
    childLoggerFactory: (logger) => logger, // each log line contains its request id
    loggerInstance: options.log,
    logController: new LogController({ disableRequestLogging: true }),
    frameworkErrors: (error, request, reply) => void errorResponder.send(error, request, reply),
    clientErrorHandler: (error, socket) =>
      errorResponder.refuseOnSocket(error, socket, app.log, lastRequestBySocket.get(socket)),
  });
  app.addHttpMethod('QUERY', { overrideExisting: true }); // Fastify would check the content type before the route if QUERY had a body
  app.server.prependListener('request', (request) => lastRequestBySocket.set(request.socket, request)); // Fastify's listener stays last
  // Handles any Expect header as a normal request, instead of Node's own 417.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  const proxies = createProxies(options.trustedProxies);
  const onRefused = (): void => options.metrics.countRefusedConnection();
  limitConnections(app, options.connections, proxies, onRefused);
  app.setErrorHandler(errorResponder.send);
  app.addHook('onRequest', ({ id }, reply, done) => {
    void reply.headers(standardHeaders).header('x-request-id', id);
    done();
  });
  watchRequests(app, options.metrics, options.tracing);
  addDrain(app);
  addClientNetworks(app, proxies);
  limitClients(app, options.connections, proxies, onRefused);
  checkHosts(app);
  if (options.isDemo) guardPages(app, options.faces);
  await allowOrigins(app, options.corsOrigins, options.isDemo, options.faces);
  refuseUnknownRoutes(app, options.faces);
  addBodyParsers(app);
  addCompression(app);
  addFaces(app, options);
  addHealth(app, options);
  if (options.hasMetrics) addMetrics(app, options.metrics, options.faces);
  if (options.hasExplorer) await addPages(app, options);
  return app;
}
