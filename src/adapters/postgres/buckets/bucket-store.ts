import type { BucketChange, BucketRecord, BucketState, BucketStore, BucketTarget } from '../../../bucket/bucket.store.ts';
import type { RequestRecordLimits } from '../../../core/kernel/request-record.ts';
import type { Clock } from '../../../core/runtime/clock.ts';
import type { Database, Row, Statement } from '../database.ts';
import { indexKey, lookupKey } from '../lookup.ts';
import { countMade, lockMade, madeCount, makerValues } from '../made.ts';
import { earlierFrom, rememberRequest } from '../request-records.ts';
import { fromStored } from '../stored-json.ts';
import { changeInTransaction } from '../transaction.ts';
import { addition, deletion, replacement } from './bucket-write.ts';

/** Rules other than the usual ones. */
export interface BucketStoreRules {
  readonly requests?: RequestRecordLimits;
}

/** Buckets in PostgreSQL, shared by all gateways on one database. */
export function createPostgresBucketStore(database: Database, clock: Clock, rules: BucketStoreRules = {}): BucketStore {
  return {
    async buckets(names) {
      const rows = await database.query({ name: 'buckets', text: 'SELECT name, body FROM buckets WHERE name = ANY ($1::text[])', values: [names.map(lookupKey)] });
      const found = new Map(rows.map(({ name, body }) => [name as string, fromStored<BucketRecord>(body)]));
      return names.map((name) => found.get(name));
    },

    async bucketsOf(project, identity, behind, limit) {
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
      return rows.map(({ body, last_id: lastId }) => ({ bucket: fromStored<BucketRecord>(body), lastId: Number(lastId) }));
    },

    changeBucket<T>(target: BucketTarget, decide: (state: BucketState) => BucketChange<T>) {
      const now = clock();
      return changeInTransaction<Loaded, T>(database, {
        load: () => load(target, now),
        read,
        lock: () => [{ name: 'lock bucket', text: 'SELECT FROM buckets WHERE name = $1 FOR UPDATE', values: [lookupKey(target.name)] }, ...lockMade('bucket', target.maker)],
        decide(loaded) {
          const change = decide(loaded.state);
          return { statements: write(target, change, loaded, now, rules), result: change.result };
        },
      });
    },
  };
}

interface Loaded {
  readonly state: BucketState;
  /** Counts the changes of the bucket and its notifications; where there is none, those of earlier buckets of the name. */
  readonly version: number;
}

// One statement, so that all of it is read at one moment. $1 bucket, $2 request, $3 now, $4 and $5 maker.
const loadText = `
SELECT 'bucket' AS kind, body, version AS n, last_id::text AS a FROM buckets WHERE name = $1
UNION ALL SELECT 'before', NULL, version, last_id::text FROM bucket_ids WHERE name = $1
UNION ALL SELECT 'made', NULL, count, NULL FROM (${madeCount('bucket', '$4', '$5')}) AS m
UNION ALL SELECT 'request', outcome, 0, fingerprint FROM requests WHERE key = $2 AND until > $3`;

const load = ({ name, maker, request }: BucketTarget, now: number): Statement => ({
  name: 'load bucket alone', text: loadText, values: [lookupKey(name), request?.key ?? null, now, ...makerValues(maker)],
});

function read(rows: readonly Row[]): Loaded {
  const [bucket, before, made, request] = ['bucket', 'before', 'made', 'request'].map((wanted) => rows.find(({ kind }) => kind === wanted));
  const last = bucket ?? before;
  return {
    state: {
      bucket: bucket && fromStored<BucketRecord>(bucket.body),
      lastId: Number(last?.a ?? 0),
      madeToday: (made?.n as number | undefined) ?? 0,
      earlier: request && earlierFrom(request.a, request.body),
    },
    version: (last?.n as number | undefined) ?? 0,
  };
}

/** Statements that store a change; they fail where the bucket, its notifications or what the maker has made were changed meanwhile. */
function write<T>({ maker, request }: BucketTarget, { next, lastId = 0, removes, outcome }: BucketChange<T>, { state, version }: Loaded, now: number, rules: BucketStoreRules): Statement[] {
  const { bucket, madeToday } = state;
  return [
    ...(next && bucket ? replacement(bucket, next, lastId, version) : []),
    ...(next && !bucket ? [...addition(next, Math.max(lastId, state.lastId), version), ...countMade('bucket', maker, madeToday)] : []),
    ...(removes && bucket ? deletion(bucket, version) : []),
    ...(outcome !== undefined && request ? rememberRequest(request, { outcome, now, kind: 'bucket', bytesPerCaller: rules.requests?.bytesPerCaller }) : []),
  ];
}
