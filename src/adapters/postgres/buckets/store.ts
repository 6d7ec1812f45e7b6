import { type Database, type Read, sql, type Statement } from '../database.ts';
import { changeInTransaction, withRowCountCheck } from '../transaction.ts';
import { indexKey, lookupKey, queryByKeys } from '../statements.ts';
import { topicChannel } from '../listen.ts';
import { toEarlierRequest, findRequest, storeRequest } from '../request-records.ts';
import { incrementCreationCount, findCreationCount, lockCreationCount } from '../quota-counts.ts';
import { parseRecord, serializeRecord } from '../stored-json.ts';
import type {
  BucketChange,
  BucketRecord,
  BucketState,
  BucketStore,
  BucketTarget,
} from '../../../bucket/bucket.store.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { addressKey } from '../../../core/text/email.ts';

/** The bucket store in PostgreSQL. */
export function createPostgresBucketStore(database: Database, clock: Clock): BucketStore {
  return {
    async buckets(names) {
      const bucketsByName = await findBucketsByName(database, names.map(lookupKey));
      return names.map((name) => bucketsByName.get(name));
    },

    bucketsOf: (project, identity, afterName, limit) =>
      readManagedBuckets(database, [lookupKey(identity), indexKey(project)], lookupKey(afterName), limit),

    async bucketsAfter(name, limit) {
      const rows =
        await database.query(sql`/* buckets behind */ SELECT body, last_id::text AS last_id FROM buckets
    WHERE name COLLATE "C" > ${lookupKey(name)} ORDER BY name COLLATE "C" LIMIT ${limit}`);
      return rows.map(({ body, last_id: lastId }) => ({
        bucket: parseRecord<BucketRecord>(body),
        lastId: Number(lastId),
      }));
    },

    changeBucket<T>(target: BucketTarget, decide: (state: BucketState) => BucketChange<T>) {
      const now = clock();
      return changeInTransaction<LoadedBucket, T>(database, {
        load: (read) => loadBucket(read, target, now),
        contentionKey: () => target.name,
        lock: () => [
          lockBucket(lookupKey(target.name)),
          ...(target.quotaKey ? [lockCreationCount('bucket', target.quotaKey)] : []),
        ],
        decide(loaded) {
          const { outcome, ...change } = decide(loaded.state);
          return {
            statements: [
              ...writeChange(target, change, loaded),
              ...(target.request && outcome ? [storeRequest(target.request, 'bucket', outcome, now)] : []),
            ],
            result: change.result,
          };
        },
      });
    },
  };
}

export const lockBucket = (name: string): Statement =>
  sql`/* lock bucket */ SELECT FROM buckets WHERE name = ${name} FOR UPDATE`;

/** Removes a topic from those of a bucket's notifications. */
export const removeTopic = (topic: string, bucket: string): Statement =>
  sql`/* remove topic */ DELETE FROM topics WHERE topic = ${topic} AND bucket = ${bucket}`;

async function findBucketsByName(
  database: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, BucketRecord>> {
  const rows = await queryByKeys(
    database,
    names,
    (name) => sql`/* bucket */ SELECT name, body FROM buckets WHERE name = ${name}`,
  );
  return new Map(rows.map(({ name, body }) => [name as string, parseRecord<BucketRecord>(body)]));
}

/** Reads the buckets of a manager, each from its shard. Buckets deleted meanwhile are skipped. */
async function readManagedBuckets(
  database: Database,
  managerKey: readonly [identity: string, project: string],
  afterBucketName: string,
  limit: number,
): Promise<BucketRecord[]> {
  const [identity, project] = managerKey;
  const rows = await database.query(sql`/* names of buckets */ SELECT bucket FROM managers
    WHERE identity = ${identity} AND project = ${project} AND bucket > ${afterBucketName} ORDER BY bucket LIMIT ${limit}`);
  const names = rows.map(({ bucket }) => bucket as string);
  const bucketsByName = await findBucketsByName(database, names);
  const buckets = names.flatMap((name) => bucketsByName.get(name) ?? []);
  if (names.length < limit || buckets.length === limit) return buckets;
  return [
    ...buckets,
    ...(await readManagedBuckets(database, managerKey, names.at(-1) as string, limit - buckets.length)),
  ];
}

/** A bucket and the rows that its change needs: loaded for a decision, checked when that is stored. */
interface LoadedBucket {
  readonly state: BucketState;
  /** Number of changes of the bucket and its notifications, continued from deleted buckets of the same name. */
  readonly version: number;
  /** Topics of the bucket's notifications, whose rows go with the bucket. */
  readonly topics: readonly string[];
}

/** Loads a bucket, the counters of a deleted one of the same name, and the topics of its notifications. */
const bucketStateStatement = (name: string): Statement =>
  sql`/* load bucket by itself */ SELECT 'bucket' AS kind, body, version, last_id::text, NULL AS topic FROM buckets WHERE name = ${name}
UNION ALL SELECT 'deleted', NULL, version, last_id::text, NULL FROM bucket_ids WHERE name = $1
UNION ALL SELECT DISTINCT 'topic', NULL::jsonb, 0, NULL, topic FROM notifications WHERE bucket = $1 AND topic IS NOT NULL`;

async function loadBucket(
  read: Read,
  { name, quotaKey, request }: BucketTarget,
  now: number,
): Promise<LoadedBucket> {
  const results = await read([
    bucketStateStatement(lookupKey(name)),
    ...(quotaKey ? [findCreationCount('bucket', quotaKey)] : []),
    ...(request ? [findRequest(request, now)] : []),
  ]);
  const rows = results.flat();
  // `made` is the table that counts creations.
  const [bucket, deletedBucket, creationCount, requestRow] = ['bucket', 'deleted', 'made', 'request'].map(
    (rowKind) => rows.find(({ kind }) => kind === rowKind),
  );
  const versionRow = bucket ?? deletedBucket;
  return {
    state: {
      bucket: bucket && parseRecord<BucketRecord>(bucket.body),
      lastId: Number(versionRow?.last_id ?? 0),
      createdToday: (creationCount?.count as number | undefined) ?? 0,
      earlierRequest: requestRow && toEarlierRequest(requestRow),
    },
    version: (versionRow?.version as number | undefined) ?? 0,
    topics: rows.filter(({ kind }) => kind === 'topic').map(({ topic }) => topic as string),
  };
}

/** Statements that store a change; they fail if the bucket, its notifications or the caller's count changed meanwhile. */
function writeChange<T>(
  { quotaKey }: BucketTarget,
  { next, lastId = 0, removes }: BucketChange<T>,
  { state, version, topics }: LoadedBucket,
): Statement[] {
  const { bucket, createdToday } = state;
  return [
    ...(next && bucket ? replaceBucket(bucket, next, lastId, version) : []),
    ...(next && !bucket
      ? [
          ...addBucket(next, Math.max(lastId, state.lastId), version),
          ...(quotaKey ? [incrementCreationCount('bucket', quotaKey, createdToday)] : []),
        ]
      : []),
    ...(removes && bucket ? deleteBucket(bucket, version, topics) : []),
  ];
}

/**
 * Adds a bucket; fails if one of the same name was created or deleted meanwhile. Its versions continue from
 * those of a deleted bucket, so that a decision on that one is never stored for this one.
 */
const addBucket = (bucket: BucketRecord, lastId: number, version: number): Statement[] => [
  sql`/* add bucket */ INSERT INTO buckets (name, body, version, last_id)
    VALUES (${bucket.name}, ${serializeRecord(bucket)}, ${version}, ${String(lastId)})`,
  // Checked after the INSERT, which blocks a concurrent bucket of the same name.
  withRowCountCheck(sql`/* check count of bucket */ SELECT FROM (SELECT max(version) AS version FROM bucket_ids
    WHERE name = ${bucket.name}) AS b WHERE coalesce(version, 0) = ${version}`),
  ...addManagers(bucket, identitiesOf(bucket)),
];

/** Replaces a bucket; fails if it or its notifications changed meanwhile. */
function replaceBucket(
  previousBucket: BucketRecord,
  next: BucketRecord,
  lastId: number,
  version: number,
): Statement[] {
  const [previousManagers, currentManagers] = [identitiesOf(previousBucket), identitiesOf(next)];
  const removedManagers = previousManagers.filter((identity) => !currentManagers.includes(identity));
  return [
    withRowCountCheck(
      sql`/* replace bucket */ UPDATE buckets
        SET body = ${serializeRecord(next)}, version = version + 1, last_id = greatest(last_id, ${String(lastId)}::numeric)
        WHERE name = ${next.name} AND version = ${version} RETURNING 1`,
    ),
    ...removeManagers(previousBucket, removedManagers),
    ...(removedManagers.length > 0 ? [notifyAccessLost(next)] : []),
    ...addManagers(
      next,
      currentManagers.filter((identity) => !previousManagers.includes(identity)),
    ),
  ];
}

/** Deletes a bucket and its notifications; fails if these changed meanwhile. */
const deleteBucket = (bucket: BucketRecord, version: number, topics: readonly string[]): Statement[] => [
  withRowCountCheck(
    sql`/* end bucket */ UPDATE buckets SET version = version + 1 WHERE name = ${bucket.name} AND version = ${version} RETURNING 1`,
  ),
  sql`/* keep ids of bucket */ INSERT INTO bucket_ids (name, last_id, version) SELECT name, last_id, version FROM buckets
    WHERE name = ${bucket.name}
      ON CONFLICT (name) DO UPDATE SET last_id = excluded.last_id, version = excluded.version`,
  sql`/* delete bucket */ DELETE FROM buckets WHERE name = ${bucket.name}`,
  sql`/* delete notifications */ DELETE FROM notifications WHERE bucket = ${bucket.name}`,
  ...topics.map((topic) => removeTopic(topic, bucket.name)),
  ...removeManagers(bucket, identitiesOf(bucket)),
  notifyAccessLost(bucket),
];

/** Makes streams of the bucket's messages check access again once the change is committed. */
const notifyAccessLost = ({ name }: BucketRecord): Statement =>
  sql`/* notify of lost access */ SELECT pg_notify(${topicChannel}, ${name})`;

/** Identities of the managers, as the table `managers` stores them. */
const identitiesOf = ({ managers }: BucketRecord): string[] => [...new Set(managers.map(addressKey))];

const addManagers = ({ name, project }: BucketRecord, identities: readonly string[]): Statement[] =>
  identities.map(
    (identity) =>
      sql`/* add manager */ INSERT INTO managers (identity, project, bucket) VALUES (${identity}, ${indexKey(project)}, ${name})
        ON CONFLICT DO NOTHING`,
  );

const removeManagers = ({ name, project }: BucketRecord, identities: readonly string[]): Statement[] =>
  identities.map(
    (identity) =>
      sql`/* remove manager */ DELETE FROM managers WHERE identity = ${identity} AND project = ${indexKey(project)} AND bucket = ${name}`,
  );
