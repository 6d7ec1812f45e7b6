import type { Caller, Viewer } from '../access/permissions.ts';
import { AppError } from '../core/errors.ts';
import {
  CallerGoneError,
  createExpensiveQueue,
  rateLimitedError,
  type RateLimiter,
  WorkBudget,
} from '../core/runtime/limits.ts';
import type { Log } from '../core/runtime/log.ts';
import { createSerialQueue, type SerialQueue } from '../core/runtime/event-loop.ts';
import type { StreamRequest } from '../core/runtime/streams.ts';

/** Context of one request of any face. */
export class RequestContext {
  readonly requestId: string;
  readonly log: Log;
  /** Budget of the request's work; it also stops the work if the caller is gone. */
  readonly budget: WorkBudget;
  /** Charges for work whose cost is known only while the operation runs. */
  readonly meter: Meter | undefined;
  // Not `#private`: Apollo Server clones the context, and edges read with contexts that have the clone as their prototype.
  private readonly requestCaller: Caller;
  private serialQueue: SerialQueue | undefined;

  constructor(caller: Caller, meter?: Meter) {
    this.requestId = caller.requestId;
    this.log = caller.log;
    this.budget = new WorkBudget(caller.isOver);
    this.meter = meter;
    this.requestCaller = caller;
  }

  /** Returns the caller. Throws UNAUTHENTICATED without a token. */
  caller(): Viewer {
    const { viewer } = this.requestCaller;
    if (!viewer) throw new AppError('UNAUTHENTICATED', 'authError', 'This needs a token.');
    return viewer;
  }

  /** Opens the stream of an operation of kind `stream`. Throws if the caller has too many streams. */
  stream(): StreamRequest {
    const { openStream } = this.requestCaller;
    if (!openStream) throw new Error('this request cannot open a stream');
    return openStream();
  }

  /** Charges the rate limit for an operation that does the work of `count` root fields. Throws RATE_LIMITED. */
  chargeRootFields(count: number): void {
    this.meter?.chargeExtraRootFields(count);
  }

  /** Gives the request this time (ms), instead of the usual one. */
  allowMs(ms: number): void {
    this.requestCaller.setTimeLimitMs?.(ms);
  }

  /** Queue in which reads of many records run one after the other. */
  get readQueue(): SerialQueue {
    return (this.serialQueue ??= createSerialQueue(() => this.budget.throwIfGone()));
  }
}

/** Context of the request that operations run for. Loaders cache by this object. */
export type OperationContext = Pick<
  RequestContext,
  'caller' | 'stream' | 'chargeRootFields' | 'allowMs' | 'budget' | 'readQueue'
>;

/** Maximum cost of a request: two million values, about 2 s of work. */
const maxCost = 800;

/** Number of errors that take as long to write as 1 unit of cost. */
const errorsPerUnit = 25;

/** Charge of a request, whether or not it may run. */
interface RequestCost {
  /** Units of the rate limit; initially 1. */
  cost: number;
  /** Sets the cost of an authorized request. Throws if it is too high; then the previous cost is charged. */
  setCost(cost: number): void;
}

/** Charges the costs of a request while it runs. */
export interface Meter {
  /** Resolves when an expensive request may run; undefined for cheap requests. */
  readonly ready: Promise<unknown> | undefined;
  /**
   * Charges additional cost for `entryCount` objects of a field. Await the result before the work. Throws if
   * the total is too high or the request has ended.
   */
  charge(extraCost: number, fieldName: string, entryCount: number): Promise<unknown> | undefined;
  /** Charges the rate limit for a root field that counts as `count` of them, whatever one request may cost. Throws RATE_LIMITED. */
  chargeExtraRootFields(count: number): void;
  /** Ends the charges. An expensive request leaves the queue when its response was sent. */
  close(): void;
}

/** Checks and charges that apply before requests run. */
export type Admission = ReturnType<typeof createAdmission>;

/** Creates the checks and charges that apply before a request runs. Callers are identified by token, or else by address. */
export function createAdmission(limiter: RateLimiter | undefined) {
  const maxRequestCost = Math.min(maxCost, limiter?.maxCostPerWindow ?? maxCost);
  const tryCharge = ({ viewer, address }: Caller, cost: number, maxCharge = maxRequestCost): number =>
    limiter?.(viewer?.key ?? address, Math.min(cost, maxCharge)) ?? 0;
  const chargeCaller = (caller: Caller, cost: number, max?: number): void => {
    const waitSeconds = tryCharge(caller, cost, max);
    if (waitSeconds > 0) throw rateLimitedError(waitSeconds);
  };
  const enterQueue = createExpensiveQueue();
  return {
    /** Opens the meter of an admitted request; `cost` has been charged. */
    openMeter: (caller: Caller, cost: number): Meter => {
      let totalCost = cost;
      let queueSlot = enterQueue(cost);
      let isClosed = false;
      return {
        ready: queueSlot,
        charge(extraCost, fieldName, entryCount) {
          if (isClosed) throw new CallerGoneError();
          if (totalCost + extraCost > maxRequestCost) {
            caller.report.isCostRefused = true;
            chargeCaller(caller, Math.ceil(entryCount / errorsPerUnit));
            throw tooCostlyError(totalCost + extraCost, maxRequestCost, fieldName);
          }
          if (extraCost > 0) chargeCaller(caller, extraCost);
          caller.report.cost = totalCost += extraCost;
          return (queueSlot ??= enterQueue(totalCost));
        },
        chargeExtraRootFields(count) {
          // More than a minute's units could never be charged.
          const max = Math.max(0, (limiter?.maxCostPerWindow ?? Infinity) - totalCost);
          chargeCaller(caller, Math.max(0, count - 1), max);
        },
        close() {
          isClosed = true;
          void queueSlot?.then((releaseSlotAfter) =>
            releaseSlotAfter(caller.waitUntilSent?.() ?? Promise.resolve()),
          );
        },
      };
    },
    /** Waits for a turn if the cost is high. The result releases it after a promise; undefined for cheap work. */
    enterQueue,
    /** Charges a cost. Returns 0, or the seconds to wait if the rate limit is exceeded. */
    tryCharge,
    /** Decides on a request and charges its cost, even if the decision throws. Throws RATE_LIMITED first. */
    decide<T>(caller: Caller, decision: (requestCost: RequestCost) => T): T {
      const { report } = caller;
      const requestCost: RequestCost = {
        cost: 1,
        setCost(cost) {
          report.cost = cost;
          report.isCostRefused = cost > maxRequestCost;
          if (cost > maxRequestCost) throw tooCostlyError(cost, maxRequestCost);
          this.cost = cost;
        },
      };
      try {
        return decision(requestCost);
      } finally {
        chargeCaller(caller, requestCost.cost); // RATE_LIMITED replaces any other outcome
      }
    },
  };
}

function tooCostlyError(actual: number, max: number, fieldName?: string): AppError {
  const message =
    fieldName === undefined
      ? `This operation costs ${actual}; one may cost at most ${max}. Ask for fewer fields, a smaller "first", or less input, or send it in several requests.`
      : `With the field ${fieldName} this operation costs ${actual}; one may cost at most ${max}. Ask for fewer fields or a smaller "first", or for some of the objects in a request of its own, each under an alias.`;
  return new AppError('BAD_USER_INPUT', 'tooMany', message, [
    { path: [], reason: 'tooMany', message, params: { max, actual } },
  ]);
}
