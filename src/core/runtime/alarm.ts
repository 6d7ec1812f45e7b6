import { longestRestMs } from './stream.ts';
import { createWakeSignal } from './wake-signal.ts';

/** Says which entries of a map are to be looked at. */
export interface Alarm<T> {
  /** Has an entry looked at, as soon as somebody waits. */
  readonly ring: (key: string) => void;
  /** Waits for entries that are due, and gives them in the order of the map; none when it has ended. */
  readonly next: () => Promise<T[]>;
}

/** All entries are due at once, and again whenever `longestRestMs` have passed, however many rang meanwhile. For one waiter. */
export function createAlarm<T>(entries: ReadonlyMap<string, T>, ended: AbortSignal): Alarm<T> {
  const signal = createWakeSignal();
  const rung = new Set<string>();
  let allDueAt = performance.now();
  ended.addEventListener('abort', signal.wake, { once: true });

  function takeDue(): T[] {
    const isAll = performance.now() >= allDueAt;
    if (isAll) allDueAt = performance.now() + longestRestMs;
    const due = [...entries].flatMap(([key, entry]) => (isAll || rung.has(key) ? [entry] : []));
    rung.clear();
    return due;
  }

  return {
    ring(key) {
      rung.add(key);
      signal.wake();
    },
    async next() {
      for (;;) {
        if (ended.aborted) return [];
        const due = takeDue();
        if (due.length > 0) return due;
        await signal.wait(Math.max(0, allDueAt - performance.now()));
      }
    },
  };
}
