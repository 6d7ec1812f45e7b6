import type { LiveState } from '../api/use-live.ts';

const labels: Readonly<Record<LiveState, string>> = {
  connecting: 'Connecting…',
  live: 'Live',
  offline: 'Offline',
  paused: 'Paused',
  refused: 'Not live',
};

/** Shows whether changes by other people arrive without a reload. */
export function LiveBadge({ state }: { readonly state: LiveState }) {
  return (
    <span className={`badge ${state}`} role="status">
      {labels[state]}
    </span>
  );
}
