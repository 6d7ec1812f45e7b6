import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { groupByKey } from '../core/json.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { createWakeSignal } from '../core/runtime/streams.ts';
import type { DeliveryResult, Destination } from './destination.ts';
import type { DeliveryReport } from './delivery-report.ts';
import {
  type ClaimLimit,
  type Claim,
  type DestinationStateStore,
  type Outbox,
  type OutboxItem,
  settlementOf,
} from './outbox.store.ts';
import { createSettlements } from './settlements.ts';
import type { DestinationStatus } from './destination-status.ts';
import { createSweep } from './sweep.ts';

/** Collaborators and times of a relay. */
export interface RelayDependencies<Item extends OutboxItem> {
  readonly outbox: Outbox<Item>;
  /** Items for other destinations are left to other gateways until they expire. */
  readonly destinations: readonly Destination<Item>[];
  readonly states: DestinationStateStore;
  readonly destinationStatus: DestinationStatus;
  readonly report: DeliveryReport;
  readonly clock: Clock;
  readonly delays?: Partial<Delays>;
}

/** Times in milliseconds. */
interface Delays {
  /** Maximum pause between two claims while nothing is delivered. */
  readonly maxIdleMs: number;
  readonly leaseMs: number;
  /** Maximum duration of an attempt including its settlement. No attempt begins when less of its lease is left. */
  readonly maxAttemptMs: number;
  /** Age at which waiting items are dropped. */
  readonly expiryMs: number;
  /** Time for running attempts to end by themselves when the relay stops. */
  readonly stopMs: number;
  /** Time to wait for attempts after they were aborted. */
  readonly abortMs: number;
}

const dayMs = 24 * 60 * 60 * 1000;
// `maxAttemptMs` is less than `leaseMs`, so no two gateways attempt the same delivery.
const defaultDelays: Delays = {
  maxIdleMs: 1000,
  leaseMs: 55_000,
  maxAttemptMs: 33_000,
  expiryMs: 3 * dayMs,
  stopMs: 3000,
  abortMs: 1000,
};
/** Pauses after failed queries of the outbox. */
const outboxRetryPauses = { firstMs: 100, maxMs: 5000 };

/**
 * Creates the background process that delivers the items of the outbox. Each destination has its own slots, so none waits for another.
 * Items of one ordering key are delivered in order, one at a time; a failed item is retried with exponential backoff and holds back only
 * its own key.
 */
export function createRelay<Item extends OutboxItem>({
  outbox,
  destinations,
  states,
  destinationStatus,
  report,
  clock,
  delays,
}: RelayDependencies<Item>) {
  const { maxIdleMs, leaseMs, maxAttemptMs, expiryMs, stopMs, abortMs }: Delays = {
    ...defaultDelays,
    ...delays,
  };
  const destinationsByName = new Map(destinations.map((destination) => [destination.name, destination]));
  const wakeSignal = createWakeSignal();
  const settlements = createSettlements(outbox);
  const sweep = createSweep({ outbox, destinationStatus, report, clock, expiryMs });
  const workers = new Set<Promise<void>>();
  const busySlotsByName = new Map<string, BusySlots>();
  /** Aborts running attempts when the relay stops or their claims are lost. */
  let attemptAborter = new AbortController();
  outbox.onClaimsLost(() => {
    attemptAborter.abort();
    attemptAborter = new AbortController();
  });
  let isStopped = false;

  /** Ends claims whose items keep waiting. */
  function releaseClaims(claims: readonly Claim<Item>[], delayMs = 0): void {
    // Later items of the key wait for the first one anyway.
    settlements.add(
      ...claims.map((claim, index) =>
        settlementOf(claim, { attempt: claim.attempt, delayMs: index === 0 ? delayMs : 0 }),
      ),
    );
  }

  /** Delivers the claimed items of one key until one fails, the lease ends, the destination is not ready, or the relay stops. */
  async function deliverQueue(
    destination: Destination<Item>,
    queue: readonly Claim<Item>[],
    { endsAt, signal: abortSignal }: Lease,
  ): Promise<void> {
    const { name, pauses } = destination;
    for (const [index, claim] of queue.entries()) {
      const { item, failures } = claim;
      const mustStop = isStopped || abortSignal.aborted || Date.now() + maxAttemptMs > endsAt;
      if (mustStop || !destinationStatus.isReady(name)) return releaseClaims(queue.slice(index));
      const result = await attemptDelivery(destination, item, abortSignal);
      if (result.outcome === 'done') {
        settlements.add(settlementOf(claim, 'done'));
        report.delivered(name, item);
        continue;
      }
      if (result.outcome === 'never') {
        settlements.add(settlementOf(claim, 'dropped'));
        report.refused(name, item, result.cause);
        continue;
      }
      let delayMs = 0;
      if (result.outcome === 'off') {
        if (destinationStatus.turnOff(name)) report.turnedOff(name, item, result.cause);
      } else if (result.outcome === 'pause') {
        destinationStatus.pause(name, result.until);
        report.failed(name, item, result.cause);
        if (!result.isOutage) delayMs = Math.max(pauseAfter(failures, pauses), result.until - clock());
      } else if (!abortSignal.aborted) {
        // An aborted attempt is not a failure of the destination, so other gateways may retry at once.
        report.failed(name, item, result.cause);
        delayMs = pauseAfter(failures, pauses);
      }
      return releaseClaims(queue.slice(index), delayMs);
    }
  }

  function busySlotsOf(name: string): BusySlots {
    const busySlots = busySlotsByName.get(name) ?? { all: 0, failing: 0 };
    busySlotsByName.set(name, busySlots);
    return busySlots;
  }

  /** Delivers the claims of one ordering key in the background. */
  function startWorker(destination: Destination<Item>, queue: readonly Claim<Item>[], lease: Lease): void {
    const busySlots = busySlotsOf(destination.name);
    const failingChange = queue[0]?.failures === 0 ? 0 : 1;
    busySlots.all += 1;
    busySlots.failing += failingChange;
    const worker = deliverQueue(destination, queue, lease).finally(() => {
      busySlots.all -= 1;
      busySlots.failing -= failingChange;
      workers.delete(worker);
      wakeSignal.wake();
    });
    workers.add(worker);
  }

  /** Claims items for the free slots and starts their workers. Returns the pause before the next claim (ms). */
  async function startClaims(): Promise<number> {
    // Publishes the pauses of destinations before it releases claims, so that other relays respect them.
    await destinationStatus.refresh(states).finally(settlements.flush);
    await sweep();
    const claimLimits = destinations
      .filter(({ name }) => destinationStatus.isReady(name))
      .map(({ name, maxConcurrentKeys }): ClaimLimit => {
        const { all, failing } = busySlotsOf(name);
        // Failing keys get at most half of the slots, so healthy keys keep flowing.
        return {
          destination: name,
          limit: maxConcurrentKeys - all,
          maxFailing: Math.max(0, Math.ceil(maxConcurrentKeys / 2) - failing),
        };
      })
      .filter(({ limit }) => limit > 0);
    if (claimLimits.length === 0) return maxIdleMs;
    const { signal: abortSignal } = attemptAborter;
    // All attempts listen to one signal; Node.js warns of more than ten listeners.
    setMaxListeners(0, abortSignal);
    const currentLease = { endsAt: Date.now() + leaseMs, signal: abortSignal };
    const claims = (await outbox.claim(claimLimits, leaseMs)).filter((claim) => !settlements.isEnded(claim));
    const queues = groupByKey(claims, ({ destination, item }) =>
      JSON.stringify([destination, item.orderingKey]),
    );
    for (const queue of queues.values())
      startWorker(destinationsByName.get(queue[0].destination) as Destination<Item>, queue, currentLease);
    return claims.length > 0 ? 0 : settlements.msUntilRetry(maxIdleMs);
  }

  /** Claims and delivers until the relay stops. `untilAbandoned`: ends the wait for running attempts. */
  async function runLoop(untilAbandoned: Promise<void>): Promise<void> {
    let outboxFailures = 0;
    while (!isStopped) {
      let pauseMs: number;
      try {
        pauseMs = await startClaims();
        outboxFailures = 0;
      } catch (error) {
        report.outboxFailed(error);
        pauseMs = pauseAfter(outboxFailures, outboxRetryPauses);
        outboxFailures += 1;
      }
      if (isStopped) break;
      await (pauseMs > 0 ? wakeSignal.wait(pauseMs) : nextTurn());
    }
    // An attempt that never ends is left behind until its lease ends.
    await Promise.race([Promise.all(workers), untilAbandoned]);
    await destinationStatus
      .refresh(states)
      .finally(settlements.flush)
      .catch((error: unknown) => report.outboxFailed(error));
  }

  let relayLoop: Promise<void> | undefined;
  let abandonWorkers = (): void => undefined;
  return {
    start: (): void => void (relayLoop ??= runLoop(new Promise((resolve) => (abandonWorkers = resolve)))),
    /** Ends the pause between two claims, since an item was stored. */
    wake: wakeSignal.wake,
    /** Waits some seconds for running attempts, then aborts them; waiting items stay stored. */
    stop: async (): Promise<void> => {
      isStopped = true;
      wakeSignal.wake();
      const timers = [
        setTimeout(() => attemptAborter.abort(), stopMs),
        setTimeout(() => abandonWorkers(), stopMs + abortMs),
      ];
      await relayLoop;
      timers.forEach(clearTimeout);
    },
  };
}

/** Slots of a destination that deliver: all of them, and those with keys that failed. */
interface BusySlots {
  all: number;
  failing: number;
}

/** Time for which a gateway holds the claims of one query. */
interface Lease {
  /** Epoch milliseconds. */
  readonly endsAt: number;
  /** Aborted when attempts must end at once. */
  readonly signal: AbortSignal;
}

async function attemptDelivery<Item extends OutboxItem>(
  { publisher }: Destination<Item>,
  item: Item,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  try {
    return await publisher.publish(item, signal);
  } catch (error) {
    return { outcome: 'again', cause: asError(error) };
  }
}

/** Computes an exponential backoff (ms) with jitter, so that not all keys retry at once. */
function pauseAfter(failures: number, { firstMs, maxMs }: Destination<never>['pauses']): number {
  const maxPauseMs = Math.min(firstMs * 2 ** failures, maxMs);
  return maxPauseMs / 2 + Math.random() * (maxPauseMs / 2);
}

/** Converts a thrown value. `instanceof` does not work: errors of Node.js modules may come from another realm. */
const asError = (thrown: unknown): Error =>
  typeof thrown === 'object' && thrown !== null && 'message' in thrown
    ? (thrown as Error)
    : new Error(String(thrown));
