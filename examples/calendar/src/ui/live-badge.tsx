import type { LiveState } from '../api/live.ts';

const words: Readonly<Record<LiveState, string>> = {
  connecting: 'Connecting…',
  live: 'Live',
  offline: 'Offline',
  paused: 'Paused',
  refused: 'Not live',
};

/** Says whether changes of others arrive by themselves. */
export function LiveBadge({ state }: { readonly state: LiveState }) {
  return (
    <span className={`badge ${state}`} role="status">
      {words[state]}
    </span>
  );
}
