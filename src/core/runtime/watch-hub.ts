/** Calls `onChange` for every change of what the key names, until `ended` is aborted. */
export type Watch = (key: string, ended: AbortSignal, onChange: () => void) => void;

/**
 * Lets many follow the same source, which is watched once, and only as long as anybody follows it: a change costs as much
 * as there are followers of its key.
 */
export function createWatchHub(watch: (onChange: (key: string) => void) => () => void): Watch {
  const followers = new Map<string, Set<() => void>>();
  let stop: (() => void) | undefined;

  const tell = (key: string): void => {
    for (const follower of followers.get(key) ?? []) follower();
  };

  return (key, ended, onChange) => {
    if (ended.aborted) return;
    const follower = (): void => onChange(); // the same function may follow twice
    const there = followers.get(key) ?? new Set();
    followers.set(key, there.add(follower));
    stop ??= watch(tell);
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
