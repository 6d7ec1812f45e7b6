import type { Caller } from '../access/caller.ts';
import { AppError } from '../core/kernel/errors.ts';
import { rateLimited, type RateLimiter } from '../core/runtime/rate-limit.ts';
import type { RequestReport } from '../core/runtime/request-report.ts';
import { createExpensiveQueue, type ExpensiveQueue } from './expensive-queue.ts';

/** The highest cost of one request: two million values, about 2 s of work. */
export const maxCost = 800;

/** The charge of a request, whether it may run or not. */
export class Bill {
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
  decide<T>(caller: Caller, decision: (bill: Bill) => T): T;
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
      const bill = new Bill(caller.report, highest);
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
