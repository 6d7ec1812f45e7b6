import { setTimeout as pause } from 'node:timers/promises';

/** Longer than anything takes on a busy machine. */
export const patienceMs = 120_000;

/**
 * Waits until something holds, and fails as that does where it never does so. The pauses are four times as long as what
 * is asked took, so that asking leaves the machine to what is waited for.
 */
export async function eventually(holds: () => Promise<void>, withinMs = patienceMs): Promise<void> {
  const end = Date.now() + withinMs;
  for (;;) {
    const asked = Date.now();
    try {
      return await holds();
    } catch (error) {
      if (Date.now() > end) throw error;
      await pause(Math.min(Math.max(25, 4 * (Date.now() - asked)), 1000));
    }
  }
}

/** Resolves once a condition holds; for what takes no time to ask. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(2);
}
