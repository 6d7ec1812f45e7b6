import { Readable } from 'node:stream';
import type { FastifyBaseLogger, FastifyInstance, FastifyReply } from 'fastify';
import type { TokenVerifier } from '../access/token.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { RateLimiter } from '../core/runtime/limits.ts';
import type { Backlog } from '../outbox/outbox.store.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { createCallerHooks } from './callers.ts';
import { headOf } from './request-head.ts';
import type { ConnectionLimits } from './connections.ts';
import { addVary, listMethods, respondOnTimeout, isEnded } from './errors.ts';
import type { FaceRoute, Face } from './face.ts';
import type { PageOptions } from './pages.ts';
import { createStreams, type StreamDependencies } from './streams.ts';

/** Collaborators and settings of the HTTP server. */
export interface AppOptions extends PageOptions, Pick<StreamDependencies, 'streamLimits'> {
  /** The first face formats errors on paths that no face serves. */
  readonly faces: readonly [Face, ...Face[]];
  readonly verify: TokenVerifier;
  /** Charges requests that fail before they run; faces charge all others. */
  readonly limiter: RateLimiter | undefined;
  /** Reads the number and age of waiting outbox items. Throws AppError if the store is unavailable. */
  readonly backlog: () => Promise<Backlog>;
  readonly clock: Clock;
  readonly metrics: Metrics;
  /** Whether this server has `/metrics`, for callers on this machine. */
  readonly hasMetrics: boolean;
  readonly tracing: Tracing;
  readonly corsOrigins: readonly string[];
  readonly connections: ConnectionLimits;
  /** Addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  readonly hasExplorer: boolean;
  readonly log: FastifyBaseLogger;
}

/** Adds the routes of all faces, and OPTIONS for the routes that respond to it. */
export function addFaces(app: FastifyInstance, options: AppOptions): void {
  const createStreamOfRoute = createStreams(app, options);
  for (const face of options.faces) {
    for (const route of face.routes) {
      addRoute(app, face, route, options, createStreamOfRoute);
      if (!route.hasOptions) continue;
      app.options(route.path, async (_request, reply) =>
        reply.code(204).header('allow', listMethods(app, route.path)).send(),
      );
    }
  }
}

/** Resolves when the response was sent or its connection is closed. */
const waitForResponseEnd = ({ raw }: FastifyReply): Promise<void> =>
  raw.destroyed ? Promise.resolve() : new Promise((resolve) => raw.once('close', resolve));

/** Body of a response to HEAD in place of a stream: no length is stated. */
const createEmptyStream = (): Readable => Readable.from([]);

function addRoute(
  app: FastifyInstance,
  { varyHeader }: Face,
  {
    path: url,
    methods,
    hasHead = true,
    ignoresTokens = false,
    bodyTypes,
    acceptsGzip,
    refuseHead,
    admit,
    execute,
  }: FaceRoute,
  { verify, limiter }: AppOptions,
  createStream: ReturnType<typeof createStreams>,
): void {
  const { identifyCaller, chargeFailure } = createCallerHooks(ignoresTokens ? undefined : verify, limiter);
  app.route({
    method: [...methods],
    url,
    exposeHeadRoute: hasHead,
    config: { bodyTypes, acceptsGzip },
    async onRequest(request) {
      refuseHead?.(headOf(request));
      await identifyCaller(request);
      admit?.(headOf(request), request);
    },
    onError: chargeFailure,
    handler: async (request, reply) => {
      const { id, viewer, network, log, body, report } = request;
      const isHead = request.method === 'HEAD';
      if (varyHeader !== undefined) addVary(reply, varyHeader);
      respondOnTimeout(reply.raw, (error) => void reply.send(error));
      const stream = createStream(request, reply);
      try {
        const response = await execute(
          { body, ...headOf(request) },
          {
            requestId: id,
            viewer,
            address: network,
            log,
            report,
            waitUntilSent: () => waitForResponseEnd(reply),
            isOver: () => isEnded(reply.raw),
            setTimeLimitMs: (ms) => void reply.raw.setTimeout(ms, () => undefined),
            openStream: stream.open,
          },
        );
        if (isEnded(reply.raw)) return reply.hijack();
        if ('events' in response) {
          if (isHead) return reply.header('content-type', response.framing.type).send(createEmptyStream());
          await stream.send(response);
          return reply;
        }
        void reply.code(response.status).headers(response.headers);
        if (response.body === '') return reply.send();
        return isHead && response.body instanceof Readable ? createEmptyStream() : response.body;
      } finally {
        stream.close();
      }
    },
  });
}
