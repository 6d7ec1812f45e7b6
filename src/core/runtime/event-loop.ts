/** Requests share an iteration of the event loop for at most this long (ms); those left begin in a later iteration. */
const sliceMs = 10;
/** Waiting tasks that are scheduled for one iteration; its slice may be over before all of them ran. */
const maxScheduled = 100;

/** Shares the event loop between requests, first come, first served. */
interface EventLoop {
  /** To be awaited before a task begins: undefined while the current slice lasts, else resolves when the task may begin. */
  readonly enter: () => Promise<void> | undefined;
  /** To be awaited in the middle of a long task: others run before it continues. */
  readonly yield: () => Promise<void>;
}

/**
 * Without slices a hundred requests that arrive together would run one after the other in a single iteration, and so
 * would the continuations of all that yielded in the same iteration.
 */
export function createEventLoop(now: () => number = () => performance.now()): EventLoop {
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
    enter: () => (isSliceOver() || waiting.length > 0 ? wait() : undefined),
    yield: () => {
      isSliceOver(); // starts a slice if there is none: its end resumes those that wait
      return wait();
    },
  };
}

/** The event loop of this process. */
export const eventLoop: EventLoop = createEventLoop();
