import { setTimeout as pause } from 'node:timers/promises';

/** Repeats work until it returns a value: gateways and servers that are killed meanwhile return none. */
export async function retryUntilDefined<T>(work: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const result = await work();
    if (result !== undefined) return result;
    await pause(50);
  }
}
