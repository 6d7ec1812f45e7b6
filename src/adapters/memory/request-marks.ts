import type { Clock } from '../../core/clock.ts';
import type { RequestMark } from '../../core/request-mark.ts';

/** The marks of requests that carried a request id, each with what it stored, until they run out. */
export interface RequestMarks<T> {
  find(mark: RequestMark | undefined): { readonly fingerprint: string; readonly record: T } | undefined;
  add(mark: RequestMark | undefined, record: T): void;
}

export function createRequestMarks<T>(clock: Clock): RequestMarks<T> {
  const marks = new Map<string, RequestMark & { readonly record: T }>();
  /** Marks mostly run out in the order they came, so only the oldest are looked at. */
  function forgetExpired(now: number): void {
    for (const [key, { until }] of marks) {
      if (until > now) return;
      marks.delete(key);
    }
  }
  return {
    find(mark) {
      if (!mark) return undefined;
      const now = clock();
      forgetExpired(now);
      const found = marks.get(mark.key);
      return found && found.until > now ? found : undefined;
    },
    add(mark, record) {
      if (!mark) return;
      marks.delete(mark.key);
      marks.set(mark.key, { ...mark, record });
    },
  };
}
