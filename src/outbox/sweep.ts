import type { Clock } from '../core/runtime/clock.ts';
import { type DeliveryReport, dropReasons } from './delivery-report.ts';
import type { Outbox, OutboxItem } from './outbox.store.ts';
import type { DestinationStatus } from './standings.ts';

interface SweepDependencies {
  readonly outbox: Pick<Outbox<OutboxItem>, 'giveUp'>;
  readonly standings: Pick<DestinationStatus, 'off'>;
  readonly report: Pick<DeliveryReport, 'dropped'>;
  readonly clock: Clock;
  readonly expiry: number;
}

const maxDropped = 1000;
const intervalMs = { off: 1000, expiry: 60_000 };
const retryPauseMs = 1000;
/** Time until all gateways know that a destination is off; until then they may store items for it. */
const propagationMs = 10_000;
/** Younger items may come from a gateway that has just turned the destination on, which others see a second later. */
const minAgeMs = 2000;
/** Time for which items of a destination are searched after it turned off. */
const searchMs = 120_000;

/** Drops expired items, and items stored up to `propagationMs` after their destination turned off; a limited number per call. */
export function createSweep({ outbox, standings, report, clock, expiry }: SweepDependencies) {
  /** Next search (`performance.now()`), by the name of a destination that is off; undefined: expired items. */
  const nextSearches = new Map<string | undefined, number>();

  async function drop(
    pauseMs: number,
    storedBy: number,
    reason: string,
    destination?: string,
  ): Promise<void> {
    const now = performance.now();
    if (now < (nextSearches.get(destination) ?? 0)) return;
    nextSearches.set(destination, now + retryPauseMs);
    const dropped = await outbox.giveUp({
      storedUntil: storedBy,
      limit: maxDropped,
      ...(destination !== undefined && { destination }),
    });
    for (const items of dropped) report.dropped(items, reason);
    const isComplete = dropped.reduce((sum, { count }) => sum + count, 0) < maxDropped;
    nextSearches.set(destination, isComplete ? now + pauseMs : now);
  }

  return async (): Promise<void> => {
    for (const [name, since] of standings.off()) {
      await drop(
        clock() > since + searchMs ? Infinity : intervalMs.off,
        Math.max(since, Math.min(since + propagationMs, clock() - minAgeMs)),
        dropReasons.off,
        name,
      );
    }
    await drop(intervalMs.expiry, clock() - expiry, dropReasons.expired);
  };
}
