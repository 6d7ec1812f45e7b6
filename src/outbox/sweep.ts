import type { Clock } from '../core/runtime/clock.ts';
import { type DeliveryReport, dropReasons } from './delivery-report.ts';
import type { Outbox, OutboxItem } from './outbox.store.ts';
import type { DestinationStatus } from './standings.ts';

interface SweepParts {
  readonly outbox: Pick<Outbox<OutboxItem>, 'giveUp'>;
  readonly standings: Pick<DestinationStatus, 'off'>;
  readonly report: Pick<DeliveryReport, 'dropped'>;
  readonly clock: Clock;
  /** The longest wait of an item (ms). */
  readonly expiry: number;
}

/** The number of deliveries that are given up at once. */
const maxGivenUp = 1000;
const everyMs = { off: 1000, expiry: 60_000 };
/** The pause after a turn that failed: meanwhile deliveries go on. */
const againMs = 1000;
/** The time (ms) for which other gateways may store items for a destination that is off, until all know of it. */
const propagationMs = 10_000;
/** Items younger than this may come from a gateway that has just begun to serve the destination again, which is known here a second later. */
const settledMs = 2000;
/** The time (ms) for which a turn looks for such items, and for what was being attempted when it turned off. */
const lookMs = 120_000;

/**
 * Gives up what has waited too long, wherever it waits, and what waits for destinations that are off: a part in each turn, so that
 * nothing else waits for long. What is stored long after a destination turned off is for gateways with another version of it.
 */
export function createSweep({ outbox, standings, report, clock, expiry }: SweepParts): () => Promise<void> {
  /** When it is looked again for what waits too long (without a name) or for a destination that is off. */
  const nextTurns = new Map<string | undefined, number>();

  async function turn(restMs: number, storedBy: number, reason: string, destination?: string): Promise<void> {
    const now = performance.now();
    if (now < (nextTurns.get(destination) ?? 0)) return;
    nextTurns.set(destination, now + againMs);
    const dropped = await outbox.giveUp({
      storedBy,
      limit: maxGivenUp,
      ...(destination !== undefined && { destination }),
    });
    for (const one of dropped) report.dropped(one, reason);
    const isAll = dropped.reduce((sum, { count }) => sum + count, 0) < maxGivenUp;
    nextTurns.set(destination, isAll ? now + restMs : now);
  }

  return async () => {
    for (const [name, since] of standings.off()) {
      await turn(
        clock() > since + lookMs ? Infinity : everyMs.off,
        Math.max(since, Math.min(since + propagationMs, clock() - settledMs)),
        dropReasons.off,
        name,
      );
    }
    await turn(everyMs.expiry, clock() - expiry, dropReasons.expired);
  };
}
