import type { Clock } from '../core/runtime/clock.ts';
import { type DeliveryReport, dropReasons } from './delivery-report.ts';
import type { Outbox, OutboxItem } from './outbox.store.ts';
import type { DestinationStatus } from './destination-status.ts';

interface SweepDependencies {
  readonly outbox: Pick<Outbox<OutboxItem>, 'dropWaiting'>;
  readonly destinationStatus: Pick<DestinationStatus, 'offDestinations'>;
  readonly report: Pick<DeliveryReport, 'dropped'>;
  readonly clock: Clock;
  readonly expiryMs: number;
}

/** Maximum items dropped by one search; the next call continues. */
const maxDropped = 1000;
/** Intervals of searches for items of destinations that are off, and for expired items. */
const searchIntervalMs = { off: 1000, expiry: 60_000 };
/** Pause after a failed search. */
const retryPauseMs = 1000;
/** Time until all gateways know that a destination is off; until then they may store items for it. */
const propagationMs = 10_000;
/** Younger items may come from a gateway that has just turned the destination on, which others see a second later. */
const minAgeMs = 2000;
/** Time for which items of a destination are searched after it turned off. */
const searchMs = 120_000;

/** Drops expired items, and items stored up to `propagationMs` after their destination turned off; a limited number per call. */
export function createSweep({ outbox, destinationStatus, report, clock, expiryMs }: SweepDependencies) {
  /** Next search (`performance.now()`), by the name of a destination that is off; undefined: expired items. */
  const nextSearches = new Map<string | undefined, number>();

  async function dropDue(
    pauseMs: number,
    storedUntil: number,
    reason: string,
    destination?: string,
  ): Promise<void> {
    const now = performance.now();
    if (now < (nextSearches.get(destination) ?? 0)) return;
    nextSearches.set(destination, now + retryPauseMs);
    const dropped = await outbox.dropWaiting({
      storedUntil,
      limit: maxDropped,
      ...(destination !== undefined && { destination }),
    });
    for (const items of dropped) report.dropped(items, reason);
    const isComplete = dropped.reduce((sum, { count }) => sum + count, 0) < maxDropped;
    nextSearches.set(destination, isComplete ? now + pauseMs : now);
  }

  return async (): Promise<void> => {
    for (const [name, since] of destinationStatus.offDestinations()) {
      await dropDue(
        clock() > since + searchMs ? Infinity : searchIntervalMs.off,
        Math.max(since, Math.min(since + propagationMs, clock() - minAgeMs)),
        dropReasons.off,
        name,
      );
    }
    await dropDue(searchIntervalMs.expiry, clock() - expiryMs, dropReasons.expired);
  };
}
