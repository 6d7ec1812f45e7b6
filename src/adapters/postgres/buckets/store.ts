import { type Database, type Read, sql, type Statement } from '../database.ts';
import { changeInTransaction, checked, indexKey, lookupKey, queryByKeys } from '../transaction.ts';
import { topicChannel } from '../listen.ts';
import {
  countMade,
  earlierFrom,
  findMade,
  findRequest,
  lockMade,
  rememberRequest,
} from '../request-records.ts';
import { fromStored, toStored } from '../stored-json.ts';
import type {
  BucketChange,
  BucketRecord,
  BucketState,
  BucketStore,
  BucketTarget,
} from '../../../bucket/bucket.store.ts';
import type { RequestRecordLimits } from '../../../core/request-record.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import { addressKey } from '../../../core/text/email.ts';

/** Rules other than the usual ones. */
interface BucketStoreRules {
  readonly requests?: RequestRecordLimits;
}

/** Buckets in PostgreSQL, shared by all gateways on one database. */
export function createPostgresBucketStore(
  database: Database,
  clock: Clock,
  rules: BucketStoreRules = {},
): BucketStore {
  return {
    async buckets(names) {
      const found = await byName(database, names.map(lookupKey));
      return names.map((name) => found.get(name));
    },

    bucketsOf: (project, identity, behind, limit) =>
      bucketsOf(database, [lookupKey(identity), indexKey(project)], lookupKey(behind), limit),

    async bucketsBehind(name, limit) {
      const rows =
        await database.query(sql`/* buckets behind */ SELECT body, last_id::text AS last_id FROM buckets
    WHERE name COLLATE "C" > ${lookupKey(name)} ORDER BY name COLLATE "C" LIMIT ${limit}`);
      return rows.map(({ body, last_id: lastId }) => ({
        bucket: fromStored<BucketRecord>(body),
        lastId: Number(lastId),
      }));
    },

    changeBucket<T>(target: BucketTarget, decide: (state: BucketState) => BucketChange<T>) {
      const now = clock();
      return changeInTransaction<Loaded, T>(database, {
        load: (read) => load(read, target, now),
        waitsFor: () => target.name,
        lock: () => [
          sql`/* lock bucket */ SELECT FROM buckets WHERE name = ${lookupKey(target.name)} FOR UPDATE`,
          ...(target.maker ? [lockMade('bucket', target.maker)] : []),
        ],
        decide(loaded) {
          const change = decide(loaded.state);
          return {
            statements: write(database, target, change, loaded, { now, rules }),
            result: change.result,
          };
        },
      });
    },
  };
}

async function byName(
  database: Database,
  names: readonly string[],
): Promise<ReadonlyMap<string, BucketRecord>> {
  const rows = await queryByKeys(
    database,
    names,
    (name) => sql`/* bucket */ SELECT name, body FROM buckets WHERE name = ${name}`,
  );
  return new Map(rows.map(({ name, body }) => [name as string, fromStored<BucketRecord>(body)]));
}

/** Buckets that a manager's rows name, each from its own shard. One that is deleted meanwhile is passed over. */
async function bucketsOf(
  database: Database,
  manager: readonly [identity: string, project: string],
  behind: string,
  limit: number,
): Promise<BucketRecord[]> {
  const [identity, inProject] = manager;
  const rows = await database.query(sql`/* names of buckets */ SELECT bucket FROM managers
    WHERE identity = ${identity} AND project = ${inProject} AND bucket > ${behind} ORDER BY bucket LIMIT ${limit}`);
  const names = rows.map(({ bucket }) => bucket as string);
  const found = await byName(database, names);
  const buckets = names.flatMap((name) => found.get(name) ?? []);
  if (names.length < limit || buckets.length === limit) return buckets;
  return [
    ...buckets,
    ...(await bucketsOf(database, manager, names.at(-1) as string, limit - buckets.length)),
  ];
}

interface Loaded {
  readonly state: BucketState;
  /** Counts the changes of the bucket and its notifications; where there is none, those of earlier buckets of the name. */
  readonly version: number;
  /** Those of its notifications. */
  readonly topics: readonly string[];
}

/** Loads a bucket, what an earlier one of the name has left, and the topics of its notifications. */
const bucketStatement = (name: string): Statement =>
  sql`/* load bucket by itself */ SELECT 'bucket' AS kind, body, version AS n, last_id::text AS a FROM buckets WHERE name = ${name}
UNION ALL SELECT 'before', NULL, version, last_id::text FROM bucket_ids WHERE name = $1
UNION ALL SELECT DISTINCT 'topic', NULL::jsonb, 0, topic FROM notifications WHERE bucket = $1 AND topic IS NOT NULL`;

/** Loads each row from its shard, in one round trip. */
async function load(read: Read, { name, maker, request: asked }: BucketTarget, now: number): Promise<Loaded> {
  const answers = await read([
    bucketStatement(lookupKey(name)),
    ...(maker ? [findMade('bucket', maker)] : []),
    ...(asked ? [findRequest(asked, now)] : []),
  ]);
  const rows = answers.flat();
  const [bucket, before, made, request] = ['bucket', 'before', 'made', 'request'].map((wanted) =>
    rows.find(({ kind }) => kind === wanted),
  );
  const last = bucket ?? before;
  return {
    state: {
      bucket: bucket && fromStored<BucketRecord>(bucket.body),
      lastId: Number(last?.a ?? 0),
      madeToday: (made?.n as number | undefined) ?? 0,
      earlier: request && earlierFrom(request.a, request.body),
    },
    version: (last?.n as number | undefined) ?? 0,
    topics: rows.filter(({ kind }) => kind === 'topic').map(({ a }) => a as string),
  };
}

/** Statements that store a change; they fail where the bucket, its notifications or what the maker has made were changed meanwhile. */
function write<T>(
  database: Database,
  { maker, request }: BucketTarget,
  { next, lastId = 0, removes, outcome }: BucketChange<T>,
  { state, version, topics }: Loaded,
  { now, rules }: { readonly now: number; readonly rules: BucketStoreRules },
): Statement[] {
  const { bucket, madeToday } = state;
  return [
    ...(next && bucket ? replacement(bucket, next, lastId, version) : []),
    ...(next && !bucket
      ? [
          ...addition(next, Math.max(lastId, state.lastId), version),
          ...(maker ? [countMade('bucket', maker, madeToday)] : []),
        ]
      : []),
    ...(removes && bucket ? deletion(bucket, version, topics) : []),
    ...rememberRequest(request, {
      database,
      outcome,
      now,
      kind: 'bucket',
      bytesPerCaller: rules.requests?.bytesPerCaller,
    }),
  ];
}

// The count of changes goes on behind that of the deleted bucket whose name a new one takes: what was decided on one never
// fits the other.

/** Statements that store a bucket which was not there; they fail where one of the name was made or deleted meanwhile. */
const addition = (bucket: BucketRecord, lastId: number, version: number): Statement[] => [
  sql`/* add bucket */ INSERT INTO buckets (name, body, version, last_id)
    VALUES (${bucket.name}, ${toStored(bucket)}, ${version}, ${String(lastId)})`,
  // Behind it: from then on nobody else can make one of the name, and delete it.
  checked(sql`/* check count of bucket */ SELECT FROM (SELECT max(version) AS version FROM bucket_ids
    WHERE name = ${bucket.name}) AS b WHERE coalesce(version, 0) = ${version}`),
  ...addManagers(bucket, identitiesOf(bucket)),
];

/** Statements that store a bucket in place of another one; they fail where it or its notifications were changed meanwhile. */
function replacement(before: BucketRecord, next: BucketRecord, lastId: number, version: number): Statement[] {
  const [old, now] = [identitiesOf(before), identitiesOf(next)];
  const gone = old.filter((identity) => !now.includes(identity));
  const added = now.filter((identity) => !old.includes(identity));
  return [
    checked(
      sql`/* replace bucket */ UPDATE buckets
        SET body = ${toStored(next)}, version = version + 1, last_id = greatest(last_id, ${String(lastId)}::numeric)
        WHERE name = ${next.name} AND version = ${version} RETURNING 1`,
    ),
    ...(gone.length > 0 ? [...removeManagers(before, gone), notifyFollowers(next)] : []),
    ...(added.length > 0 ? addManagers(next, added) : []),
  ];
}

/** Statements that delete a bucket with its notifications, on some topics; they fail where it or these were changed meanwhile. */
const deletion = (bucket: BucketRecord, version: number, topics: readonly string[]): Statement[] => [
  checked(
    sql`/* end bucket */ UPDATE buckets SET version = version + 1 WHERE name = ${bucket.name} AND version = ${version} RETURNING 1`,
  ),
  sql`/* keep ids of bucket */ INSERT INTO bucket_ids (name, last_id, version) SELECT name, last_id, version FROM buckets
    WHERE name = ${bucket.name}
      ON CONFLICT (name) DO UPDATE SET last_id = excluded.last_id, version = excluded.version`,
  sql`/* delete bucket */ DELETE FROM buckets WHERE name = ${bucket.name}`,
  sql`/* delete notifications */ DELETE FROM notifications WHERE bucket = ${bucket.name}`,
  ...topics.map(
    (topic) => sql`/* remove topic */ DELETE FROM topics WHERE topic = ${topic} AND bucket = ${bucket.name}`,
  ),
  ...removeManagers(bucket, identitiesOf(bucket)),
  notifyFollowers(bucket),
];

/** Has streams of the bucket's messages look at their access when the change is stored. */
const notifyFollowers = ({ name }: BucketRecord): Statement =>
  sql`/* notify of lost access */ SELECT pg_notify(${topicChannel}, ${name})`;

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
