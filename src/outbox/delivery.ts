import type { OutboxItem } from './outbox.store.ts';

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
