import type { Clock } from '../../core/runtime/clock.ts';
import { deepFreeze } from '../../core/kernel/freeze.ts';
import { byDestination, countDropped, defaultOutboxRules, OutboxFullError, type DeliveryKey, type Dropped, type Outbox, type OutboxItem, type OutboxRules } from '../../outbox/outbox.store.ts';
import { createDeliveryQueues, type Shared, type Waiting } from './delivery-queues.ts';

export interface MemoryOutbox<Item extends OutboxItem> extends Outbox<Item> {
  /**
   * For stores in the same memory: stores the items of a change of an owner, all or none, save for destinations that
   * have no room and whose rule says so; throws OutboxFullError where another one has none.
   */
  readonly add: (owner: string, items: readonly Item[]) => void;
}

export interface MemoryOutboxParts<Item extends OutboxItem> extends Partial<OutboxRules> {
  readonly clock: Clock;
  /** Called with an item that has a topic when the first destination has it. */
  readonly onFirstDelivery?: (item: Item) => void;
}

/** Items that wait in the memory of this process, for each destination by themselves. */
export function createMemoryOutbox<Item extends OutboxItem>(parts: MemoryOutboxParts<Item>): MemoryOutbox<Item> {
  const { clock, onFirstDelivery, roomOf, destinationsOf, onDropped } = { ...defaultOutboxRules, ...parts };
  type Queues = ReturnType<typeof createDeliveryQueues<Item>>;
  const destinations = new Map<string, Queues>();
  /** Items that wait for any destination. */
  let count = 0;

  function queuesOf(destination: string): Queues {
    const queues = destinations.get(destination) ?? createDeliveryQueues<Item>(clock);
    destinations.set(destination, queues);
    return queues;
  }

  function take({ id, destination }: DeliveryKey): Waiting<Item> | undefined {
    const entry = destinations.get(destination)?.take(id);
    if (entry && (entry.shared.destinations -= 1) === 0) count -= 1;
    return entry;
  }

  return {
    add(owner, items) {
      const storedAt = clock();
      const shared = new Map(items.map((item): [Item, Shared] => [deepFreeze(item), { storedAt, isLogged: item.topic === undefined, destinations: 0 }]));
      const dropped: Dropped[] = [];
      const puts = [...byDestination(items, destinationsOf)].flatMap(([destination, own]) => {
        const room = roomOf(destination);
        const put = queuesOf(destination).prepare(owner, own.map((item) => ({ item, shared: shared.get(item) as Shared })), room);
        if (put) return [put];
        if (room.whenFull === 'refuse') throw new OutboxFullError('the outbox is full');
        dropped.push(...countDropped(own.map(({ topic }) => ({ destination, topic }))));
        return [];
      });
      for (const put of puts) put();
      dropped.forEach(onDropped);
      count += [...shared.values()].filter((one) => one.destinations > 0).length;
    },

    claim: async (capacities, leaseMs) =>
      capacities.flatMap(({ destination, ...most }) =>
        (destinations.get(destination)?.claim(most, leaseMs) ?? []).map(({ item, attempt, failures }) => ({ item, destination, attempt, failures }))),

    async complete(deliveries) {
      for (const delivery of deliveries) {
        const entry = take(delivery);
        if (!entry || entry.shared.isLogged) continue;
        entry.shared.isLogged = true;
        onFirstDelivery?.(entry.item);
      }
    },

    async drop(deliveries) {
      deliveries.forEach(take);
    },

    async giveUp({ storedBy, destination: only, limit }) {
      const found = [...destinations].filter(([name]) => only === undefined || name === only)
        .flatMap(([destination, queues]) => queues.idle(storedBy, limit).map(({ item }) => ({ destination, id: item.id, topic: item.topic })))
        .slice(0, limit);
      found.forEach(take);
      return countDropped(found);
    },

    async release(releases) {
      for (const release of releases) destinations.get(release.destination)?.release(release);
    },

    async backlog() {
      const oldest = [...destinations.values()].flatMap((queues) => queues.oldest()?.shared.storedAt ?? []);
      return { count, ...(oldest.length > 0 && { oldestAt: Math.min(...oldest) }) };
    },
  };
}
