import { longestRestMs } from './stream.ts';
import { createWakeSignal } from './wake-signal.ts';

/** Tracks which entries of a map are due for a check. */
export interface Alarm<T> {
  /** Makes an entry due. */
  readonly ring: (key: string) => void;
  /** Makes an entry due after some milliseconds; for the one who waits. */
  readonly ringIn: (key: string, milliseconds: number) => void;
  /** Waits for due entries and returns them in the order of the map; returns none when the alarm has ended. */
  readonly next: () => Promise<T[]>;
}

/** All entries are due at the start, and again every `longestRestMs`. For one waiter. */
export function createAlarm<T>(entries: ReadonlyMap<string, T>, ended: AbortSignal): Alarm<T> {
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
    ring(key) {
      rung.add(key);
      signal.wake();
    },
    ringIn: (key, milliseconds) => void later.set(key, performance.now() + milliseconds),
    async next() {
      for (;;) {
        if (ended.aborted) return [];
        const due = takeDue();
        if (due.length > 0) return due;
        await signal.wait(Math.max(0, Math.min(allDueAt, ...later.values()) - performance.now()));
      }
    },
  };
}
