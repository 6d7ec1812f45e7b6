import { LRUCache } from 'lru-cache';
import { deepFreeze } from '../../core/patch.ts';
import { countsAt, type HourCounts, leftOfDay } from '../../core/quota.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { mostMailsADay } from '../../event/event.store.ts';
import type { Mail } from '../../mail/mail.ts';
import type { OutgoingMessage } from '../../notification/notification.store.ts';
import { done, type Publisher } from '../../outbox/destination.ts';
import {
  byDestination,
  countDropped,
  defaultOutboxRules,
  type DeliveryKey,
  type DestinationsOf,
  type DestinationState,
  type DestinationStates,
  type Dropped,
  droppedOf,
  mail,
  type Outbox,
  OutboxFullError,
  type OutboxItem,
  type OutboxRules,
  type OutboxCapacity,
} from '../../outbox/outbox.store.ts';
import { createDeliveryQueues, type Shared, type Waiting } from './delivery-queues.ts';

/** The callers who caused mails last. */
const maxCallers = 10_000;

/** Counts of the mails that callers cause. */
export function createMailCounts(clock: Clock) {
  const callers = new LRUCache<string, HourCounts>({ max: maxCallers });
  const countsOf = (caller: string): HourCounts => countsAt(callers.peek(caller), clock());
  return {
    /** The number of mails that this caller may still cause now. */
    left: (caller: string): number => leftOfDay(mostMailsADay, countsOf(caller)),
    add(caller: string | undefined, mails: number): void {
      if (caller === undefined) return;
      const counts = countsOf(caller);
      callers.set(caller, { ...counts, count: counts.count + mails });
    },
  };
}

/** The states of destinations in the memory of this process. */
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

/** A broker in this process. Like a real one it drops a message whose id was among the newest `maxRemembered` ones. */
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
  /**
   * For stores in the same memory: stores the items of a change of an owner, all or none, save for destinations that
   * have no room and whose rule says so; throws OutboxFullError where another one has none.
   */
  readonly add: (owner: string, items: readonly Item[]) => void;
  /** The same for mails, all or none: false where there is no room. */
  readonly addMails: (owner: string, mails: readonly Mail[]) => boolean;
  /** The bytes that mails of an owner may still take. */
  readonly roomForMails: (owner: string) => number;
}

interface MemoryOutboxParts<Item extends OutboxItem> extends Partial<OutboxRules> {
  readonly clock: Clock;
  /** Called with an item that has a topic when the first destination has it. */
  readonly onFirstDelivery?: (item: Item) => void;
}

/** Items that wait in the memory of this process, for each destination by themselves. */
export function createMemoryOutbox<Item extends OutboxItem>(
  parts: MemoryOutboxParts<Item>,
): MemoryOutbox<Item> {
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

  function take({ id, destination }: Pick<DeliveryKey, 'id' | 'destination'>): Waiting<Item> | undefined {
    const entry = destinations.get(destination)?.take(id);
    if (entry && (entry.shared.destinations -= 1) === 0) count -= 1;
    return entry;
  }

  function add(
    owner: string,
    items: readonly Item[],
    namesOf: DestinationsOf,
    roomFor: (destination: string) => OutboxCapacity,
  ): boolean {
    const storedAt = clock();
    const shared = new Map(
      items.map((item): [Item, Shared] => [
        deepFreeze(item),
        { storedAt, isLogged: item.topic === undefined, destinations: 0 },
      ]),
    );
    const dropped: Dropped[] = [];
    const puts = [...byDestination(items, namesOf)].flatMap(([destination, own]) => {
      const room = roomFor(destination);
      const put = queuesOf(destination).prepare(
        owner,
        own.map((item) => ({ item, shared: shared.get(item) as Shared })),
        room,
      );
      if (put) return [put];
      if (room.whenFull === 'refuse') throw new OutboxFullError('the outbox is full');
      dropped.push(...countDropped(own.map((item) => droppedOf(destination, item))));
      return [];
    });
    for (const put of puts) put();
    dropped.forEach(onDropped);
    count += [...shared.values()].filter((one) => one.destinations > 0).length;
    return dropped.length === 0;
  }

  return {
    add: (owner, items) => void add(owner, items, destinationsOf, roomOf),
    // Who claims what is for `mail` knows that these are mails.
    addMails: (owner, mails) =>
      add(
        owner,
        mails as readonly OutboxItem[] as readonly Item[],
        () => [mail],
        (name) => ({ ...roomOf(name), whenFull: 'drop' }),
      ),
    roomForMails: (owner) => Math.max(0, queuesOf(mail).free(owner, roomOf(mail))),

    claim: async (capacities, leaseMs) =>
      capacities.flatMap(({ destination, ...most }) =>
        (destinations.get(destination)?.claim(most, leaseMs) ?? []).map(
          ({ item, owner, attempt, failures }) => ({ item, owner, destination, attempt, failures }),
        ),
      ),

    async settle(settlements) {
      for (const { outcome, ...delivery } of settlements) {
        if (typeof outcome === 'object') {
          destinations.get(delivery.destination)?.release(delivery.id, outcome);
          continue;
        }
        const entry = take(delivery);
        if (!entry || entry.shared.isLogged || outcome === 'dropped') continue;
        entry.shared.isLogged = true;
        onFirstDelivery?.(entry.item);
      }
      return [];
    },

    async giveUp({ storedBy, destination: only, limit }) {
      const found = [...destinations]
        .filter(([name]) => only === undefined || name === only)
        .flatMap(([destination, queues]) =>
          queues.idle(storedBy, limit).map(({ item }) => ({ destination, item })),
        )
        .slice(0, limit);
      for (const { destination, item } of found) take({ id: item.id, destination });
      return countDropped(found.map(({ destination, item }) => droppedOf(destination, item)));
    },

    async backlog(which = { except: '' }) {
      const isAsked = (name: string): boolean =>
        'only' in which ? name === which.only : name !== which.except;
      const oldest = [...destinations].flatMap(([name, queues]) =>
        isAsked(name) ? (queues.oldest()?.shared.storedAt ?? []) : [],
      );
      return {
        count:
          'only' in which
            ? (destinations.get(which.only)?.count() ?? 0)
            : count - (destinations.get(which.except)?.countAlone() ?? 0),
        ...(oldest.length > 0 && { oldestAt: Math.min(...oldest) }),
      };
    },

    onClaimsLost: () => undefined,
  };
}
