import { unavailable } from '../failures.ts';

/** Runs the tasks of one key one after the other, in the order in which they came. */
export type KeyedMutex = <T>(key: string, task: () => Promise<T>) => Promise<T>;

/**
 * Serializes the changes of one event within a gateway, so that a busy event uses one connection of the pool, not all.
 * A task that waited longer than `withinMs` fails with UNAVAILABLE.
 */
export function createKeyedMutex(withinMs = 30_000): KeyedMutex {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, task) => {
    const end = Date.now() + withinMs;
    const before = tails.get(key) ?? Promise.resolve();
    const result = before.then(() => {
      if (Date.now() > end) throw unavailable('Too many change the same.');
      return task();
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
