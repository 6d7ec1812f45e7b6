import type {
  BucketChange,
  BucketRecord,
  BucketState,
  BucketStore,
  BucketTarget,
} from '../../../bucket/bucket.store.ts';
import type { RequestRecordLimits } from '../../../core/kernel/request-record.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Database, Statement } from '../database.ts';
import { indexKey, lookupKey } from '../lookup.ts';
import { countMade, lockMade, madeCount, makerValues } from '../made.ts';
import { earlierFrom, findRequest, rememberRequest } from '../request-records.ts';
import { queryByKeys } from '../by-keys.ts';
import { fromStored } from '../stored-json.ts';
import { changeInTransaction, type Read } from '../transaction.ts';
import { addition, deletion, replacement } from './bucket-write.ts';

/** Rules other than the usual ones. */
export interface BucketStoreRules {
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
      const rows = await database.query({
        name: 'buckets behind',
        text: 'SELECT body, last_id::text AS last_id FROM buckets WHERE name COLLATE "C" > $1 ORDER BY name COLLATE "C" LIMIT $2',
        values: [lookupKey(name), limit],
      });
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
          {
            name: 'lock bucket',
            text: 'SELECT FROM buckets WHERE name = $1 FOR UPDATE',
            values: [lookupKey(target.name)],
          },
          ...lockMade('bucket', target.maker),
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
  const rows = await queryByKeys(database, names, (name) => ({
    name: 'bucket',
    text: 'SELECT name, body FROM buckets WHERE name = $1',
    values: [name],
  }));
  return new Map(rows.map(({ name, body }) => [name as string, fromStored<BucketRecord>(body)]));
}

/** Buckets that a manager's rows name, each from its own shard. One that is deleted meanwhile is passed over. */
async function bucketsOf(
  database: Database,
  manager: readonly [identity: string, project: string],
  behind: string,
  limit: number,
): Promise<BucketRecord[]> {
  const rows = await database.query({
    name: 'names of buckets',
    text: 'SELECT bucket FROM managers WHERE identity = $1 AND project = $2 AND bucket > $3 ORDER BY bucket LIMIT $4',
    values: [...manager, behind, limit],
  });
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

/** What stands with a bucket; $1 is its name. */
const bucketText = `SELECT 'bucket' AS kind, body, version AS n, last_id::text AS a FROM buckets WHERE name = $1
UNION ALL SELECT 'before', NULL, version, last_id::text FROM bucket_ids WHERE name = $1
UNION ALL SELECT DISTINCT 'topic', NULL::jsonb, 0, topic FROM notifications WHERE bucket = $1 AND topic IS NOT NULL`;
const madeText = `SELECT 'made' AS kind, NULL::jsonb AS body, count AS n, NULL AS a FROM (${madeCount('bucket', '$1', '$2')}) AS m`;

/** Loads each row from its shard, in one round trip. */
async function load(read: Read, { name, maker, request: asked }: BucketTarget, now: number): Promise<Loaded> {
  const answers = await read([
    { name: 'load bucket by itself', text: bucketText, values: [lookupKey(name)] },
    ...(maker ? [{ name: 'load made buckets', text: madeText, values: makerValues(maker) }] : []),
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
      ? [...addition(next, Math.max(lastId, state.lastId), version), ...countMade('bucket', maker, madeToday)]
      : []),
    ...(removes && bucket ? deletion(bucket, version, topics) : []),
    ...(outcome !== undefined && request
      ? rememberRequest(request, {
          database,
          outcome,
          now,
          kind: 'bucket',
          bytesPerCaller: rules.requests?.bytesPerCaller,
        })
      : []),
  ];
}
