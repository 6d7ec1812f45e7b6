import { setImmediate as otherWork } from 'node:timers/promises';
import { createWakeSignal } from '../core/runtime/wake-signal.ts';
import type { Delivery, Publisher } from './delivery.ts';
import type { Capacity, Claim, Outbox, OutboxItem } from './outbox.store.ts';
import { createSettlements } from './settlements.ts';

export interface RelayParts<Item extends OutboxItem> {
  readonly outbox: Outbox<Item>;
  /** By the name of the destination. Items for other destinations are left to other gateways. */
  readonly publishers: ReadonlyMap<string, Publisher<Item>>;
  /** Reports failed attempts, and failures of the outbox (without a destination): one in each period of `report` ms. */
  readonly onFailure: (error: unknown, destination?: string) => void;
  /** Reports each item that its destination will never take. */
  readonly onDropped: (item: Item, destination: string, cause: unknown) => void;
  /** Milliseconds; shorter in tests. */
  readonly delays?: Partial<Delays>;
}

interface Delays {
  /** The longest pause between two claims while there is nothing to deliver. */
  readonly idle: number;
  readonly firstRetry: number;
  readonly lastRetry: number;
  /** For how long other gateways leave a claimed delivery alone. */
  readonly lease: number;
  /** The least time between two reports of failures of one destination. */
  readonly report: number;
}

export interface Relay {
  start(): void;
  /** Ends the pause between two claims: something was stored. */
  wake(): void;
  /** Ends after the attempts that are under way; waiting items stay stored. */
  stop(): Promise<void>;
}

const defaults: Delays = { idle: 1000, firstRetry: 100, lastRetry: 5000, lease: 30_000, report: 1000 };
/** The number of ordering keys that are delivered at the same time, over all destinations. */
const slots = 64;
/** The fewest slots of a destination, however many destinations there are. */
const fewestSlots = 8;

/**
 * Delivers what the outbox holds, from its start until it is stopped. Each destination has an equal share of the slots, so that
 * none waits for another. At a destination, items of one ordering key are delivered one by one, in order; a failed one is
 * attempted again after a pause that grows with its attempts, and holds back those behind it, and no others.
 */
export function createRelay<Item extends OutboxItem>({ outbox, publishers, onFailure, onDropped, delays }: RelayParts<Item>): Relay {
  const { idle, firstRetry, lastRetry, lease, report }: Delays = { ...defaults, ...delays };
  const share = Math.max(fewestSlots, Math.floor(slots / publishers.size));
  const signal = createWakeSignal();
  const settlements = createSettlements(outbox);
  const workers = new Set<Promise<void>>();
  const busySlots = new Map<string, number>();
  const lastReports = new Map<string | undefined, number>();
  let stopped = false;

  function failed(error: unknown, destination?: string): void {
    const now = Date.now();
    if (now - (lastReports.get(destination) ?? -Infinity) < report) return;
    lastReports.set(destination, now);
    onFailure(error, destination);
  }

  /** The pause before the next attempt, with jitter so that not all keys come back at once. */
  const pauseAfter = (attempt: number): number => {
    const longest = Math.min(firstRetry * 2 ** (attempt - 1), lastRetry);
    return longest / 2 + Math.random() * (longest / 2);
  };

  function release(queue: readonly Claim<Item>[], delayMs: number): void {
    settlements.released(queue.map(({ item, destination, attempt }) => ({ id: item.id, destination, attempt, delayMs })));
  }

  async function attempt({ item, destination }: Claim<Item>): Promise<Delivery> {
    try {
      return await (publishers.get(destination) as Publisher<Item>).publish(item);
    } catch (cause) {
      return { outcome: 'again', cause };
    }
  }

  /** Delivers the claimed items of one key until one fails, the lease ends or the relay stops. */
  async function deliverQueue(queue: readonly Claim<Item>[], leaseEnd: number): Promise<void> {
    for (const [index, claim] of queue.entries()) {
      if (stopped || Date.now() >= leaseEnd) return release(queue.slice(index), 0);
      const { item, destination } = claim;
      const delivery = await attempt(claim);
      if (delivery.outcome === 'again') {
        failed(delivery.cause, destination);
        return release(queue.slice(index), Math.max(pauseAfter(claim.attempt), (delivery.notBefore ?? 0) - Date.now()));
      }
      if (delivery.outcome === 'done') settlements.completed({ id: item.id, destination });
      else {
        settlements.dropped({ id: item.id, destination });
        onDropped(item, destination, delivery.cause);
      }
    }
  }

  function work(destination: string, queue: readonly Claim<Item>[], leaseEnd: number): void {
    const occupy = (change: number): unknown => busySlots.set(destination, (busySlots.get(destination) ?? 0) + change);
    occupy(1);
    const worker = deliverQueue(queue, leaseEnd).finally(() => {
      occupy(-1);
      workers.delete(worker);
      signal.wake();
    });
    workers.add(worker);
  }

  /** Claims as much as there are free slots for. Returns the pause before the next claim (ms). */
  async function claim(): Promise<number> {
    await settlements.flush();
    const capacities = [...publishers.keys()]
      .map((destination): Capacity => ({ destination, limit: share - (busySlots.get(destination) ?? 0) }))
      .filter(({ limit }) => limit > 0);
    if (capacities.length === 0) return idle;
    const leaseEnd = Date.now() + lease;
    const claimed = await outbox.claim(capacities, lease);
    for (const [destination, queues] of queuesOf(claimed)) for (const queue of queues.values()) work(destination, queue, leaseEnd);
    return claimed.length > 0 ? 0 : settlements.untilRetry(idle);
  }

  async function run(): Promise<void> {
    let outboxFailures = 0;
    while (!stopped) {
      let rest: number;
      try {
        rest = await claim();
        outboxFailures = 0;
      } catch (error) {
        failed(error);
        outboxFailures += 1;
        rest = pauseAfter(outboxFailures);
      }
      if (stopped) break;
      await (rest > 0 ? signal.wait(rest) : otherWork());
    }
    await Promise.all(workers);
    await settlements.flush().catch(failed);
  }

  let running: Promise<void> | undefined;
  return {
    start: () => void (running ??= run()),
    wake: signal.wake,
    stop: async () => {
      stopped = true;
      signal.wake();
      await running;
    },
  };
}

/** The claims of each destination, by ordering key. */
function queuesOf<Item extends OutboxItem>(claims: readonly Claim<Item>[]): ReadonlyMap<string, ReadonlyMap<string, Claim<Item>[]>> {
  const queues = new Map<string, Map<string, Claim<Item>[]>>();
  for (const claim of claims) {
    const ofDestination = queues.get(claim.destination) ?? new Map<string, Claim<Item>[]>();
    queues.set(claim.destination, ofDestination);
    const queue = ofDestination.get(claim.item.orderingKey);
    if (queue) queue.push(claim);
    else ofDestination.set(claim.item.orderingKey, [claim]);
  }
  return queues;
}
