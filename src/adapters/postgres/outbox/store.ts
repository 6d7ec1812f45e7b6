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
import { grouped } from '../../../core/kernel/grouped.ts';
import type { Statement } from '../database.ts';
import { insertRows } from '../statements.ts';
import { sumKey, type Addition, type Bytes } from './limits.ts';

/** An item as it is stored. Rows of `deliveries` are items that wait for a destination; `bucket` names their owner. */
interface ItemRow {
  readonly destination: string;
  readonly id: string;
  readonly topic: string | undefined;
  readonly ordering_key: string;
  readonly attributes: OutboxItem['attributes'];
  readonly data: string;
  readonly bytes: number;
  /** The item that brings the body; absent where the row has it itself. */
  readonly body_id?: string;
}

export interface OutboxRoom {
  readonly free: Addition['free'];
  readonly rules?: Partial<OutboxRules> | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** How the items of a change are stored. */
export interface OutboxAddition {
  readonly statements: readonly Statement[];
  /** What finds no room. */
  readonly dropped: readonly Dropped[];
  /** What the stored items take. */
  readonly bytes: Bytes;
}

/**
 * Statements that store the items of a change of an owner for their destinations, as a part of the change's transaction; all of them
 * are about the owner's shard. Throws OutboxFullError where one has no room for them whose rule is to refuse.
 */
export function addToOutbox(
  owner: string,
  items: readonly OutboxItem[],
  { free, rules, now }: OutboxRoom,
): OutboxAddition {
  const { roomOf, destinationsOf } = { ...defaultOutboxRules, ...rules };
  const dropped: Dropped[] = [];
  const bytes = new Map<string, number>();
  const rows = [...byDestination(items, destinationsOf)].flatMap(([destination, own]): ItemRow[] => {
    const sizes = sizesOf(own);
    const sum = sizes.reduce((one, size) => one + size, 0);
    if (sum > free(destination, owner)) {
      if (roomOf(destination).whenFull === 'refuse') throw new OutboxFullError('the outbox is full');
      dropped.push(...countDropped(own.map((item) => droppedOf(destination, item))));
      return [];
    }
    for (const key of [sumKey(destination), sumKey(destination, owner)]) bytes.set(key, sum);
    return own.map(({ id, topic, orderingKey, attributes, data }, place) => ({
      destination,
      id,
      topic,
      ordering_key: orderingKey,
      attributes,
      data,
      bytes: sizes[place] as number,
    }));
  });
  return {
    statements: rows.length === 0 ? [] : insertItems(owner, withSharedBodies(rows), now),
    dropped,
    bytes,
  };
}

/** Has the bodies that items of a change share stored once. */
function withSharedBodies(rows: readonly ItemRow[]): ItemRow[] {
  const byBody = grouped(rows, ({ data }) => data);
  return rows.map((row) => {
    const [first, ...others] = byBody.get(row.data) as [ItemRow, ...ItemRow[]];
    return others.length === 0 || row.data === '' ? row : { ...row, body_id: first.id };
  });
}

/** Queues are locked in the order of their keys, and number their items: what is stored first is in front. */
function insertItems(owner: string, rows: readonly ItemRow[], now: number): Statement[] {
  const queues = [
    ...grouped(rows, ({ destination, ordering_key: key }) => JSON.stringify([destination, key])).values(),
  ].sort(([a], [b]) => inBytes(a.destination, b.destination) || inBytes(a.ordering_key, b.ordering_key));
  const numbered = queues.flatMap((queue) =>
    queue.map((row, index) => ({ ...row, back: queue.length - 1 - index })),
  );
  const bodies = new Map(rows.flatMap(({ body_id: id, data }) => (id === undefined ? [] : [[id, data]])));
  return [
    insertRows(
      'add to queues',
      'delivery_queues AS q (bucket, destination, ordering_key, last)',
      queues,
      (queue, parameter) => [
        parameter(owner, 'text'),
        parameter(queue[0].destination, 'text'),
        parameter(queue[0].ordering_key, 'text'),
        parameter(queue.length, 'bigint'),
      ],
      'ON CONFLICT (bucket, destination, ordering_key) DO UPDATE SET last = q.last + excluded.last, additions = q.additions + 1',
    ),
    ...(bodies.size > 0
      ? [
          insertRows('add bodies', 'delivery_bodies (bucket, id, data)', [...bodies], (body, parameter) =>
            [owner, ...body].map((value) => parameter(value, 'text')),
          ),
        ]
      : []),
    {
      name: 'add items',
      text: `
  INSERT INTO deliveries (bucket, destination, ordering_key, seq, id, topic, attributes, body_id, data, bytes, stored_at)
  SELECT q.bucket, i.destination, i.ordering_key, q.last - i.back, i.id, i.topic, i.attributes, i.body_id, i.data, i.bytes, $3::float8
  FROM delivery_queues q JOIN jsonb_to_recordset($2) AS i (destination text, id text, topic text, ordering_key text, attributes jsonb, data text, body_id text, bytes integer, back integer)
    ON q.destination = i.destination AND q.ordering_key = i.ordering_key WHERE q.bucket = $1`,
      values: [
        owner,
        JSON.stringify(numbered.map((row) => (row.body_id === undefined ? row : { ...row, data: '' }))),
        now,
      ],
    },
  ];
}

/** The order of `COLLATE "C"`. */
const inBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Items and their body are stored by one transaction: a body without any is one whose items are all gone. */
export const dropUnusedBodies: Statement = {
  name: 'delete unused bodies',
  text: 'DELETE FROM delivery_bodies b WHERE NOT EXISTS (SELECT FROM deliveries o WHERE o.bucket = b.bucket AND o.body_id = b.id)',
};
