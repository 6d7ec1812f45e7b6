import { Counter, Histogram, type Registry } from 'prom-client';

const buckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Figures of the calls of services that the gateway stands in front of. */
export function createCallFigures(registry: Registry) {
  const registers = [registry];
  const duration = new Histogram({
    name: 'upstream_request_duration_seconds',
    help: 'Time of the requests that were sent to the services behind the gateway, by method and status, or why there is none.',
    labelNames: ['service', 'method', 'status'],
    buckets,
    registers,
  });
  const retries = new Counter({
    name: 'upstream_retries_total',
    help: 'Requests that were sent again to the services behind the gateway, by method and by what made it necessary.',
    labelNames: ['service', 'method', 'reason'],
    registers,
  });
  return {
    attempted: (service: string, method: string, status: string, seconds: number): void =>
      duration.observe({ service, method, status }, seconds),
    retried: (service: string, method: string, reason: string): void =>
      retries.inc({ service, method, reason }),
  };
}
