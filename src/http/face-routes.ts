import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TokenVerifier } from '../access/token.ts';
import type { Clock } from '../core/runtime/clock.ts';
import type { RateLimiter } from '../core/runtime/limits.ts';
import type { Backlog } from '../outbox/outbox.store.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { addVary, atOnce } from './hooks.ts';
import { callerHooks } from './callers.ts';
import { headOf } from './head.ts';
import type { ConnectionLimits } from './connections.ts';
import { answerAtLimit, isOver } from './errors.ts';
import type { Sample } from './explorer.ts';
import type { AnswerRoute, Face } from './face.ts';
import { createStreams, type StreamDependencies } from './streams.ts';

/** Dependencies of the HTTP side. */
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
  /** Samples that the explorer shows, in tabs. */
  readonly samples: () => readonly Sample[];
  readonly log: FastifyBaseLogger;
}

/** The routes of all faces. */
export function addFaces(app: FastifyInstance, parts: AppOptions): void {
  const streamOf = createStreams(app, parts);
  for (const face of parts.faces) {
    for (const route of face.routes) {
      addRoute(app, face, route, parts, streamOf);
      if (!route.options) continue;
      const methods = [
        ...route.methods.flatMap((method) =>
          method === 'GET' && route.head !== false ? [method, 'HEAD'] : [method],
        ),
        'OPTIONS',
      ];
      app.options(route.path, async (_request, reply) =>
        reply.code(204).header('allow', methods.join(', ')).send(),
      );
    }
  }
}

/** Resolves when an answer is sent, or its connection is gone. */
const sentOf = ({ raw }: FastifyReply): Promise<void> =>
  raw.destroyed ? Promise.resolve() : new Promise((resolve) => raw.once('close', resolve));

function addRoute(
  app: FastifyInstance,
  { varies }: Face,
  { path: url, methods, head = true, bodies, gzip, refuseHead, admit, execute }: AnswerRoute,
  { verify, limiter }: AppOptions,
  streamOf: ReturnType<typeof createStreams>,
): void {
  const { onRequest, onError } = callerHooks(verify, limiter);
  app.route({
    method: [...methods],
    url,
    exposeHeadRoute: head,
    config: { bodies, gzip },
    onRequest: [
      ...(refuseHead ? [atOnce((request: FastifyRequest) => refuseHead(headOf(request)))] : []),
      onRequest,
      ...(admit ? [atOnce((request: FastifyRequest) => admit(headOf(request), request))] : []),
    ],
    onError,
    handler: async (request, reply) => {
      const { id, viewer, network, log, body, report } = request;
      if (varies !== undefined) addVary(reply, varies);
      answerAtLimit(reply.raw, (error) => void reply.send(error));
      const stream = streamOf(request, reply);
      try {
        const answer = await execute(
          { body, ...headOf(request) },
          {
            requestId: id,
            viewer,
            address: network,
            log,
            report,
            sent: () => sentOf(reply),
            isOver: () => isOver(reply.raw),
            openStream: stream.open,
          },
        );
        if (isOver(reply.raw)) return reply.hijack();
        if ('events' in answer) {
          if (request.isHead) return reply.header('content-type', answer.framing.type).send();
          await stream.send(answer);
          return reply;
        }
        void reply.code(answer.status).headers(answer.headers);
        return answer.body === '' ? reply.send() : answer.body;
      } finally {
        stream.close();
      }
    },
  });
}
