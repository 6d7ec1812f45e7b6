import type { OutboxItem, OutboxCapacity } from './outbox.store.ts';

/** Kinds of destinations, as figures and the log name them. */
export const destinationKinds = ['nats', 'process', 'pubsub', 'webhook', 'mail'] as const;
export type DestinationKind = (typeof destinationKinds)[number];

/** How the delivery of an item ended, or an attempt that is to be followed by another. */
export type DeliveryOutcome = 'delivered' | 'retried' | 'dropped';

/** The same of a mail: one that is refused or has waited too long is given up. */
export type MailOutcome = 'sent' | 'retried' | 'refused' | 'expired';

/** Somewhere that items go, with all that stores and the relay have to know of it. */
export interface Destination<Item extends OutboxItem> {
  /**
   * Stored with what waits for it: the same at every gateway and start, no secret, and 500 bytes at most. Save for `broker` it is its
   * kind, with `:` and more behind it where there are several of the kind: so it is known once nobody is configured for it any more.
   */
  readonly name: string;
  readonly kind: DestinationKind;
  /** What the log says of it beside its kind, such as host and path. */
  readonly place?: Readonly<Record<string, string>>;
  readonly publisher: Publisher<Item>;
  /** Whether an item goes there. */
  takes(item: Item): boolean;
  /** The room for what waits. */
  readonly room: OutboxCapacity;
  /** The pause before the second attempt of an item and the longest one, in milliseconds: each is twice the one before, less up to half of it. */
  readonly pauses: { readonly first: number; readonly longest: number };
  /** The most ordering keys that are delivered at the same time; absent: an equal share of what the relay has. */
  readonly mostAtOnce?: number;
  /** Once it is off it stays so, for gateways with the same version of it. */
  readonly version?: string;
}

/** Why an attempt failed; of a mail with what the server answered, where it did. */
export type Cause = Error & { readonly smtpCode?: number | undefined };

/**
 * The outcome of one attempt to deliver an item. The message of a `cause` is for the log: it holds no body, no name of an
 * object, no query and no secret.
 */
export type Delivery =
  | { readonly outcome: 'done' }
  /** The item is attempted again, after a pause. */
  | { readonly outcome: 'again'; readonly cause: Cause }
  /**
   * The same, and nothing more goes to the destination before the given time (epoch ms). `isOutage`: nothing was said of the item,
   * so it has no further pause of its own.
   */
  | { readonly outcome: 'pause'; readonly until: number; readonly cause: Cause; readonly isOutage?: true }
  /** The item is dropped for this destination. */
  | { readonly outcome: 'never'; readonly cause: Cause }
  /** The destination wants no items any more: all that wait for it are dropped, and it is off until its version changes. */
  | { readonly outcome: 'off'; readonly cause: Error };

export const done: Delivery = { outcome: 'done' };

/** Delivers items to one destination, at least once each. */
export interface Publisher<Item extends OutboxItem> {
  /**
   * Answers `done` when the destination has the item safe. A rejection counts as `again` with that cause. The attempt ends by itself within 30 s,
   * and soon after `signal` is aborted, when the gateway stops.
   */
  publish(item: Item, signal: AbortSignal): Promise<Delivery>;
  close(): Promise<void>;
}
