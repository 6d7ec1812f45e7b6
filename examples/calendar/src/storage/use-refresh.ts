import { useEffect, useEffectEvent } from 'react';
import { addListeners } from '../api/listen.ts';

const channel = new BroadcastChannel('demo-storage');

/** Notifies other windows of this browser that buckets or subscriptions changed. */
export const announceChange = (): void => channel.postMessage('changed');

/** Refetches after a change in another window of this browser, and when this window gets the focus or a network. */
export function useRefresh(refetch: () => Promise<unknown>): void {
  // The query shows a failure itself.
  const refresh = useEffectEvent(() => void refetch().catch(() => undefined));
  useEffect(() => {
    const removeListeners = [
      addListeners(channel, ['message'], () => refresh()),
      addListeners(window, ['focus', 'online'], () => refresh()),
    ];
    return () => removeListeners.forEach((remove) => remove());
  }, []);
}
