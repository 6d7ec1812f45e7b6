import type { Clock } from './clock.ts';

const windowMs = 60_000;
/** So that nobody fills the memory with callers: beyond it the oldest window is forgotten, and its caller starts anew. */
const maxCallers = 100_000;

/** Takes `cost` from a caller's budget; the seconds to wait when it does not suffice, 0 when it does. */
export type RateLimiter = (caller: string, cost: number) => number;

/** At most `perMinute` in each minute that begins with a caller's first request (fixed window, in this process). */
export function createRateLimiter(perMinute: number, clock: Clock): RateLimiter {
  const windows = new Map<string, { start: number; used: number }>();
  return (caller, cost) => {
    const now = clock();
    for (const [key, { start }] of windows) {
      if (now - start < windowMs) break;
      windows.delete(key);
    }
    const window = windows.get(caller) ?? { start: now, used: 0 };
    if (window.used + cost > perMinute) return Math.max(1, Math.ceil((window.start + windowMs - now) / 1000));
    window.used += cost;
    windows.set(caller, window);
    const [oldest] = windows.keys();
    if (windows.size > maxCallers && oldest !== undefined) windows.delete(oldest);
    return 0;
  };
}
