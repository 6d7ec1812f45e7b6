import type { Clock } from '../core/runtime/clock.ts';
import { type DeliveryReport, dropReasons } from './delivery-report.ts';
import type { Outbox, OutboxItem } from './outbox.store.ts';
import type { DestinationStatus } from './destination-status.ts';

/** Collaborators of the sweep. `expiryMs`: age at which waiting items are dropped. */
interface SweepDependencies {
  readonly outbox: Pick<Outbox<OutboxItem>, 'dropWaiting'>;
  readonly destinationStatus: Pick<DestinationStatus, 'offDestinations'>;
  readonly report: Pick<DeliveryReport, 'dropped'>;
  readonly clock: Clock;
  readonly expiryMs: number;
}

/** Maximum number of items that one search drops; the next call continues. */
const maxDropped = 1000;
/** Intervals of searches for items of destinations that are off, and for expired items. */
const searchIntervalsMs = { off: 1000, expiry: 60_000 };
/** Pause after a failed search. */
const retryPauseMs = 1000;
/** Time until all gateways know that a destination is off; until then they may store items for it. */
const propagationMs = 10_000;
/** Younger items may come from a gateway that has just turned the destination on, which others see a second later. */
const minAgeMs = 2000;
/** Time after a destination turned off in which its items are searched: those stored up to `propagationMs` after that. */
const maxSearchMs = 120_000;

/** Creates the function that drops expired items, and items of destinations that are off: a limited number each time. */
export function createSweep({ outbox, destinationStatus, report, clock, expiryMs }: SweepDependencies) {
  /** Next search (`performance.now()`), by the name of a destination that is off; undefined: expired items. */
  const nextSearchTimes = new Map<string | undefined, number>();

  /** Drops items stored up to a time, if the search for them is due. */
  async function dropIfDue(
    intervalMs: number,
    storedUntil: number,
    reason: string,
    destination?: string,
  ): Promise<void> {
    const now = performance.now();
    if (now < (nextSearchTimes.get(destination) ?? 0)) return;
    nextSearchTimes.set(destination, now + retryPauseMs);
    const droppedItems = await outbox.dropWaiting({
      storedUntil,
      limit: maxDropped,
      ...(destination !== undefined && { destination }),
    });
    for (const items of droppedItems) report.dropped(items, reason);
    const isComplete = droppedItems.reduce((sum, { count }) => sum + count, 0) < maxDropped;
    nextSearchTimes.set(destination, isComplete ? now + intervalMs : now);
  }

  return async (): Promise<void> => {
    for (const [name, since] of destinationStatus.offDestinations()) {
      await dropIfDue(
        clock() > since + maxSearchMs ? Infinity : searchIntervalsMs.off,
        Math.max(since, Math.min(since + propagationMs, clock() - minAgeMs)),
        dropReasons.off,
        name,
      );
    }
    await dropIfDue(searchIntervalsMs.expiry, clock() - expiryMs, dropReasons.expired);
  };
}
