import { setTimeout as sleep } from 'node:timers/promises';
import type { RequestKey } from '../../core/runtime/per-request.ts';
import type { Circuit } from './circuit.ts';
import type { Answer } from './exchange.ts';
import { CallFailure } from './failure.ts';
import { attemptTime, patienceOf, pauseBehind, type Patience } from './patience.ts';

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

export interface Attempts<T> {
  readonly service: string;
  readonly method: string;
  readonly request: RequestKey;
  readonly repeatable: boolean;
  readonly signal?: AbortSignal | undefined;
  send(timeout: number): Promise<Answer>;
  /** Throws a CallFailure for an answer that leaves the matter open. `again`: an earlier attempt may have been carried out. */
  judge(answer: Answer, again: boolean): T;
}

export interface AttemptParts {
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
  patience: Patience,
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
