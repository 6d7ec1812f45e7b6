import type { Clock } from '../../core/runtime/clock.ts';
import { bytesOf } from '../../core/json.ts';
import {
  alternate,
  type Capacity,
  type OutboxItem,
  type OutboxLimits,
  type Release,
} from '../../outbox/outbox.store.ts';

/** A body that items of one change share, counted as long as one of them waits. */
interface Body {
  readonly bytes: number;
  uses: number;
}

/** What the deliveries of one item have in common. */
export interface Shared {
  readonly storedAt: number;
  isLogged: boolean;
  /** The number of destinations that it waits for. */
  destinations: number;
}

/** An item that waits for a destination. */
export interface Waiting<Item extends OutboxItem> {
  readonly owner: string;
  readonly item: Item;
  readonly bytes: number;
  readonly body: Body;
  readonly shared: Shared;
  attempt: number;
  failures: number;
  /** Epoch milliseconds until which it is not handed out: because it is claimed, or was released with a delay. */
  heldUntil: number;
  isClaimed: boolean;
}

/** The items of one ordering key, in order. */
interface Queue<Item extends OutboxItem> {
  readonly key: string;
  readonly entries: Map<string, Waiting<Item>>;
  /** Its oldest item was released with a delay. */
  failing: boolean;
}

/** Items that wait for one destination, in a queue for each ordering key. */
export function createDeliveryQueues<Item extends OutboxItem>(clock: Clock) {
  type Queues = Map<string, Queue<Item>>;
  const entries = new Map<string, Waiting<Item>>();
  /** Queues by key, in the order in which they were last served. */
  const sound: Queues = new Map();
  const failing: Queues = new Map();
  const bytesOfOwner = new Map<string, number>();
  let bytes = 0;
  let failingFirst = false;

  function count(owner: string, more: number): void {
    const owned = (bytesOfOwner.get(owner) ?? 0) + more;
    bytes += more;
    if (owned === 0) bytesOfOwner.delete(owner);
    else bytesOfOwner.set(owner, owned);
  }

  const free = (owner: string, limits: OutboxLimits): number =>
    Math.min(limits.bytesPerOwner - (bytesOfOwner.get(owner) ?? 0), limits.bytes - bytes);

  const queueOf = ({ orderingKey }: OutboxItem): Queue<Item> | undefined =>
    sound.get(orderingKey) ?? failing.get(orderingKey);
  const listOf = (queue: Queue<Item>): Queues => (queue.failing ? failing : sound);

  /** Puts a queue behind the others of its kind. */
  function moveBack(queue: Queue<Item>, isFailing: boolean): void {
    listOf(queue).delete(queue.key);
    queue.failing = isFailing;
    listOf(queue).set(queue.key, queue);
  }

  function put(entry: Waiting<Item>): void {
    const { id, orderingKey: key } = entry.item;
    const queue = queueOf(entry.item) ?? { key, entries: new Map<string, Waiting<Item>>(), failing: false };
    entries.set(id, entry);
    queue.entries.set(id, entry);
    entry.shared.destinations += 1;
    if (queue.entries.size === 1) sound.set(key, queue);
  }

  function ready(queues: Queues, most: number, now: number): Queue<Item>[] {
    const found: Queue<Item>[] = [];
    for (const queue of queues.values()) {
      if (found.length === most) break;
      const [oldest] = queue.entries.values();
      if (oldest && oldest.heldUntil <= now) found.push(queue);
    }
    return found;
  }

  /** The queues to serve next: failing and sound ones alternate as long as there are both. */
  function nextQueues(most: number, mostFailing: number, now: number): Queue<Item>[] {
    const [failed, others] = [ready(failing, Math.min(most, mostFailing), now), ready(sound, most, now)];
    const next = failingFirst ? alternate(failed, others, most) : alternate(others, failed, most);
    failingFirst = !failingFirst;
    for (const queue of next) moveBack(queue, queue.failing);
    return next;
  }

  return {
    /** The bytes that an owner's items may still take. */
    free,

    /** Gives the function that stores the items of one change; undefined where there is no room for them. */
    prepare(
      owner: string,
      items: readonly { readonly item: Item; readonly shared: Shared }[],
      limits: OutboxLimits,
    ): (() => void) | undefined {
      const bodies = new Map<string, Body>();
      const added = items.map(({ item, shared }): Waiting<Item> => {
        const { data, ...rest } = item;
        const body = bodies.get(data) ?? { bytes: bytesOf(data), uses: 0 };
        bodies.set(data, body);
        body.uses += 1;
        return {
          owner,
          item,
          bytes: bytesOf(rest),
          body,
          shared,
          attempt: 0,
          failures: 0,
          heldUntil: 0,
          isClaimed: false,
        };
      });
      const more = [...added, ...bodies.values()].reduce((sum, { bytes: own }) => sum + own, 0);
      if (more > free(owner, limits)) return undefined;
      return () => {
        count(owner, more);
        added.forEach(put);
      };
    },

    claim(
      { limit, failing: mostFailing = limit }: Omit<Capacity, 'destination'>,
      leaseMs: number,
    ): Waiting<Item>[] {
      const now = clock();
      const claimed: Waiting<Item>[] = [];
      let takers = nextQueues(limit, mostFailing, now).map((queue) => queue.entries.values());
      while (takers.length > 0) {
        takers = takers.filter((taker) => {
          const entry = claimed.length < limit ? taker.next().value : undefined;
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

    /** Forgets an item, and returns it where it was there. */
    take(id: string): Waiting<Item> | undefined {
      const entry = entries.get(id);
      const queue = entry && queueOf(entry.item);
      if (!queue) return undefined;
      entries.delete(id);
      queue.entries.delete(id);
      if (queue.entries.size === 0) listOf(queue).delete(queue.key);
      else if (queue.failing) moveBack(queue, false);
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

    /** The oldest items that were stored by some time and that nobody attempts now. */
    idle(storedBy: number, limit: number): Waiting<Item>[] {
      const now = clock();
      const found: Waiting<Item>[] = [];
      for (const entry of entries.values()) {
        if (found.length >= limit || entry.shared.storedAt > storedBy) break;
        if (!entry.isClaimed || entry.heldUntil <= now) found.push(entry);
      }
      return found;
    },

    oldest: (): Waiting<Item> | undefined => entries.values().next().value,

    count: () => entries.size,

    /** Those that wait for no other destination. */
    countAlone: () => [...entries.values()].filter(({ shared }) => shared.destinations === 1).length,
  };
}
