import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../core/runtime/clock.ts';
import { memoizeByObject } from '../../core/memoize.ts';
import type { RequestKey } from '../../core/runtime/request-loader.ts';
import type { Log } from '../../core/runtime/log.ts';
import { type RawResponse, CallFailure } from './responses.ts';

/** Time that failed attempts and their pauses may take from one request, over all its calls. */
const retryBudgetMs = 10_000;
/** Pause before the first retry; doubled before each further one. */
const firstPauseMs = 300;
/** Maximum time of an attempt: shorter if the call can be repeated. */
const attemptTimeoutsMs = { repeatable: 5_000, other: 10_000 };

/** Retry budget of a request: the time its calls lose to failures. Parallel losses count once. */
class RetryBudget {
  private chargedMs = 0;
  private chargedUntil = -Infinity;

  remainingMs(): number {
    return Math.max(0, retryBudgetMs - this.chargedMs);
  }

  /** Charges a period (monotonic ms), except for the part that another call has charged. */
  charge(start: number, end: number): void {
    this.chargedMs += Math.max(0, end - Math.max(start, this.chargedUntil));
    this.chargedUntil = Math.max(end, this.chargedUntil);
  }
}

const budgetOf = memoizeByObject(() => new RetryBudget());

/** Failed requests, without a response in between, that open the circuit. */
const maxFailedRequests = 5;
/** Interval of the calls that are let through an open circuit. */
const probeIntervalMs = 10_000;

/** Circuit breaker: blocks calls to an unavailable service, apart from periodic probes. */
export class Circuit {
  private readonly failedRequests = new Set<RequestKey>();
  private responseCount = 0;
  private nextProbeAt = 0;

  private get isOpen(): boolean {
    return this.failedRequests.size === maxFailedRequests;
  }

  /** Throws if the circuit is open. Returns the number of responses so far, for `recordFailure`. */
  enter(now: number): number {
    if (this.isOpen) {
      if (now < this.nextProbeAt) throw new CallFailure('circuitOpen', { waitMs: this.nextProbeAt - now });
      // The next probe is delayed, however this one ends.
      this.nextProbeAt = now + probeIntervalMs;
    }
    return this.responseCount;
  }

  /** Closes the circuit after a response. */
  recordResponse(): void {
    this.responseCount += 1;
    this.failedRequests.clear();
  }

  /** Counts a failed call unless a response arrived since `enter`; once per request, since one request may always fail. */
  recordFailure(responsesAtEntry: number, request: RequestKey, now: number): void {
    if (responsesAtEntry !== this.responseCount || this.isOpen) return;
    this.failedRequests.add(request);
    this.nextProbeAt = now + probeIntervalMs;
  }
}

/** Source of monotonic time (ms), pauses and randomness; replaced in tests. */
export const systemTimer = {
  now: () => performance.now(),
  pause: (ms: number) => sleep(ms),
  random: Math.random,
};
export type RetryTimer = typeof systemTimer;

interface CallMetrics {
  /** Records an attempt. `status`: status code of the response, or the reason for having none. */
  recordAttempt(service: string, apiMethod: string, status: string, seconds: number): void;
  countRetry(service: string, apiMethod: string, reason: string): void;
}

/** Call that may take several attempts. `T`: its result. */
interface AttemptedCall<T> {
  readonly service: string;
  readonly apiMethod: string;
  readonly request: RequestKey;
  /** Whether the call may be sent again after an unknown outcome. */
  readonly repeatable: boolean;
  send(timeoutMs: number): Promise<RawResponse>;
  /** Reads a response, or throws a CallFailure for one to retry. `mayBeDone`: an earlier attempt may have been carried out. */
  classify(response: RawResponse, mayBeDone: boolean): T;
}

/** Collaborators of all clients of services. */
export interface CallerDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: CallMetrics;
  /** Runs a call in a span of the current trace. `remoteAttributes`: span attributes of the called service. */
  readonly runTraced: <T>(
    name: string,
    remoteAttributes: Readonly<Record<string, string>>,
    work: () => Promise<T>,
  ) => Promise<T>;
  readonly timer?: RetryTimer;
}

interface AttemptDependencies {
  readonly circuit: Circuit;
  readonly metrics: CallMetrics;
  readonly timer: RetryTimer;
}

/** Makes a call, with retries while they may help and the budget of its request lasts. Rejects with the last failure. */
export async function callWithRetries<T>(
  call: AttemptedCall<T>,
  dependencies: AttemptDependencies,
): Promise<T> {
  const { service, apiMethod, request, repeatable } = call;
  const { circuit, metrics, timer } = dependencies;
  const budget = budgetOf(request);
  const responsesBefore = circuit.enter(timer.now());
  let mayBeDone = false;
  for (let backoffMs = firstPauseMs; ; backoffMs *= 2) {
    const startedAt = timer.now();
    try {
      return await attemptOnce(call, budget.remainingMs(), mayBeDone, dependencies);
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      const { rule, reason, waitMs } = error;
      mayBeDone ||= error.mayBeDone;
      budget.charge(startedAt, timer.now());
      // Adds up to 20 % jitter, and respects Retry-After.
      const pauseMs = Math.max(backoffMs * (1 + timer.random() / 5), waitMs);
      const canRetry = rule.isTransient && (repeatable || !rule.mayBeDone) && pauseMs < budget.remainingMs();
      if (!canRetry) {
        if (rule.isUnavailable) circuit.recordFailure(responsesBefore, request, timer.now());
        error.mayBeDone = mayBeDone;
        throw error;
      }
      budget.charge(timer.now(), timer.now() + pauseMs);
      metrics.countRetry(service, apiMethod, reason);
      await timer.pause(pauseMs);
    }
  }
}

/** Makes one attempt, and records it in circuit and metrics. */
async function attemptOnce<T>(
  call: AttemptedCall<T>,
  remainingMs: number,
  mayBeDone: boolean,
  { circuit, metrics, timer }: AttemptDependencies,
): Promise<T> {
  const { service, apiMethod, repeatable } = call;
  if (remainingMs === 0) throw new CallFailure('timeUsedUp');
  const startedAt = timer.now();
  let failure: CallFailure | undefined;
  let status: number | undefined;
  try {
    const response = await call.send(
      Math.min(remainingMs, attemptTimeoutsMs[repeatable ? 'repeatable' : 'other']),
    );
    status = response.status;
    return call.classify(response, mayBeDone);
  } catch (error) {
    if (error instanceof CallFailure) failure = error;
    throw error;
  } finally {
    if (!failure?.rule.isUnavailable) circuit.recordResponse();
    metrics.recordAttempt(
      service,
      apiMethod,
      `${status ?? failure?.reason ?? 'internalError'}`,
      (timer.now() - startedAt) / 1000,
    );
  }
}
