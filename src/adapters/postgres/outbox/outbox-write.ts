import { byDestination, countDropped, defaultOutboxRules, OutboxFullError, sizesOf, type Dropped, type OutboxItem, type OutboxRules } from '../../../outbox/outbox.store.ts';
import type { Statement } from '../database.ts';
import { checkBytes, countBytes, fits, largeSlot, mostBytesAtOnce, type Waiting } from './outbox-bytes.ts';
import { byTables, forTables, type OutboxTables } from './outbox-tables.ts';

export interface OutboxRoom {
  readonly waiting: Waiting;
  readonly rules?: Partial<OutboxRules>;
  /** Epoch milliseconds. */
  readonly now: number;
}

// Queues are locked in the order of their keys, and number their items: what is stored first is in front.
const add = (slot?: string) => (tables: OutboxTables): string => `
WITH item AS MATERIALIZED (
  SELECT i.*, row_number() OVER (PARTITION BY i.destination, i.ordering_key ORDER BY i.place) AS nth, count(*) OVER (PARTITION BY i.destination, i.ordering_key) AS many
  FROM jsonb_to_recordset($2) AS i (place integer, destination text, id text, topic text, ordering_key text, attributes jsonb, data text, bytes integer)
), queue AS (
  INSERT INTO ${tables.queues} AS q (bucket, destination, ordering_key, last)
  SELECT DISTINCT $1, destination, ordering_key, many FROM item ORDER BY destination, ordering_key
  ON CONFLICT (${tables.key}, ordering_key) DO UPDATE SET last = q.last + excluded.last, additions = q.additions + 1
  RETURNING destination, ordering_key, last
), counted AS (
  ${countBytes(tables, `SELECT unnest(ARRAY['', $1]) AS bucket, destination, bytes FROM item WHERE (SELECT count(*) FROM queue) > 0`, slot)}
)
INSERT INTO ${tables.items} (bucket, destination, ordering_key, seq, id, topic, attributes, data, bytes, stored_at)
SELECT $1, i.destination, i.ordering_key, q.last - i.many + i.nth, i.id, i.topic, i.attributes, i.data, i.bytes, $3
FROM item i JOIN queue q ON q.destination = i.destination AND q.ordering_key = i.ordering_key`;

const addItems = forTables('add items', add());
const addLargeItems = forTables('add large items', add(largeSlot));

/** How the items of a change are stored. */
export interface OutboxAddition {
  readonly statements: readonly Statement[];
  /** What finds no room. */
  readonly dropped: readonly Dropped[];
}

/**
 * Statements that store the items of a change of an owner for their destinations, as a part of the change's transaction.
 * Throws OutboxFullError where one has no room for them whose rule is to refuse.
 */
export function addToOutbox(owner: string, items: readonly OutboxItem[], { waiting, rules, now }: OutboxRoom): OutboxAddition {
  const { roomOf, destinationsOf } = { ...defaultOutboxRules, ...rules };
  const dropped: Dropped[] = [];
  const rows = [...byDestination(items, destinationsOf)].flatMap(([destination, own]) => {
    const sizes = sizesOf(own);
    const room = roomOf(destination);
    if (!fits(sizes.reduce((sum, size) => sum + size, 0), waiting.get(destination), room)) {
      if (room.whenFull === 'refuse') throw new OutboxFullError('the outbox is full');
      dropped.push(...countDropped(own.map(({ topic }) => ({ destination, topic }))));
      return [];
    }
    return own.map(({ id, topic, orderingKey, attributes, data }, place) => ({ place, destination, id, topic, ordering_key: orderingKey, attributes, data, bytes: sizes[place] as number }));
  });
  const statements = byTables(rows).flatMap(([tables, own]) => {
    const isLarge = own.reduce((sum, { bytes }) => sum + bytes, 0) > mostBytesAtOnce;
    // No change begins again for destinations that never have one refused.
    const limits = new Map(own.map(({ destination }) => [destination, roomOf(destination)] as const).filter(([, { whenFull }]) => whenFull === 'refuse'));
    return [(isLarge ? addLargeItems : addItems)(tables, [owner, JSON.stringify(own), now]), ...(limits.size > 0 ? [checkBytes(tables, owner, limits)] : [])];
  });
  return { statements, dropped };
}
