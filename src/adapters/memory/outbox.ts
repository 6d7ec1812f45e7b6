import type { Clock } from '../../core/runtime/clock.ts';
import { deepFreeze } from '../../core/kernel/freeze.ts';
import { byDestination, defaultOutboxRules, OutboxFullError, type DeliveryKey, type Outbox, type OutboxItem, type OutboxRules } from '../../outbox/outbox.store.ts';
import { createDeliveryQueues, type Shared, type Waiting } from './delivery-queues.ts';

export interface MemoryOutbox<Item extends OutboxItem> extends Outbox<Item> {
  /** For stores in the same memory: stores the items of a change of an owner, all or none; throws OutboxFullError where there is no room for them. */
  readonly add: (owner: string, items: readonly Item[]) => void;
}

export interface MemoryOutboxParts<Item extends OutboxItem> extends Partial<OutboxRules> {
  readonly clock: Clock;
  /** Called with an item that has a topic when the first destination has it. */
  readonly onFirstDelivery?: (item: Item) => void;
}

/** Items that wait in the memory of this process, for each destination by themselves. */
export function createMemoryOutbox<Item extends OutboxItem>(parts: MemoryOutboxParts<Item>): MemoryOutbox<Item> {
  const { clock, onFirstDelivery, limits, destinationsOf } = { ...defaultOutboxRules, ...parts };
  type Queues = ReturnType<typeof createDeliveryQueues<Item>>;
  const destinations = new Map<string, Queues>();
  /** Items that wait for any destination. */
  let count = 0;

  function queuesOf(destination: string): Queues {
    const queues = destinations.get(destination) ?? createDeliveryQueues<Item>(clock, limits);
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
      const puts = [...byDestination(items, destinationsOf)].map(([destination, own]) => {
        const put = queuesOf(destination).prepare(owner, own.map((item) => ({ item, shared: shared.get(item) as Shared })));
        if (!put) throw new OutboxFullError('the outbox is full');
        return put;
      });
      for (const put of puts) put();
      count += [...shared.values()].filter((one) => one.destinations > 0).length;
    },

    claim: async (capacities, leaseMs) =>
      capacities.flatMap(({ destination, limit }) =>
        (destinations.get(destination)?.claim(limit, leaseMs) ?? []).map(({ item, attempt }) => ({ item, destination, attempt }))),

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

    async release(releases) {
      for (const { id, destination, attempt, delayMs } of releases) destinations.get(destination)?.release(id, attempt, delayMs);
    },

    async backlog() {
      const oldest = [...destinations.values()].flatMap((queues) => queues.oldest()?.shared.storedAt ?? []);
      return { count, ...(oldest.length > 0 && { oldestAt: Math.min(...oldest) }) };
    },
  };
}
