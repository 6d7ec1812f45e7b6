import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '../../core/errors.ts';
import { isFields } from '../../core/patch.ts';
import { perRequest, type RequestKey } from '../../core/runtime/limits.ts';
import { retryAfterMs } from '../../core/text/retry-after.ts';
import { type Answer, type Reply, ServiceRefusal, type Verb } from './exchange.ts';
import { CallFailure, type FailureReason } from './failure.ts';

/** Reasons of a refusal that say nothing of the call. */
const reasons: Readonly<Record<string, FailureReason>> = {
  rateLimitExceeded: 'rateLimited',
  userRateLimitExceeded: 'rateLimited',
  quotaExceeded: 'quotaExceeded',
  dailyLimitExceeded: 'quotaExceeded',
  accessNotConfigured: 'accessNotConfigured',
};
const longestWords = 300;

/** Reads an answer. Throws a CallFailure, a ServiceRefusal or UNAUTHENTICATED for one that is no reply. */
export function replyOf({ status, etag, retryAfter, text }: Answer, verb: Verb, now: number): Reply {
  if (status >= 200 && status < 300) return { status, etag, body: bodyOf(status, text, verb) };
  const failure = failureOf({ status, retryAfter }, now);
  if (failure && status !== 429) throw failure;
  if (status === 401)
    throw new AppError(
      'UNAUTHENTICATED',
      'authError',
      'The service behind the gateway does not accept the token. Get a new one.',
    );
  const refusal = refusalOf(status, text);
  const reason = status === 403 || status === 429 ? reasons[refusal.reason] : undefined;
  throw reason === undefined
    ? (failure ?? refusal)
    : new CallFailure(reason, { status, wait: waitOf(retryAfter, now) });
}

/** Classifies a failure by its status alone. */
export function failureOf(
  { status, retryAfter }: Pick<Answer, 'status' | 'retryAfter'>,
  now: number,
): CallFailure | undefined {
  if (status < 400) return new CallFailure('unexpected', { status });
  const reason =
    status === 429 ? 'rateLimited' : status >= 500 || status === 408 ? 'backendError' : undefined;
  return reason && new CallFailure(reason, { status, wait: waitOf(retryAfter, now) });
}

const waitOf = (retryAfter: string | undefined, now: number): number =>
  retryAfter === undefined ? 0 : Math.max(0, retryAfterMs(retryAfter, now));

/** Whatever has a body has an object. */
function bodyOf(status: number, text: string, verb: Verb): object | undefined {
  if (text === '' && verb === 'DELETE') return undefined;
  const body = jsonOf(text);
  if (body === undefined) throw new CallFailure('malformed', { status });
  return body;
}

/** Undefined for what is no object. */
export function jsonOf(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

interface ErrorBody {
  readonly error?: {
    readonly message?: unknown;
    readonly errors?: readonly {
      readonly reason?: unknown;
      readonly message?: unknown;
      readonly location?: unknown;
    }[];
  };
}

function refusalOf(status: number, text: string): ServiceRefusal {
  const { error } = (jsonOf(text) ?? {}) as ErrorBody;
  const first = error?.errors?.[0];
  const { reason, location } = first ?? {};
  const words = [first?.message, error?.message].find((one) => typeof one === 'string');
  // A reason is a word: nothing else of an answer gets into the log.
  const word = typeof reason === 'string' && /^[A-Za-z]{1,64}$/.test(reason) ? reason : '';
  return new ServiceRefusal(
    status,
    word,
    words?.slice(0, longestWords) ?? '',
    typeof location === 'string' ? location : undefined,
  );
}

/** Time (ms) that failed attempts, and the pauses behind them, may cost a request with all its calls. */
const mostMs = 10_000;
const firstPauseMs = 300;
/** An attempt that can be repeated is given up sooner (ms). */
const attemptMs = { repeatable: 5_000, other: 10_000 };

/** The time that the calls of one request lose on failures; what they lose at the same time counts once. */
class RetryBudget {
  private lost = 0;
  private lostUntil = -Infinity;

  /** Time that is left (ms). */
  left(): number {
    return Math.max(0, mostMs - this.lost);
  }

  lose(from: number, until: number): void {
    this.lost += Math.max(0, until - Math.max(from, this.lostUntil));
    this.lostUntil = Math.max(until, this.lostUntil);
  }
}

const patienceOf = perRequest(() => new RetryBudget());

/** For how long (ms) an attempt is waited for. */
const attemptTime = (repeatable: boolean, left: number): number =>
  Math.min(left, repeatable ? attemptMs.repeatable : attemptMs.other);

/**
 * The pause (ms) before another attempt: twice the one before, by chance up to a fifth longer, and no shorter than the service asks for.
 * Undefined where there is to be none. `failed`: how many attempts have.
 */
function pauseBehind(
  failure: CallFailure,
  {
    failed,
    repeatable,
    left,
    chance,
  }: {
    readonly failed: number;
    readonly repeatable: boolean;
    readonly left: number;
    readonly chance: number;
  },
): number | undefined {
  const { passes, maybeDone } = failure.rule;
  if (!passes || (maybeDone && !repeatable)) return undefined;
  const pause = Math.max(firstPauseMs * 2 ** (failed - 1) * (1 + chance / 5), failure.wait);
  return pause < left ? pause : undefined;
}

const mostFailures = 5;
/** How often a service that is away is tried (ms). */
const probeMs = 10_000;

/** The moment at which a call was let through: how often the service had answered by then. */
type Entry = number;

/** Lets no call through to a service that is away, save one from time to time. */
interface Circuit {
  /** Throws where the call is not to be made. */
  enter(now: number): Entry;
  /** The service has answered an attempt. */
  answered(): void;
  /**
   * A call has failed after all its tries. It counts where nothing was answered since it was let through, and once for all calls
   * of a request: what always fails at one thing is not away.
   */
  failed(entry: Entry, request: RequestKey, now: number): void;
}

export function createCircuit(): Circuit {
  const failed = new Set<RequestKey>();
  let answers = 0;
  let nextProbe = 0;
  const isOpen = (): boolean => failed.size === mostFailures;
  return {
    enter(now) {
      if (isOpen()) {
        if (now < nextProbe) throw new CallFailure('circuitOpen', { wait: nextProbe - now });
        // The next one is let through later, whatever becomes of this one.
        nextProbe = now + probeMs;
      }
      return answers;
    },
    answered() {
      answers += 1;
      failed.clear();
    },
    failed(entry, request, now) {
      if (entry !== answers || isOpen()) return;
      failed.add(request);
      nextProbe = now + probeMs;
    },
  };
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

/** Makes a call, again where that helps, as long as its request has patience. Rejects with the failure that is left over. */
export async function attempted<T>(
  work: Attempts<T>,
  { circuit, figures, waiting }: AttemptParts,
): Promise<T> {
  const patience = patienceOf(work.request);
  const entry = circuit.enter(waiting.now());
  let again = false;
  for (let failed = 1; ; failed += 1) {
    const from = waiting.now();
    try {
      return await once(work, patience, again, { circuit, figures, waiting });
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      again ||= error.maybeDone;
      patience.lose(from, waiting.now());
      const pause = pauseBehind(error, {
        failed,
        repeatable: work.repeatable,
        left: patience.left(),
        chance: waiting.chance(),
      });
      const giveUp = (failure: CallFailure): never => {
        if (error.rule.away) circuit.failed(entry, work.request, waiting.now());
        failure.maybeDone ||= again;
        throw failure;
      };
      if (pause === undefined) return giveUp(error);
      patience.lose(waiting.now(), waiting.now() + pause);
      figures.retried(work.service, work.method, error.reason);
      await waiting.pause(pause, work.signal).catch(() => giveUp(new CallFailure('gone')));
    }
  }
}

async function once<T>(
  work: Attempts<T>,
  patience: RetryBudget,
  again: boolean,
  { circuit, figures, waiting }: AttemptParts,
): Promise<T> {
  const { service, method, repeatable } = work;
  const timeout = attemptTime(repeatable, patience.left());
  if (timeout === 0) throw new CallFailure('timeUsedUp');
  const from = waiting.now();
  const end = (status: string, away: boolean): void => {
    if (!away) circuit.answered();
    figures.attempted(service, method, status, (waiting.now() - from) / 1000);
  };
  let answer: Answer | undefined;
  try {
    answer = await work.send(timeout);
    const value = work.judge(answer, again);
    end(`${answer.status}`, false);
    return value;
  } catch (error) {
    const failure = error instanceof CallFailure ? error : undefined;
    // Who has left says nothing of the service.
    if (failure?.reason !== 'gone')
      end(`${answer?.status ?? failure?.reason ?? 'internalError'}`, failure?.rule.away ?? false);
    throw error;
  }
}
