import type { Clock } from '../../core/runtime/clock.ts';
import { estimateBytes } from '../../core/json.ts';
import {
  interleave,
  type Capacity,
  type OutboxItem,
  type OutboxLimits,
  type Release,
} from '../../outbox/outbox.store.ts';

/** A body that items of one change share; its bytes count as long as one of them waits. */
interface Body {
  readonly bytes: number;
  uses: number;
}

export interface ItemState {
  readonly storedAt: number;
  isLogged: boolean;
  /** The number of destinations that the item waits for. */
  destinations: number;
}

export interface QueueEntry<Item extends OutboxItem> {
  readonly owner: string;
  readonly item: Item;
  readonly bytes: number;
  readonly body: Body;
  readonly shared: ItemState;
  attempt: number;
  failures: number;
  /** Epoch milliseconds before which no claim gets the delivery: a claim or a delay is running. */
  heldUntil: number;
  isClaimed: boolean;
}

interface DeliveryQueue<Item extends OutboxItem> {
  readonly key: string;
  readonly entries: Map<string, QueueEntry<Item>>;
  /** The oldest item was released with a delay. */
  isFailing: boolean;
}

/** Items that wait for one destination, with a queue for each ordering key. */
export function createDeliveryQueues<Item extends OutboxItem>(clock: Clock) {
  type Queues = Map<string, DeliveryQueue<Item>>;
  const entries = new Map<string, QueueEntry<Item>>();
  /** Queues by key, in the order in which they were last served. */
  const healthy: Queues = new Map();
  const failing: Queues = new Map();
  const bytesOfOwner = new Map<string, number>();
  let bytes = 0;
  let servesFailingFirst = false;

  function count(owner: string, addedBytes: number): void {
    const owned = (bytesOfOwner.get(owner) ?? 0) + addedBytes;
    bytes += addedBytes;
    if (owned === 0) bytesOfOwner.delete(owner);
    else bytesOfOwner.set(owner, owned);
  }

  const freeBytes = (owner: string, limits: OutboxLimits): number =>
    Math.min(limits.bytesPerOwner - (bytesOfOwner.get(owner) ?? 0), limits.bytes - bytes);

  const queueOf = ({ orderingKey }: OutboxItem): DeliveryQueue<Item> | undefined =>
    healthy.get(orderingKey) ?? failing.get(orderingKey);
  const queuesWith = (queue: DeliveryQueue<Item>): Queues => (queue.isFailing ? failing : healthy);

  function moveBack(queue: DeliveryQueue<Item>, isFailing: boolean): void {
    queuesWith(queue).delete(queue.key);
    queue.isFailing = isFailing;
    queuesWith(queue).set(queue.key, queue);
  }

  function putDelivery(entry: QueueEntry<Item>): void {
    const { id, orderingKey: key } = entry.item;
    const queue = queueOf(entry.item) ?? {
      key,
      entries: new Map<string, QueueEntry<Item>>(),
      isFailing: false,
    };
    entries.set(id, entry);
    queue.entries.set(id, entry);
    entry.shared.destinations += 1;
    if (queue.entries.size === 1) healthy.set(key, queue);
  }

  function findReady(queues: Queues, max: number, now: number): DeliveryQueue<Item>[] {
    const readyQueues: DeliveryQueue<Item>[] = [];
    for (const queue of queues.values()) {
      if (readyQueues.length === max) break;
      const [oldest] = queue.entries.values();
      if (oldest && oldest.heldUntil <= now) readyQueues.push(queue);
    }
    return readyQueues;
  }

  /** The queues to serve next; failing and healthy ones alternate. */
  function nextQueues(max: number, maxFailing: number, now: number): DeliveryQueue<Item>[] {
    const failingReady = findReady(failing, Math.min(max, maxFailing), now);
    const healthyReady = findReady(healthy, max, now);
    const [first, second] = servesFailingFirst ? [failingReady, healthyReady] : [healthyReady, failingReady];
    const next = interleave(first, second, max);
    servesFailingFirst = !servesFailingFirst;
    for (const queue of next) moveBack(queue, queue.isFailing);
    return next;
  }

  return {
    free: freeBytes,

    /** Returns a function that stores the items of one change; undefined where they exceed the limits. */
    prepare(
      owner: string,
      items: readonly { readonly item: Item; readonly shared: ItemState }[],
      limits: OutboxLimits,
    ): (() => void) | undefined {
      const bodies = new Map<string, Body>();
      const added = items.map(({ item, shared }): QueueEntry<Item> => {
        const { data, ...rest } = item;
        const body = bodies.get(data) ?? { bytes: estimateBytes(data), uses: 0 };
        bodies.set(data, body);
        body.uses += 1;
        return {
          owner,
          item,
          bytes: estimateBytes(rest),
          body,
          shared,
          attempt: 0,
          failures: 0,
          heldUntil: 0,
          isClaimed: false,
        };
      });
      const addedBytes = [...added, ...bodies.values()].reduce((sum, { bytes: size }) => sum + size, 0);
      if (addedBytes > freeBytes(owner, limits)) return undefined;
      return () => {
        count(owner, addedBytes);
        added.forEach(putDelivery);
      };
    },

    claim(
      { limit, failing: maxFailing = limit }: Omit<Capacity, 'destination'>,
      leaseMs: number,
    ): QueueEntry<Item>[] {
      const now = clock();
      const claimed: QueueEntry<Item>[] = [];
      let iterators = nextQueues(limit, maxFailing, now).map((queue) => queue.entries.values());
      while (iterators.length > 0) {
        iterators = iterators.filter((iterator) => {
          const entry = claimed.length < limit ? iterator.next().value : undefined;
          if (!entry || entry.heldUntil > now) return false;
          entry.attempt += 1;
          entry.heldUntil = now + leaseMs;
          entry.isClaimed = true;
          claimed.push(entry);
          return true;
        });
      }
      return claimed;
    },

    remove(id: string): QueueEntry<Item> | undefined {
      const entry = entries.get(id);
      const queue = entry && queueOf(entry.item);
      if (!queue) return undefined;
      entries.delete(id);
      queue.entries.delete(id);
      if (queue.entries.size === 0) queuesWith(queue).delete(queue.key);
      else if (queue.isFailing) moveBack(queue, false);
      entry.body.uses -= 1;
      count(entry.owner, -entry.bytes - (entry.body.uses === 0 ? entry.body.bytes : 0));
      return entry;
    },

    release(id: string, { attempt, delayMs }: Release): void {
      const entry = entries.get(id);
      const queue = entry && queueOf(entry.item);
      if (!queue || entry.attempt !== attempt) return;
      entry.heldUntil = clock() + delayMs;
      entry.isClaimed = false;
      if (delayMs === 0) return;
      entry.failures += 1;
      moveBack(queue, true);
    },

    /** The oldest items stored at `storedBy` (epoch ms) or earlier that no claim holds. */
    findIdle(storedBy: number, limit: number): QueueEntry<Item>[] {
      const now = clock();
      const idle: QueueEntry<Item>[] = [];
      for (const entry of entries.values()) {
        if (idle.length >= limit || entry.shared.storedAt > storedBy) break;
        if (!entry.isClaimed || entry.heldUntil <= now) idle.push(entry);
      }
      return idle;
    },

    oldest: (): QueueEntry<Item> | undefined => entries.values().next().value,

    count: () => entries.size,

    countExclusive: () => [...entries.values()].filter(({ shared }) => shared.destinations === 1).length,
  };
}
