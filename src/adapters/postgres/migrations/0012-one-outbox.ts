const moves = (from: string, to: string, columns: string): string =>
  `INSERT INTO ${to} (bucket, destination, ordering_key, ${columns}) SELECT bucket, destination, ordering_key, ${columns} FROM ${from}`;

/**
 * Moves what waits to one set of tables, whatever its destination. It takes a lock, for a gateway of the release before may be running: from here
 * on it answers UNAVAILABLE rather than store where nobody looks any more.
 */
export const oneOutbox: readonly string[] = [
  // The session of the relay that has the claim.
  `ALTER TABLE deliveries ADD COLUMN session integer`,
  `LOCK TABLE queues, outbox, delivery_queues, deliveries IN ACCESS EXCLUSIVE MODE`,
  moves('queues', 'delivery_queues', 'last, additions, claims, failing, served'),
  moves(
    'outbox',
    'deliveries',
    'seq, id, topic, attributes, data, bytes, stored_at, attempt, held_until, logged, failures',
  ),
  `TRUNCATE queues, outbox, outbox_bytes, delivery_bytes`,
  // 53000, insufficient resources: what that release takes for "not now".
  `CREATE FUNCTION refuse_message(id text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'A newer gateway runs on this database.' USING ERRCODE = '53000';
  END $$`,
  `ALTER TABLE outbox ADD CONSTRAINT moved_to_deliveries CHECK (refuse_message(id))`,
];
