import type * as Sdk from '@opentelemetry/sdk-trace';
import { setTimeout as pause } from 'node:timers/promises';
import type { Span, SpanOptions } from '@opentelemetry/api';
import { type Metrics, version } from './metrics.ts';

/** Time limit (ms) for sending the remaining spans when the process ends. */
const maxCloseMs = 1000;

/** Attributes of a span, named as in OpenTelemetry's semantic conventions. */
type SpanAttributes = Readonly<Record<string, string | number | readonly string[] | undefined>>;

export interface RequestSpan {
  /** Runs the work of the request. Spans of calls become children of its span. */
  run<T>(work: () => T): T;
  /** Ends the span. The attribute `error.type` marks the request as failed. */
  end(name: string, attributes: SpanAttributes): void;
}

/** Traces of requests and of the calls they make. */
export interface Tracing {
  /** Starts the span of a request within the trace of its headers (W3C Trace Context). Absent if tracing is off. */
  startRequest?(headers: Readonly<Record<string, unknown>>): RequestSpan;
  /** Runs a call of a port in a child span of the request. `remoteAttributes`: span attributes of the called system. */
  readonly traceCall: <T>(name: string, remoteAttributes: SpanAttributes | undefined, work: () => T) => T;
  /** Returns the current `traceparent` (W3C Trace Context), to resume the trace later; '' outside a trace. */
  readonly traceparent: () => string;
  /** Runs work in the trace of a `traceparent`. */
  resume<T>(traceparent: string, work: () => T): T;
  close(): Promise<void>;
}

/** Tracing that is off. OpenTelemetry is not loaded. */
export const noTracing: Tracing = {
  traceCall: (_name, _system, work) => work(),
  traceparent: () => '',
  resume: (_traceparent, work) => work(),
  close: async () => undefined,
};

interface TracingSettings {
  /** URL of the collector, without the path of the signal. */
  readonly endpoint: string;
  readonly serviceName: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly sampler: `${'' | 'parentbased_'}${'always_on' | 'always_off' | 'traceidratio'}`;
  /** Share of traces that `traceidratio` records, from 0 to 1. */
  readonly ratio: number;
}

/** Creates tracing that sends spans to an OpenTelemetry collector (OTLP over HTTP, JSON) in batches. */
export async function createTracing(settings: TracingSettings): Promise<Tracing> {
  const [
    { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace },
    sdk,
    { OTLPTraceExporter },
    { AsyncLocalStorageContextManager },
    { W3CTraceContextPropagator },
    { defaultResource, resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
  ]);
  const provider = new sdk.TracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.version': version,
        ...settings.attributes,
        'service.name': settings.serviceName,
      }),
    ),
    sampler: createSampler(settings, sdk),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${settings.endpoint}/v1/traces` }),
      }),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const tracer = provider.getTracer('resource-gateway', version);
  const startSpan = (name: string, options: SpanOptions, parent = context.active()): Span =>
    tracer.startSpan(name, options, parent);
  const endSpan = (span: Span, attributes: SpanAttributes): void => {
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== undefined) span.setAttribute(key, typeof value === 'object' ? [...value] : value);
    }
    if (attributes['error.type'] !== undefined) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  };

  return {
    startRequest: (headers) => {
      const span = startSpan(
        'request',
        { kind: SpanKind.SERVER },
        propagation.extract(ROOT_CONTEXT, headers),
      );
      return {
        run: (work) => context.with(trace.setSpan(context.active(), span), work),
        end: (name, attributes) => {
          span.updateName(name);
          endSpan(span, attributes);
        },
      };
    },
    traceCall: (name, remoteAttributes, work) => {
      if (!trace.getActiveSpan()) return work();
      const span = startSpan(name, { kind: remoteAttributes ? SpanKind.CLIENT : SpanKind.INTERNAL });
      const result = context.with(trace.setSpan(context.active(), span), work);
      if (!(result instanceof Promise)) endSpan(span, { ...remoteAttributes });
      else
        result.then(
          () => endSpan(span, { ...remoteAttributes }),
          (error: unknown) => endSpan(span, { ...remoteAttributes, 'error.type': errorTypeOf(error) }),
        );
      return result;
    },
    traceparent: () => {
      const carrier: { traceparent?: string } = {};
      propagation.inject(context.active(), carrier);
      return carrier.traceparent ?? '';
    },
    resume: (traceparent, work) =>
      traceparent === '' ? work() : context.with(propagation.extract(ROOT_CONTEXT, { traceparent }), work),
    close: async () =>
      void (await Promise.race([provider.shutdown(), pause(maxCloseMs, undefined, { ref: false })])),
  };
}

function createSampler({ sampler, ratio }: TracingSettings, sdk: typeof Sdk): Sdk.Sampler {
  const rootSamplers = {
    always_on: () => new sdk.AlwaysOnSampler(),
    always_off: () => new sdk.AlwaysOffSampler(),
    traceidratio: () => new sdk.TraceIdRatioBasedSampler(ratio),
  };
  const rootSampler = rootSamplers[sampler.replace('parentbased_', '') as keyof typeof rootSamplers]();
  return sampler.startsWith('parentbased_') ? new sdk.ParentBasedSampler({ root: rootSampler }) : rootSampler;
}

/** Returns the code of the cause (such as an SQLSTATE), else the code or the name of the error. */
function errorTypeOf(error: unknown): string {
  const { code, name, cause } = error as {
    readonly code?: unknown;
    readonly name?: unknown;
    readonly cause?: { readonly code?: unknown };
  };
  return [cause?.code, code, name].find((type) => typeof type === 'string') ?? '_OTHER';
}

/** Metrics and traces that record the calls of a port. */
export interface Instrumentation {
  readonly metrics: Pick<Metrics, 'recordCall'>;
  readonly tracing: Tracing;
}

/** Wraps a port to time and trace its calls as `name.method`. `remoteAttributes`: see `traceCall`. */
export function instrument<Port extends object>(
  name: string,
  port: Port,
  { metrics, tracing }: Instrumentation,
  remoteAttributes?: SpanAttributes,
): Port {
  const wrapMethod = (method: string, run: (...args: unknown[]) => unknown) => {
    const call = `${name}.${method}`;
    return (...args: unknown[]): unknown => {
      const start = performance.now();
      const recordEnd = (hasFailed: boolean): void =>
        metrics.recordCall(call, hasFailed, (performance.now() - start) / 1000);
      const result = tracing.traceCall(call, remoteAttributes, () => run.apply(port, args));
      if (!(result instanceof Promise)) return result;
      result.then(
        () => recordEnd(false),
        () => recordEnd(true),
      );
      return result;
    };
  };
  const wrappers = new Map<PropertyKey, unknown>();
  return new Proxy(port, {
    get: (target, property, receiver) => {
      const value: unknown = Reflect.get(target, property, receiver);
      if (typeof value !== 'function' || typeof property !== 'string') return value;
      if (!wrappers.has(property))
        wrappers.set(property, wrapMethod(property, value as (...args: unknown[]) => unknown));
      return wrappers.get(property);
    },
  });
}
