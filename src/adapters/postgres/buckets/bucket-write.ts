import { addressKey } from '../../../core/text/email.ts';
import type { BucketRecord } from '../../../bucket/bucket.store.ts';
import type { Database, Statement } from '../database.ts';
import { topicChannel } from '../listen.ts';
import { indexKey } from '../lookup.ts';
import { toStored } from '../stored-json.ts';
import { counting } from '../transaction.ts';

// The count of changes goes on behind that of the deleted bucket whose name a new one takes: what was decided on one never
// fits the other.

type Layout = Pick<Database, 'isSpread'>;

/** Statements that store a bucket which was not there; they fail where one of the name was made or deleted meanwhile. */
export const addition = (
  layout: Layout,
  bucket: BucketRecord,
  lastId: number,
  version: number,
): Statement[] => [
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
  ...addManagers(layout, bucket, identitiesOf(bucket)),
];

/** Statements that store a bucket in place of another one; they fail where it or its notifications were changed meanwhile. */
export function replacement(
  layout: Layout,
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
    ...(gone.length > 0 ? [...removeManagers(layout, before, gone), notifyFollowers(next)] : []),
    ...(added.length > 0 ? addManagers(layout, next, added) : []),
  ];
}

/** Statements that delete a bucket with its notifications, on some topics; they fail where it or these were changed meanwhile. */
export const deletion = (
  layout: Layout,
  bucket: BucketRecord,
  version: number,
  topics: readonly string[],
): Statement[] => [
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
  ...shardsOf(layout, topics).map((keys) => ({
    name: 'delete topics',
    text: 'DELETE FROM topics WHERE topic = ANY ($1::text[]) AND bucket = $2',
    values: [keys, bucket.name],
  })),
  ...removeManagers(layout, bucket, identitiesOf(bucket)),
  notifyFollowers(bucket),
];

/** Has streams of the bucket's messages look at their access when the change is stored. */
const notifyFollowers = ({ name }: BucketRecord): Statement => ({
  name: 'notify of lost access',
  text: 'SELECT pg_notify($1, $2)',
  values: [topicChannel, name],
});

const identitiesOf = ({ managers }: BucketRecord): string[] => [...new Set(managers.map(addressKey))];

/** All keys at once, or each by itself where their rows stand on different shards. */
const shardsOf = ({ isSpread }: Layout, keys: readonly string[]): readonly (readonly string[])[] =>
  isSpread ? keys.map((key) => [key]) : keys.length > 0 ? [keys] : [];

const addManagers = (
  { isSpread }: Layout,
  { name, project }: BucketRecord,
  identities: readonly string[],
): Statement[] =>
  isSpread
    ? identities.map((identity) => ({
        name: 'add manager',
        text: 'INSERT INTO managers (identity, project, bucket) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING',
        values: [identity, indexKey(project), name],
      }))
    : [
        {
          name: 'add managers',
          text: 'INSERT INTO managers (identity, project, bucket) SELECT identity, $2, $3 FROM unnest($1::text[]) AS identity ON CONFLICT DO NOTHING',
          values: [identities, indexKey(project), name],
        },
      ];

const removeManagers = (
  layout: Layout,
  { name, project }: BucketRecord,
  identities: readonly string[],
): Statement[] =>
  shardsOf(layout, identities).map((keys) => ({
    name: 'remove managers',
    text: 'DELETE FROM managers WHERE identity = ANY ($1::text[]) AND project = $2 AND bucket = $3',
    values: [keys, indexKey(project), name],
  }));
