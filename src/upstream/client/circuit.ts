import type { RequestKey } from '../../core/runtime/per-request.ts';
import { CallFailure } from './failure.ts';

const mostFailures = 5;
/** How often a service that is away is tried (ms). */
const probeMs = 10_000;

/** The moment at which a call was let through: how often the service had answered by then. */
type Entry = number;

/** Lets no call through to a service that is away, save one from time to time. */
export interface Circuit {
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
