import type { DeliveryKey, Outbox, OutboxItem, Release } from './outbox.store.ts';

/** Gathers the outcomes of deliveries until the outbox takes them. */
export interface Settlements {
  completed(delivery: DeliveryKey): void;
  dropped(delivery: DeliveryKey): void;
  released(releases: readonly Release[]): void;
  /** Hands everything gathered so far to the outbox; what it does not take stays for the next call. */
  readonly flush: () => Promise<void>;
  /** Milliseconds until the first release delay known here ends, at most `longest`. */
  untilRetry(longest: number): number;
}

export function createSettlements(outbox: Outbox<OutboxItem>): Settlements {
  const completed: DeliveryKey[] = [];
  const dropped: DeliveryKey[] = [];
  const releases: Release[] = [];
  /** When release delays end. One that has ended is forgotten by the next claim, which is made after it. */
  let retries: number[] = [];
  return {
    completed: (delivery) => void completed.push(delivery),
    dropped: (delivery) => void dropped.push(delivery),
    released: (more) => void releases.push(...more),

    async flush() {
      await handOver(completed, (deliveries) => outbox.complete(deliveries));
      await handOver(dropped, (deliveries) => outbox.drop(deliveries));
      await handOver(releases, async (items) => {
        await outbox.release(items);
        // Delays run in the outbox from the call on: an earlier claim would find nothing, and be the last one for long.
        const now = Date.now();
        for (const delayMs of new Set(items.map((release) => release.delayMs)))
          if (delayMs > 0) retries.push(now + delayMs);
      });
      const now = Date.now();
      retries = retries.filter((at) => at > now);
    },

    untilRetry(longest) {
      const now = Date.now();
      return Math.max(
        1,
        retries.reduce((soonest, at) => Math.min(soonest, at - now), longest),
      );
    },
  };
}

/** Empties a list into a call; a failing call leaves the list as it was. */
async function handOver<T>(list: T[], take: (items: readonly T[]) => Promise<void>): Promise<void> {
  const items = list.splice(0);
  if (items.length === 0) return;
  try {
    await take(items);
  } catch (error) {
    list.unshift(...items);
    throw error;
  }
}
