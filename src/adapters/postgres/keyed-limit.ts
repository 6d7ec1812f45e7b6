import { unavailableError } from './failures.ts';

/** Runs a task when fewer than `maxConcurrent` tasks with the same key are running. */
type KeyedLimit = <T>(key: string, task: () => Promise<T>) => Promise<T>;

interface KeyedLimitOptions {
  readonly maxConcurrent: number;
  /** Milliseconds after which a waiting task fails with UNAVAILABLE and never runs. */
  readonly maxWaitMs: number;
}

interface KeyQueue {
  runningCount: number;
  /** Starts of waiting tasks, oldest first. */
  readonly startWaiting: (() => void)[];
}

/** Limits the concurrent tasks of each key; keys do not affect each other. */
export function createKeyedLimit({ maxConcurrent, maxWaitMs }: KeyedLimitOptions): KeyedLimit {
  const queues = new Map<string, KeyQueue>();

  const waitForTurn = ({ startWaiting }: KeyQueue): Promise<void> =>
    new Promise((resolve, reject) => {
      const start = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        startWaiting.splice(startWaiting.indexOf(start), 1);
        reject(unavailableError('Too many change the same.'));
      }, maxWaitMs);
      startWaiting.push(start);
    });

  return async (key, task) => {
    const queue = queues.get(key) ?? { runningCount: 0, startWaiting: [] };
    if (queue.runningCount === maxConcurrent) await waitForTurn(queue);
    else {
      queue.runningCount += 1;
      queues.set(key, queue);
    }
    try {
      return await task();
    } finally {
      const startNext = queue.startWaiting.shift();
      if (startNext) startNext();
      else if ((queue.runningCount -= 1) === 0) queues.delete(key);
    }
  };
}
