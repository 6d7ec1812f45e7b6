import { AppError } from '../../../core/kernel/errors.ts';
import { isConflict } from '../failures.ts';

/** Does what one node is needed for, and again later where the node is away: nothing else waits for it. */
export type Patience = (work: () => Promise<void>) => Promise<void>;

const againMs = 1000;
/** Behind this time, leases are over: others attempt the deliveries again. */
export const longestMs = 10 * 60_000;
const most = 1000;

export const isAway = (error: unknown): boolean => error instanceof AppError && error.code === 'UNAVAILABLE';

/** Others were faster, which is over at once. */
const wasSlower = (error: unknown): boolean => isAway(error) && isConflict((error as AppError).cause);
const mostAtOnce = 5;

async function attempted(work: () => Promise<void>): Promise<void> {
  for (let left = mostAtOnce; ; left -= 1) {
    try {
      return await work();
    } catch (error) {
      if (left === 0 || !wasSlower(error)) throw error;
    }
  }
}

/** What fails for another reason than that a node is away, or is one too many, fails at once. */
export function createPatience(pauseMs = againMs): Patience {
  let waiting: { readonly work: () => Promise<void>; readonly until: number }[] = [];
  let timer: NodeJS.Timeout | undefined;

  async function again(): Promise<void> {
    const now = performance.now();
    const tried = waiting;
    waiting = [];
    for (const one of tried) {
      try {
        await one.work();
      } catch (error) {
        if (isAway(error) && now < one.until) waiting.push(one);
      }
    }
    timer = undefined;
    if (waiting.length > 0) start();
  }

  function start(): void {
    timer ??= setTimeout(() => void again(), pauseMs);
    timer.unref();
  }

  return async (work) => {
    try {
      await attempted(work);
    } catch (error) {
      if (!isAway(error) || waiting.length >= most) throw error;
      waiting.push({ work, until: performance.now() + longestMs });
      start();
    }
  };
}
