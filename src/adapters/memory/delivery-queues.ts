import type { Clock } from '../../core/runtime/clock.ts';
import { estimateBytes } from '../../core/json.ts';
import {
  envelopeBytesOf,
  interleave,
  type ClaimLimit,
  type OutboxItem,
  type OutboxLimits,
  type Release,
} from '../../outbox/outbox.store.ts';

/** A body that items of one change share; its bytes count as long as one of them waits. */
interface SharedBody {
  readonly bytes: number;
  useCount: number;
}

interface ItemState {
  readonly storedAt: number;
  /** The item is in the log of its topic, or has no topic. */
  isLogged: boolean;
  /** Number of destinations that the item waits for. */
  waitingDestinations: number;
}

/** An item for this destination, before it is stored. */
export interface NewItem<Item extends OutboxItem> {
  readonly item: Item;
  /** Shared by the deliveries of the item. */
  readonly itemState: ItemState;
}

/** An item that waits for this destination: one delivery. */
export interface QueueEntry<Item extends OutboxItem> extends NewItem<Item> {
  readonly owner: string;
  readonly bytes: number;
  readonly body: SharedBody;
  attempt: number;
  failures: number;
  /** Epoch milliseconds until which no claim may take the delivery: a lease or a retry delay is running. */
  heldUntil: number;
  isClaimed: boolean;
}

interface KeyQueue<Item extends OutboxItem> {
  readonly key: string;
  /** Oldest first. A list, since most queues hold one item and items leave from the front. */
  readonly entries: QueueEntry<Item>[];
  /** The oldest item was released with a delay. */
  isFailing: boolean;
}

/** Items that wait for one destination, with a queue for each ordering key. */
export function createDeliveryQueues<Item extends OutboxItem>(clock: Clock) {
  type Queues = Map<string, KeyQueue<Item>>;
  const entriesById = new Map<string, QueueEntry<Item>>();
  /** Queues by key, in the order in which they were last served. */
  const healthyQueues: Queues = new Map();
  const failingQueues: Queues = new Map();
  const bytesByOwner = new Map<string, number>();
  let totalBytes = 0;
  let servesFailingFirst = false;

  function addBytes(owner: string, addedBytes: number): void {
    const ownerBytes = (bytesByOwner.get(owner) ?? 0) + addedBytes;
    totalBytes += addedBytes;
    if (ownerBytes === 0) bytesByOwner.delete(owner);
    else bytesByOwner.set(owner, ownerBytes);
  }

  const freeBytes = (owner: string, limits: OutboxLimits): number =>
    Math.min(limits.maxBytesPerOwner - (bytesByOwner.get(owner) ?? 0), limits.maxBytes - totalBytes);

  const queueOf = ({ orderingKey }: OutboxItem): KeyQueue<Item> | undefined =>
    healthyQueues.get(orderingKey) ?? failingQueues.get(orderingKey);
  const queuesContaining = (queue: KeyQueue<Item>): Queues =>
    queue.isFailing ? failingQueues : healthyQueues;

  function moveToEnd(queue: KeyQueue<Item>, isFailing: boolean): void {
    queuesContaining(queue).delete(queue.key);
    queue.isFailing = isFailing;
    queuesContaining(queue).set(queue.key, queue);
  }

  function putDelivery(entry: QueueEntry<Item>): void {
    const { id, orderingKey: key } = entry.item;
    const queue = queueOf(entry.item);
    entriesById.set(id, entry);
    entry.itemState.waitingDestinations += 1;
    if (queue) queue.entries.push(entry);
    else healthyQueues.set(key, { key, entries: [entry], isFailing: false });
  }

  function findReadyQueues(queues: Queues, maxQueues: number, now: number): KeyQueue<Item>[] {
    const readyQueues: KeyQueue<Item>[] = [];
    for (const queue of queues.values()) {
      if (readyQueues.length === maxQueues) break;
      const [oldestEntry] = queue.entries;
      if (oldestEntry && oldestEntry.heldUntil <= now) readyQueues.push(queue);
    }
    return readyQueues;
  }

  /** Selects the queues to serve next, failing and healthy ones in turns, and moves each to the end. */
  function takeNextQueues(maxQueues: number, maxFailingQueues: number, now: number): KeyQueue<Item>[] {
    const failingReady = findReadyQueues(failingQueues, Math.min(maxQueues, maxFailingQueues), now);
    const healthyReady = findReadyQueues(healthyQueues, maxQueues, now);
    const [preferredQueues, otherQueues] = servesFailingFirst
      ? [failingReady, healthyReady]
      : [healthyReady, failingReady];
    const selectedQueues = interleave(preferredQueues, otherQueues, maxQueues);
    servesFailingFirst = !servesFailingFirst;
    for (const queue of selectedQueues) moveToEnd(queue, queue.isFailing);
    return selectedQueues;
  }

  return {
    freeBytes,

    /** Returns a function that stores the items of one change; undefined if they exceed the limits. */
    prepare(owner: string, items: readonly NewItem<Item>[], limits: OutboxLimits): (() => void) | undefined {
      const bodies = new Map<string, SharedBody>();
      const newEntries = items.map(({ item, itemState }): QueueEntry<Item> => {
        const { data } = item;
        const body = bodies.get(data) ?? { bytes: estimateBytes(data), useCount: 0 };
        bodies.set(data, body);
        body.useCount += 1;
        return {
          owner,
          item,
          bytes: envelopeBytesOf(item),
          body,
          itemState,
          attempt: 0,
          failures: 0,
          heldUntil: 0,
          isClaimed: false,
        };
      });
      const addedBytes = [...newEntries, ...bodies.values()].reduce(
        (sum, { bytes: entryBytes }) => sum + entryBytes,
        0,
      );
      if (addedBytes > freeBytes(owner, limits)) return undefined;
      return () => {
        addBytes(owner, addedBytes);
        newEntries.forEach(putDelivery);
      };
    },

    /** Leases up to `limit` deliveries in rounds, one of each selected queue per round, oldest first. */
    claim(
      { limit, maxFailing = limit }: Omit<ClaimLimit, 'destination'>,
      leaseMs: number,
    ): QueueEntry<Item>[] {
      const now = clock();
      const claimedEntries: QueueEntry<Item>[] = [];
      let iterators = takeNextQueues(limit, maxFailing, now).map((queue) => queue.entries.values());
      while (iterators.length > 0) {
        iterators = iterators.filter((iterator) => {
          const entry = claimedEntries.length < limit ? iterator.next().value : undefined;
          if (!entry || entry.heldUntil > now) return false;
          entry.attempt += 1;
          entry.heldUntil = now + leaseMs;
          entry.isClaimed = true;
          claimedEntries.push(entry);
          return true;
        });
      }
      return claimedEntries;
    },

    /** Deletes a delivery. Its key counts as healthy again. */
    remove(id: string): QueueEntry<Item> | undefined {
      const entry = entriesById.get(id);
      const queue = entry && queueOf(entry.item);
      if (!queue) return undefined;
      entriesById.delete(id);
      queue.entries.splice(queue.entries.indexOf(entry), 1);
      if (queue.entries.length === 0) queuesContaining(queue).delete(queue.key);
      else if (queue.isFailing) moveToEnd(queue, false);
      entry.body.useCount -= 1;
      addBytes(entry.owner, -entry.bytes - (entry.body.useCount === 0 ? entry.body.bytes : 0));
      return entry;
    },

    /** Ends a claim; a delay counts as a failure of the key. Ignores the release of an earlier claim. */
    release(id: string, { attempt, delayMs }: Release): void {
      const entry = entriesById.get(id);
      const queue = entry && queueOf(entry.item);
      if (!queue || entry.attempt !== attempt) return;
      entry.heldUntil = clock() + delayMs;
      entry.isClaimed = false;
      if (delayMs === 0) return;
      entry.failures += 1;
      moveToEnd(queue, true);
    },

    /** Finds the oldest unclaimed deliveries, stored at `storedUntil` (epoch ms) or earlier. */
    findIdle(storedUntil: number, limit: number): QueueEntry<Item>[] {
      const now = clock();
      const idleEntries: QueueEntry<Item>[] = [];
      for (const entry of entriesById.values()) {
        if (idleEntries.length >= limit || entry.itemState.storedAt > storedUntil) break;
        if (!entry.isClaimed || entry.heldUntil <= now) idleEntries.push(entry);
      }
      return idleEntries;
    },

    findOldest: (): QueueEntry<Item> | undefined => entriesById.values().next().value,

    count: () => entriesById.size,

    /** Counts the items that wait for no other destination. */
    countExclusive: () =>
      [...entriesById.values()].filter(({ itemState }) => itemState.waitingDestinations === 1).length,
  };
}
