const moveRows = (from: string, to: string, columns: string): string =>
  `INSERT INTO ${to} (bucket, destination, ordering_key, ${columns}) SELECT bucket, destination, ordering_key, ${columns} FROM ${from}`;

/** Moves waiting items to one set of tables. A running gateway of the previous release then answers UNAVAILABLE instead of storing in the old ones. */
export const oneOutbox: readonly string[] = [
  `ALTER TABLE deliveries ADD COLUMN session integer`,
  `LOCK TABLE queues, outbox, delivery_queues, deliveries IN ACCESS EXCLUSIVE MODE`,
  moveRows('queues', 'delivery_queues', 'last, additions, claims, failing, served'),
  moveRows(
    'outbox',
    'deliveries',
    'seq, id, topic, attributes, data, bytes, stored_at, attempt, held_until, logged, failures',
  ),
  `TRUNCATE queues, outbox, outbox_bytes, delivery_bytes`,
  // 53000 (insufficient resources): the previous release treats it as temporary.
  `CREATE FUNCTION refuse_message(id text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'A newer gateway runs on this database.' USING ERRCODE = '53000';
  END $$`,
  `ALTER TABLE outbox ADD CONSTRAINT moved_to_deliveries CHECK (refuse_message(id))`,
];
