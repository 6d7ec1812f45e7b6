import type { LiveState } from '../api/live.ts';

const words: Readonly<Record<LiveState, string>> = {
  connecting: 'Connecting …',
  live: 'Live',
  paused: 'Paused',
  refused: 'Not live',
};

/** Whether changes of others arrive by themselves. */
export function LiveBadge({ state }: { readonly state: LiveState }) {
  return (
    <span className={`badge ${state}`} role="status">
      {words[state]}
    </span>
  );
}
