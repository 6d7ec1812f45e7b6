import { setMaxListeners } from 'node:events';
import { createWakeSignal, maxIdleMs } from './streams.ts';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Clock = () => number;

/** Tracks which map entries are due for a check: all at the start and every `maxIdleMs`. Supports one waiter. */
export function createAlarm<T>(entries: ReadonlyMap<string, T>, endSignal: AbortSignal) {
  const wakeSignal = createWakeSignal();
  const dueKeys = new Set<string>();
  const dueAtByKey = new Map<string, number>();
  let allDueAt = performance.now();
  endSignal.addEventListener('abort', wakeSignal.wake, { once: true });

  /** Moves entries whose delay has passed to the due ones, and takes all of these. */
  function takeDueEntries(): T[] {
    const now = performance.now();
    const isAllDue = now >= allDueAt;
    if (isAllDue) allDueAt = now + maxIdleMs;
    for (const [key, dueAt] of dueAtByKey) {
      if (dueAt > now) continue;
      dueAtByKey.delete(key);
      dueKeys.add(key);
    }
    const dueEntries = [...entries].flatMap(([key, entry]) => (isAllDue || dueKeys.has(key) ? [entry] : []));
    dueKeys.clear();
    return dueEntries;
  }

  return {
    /** Makes an entry due at once, and wakes the waiter. */
    ring(this: void, key: string): void {
      dueKeys.add(key);
      wakeSignal.wake();
    },
    /** Makes an entry due after a delay, without waking the waiter. */
    ringIn: (key: string, delayMs: number) => void dueAtByKey.set(key, performance.now() + delayMs),
    /** Waits for due entries. Returns them in map order, or [] when the alarm has ended. */
    async next(this: void): Promise<T[]> {
      for (;;) {
        if (endSignal.aborted) return [];
        const dueEntries = takeDueEntries();
        if (dueEntries.length > 0) return dueEntries;
        await wakeSignal.wait(Math.max(0, Math.min(allDueAt, ...dueAtByKey.values()) - performance.now()));
      }
    },
  };
}

/** Runs work with a signal that aborts after `timeoutMs` or with any of `signals`. Then rejects, even if the work ignores the signal. */
export async function withTimeout<T>(
  timeoutMs: number,
  signals: readonly AbortSignal[],
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (signals.some(({ aborted }) => aborted)) throw abortError();
  const controller = new AbortController();
  const rejectionOnAbort = new Promise<never>((_, reject) =>
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason as Error), {
      once: true,
    }),
  );
  const timer = setTimeout(
    () =>
      controller.abort(Object.assign(new Error(`no response within ${timeoutMs} ms`), { code: 'ETIMEDOUT' })),
    timeoutMs,
  );
  const abortWork = (): void => controller.abort(abortError());
  // Each concurrent attempt adds a listener.
  setMaxListeners(Infinity, ...signals);
  for (const signal of signals) signal.addEventListener('abort', abortWork);
  try {
    return await Promise.race([rejectionOnAbort, work(controller.signal)]);
  } finally {
    clearTimeout(timer);
    for (const signal of signals) signal.removeEventListener('abort', abortWork);
  }
}

/** Error of work that ends because the gateway, or the attempt, ends. */
const abortError = (): Error => Object.assign(new Error('ended with the gateway'), { code: 'ABORT_ERR' });
