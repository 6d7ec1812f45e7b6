import { deliveryKey, type Claim, type Outbox, type OutboxItem, type Settlement } from './outbox.store.ts';

/** Buffers settlements until the outbox has stored them. */
interface Settlements {
  add(...settlements: readonly Settlement[]): void;
  /** Stores the buffered settlements; those that the outbox cannot store stay for a later call. */
  readonly flush: () => Promise<void>;
  /** Whether the claimed delivery has ended already, but the outbox could not store that during its lease. */
  isEnded(claim: Claim<OutboxItem>): boolean;
  /** Milliseconds until the first release delay ends, at most `maxMs`. */
  untilRetry(maxMs: number): number;
}

/** Retry interval of settlements that the outbox cannot store, and when to stop: the leases have ended by then. */
const [retryIntervalMs, maxRetryMs] = [1000, 10 * 60_000];

export function createSettlements(outbox: Pick<Outbox<OutboxItem>, 'settle'>): Settlements {
  let buffered: Settlement[] = [];
  /** Settlements that the outbox could not store. They are retried in the background: an unreachable node may take long to fail. */
  const overdue = new Map<string, { readonly settlement: Settlement; readonly since: number }>();
  let retriedAt = 0;
  let retrying: Promise<void> | undefined;
  let releaseEnds: number[] = [];

  async function settle(settlements: readonly Settlement[]): Promise<void> {
    const unstored = new Set(await outbox.settle(settlements));
    const now = Date.now();
    if (unstored.size > 0) retriedAt = now;
    for (const settlement of settlements) {
      const key = deliveryKey(settlement);
      const { since } = overdue.get(key) ?? { since: now };
      if (unstored.has(settlement) && now - since < maxRetryMs) overdue.set(key, { settlement, since });
      else overdue.delete(key);
    }
  }

  return {
    add: (...settlements) => void buffered.push(...settlements),

    async flush() {
      if (overdue.size > 0 && !retrying && Date.now() - retriedAt >= retryIntervalMs)
        retrying = settle([...overdue.values()].map(({ settlement }) => settlement))
          .catch(() => undefined)
          .finally(() => (retrying = undefined));
      const settlements = buffered;
      buffered = [];
      if (settlements.length > 0) {
        try {
          await settle(settlements);
        } catch (error) {
          buffered.unshift(...settlements);
          throw error;
        }
      }
      // Release delays start with the call. Claiming earlier would find nothing and then wait for the idle pause.
      const now = Date.now();
      const delays = settlements.map(({ outcome }) => (typeof outcome === 'object' ? outcome.delayMs : 0));
      for (const delayMs of new Set(delays)) if (delayMs > 0) releaseEnds.push(now + delayMs);
      releaseEnds = releaseEnds.filter((at) => at > now);
    },

    isEnded({ item: { id }, destination }) {
      const { settlement } = overdue.get(deliveryKey({ id, destination })) ?? {};
      return settlement !== undefined && typeof settlement.outcome === 'string';
    },

    untilRetry(maxMs) {
      const now = Date.now();
      return Math.max(
        1,
        releaseEnds.reduce((soonest, at) => Math.min(soonest, at - now), maxMs),
      );
    },
  };
}
