import { AppError } from '../../core/kernel/errors.ts';
import { Counts } from '../../core/runtime/counts.ts';

export interface StreamLimits {
  /** How many streams are open at once: in all, and of one caller. */
  readonly total: number;
  readonly perCaller: number;
  /** How often (ms) an open stream costs its caller a unit of the rate limit, and its token is verified again. */
  readonly checkMs: number;
  /** How long (ms) a client may take to read one event. */
  readonly stallMs: number;
}

export const streamLimits: StreamLimits = { total: 2000, perCaller: 20, checkMs: 60_000, stallMs: 15_000 };

/** Bounds the number of open streams. Returns the function that frees the slot, to be called once; throws when no slot is left. */
export function createStreamSlots({ total, perCaller }: StreamLimits): (caller: string) => () => void {
  const counts = new Counts();
  let open = 0;
  return (caller) => {
    if (counts.of(caller) >= perCaller) {
      const message = `You have ${perCaller} streams open, as many as one caller may have. Close one first.`;
      throw new AppError('RATE_LIMITED', 'rateLimitExceeded', message, [], { retryAfter: 60 });
    }
    if (open >= total)
      throw new AppError(
        'UNAVAILABLE',
        'backendError',
        'Too many streams are open at the moment. Try again later.',
      );
    counts.add(caller);
    open += 1;
    return () => {
      open -= 1;
      counts.take(caller);
    };
  };
}
