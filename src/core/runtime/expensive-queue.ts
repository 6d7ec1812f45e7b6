import { AppError } from '../kernel/errors.ts';

/** From this cost on an operation is expensive: its answer may have megabytes. 250 events with all their fields cost 61. */
const expensiveCost = 100;
/** So many of them run, or are being sent, at the same time; the others wait in line. */
const maxRunning = 4;
const maxWaiting = 200;
/** How long (ms) an answer that is read slowly holds up the others. */
const maxSendingMs = 5_000;

/** Ends an expensive operation: to be called with a promise that resolves when its answer is sent. */
export type Leave = (sent: Promise<void>) => void;

/** Bounds how many expensive operations run at the same time; undefined for one that need not wait. */
export type ExpensiveQueue = (cost: number) => Promise<Leave> | undefined;

export function createExpensiveQueue(): ExpensiveQueue {
  let running = 0;
  const waiting: (() => void)[] = [];

  const leave: Leave = (sent) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, maxSendingMs)));
    void Promise.race([sent, late]).finally(() => {
      clearTimeout(timer);
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    });
  };

  return (cost) => {
    if (cost < expensiveCost) return undefined;
    if (running < maxRunning) {
      running += 1;
      return Promise.resolve(leave);
    }
    if (waiting.length >= maxWaiting) throw busy();
    return new Promise((resolve) => waiting.push(() => resolve(leave)));
  };
}

const busy = (): AppError =>
  new AppError(
    'UNAVAILABLE',
    'backendError',
    'Too many large operations are waiting. Try again later, or ask for less at once.',
    [],
    { retryAfter: 5 },
  );
