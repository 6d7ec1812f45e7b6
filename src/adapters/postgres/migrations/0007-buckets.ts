import { indexKeyOf } from './0003-order-and-bounds.ts';
import { addressKey } from './0004-visibility-and-addresses.ts';

/** Derives managers from bucket records. */
export const fillManagers: readonly string[] = [
  `TRUNCATE managers`,
  `INSERT INTO managers SELECT DISTINCT ${addressKey('address')}, ${indexKeyOf("(body ->> 'project')")}, name
    FROM buckets, jsonb_array_elements_text(body -> 'managers') AS address`,
];

/** Adds what creating, changing and deleting buckets needs. */
export const changingBuckets: readonly string[] = [
  // Counters of deleted buckets: ids and versions continue when the name is used again.
  `CREATE TABLE bucket_ids (name text PRIMARY KEY, last_id numeric NOT NULL, version bigint NOT NULL)`,
  `CREATE INDEX buckets_by_name ON buckets (name COLLATE "C")`,
  // COLLATE "C": names in the same order in every locale. `project` is an `indexKey`.
  `CREATE TABLE managers (identity text, project text, bucket text COLLATE "C", PRIMARY KEY (identity, project, bucket))`,
  ...fillManagers,
  // Number of objects of each kind that an identity created on a day, including deleted ones.
  `CREATE TABLE made (identity text, kind text, day date, count integer NOT NULL, PRIMARY KEY (identity, kind, day))`,
  `CREATE INDEX made_by_day ON made (day)`,
];
