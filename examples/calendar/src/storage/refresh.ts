import { useEffect, useEffectEvent } from 'react';
import { listen } from '../api/listen.ts';

const channel = new BroadcastChannel('demo-storage');

/** Tells the other windows of this browser that buckets or subscriptions changed. */
export const announceChange = (): void => channel.postMessage('changed');

/** Reads again after a change in another window of this browser, and when this window gets the focus or a network. */
export function useRefresh(read: () => Promise<unknown>): void {
  // A failure stays visible in the query itself.
  const refresh = useEffectEvent(() => void read().catch(() => undefined));
  useEffect(() => {
    const stops = [
      listen(channel, ['message'], () => refresh()),
      listen(window, ['focus', 'online'], () => refresh()),
    ];
    return () => stops.forEach((stop) => stop());
  }, []);
}
