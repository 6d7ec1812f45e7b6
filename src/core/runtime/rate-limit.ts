import { hash } from 'node:crypto';
import { AppError } from '../kernel/errors.ts';
import type { Clock } from './clock.ts';

const windowMs = 60_000;
/** Upper bound on tracked callers; the oldest rate-limit window is evicted first. */
const maxCallers = 100_000;
/** Longer names of callers are stored as a digest: with `maxCallers` this bounds the memory (about 25 MB). */
const maxNameLength = 64;

export interface RateLimiter {
  /**
   * Spends `cost` of a caller's budget. Returns 0, or the seconds to wait when too little is left; `Infinity` for a cost
   * above the whole budget. A cost of 0 spends nothing and checks that the budget is not exhausted.
   */
  (caller: string, cost: number): number;
  /** Budget of one caller for one minute. */
  readonly perMinute: number;
}

/** Fixed windows of one minute from a caller's first request on, in this process. */
export function createRateLimiter(perMinute: number, clock: Clock): RateLimiter {
  const windows = new Map<string, { start: number; used: number }>();
  const take = (caller: string, cost: number): number => {
    if (cost > perMinute) return Infinity;
    const now = clock();
    for (const [key, { start }] of windows) {
      if (now - start < windowMs) break;
      windows.delete(key);
    }
    const name = caller.length > maxNameLength ? hash('sha256', caller, 'base64url') : caller;
    const window = windows.get(name) ?? { start: now, used: 0 };
    if (window.used + Math.max(cost, 1) > perMinute)
      return Math.max(1, Math.ceil((window.start + windowMs - now) / 1000));
    if (cost === 0) return 0;
    window.used += cost;
    windows.set(name, window);
    const [oldest] = windows.keys();
    if (windows.size > maxCallers && oldest !== undefined) windows.delete(oldest);
    return 0;
  };
  return Object.assign(take, { perMinute });
}

export const rateLimited = (retryAfter: number): AppError =>
  new AppError('RATE_LIMITED', 'rateLimitExceeded', `Too many requests. Try again in ${retryAfter} s.`, [], {
    retryAfter,
  });
