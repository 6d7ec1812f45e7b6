import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { groupByKey } from '../core/patch.ts';
import type { Clock } from '../core/runtime/clock.ts';
import { createWakeSignal } from '../core/runtime/watch.ts';
import type { Delivery, Destination } from './destination.ts';
import type { DeliveryReport } from './delivery-report.ts';
import {
  type Capacity,
  type Claim,
  type DestinationStates,
  type Outbox,
  type OutboxItem,
  settlementOf,
} from './outbox.store.ts';
import { createSettlements } from './settlements.ts';
import type { DestinationStatus } from './standings.ts';
import { createSweep } from './sweep.ts';

export interface RelayDependencies<Item extends OutboxItem> {
  readonly outbox: Outbox<Item>;
  /** Items for other destinations are left to other gateways until they expire. */
  readonly destinations: readonly Destination<Item>[];
  readonly states: DestinationStates;
  readonly standings: DestinationStatus;
  readonly report: DeliveryReport;
  readonly clock: Clock;
  readonly delays?: Partial<Delays>;
}

/** All in milliseconds. */
interface Delays {
  /** Longest pause between two claims while nothing is delivered. */
  readonly idle: number;
  readonly lease: number;
  /** Longest attempt including its settlement. No attempt begins when less of its lease is left. */
  readonly attempt: number;
  readonly expiry: number;
  readonly stop: number;
  /** Time to wait for attempts after they were aborted. */
  readonly abort: number;
}

export interface Relay {
  start(): void;
  /** Ends the pause between two claims, since an item was stored. */
  wake(): void;
  /** Waits some seconds for running attempts, then aborts them; waiting items stay stored. */
  stop(): Promise<void>;
}

const dayMs = 24 * 60 * 60 * 1000;
// `attempt` is shorter than `lease`, so no two gateways attempt the same delivery.
const defaults: Delays = {
  idle: 1000,
  lease: 55_000,
  attempt: 33_000,
  expiry: 3 * dayMs,
  stop: 3000,
  abort: 1000,
};
const outboxPauses = { first: 100, longest: 5000 };
/** Ordering keys delivered at the same time, over all destinations without a limit of their own. */
const sharedSlots = 64;
/** Slots of a destination, however many destinations there are. */
const minSlots = 8;

/**
 * Delivers the items of the outbox. Each destination has its own slots, so none waits for another. Items of one ordering key are
 * delivered in order, one at a time; a failed item is retried with exponential backoff and holds back only its own key.
 */
export function createRelay<Item extends OutboxItem>({
  outbox,
  destinations,
  states,
  standings,
  report,
  clock,
  delays,
}: RelayDependencies<Item>): Relay {
  const { idle, lease, attempt: maxAttemptMs, expiry, stop, abort }: Delays = { ...defaults, ...delays };
  const slotShare = Math.max(
    minSlots,
    Math.floor(sharedSlots / destinations.filter(({ mostAtOnce }) => mostAtOnce === undefined).length),
  );
  const byName = new Map(destinations.map((destination) => [destination.name, destination]));
  const signal = createWakeSignal();
  const settlements = createSettlements(outbox);
  const sweep = createSweep({ outbox, standings, report, clock, expiry });
  const workers = new Set<Promise<void>>();
  const busySlots = new Map<string, { all: number; failing: number }>();
  /** Aborts running attempts when the relay stops or their claims are lost. */
  let controller = new AbortController();
  outbox.onClaimsLost(() => {
    controller.abort();
    controller = new AbortController();
  });
  let stopped = false;

  function release(queue: readonly Claim<Item>[], delayMs = 0): void {
    // Later items of the key wait for the first one anyway.
    settlements.add(
      ...queue.map((claim, index) =>
        settlementOf(claim, { attempt: claim.attempt, delayMs: index === 0 ? delayMs : 0 }),
      ),
    );
  }

  /** Delivers the claimed items of one key until one fails, the lease ends, the destination is not ready, or the relay stops. */
  async function deliver(
    destination: Destination<Item>,
    queue: readonly Claim<Item>[],
    { endsAt, signal: abortSignal }: Lease,
  ): Promise<void> {
    const { name, pauses } = destination;
    for (const [index, claim] of queue.entries()) {
      const { item, failures } = claim;
      const mustStop = stopped || abortSignal.aborted || Date.now() + maxAttemptMs > endsAt;
      if (mustStop || !standings.isReady(name)) return release(queue.slice(index));
      const delivery = await attempt(destination, item, abortSignal);
      if (delivery.outcome === 'done') {
        settlements.add(settlementOf(claim, 'done'));
        report.delivered(name, item);
      } else if (delivery.outcome === 'never') {
        settlements.add(settlementOf(claim, 'dropped'));
        report.refused(name, item, delivery.cause);
      } else if (delivery.outcome === 'off') {
        if (standings.turnOff(name)) report.turnedOff(name, item, delivery.cause);
        return release(queue.slice(index));
      } else {
        const isPause = delivery.outcome === 'pause';
        if (isPause) standings.pause(name, delivery.until);
        // An aborted attempt is not a failure of the destination, so other gateways may retry at once.
        else if (abortSignal.aborted) return release(queue.slice(index));
        report.failed(name, item, delivery.cause);
        if (isPause && delivery.isOutage) return release(queue.slice(index));
        return release(
          queue.slice(index),
          Math.max(pauseAfter(failures, pauses), isPause ? delivery.until - clock() : 0),
        );
      }
    }
  }

  function busySlotsOf(name: string): { all: number; failing: number } {
    const busy = busySlots.get(name) ?? { all: 0, failing: 0 };
    busySlots.set(name, busy);
    return busy;
  }

  function startWorker(destination: Destination<Item>, queue: readonly Claim<Item>[], lease: Lease): void {
    const busy = busySlotsOf(destination.name);
    const isFailing = queue[0]?.failures !== 0;
    const changeBusy = (change: number): void => {
      busy.all += change;
      if (isFailing) busy.failing += change;
    };
    changeBusy(1);
    const worker = deliver(destination, queue, lease).finally(() => {
      changeBusy(-1);
      workers.delete(worker);
      signal.wake();
    });
    workers.add(worker);
  }

  /** Claims items for the free slots and starts their workers. Returns the pause before the next claim (ms). */
  async function claim(): Promise<number> {
    // Publishes the pauses of destinations before it releases claims, so that other relays respect them.
    await standings.refresh(states).finally(settlements.flush);
    await sweep();
    const capacities = destinations
      .filter(({ name }) => standings.isReady(name))
      .map(({ name, mostAtOnce = slotShare }): Capacity => {
        const { all, failing } = busySlotsOf(name);
        // Failing keys get at most half of the slots, so healthy keys keep flowing.
        return {
          destination: name,
          limit: mostAtOnce - all,
          failing: Math.max(0, Math.ceil(mostAtOnce / 2) - failing),
        };
      })
      .filter(({ limit }) => limit > 0);
    if (capacities.length === 0) return idle;
    const { signal: abortSignal } = controller;
    // All attempts listen to one signal; Node.js warns of more than ten listeners.
    setMaxListeners(0, abortSignal);
    const currentLease = { endsAt: Date.now() + lease, signal: abortSignal };
    const claims = (await outbox.claim(capacities, lease)).filter((claim) => !settlements.isEnded(claim));
    const queues = groupByKey(claims, ({ destination, item }) =>
      JSON.stringify([destination, item.orderingKey]),
    );
    for (const queue of queues.values())
      startWorker(byName.get(queue[0].destination) as Destination<Item>, queue, currentLease);
    return claims.length > 0 ? 0 : settlements.untilRetry(idle);
  }

  async function run(abandoned: Promise<void>): Promise<void> {
    let outboxFailures = 0;
    while (!stopped) {
      let pauseMs: number;
      try {
        pauseMs = await claim();
        outboxFailures = 0;
      } catch (error) {
        report.outboxFailed(error);
        pauseMs = pauseAfter(outboxFailures, outboxPauses);
        outboxFailures += 1;
      }
      if (stopped) break;
      await (pauseMs > 0 ? signal.wait(pauseMs) : nextTurn());
    }
    // An attempt that never ends is left behind until its lease ends.
    await Promise.race([Promise.all(workers), abandoned]);
    await standings
      .refresh(states)
      .finally(settlements.flush)
      .catch((error: unknown) => report.outboxFailed(error));
  }

  let running: Promise<void> | undefined;
  let abandon = (): void => undefined;
  return {
    start: () => void (running ??= run(new Promise((resolve) => (abandon = resolve)))),
    wake: signal.wake,
    stop: async () => {
      stopped = true;
      signal.wake();
      const timers = [setTimeout(() => controller.abort(), stop), setTimeout(() => abandon(), stop + abort)];
      await running;
      timers.forEach(clearTimeout);
    },
  };
}

interface Lease {
  /** Epoch milliseconds. */
  readonly endsAt: number;
  /** Aborted when attempts must end at once. */
  readonly signal: AbortSignal;
}

async function attempt<Item extends OutboxItem>(
  { publisher }: Destination<Item>,
  item: Item,
  signal: AbortSignal,
): Promise<Delivery> {
  try {
    return await publisher.publish(item, signal);
  } catch (error) {
    return { outcome: 'again', cause: asError(error) };
  }
}

/** Exponential backoff (ms) with jitter, so that not all keys retry at once. */
function pauseAfter(failures: number, { first, longest }: Destination<never>['pauses']): number {
  const maxPause = Math.min(first * 2 ** failures, longest);
  return maxPause / 2 + Math.random() * (maxPause / 2);
}

/** Converts a thrown value. `instanceof` does not work: errors of Node.js modules may come from another realm. */
const asError = (thrown: unknown): Error =>
  typeof thrown === 'object' && thrown !== null && 'message' in thrown
    ? (thrown as Error)
    : new Error(String(thrown));
