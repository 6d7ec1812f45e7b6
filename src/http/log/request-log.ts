import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestReport } from '../../core/runtime/request-report.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { RequestSpan, Tracing } from '../../telemetry/tracing.ts';
import { atOnce } from '../hooks.ts';
import { goneStatus } from '../unanswered.ts';
import { pathOf } from '../url.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Filled in by the face that answers. */
    report: RequestReport;
    span: RequestSpan | undefined;
  }
}

/** Requests that load balancers and orchestrators send every few seconds. */
const isProbe = (route: string | undefined): boolean => route?.startsWith('/health/') ?? false;

/** Writes a line of the log for each request, counts it, and ends its trace. */
export function watchRequests(app: FastifyInstance, metrics: Metrics, tracing: Tracing): void {
  app.decorateRequest('span', undefined);
  // Each request gets an object of its own.
  app.decorateRequest('report');
  app.addHook('onRequest', (request, reply, done) => {
    // The framework's hook runs for answers that were begun only.
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
    const path = pathOf(request.url).slice(0, 200);
    const { operation, codes, stream } = report;
    metrics.requestAnswered({ route: route ?? 'other', status, seconds: ms / 1000, ...report });
    const name = operation ? { kind: operation.kind, operation: operation.name, hash: operation.hash } : {};
    app.log[isProbe(route) ? 'debug' : 'info'](
      { requestId: id, method, path, status, ms: Math.round(ms * 10) / 10, ...name, ...stream, subject: viewer?.sub, codes },
      'request',
    );
    span?.end(operation ? `${operation.kind} ${operation.rootFields.join(',').slice(0, 100)}` : [method, route].filter(Boolean).join(' '), {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'url.path': path,
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
