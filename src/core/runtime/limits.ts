import { hash } from 'node:crypto';
import { AppError, unavailable } from '../errors.ts';
import type { Clock } from './clock.ts';

const windowMs = 60_000;
/** Upper bound on tracked callers; the oldest rate-limit window is evicted first. */
const maxCallers = 100_000;
/** Longer names of callers are stored as a digest: with `maxCallers` this bounds the memory (about 25 MB). */
const maxNameLength = 64;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Fixed windows of one minute from a caller's first request on, in this process. `perMinute`: the budget of one caller. */
export function createRateLimiter(perMinute: number, clock: Clock) {
  const windows = new Map<string, { start: number; used: number }>();
  /**
   * Spends `cost` of a caller's budget. Returns 0, or the seconds to wait when too little is left; `Infinity` for a cost
   * above the whole budget. A cost of 0 spends nothing and checks that the budget is not exhausted.
   */
  const take = (caller: string, cost: number): number => {
    if (cost > perMinute) return Infinity;
    const now = clock();
    for (const [key, { start }] of windows) {
      if (now - start < windowMs) break;
      windows.delete(key);
    }
    const name = caller.length > maxNameLength ? hash('sha256', caller, 'base64url') : caller;
    const window = windows.get(name) ?? { start: now, used: 0 };
    if (window.used + Math.max(cost, 1) > perMinute)
      return Math.max(1, Math.ceil((window.start + windowMs - now) / 1000));
    if (cost === 0) return 0;
    window.used += cost;
    windows.set(name, window);
    const [oldest] = windows.keys();
    if (windows.size > maxCallers && oldest !== undefined) windows.delete(oldest);
    return 0;
  };
  return Object.assign(take, { perMinute });
}

/** `retryAfter`: in seconds. */
export const rateLimited = (
  retryAfter: number,
  message = `Too many requests. Try again in ${retryAfter} s.`,
): AppError => new AppError('RATE_LIMITED', 'rateLimitExceeded', message, [], { retryAfter });

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
    if (waiting.length >= maxWaiting)
      throw unavailable('Too many large operations are waiting. Try again later, or ask for less at once.', {
        retryAfter: 5,
      });
    return new Promise((resolve) => waiting.push(() => resolve(leave)));
  };
}

/** Units of about 0.1 ms: 2,000 look-ups of typical series, or ten of the most expensive ones. */
const maxWork = 4_000;

/** The most that is granted to one request beyond that: 2 s of work. */
const maxExtra = 20_000;

/** Ends the work of a request whose client disconnected; it is never sent. */
export class CallerGoneError extends AppError {
  constructor() {
    super('UNAVAILABLE', 'backendError', 'Nobody waits for this answer any more.');
  }
}

/** Bounds the work of one request that cannot be estimated beforehand. Shared by all its root fields. */
export class WorkBudget {
  #left = maxWork;
  #extra = 0;
  readonly #isOver: () => boolean;

  /** `isOver`: whether the response was sent or its client disconnected. */
  constructor(isOver: () => boolean = () => false) {
    this.#isOver = isOver;
  }

  /** Spends units. Throws `refusal` when the budget is exhausted (a partial answer would be wrong), CallerGoneError after a disconnect. */
  take(work: number, refusal: () => AppError): void {
    this.throwIfGone();
    this.#left -= work;
    if (this.#left < 0) throw refusal();
  }

  /** Grants more to an operation that is asked to do, and pays for, more at once. */
  extend(work: number): void {
    const more = Math.min(work, maxExtra - this.#extra);
    this.#extra += more;
    this.#left += more;
  }

  throwIfGone(): void {
    if (this.#isOver()) throw new CallerGoneError();
  }
}

/** Counts what each key holds. Keys that hold nothing take no memory. */
export class Counts {
  readonly #counts = new Map<string, number>();
  /** The sum of all keys. */
  total = 0;

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  add(key: string, count = 1): void {
    this.total += count;
    this.#counts.set(key, this.of(key) + count);
  }

  /** Reverts an `add` of the same key. */
  take(key: string, count = 1): void {
    this.total -= count;
    const left = this.of(key) - count;
    if (left > 0) this.#counts.set(key, left);
    else this.#counts.delete(key);
  }
}

/** An object that stands for one request: it lives as long as the request does. */
export type RequestKey = object;

/** Makes something once for each request; it is forgotten together with the request. */
export function perRequest<T extends object>(make: (request: RequestKey) => T): (request: RequestKey) => T {
  const made = new WeakMap<RequestKey, T>();
  return (request) => {
    let value = made.get(request);
    if (!value) made.set(request, (value = make(request)));
    return value;
  };
}
