import { setTimeout as pause } from 'node:timers/promises';

/** Time limit for conditions: longer than anything takes on a busy machine. */
export const maxWaitMs = 120_000;

/**
 * Repeats a check until it passes, and rejects with its last error after the time limit. A pause takes four times as
 * long as the check before it, but 25 ms to 1 s, so that polling leaves the CPU to the awaited work.
 */
export async function eventually(check: () => Promise<void>, timeLimitMs = maxWaitMs): Promise<void> {
  const deadlineMs = Date.now() + timeLimitMs;
  for (;;) {
    const checkStartMs = Date.now();
    try {
      return await check();
    } catch (error) {
      if (Date.now() > deadlineMs) throw error;
      await pause(Math.min(Math.max(25, 4 * (Date.now() - checkStartMs)), 1000));
    }
  }
}

/** Polls a cheap condition every 2 ms until it is true; only the time limit of the test ends it earlier. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await pause(2);
}
