import { AppError } from '../../../core/kernel/errors.ts';

/** From this cost on an operation is dear: its answer may have megabytes. 250 events with all their fields cost 61. */
const dearCost = 100;
/** So many of them run, or are being sent, at the same time; the others wait in line. */
const atOnce = 4;
const mostWaiting = 200;
/** A client that reads slowly does not hold up the others for longer. */
const longestMs = 5_000;

/** Lets a dear operation in when it is its turn: to be called with what resolves when its answer is sent. */
export type Leave = (sent: Promise<void>) => void;

/** Bounds what dear operations take up together; undefined for one that need not wait. */
export type DearLine = (cost: number) => Promise<Leave> | undefined;

export function createDearLine(): DearLine {
  let running = 0;
  const waiting: (() => void)[] = [];

  const leave: Leave = (sent) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, longestMs)));
    void Promise.race([sent, late]).finally(() => {
      clearTimeout(timer);
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    });
  };

  return (cost) => {
    if (cost < dearCost) return undefined;
    if (running < atOnce) {
      running += 1;
      return Promise.resolve(leave);
    }
    if (waiting.length >= mostWaiting) throw busy();
    return new Promise((resolve) => waiting.push(() => resolve(leave)));
  };
}

const busy = (): AppError =>
  new AppError('UNAVAILABLE', 'backendError', 'Too many large operations are waiting. Try again later, or ask for less at once.', [], { retryAfter: 5 });
