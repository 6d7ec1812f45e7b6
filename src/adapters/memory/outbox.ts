import { LRUCache } from 'lru-cache';
import { deepFreeze, groupByKey } from '../../core/json.ts';
import { advanceCounts, type HourCounts, remainingQuotaOf24Hours } from '../../core/quota.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { maxMailsPerDay } from '../../event/event.store.ts';
import type { Mail } from '../../mail/mail.ts';
import type { OutgoingMessage } from '../../notification/notification.store.ts';
import { doneResult, type Publisher } from '../../outbox/destination.ts';
import {
  countDropped,
  defaultOutboxRules,
  type DestinationState,
  type DestinationStateStore,
  type DroppedItems,
  mailRulesOf,
  mailServerName,
  type Outbox,
  OutboxFullError,
  type OutboxItem,
  type OutboxRules,
} from '../../outbox/outbox.store.ts';
import { createDeliveryQueues, type NewItem, type QueueEntry } from './delivery-queues.ts';

/** Callers whose mails are counted; the least recent ones are evicted. */
const maxCallers = 10_000;

/** Counts the mails of each caller over 24 hours. */
export function createMailCounts(clock: Clock) {
  const countsByCaller = new LRUCache<string, HourCounts>({ max: maxCallers });
  const countsOf = (caller: string): HourCounts => advanceCounts(countsByCaller.peek(caller), clock());
  return {
    remainingMails: (caller: string): number => remainingQuotaOf24Hours(maxMailsPerDay, countsOf(caller)),
    add(caller: string | undefined, mailCount: number): void {
      if (caller === undefined) return;
      const counts = countsOf(caller);
      countsByCaller.set(caller, { ...counts, count: counts.count + mailCount });
    },
  };
}

/** States of destinations in the memory of this process. */
export function createMemoryDestinationStates(): DestinationStateStore {
  const states = new Map<string, DestinationState>();
  const updateState = (
    name: string,
    update: (state: DestinationState) => Partial<DestinationState>,
  ): void => {
    const state = states.get(name) ?? { pausedUntil: 0, offSince: {}, onSince: 0 };
    states.set(name, { ...state, ...update(state) });
  };
  return {
    read: async (names) => new Map([...states].filter(([name]) => names.includes(name))),
    pause: async (name, until) =>
      updateState(name, ({ pausedUntil }) => ({ pausedUntil: Math.max(pausedUntil, until) })),
    turnOff: async (name, version, since) =>
      updateState(name, ({ offSince }) => ({ offSince: { [version]: since, ...offSince } })),
    turnOn: async (name, since) =>
      updateState(name, ({ onSince }) => ({ onSince: Math.max(onSince, since) })),
  };
}

/** Maximum message ids that the broker remembers to recognize duplicates. */
const maxRememberedIds = 10_000;

/** A broker in this process. Like a real broker, it drops a message whose id is among the newest `maxRememberedIds` ones. */
export function createMemoryPublisher(
  deliver: (message: OutgoingMessage) => void = () => undefined,
): Publisher<OutgoingMessage> {
  const publishedIds = new LRUCache<string, true>({ max: maxRememberedIds });
  return {
    publish: async (message) => {
      if (!publishedIds.has(message.id)) {
        publishedIds.set(message.id, true);
        deliver(message);
      }
      return doneResult;
    },
    close: async () => undefined,
  };
}

/** An outbox with methods for the stores of the same process. */
export interface MemoryOutbox<Item extends OutboxItem> extends Outbox<Item> {
  /** Stores the items of a change, all or none. A full destination drops its items or, by its rule, throws OutboxFullError. */
  readonly add: (owner: string, items: readonly Item[]) => void;
  /** Stores mails, all or none; false if they exceed the limits. */
  readonly addMails: (owner: string, mails: readonly Mail[]) => boolean;
  /** Bytes that mails of an owner may still take. */
  readonly freeMailBytes: (owner: string) => number;
}

interface MemoryOutboxDependencies<Item extends OutboxItem> extends Partial<OutboxRules> {
  readonly clock: Clock;
  /** Called when an item with a topic has reached its first destination. */
  readonly onFirstDelivery?: (item: Item) => void;
}

/** The outbox in the memory of one process. Each destination has its own queues. */
export function createMemoryOutbox<Item extends OutboxItem>(
  options: MemoryOutboxDependencies<Item>,
): MemoryOutbox<Item> {
  const { clock, onFirstDelivery, ...rules } = { ...defaultOutboxRules, ...options };
  const mailRules = mailRulesOf(rules);
  type Queues = ReturnType<typeof createDeliveryQueues<Item>>;
  const queuesByDestination = new Map<string, Queues>();
  let waitingItemCount = 0;

  function queuesOf(destination: string): Queues {
    const queues = queuesByDestination.get(destination) ?? createDeliveryQueues<Item>(clock);
    queuesByDestination.set(destination, queues);
    return queues;
  }

  function removeDelivery(destination: string, id: string): QueueEntry<Item> | undefined {
    const entry = queuesByDestination.get(destination)?.remove(id);
    if (entry && (entry.itemState.waitingDestinations -= 1) === 0) waitingItemCount -= 1;
    return entry;
  }

  /** Stores items for their destinations, all or none. False if a full destination dropped some. */
  function storeItems(
    owner: string,
    items: readonly Item[],
    { destinationsOf, capacityOf, onDropped }: OutboxRules,
  ): boolean {
    const storedAt = clock();
    const newItems = items.map((item): NewItem<Item> => ({
      item: deepFreeze(item),
      itemState: { storedAt, isLogged: item.topic === undefined, waitingDestinations: 0 },
    }));
    const copies = newItems.flatMap((newItem) =>
      [...new Set(destinationsOf(newItem.item))].map((destination) => ({ ...newItem, destination })),
    );
    const droppedItems: DroppedItems[] = [];
    const commits = [...groupByKey(copies, (copy) => copy.destination)].flatMap(([destination, group]) => {
      const capacity = capacityOf(destination);
      const commit = queuesOf(destination).prepare(owner, group, capacity);
      if (commit) return [commit];
      if (capacity.whenFull === 'refuse') throw new OutboxFullError('the outbox is full');
      droppedItems.push(...countDropped(group.map(({ item }) => [destination, item])));
      return [];
    });
    for (const commit of commits) commit();
    droppedItems.forEach(onDropped);
    waitingItemCount += newItems.filter(({ itemState }) => itemState.waitingDestinations > 0).length;
    return droppedItems.length === 0;
  }

  return {
    add: (owner, items) => void storeItems(owner, items, rules),
    // A claim for the destination `mail` casts these items back to mails.
    addMails: (owner, mails) =>
      storeItems(owner, mails as readonly OutboxItem[] as readonly Item[], mailRules),
    freeMailBytes: (owner) =>
      Math.max(0, queuesOf(mailServerName).freeBytes(owner, rules.capacityOf(mailServerName))),

    claim: async (claimLimits, leaseMs) =>
      claimLimits.flatMap(({ destination, ...claimLimit }) =>
        (queuesByDestination.get(destination)?.claim(claimLimit, leaseMs) ?? []).map(
          ({ item, owner, attempt, failures }) => ({ item, owner, destination, attempt, failures }),
        ),
      ),

    async settle(settlements) {
      for (const { outcome, destination, id } of settlements) {
        if (typeof outcome === 'object') {
          queuesByDestination.get(destination)?.release(id, outcome);
          continue;
        }
        const entry = removeDelivery(destination, id);
        if (!entry || entry.itemState.isLogged || outcome === 'dropped') continue;
        entry.itemState.isLogged = true;
        onFirstDelivery?.(entry.item);
      }
      return [];
    },

    async dropWaiting({ storedUntil, destination: onlyDestination, limit }) {
      const idleDeliveries = [...queuesByDestination]
        .filter(([name]) => onlyDestination === undefined || name === onlyDestination)
        .flatMap(([destination, queues]) =>
          queues.findIdle(storedUntil, limit).map(({ item }) => [destination, item] as const),
        )
        .slice(0, limit);
      for (const [destination, { id }] of idleDeliveries) removeDelivery(destination, id);
      return countDropped(idleDeliveries);
    },

    // Counts all destinations by default: none has an empty name.
    async backlog(filter = { except: '' }) {
      const isIncluded = (name: string): boolean =>
        'only' in filter ? name === filter.only : name !== filter.except;
      const oldestTimes = [...queuesByDestination].flatMap(([name, queues]) =>
        isIncluded(name) ? (queues.findOldest()?.itemState.storedAt ?? []) : [],
      );
      return {
        count:
          'only' in filter
            ? (queuesByDestination.get(filter.only)?.count() ?? 0)
            : waitingItemCount - (queuesByDestination.get(filter.except)?.countExclusive() ?? 0),
        ...(oldestTimes.length > 0 && { oldestAt: Math.min(...oldestTimes) }),
      };
    },

    // Claims of a single process never pass to another gateway.
    onClaimsLost: () => undefined,
  };
}
