import { deliveryKey, type Claim, type Outbox, type OutboxItem, type Settlement } from './outbox.store.ts';

/** Gathers what becomes of deliveries until the outbox takes it. */
interface Settlements {
  add(...settlements: readonly Settlement[]): void;
  /** Hands everything gathered so far to the outbox; what it does not take stays for a later call. */
  readonly flush: () => Promise<void>;
  /** Whether a claim is of a delivery that has had its end, which the outbox could not take while its lease lasted. */
  isEnded(claim: Claim<OutboxItem>): boolean;
  /** Milliseconds until the first release delay known here ends, at most `longest`. */
  untilRetry(longest: number): number;
}

/** What the outbox cannot take is tried again so often (ms), and for so long: leases are over by then. */
const [againMs, longestMs] = [1000, 10 * 60_000];

export function createSettlements(outbox: Pick<Outbox<OutboxItem>, 'settle'>): Settlements {
  let gathered: Settlement[] = [];
  /** What the outbox could not take. Nothing waits for it: a node that is away may be long in saying so. */
  const late = new Map<string, { readonly settlement: Settlement; readonly since: number }>();
  let triedAt = 0;
  let trying: Promise<void> | undefined;
  /** When release delays end. One that has ended is forgotten by the next claim, which is made after it. */
  let retries: number[] = [];

  async function settle(settlements: readonly Settlement[]): Promise<void> {
    const left = new Set(await outbox.settle(settlements));
    const now = Date.now();
    if (left.size > 0) triedAt = now;
    for (const settlement of settlements) {
      const key = deliveryKey(settlement);
      const { since } = late.get(key) ?? { since: now };
      if (left.has(settlement) && now - since < longestMs) late.set(key, { settlement, since });
      else late.delete(key);
    }
  }

  return {
    add: (...settlements) => void gathered.push(...settlements),

    async flush() {
      if (late.size > 0 && !trying && Date.now() - triedAt >= againMs)
        trying = settle([...late.values()].map(({ settlement }) => settlement))
          .catch(() => undefined)
          .finally(() => (trying = undefined));
      const settlements = gathered;
      gathered = [];
      if (settlements.length > 0) {
        try {
          await settle(settlements);
        } catch (error) {
          gathered.unshift(...settlements);
          throw error;
        }
      }
      // Delays run in the outbox from the call on: an earlier claim would find nothing, and be the last one for long.
      const now = Date.now();
      const delays = settlements.map(({ outcome }) => (typeof outcome === 'object' ? outcome.delayMs : 0));
      for (const delayMs of new Set(delays)) if (delayMs > 0) retries.push(now + delayMs);
      retries = retries.filter((at) => at > now);
    },

    isEnded({ item: { id }, destination }) {
      const { settlement } = late.get(deliveryKey({ id, destination })) ?? {};
      return settlement !== undefined && typeof settlement.outcome === 'string';
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
