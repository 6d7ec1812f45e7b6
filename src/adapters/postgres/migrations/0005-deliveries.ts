/** Adds destinations: `broker` keeps its tables, all others share tables of the same columns. */
export const deliveries: readonly string[] = [
  `ALTER TABLE queues ADD COLUMN destination text NOT NULL DEFAULT 'broker'`,
  // `logged`: the item is in the log, since another destination has received it.
  `ALTER TABLE outbox ADD COLUMN destination text NOT NULL DEFAULT 'broker', ADD COLUMN logged boolean NOT NULL DEFAULT false`,
  `ALTER TABLE outbox_bytes ADD COLUMN destination text NOT NULL DEFAULT 'broker'`,

  // The column `bucket` is the owner. Items outside of logs have no topic.
  `CREATE TABLE delivery_queues (LIKE queues INCLUDING DEFAULTS, PRIMARY KEY (bucket, destination, ordering_key))`,
  `CREATE INDEX delivery_queues_by_turn ON delivery_queues (destination, failing, served)`,
  `CREATE TABLE deliveries (LIKE outbox INCLUDING DEFAULTS, PRIMARY KEY (bucket, destination, ordering_key, seq))`,
  `ALTER TABLE deliveries ALTER COLUMN topic DROP NOT NULL`,
  `CREATE INDEX deliveries_by_id ON deliveries (id)`,
  `CREATE INDEX deliveries_by_age ON deliveries (stored_at)`,
  `CREATE TABLE delivery_bytes (LIKE outbox_bytes INCLUDING DEFAULTS, PRIMARY KEY (bucket, destination, slot)) WITH (fillfactor = 50)`,
];
