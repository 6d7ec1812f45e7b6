const isDigested = (column: string): string =>
  `(octet_length(${column}) > 1024 OR ${column} LIKE 'sha256:%')`;
/** An identifier as `indexKey` writes it. */
export const indexKeyOf = (column: string): string =>
  `CASE WHEN ${isDigested(column)} THEN 'sha256:' || encode(sha256(convert_to(${column}, 'UTF8')), 'hex') ELSE ${column} END`;

export const orderAndBounds: readonly string[] = [
  // The message before it on the topic, which may have been deleted by now; 0 where none was kept when this one came.
  `ALTER TABLE published ADD COLUMN previous bigint NOT NULL DEFAULT 0`,
  // Identifiers as `indexKey` writes them.
  `UPDATE places SET event_id = ${indexKeyOf('event_id')}, ical_uid = ${indexKeyOf('ical_uid')} WHERE ${isDigested('event_id')} OR ${isDigested('ical_uid')}`,
  // What waits, by bucket and for all (''); each counter in slots, so that writers do not wait for each other.
  `CREATE TABLE outbox_bytes (bucket text, slot integer, bytes bigint NOT NULL, PRIMARY KEY (bucket, slot)) WITH (fillfactor = 50)`,
  `INSERT INTO outbox_bytes SELECT unnest(ARRAY['', bucket]) AS owner, 0, sum(bytes) FROM outbox GROUP BY owner`,
  // Of the caller, a digest; those that are there belong to nobody, and are gone in a day.
  `ALTER TABLE requests ADD COLUMN owner text NOT NULL DEFAULT '', ADD COLUMN bytes integer NOT NULL DEFAULT 0`,
  `CREATE INDEX requests_by_owner ON requests (owner, until)`,
];
