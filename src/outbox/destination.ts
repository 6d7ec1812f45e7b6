import type { OutboxItem, OutboxCapacity } from './outbox.store.ts';

/** Kinds of destinations, as metrics and the log name them. */
export const destinationKinds = ['nats', 'process', 'pubsub', 'webhook', 'channel', 'mail'] as const;
export type DestinationKind = (typeof destinationKinds)[number];

/** Outcome of an attempt, for metrics: `retried` if another attempt follows. */
export type DeliveryOutcome = 'delivered' | 'retried' | 'dropped';

/** Outcome of an attempt to send a mail, for metrics: `refused` and `expired` mails are dropped. */
export type MailOutcome = 'sent' | 'retried' | 'refused' | 'expired';

/** Place to which outbox items are delivered, such as a broker or a webhook, with its limits and retry pauses. */
export interface Destination<Item extends OutboxItem> {
  /**
   * Stored with each waiting item, so equal on all gateways, without secrets, and at most 500 bytes. Apart from `broker`, the kind
   * or `kind:…`: the kind of a destination that is no longer configured is read from it.
   */
  readonly name: string;
  readonly kind: DestinationKind;
  /** Log fields that locate the destination, such as host and path. */
  readonly locationFields?: Readonly<Record<string, string>>;
  readonly publisher: Publisher<Item>;
  accepts(item: Item): boolean;
  readonly capacity: OutboxCapacity;
  /** Pause before the second attempt, and the longest pause (ms). Pauses double with each failure; jitter takes off up to half. */
  readonly pauses: { readonly firstMs: number; readonly maxMs: number };
  /** Limit on ordering keys delivered at the same time. */
  readonly maxConcurrentKeys: number;
  /** Version of the settings. A destination that turned off stays off for all gateways with this version. */
  readonly version?: string;
}

/** Reason why an attempt failed, with the reply code of the mail server if there was one. */
export type Cause = Error & { readonly smtpCode?: number | undefined };

/** Result of one delivery attempt. `cause.message` is logged, so it must not hold bodies, object names, queries or secrets. */
export type DeliveryResult =
  | { readonly outcome: 'done' }
  /** Retries the item after a pause. */
  | { readonly outcome: 'again'; readonly cause: Cause }
  /** Pauses the destination until `until` (epoch ms). `isOutage`: not caused by this item, which gets no backoff of its own. */
  | { readonly outcome: 'pause'; readonly until: number; readonly cause: Cause; readonly isOutage?: true }
  /** Drops the item for this destination. */
  | { readonly outcome: 'never'; readonly cause: Cause }
  /** Turns the destination off until its version changes, and drops all items that wait for it. */
  | { readonly outcome: 'off'; readonly cause: Error };

export const doneResult: DeliveryResult = { outcome: 'done' };

/** Port to a destination. */
export interface Publisher<Item extends OutboxItem> {
  /** Resolves to `done` once stored; a rejection counts as `again`. Must end within 30 s, and soon after `signal` is aborted. */
  publish(item: Item, signal: AbortSignal): Promise<DeliveryResult>;
  close(): Promise<void>;
}
