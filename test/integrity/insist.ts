import { setTimeout as pause } from 'node:timers/promises';

/** Asks again until there is an answer: what gateways and servers that are killed in between did not give. */
export async function insist<T>(work: () => Promise<T | undefined>): Promise<T> {
  for (;;) {
    const found = await work();
    if (found !== undefined) return found;
    await pause(50);
  }
}
