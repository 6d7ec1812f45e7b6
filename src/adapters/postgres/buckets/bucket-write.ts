import { addressKey } from '../../../core/text/email.ts';
import type { BucketRecord } from '../../../bucket/bucket.store.ts';
import type { Statement } from '../database.ts';
import { indexKey } from '../lookup.ts';
import { toStored } from '../stored-json.ts';
import { counting } from '../transaction.ts';

// The count of changes goes on behind that of the deleted bucket whose name a new one takes: what was decided on one never
// fits the other.

/** Statements that store a bucket which was not there; they fail where one of the name was made or deleted meanwhile. */
export const addition = (bucket: BucketRecord, lastId: number, version: number): Statement[] => [
  {
    name: 'add bucket',
    text: counting(
      `INSERT INTO buckets (name, body, version, last_id) SELECT $1::text, $2::jsonb, $3::bigint, $4::numeric
       WHERE coalesce((SELECT version FROM bucket_ids WHERE name = $1), 0) = $3 RETURNING 1`,
      '1',
    ),
    values: [bucket.name, toStored(bucket), version, String(lastId)],
  },
  addManagers(bucket, identitiesOf(bucket)),
];

/** Statements that store a bucket in place of another one; they fail where it or its notifications were changed meanwhile. */
export function replacement(before: BucketRecord, next: BucketRecord, lastId: number, version: number): Statement[] {
  const [old, now] = [identitiesOf(before), identitiesOf(next)];
  const gone = old.filter((identity) => !now.includes(identity));
  const added = now.filter((identity) => !old.includes(identity));
  return [
    {
      name: 'replace bucket',
      text: counting('UPDATE buckets SET body = $3, version = version + 1, last_id = greatest(last_id, $4::numeric) WHERE name = $1 AND version = $2 RETURNING 1', '1'),
      values: [next.name, version, toStored(next), String(lastId)],
    },
    ...(gone.length > 0 ? [removeManagers(before, gone)] : []),
    ...(added.length > 0 ? [addManagers(next, added)] : []),
  ];
}

/** Statements that delete a bucket with its notifications; they fail where it or these were changed meanwhile. */
export const deletion = (bucket: BucketRecord, version: number): Statement[] => [
  {
    name: 'end bucket',
    text: counting('UPDATE buckets SET version = version + 1 WHERE name = $1 AND version = $2 RETURNING 1', '1'),
    values: [bucket.name, version],
  },
  {
    name: 'delete bucket',
    text: `WITH gone AS (DELETE FROM buckets WHERE name = $1 RETURNING name, last_id, version)
      INSERT INTO bucket_ids SELECT name, last_id, version FROM gone
      ON CONFLICT (name) DO UPDATE SET last_id = excluded.last_id, version = excluded.version`,
    values: [bucket.name],
  },
  {
    name: 'delete notifications',
    text: `WITH gone AS (DELETE FROM notifications WHERE bucket = $1 RETURNING topic)
      DELETE FROM topics t USING gone g WHERE t.topic = g.topic AND t.bucket = $1`,
    values: [bucket.name],
  },
  removeManagers(bucket, identitiesOf(bucket)),
];

const identitiesOf = ({ managers }: BucketRecord): string[] => [...new Set(managers.map(addressKey))];

const addManagers = ({ name, project }: BucketRecord, identities: readonly string[]): Statement => ({
  name: 'add managers',
  text: 'INSERT INTO managers (identity, project, bucket) SELECT identity, $2, $3 FROM unnest($1::text[]) AS identity ON CONFLICT DO NOTHING',
  values: [identities, indexKey(project), name],
});

const removeManagers = ({ name, project }: BucketRecord, identities: readonly string[]): Statement => ({
  name: 'remove managers',
  text: 'DELETE FROM managers WHERE identity = ANY ($1::text[]) AND project = $2 AND bucket = $3',
  values: [identities, indexKey(project), name],
});
