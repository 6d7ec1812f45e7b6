const isDigested = (column: string): string =>
  `(octet_length(${column}) > 1024 OR ${column} LIKE 'sha256:%')`;
/** SQL of `indexKey`. */
export const indexKeyOf = (column: string): string =>
  `CASE WHEN ${isDigested(column)} THEN 'sha256:' || encode(sha256(convert_to(${column}, 'UTF8')), 'hex') ELSE ${column} END`;

export const orderAndBounds: readonly string[] = [
  // Position of the preceding message on the topic, which may have been deleted since; 0 without one.
  `ALTER TABLE published ADD COLUMN previous bigint NOT NULL DEFAULT 0`,
  `UPDATE places SET event_id = ${indexKeyOf('event_id')}, ical_uid = ${indexKeyOf('ical_uid')} WHERE ${isDigested('event_id')} OR ${isDigested('ical_uid')}`,
  // Waiting bytes by bucket and in total (''). Each counter has slots, so that writers do not wait for each other.
  `CREATE TABLE outbox_bytes (bucket text, slot integer, bytes bigint NOT NULL, PRIMARY KEY (bucket, slot)) WITH (fillfactor = 50)`,
  `INSERT INTO outbox_bytes SELECT unnest(ARRAY['', bucket]) AS owner, 0, sum(bytes) FROM outbox GROUP BY owner`,
  // Digest of the caller; existing rows have none and expire within a day.
  `ALTER TABLE requests ADD COLUMN owner text NOT NULL DEFAULT '', ADD COLUMN bytes integer NOT NULL DEFAULT 0`,
  `CREATE INDEX requests_by_owner ON requests (owner, until)`,
];
