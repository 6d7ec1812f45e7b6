export const destinationStates: readonly string[] = [
  // Whether somebody has a claim that has not ended (`held_until` is that of a pause, too), and how often it failed.
  ...['outbox', 'deliveries'].map(
    (table) =>
      `ALTER TABLE ${table} ADD COLUMN claimed boolean NOT NULL DEFAULT false, ADD COLUMN failures integer NOT NULL DEFAULT 0`,
  ),
  // What gateways know in common of destinations that were ever paused or turned off: by version, since when they are off, and when
  // one with another version began to serve them.
  `CREATE TABLE destinations (
    name text PRIMARY KEY, paused_until double precision NOT NULL DEFAULT 0, off_since jsonb NOT NULL DEFAULT '{}', on_since double precision NOT NULL DEFAULT 0)`,
];
