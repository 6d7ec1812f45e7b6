import {
  formatDeliveryKey,
  type Claim,
  type Outbox,
  type OutboxItem,
  type Settlement,
} from './outbox.store.ts';

/** Interval of retries for settlements that the outbox could not store, and their end: by then the leases have ended. */
const [retryIntervalMs, maxRetryMs] = [1000, 10 * 60_000];

/** Buffers the settlements of a relay until the outbox has stored them. */
export function createSettlements(outbox: Pick<Outbox<OutboxItem>, 'settle'>) {
  let bufferedSettlements: Settlement[] = [];
  /** Settlements that the outbox could not store. They are retried in the background: an unreachable node may take long to fail. */
  const unstoredByKey = new Map<
    string,
    { readonly settlement: Settlement; readonly firstFailedAt: number }
  >();
  let lastRetryAt = 0;
  let currentRetry: Promise<void> | undefined;
  /** Times (epoch ms) at which the delays of released items end. */
  const delayEnds = new Set<number>();

  /** Passes settlements to the outbox, and remembers those that it could not store. */
  async function storeSettlements(settlements: readonly Settlement[]): Promise<void> {
    const unstoredSettlements = new Set(await outbox.settle(settlements));
    const now = Date.now();
    if (unstoredSettlements.size > 0) lastRetryAt = now;
    for (const settlement of settlements) {
      const key = formatDeliveryKey(settlement);
      const { firstFailedAt } = unstoredByKey.get(key) ?? { firstFailedAt: now };
      if (unstoredSettlements.has(settlement) && now - firstFailedAt < maxRetryMs)
        unstoredByKey.set(key, { settlement, firstFailedAt });
      else unstoredByKey.delete(key);
    }
  }

  return {
    add: (...settlements: readonly Settlement[]): void => void bufferedSettlements.push(...settlements),

    /** Stores the buffered settlements; those that the outbox cannot store stay for a later call. */
    async flush(this: void): Promise<void> {
      if (unstoredByKey.size > 0 && !currentRetry && Date.now() - lastRetryAt >= retryIntervalMs)
        currentRetry = storeSettlements([...unstoredByKey.values()].map(({ settlement }) => settlement))
          .catch(() => undefined)
          .finally(() => (currentRetry = undefined));
      const settlements = bufferedSettlements;
      bufferedSettlements = [];
      try {
        if (settlements.length > 0) await storeSettlements(settlements);
      } catch (error) {
        bufferedSettlements.unshift(...settlements);
        throw error;
      }
      // Release delays begin when the outbox stores them. Claims before their end find nothing, and then pause for the idle time.
      const now = Date.now();
      for (const { outcome } of settlements)
        if (typeof outcome === 'object' && outcome.delayMs > 0) delayEnds.add(now + outcome.delayMs);
      for (const at of delayEnds) if (at <= now) delayEnds.delete(at);
    },

    /** Whether the claimed delivery has ended already, but the outbox could not store that during its lease. */
    isEnded({ item: { id }, destination }: Claim<OutboxItem>): boolean {
      const { settlement } = unstoredByKey.get(formatDeliveryKey({ id, destination })) ?? {};
      return typeof settlement?.outcome === 'string';
    },

    /** Milliseconds until the first release delay ends, at most `maxMs`. */
    msUntilRetry(maxMs: number): number {
      const now = Date.now();
      return Math.max(
        1,
        [...delayEnds].reduce((soonest, at) => Math.min(soonest, at - now), maxMs),
      );
    },
  };
}
