import { LRUCache } from 'lru-cache';
import { deepFreeze } from '../../core/patch.ts';
import { advanceCounts, type HourCounts, remainingDailyQuota } from '../../core/quota.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { maxMailsPerDay } from '../../event/event.store.ts';
import type { Mail } from '../../mail/mail.ts';
import type { OutgoingMessage } from '../../notification/notification.store.ts';
import { done, type Publisher } from '../../outbox/destination.ts';
import {
  groupByDestination,
  countDropped,
  defaultOutboxRules,
  type DeliveryKey,
  type DestinationsOf,
  type DestinationState,
  type DestinationStates,
  type Dropped,
  droppedItemOf,
  mail,
  type Outbox,
  OutboxFullError,
  type OutboxItem,
  type OutboxRules,
  type OutboxCapacity,
} from '../../outbox/outbox.store.ts';
import { createDeliveryQueues, type ItemState, type QueueEntry } from './delivery-queues.ts';

/** Callers whose mails are counted; the least recent ones are evicted. */
const maxCallers = 10_000;

export function createMailCounts(clock: Clock) {
  const callers = new LRUCache<string, HourCounts>({ max: maxCallers });
  const countsOf = (caller: string): HourCounts => advanceCounts(callers.peek(caller), clock());
  return {
    remaining: (caller: string): number => remainingDailyQuota(maxMailsPerDay, countsOf(caller)),
    add(caller: string | undefined, mails: number): void {
      if (caller === undefined) return;
      const counts = countsOf(caller);
      callers.set(caller, { ...counts, count: counts.count + mails });
    },
  };
}

export function createMemoryDestinationStates(): DestinationStates {
  const states = new Map<string, DestinationState>();
  const change = (name: string, next: (state: DestinationState) => Partial<DestinationState>): void => {
    const state = states.get(name) ?? { pausedUntil: 0, offSince: {}, onSince: 0 };
    states.set(name, { ...state, ...next(state) });
  };
  return {
    read: async (names) => new Map([...states].filter(([name]) => names.includes(name))),
    pause: async (name, until) =>
      change(name, ({ pausedUntil }) => ({ pausedUntil: Math.max(pausedUntil, until) })),
    turnOff: async (name, version, since) =>
      change(name, ({ offSince }) => ({ offSince: { [version]: since, ...offSince } })),
    turnOn: async (name, since) => change(name, ({ onSince }) => ({ onSince: Math.max(onSince, since) })),
  };
}

/** A broker in this process. Like a real broker, it drops a message whose id is among the newest `maxRemembered` ones. */
export function createMemoryPublisher(
  deliver: (message: OutgoingMessage) => void = () => undefined,
): Publisher<OutgoingMessage> {
  const seen = new LRUCache<string, true>({ max: maxRemembered });
  return {
    publish: async (message) => {
      if (!seen.has(message.id)) {
        seen.set(message.id, true);
        deliver(message);
      }
      return done;
    },
    close: async () => undefined,
  };
}

const maxRemembered = 10_000;

export interface MemoryOutbox<Item extends OutboxItem> extends Outbox<Item> {
  /** Stores the items of a change, all or none. A full destination drops its items or, by its rule, throws OutboxFullError. */
  readonly add: (owner: string, items: readonly Item[]) => void;
  /** Stores mails, all or none: false where there is no room. */
  readonly addMails: (owner: string, mails: readonly Mail[]) => boolean;
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
  const {
    clock,
    onFirstDelivery,
    capacityOf: roomOf,
    destinationsOf,
    onDropped,
  } = { ...defaultOutboxRules, ...options };
  type Queues = ReturnType<typeof createDeliveryQueues<Item>>;
  const destinations = new Map<string, Queues>();
  let waitingItems = 0;

  function queuesOf(destination: string): Queues {
    const queues = destinations.get(destination) ?? createDeliveryQueues<Item>(clock);
    destinations.set(destination, queues);
    return queues;
  }

  function remove({
    id,
    destination,
  }: Pick<DeliveryKey, 'id' | 'destination'>): QueueEntry<Item> | undefined {
    const entry = destinations.get(destination)?.remove(id);
    if (entry && (entry.shared.destinations -= 1) === 0) waitingItems -= 1;
    return entry;
  }

  function add(
    owner: string,
    items: readonly Item[],
    namesOf: DestinationsOf,
    capacityOf: (destination: string) => OutboxCapacity,
  ): boolean {
    const storedAt = clock();
    const states = new Map(
      items.map((item): [Item, ItemState] => [
        deepFreeze(item),
        { storedAt, isLogged: item.topic === undefined, destinations: 0 },
      ]),
    );
    const dropped: Dropped[] = [];
    const commits = [...groupByDestination(items, namesOf)].flatMap(([destination, destinationItems]) => {
      const capacity = capacityOf(destination);
      const commit = queuesOf(destination).prepare(
        owner,
        destinationItems.map((item) => ({ item, shared: states.get(item) as ItemState })),
        capacity,
      );
      if (commit) return [commit];
      if (capacity.whenFull === 'refuse') throw new OutboxFullError('the outbox is full');
      dropped.push(...countDropped(destinationItems.map((item) => droppedItemOf(destination, item))));
      return [];
    });
    for (const commit of commits) commit();
    dropped.forEach(onDropped);
    waitingItems += [...states.values()].filter(({ destinations: waiting }) => waiting > 0).length;
    return dropped.length === 0;
  }

  return {
    add: (owner, items) => void add(owner, items, destinationsOf, roomOf),
    // A claim for the destination `mail` casts these items back to mails.
    addMails: (owner, mails) =>
      add(
        owner,
        mails as readonly OutboxItem[] as readonly Item[],
        () => [mail],
        (name) => ({ ...roomOf(name), whenFull: 'drop' }),
      ),
    freeMailBytes: (owner) => Math.max(0, queuesOf(mail).free(owner, roomOf(mail))),

    claim: async (capacities, leaseMs) =>
      capacities.flatMap(({ destination, ...capacity }) =>
        (destinations.get(destination)?.claim(capacity, leaseMs) ?? []).map(
          ({ item, owner, attempt, failures }) => ({ item, owner, destination, attempt, failures }),
        ),
      ),

    async settle(settlements) {
      for (const { outcome, ...delivery } of settlements) {
        if (typeof outcome === 'object') {
          destinations.get(delivery.destination)?.release(delivery.id, outcome);
          continue;
        }
        const entry = remove(delivery);
        if (!entry || entry.shared.isLogged || outcome === 'dropped') continue;
        entry.shared.isLogged = true;
        onFirstDelivery?.(entry.item);
      }
      return [];
    },

    async giveUp({ storedUntil, destination: only, limit }) {
      const givenUp = [...destinations]
        .filter(([name]) => only === undefined || name === only)
        .flatMap(([destination, queues]) =>
          queues.findIdle(storedUntil, limit).map(({ item }) => ({ destination, item })),
        )
        .slice(0, limit);
      for (const { destination, item } of givenUp) remove({ id: item.id, destination });
      return countDropped(givenUp.map(({ destination, item }) => droppedItemOf(destination, item)));
    },

    async backlog(which = { except: '' }) {
      const isIncluded = (name: string): boolean =>
        'only' in which ? name === which.only : name !== which.except;
      const oldest = [...destinations].flatMap(([name, queues]) =>
        isIncluded(name) ? (queues.oldest()?.shared.storedAt ?? []) : [],
      );
      return {
        count:
          'only' in which
            ? (destinations.get(which.only)?.count() ?? 0)
            : waitingItems - (destinations.get(which.except)?.countExclusive() ?? 0),
        ...(oldest.length > 0 && { oldestAt: Math.min(...oldest) }),
      };
    },

    onClaimsLost: () => undefined,
  };
}
