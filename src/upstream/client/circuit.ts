import { CallFailure } from './failure.ts';

const mostFailures = 5;
/** How often a service that is away is tried (ms). */
const probeMs = 10_000;

/** Lets no call through to a service that is away, save one from time to time. */
export interface Circuit {
  /** Throws where the call is not to be made. */
  enter(now: number): void;
  /** Tells how an attempt ended. */
  settle(away: boolean, now: number): void;
}

export function createCircuit(): Circuit {
  let failed = 0;
  let nextProbe = 0;
  return {
    enter(now) {
      if (failed < mostFailures) return;
      if (now < nextProbe) throw new CallFailure('circuitOpen', { wait: nextProbe - now });
      // The next one is let through later, whatever becomes of this one.
      nextProbe = now + probeMs;
    },
    settle(away, now) {
      failed = away ? failed + 1 : 0;
      if (failed === mostFailures) nextProbe = now + probeMs;
    },
  };
}
