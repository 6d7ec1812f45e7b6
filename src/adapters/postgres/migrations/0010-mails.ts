/** What gateways of the release before neither need nor touch. They have no items without a topic, so they claim none whose body is elsewhere. */
export const mails: readonly string[] = [
  // The body that several items of a change share, once for all of them.
  `CREATE TABLE delivery_bodies (bucket text, id text, data text NOT NULL, PRIMARY KEY (bucket, id))`,
  `ALTER TABLE deliveries ADD COLUMN body_id text`,
  `CREATE INDEX deliveries_by_body ON deliveries (bucket, body_id) WHERE body_id IS NOT NULL`,
  // What waits is told of mails and of all else by themselves.
  `CREATE INDEX deliveries_of_mail ON deliveries (stored_at) INCLUDE (id) WHERE destination = 'mail'`,
  `CREATE INDEX deliveries_but_mail ON deliveries (stored_at) INCLUDE (id) WHERE destination <> 'mail'`,
  // How many mails a caller, of whom there is a digest, caused in an hour, and in those before it.
  `CREATE TABLE mailed (caller text PRIMARY KEY, hour integer NOT NULL, count integer NOT NULL, earlier jsonb NOT NULL)`,
  `CREATE INDEX mailed_by_hour ON mailed (hour)`,
];
