import type { FastifyInstance } from 'fastify';
import { AppError } from '../core/errors.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { Backlog } from '../outbox/outbox.store.ts';
import { oldestAgeSeconds } from '../telemetry/metrics.ts';

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
