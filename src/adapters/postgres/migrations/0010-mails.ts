/** Additions that gateways of the previous release ignore: their items all have a topic, so they claim none with a separate body. */
export const mails: readonly string[] = [
  // Bodies that several items of a change share.
  `CREATE TABLE delivery_bodies (bucket text, id text, data text NOT NULL, PRIMARY KEY (bucket, id))`,
  `ALTER TABLE deliveries ADD COLUMN body_id text`,
  `CREATE INDEX deliveries_by_body ON deliveries (bucket, body_id) WHERE body_id IS NOT NULL`,
  // Partial indexes, as the backlogs of mails and of everything else are read separately.
  `CREATE INDEX deliveries_of_mail ON deliveries (stored_at) INCLUDE (id) WHERE destination = 'mail'`,
  `CREATE INDEX deliveries_but_mail ON deliveries (stored_at) INCLUDE (id) WHERE destination <> 'mail'`,
  // Mails that a caller (a digest) caused in an hour, and in the hours before (`earlier`).
  `CREATE TABLE mailed (caller text PRIMARY KEY, hour integer NOT NULL, count integer NOT NULL, earlier jsonb NOT NULL)`,
  `CREATE INDEX mailed_by_hour ON mailed (hour)`,
];
