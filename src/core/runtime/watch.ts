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

/** A request for a stream. */
export interface StreamRequest {
  /** The id of the last event that the client received, when it resumes a stream. */
  readonly lastEventId: string | undefined;
  /** Aborted when the stream ends. */
  readonly ended: AbortSignal;
}

/** Streams check at least this often (ms) whether access was revoked or a wake signal was lost. */
export const longestRestMs = 60_000;
