import { hash } from 'node:crypto';
import { AppError, unavailable } from '../errors.ts';
import type { Clock } from './clock.ts';

const windowMs = 60_000;
/** Limit of tracked callers. The oldest rate-limit window is evicted first. */
const maxCallers = 100_000;
/** Longer caller names are stored as a digest. With `maxCallers` this bounds the memory (about 25 MB). */
const maxNameLength = 64;

export type RateLimiter = ReturnType<typeof createRateLimiter>;

/** Rate limiter of this process: fixed windows of one minute, each starting with a caller's first request. */
export function createRateLimiter(perMinute: number, clock: Clock) {
  const windows = new Map<string, { start: number; used: number }>();
  /**
   * Spends `cost` of a caller's budget. Returns 0, or the seconds to wait; `Infinity` for a cost above the whole budget.
   * A cost of 0 only checks that the budget is not exhausted.
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

/** Cost from which an operation counts as expensive: its response may be megabytes. A page of 250 events with all fields costs 61. */
const minExpensiveCost = 100;
/** Expensive operations that may run, or send their response, at the same time. */
const maxRunning = 4;
const maxWaiting = 200;
/** Time (ms) after which a response that the client reads slowly no longer holds a slot. */
const maxSendingMs = 5_000;

/** Releases the slot of an expensive operation when `sent` resolves. */
export type ReleaseSlot = (sent: Promise<void>) => void;

/** Limits concurrent expensive operations. Returns undefined for an operation that is not expensive. */
export type ExpensiveQueue = (cost: number) => Promise<ReleaseSlot> | undefined;

export function createExpensiveQueue(): ExpensiveQueue {
  let running = 0;
  const waiting: (() => void)[] = [];

  const leave: ReleaseSlot = (sent) => {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, maxSendingMs)));
    void Promise.race([sent, timeout]).finally(() => {
      clearTimeout(timer);
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    });
  };

  return (cost) => {
    if (cost < minExpensiveCost) return undefined;
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

/** Work units (about 0.1 ms) of one request: 2,000 look-ups in typical series, or ten in the most expensive ones. */
const maxWork = 4_000;
/** Additional units that `extend` may grant to one request: 2 s of work. */
const maxExtra = 20_000;

/** Ends the work for a disconnected client. Never sent. */
export class CallerGoneError extends AppError {
  constructor() {
    super('UNAVAILABLE', 'backendError', 'The caller has gone.');
  }
}

/** Limits the work of one request that cannot be estimated in advance. Shared by all root fields. */
export class WorkBudget {
  #left = maxWork;
  #extra = 0;
  readonly #isOver: () => boolean;

  /** `isOver`: true after the response was sent or the client disconnected. */
  constructor(isOver: () => boolean = () => false) {
    this.#isOver = isOver;
  }

  /** Spends units. Throws `refusal` if the budget is exhausted, as a partial response would be wrong. */
  take(work: number, refusal: () => AppError): void {
    this.throwIfGone();
    this.#left -= work;
    if (this.#left < 0) throw refusal();
  }

  /** Grants more units to an operation that handles several items, whose cost counts each of them. */
  extend(work: number): void {
    const granted = Math.min(work, maxExtra - this.#extra);
    this.#extra += granted;
    this.#left += granted;
  }

  throwIfGone(): void {
    if (this.#isOver()) throw new CallerGoneError();
  }
}

/** Counters by key. Keys with a count of 0 take no memory. */
export class Counts {
  readonly #counts = new Map<string, number>();
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

/** Identifies one request, as a key of weak maps: the object lives as long as the request. */
export type RequestKey = object;

export function perRequest<T extends object>(make: (request: RequestKey) => T): (request: RequestKey) => T {
  const values = new WeakMap<RequestKey, T>();
  return (request) => {
    let value = values.get(request);
    if (!value) values.set(request, (value = make(request)));
    return value;
  };
}
