import type {
  BucketChange,
  BucketRecord,
  BucketState,
  BucketStore,
  BucketTarget,
} from '../../../bucket/bucket.store.ts';
import type { RequestRecordLimits } from '../../../core/kernel/request-record.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Database, Row, Statement } from '../database.ts';
import { indexKey, lookupKey } from '../lookup.ts';
import { countMade, lockMade, madeCount, makerValues } from '../made.ts';
import { earlierFrom, findRequest, rememberRequest } from '../request-records.ts';
import { queryByKeys } from '../spread/by-keys.ts';
import { fromStored } from '../stored-json.ts';
import { changeInTransaction, type Loading } from '../transaction.ts';
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

    async bucketsOf(project, identity, behind, limit) {
      if (database.isSpread)
        return bucketsOneByOne(database, [lookupKey(identity), indexKey(project)], lookupKey(behind), limit);
      const rows = await database.query({
        name: 'buckets of',
        text: `SELECT b.body FROM managers m JOIN buckets b ON b.name = m.bucket
          WHERE m.identity = $1 AND m.project = $2 AND m.bucket > $3 ORDER BY m.bucket LIMIT $4`,
        values: [lookupKey(identity), indexKey(project), lookupKey(behind), limit],
      });
      return rows.map(({ body }) => fromStored<BucketRecord>(body));
    },

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
        load: () => (database.isSpread ? loadStepwise(target, now) : load(target, now)),
        read,
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
  const rows = await queryByKeys(database, names, (keys) => ({
    name: 'buckets',
    text: 'SELECT name, body FROM buckets WHERE name = ANY ($1::text[])',
    values: [keys],
  }));
  return new Map(rows.map(({ name, body }) => [name as string, fromStored<BucketRecord>(body)]));
}

/** What a manager's entries name, each bucket from its own shard. One that is deleted meanwhile is passed over. */
async function bucketsOneByOne(
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
    ...(await bucketsOneByOne(database, manager, names.at(-1) as string, limit - buckets.length)),
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
const madeText = (identity: string, day: string): string =>
  `SELECT 'made' AS kind, NULL::jsonb AS body, count AS n, NULL AS a FROM (${madeCount('bucket', identity, day)}) AS m`;
// One statement, so that all of it is read at one moment. $1 bucket, $2 request, $3 now, $4 and $5 maker.
const loadText = `${bucketText} UNION ALL ${madeText('$4', '$5')} UNION ALL SELECT 'request', outcome, 0, fingerprint FROM requests WHERE key = $2 AND until > $3`;

const load = ({ name, maker, request }: BucketTarget, now: number): Statement => ({
  name: 'load bucket alone',
  text: loadText,
  values: [lookupKey(name), request?.key ?? null, now, ...makerValues(maker)],
});

/** Each from its shard, in one round trip: what is stored then checks each of them. */
const loadStepwise =
  ({ name, maker, request }: BucketTarget, now: number): Loading =>
  async ({ runAll }) =>
    (
      await runAll([
        { name: 'load bucket by itself', text: bucketText, values: [lookupKey(name)] },
        ...(maker
          ? [{ name: 'load made buckets', text: madeText('$1', '$2'), values: makerValues(maker) }]
          : []),
        ...(request ? [findRequest(request, now)] : []),
      ])
    ).flat();

function read(rows: readonly Row[]): Loaded {
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
    ...(next && bucket ? replacement(database, bucket, next, lastId, version) : []),
    ...(next && !bucket
      ? [
          ...addition(database, next, Math.max(lastId, state.lastId), version),
          ...countMade('bucket', maker, madeToday),
        ]
      : []),
    ...(removes && bucket ? deletion(database, bucket, version, topics) : []),
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
