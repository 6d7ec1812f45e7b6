/** Calls `onChange` for every change of the resource that `key` names, until `endSignal` is aborted. */
export type Watch = (key: string, endSignal: AbortSignal, onChange: () => void) => void;

/** Key of a change that may concern every resource. */
export const anyKey = '';

/** Shares one watch of a source between followers, while there are any. A change costs as much as its key has followers. */
export function createWatchHub(watch: (onChange: (key: string) => void) => () => void): Watch {
  const followersByKey = new Map<string, Set<() => void>>();
  let stopWatching: (() => void) | undefined;

  const notifyFollowers = (key: string): void => {
    const followerSets = key === anyKey ? [...followersByKey.values()] : [followersByKey.get(key) ?? []];
    for (const group of followerSets) for (const follower of group) follower();
  };

  return (key, endSignal, onChange) => {
    if (endSignal.aborted) return;
    const follower = (): void => onChange(); // A new function, because the same `onChange` may follow twice.
    const keyFollowers = followersByKey.get(key) ?? new Set();
    followersByKey.set(key, keyFollowers.add(follower));
    stopWatching ??= watch(notifyFollowers);
    const removeFollower = (): void => {
      keyFollowers.delete(follower);
      if (keyFollowers.size === 0) followersByKey.delete(key);
      if (followersByKey.size > 0) return;
      stopWatching?.();
      stopWatching = undefined;
    };
    endSignal.addEventListener('abort', removeFollower, { once: true });
  };
}

export type WakeSignal = ReturnType<typeof createWakeSignal>;

/** A wait for one waiter that can be ended early. */
export function createWakeSignal() {
  let isWoken = false;
  let endWait: (() => void) | undefined;
  return {
    /** Ends the current wait, or the next one before it begins. */
    wake(this: void): void {
      isWoken = true;
      endWait?.();
    },
    /** Waits until woken, at most `maxWaitMs`. */
    async wait(this: void, maxWaitMs: number): Promise<void> {
      if (!isWoken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, maxWaitMs);
          endWait = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      endWait = undefined;
      isWoken = false;
    },
  };
}

/** A value of a stream. */
export interface StreamedEvent<T> {
  /** Id to resume from: a line of printable ASCII. Absent in streams that cannot be resumed. */
  readonly id?: string;
  readonly value: T;
}

/**
 * Throttles a stream: `charge` returns 0, or the seconds to wait. Meanwhile only the last event of each key is kept. Events
 * without a key pass at once; refused ones (`isRefused`) are queued again. Errors and the end of the source pass at once;
 * at the end, events that would have to wait are dropped.
 */
export async function* coalesce<T>(
  source: AsyncIterable<T>,
  keyOf: (event: T) => unknown,
  charge: () => number,
  endSignal: AbortSignal,
  isRefused: (event: T) => boolean = () => false,
): AsyncGenerator<T> {
  const events = source[Symbol.asyncIterator]();
  const waitingEvents = new Map<unknown, T>();
  const readNext = (): Promise<IteratorResult<T, unknown>> => {
    const nextRead = events.next();
    nextRead.catch(() => undefined); // Avoids an unhandled rejection: the promise is awaited later, or never.
    return nextRead;
  };
  try {
    let nextRead = readNext();
    while (!endSignal.aborted) {
      const [firstWaitingEntry] = waitingEvents;
      const waitSeconds = firstWaitingEntry ? charge() : Infinity;
      if (firstWaitingEntry && waitSeconds === 0) {
        waitingEvents.delete(firstWaitingEntry[0]);
        yield firstWaitingEntry[1];
        if (isRefused(firstWaitingEntry[1]) && !waitingEvents.has(firstWaitingEntry[0]))
          waitingEvents.set(...firstWaitingEntry);
        continue;
      }
      const pauseSignal = createWakeSignal();
      const result = await Promise.race([
        nextRead,
        ...(firstWaitingEntry ? [pauseSignal.wait(waitSeconds * 1000)] : []),
      ]);
      pauseSignal.wake();
      if (!result) continue;
      if (result.done) break;
      const key = keyOf(result.value);
      if (key === undefined) yield result.value;
      else waitingEvents.set(key, result.value);
      nextRead = readNext();
    }
    for (const event of endSignal.aborted ? [] : waitingEvents.values()) {
      if (charge() > 0) return;
      yield event;
    }
  } finally {
    events.return?.().catch(() => undefined);
  }
}

/** End of a stream's request, and the event after which it resumes. */
export interface StreamRequest {
  /** Id of the last event that a resuming client received. */
  readonly lastEventId: string | undefined;
  readonly endSignal: AbortSignal;
}

/** Interval (ms) at which streams check for revoked access and lost wake signals. */
export const maxIdleMs = 60_000;
