import { bytesOf, mebibyte } from '../core/json.ts';

/** Something to be sent because of a change. Stores and relays read no more of it than this type says. */
export interface OutboxItem {
  /** Unique among all items, and the same for each destination: receivers know a repeated item by it. */
  readonly id: string;
  /** Items with the same key reach a destination in the order in which they were stored. */
  readonly orderingKey: string;
  /** The log that shows the item from its first delivery on; absent for items that no log shows. */
  readonly topic?: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The body: text, or empty. Items of one change that have the same body share the room that it takes. */
  readonly data: string;
}

/** The message broker, or the process itself where there is none: the one destination that gateways of every release know. */
export const broker = 'broker';

/** The mail server, which has the ordering keys of its own: the guests of each event. */
export const mail = 'mail';

/** Names the destinations of an item, when it is stored: it waits for each of them independently. */
export type DestinationsOf = (item: OutboxItem) => readonly string[];

/** An item on its way to one of its destinations. */
export interface DeliveryKey {
  readonly id: string;
  readonly destination: string;
  /** Whose change stored the item. */
  readonly owner: string;
  readonly topic?: string | undefined;
}

/** The key of a delivery in maps and sets. */
export const deliveryKey = ({ destination, id }: Pick<DeliveryKey, 'destination' | 'id'>): string =>
  JSON.stringify([destination, id]);

/** A delivery that one gateway attempts now, and no other. */
export interface Claim<Item extends OutboxItem> {
  readonly item: Item;
  readonly owner: string;
  readonly destination: string;
  /** The number of claims of this delivery so far, this one included: it tells this claim from earlier and later ones. */
  readonly attempt: number;
  /** How often it was released with a delay. */
  readonly failures: number;
}

/** A claim that ends before its lease does. */
export interface Release {
  readonly attempt: number;
  /** For so many milliseconds the item, and so those behind it, are not handed out again. More than 0 counts as a failure. */
  readonly delayMs: number;
}

/** Whether a delivery has succeeded, will never succeed, or is to be attempted again. */
export type Outcome = 'done' | 'dropped' | Release;

/** What has become of a delivery. */
export interface Settlement extends DeliveryKey {
  readonly outcome: Outcome;
}

export const settlementOf = <Item extends OutboxItem>(
  { item: { id, topic }, owner, destination }: Pick<Claim<Item>, 'item' | 'owner' | 'destination'>,
  outcome: Outcome,
): Settlement => ({ id, topic, owner, destination, outcome });

/** Items that a destination does not get. */
export interface Dropped {
  readonly destination: string;
  /** Absent for items that no log shows. */
  readonly topic?: string;
  /** Of mails: the id of the event, and the method. */
  readonly event?: string;
  readonly method?: string;
  readonly count: number;
}

/** Deliveries that are not wanted any more. */
export interface GiveUp {
  /** Epoch milliseconds: those that were stored then or earlier. */
  readonly storedBy: number;
  /** Absent: at all destinations, those that nobody names any more too. */
  readonly destination?: string;
  /** About how many at once. */
  readonly limit: number;
}

/** The number of deliveries that a relay can take on for a destination. */
export interface Capacity {
  readonly destination: string;
  readonly limit: number;
  /** The most of them of keys whose oldest item has failed; absent: all. */
  readonly failing?: number;
}

/** A part of what waits, by a destination. */
export type BacklogPart = { readonly only: string } | { readonly except: string };

export interface Backlog {
  /** Items that wait, however many destinations each waits for. */
  readonly count: number;
  /** Epoch milliseconds at which the oldest was stored; absent when there is none. */
  readonly oldestAt?: number;
}

/**
 * Items that are stored and wait for their destinations: all that a relay needs of a store. They are stored together with the
 * change that causes them, all or none, by the stores of resources.
 */
export interface Outbox<Item extends OutboxItem> {
  /**
   * Hands out deliveries that nobody else gets for `leaseMs`, up to the limit of each destination, and none for destinations
   * that are not named. At a destination a key gives its oldest items, in order, and none as long as its oldest one is
   * claimed or was released with a delay that still runs. The limit is shared fairly: each key gives its first item before
   * any gives a second, and those that were served longest ago come first. Keys whose oldest item was released with a delay
   * alternate with the others. So no key holds up others, however many items it has, and no number of failing keys.
   */
  claim(capacities: readonly Capacity[], leaseMs: number): Promise<readonly Claim<Item>[]>;
  /**
   * Forgets deliveries that have succeeded or never will, whoever claimed them, and ends claims; one that somebody else has by now is left
   * alone. The first delivery of an item adds it to the log of its topic. Gives what cannot be stored now.
   */
  settle(settlements: readonly Settlement[]): Promise<readonly Settlement[]>;
  /** Forgets the oldest deliveries of some kind, save those that are claimed: whoever attempts one now will settle it. Tells which they were. */
  giveUp(which: GiveUp): Promise<readonly Dropped[]>;
  /** What waits for any destination; or for this one, or for any but this one. */
  backlog(which?: BacklogPart): Promise<Backlog>;
  /** Has a function called when all that was claimed here is about to be handed to others: attempts are to end at once. */
  onClaimsLost(listener: () => void): void;
}

/** There is no room for more items: nothing was stored. */
export class OutboxFullError extends Error {}

/** The bytes, as `bytesOf` estimates them, that waiting items may take for each destination. */
export interface OutboxLimits {
  readonly bytes: number;
  /** The most that the items of one owner, such as a bucket, may take of it. */
  readonly bytesPerOwner: number;
}

/** The room of a destination, and what becomes of a change that finds none: it is refused, or stored without the items for there. */
export interface OutboxCapacity extends OutboxLimits {
  readonly whenFull: 'refuse' | 'drop';
}

export interface OutboxRules {
  readonly destinationsOf: DestinationsOf;
  readonly roomOf: (destination: string) => OutboxCapacity;
  /** Told of items that found no room, once the change is stored without them. */
  readonly onDropped: (dropped: Dropped) => void;
}

/** The room of brokers, for which changes are refused rather than lost. */
export const brokerRoom: OutboxCapacity = {
  bytes: 64 * mebibyte,
  bytesPerOwner: 16 * mebibyte,
  whenFull: 'refuse',
};

export const defaultOutboxRules: OutboxRules = {
  destinationsOf: () => [broker],
  roomOf: () => brokerRoom,
  onDropped: () => undefined,
};

/** What is told of an item that a destination does not get. */
export const droppedOf = (
  destination: string,
  { topic, attributes: { event, method } }: Pick<OutboxItem, 'topic' | 'attributes'>,
): Omit<Dropped, 'count'> => ({
  destination,
  ...(topic !== undefined && { topic }),
  ...(destination === mail && { event, method }),
});

/** How many items there are of which the same is told. */
export function countDropped(items: Iterable<Omit<Dropped, 'count'>>): Dropped[] {
  const counts = new Map<string, Dropped>();
  for (const item of items) {
    const key = JSON.stringify([item.destination, item.topic, item.event, item.method]);
    counts.set(key, { ...item, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

/** The items of a change by destination, in their order. */
export function byDestination<Item extends OutboxItem>(
  items: readonly Item[],
  destinationsOf: DestinationsOf,
): ReadonlyMap<string, readonly Item[]> {
  const found = new Map<string, Item[]>();
  for (const item of items)
    for (const destination of new Set(destinationsOf(item))) {
      const own = found.get(destination) ?? [];
      found.set(destination, own);
      own.push(item);
    }
  return found;
}

/** The first queues of two kinds, one of each in turn, up to a limit. */
export const alternate = <Queue>(first: readonly Queue[], second: readonly Queue[], limit: number): Queue[] =>
  Array.from({ length: limit }, (_, index) => [first, second].flatMap((queues) => queues[index] ?? []))
    .flat()
    .slice(0, limit);

/** The size of each item of a change: with a part of the body that it shares with others. */
export function sizesOf(items: readonly OutboxItem[]): number[] {
  const bodies = new Map<string, { bytes: number; uses: number }>();
  for (const { data } of items) {
    const body = bodies.get(data) ?? { bytes: bytesOf(data), uses: 0 };
    body.uses += 1;
    bodies.set(data, body);
  }
  return items.map(({ data, ...rest }) => {
    const body = bodies.get(data) as { bytes: number; uses: number };
    const part = Math.ceil(body.bytes / body.uses);
    body.bytes -= part;
    body.uses -= 1;
    return bytesOf(rest) + part;
  });
}

/** The state of a destination that all gateways share. */
export interface DestinationState {
  /** Epoch milliseconds before which nothing more is started at it. */
  readonly pausedUntil: number;
  /** By version: since when it is off (epoch ms), for gateways whose destination has this version. */
  readonly offSince: Readonly<Record<string, number>>;
  /** When a gateway with another version last began to serve it; 0 for never. */
  readonly onSince: number;
}

/** The states of destinations, by their names. */
export interface DestinationStates {
  /** Reads the states of the destinations that were ever paused or turned off. */
  read(names: readonly string[]): Promise<ReadonlyMap<string, DestinationState>>;
  /** A pause is never made shorter. */
  pause(name: string, until: number): Promise<void>;
  /** The first time counts. */
  turnOff(name: string, version: string, since: number): Promise<void>;
  /** The last time counts. */
  turnOn(name: string, since: number): Promise<void>;
}
