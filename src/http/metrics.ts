import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Backlog } from '../core/publisher.ts';
import type { Clock } from '../core/clock.ts';

/** What `/metrics` shows: the process, and the messages that wait to be published. */
export function createMetrics(backlog: () => Promise<Backlog>, clock: Clock): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'outbox_messages',
    help: 'Messages that are stored and not published yet.',
    registers: [registry],
    async collect() {
      this.set((await backlog()).count);
    },
  });
  new Gauge({
    name: 'outbox_oldest_seconds',
    help: 'For how long the oldest message has been waiting to be published; 0 when none is.',
    registers: [registry],
    async collect() {
      this.set(waitOf(await backlog(), clock()));
    },
  });
  return registry;
}

/** For how many seconds the oldest message has been waiting. */
export const waitOf = ({ oldestAt }: Backlog, now: number): number =>
  oldestAt === undefined ? 0 : Math.max(0, (now - oldestAt) / 1000);
