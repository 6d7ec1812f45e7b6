import { unavailable } from '../failures.ts';

/** Runs pieces of work on one thing one after the other, in the order in which they came. */
export type Turns = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Changes of one event take turns within a gateway, so that a busy one uses one connection of the pool, not all. Whoever
 * waited longer than `withinMs` gets UNAVAILABLE.
 */
export function createTurns(withinMs = 30_000): Turns {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const end = Date.now() + withinMs;
    const before = tails.get(key) ?? Promise.resolve();
    const result = before.then(() => {
      if (Date.now() > end) throw unavailable('Too many change the same.');
      return work();
    });
    const tail = result.catch(() => undefined);
    tails.set(key, tail);
    try {
      return await result;
    } finally {
      if (tails.get(key) === tail) tails.delete(key);
    }
  };
}
