import { groupByKey } from '../../../core/json.ts';
import {
  computeItemBytes,
  countDropped,
  type DroppedItems,
  OutboxFullError,
  type OutboxItem,
  type OutboxRules,
} from '../../../outbox/outbox.store.ts';
import { sql, type Statement } from '../database.ts';
import { buildStatement, insertRows } from '../statements.ts';
import { type MutableSums, sumKeys, type Reservation } from './waiting-bytes.ts';

/** An item that waits for one destination: a row of `deliveries`. */
interface Delivery extends OutboxItem {
  readonly destination: string;
  readonly bytes: number;
}

/**
 * Builds statements that store items within their owner's change, and reserves their bytes. `dropped`: items that a full destination
 * does not get; throws OutboxFullError if it refuses them. `now`: epoch milliseconds.
 */
export function addToOutbox(
  owner: string,
  items: readonly OutboxItem[],
  { freeBytes, reserve }: Reservation,
  { capacityOf, destinationsOf }: OutboxRules,
  now: number,
) {
  const dropped: DroppedItems[] = [];
  const addedSums: MutableSums = new Map();
  const deliveries: Delivery[] = [];
  const copies = items.flatMap((item) =>
    [...new Set(destinationsOf(item))].map((destination) => ({ destination, item })),
  );
  for (const [destination, group] of groupByKey(copies, (copy) => copy.destination)) {
    const sizes = computeItemBytes(group.map(({ item }) => item));
    const totalBytes = sizes.reduce((total, size) => total + size, 0);
    if (totalBytes <= freeBytes(destination, owner)) {
      for (const key of sumKeys(destination, owner)) addedSums.set(key, totalBytes);
      for (const [index, { item }] of group.entries())
        deliveries.push({ ...item, destination, bytes: sizes[index] as number });
    } else if (capacityOf(destination).whenFull === 'refuse') throw new OutboxFullError('the outbox is full');
    else dropped.push(...countDropped(group.map(({ item }) => [destination, item])));
  }
  reserve(addedSums);
  return { statements: deliveries.length === 0 ? [] : insertDeliveries(owner, deliveries, now), dropped };
}

/** Inserts deliveries. Queues are locked in key order and number their items in order of storage. */
function insertDeliveries(owner: string, deliveries: readonly Delivery[], now: number): Statement[] {
  const queues = [
    ...groupByKey(deliveries, ({ destination, orderingKey }) =>
      JSON.stringify([destination, orderingKey]),
    ).values(),
  ].sort(
    ([a], [b]) => compareBytes(a.destination, b.destination) || compareBytes(a.orderingKey, b.orderingKey),
  );
  /** Ids of bodies that several deliveries share, by body. */
  const bodyIds = new Map(
    [...groupByKey(deliveries, ({ data }) => data)].flatMap(([data, [{ id }, ...others]]) =>
      data === '' || others.length === 0 ? [] : [[data, id]],
    ),
  );
  return [
    insertRows(
      'add to queues',
      'delivery_queues AS q (bucket, destination, ordering_key, last)',
      queues,
      (queue, parameter) => [
        parameter(owner, 'text'),
        parameter(queue[0].destination, 'text'),
        parameter(queue[0].orderingKey, 'text'),
        parameter(queue.length, 'bigint'),
      ],
      'ON CONFLICT (bucket, destination, ordering_key) DO UPDATE SET last = q.last + excluded.last, additions = q.additions + 1',
    ),
    ...(bodyIds.size === 0
      ? []
      : [
          insertRows(
            'add bodies',
            'delivery_bodies (bucket, id, data)',
            [...bodyIds],
            ([data, id], parameter) => [owner, id, data].map((value) => parameter(value, 'text')),
          ),
        ]),
    insertIntoQueues(owner, queues, bodyIds, now),
  ];
}

/**
 * Inserts deliveries. The queues (`q`) are also named by their keys, and by a destination if there is only one, so that a plan
 * made without statistics does not read all queues of the owner. `back`: number of items behind this one in its queue.
 */
function insertIntoQueues(
  owner: string,
  queues: readonly (readonly [Delivery, ...Delivery[]])[],
  bodyIds: ReadonlyMap<string, string>,
  now: number,
): Statement {
  const rows = queues.flatMap((queue) =>
    queue.map(({ data, ...delivery }, index) => ({
      ...delivery,
      bodyId: bodyIds.get(data),
      data: bodyIds.has(data) ? '' : data,
      back: queue.length - 1 - index,
    })),
  );
  const keys = queues.map(([{ orderingKey }]) => orderingKey);
  const [destination = '', ...otherDestinations] = new Set(queues.map(([queue]) => queue.destination));
  return buildStatement(
    'add items',
    (
      parameter,
    ) => `INSERT INTO deliveries (bucket, destination, ordering_key, seq, id, topic, attributes, body_id, data, bytes, stored_at)
  SELECT q.bucket, q.destination, q.ordering_key, q.last - i.back, i.id, i.topic, i.attributes, i."bodyId", i.data, i.bytes, ${parameter(now, 'float8')}
  FROM delivery_queues q JOIN jsonb_to_recordset(${parameter(JSON.stringify(rows), 'jsonb')}) AS i (destination text, id text, topic text, "orderingKey" text, attributes jsonb, data text, "bodyId" text, bytes integer, back integer)
    ON q.destination = i.destination AND q.ordering_key = i."orderingKey"
  WHERE q.bucket = ${parameter(owner, 'text')} AND q.ordering_key = ANY(${parameter(keys, 'text[]')})
    AND q.destination = ${otherDestinations.length === 0 ? parameter(destination, 'text') : `ANY(${parameter([destination, ...otherDestinations], 'text[]')})`}`,
  );
}

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Deletes bodies whose items are all gone; items and body are inserted in one transaction. */
export const dropUnusedBodies: Statement = sql`/* delete unused bodies */ DELETE FROM delivery_bodies b WHERE NOT EXISTS (SELECT
  FROM deliveries o WHERE o.bucket = b.bucket AND o.body_id = b.id)`;
