import type { Clock, RequestMark } from '../../core/store.ts';

/** The marks of requests that carried a request id, each with what it stored, until they run out. */
export interface RequestMarks<T> {
  find(mark: RequestMark | undefined): { readonly fingerprint: string; readonly record: T } | undefined;
  add(mark: RequestMark | undefined, record: T): void;
}

export function createRequestMarks<T>(clock: Clock): RequestMarks<T> {
  const marks = new Map<string, RequestMark & { readonly record: T }>();
  /** Marks run out in the order they came, so the oldest are looked at only. */
  function forgetExpired(): void {
    for (const [key, { until }] of marks) {
      if (until > clock()) return;
      marks.delete(key);
    }
  }
  return {
    find(mark) {
      if (!mark) return undefined;
      forgetExpired();
      return marks.get(mark.key);
    },
    add(mark, record) {
      if (mark) marks.set(mark.key, { ...mark, record });
    },
  };
}
