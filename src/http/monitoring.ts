import Fastify from 'fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { AppError } from '../core/errors.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { Backlog } from '../outbox/outbox.store.ts';
import { oldestAgeSeconds, type Metrics } from '../telemetry/metrics.ts';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { isLoopbackHost } from '../core/text/host.ts';
import { notFoundError, standardHeaders } from './errors.ts';
import type { Face } from './face.ts';

interface HealthDependencies {
  /** Reads the number and age of waiting outbox items. Throws AppError if the store is unavailable. */
  readonly backlog: () => Promise<Backlog>;
  readonly clock: Clock;
}

/** Adds `/health/live` (the process runs) and `/health/ready` (requests are accepted and the store is writable). */
export function addHealth(app: FastifyInstance, { backlog, clock }: HealthDependencies): void {
  let wasReady = true;
  app.get('/health/live', async () => ({ status: 'ok' }));
  app.get('/health/ready', async (_request, reply) => {
    if (app.isStopping()) return reply.code(503).send({ status: 'stopping' });
    try {
      const outboxBacklog = await backlog();
      if (!wasReady) app.log.info({}, 'ready again');
      wasReady = true;
      return {
        status: 'ok',
        outbox: { messages: outboxBacklog.count, oldestSeconds: oldestAgeSeconds(outboxBacklog, clock()) },
      };
    } catch (err) {
      if (!(err instanceof AppError)) throw err;
      // Logged once per outage, not for each probe.
      if (wasReady) app.log.error({ err }, 'not ready');
      wasReady = false;
      return reply
        .code(503)
        .header('retry-after', `${err.details.retryAfter ?? 1}`)
        .send({ status: 'unavailable' });
    }
  });
}

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
