import { setMaxListeners } from 'node:events';
import { createWakeSignal, longestRestMs } from './watch.ts';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Clock = () => number;

/**
 * Tracks which entries of a map are due for a check: all of them at the start, and again every `longestRestMs`. For one waiter.
 */
export function createAlarm<T>(entries: ReadonlyMap<string, T>, ended: AbortSignal) {
  const signal = createWakeSignal();
  const rung = new Set<string>();
  const later = new Map<string, number>();
  let allDueAt = performance.now();
  ended.addEventListener('abort', signal.wake, { once: true });

  function takeDue(): T[] {
    const now = performance.now();
    const isAll = now >= allDueAt;
    if (isAll) allDueAt = now + longestRestMs;
    for (const [key, at] of later) {
      if (at > now) continue;
      later.delete(key);
      rung.add(key);
    }
    const due = [...entries].flatMap(([key, entry]) => (isAll || rung.has(key) ? [entry] : []));
    rung.clear();
    return due;
  }

  return {
    /** Makes an entry due. */
    ring(this: void, key: string): void {
      rung.add(key);
      signal.wake();
    },
    /** Makes an entry due after some milliseconds; for the one who waits. */
    ringIn: (key: string, milliseconds: number) => void later.set(key, performance.now() + milliseconds),
    /** Waits for due entries and returns them in the order of the map; returns none when the alarm has ended. */
    async next(this: void): Promise<T[]> {
      for (;;) {
        if (ended.aborted) return [];
        const due = takeDue();
        if (due.length > 0) return due;
        await signal.wait(Math.max(0, Math.min(allDueAt, ...later.values()) - performance.now()));
      }
    },
  };
}

/** Does some work with a signal that is aborted after `ms`, and with any of these. Rejects then, whatever the work does. */
export async function within<T>(
  ms: number,
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signals.some(({ aborted }) => aborted)) throw over();
  const ending = new AbortController();
  const ended = new Promise<never>((_, reject) =>
    ending.signal.addEventListener('abort', () => reject(ending.signal.reason as Error), { once: true }),
  );
  const timer = setTimeout(
    () => ending.abort(Object.assign(new Error(`no answer within ${ms} ms`), { code: 'ETIMEDOUT' })),
    ms,
  );
  const end = (): void => ending.abort(over());
  // As many as there are attempts at the same time.
  setMaxListeners(Infinity, ...signals);
  for (const signal of signals) signal.addEventListener('abort', end);
  try {
    return await Promise.race([ended, work(ending.signal)]);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', end);
  }
}

const over = (): Error => Object.assign(new Error('ended with the gateway'), { code: 'ABORT_ERR' });
