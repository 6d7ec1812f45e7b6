import { indexKeyOf } from './0003-order-and-bounds.ts';
import { addressKey } from './0004-visibility-and-addresses.ts';

/** Who manages which bucket, from the buckets themselves. */
export const fillManagers: readonly string[] = [
  `TRUNCATE managers`,
  `INSERT INTO managers SELECT DISTINCT ${addressKey('address')}, ${indexKeyOf("(body ->> 'project')")}, name
    FROM buckets, jsonb_array_elements_text(body -> 'managers') AS address`,
];

export const changingBuckets: readonly string[] = [
  // Of deleted buckets: where ids, and the counts of changes, go on when the name is taken again.
  `CREATE TABLE bucket_ids (name text PRIMARY KEY, last_id numeric NOT NULL, version bigint NOT NULL)`,
  `CREATE INDEX buckets_by_name ON buckets (name COLLATE "C")`,
  // Names in an order that no locale changes, the project as `indexKey` writes it.
  `CREATE TABLE managers (identity text, project text, bucket text COLLATE "C", PRIMARY KEY (identity, project, bucket))`,
  ...fillManagers,
  // How much of each kind somebody has made on a day, what was deleted included.
  `CREATE TABLE made (identity text, kind text, day date, count integer NOT NULL, PRIMARY KEY (identity, kind, day))`,
  `CREATE INDEX made_by_day ON made (day)`,
];
