/** Adds claims and failures to deliveries, and the shared states of destinations. */
export const destinationStates: readonly string[] = [
  // `claimed`: a relay has a claim (`held_until` may also be the end of a pause). `failures`: releases with a delay.
  ...['outbox', 'deliveries'].map(
    (table) =>
      `ALTER TABLE ${table} ADD COLUMN claimed boolean NOT NULL DEFAULT false, ADD COLUMN failures integer NOT NULL DEFAULT 0`,
  ),
  // Shared state of destinations that were ever paused or turned off. `off_since`: times by version. `on_since`: when a gateway with
  // another version last began to serve the destination.
  `CREATE TABLE destinations (
    name text PRIMARY KEY, paused_until double precision NOT NULL DEFAULT 0, off_since jsonb NOT NULL DEFAULT '{}', on_since double precision NOT NULL DEFAULT 0)`,
];
