import { addressKey } from '../../../core/text/email.ts';
import type { BucketRecord } from '../../../bucket/bucket.store.ts';
import type { Statement } from '../database.ts';
import { topicChannel } from '../listen.ts';
import { indexKey } from '../lookup.ts';
import { toStored } from '../stored-json.ts';
import { counting } from '../transaction.ts';

// The count of changes goes on behind that of the deleted bucket whose name a new one takes: what was decided on one never
// fits the other.

/** Statements that store a bucket which was not there; they fail where one of the name was made or deleted meanwhile. */
export const addition = (bucket: BucketRecord, lastId: number, version: number): Statement[] => [
  {
    name: 'add bucket',
    text: 'INSERT INTO buckets (name, body, version, last_id) VALUES ($1, $2, $3, $4)',
    values: [bucket.name, toStored(bucket), version, String(lastId)],
  },
  // Behind it: from then on nobody else can make one of the name, and delete it.
  {
    name: 'check count of bucket',
    text: counting(
      'SELECT FROM (SELECT max(version) AS version FROM bucket_ids WHERE name = $1) AS b WHERE coalesce(version, 0) = $2',
      '1',
    ),
    values: [bucket.name, version],
  },
  ...addManagers(bucket, identitiesOf(bucket)),
];

/** Statements that store a bucket in place of another one; they fail where it or its notifications were changed meanwhile. */
export function replacement(
  before: BucketRecord,
  next: BucketRecord,
  lastId: number,
  version: number,
): Statement[] {
  const [old, now] = [identitiesOf(before), identitiesOf(next)];
  const gone = old.filter((identity) => !now.includes(identity));
  const added = now.filter((identity) => !old.includes(identity));
  return [
    {
      name: 'replace bucket',
      text: counting(
        'UPDATE buckets SET body = $3, version = version + 1, last_id = greatest(last_id, $4::numeric) WHERE name = $1 AND version = $2 RETURNING 1',
        '1',
      ),
      values: [next.name, version, toStored(next), String(lastId)],
    },
    ...(gone.length > 0 ? [...removeManagers(before, gone), notifyFollowers(next)] : []),
    ...(added.length > 0 ? addManagers(next, added) : []),
  ];
}

/** Statements that delete a bucket with its notifications, on some topics; they fail where it or these were changed meanwhile. */
export const deletion = (bucket: BucketRecord, version: number, topics: readonly string[]): Statement[] => [
  {
    name: 'end bucket',
    text: counting(
      'UPDATE buckets SET version = version + 1 WHERE name = $1 AND version = $2 RETURNING 1',
      '1',
    ),
    values: [bucket.name, version],
  },
  {
    name: 'keep ids of bucket',
    text: `INSERT INTO bucket_ids (name, last_id, version) SELECT name, last_id, version FROM buckets WHERE name = $1
      ON CONFLICT (name) DO UPDATE SET last_id = excluded.last_id, version = excluded.version`,
    values: [bucket.name],
  },
  { name: 'delete bucket', text: 'DELETE FROM buckets WHERE name = $1', values: [bucket.name] },
  {
    name: 'delete notifications',
    text: 'DELETE FROM notifications WHERE bucket = $1',
    values: [bucket.name],
  },
  ...topics.map((topic) => ({
    name: 'remove topic',
    text: 'DELETE FROM topics WHERE topic = $1 AND bucket = $2',
    values: [topic, bucket.name],
  })),
  ...removeManagers(bucket, identitiesOf(bucket)),
  notifyFollowers(bucket),
];

/** Has streams of the bucket's messages look at their access when the change is stored. */
const notifyFollowers = ({ name }: BucketRecord): Statement => ({
  name: 'notify of lost access',
  text: 'SELECT pg_notify($1, $2)',
  values: [topicChannel, name],
});

const identitiesOf = ({ managers }: BucketRecord): string[] => [...new Set(managers.map(addressKey))];

const addManagers = ({ name, project }: BucketRecord, identities: readonly string[]): Statement[] =>
  identities.map((identity) => ({
    name: 'add manager',
    text: 'INSERT INTO managers (identity, project, bucket) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
    values: [identity, indexKey(project), name],
  }));

const removeManagers = ({ name, project }: BucketRecord, identities: readonly string[]): Statement[] =>
  identities.map((identity) => ({
    name: 'remove manager',
    text: 'DELETE FROM managers WHERE identity = $1 AND project = $2 AND bucket = $3',
    values: [identity, indexKey(project), name],
  }));
