import type { Metrics } from './metrics.ts';
import type { SpanAttributes, Tracing } from './tracing.ts';

export interface Watcher {
  readonly metrics: Pick<Metrics, 'portCalled'>;
  readonly tracing: Tracing;
}

/**
 * Times and traces the calls of a port as `name.method`; results and errors pass unchanged. `system`: attributes of another
 * process that the port calls.
 */
export function watched<Port extends object>(
  name: string,
  port: Port,
  { metrics, tracing }: Watcher,
  system?: SpanAttributes,
): Port {
  const wrap = (method: string, run: (...args: unknown[]) => unknown) => {
    const call = `${name}.${method}`;
    return (...args: unknown[]): unknown => {
      const start = performance.now();
      const end = (failed: boolean): void =>
        metrics.portCalled(call, failed, (performance.now() - start) / 1000);
      const result = tracing.call(call, system, () => run.apply(port, args));
      if (!(result instanceof Promise)) return result;
      result.then(
        () => end(false),
        () => end(true),
      );
      return result;
    };
  };
  const known = new Map<PropertyKey, unknown>();
  return new Proxy(port, {
    get: (target, property, receiver) => {
      const value: unknown = Reflect.get(target, property, receiver);
      if (typeof value !== 'function' || typeof property !== 'string') return value;
      if (!known.has(property)) known.set(property, wrap(property, value as (...args: unknown[]) => unknown));
      return known.get(property);
    },
  });
}
