/** Calls `onChange` for every change of what the key names, until `ended` is aborted. */
export type Watch = (key: string, ended: AbortSignal, onChange: () => void) => void;

/** Reported where anything may have changed. */
export const anyKey = '';

/**
 * Shares one watch of a source between its followers; the source is watched only while there are any. The cost of a change
 * grows with the followers of its key, not with all followers; a change of `anyKey` concerns them all.
 */
export function createWatchHub(watch: (onChange: (key: string) => void) => () => void): Watch {
  const followers = new Map<string, Set<() => void>>();
  let stop: (() => void) | undefined;

  const notify = (key: string): void => {
    const changed = key === anyKey ? [...followers.values()] : [followers.get(key) ?? []];
    for (const some of changed) for (const follower of some) follower();
  };

  return (key, ended, onChange) => {
    if (ended.aborted) return;
    const follower = (): void => onChange(); // the same function may follow twice
    const there = followers.get(key) ?? new Set();
    followers.set(key, there.add(follower));
    stop ??= watch(notify);
    const leave = (): void => {
      there.delete(follower);
      if (there.size === 0) followers.delete(key);
      if (followers.size > 0) return;
      stop?.();
      stop = undefined;
    };
    ended.addEventListener('abort', leave, { once: true });
  };
}

export type WakeSignal = ReturnType<typeof createWakeSignal>;

/** A pause that can be cut short, for one waiter. */
export function createWakeSignal() {
  let woken = false;
  let end: (() => void) | undefined;
  return {
    /** Ends the current pause, or the next one before it begins. */
    wake(this: void): void {
      woken = true;
      end?.();
    },
    async wait(this: void, milliseconds: number): Promise<void> {
      if (!woken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, milliseconds);
          end = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      end = undefined;
      woken = false;
    },
  };
}

/** An event of a stream, with the id from which a later stream resumes. */
export interface Streamed<T> {
  /** The id to resume from, a line of printable ASCII; absent in streams that cannot be resumed. */
  readonly id?: string;
  readonly value: T;
}

/**
 * Combines events of a source while they may not pass: `take` returns 0, or the seconds to wait. The last event of each key is kept; one
 * without a key passes at once, and one that its reader refused waits again. The source is read on meanwhile: its error and its end come
 * at once. At its end, events that may not pass are dropped.
 */
export async function* coalesce<T>(
  source: AsyncIterable<T>,
  keyOf: (event: T) => unknown,
  take: () => number,
  ended: AbortSignal,
  isRefused: (event: T) => boolean = () => false,
): AsyncGenerator<T> {
  const events = source[Symbol.asyncIterator]();
  const waiting = new Map<unknown, T>();
  const read = (): Promise<IteratorResult<T, unknown>> => {
    const next = events.next();
    next.catch(() => undefined); // it is awaited later, or nobody is there any more
    return next;
  };
  try {
    let next = read();
    while (!ended.aborted) {
      const [first] = waiting;
      const seconds = first ? take() : Infinity;
      if (first && seconds === 0) {
        waiting.delete(first[0]);
        yield first[1];
        if (isRefused(first[1]) && !waiting.has(first[0])) waiting.set(...first);
        continue;
      }
      const pause = createWakeSignal();
      const found = await Promise.race([next, ...(first ? [pause.wait(seconds * 1000)] : [])]);
      pause.wake();
      if (!found) continue;
      if (found.done) break;
      const key = keyOf(found.value);
      if (key === undefined) yield found.value;
      else waiting.set(key, found.value);
      next = read();
    }
    for (const event of ended.aborted ? [] : waiting.values()) {
      if (take() > 0) return;
      yield event;
    }
  } finally {
    events.return?.().catch(() => undefined);
  }
}

/** A request for a stream. */
export interface StreamRequest {
  /** The id of the last event that the client received, when it resumes a stream. */
  readonly lastEventId: string | undefined;
  /** Aborted when the stream ends. */
  readonly ended: AbortSignal;
}

/** Streams check at least this often (ms) whether access was revoked or a wake signal was lost. */
export const longestRestMs = 60_000;
