/** Time (ms) that requests may use in one iteration of the event loop. The others continue in the next one. */
const sliceMs = 10;
/** Waiting tasks scheduled per iteration. The slice may end before all of them have run. */
const maxScheduled = 100;

/** Shares the event loop between requests, in order. Without slices, a hundred requests could run in a single iteration. */
export function createEventLoop(now: () => number = () => performance.now()) {
  const waitingTasks: (() => void)[] = [];
  let sliceStart: number | undefined;

  /** True if the slice of this iteration is used up. The first call in an iteration starts the slice. */
  const isSliceOver = (): boolean => {
    if (sliceStart !== undefined) return now() - sliceStart > sliceMs;
    sliceStart = now();
    setImmediate(endSlice);
    return false;
  };

  const endSlice = (): void => {
    sliceStart = undefined;
    // Separate immediates: the microtasks of a resumed task run before the next task checks the slice.
    for (let count = Math.min(waitingTasks.length, maxScheduled); count > 0; count -= 1)
      setImmediate(resumeNext);
  };

  const resumeNext = (): void => {
    if (waitingTasks.length > 0 && !isSliceOver()) waitingTasks.shift()?.();
  };

  const wait = (): Promise<void> => new Promise((resolve) => waitingTasks.push(resolve));

  return {
    /** Await this before a task begins. Undefined if the task may begin at once. */
    enter: (): Promise<void> | undefined => (isSliceOver() || waitingTasks.length > 0 ? wait() : undefined),
    /** Await this within a long task, to let others run. */
    yield: (): Promise<void> => {
      isSliceOver(); // Starts a slice if there is none: the end of the slice resumes waiting tasks.
      return wait();
    },
  };
}

/** The event loop of this process, which all requests share. */
export const eventLoop = createEventLoop();

/** Maps the entries of a list and lets other requests run in between. */
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

/** Runs tasks one after the other and yields to other requests in between. */
export type SerialQueue = <T>(task: () => Promise<T>) => Promise<T>;

/** Creates a queue. `throwIfGone` is called before each task and throws if the task must not begin. */
export function createSerialQueue(throwIfGone: () => void): SerialQueue {
  let previousTask: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = previousTask.then(() => {
      throwIfGone();
      return task();
    });
    previousTask = result.then(eventLoop.yield, eventLoop.yield);
    return result;
  };
}
