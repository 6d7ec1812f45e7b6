import { broker } from '../../../outbox/outbox.store.ts';
import type { Statement } from '../database.ts';

/**
 * Tables of waiting items, all with the same columns. Those of `broker` are known to gateways of every release. All other
 * destinations have tables of their own, so that a gateway that does not know them cannot take their items and lose them.
 */
export interface OutboxTables {
  /** One row for each item and destination. The column `bucket` names the owner. */
  readonly items: string;
  /** One row for each ordering key with items that wait for a destination. */
  readonly queues: string;
  /** Counters of the bytes that wait. */
  readonly bytes: string;
  /** Bodies that several items of a change share, where these tables have some. */
  readonly bodies?: string;
  /** The first columns of the primary keys of `queues` and `bytes`. */
  readonly key: string;
}

export const brokerTables: OutboxTables = {
  items: 'outbox',
  queues: 'queues',
  bytes: 'outbox_bytes',
  key: 'bucket',
};
export const otherTables: OutboxTables = {
  items: 'deliveries',
  queues: 'delivery_queues',
  bytes: 'delivery_bytes',
  bodies: 'delivery_bodies',
  key: 'bucket, destination',
};

/** In the order in which transactions lock rows of both. */
export const allTables: readonly OutboxTables[] = [brokerTables, otherTables];

/** Those of some entries that stand in each of the tables, where there are any. */
export const byTables = <T extends { readonly destination: string }>(
  entries: readonly T[],
): readonly (readonly [OutboxTables, readonly T[]])[] =>
  [
    [brokerTables, entries.filter(({ destination }) => destination === broker)] as const,
    [otherTables, entries.filter(({ destination }) => destination !== broker)] as const,
  ].filter(([, own]) => own.length > 0);

/** The same statement for both kinds of tables. */
export function forTables(
  name: string,
  text: (tables: OutboxTables) => string,
): (tables: OutboxTables, values: readonly unknown[]) => Statement {
  const texts = new Map(allTables.map((tables) => [tables, text(tables)]));
  return (tables, values) => ({
    name: `${name}: ${tables.items}`,
    text: texts.get(tables) as string,
    values,
  });
}

/**
 * The time of a queue's turn (s), where no shard is led to by what differs each time that it is worked out: not before the database's
 * own of the same moment, so that a queue that came earlier has its turn earlier.
 */
export const turnTime = (): number => (Date.now() + 1) / 1000;
