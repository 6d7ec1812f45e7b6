import { perRequest } from '../../core/runtime/per-request.ts';
import type { CallFailure } from './failure.ts';

/** What failures may cost a request (ms), all its calls together: failed attempts, and the pauses behind them. */
const mostMs = 10_000;
const firstPauseMs = 300;
/** An attempt that can be repeated is given up sooner (ms). */
const attemptMs = { repeatable: 5_000, other: 10_000 };

/** The time that the calls of one request lose on failures; what they lose at the same time counts once. */
export class Patience {
  private lost = 0;
  private lostUntil = -Infinity;

  /** What is left of it (ms). */
  left(): number {
    return Math.max(0, mostMs - this.lost);
  }

  lose(from: number, until: number): void {
    this.lost += Math.max(0, until - Math.max(from, this.lostUntil));
    this.lostUntil = Math.max(until, this.lostUntil);
  }
}

export const patienceOf = perRequest(() => new Patience());

/** For how long (ms) an attempt is waited for. */
export const attemptTime = (repeatable: boolean, left: number): number =>
  Math.min(left, repeatable ? attemptMs.repeatable : attemptMs.other);

/**
 * The pause (ms) before another attempt: twice the one before, by chance up to a fifth longer, and no shorter than the service asks for.
 * Undefined where there is to be none. `failed`: how many attempts have.
 */
export function pauseBehind(
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
