/** Requests share an iteration of the event loop for at most this long (ms); those left begin in a later iteration. */
const sliceMs = 10;
/** Waiting tasks that are scheduled for one iteration; its slice may be over before all of them ran. */
const maxScheduled = 100;

/** Shares the event loop, first come, first served. Without slices a hundred requests, or continuations of those that yielded, would run one after the other in a single iteration. */
export function createEventLoop(now: () => number = () => performance.now()) {
  const waiting: (() => void)[] = [];
  let sliceStart: number | undefined;

  /** Whether the slice of this iteration is used up. The first call in an iteration starts its slice. */
  const isSliceOver = (): boolean => {
    if (sliceStart !== undefined) return now() - sliceStart > sliceMs;
    sliceStart = now();
    setImmediate(endSlice);
    return false;
  };

  const endSlice = (): void => {
    sliceStart = undefined;
    // One immediate for each: the microtasks of a resumed task run before the next one checks the slice.
    for (let count = Math.min(waiting.length, maxScheduled); count > 0; count -= 1) setImmediate(resumeNext);
  };

  const resumeNext = (): void => {
    if (waiting.length > 0 && !isSliceOver()) waiting.shift()?.();
  };

  const wait = (): Promise<void> => new Promise((resolve) => waiting.push(resolve));

  return {
    /** To be awaited before a task begins: undefined while the current slice lasts, else resolves when the task may begin. */
    enter: (): Promise<void> | undefined => (isSliceOver() || waiting.length > 0 ? wait() : undefined),
    /** To be awaited in the middle of a long task: others run before it continues. */
    yield: (): Promise<void> => {
      isSliceOver(); // starts a slice if there is none: its end resumes those that wait
      return wait();
    },
  };
}

/** The event loop of this process. */
export const eventLoop = createEventLoop();

/** Maps the entries of a list; other requests have their turn between them. */
export async function mapInTurns<T, Result>(
  list: readonly T[],
  map: (entry: T) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const entry of list) {
    const turn = eventLoop.enter();
    if (turn) await turn;
    results.push(map(entry));
  }
  return results;
}

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
