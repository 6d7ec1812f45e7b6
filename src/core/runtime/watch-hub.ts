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
