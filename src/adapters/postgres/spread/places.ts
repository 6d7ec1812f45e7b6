import { LRUCache } from 'lru-cache';
import pg from 'pg';
import type { DeliveryKey } from '../../../outbox/outbox.store.ts';
import type { Database } from '../database.ts';
import { grouped } from '../../../core/kernel/grouped.ts';
import type { OutboxTables } from '../outbox/outbox-tables.ts';
import { queryEverywhere } from '../everywhere.ts';

/** Where a delivery stands: on its owner's shard. */
export interface Place {
  readonly owner: string;
  readonly topic: string | undefined;
}

/** A delivery, and where it stands. */
export type Placed<D extends DeliveryKey> = D & Place;

/** Where deliveries stand that were claimed here. */
export interface Places {
  remember(delivery: DeliveryKey, place: Place): void;
  forget(deliveries: readonly DeliveryKey[]): void;
  /** Some deliveries of the same tables by their owners. Those that were claimed elsewhere, or long ago, are looked for on all shards. */
  byOwner<D extends DeliveryKey>(
    tables: OutboxTables,
    deliveries: readonly D[],
  ): Promise<ReadonlyMap<string, readonly Placed<D>[]>>;
}

/** More than a relay has in hand at any time. */
const most = 10_000;

export const keyOf = ({ id, destination }: DeliveryKey): string => JSON.stringify([destination, id]);

export function createPlaces(database: Database): Places {
  const known = new LRUCache<string, Place>({ max: most });
  async function look(
    tables: OutboxTables,
    deliveries: readonly DeliveryKey[],
  ): Promise<ReadonlyMap<string, Place>> {
    const ids = [...new Set(deliveries.map(({ id }) => pg.escapeLiteral(id)))].join(', ');
    const rows =
      ids === ''
        ? []
        : await queryEverywhere(database, [tables.items], (table) => ({
            title: 'places of deliveries',
            text: `SELECT bucket, destination, id, topic FROM ${table(tables.items)} WHERE id IN (${ids})`,
          }));
    return new Map(
      rows.map(({ bucket, destination, id, topic }) => [
        keyOf({ id: id as string, destination: destination as string }),
        { owner: bucket as string, topic: (topic as string | null) ?? undefined },
      ]),
    );
  }

  return {
    remember: (delivery, place) => void known.set(keyOf(delivery), place),
    forget(deliveries) {
      for (const delivery of deliveries) known.delete(keyOf(delivery));
    },
    async byOwner(tables, deliveries) {
      const found = await look(
        tables,
        deliveries.filter((delivery) => !known.has(keyOf(delivery))),
      );
      const placed = deliveries.flatMap((delivery) => {
        const place = known.get(keyOf(delivery)) ?? found.get(keyOf(delivery));
        return place ? [{ ...delivery, ...place }] : [];
      });
      return grouped(placed, ({ owner }) => owner);
    },
  };
}
