import Fastify from 'fastify';
import { setImmediate as iteration } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../core/text/address.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { nothingHere, standardHeaders } from './errors.ts';
import type { Face } from './face.ts';

/** `/metrics` of a server. `faces`: those on the same port, where metrics are for this machine only. */
export function addMetrics(app: FastifyInstance, { registry }: Metrics, faces?: readonly Face[]): void {
  app.get('/metrics', async (request, reply) => {
    if (faces && !isLocal(request)) throw nothingHere(faces);
    await iteration(); // requests that ended before are counted by then (`request-log.ts`)
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

/** A server for metrics alone, on a port that a firewall can keep for the operators. */
export function createMetricsServer(metrics: Metrics): FastifyInstance {
  const app = Fastify({ forceCloseConnections: true });
  app.addHook('onSend', async (_request, reply) => void reply.headers(standardHeaders));
  addMetrics(app, metrics);
  return app;
}

/** Asked from this machine, and not on behalf of somebody else by a proxy that runs here. */
const isLocal = ({ ip, headers }: FastifyRequest): boolean =>
  isLoopbackHost(ip) &&
  headers.forwarded === undefined &&
  headers['x-forwarded-for'] === undefined &&
  headers.via === undefined;
