import {
  byDestination,
  countDropped,
  defaultOutboxRules,
  droppedOf,
  OutboxFullError,
  sizesOf,
  type Dropped,
  type OutboxItem,
  type OutboxRules,
} from '../../../outbox/outbox.store.ts';
import type { Statement } from '../database.ts';
import { countMailed, countMailedAlone, mailerValues, type Mailer } from '../mailed.ts';
import { addItemsOnShard, bytesByDestination, countBytesOnShard, type ItemRow } from '../spread/add-items.ts';
import { withSharedBodies } from './outbox-bodies.ts';
import { checkBytes, countBytes, largeSlot, mostBytesAtOnce, roomIn, type Waiting } from './outbox-bytes.ts';
import { byTables, forTables, type OutboxTables } from './outbox-tables.ts';

export interface OutboxRoom {
  readonly waiting: Waiting;
  readonly rules?: Partial<OutboxRules>;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Where the items are mails that are counted: who causes them. */
  readonly mailer?: Mailer;
  /** The tables are spread: no statement is about more than one shard. */
  readonly isSpread?: boolean;
}

const isQueued = '(SELECT count(*) FROM queue) > 0';
/** A division by zero, as in `counting`, where the mails are not counted. */
const isAllowed = '(SELECT 1 / count(*) FROM mailer) = 1';

// Queues are locked in the order of their keys, and number their items: what is stored first is in front.
const add =
  ({ slot, isCounted }: { readonly slot?: string; readonly isCounted?: boolean }) =>
  (tables: OutboxTables): string => `
WITH item AS MATERIALIZED (
  SELECT i.*, row_number() OVER (PARTITION BY i.destination, i.ordering_key ORDER BY i.place) AS nth, count(*) OVER (PARTITION BY i.destination, i.ordering_key) AS many
  FROM jsonb_to_recordset($2) AS i (place integer, destination text, id text, topic text, ordering_key text, attributes jsonb, data text, body_id text, bytes integer)
), queue AS (
  INSERT INTO ${tables.queues} AS q (bucket, destination, ordering_key, last)
  SELECT DISTINCT $1, destination, ordering_key, many FROM item ORDER BY destination, ordering_key
  ON CONFLICT (${tables.key}, ordering_key) DO UPDATE SET last = q.last + excluded.last, additions = q.additions + 1
  RETURNING destination, ordering_key, last
), ${isCounted ? `mailer AS (${countMailed(`SELECT count(*) AS mails FROM item WHERE ${isQueued}`, 4)}), ` : ''}counted AS (
  ${countBytes(tables, `SELECT unnest(ARRAY['', $1]) AS bucket, destination, bytes FROM item WHERE ${isCounted ? isAllowed : isQueued}`, slot)}
)${tables.bodies ? `, body AS (INSERT INTO ${tables.bodies} (bucket, id, data) SELECT DISTINCT $1, id, data FROM item WHERE id = body_id)` : ''}
INSERT INTO ${tables.items} (bucket, destination, ordering_key, seq, id, topic, attributes, ${tables.bodies ? 'body_id, ' : ''}data, bytes, stored_at)
SELECT $1, i.destination, i.ordering_key, q.last - i.many + i.nth, i.id, i.topic, i.attributes, ${tables.bodies ? `i.body_id, CASE WHEN i.body_id IS NULL THEN i.data ELSE '' END` : 'i.data'}, i.bytes, $3
FROM item i JOIN queue q ON q.destination = i.destination AND q.ordering_key = i.ordering_key`;

const addItems = forTables('add items', add({}));
const addLargeItems = forTables('add large items', add({ slot: largeSlot }));
const addMails = forTables('add mails', add({ isCounted: true }));
const addLargeMails = forTables('add large mails', add({ slot: largeSlot, isCounted: true }));

/** How the items of a change are stored. */
export interface OutboxAddition {
  readonly statements: readonly Statement[];
  /** What finds no room. */
  readonly dropped: readonly Dropped[];
  /** What the stored items take, by destination. */
  readonly bytes: ReadonlyMap<string, number>;
}

/**
 * Statements that store the items of a change of an owner for their destinations, as a part of the change's transaction.
 * Throws OutboxFullError where one has no room for them whose rule is to refuse.
 */
export function addToOutbox(
  owner: string,
  items: readonly OutboxItem[],
  { waiting, rules, now, mailer, isSpread = false }: OutboxRoom,
): OutboxAddition {
  const { roomOf, destinationsOf } = { ...defaultOutboxRules, ...rules };
  const dropped: Dropped[] = [];
  const rows = [...byDestination(items, destinationsOf)].flatMap(([destination, own]) => {
    const sizes = sizesOf(own);
    const room = roomOf(destination);
    if (sizes.reduce((sum, size) => sum + size, 0) > roomIn(waiting.get(destination), room)) {
      if (room.whenFull === 'refuse') throw new OutboxFullError('the outbox is full');
      dropped.push(...countDropped(own.map((item) => droppedOf(destination, item))));
      return [];
    }
    return own.map(({ id, topic, orderingKey, attributes, data }, place) => ({
      place,
      destination,
      id,
      topic,
      ordering_key: orderingKey,
      attributes,
      data,
      bytes: sizes[place] as number,
    }));
  });
  const parts = byTables(rows).map(([tables, own]): Part => {
    // No change begins again for destinations that never have one refused.
    const limits = new Map(
      own
        .map(({ destination }) => [destination, roomOf(destination)] as const)
        .filter(([, { whenFull }]) => whenFull === 'refuse'),
    );
    return {
      tables,
      rows: tables.bodies ? withSharedBodies(own) : own,
      check: limits.size > 0 ? [checkBytes(tables, owner, limits, isSpread)] : [],
    };
  });
  const statements = isSpread
    ? [
        ...parts.flatMap(({ tables, rows: own }) => addItemsOnShard(tables, owner, own, now)),
        ...(mailer && rows.length > 0 ? [countMailedAlone(mailer, rows.length, now)] : []),
        ...parts.map(({ tables, rows: own }) => countBytesOnShard(tables, owner, own)),
        ...parts.flatMap(({ check }) => check),
      ]
    : parts.flatMap(({ tables, rows: own, check }) => [addAtOnce(tables, owner, own, now, mailer), ...check]);
  return { statements, dropped, bytes: bytesByDestination(rows) };
}

/** Those of the items that stand in the same tables. */
interface Part {
  readonly tables: OutboxTables;
  readonly rows: readonly ItemRow[];
  readonly check: readonly Statement[];
}

function addAtOnce(
  tables: OutboxTables,
  owner: string,
  rows: readonly ItemRow[],
  now: number,
  mailer: Mailer | undefined,
): Statement {
  const isLarge = rows.reduce((sum, { bytes }) => sum + bytes, 0) > mostBytesAtOnce;
  const values = [owner, JSON.stringify(rows), now];
  if (!mailer) return (isLarge ? addLargeItems : addItems)(tables, values);
  return (isLarge ? addLargeMails : addMails)(tables, [...values, ...mailerValues(mailer, rows.length, now)]);
}
