import type { Clock } from '../../core/runtime/clock.ts';

/** How long nothing is tried at a server that cannot be used. */
export interface Outage {
  /** Epoch milliseconds. Attempts that fail while nothing is to be tried began before that: they make no pause longer. */
  failed(): number;
  over(): void;
}

export function createOutage(
  clock: Clock,
  { first, longest }: { readonly first: number; readonly longest: number },
): Outage {
  let pause = 0;
  let until = -Infinity;
  return {
    failed() {
      if (clock() < until) return until;
      pause = pause === 0 ? first : Math.min(pause * 2, longest);
      return (until = clock() + pause);
    },
    over: () => void (pause = 0),
  };
}
