import { eventLoop } from './event-loop.ts';

/** Runs one task after the other, and yields to other requests between them. */
export type SerialQueue = <T>(task: () => Promise<T>) => Promise<T>;

/** `throwIfGone` is called before each task, and throws when no more tasks are to begin. */
export function createSerialQueue(throwIfGone: () => void = () => undefined): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(() => {
      throwIfGone();
      return task();
    });
    last = result.then(eventLoop.yield, eventLoop.yield);
    return result;
  };
}
