import { setTimeout as pause } from 'node:timers/promises';
import type { Span, SpanOptions } from '@opentelemetry/api';

/** How long the end of the process waits for a collector. */
const closingMs = 1000;

/** Attributes of a span, by the names of OpenTelemetry's semantic conventions. */
export type SpanAttributes = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface RequestSpan {
  /** Runs what belongs to the request, so that calls become its children. */
  run<T>(work: () => T): T;
  end(name: string, attributes: SpanAttributes, failed: boolean): void;
}

export interface Tracing {
  /** Begins the span of a request; its headers may carry the trace it belongs to (W3C Trace Context). Absent: not traced. */
  request?(headers: Readonly<Record<string, unknown>>): RequestSpan;
  /** Runs a call of a port, in a span of its own within a request. */
  call<T>(name: string, work: () => T): T;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** No traces: nothing of OpenTelemetry is loaded. */
export const noTracing: Tracing = { call: (_name, work) => work(), close: async () => undefined };

/** Sends traces to an OpenTelemetry collector over HTTP (OTLP, JSON), in batches, in the background. */
export async function createTracing(settings: { readonly endpoint: string; readonly serviceName: string }): Promise<Tracing> {
  const [{ context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace }, sdk, { OTLPTraceExporter }, { AsyncLocalStorageContextManager }, { W3CTraceContextPropagator }, { resourceFromAttributes }] =
    await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/context-async-hooks'),
      import('@opentelemetry/core'),
      import('@opentelemetry/resources'),
    ]);
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': settings.serviceName }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url: `${settings.endpoint}/v1/traces` }) })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const tracer = provider.getTracer('resource-gateway');
  const start = (name: string, options: SpanOptions, parent = context.active()): Span => tracer.startSpan(name, options, parent);
  const fail = (span: Span): void => void span.setStatus({ code: SpanStatusCode.ERROR });

  return {
    request: (headers) => {
      const span = start('request', { kind: SpanKind.SERVER }, propagation.extract(ROOT_CONTEXT, headers));
      return {
        run: (work) => context.with(trace.setSpan(context.active(), span), work),
        end: (name, attributes, failed) => {
          span.updateName(name);
          for (const [key, value] of Object.entries(attributes)) {
            if (value !== undefined) span.setAttribute(key, typeof value === 'object' ? [...value] : value);
          }
          if (failed) fail(span);
          span.end();
        },
      };
    },
    call: (name, work) => {
      if (!trace.getActiveSpan()) return work();
      const span = start(name, { kind: SpanKind.CLIENT });
      const result = context.with(trace.setSpan(context.active(), span), work);
      if (!(result instanceof Promise)) span.end();
      else void result.catch(() => fail(span)).finally(() => span.end());
      return result;
    },
    close: async () => void (await Promise.race([provider.shutdown(), pause(closingMs, undefined, { ref: false })])),
  };
}
