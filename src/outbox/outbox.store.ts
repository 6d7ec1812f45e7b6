import { estimateBytes, mebibyte } from '../core/json.ts';

/** A message or mail caused by a change. Stores and relays know only these properties. */
export interface OutboxItem {
  /** Globally unique and equal at each destination, so that receivers can detect duplicates. */
  readonly id: string;
  /** Items with the same key reach a destination in the order in which they were stored. */
  readonly orderingKey: string;
  /** The topic whose log shows the item after its first delivery; absent for items without a log. */
  readonly topic?: string;
  readonly attributes: Readonly<Record<string, string>>;
  /** The body: text, or empty. Items of one change with equal bodies are charged for it once. */
  readonly data: string;
}

/** Name of the destination for the broker, or for the process itself without one: the only one known to gateways of every release. */
export const brokerName = 'broker';

/** Name of the destination for mails, whose ordering keys are per guest and event. */
export const mailServerName = 'mail';

/** Names the destinations of an item when it is stored. Deliveries to them are independent. */
export type DestinationsOf = (item: OutboxItem) => readonly string[];

/** Identifies an item that waits for a destination. */
interface DeliveryKey {
  readonly id: string;
  readonly destination: string;
  /** The owner of the changed resource, such as a bucket, for quotas. */
  readonly owner: string;
  readonly topic?: string | undefined;
}

/** Formats the key of a delivery, for maps. */
export const formatDeliveryKey = ({ destination, id }: Pick<DeliveryKey, 'destination' | 'id'>): string =>
  JSON.stringify([destination, id]);

/** A delivery leased to one gateway. */
export interface Claim<Item extends OutboxItem> {
  readonly item: Item;
  readonly owner: string;
  readonly destination: string;
  /** Number of claims of this delivery so far, including this one; identifies the claim. */
  readonly attempt: number;
  /** Number of failed attempts so far, which determines the backoff. */
  readonly failures: number;
}

/** End of a claim whose delivery failed or was not attempted: the item keeps waiting. */
export interface Release {
  readonly attempt: number;
  /** Time until the item, and those behind it, may be claimed again. More than 0 counts as a failure. */
  readonly delayMs: number;
}

/** Outcome of a claim: the item was delivered, was dropped, or keeps waiting. */
export type SettlementOutcome = 'done' | 'dropped' | Release;

/** Reports the end of a claim to the outbox. */
export interface Settlement extends DeliveryKey {
  readonly outcome: SettlementOutcome;
}

/** Creates the settlement of a claim. */
export const settlementOf = <Item extends OutboxItem>(
  { item: { id, topic }, owner, destination }: Pick<Claim<Item>, 'item' | 'owner' | 'destination'>,
  outcome: SettlementOutcome,
): Settlement => ({ id, topic, owner, destination, outcome });

/** Number of dropped items that have these properties in common. */
export interface DroppedItems {
  readonly destination: string;
  readonly topic?: string;
  /** Event id and iTIP method of mails. */
  readonly event?: string;
  readonly method?: string;
  readonly count: number;
}

/** Selects waiting deliveries to drop. */
export interface DropRequest {
  /** Epoch milliseconds: only deliveries stored at or before this time. */
  readonly storedUntil: number;
  /** Absent: all destinations, including those no longer configured. */
  readonly destination?: string;
  readonly limit: number;
}

/** Limits on the deliveries that a relay claims for a destination. */
export interface ClaimLimit {
  readonly destination: string;
  readonly limit: number;
  /** Limit on deliveries of keys whose oldest item has failed; absent: no limit of its own. */
  readonly maxFailing?: number;
}

/** Restricts a backlog to one destination, or excludes one. */
export type BacklogFilter = { readonly only: string } | { readonly except: string };

/** Items that wait for a destination. */
export interface Backlog {
  /** Number of waiting items; an item that waits for several destinations counts once. */
  readonly count: number;
  /** Epoch milliseconds at which the oldest was stored; absent for an empty backlog. */
  readonly oldestAt?: number;
}

/** Items waiting for their destinations, as a relay sees them. The stores of resources insert them in the transaction of the change. */
export interface Outbox<Item extends OutboxItem> {
  /**
   * Leases deliveries for `leaseMs`, up to the limit of each destination in `claimLimits`. Per destination, a key yields its oldest
   * items in order, and none while its oldest one is claimed or its release delay runs. Limits are shared fairly: each key yields
   * one item before any yields a second, least recently served keys first. Keys whose oldest item was released with a delay
   * alternate with the others, so neither a long queue nor many failing keys hold up other keys.
   */
  claim(claimLimits: readonly ClaimLimit[], leaseMs: number): Promise<readonly Claim<Item>[]>;
  /**
   * Deletes finished deliveries, whoever claimed them, and ends released claims unless another gateway holds them by now. The first
   * delivery of an item adds it to the log of its topic. Returns the settlements that cannot be stored now.
   */
  settle(settlements: readonly Settlement[]): Promise<readonly Settlement[]>;
  /** Drops the oldest matching deliveries and returns them. Skips claimed ones, which the claiming gateway settles. */
  dropWaiting(request: DropRequest): Promise<readonly DroppedItems[]>;
  /** Counts the waiting items. */
  backlog(filter?: BacklogFilter): Promise<Backlog>;
  /** Calls the listener when the claims of this gateway are about to go to others, so attempts must end at once. */
  onClaimsLost(listener: () => void): void;
}

/** Refuses a change whose items exceed the capacity of a destination (`whenFull: 'refuse'`). */
export class OutboxFullError extends Error {}

/** Limits on the size of items waiting for one destination, in bytes as `estimateBytes` counts them. */
export interface OutboxLimits {
  readonly maxBytes: number;
  /** Limit for the items of one owner, such as a bucket. */
  readonly maxBytesPerOwner: number;
}

/** Limits of a destination. Without capacity a change is refused, or stored without its items for the destination (`drop`). */
export interface OutboxCapacity extends OutboxLimits {
  readonly whenFull: 'refuse' | 'drop';
}

/** Rules by which stores distribute the items of a change to destinations. */
export interface OutboxRules {
  readonly destinationsOf: DestinationsOf;
  readonly capacityOf: (destination: string) => OutboxCapacity;
  /** Called with items dropped for lack of capacity, once the change is stored. */
  readonly onDropped: (items: DroppedItems) => void;
}

/** Limits of brokers. A change is refused rather than stored without its message. */
export const brokerCapacity: OutboxCapacity = {
  maxBytes: 64 * mebibyte,
  maxBytesPerOwner: 16 * mebibyte,
  whenFull: 'refuse',
};

/** Rules of an outbox whose only destination is the broker. */
export const defaultOutboxRules: OutboxRules = {
  destinationsOf: () => [brokerName],
  capacityOf: () => brokerCapacity,
  onDropped: () => undefined,
};

/** Rules of mails: those beyond the limits are dropped, and the change is stored. */
export const mailRulesOf = (rules: OutboxRules): OutboxRules => ({
  ...rules,
  destinationsOf: () => [mailServerName],
  capacityOf: (name) => ({ ...rules.capacityOf(name), whenFull: 'drop' }),
});

/** Counts items that a destination does not get, by the properties that are logged. */
export function countDropped(
  deliveries: Iterable<readonly [destination: string, item: Pick<OutboxItem, 'topic' | 'attributes'>]>,
): DroppedItems[] {
  const counts = new Map<string, DroppedItems>();
  for (const [destination, { topic, attributes }] of deliveries) {
    const { event, method } = attributes;
    const properties = {
      destination,
      ...(topic !== undefined && { topic }),
      ...(destination === mailServerName && { event, method }),
    };
    const key = JSON.stringify(properties);
    counts.set(key, { ...properties, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

/** Interleaves queues of two kinds, one of each in turn, up to a limit. */
export const interleave = <Queue>(
  first: readonly Queue[],
  second: readonly Queue[],
  limit: number,
): Queue[] =>
  Array.from({ length: limit }, (_, index) => [first, second].flatMap((queues) => queues[index] ?? []))
    .flat()
    .slice(0, limit);

/** Returns the size of an item in bytes without its body. */
export const envelopeBytesOf = (item: OutboxItem): number => estimateBytes(item) - estimateBytes(item.data);

/** Computes the size of each item of a change in bytes. Items with equal bodies share the size of the body. */
export function computeItemBytes(items: readonly OutboxItem[]): number[] {
  const bodies = new Map<string, { bytes: number; uses: number }>();
  const shares = items.map(({ data }) => {
    const body = bodies.get(data) ?? { bytes: estimateBytes(data), uses: 0 };
    bodies.set(data, body);
    body.uses += 1;
    return body;
  });
  return items.map((item, index) => {
    const body = shares[index] as { bytes: number; uses: number };
    const bodyShare = Math.ceil(body.bytes / body.uses);
    body.bytes -= bodyShare;
    body.uses -= 1;
    return envelopeBytesOf(item) + bodyShare;
  });
}

/** State of a destination that all gateways share. */
export interface DestinationState {
  /** Epoch milliseconds before which no delivery starts. */
  readonly pausedUntil: number;
  /** Epoch milliseconds at which the destination turned off, by the version of its settings. */
  readonly offSince: Readonly<Record<string, number>>;
  /** Epoch milliseconds at which a gateway with another version last turned it on; 0 for never. */
  readonly onSince: number;
}

/** Port to the shared states of destinations. Times are epoch milliseconds. */
export interface DestinationStateStore {
  /** Reads the states of the destinations that were ever paused or turned off. */
  read(names: readonly string[]): Promise<ReadonlyMap<string, DestinationState>>;
  /** Pauses a destination; never shortens an earlier pause. */
  pause(name: string, until: number): Promise<void>;
  /** Turns a version off; a later call does not change `since`. */
  turnOff(name: string, version: string, since: number): Promise<void>;
  /** Turns a destination on; the latest `since` wins. */
  turnOn(name: string, since: number): Promise<void>;
}
