import { hash } from 'node:crypto';
import { AppError, serviceUnavailableError } from '../errors.ts';
import type { Clock } from './clock.ts';

const minuteMs = 60_000;
/** Limit of tracked callers. The oldest rate-limit window is evicted first. */
const maxCallers = 100_000;
/** Longer caller names are stored as a digest. With `maxCallers` this bounds the memory (about 25 MB). */
const maxNameLength = 64;

/** Charges the cost of requests to callers; see `createRateLimiter`. */
export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Creates a rate limiter of this process: fixed windows, by default of one minute, each starting with a caller's first request. */
export function createRateLimiter(maxCostPerWindow: number, clock: Clock, windowMs = minuteMs) {
  const windows = new Map<string, { start: number; usedCost: number }>();
  /**
   * Spends `cost` of a caller's budget. Returns 0, or the seconds to wait; `Infinity` for a cost above the whole budget.
   * A cost of 0 only checks that the budget is not exhausted.
   */
  const charge = (caller: string, cost: number): number => {
    if (cost > maxCostPerWindow) return Infinity;
    const now = clock();
    for (const [key, { start }] of windows) {
      if (now - start < windowMs) break;
      windows.delete(key);
    }
    const name = caller.length > maxNameLength ? hash('sha256', caller, 'base64url') : caller;
    const window = windows.get(name) ?? { start: now, usedCost: 0 };
    if (window.usedCost + Math.max(cost, 1) > maxCostPerWindow)
      return Math.max(1, Math.ceil((window.start + windowMs - now) / 1000));
    if (cost === 0) return 0;
    window.usedCost += cost;
    windows.set(name, window);
    const [oldest] = windows.keys();
    if (windows.size > maxCallers && oldest !== undefined) windows.delete(oldest);
    return 0;
  };
  return Object.assign(charge, { maxCostPerWindow });
}

/** Creates the error of an exceeded rate limit. `retryAfter`: in seconds. */
export const rateLimitedError = (
  retryAfter: number,
  message = `Too many requests. Try again in ${retryAfter} s.`,
): AppError => new AppError('RATE_LIMITED', 'rateLimitExceeded', message, [], { retryAfter });

/** Cost from which an operation counts as expensive: its response may be megabytes. A page of 250 events with all fields costs 61. */
const minExpensiveCost = 100;
/** Expensive operations that may run, or send their response, at the same time. */
const maxRunningOperations = 4;
/** Expensive operations that may wait for a slot; further ones are refused. */
const maxWaitingOperations = 200;
const queueFullMessage = 'Too many large operations are waiting. Try again later, or ask for less at once.';
/** Seconds after which a refused client may try again. */
const queueRetrySeconds = 5;
/** Time (ms) after which a response that the client reads slowly no longer holds a slot. */
const maxSendingMs = 5_000;

/** Releases the slot of an expensive operation when `responseSent` resolves. */
type ReleaseSlot = (responseSent: Promise<void>) => void;

/** Creates a limit of concurrent expensive operations. It returns undefined for an operation that is not expensive. */
export function createExpensiveQueue() {
  let runningCount = 0;
  const waitingOperations: (() => void)[] = [];

  const releaseSlot: ReleaseSlot = (responseSent) => {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, maxSendingMs)));
    void Promise.race([responseSent, timeout]).finally(() => {
      clearTimeout(timer);
      const startNext = waitingOperations.shift();
      if (startNext) startNext();
      else runningCount -= 1;
    });
  };

  return (cost: number): Promise<ReleaseSlot> | undefined => {
    if (cost < minExpensiveCost) return undefined;
    if (runningCount < maxRunningOperations) {
      runningCount += 1;
      return Promise.resolve(releaseSlot);
    }
    if (waitingOperations.length >= maxWaitingOperations)
      throw serviceUnavailableError(queueFullMessage, { retryAfter: queueRetrySeconds });
    return new Promise((resolve) => waitingOperations.push(() => resolve(releaseSlot)));
  };
}

/** Work units (about 0.1 ms) of one request: 2,000 look-ups in typical series, or ten in the most expensive ones. */
const maxWork = 4_000;
/** Additional units that `extend` may grant to one request: 2 s of work. */
const maxGrantedWork = 20_000;

/** Ends the work for a disconnected client. Never sent. */
export class CallerGoneError extends AppError {
  constructor() {
    super('UNAVAILABLE', 'backendError', 'The caller has gone.');
  }
}

/** Limits the work of one request that cannot be estimated in advance. Shared by all root fields. */
export class WorkBudget {
  #remainingWork = maxWork;
  #grantedWork = 0;
  readonly #isRequestOver: () => boolean;

  /** `isOver`: true after the response was sent or the client disconnected. */
  constructor(isOver: () => boolean = () => false) {
    this.#isRequestOver = isOver;
  }

  /** Spends units. Throws the error of `createError` if the budget is exhausted, as a partial response would be wrong. */
  spend(units: number, createError: () => AppError): void {
    this.throwIfGone();
    this.#remainingWork -= units;
    if (this.#remainingWork < 0) throw createError();
  }

  /** Grants more units to an operation that handles several items, whose cost counts each of them. */
  extend(work: number): void {
    const grantedWork = Math.min(work, maxGrantedWork - this.#grantedWork);
    this.#grantedWork += grantedWork;
    this.#remainingWork += grantedWork;
  }

  /** Throws CallerGoneError after the response was sent or the client disconnected. */
  throwIfGone(): void {
    if (this.#isRequestOver()) throw new CallerGoneError();
  }
}

/** Counters by key. Keys with a count of 0 take no memory. */
export class Counts {
  readonly #counts = new Map<string, number>();
  total = 0;

  countOf(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string, count = 1): void {
    this.total += count;
    this.#counts.set(key, this.countOf(key) + count);
  }

  /** Reverts an `add` of the same key. */
  subtract(key: string, count = 1): void {
    this.total -= count;
    const remaining = this.countOf(key) - count;
    if (remaining > 0) this.#counts.set(key, remaining);
    else this.#counts.delete(key);
  }
}
