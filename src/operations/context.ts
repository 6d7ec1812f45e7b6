import type { Caller, Viewer } from '../access/permissions.ts';
import { AppError } from '../core/errors.ts';
import {
  CallerGoneError,
  createExpensiveQueue,
  rateLimited,
  type RateLimiter,
  WorkBudget,
} from '../core/runtime/limits.ts';
import type { Log } from '../core/runtime/log.ts';
import { createSerialQueue, type SerialQueue } from '../core/runtime/event-loop.ts';
import type { StreamRequest } from '../core/runtime/watch.ts';

/** The request that operations run for. Loaders cache by this object, for as long as the request lasts. */
export interface OperationContext {
  /** Who asks. Throws UNAUTHENTICATED where there is no token. */
  caller(): Viewer;
  /** The stream to be filled; for operations of the kind `stream` only. Throws when the caller has too many of them. */
  stream(): StreamRequest;
  /** What the request may spend; shared by all its operations. */
  readonly budget: WorkBudget;
  /** For reads of many records: those of one request run one after the other. */
  readonly readQueue: SerialQueue;
}

// A class with getters: the queue is made only for requests that need it.
export class RequestContext implements OperationContext {
  readonly requestId: string;
  readonly log: Log;
  readonly budget: WorkBudget;
  // Not `#private`: Apollo Server clones the context, and a clone has no private members.
  private readonly viewer: Viewer | undefined;
  private readonly openStream: Caller['openStream'];
  private madeQueue: SerialQueue | undefined;

  constructor({ requestId, viewer, log, openStream, isOver }: Caller) {
    this.requestId = requestId;
    this.viewer = viewer;
    this.log = log;
    this.openStream = openStream;
    this.budget = new WorkBudget(isOver);
  }

  caller(): Viewer {
    if (!this.viewer) throw new AppError('UNAUTHENTICATED', 'authError', 'This needs a token.');
    return this.viewer;
  }

  stream(): StreamRequest {
    if (!this.openStream) throw new Error('this request cannot open a stream');
    return this.openStream();
  }

  get readQueue(): SerialQueue {
    return (this.madeQueue ??= createSerialQueue(() => this.budget.throwIfGone()));
  }
}

/** The highest cost of one request: two million values, about 2 s of work. */
const maxCost = 800;

/** Number of errors that take as long to answer as 1 unit of cost. */
const errorsPerUnit = 25;

/** The charge of a request, whether it may run or not. */
interface RequestCost {
  /** In the unit of the rate limit; 1 at first. */
  cost: number;
  /** Sets the cost of a request that may run. Throws when it is too high; the cost set before is charged then. */
  settle(cost: number): void;
}

/** Charges a request while it runs. */
export interface Meter {
  /** To be awaited before an expensive request runs. */
  readonly ready: Promise<unknown> | undefined;
  /** Charges more than was known before, for so many entries of something with this name. To be awaited before it runs. Throws when it is too much, or the request has ended. */
  spend(more: number, what: string, entries: number): Promise<unknown> | undefined;
  /** Ends the request. */
  leave(): void;
}

export type Admission = ReturnType<typeof createAdmission>;

/** The checks of all faces before anything of a request runs. Callers are known by their token, where they have one, else by their address. */
export function createAdmission(limiter: RateLimiter | undefined) {
  const highest = Math.min(maxCost, limiter?.perMinute ?? maxCost);
  const tryCharge = ({ viewer, address }: Caller, cost: number): number =>
    limiter?.(viewer?.key ?? address, Math.min(cost, highest)) ?? 0;
  const charge = (caller: Caller, cost: number): void => {
    const wait = tryCharge(caller, cost);
    if (wait > 0) throw rateLimited(wait);
  };
  const enter = createExpensiveQueue();
  return {
    /** Opens the meter of a request that runs, with the cost that was charged. */
    openMeter: (caller: Caller, cost: number): Meter => {
      let total = cost;
      let place = enter(cost);
      let isOver = false;
      return {
        ready: place,
        spend(more, what, entries) {
          if (isOver) throw new CallerGoneError();
          if (total + more > highest) {
            caller.report.costRefused = true;
            charge(caller, Math.ceil(entries / errorsPerUnit));
            throw tooCostly(total + more, highest, what);
          }
          if (more > 0) charge(caller, more);
          caller.report.cost = total += more;
          return (place ??= enter(total));
        },
        leave() {
          isOver = true;
          void place?.then((leave) => leave(caller.sent?.() ?? Promise.resolve()));
        },
      };
    },
    /** Charges what a decided request costs once more. Returns 0, or the seconds to wait when too little is left. */
    tryCharge,
    /** Runs a decision on a request and charges the caller by its bill. Throws RATE_LIMITED, or else the error of the decision. */
    decide<T>(caller: Caller, decision: (bill: RequestCost) => T): T {
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

function tooCostly(actual: number, max: number, what?: string): AppError {
  const message =
    what === undefined
      ? `This operation costs ${actual}; one may cost at most ${max}. Ask for fewer fields, a smaller "first", or less input, or send it in several requests.`
      : `With the field ${what} this operation costs ${actual}; one may cost at most ${max}. Ask for fewer fields or a smaller "first", or for some of the objects in a request of its own, each under an alias.`;
  return new AppError('BAD_USER_INPUT', 'tooMany', message, [
    { path: [], reason: 'tooMany', message, params: { max, actual } },
  ]);
}
