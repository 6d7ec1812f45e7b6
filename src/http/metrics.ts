import Fastify from 'fastify';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../core/text/ip-address.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { notFoundError, standardHeaders } from './errors.ts';
import type { Face } from './face.ts';

/** Adds `/metrics`. On the port of `faces`, metrics are for callers on this machine only. */
export function addMetrics(app: FastifyInstance, { registry }: Metrics, faces?: readonly Face[]): void {
  app.get('/metrics', async (request, reply) => {
    if (faces && !isFromThisMachine(request)) throw notFoundError(faces);
    await nextIteration(); // lets `request-log.ts` count finished requests first
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

/** Creates a server for metrics on a separate port, which a firewall can restrict to operators. */
export function createMetricsServer(metrics: Metrics): FastifyInstance {
  const app = Fastify({ forceCloseConnections: true });
  app.addHook('onSend', async (_request, reply) => void reply.headers(standardHeaders));
  addMetrics(app, metrics);
  return app;
}

/** Whether the caller is on this machine. A local proxy counts as remote, because it forwards requests of others. */
const isFromThisMachine = ({ ip, headers }: FastifyRequest): boolean =>
  isLoopbackHost(ip) &&
  headers.forwarded === undefined &&
  headers['x-forwarded-for'] === undefined &&
  headers.via === undefined;
