import { setMaxListeners } from 'node:events';
import { setImmediate as otherWork } from 'node:timers/promises';
import { grouped } from '../core/patch.ts';
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

export interface RelayParts<Item extends OutboxItem> {
  readonly outbox: Outbox<Item>;
  /** Items for others are left to other gateways, until they have waited too long. */
  readonly destinations: readonly Destination<Item>[];
  readonly states: DestinationStates;
  readonly standings: DestinationStatus;
  readonly report: DeliveryReport;
  readonly clock: Clock;
  /** Milliseconds; shorter in tests. */
  readonly delays?: Partial<Delays>;
}

interface Delays {
  /** The longest pause between two claims while there is nothing to deliver. */
  readonly idle: number;
  /** For how long other gateways leave a claimed delivery alone. */
  readonly lease: number;
  /** An attempt takes no longer, its settlement included: none begins when less of the lease is left. */
  readonly attempt: number;
  /** For how long items wait at most. */
  readonly expiry: number;
  /** How long attempts may go on when the relay is stopped, and then after their signal. */
  readonly stop: number;
  readonly abort: number;
}

export interface Relay {
  start(): void;
  /** Ends the pause between two claims: something was stored. */
  wake(): void;
  /** Ends after the attempts that are under way, which are cut short after some seconds; waiting items stay stored. */
  stop(): Promise<void>;
}

const dayMs = 24 * 60 * 60 * 1000;
// No two gateways attempt the same.
const defaults: Delays = {
  idle: 1000,
  lease: 55_000,
  attempt: 33_000,
  expiry: 3 * dayMs,
  stop: 3000,
  abort: 1000,
};
const outboxPauses = { first: 100, longest: 5000 };
/** The number of ordering keys that are delivered at the same time, over all destinations that have no number of their own. */
const slots = 64;
/** The fewest slots of a destination, however many destinations there are. */
const fewestSlots = 8;

/**
 * Delivers what the outbox holds, from its start until it is stopped. Each destination has slots of its own, so that none waits
 * for another. At a destination, items of one ordering key are delivered one by one, in order; a failed one is attempted again
 * after a pause that grows with its failures, and holds back those behind it, and no others.
 */
export function createRelay<Item extends OutboxItem>({
  outbox,
  destinations,
  states,
  standings,
  report,
  clock,
  delays,
}: RelayParts<Item>): Relay {
  const { idle, lease, attempt: longestAttempt, expiry, stop, abort }: Delays = { ...defaults, ...delays };
  const share = Math.max(
    fewestSlots,
    Math.floor(slots / destinations.filter(({ mostAtOnce }) => mostAtOnce === undefined).length),
  );
  const byName = new Map(destinations.map((destination) => [destination.name, destination]));
  const signal = createWakeSignal();
  const settlements = createSettlements(outbox);
  const sweep = createSweep({ outbox, standings, report, clock, expiry });
  const workers = new Set<Promise<void>>();
  const busySlots = new Map<string, { all: number; failing: number }>();
  /** Ends the attempts under way: when the relay stops, and when their claims are lost. */
  let ending = new AbortController();
  outbox.onClaimsLost(() => {
    ending.abort();
    ending = new AbortController();
  });
  let stopped = false;

  function release(queue: readonly Claim<Item>[], delayMs = 0): void {
    // Items behind the first one wait for it anyway.
    settlements.add(
      ...queue.map((claim, index) =>
        settlementOf(claim, { attempt: claim.attempt, delayMs: index === 0 ? delayMs : 0 }),
      ),
    );
  }

  /** Delivers the claimed items of one key until one fails, the lease ends, the destination takes no more or the relay stops. */
  async function deliver(
    destination: Destination<Item>,
    queue: readonly Claim<Item>[],
    { end, signal: cut }: Lease,
  ): Promise<void> {
    const { name, pauses } = destination;
    for (const [index, claim] of queue.entries()) {
      const { item, failures } = claim;
      const isOver = stopped || cut.aborted || Date.now() + longestAttempt > end;
      if (isOver || !standings.isReady(name)) return release(queue.slice(index));
      const delivery = await attempt(destination, item, cut);
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
        // An attempt that was cut short is not the destination's fault: others may try at once.
        else if (cut.aborted) return release(queue.slice(index));
        report.failed(name, item, delivery.cause);
        if (isPause && delivery.isOutage) return release(queue.slice(index));
        return release(
          queue.slice(index),
          Math.max(pauseAfter(failures, pauses), isPause ? delivery.until - clock() : 0),
        );
      }
    }
  }

  function busyOf(name: string): { all: number; failing: number } {
    const busy = busySlots.get(name) ?? { all: 0, failing: 0 };
    busySlots.set(name, busy);
    return busy;
  }

  function work(destination: Destination<Item>, queue: readonly Claim<Item>[], claimed: Lease): void {
    const busy = busyOf(destination.name);
    const isFailing = queue[0]?.failures !== 0;
    const occupy = (change: number): void => {
      busy.all += change;
      if (isFailing) busy.failing += change;
    };
    occupy(1);
    const worker = deliver(destination, queue, claimed).finally(() => {
      occupy(-1);
      workers.delete(worker);
      signal.wake();
    });
    workers.add(worker);
  }

  /** Claims as much as there are free slots for. Returns the pause before the next claim (ms). */
  async function claim(): Promise<number> {
    // Who claims what is released here shall know of the pause that it was released for.
    await standings.refresh(states).finally(settlements.flush);
    await sweep();
    const capacities = destinations
      .filter(({ name }) => standings.isReady(name))
      .map(({ name, mostAtOnce = share }): Capacity => {
        const { all, failing } = busyOf(name);
        // What fails slowly takes half of the slots, so that what does not fail goes on.
        return {
          destination: name,
          limit: mostAtOnce - all,
          failing: Math.max(0, Math.ceil(mostAtOnce / 2) - failing),
        };
      })
      .filter(({ limit }) => limit > 0);
    if (capacities.length === 0) return idle;
    const { signal: lost } = ending;
    // All attempts listen to one signal, and Node warns of more than ten.
    setMaxListeners(0, lost);
    const claimed = { end: Date.now() + lease, signal: lost };
    const claims = (await outbox.claim(capacities, lease)).filter((one) => !settlements.isEnded(one));
    const queues = grouped(claims, (one) => JSON.stringify([one.destination, one.item.orderingKey]));
    for (const queue of queues.values())
      work(byName.get(queue[0].destination) as Destination<Item>, queue, claimed);
    return claims.length > 0 ? 0 : settlements.untilRetry(idle);
  }

  async function run(overdue: Promise<void>): Promise<void> {
    let outboxFailures = 0;
    while (!stopped) {
      let rest: number;
      try {
        rest = await claim();
        outboxFailures = 0;
      } catch (error) {
        report.outboxFailed(error);
        rest = pauseAfter(outboxFailures, outboxPauses);
        outboxFailures += 1;
      }
      if (stopped) break;
      await (rest > 0 ? signal.wait(rest) : otherWork());
    }
    // An attempt that does not end at all is left to the end of its lease.
    await Promise.race([Promise.all(workers), overdue]);
    await standings
      .refresh(states)
      .finally(settlements.flush)
      .catch((error: unknown) => report.outboxFailed(error));
  }

  let running: Promise<void> | undefined;
  let giveUp = (): void => undefined;
  return {
    start: () => void (running ??= run(new Promise((resolve) => (giveUp = resolve)))),
    wake: signal.wake,
    stop: async () => {
      stopped = true;
      signal.wake();
      const timers = [setTimeout(() => ending.abort(), stop), setTimeout(() => giveUp(), stop + abort)];
      await running;
      timers.forEach(clearTimeout);
    },
  };
}

/** How long claims last. */
interface Lease {
  /** Epoch milliseconds. */
  readonly end: number;
  /** Aborted when attempts have to end at once. */
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

/** The pause behind one more failure, with jitter so that not all keys come back at once. */
function pauseAfter(failures: number, { first, longest }: Destination<never>['pauses']): number {
  const most = Math.min(first * 2 ** failures, longest);
  return most / 2 + Math.random() * (most / 2);
}

/** Whatever was thrown. Not by `instanceof`: errors of node's own modules may come from another realm. */
const asError = (thrown: unknown): Error =>
  typeof thrown === 'object' && thrown !== null && 'message' in thrown
    ? (thrown as Error)
    : new Error(String(thrown));
