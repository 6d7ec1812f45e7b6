import type { Caller } from '../access/caller.ts';
import { AppError } from '../core/kernel/errors.ts';
import { createExpensiveQueue, type ExpensiveQueue } from '../core/runtime/expensive-queue.ts';
import { rateLimited, type RateLimiter } from '../core/runtime/rate-limit.ts';

/** The highest cost of one request: two million values, about 2 s of work. */
export const maxCost = 800;

/** The charge of a request, whether it may run or not. */
export interface RequestCost {
  /** In the unit of the rate limit; 1 at first. */
  cost: number;
  /** Sets the cost of a request that may run. Throws when it is too high; the cost set before is charged then. */
  settle(cost: number): void;
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
      const { report } = caller;
      const bill: RequestCost = {
        cost: 1,
        settle(cost) {
          report.cost = cost;
          report.costRefused = cost > highest;
          if (cost > highest) throw tooCostly(cost, highest);
          this.cost = cost;
        },
      };
      try {
        return decision(bill);
      } finally {
        charge(caller, bill.cost); // RATE_LIMITED takes the place of whatever was decided
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
