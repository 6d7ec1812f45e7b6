import Fastify, { type FastifyInstance, type FastifyRequest } from 'fastify';
import { isLoopbackHost } from '../../core/text/address.ts';
import type { PrometheusMetrics, Metrics } from '../../telemetry/metrics.ts';
import { HttpError, standardHeaders } from '../errors.ts';

/** `/metrics` of a server. */
function addMetrics(app: FastifyInstance, registry: PrometheusMetrics, mayRead: (request: FastifyRequest) => boolean): void {
  app.get('/metrics', async (request, reply) => {
    if (!mayRead(request)) throw new HttpError(404, 'notFound', 'There is nothing here. GraphQL is at /graphql.');
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

/** On the gateway's own port metrics are for this machine only. */
export const addLocalMetrics = (app: FastifyInstance, metrics: Metrics): void => addMetrics(app, metrics.registry, isLocal);

/** A server for metrics alone, on a port that a firewall can keep for the operators. */
export function createMetricsServer(metrics: PrometheusMetrics): FastifyInstance {
  const app = Fastify({ forceCloseConnections: true });
  app.addHook('onSend', async (_request, reply) => void reply.headers(standardHeaders));
  addMetrics(app, metrics, () => true);
  return app;
}

/** Asked from this machine, and not on behalf of somebody else by a proxy that runs here. */
const isLocal = ({ ip, headers }: FastifyRequest): boolean =>
  isLoopbackHost(ip) && headers.forwarded === undefined && headers['x-forwarded-for'] === undefined && headers.via === undefined;
