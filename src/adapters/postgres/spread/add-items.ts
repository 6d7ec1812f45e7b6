import type { Statement } from '../database.ts';
import { grouped } from '../../../core/kernel/grouped.ts';
import { largeSlot } from '../outbox/outbox-bytes.ts';
import { forTables, type OutboxTables } from '../outbox/outbox-tables.ts';
import { insertRows } from './insert-rows.ts';

/** An item as it is stored. */
export interface ItemRow {
  readonly destination: string;
  readonly id: string;
  readonly ordering_key: string;
  readonly data: string;
  readonly bytes: number;
  readonly body_id?: string;
}

/** Statements that store items of an owner, all of them on its shard: queues are locked in the order of their keys, and number their items. */
export function addItemsOnShard(
  tables: OutboxTables,
  owner: string,
  rows: readonly ItemRow[],
  now: number,
): Statement[] {
  const queues = [
    ...grouped(rows, ({ destination, ordering_key: key }) => JSON.stringify([destination, key])).values(),
  ].sort(([a], [b]) => inBytes(a.destination, b.destination) || inBytes(a.ordering_key, b.ordering_key));
  const numbered = queues.flatMap((queue) =>
    queue.map((row, index) => ({ ...row, back: queue.length - 1 - index })),
  );
  const bodies = rows.filter(({ id, body_id: body }) => id === body);
  return [
    insertRows(
      `add to queues: ${tables.queues}`,
      `${tables.queues} AS q (bucket, destination, ordering_key, last)`,
      queues,
      (queue, parameter) => [
        parameter(owner, 'text'),
        parameter(queue[0].destination, 'text'),
        parameter(queue[0].ordering_key, 'text'),
        parameter(queue.length, 'bigint'),
      ],
      `ON CONFLICT (${tables.key}, ordering_key) DO UPDATE SET last = q.last + excluded.last, additions = q.additions + 1`,
    ),
    ...(bodies.length > 0
      ? [
          insertRows(
            'add bodies',
            `${tables.bodies} (bucket, id, data)`,
            bodies,
            ({ id, data }, parameter) => [
              parameter(owner, 'text'),
              parameter(id, 'text'),
              parameter(data, 'text'),
            ],
          ),
        ]
      : []),
    addNumbered(tables, [
      owner,
      JSON.stringify(numbered.map((row) => (row.body_id === undefined ? row : { ...row, data: '' }))),
      now,
    ]),
  ];
}

const addNumbered = forTables(
  'add items behind',
  (tables) => `
  INSERT INTO ${tables.items} (bucket, destination, ordering_key, seq, id, topic, attributes, ${tables.bodies ? 'body_id, ' : ''}data, bytes, stored_at)
  SELECT q.bucket, i.destination, i.ordering_key, q.last - i.back, i.id, i.topic, i.attributes, ${tables.bodies ? 'i.body_id, ' : ''}i.data, i.bytes, $3::float8
  FROM ${tables.queues} q JOIN jsonb_to_recordset($2) AS i (destination text, id text, topic text, ordering_key text, attributes jsonb, data text, body_id text, bytes integer, back integer)
    ON q.destination = i.destination AND q.ordering_key = i.ordering_key WHERE q.bucket = $1`,
);

/** Adds to the counters of an owner, of which each has one slot. They are locked behind all else: all who change what waits for the owner wait for them. */
export function countBytesOnShard(
  tables: OutboxTables,
  owner: string,
  rows: readonly Pick<ItemRow, 'destination' | 'bytes'>[],
): Statement {
  const sums = [...bytesByDestination(rows)].sort(([a], [b]) => inBytes(a, b));
  return insertRows(
    `count bytes of owner: ${tables.bytes}`,
    `${tables.bytes} AS o (bucket, destination, slot, bytes)`,
    sums,
    ([destination, bytes], parameter) => [
      parameter(owner, 'text'),
      parameter(destination, 'text'),
      largeSlot,
      parameter(bytes, 'bigint'),
    ],
    `ON CONFLICT (${tables.key}, slot) DO UPDATE SET bytes = o.bytes + excluded.bytes`,
  );
}

export function bytesByDestination(
  rows: readonly Pick<ItemRow, 'destination' | 'bytes'>[],
): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { destination, bytes } of rows) sums.set(destination, (sums.get(destination) ?? 0) + bytes);
  return sums;
}

/** The order of `COLLATE "C"`. */
const inBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
