import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestReport } from '../core/runtime/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import type { RequestSpan, Tracing } from '../telemetry/tracing.ts';
import { atOnce } from './hooks.ts';
import { pathOf } from './head.ts';
import { goneStatus } from './errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Filled in by the face that answers. */
    report: RequestReport;
    span: RequestSpan | undefined;
  }
}

/** Requests that load balancers and orchestrators send every few seconds. */
const isProbe = (route: string | undefined): boolean => route?.startsWith('/health/') ?? false;

/** A request whose answer was sent, or whose client has gone. */
interface Ended {
  readonly request: FastifyRequest;
  readonly status: number;
  readonly ms: number;
}

/** Writes a line of the log for each request, counts it, and ends its trace. */
export function watchRequests(app: FastifyInstance, metrics: Metrics, tracing: Tracing): void {
  app.decorateRequest('span', undefined);
  // Each request gets an object of its own.
  app.decorateRequest('report');
  app.addHook('onRequest', (request, reply, done) => {
    // The framework's hook runs for answers that were begun only. What is reported of others may change afterwards.
    reply.raw.once('close', () => !reply.raw.headersSent && tellOf(endOf(request, reply, goneStatus)));
    request.report = { codes: [] };
    request.span = isProbe(request.routeOptions.url) ? undefined : tracing.request?.(request.headers);
    if (request.span) request.span.run(done);
    else done();
  });
  app.addHook(
    'onResponse',
    atOnce((request, reply) => reply.raw.headersSent && tellLater(endOf(request, reply, reply.statusCode))),
  );
  app.addHook('onClose', async () => tellOfEnded());

  /** Those of this iteration of the event loop: to log and count all of them in one go takes a third of the time. */
  let ended: Ended[] = [];

  function tellOfEnded(): void {
    const all = ended;
    ended = [];
    for (const one of all) tellOf(one);
  }

  function tellLater(one: Ended): void {
    if (ended.push(one) === 1) setImmediate(tellOfEnded);
  }

  function tellOf({ request, status, ms }: Ended): void {
    const { report, id, method, viewer, url } = request;
    const route = request.routeOptions.url;
    const { operation, codes, stream } = report;
    metrics.requestAnswered(report, { route: route ?? 'other', status, seconds: ms / 1000 });
    app.log[isProbe(route) ? 'debug' : 'info'](
      {
        requestId: id,
        method,
        path: shownPath(url),
        status,
        ms: Math.round(ms * 10) / 10,
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

function endOf(request: FastifyRequest, { elapsedTime: ms }: FastifyReply, status: number): Ended {
  endSpan(request, status);
  return { request, status, ms };
}

const shownPath = (url: string): string => pathOf(url).slice(0, 200);

function endSpan(
  { span, report: { operation, codes }, method, routeOptions: { url: route }, url, id }: FastifyRequest,
  status: number,
): void {
  span?.end(
    operation
      ? `${operation.kind} ${operation.rootFields.join(',').slice(0, 100)}`
      : [method, route].filter(Boolean).join(' '),
    {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'url.path': shownPath(url),
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
