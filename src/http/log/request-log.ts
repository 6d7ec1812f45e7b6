import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Viewer } from '../../access/permissions.ts';
import type { RequestReport } from '../../core/runtime/request-report.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { RequestSpan, Tracing } from '../../telemetry/tracing.ts';
import { pathOf } from '../errors.ts';
import { atOnce } from '../hooks.ts';
import { goneStatus } from '../unanswered.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** What the GraphQL layer tells of the request. */
    report: RequestReport;
    span: RequestSpan | undefined;
  }
}

/** A request that was answered, or is not going to be. */
export interface Told {
  readonly requestId: string;
  readonly method: string;
  readonly url: string;
  readonly route: string;
  readonly status: number;
  readonly ms: number;
  readonly report: RequestReport;
  readonly viewer: Viewer | undefined;
}

/** Writes one line for a request, and counts it. */
export type TellOfRequest = (told: Told) => void;

export const createTeller =
  (log: Pick<FastifyBaseLogger, 'info' | 'debug'>, metrics: Metrics): TellOfRequest =>
  ({ requestId, method, url, route, status, ms, report, viewer }) => {
    const { operation, codes, stream } = report;
    metrics.requestAnswered({ route, status, seconds: ms / 1000, ...report });
    const name = operation ? { kind: operation.kind, operation: operation.name, hash: operation.hash } : {};
    log[isProbe(route) ? 'debug' : 'info'](
      { requestId, method, path: pathOf(url).slice(0, 200), status, ms: Math.round(ms * 10) / 10, ...name, ...stream, subject: viewer?.sub, codes },
      'request',
    );
  };

/** What load balancers and orchestrators ask every few seconds tells nothing. */
const isProbe = (route: string | undefined): boolean => route?.startsWith('/health/') ?? false;

/** Tells of each request, and ends its trace. */
export function watchRequests(app: FastifyInstance, tell: TellOfRequest, tracing: Tracing): void {
  app.decorateRequest('span', undefined);
  // Apollo and fastify would share one object: each request gets its own.
  app.decorateRequest('report');
  app.addHook('onRequest', (request, reply, done) => {
    // The framework tells of no answer that was not begun.
    reply.raw.once('close', () => !reply.raw.headersSent && end(request, reply, goneStatus));
    request.report = { codes: [] };
    request.span = isProbe(request.routeOptions.url) ? undefined : tracing.request?.(request.headers);
    if (request.span) request.span.run(done);
    else done();
  });
  app.addHook('onResponse', atOnce((request, reply) => reply.raw.headersSent && end(request, reply, reply.statusCode)));

  function end(request: FastifyRequest, { elapsedTime: ms }: FastifyReply, status: number): void {
    const { report, span, id, method, viewer } = request;
    const route = request.routeOptions.url;
    const { operation, codes } = report;
    tell({ requestId: id, method, url: request.url, route: route ?? 'other', status, ms, report, viewer });
    span?.end(operation ? `${operation.kind} ${operation.rootFields.join(',').slice(0, 100)}` : [method, route].filter(Boolean).join(' '), {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'url.path': pathOf(request.url).slice(0, 200),
      'url.scheme': 'http',
      'error.type': status >= 500 ? (codes[0] ?? `${status}`) : undefined,
      'graphql.operation.type': operation?.kind,
      'graphql.operation.name': operation?.name,
      'graphql.document.hash': operation?.hash,
      'request.id': id,
      'error.codes': codes.length > 0 ? codes : undefined,
    });
  }
}
