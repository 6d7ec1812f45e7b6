import { setTimeout as sleep } from 'node:timers/promises';
import { perRequest, type RequestKey } from '../../core/runtime/limits.ts';
import { type Answer, CallFailure } from './responses.ts';

/** Time (ms) that failed attempts, and the pauses behind them, may cost a request with all its calls. */
const maxLostMs = 10_000;
const firstPauseMs = 300;
/** An attempt that can be repeated is given up sooner (ms). */
const attemptMs = { repeatable: 5_000, other: 10_000 };

/** The time that the calls of one request lose on failures; what they lose at the same time counts once. */
class RetryBudget {
  private lost = 0;
  private lostUntil = -Infinity;

  /** Time that is left (ms). */
  left(): number {
    return Math.max(0, maxLostMs - this.lost);
  }

  lose(from: number, until: number): void {
    this.lost += Math.max(0, until - Math.max(from, this.lostUntil));
    this.lostUntil = Math.max(until, this.lostUntil);
  }
}

const budgetOf = perRequest(() => new RetryBudget());

const maxFailures = 5;
/** How often a service that is away is tried (ms). */
const probeMs = 10_000;

/** Lets no call through to a service that is away, save one from time to time. */
export class Circuit {
  private readonly failedRequests = new Set<RequestKey>();
  private answers = 0;
  private nextProbe = 0;

  private get isOpen(): boolean {
    return this.failedRequests.size === maxFailures;
  }

  /** Throws where the call is not to be made. Returns how often the service has answered by now. */
  enter(now: number): number {
    if (this.isOpen) {
      if (now < this.nextProbe) throw new CallFailure('circuitOpen', { wait: this.nextProbe - now });
      // The next one is let through later, whatever becomes of this one.
      this.nextProbe = now + probeMs;
    }
    return this.answers;
  }

  /** The service has answered an attempt. */
  answered(): void {
    this.answers += 1;
    this.failedRequests.clear();
  }

  /**
   * A call has failed after all its tries. It counts where nothing was answered since it was let through (`entry`), and once
   * for all calls of a request: what always fails at one thing is not away.
   */
  failed(entry: number, request: RequestKey, now: number): void {
    if (entry !== this.answers || this.isOpen) return;
    this.failedRequests.add(request);
    this.nextProbe = now + probeMs;
  }
}

/** What waiting goes by; another one in tests. */
export interface Waiting {
  /** Milliseconds from any moment on, which nobody sets. */
  now(): number;
  pause(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  chance(): number;
}

export const realWaiting: Waiting = {
  now: () => performance.now(),
  pause: (ms, signal) => sleep(ms, undefined, { signal }),
  chance: Math.random,
};

/** Figures of calls to other services. */
export interface CallFigures {
  /** An attempt has ended; `status`: that of its answer, or why there is none. */
  attempted(service: string, method: string, status: string, seconds: number): void;
  retried(service: string, method: string, reason: string): void;
}

interface Attempts<T> {
  readonly service: string;
  readonly method: string;
  readonly request: RequestKey;
  readonly repeatable: boolean;
  readonly signal?: AbortSignal | undefined;
  send(timeout: number): Promise<Answer>;
  /** Throws a CallFailure for an answer that leaves the matter open. `again`: an earlier attempt may have been carried out. */
  judge(answer: Answer, again: boolean): T;
}

interface AttemptParts {
  readonly circuit: Circuit;
  readonly figures: CallFigures;
  readonly waiting: Waiting;
}

/** Makes a call, again where that helps, as long as its request has time for it. Rejects with the failure that is left over. */
export async function attempted<T>(work: Attempts<T>, parts: AttemptParts): Promise<T> {
  const { service, method, request, repeatable, signal } = work;
  const { circuit, figures, waiting } = parts;
  const budget = budgetOf(request);
  const entry = circuit.enter(waiting.now());
  let again = false;
  for (let pause = firstPauseMs; ; pause *= 2) {
    const from = waiting.now();
    try {
      return await once(work, budget.left(), again, parts);
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      const { rule, reason, wait } = error;
      again ||= error.maybeDone;
      budget.lose(from, waiting.now());
      // Pauses are by chance up to a fifth longer, and no shorter than the service asks for.
      const pauseMs = Math.max(pause * (1 + waiting.chance() / 5), wait);
      const giveUp = (failure: CallFailure): never => {
        if (rule.away) circuit.failed(entry, request, waiting.now());
        failure.maybeDone ||= again;
        throw failure;
      };
      const helps = rule.passes && (repeatable || !rule.maybeDone) && pauseMs < budget.left();
      if (!helps) return giveUp(error);
      budget.lose(waiting.now(), waiting.now() + pauseMs);
      figures.retried(service, method, reason);
      await waiting.pause(pauseMs, signal).catch(() => giveUp(new CallFailure('gone')));
    }
  }
}

/** Makes one attempt within the time (ms) that its request has left. */
async function once<T>(
  work: Attempts<T>,
  left: number,
  again: boolean,
  { circuit, figures, waiting }: AttemptParts,
): Promise<T> {
  const { service, method, repeatable } = work;
  if (left === 0) throw new CallFailure('timeUsedUp');
  const from = waiting.now();
  let failure: CallFailure | undefined;
  let status: number | undefined;
  try {
    const answer = await work.send(Math.min(left, repeatable ? attemptMs.repeatable : attemptMs.other));
    status = answer.status;
    return work.judge(answer, again);
  } catch (error) {
    if (error instanceof CallFailure) failure = error;
    throw error;
  } finally {
    // A caller who has left says nothing of the service.
    if (failure?.reason !== 'gone') {
      if (!failure?.rule.away) circuit.answered();
      figures.attempted(
        service,
        method,
        `${status ?? failure?.reason ?? 'internalError'}`,
        (waiting.now() - from) / 1000,
      );
    }
  }
}
