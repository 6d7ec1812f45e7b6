import { deliveryKey, type Claim, type Outbox, type OutboxItem, type Settlement } from './outbox.store.ts';

/** Buffers settlements until the outbox has stored them. */
interface Settlements {
  add(...settlements: readonly Settlement[]): void;
  /** Stores the buffered settlements; those that the outbox cannot store stay for a later call. */
  readonly flush: () => Promise<void>;
  /** Whether the claimed delivery has ended already, but the outbox could not store that during its lease. */
  isEnded(claim: Claim<OutboxItem>): boolean;
  /** Milliseconds until the first release delay ends, at most `maxMs`. */
  msUntilRetry(maxMs: number): number;
}

/** Interval of retries of settlements that the outbox could not store, and their end: leases have ended by then. */
const [retryIntervalMs, maxRetryMs] = [1000, 10 * 60_000];

export function createSettlements(outbox: Pick<Outbox<OutboxItem>, 'settle'>): Settlements {
  let bufferedSettlements: Settlement[] = [];
  /** Settlements that the outbox could not store. They are retried in the background: an unreachable node may take long to fail. */
  const unstoredByKey = new Map<
    string,
    { readonly settlement: Settlement; readonly firstFailedAt: number }
  >();
  let lastRetryAt = 0;
  let currentRetry: Promise<void> | undefined;
  let delayEnds: number[] = [];

  async function settle(settlements: readonly Settlement[]): Promise<void> {
    const unstored = new Set(await outbox.settle(settlements));
    const now = Date.now();
    if (unstored.size > 0) lastRetryAt = now;
    for (const settlement of settlements) {
      const key = deliveryKey(settlement);
      const { firstFailedAt } = unstoredByKey.get(key) ?? { firstFailedAt: now };
      if (unstored.has(settlement) && now - firstFailedAt < maxRetryMs)
        unstoredByKey.set(key, { settlement, firstFailedAt });
      else unstoredByKey.delete(key);
    }
  }

  return {
    add: (...settlements) => void bufferedSettlements.push(...settlements),

    async flush() {
      if (unstoredByKey.size > 0 && !currentRetry && Date.now() - lastRetryAt >= retryIntervalMs)
        currentRetry = settle([...unstoredByKey.values()].map(({ settlement }) => settlement))
          .catch(() => undefined)
          .finally(() => (currentRetry = undefined));
      const settlements = bufferedSettlements;
      bufferedSettlements = [];
      if (settlements.length > 0) {
        try {
          await settle(settlements);
        } catch (error) {
          bufferedSettlements.unshift(...settlements);
          throw error;
        }
      }
      // Release delays start with the call. Claiming earlier would find nothing and then wait for the idle pause.
      const now = Date.now();
      const delays = settlements.map(({ outcome }) => (typeof outcome === 'object' ? outcome.delayMs : 0));
      for (const delayMs of new Set(delays)) if (delayMs > 0) delayEnds.push(now + delayMs);
      delayEnds = delayEnds.filter((at) => at > now);
    },

    isEnded({ item: { id }, destination }) {
      const { settlement } = unstoredByKey.get(deliveryKey({ id, destination })) ?? {};
      return settlement !== undefined && typeof settlement.outcome === 'string';
    },

    msUntilRetry(maxMs) {
      const now = Date.now();
      return Math.max(
        1,
        delayEnds.reduce((soonest, at) => Math.min(soonest, at - now), maxMs),
      );
    },
  };
}
