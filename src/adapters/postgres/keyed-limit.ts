import { unavailable } from './failures.ts';

/** Runs the tasks of one key in the order in which they came. */
type KeyedLimit = <T>(key: string, task: () => Promise<T>) => Promise<T>;

interface KeyedLimitRules {
  /** How many tasks of one key run at once. */
  readonly atOnce: number;
  /** How long (ms) one may wait: then it fails with UNAVAILABLE, and never runs. */
  readonly withinMs: number;
}

interface Turns {
  running: number;
  readonly waiting: (() => void)[];
}

/** Tasks of other keys do not wait for those of one. */
export function createKeyedLimit({ atOnce, withinMs }: KeyedLimitRules): KeyedLimit {
  const keys = new Map<string, Turns>();

  const turnOf = ({ waiting }: Turns): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(begin), 1);
        reject(unavailable('Too many change the same.'));
      }, withinMs);
      waiting.push(begin);
    });

  return async (key, task) => {
    const turns = keys.get(key) ?? { running: 0, waiting: [] };
    if (turns.running === atOnce) await turnOf(turns);
    else {
      turns.running += 1;
      keys.set(key, turns);
    }
    try {
      return await task();
    } finally {
      const next = turns.waiting.shift();
      if (next) next();
      else if ((turns.running -= 1) === 0) keys.delete(key);
    }
  };
}
