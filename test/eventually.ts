import { setTimeout as pause } from 'node:timers/promises';

/** Longer than anything takes on a busy machine. */
export const patienceMs = 120_000;

/** Waits until something holds, and fails as that does where it never does so. */
export async function eventually(holds: () => Promise<void>, withinMs = patienceMs): Promise<void> {
  const end = Date.now() + withinMs;
  for (;;) {
    try {
      return await holds();
    } catch (error) {
      if (Date.now() > end) throw error;
      await pause(25);
    }
  }
}
