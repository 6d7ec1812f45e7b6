import type { Caller } from '../access/caller.ts';
import { AppError } from '../core/kernel/errors.ts';
import { rateLimited, type RateLimiter } from '../core/runtime/rate-limit.ts';
import type { RequestReport } from '../core/runtime/request-report.ts';

/** The highest cost of one request: two million values, about 2 s of work. */
export const maxCost = 800;

/** The charge of a request, whether it may run or not. */
export class RequestCost {
  /** In the unit of the rate limit. */
  cost = 1;
  readonly #report: RequestReport;
  readonly #highest: number;

  constructor(report: RequestReport, highest: number) {
    this.#report = report;
    this.#highest = highest;
  }

  /** Sets the cost of a request that may run. Throws when it is too high; the cost set before is charged then. */
  settle(cost: number): void {
    this.#report.cost = cost;
    if (cost > this.#highest) {
      this.#report.costRefused = true;
      throw tooCostly(cost, this.#highest);
    }
    this.cost = cost;
  }
}

/** The checks of all faces before anything of a request runs. */
export interface Admission {
  /** Runs a decision on a request and charges the caller by its bill. Throws RATE_LIMITED, or else the error of the decision. */
  decide<T>(caller: Caller, decision: (bill: RequestCost) => T): T;
  readonly enter: ExpensiveQueue;
}

/** Callers are known by their token, where they have one, else by their address. */
export function createAdmission(limiter: RateLimiter | undefined): Admission {
  const highest = Math.min(maxCost, limiter?.perMinute ?? maxCost);

  const charge = ({ viewer, address }: Caller, cost: number): void => {
    const wait = limiter?.(viewer?.key ?? address, Math.min(cost, highest)) ?? 0;
    if (wait > 0) throw rateLimited(wait);
  };

  return {
    enter: createExpensiveQueue(),
    decide(caller, decision) {
      const bill = new RequestCost(caller.report, highest);
      try {
        return decision(bill);
      } finally {
        // RATE_LIMITED takes the place of whatever was decided.
        charge(caller, bill.cost);
      }
    },
  };
}

function tooCostly(actual: number, max: number): AppError {
  const message = `This operation costs ${actual}; one may cost at most ${max}. Ask for fewer fields, a smaller "first", or less input, or send it in several requests.`;
  return new AppError('BAD_USER_INPUT', 'tooMany', message, [
    { path: [], reason: 'tooMany', message, params: { max, actual } },
  ]);
}

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

function createExpensiveQueue(): ExpensiveQueue {
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
