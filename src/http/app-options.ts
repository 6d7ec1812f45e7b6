import type { FastifyBaseLogger } from 'fastify';
import type { TokenVerifier } from '../access/token.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { Backlog } from '../outbox/outbox.store.ts';
import type { RateLimiter } from '../core/runtime/limits.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { ConnectionLimits } from './connections.ts';
import type { Face } from './face.ts';
import type { Sample } from './pages/explorer.ts';
import type { StreamDependencies } from './streams/streams.ts';

/** What the HTTP side is put together from. */
export interface AppOptions extends Pick<StreamDependencies, 'streamLimits'> {
  /** The first one answers where a path is no face's. */
  readonly faces: readonly [Face, ...Face[]];
  readonly verify: TokenVerifier;
  /** Charges requests that fail before they are run; the others are charged by their face. */
  readonly limiter: RateLimiter | undefined;
  readonly backlog: () => Promise<Backlog>;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Whether `/metrics` is on this server, for callers on this machine. */
  readonly showMetrics: boolean;
  readonly tracing: Tracing;
  readonly corsOrigins: readonly string[];
  readonly connections: ConnectionLimits;
  /** Addresses and networks of the proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly demo: boolean;
  /** Whether there are pages for developers. */
  readonly explorer: boolean;
  /** A token that opens everything, for the demo's pages. */
  readonly demoToken: string | undefined;
  /** What the explorer shows, in tabs. */
  readonly samples: () => readonly Sample[];
  readonly log: FastifyBaseLogger;
}
