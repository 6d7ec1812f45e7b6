import type { OutboxItem } from './outbox.store.ts';

/** The outcome of one attempt to deliver an item. */
export type Delivery =
  | { readonly outcome: 'done' }
  /** The item is attempted again, after a pause, and not before the given time (epoch ms). */
  | { readonly outcome: 'again'; readonly notBefore?: number; readonly cause: unknown }
  /** The item is dropped for this destination. */
  | { readonly outcome: 'never'; readonly cause: unknown };

export const done: Delivery = { outcome: 'done' };

/** Delivers items to one destination, at least once each. */
export interface Publisher<Item extends OutboxItem> {
  /** Answers `done` when the destination has the item safe. A rejection counts as `again`. */
  publish(item: Item): Promise<Delivery>;
  close(): Promise<void>;
}
