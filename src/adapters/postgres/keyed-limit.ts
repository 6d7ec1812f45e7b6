import { unavailable } from './failures.ts';

type KeyedLimit = <T>(key: string, task: () => Promise<T>) => Promise<T>;

interface KeyedLimitRules {
  readonly maxConcurrent: number;
  /** Milliseconds after which a waiting task fails with UNAVAILABLE and never runs. */
  readonly maxWaitMs: number;
}

interface KeyQueue {
  running: number;
  readonly waiting: (() => void)[];
}

/** Limits the concurrent tasks of each key; keys do not affect each other. */
export function createKeyedLimit({ maxConcurrent, maxWaitMs }: KeyedLimitRules): KeyedLimit {
  const queues = new Map<string, KeyQueue>();

  const waitForTurn = ({ waiting }: KeyQueue): Promise<void> =>
    new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(start), 1);
        reject(unavailable('Too many change the same.'));
      }, maxWaitMs);
      waiting.push(start);
    });

  return async (key, task) => {
    const queue = queues.get(key) ?? { running: 0, waiting: [] };
    if (queue.running === maxConcurrent) await waitForTurn(queue);
    else {
      queue.running += 1;
      queues.set(key, queue);
    }
    try {
      return await task();
    } finally {
      const startNext = queue.waiting.shift();
      if (startNext) startNext();
      else if ((queue.running -= 1) === 0) queues.delete(key);
    }
  };
}
