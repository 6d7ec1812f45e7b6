import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestReport } from '../core/runtime/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { RequestSpan, Tracing } from '../telemetry/tracing.ts';
import { pathOf } from './request-head.ts';
import { clientClosedStatus } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Facts about the request that the face fills in, for the log and metrics. */
    report: RequestReport;
    /** Span of the request's trace; undefined without tracing, and for health checks. */
    span: RequestSpan | undefined;
  }
}

/** Whether the route is a health check, which load balancers call every few seconds. */
const isProbe = (route: string | undefined): boolean => route?.startsWith('/health/') ?? false;

/** Logs and counts each request, and ends its trace. */
export function watchRequests(app: FastifyInstance, metrics: Metrics, tracing: Tracing): void {
  app.decorateRequest('span', undefined);
  // No initial value, since requests must not share the object.
  app.decorateRequest('report');
  app.addHook('onRequest', (request, reply, done) => {
    // Logged at once, because Fastify's `onResponse` is skipped for responses that never started.
    reply.raw.once('close', () => {
      if (reply.raw.headersSent) return;
      endSpan(request, clientClosedStatus);
      logEnd(request, clientClosedStatus, reply.elapsedTime);
    });
    request.report = { codes: [] };
    request.span = isProbe(request.routeOptions.url) ? undefined : tracing.startRequest?.(request.headers);
    if (request.span) request.span.run(done);
    else done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    if (reply.raw.headersSent) {
      if (queuedEnds.push([request, reply.statusCode, reply.elapsedTime]) === 1) setImmediate(logQueuedEnds);
      endSpan(request, reply.statusCode); // at once: only the log line may follow later
    }
    done();
  });
  app.addHook('onClose', async () => logQueuedEnds());

  /** Requests of one event-loop iteration; logging them together takes a third of the time. */
  let queuedEnds: Parameters<typeof logEnd>[] = [];

  function logQueuedEnds(): void {
    const ends = queuedEnds;
    queuedEnds = [];
    for (const end of ends) logEnd(...end);
  }

  function logEnd(request: FastifyRequest, status: number, elapsedMs: number): void {
    const { report, id, method, viewer, url } = request;
    const route = request.routeOptions.url;
    const { operation, codes, stream } = report;
    metrics.recordRequest(report, { route: route ?? 'other', status, seconds: elapsedMs / 1000 });
    app.log[isProbe(route) ? 'debug' : 'info'](
      {
        requestId: id,
        method,
        path: toLoggedPath(url),
        status,
        ms: Math.round(elapsedMs * 10) / 10,
        kind: operation?.kind,
        operation: operation?.name,
        hash: operation?.hash,
        events: stream?.events,
        ended: stream?.ended,
        subject: viewer?.sub,
        codes,
      },
      'request',
    );
  }
}

/** Limit of a path in logs and traces. */
const maxPathCharacters = 200;
/** Limit of the root fields in the name of a span. */
const maxNameCharacters = 100;

/** Parts of paths that would open a calendar feed: everything after the calendar's id, and any segment with a secret. */
const secretPathParts = [/(?<=^\/+calendar\/+ical\/+[^/]*\/).+/is, /(?<=\bprivate-)[^/]+/gi];

const toLoggedPath = (url: string): string =>
  secretPathParts
    .reduce((path, secretPart) => path.replace(secretPart, '…'), pathOf(url))
    .slice(0, maxPathCharacters);

function endSpan(
  { span, report: { operation, codes }, method, routeOptions: { url: route }, url, id }: FastifyRequest,
  status: number,
): void {
  span?.end(
    operation
      ? `${operation.kind} ${operation.rootFields.join(',').slice(0, maxNameCharacters)}`
      : [method, route].filter(Boolean).join(' '),
    {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'url.path': toLoggedPath(url),
      'url.scheme': 'http',
      'error.type': status >= 500 ? (codes[0] ?? `${status}`) : undefined,
      'graphql.operation.type': operation?.kind,
      'graphql.operation.name': operation?.name,
      'graphql.document.hash': operation?.hash,
      'request.id': id,
      'error.codes': codes.length > 0 ? codes : undefined,
    },
  );
}
