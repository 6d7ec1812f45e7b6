import type { BucketRecord, BucketStore } from '../../../bucket/bucket.store.ts';
import type { Database } from '../database.ts';
import { lookupKey } from '../lookup.ts';
import { fromStored, toStored } from '../stored-json.ts';

/** Buckets in PostgreSQL, shared by all gateways on one database. */
export const createPostgresBucketStore = (database: Database): BucketStore => ({
  async buckets(names) {
    const rows = await database.query({ name: 'buckets', text: 'SELECT name, body FROM buckets WHERE name = ANY ($1::text[])', values: [names.map(lookupKey)] });
    const found = new Map(rows.map(({ name, body }) => [name as string, fromStored<BucketRecord>(body)]));
    return names.map((name) => found.get(name));
  },

  async bucketsBehind(name, limit) {
    const rows = await database.query({ name: 'buckets behind', text: 'SELECT body, last_id::text AS last FROM buckets WHERE name COLLATE "C" > $1 ORDER BY name COLLATE "C" LIMIT $2', values: [name, limit] });
    return rows.map(({ body, last }) => ({ bucket: fromStored<BucketRecord>(body), lastId: Number(last) }));
  },

  async changeBucket({ name }, decide) {
    const [row] = await database.query({ name: 'bucket', text: 'SELECT body, last_id::text AS last FROM buckets WHERE name = $1', values: [lookupKey(name)] });
    const { next, lastId, result } = decide({ bucket: row && fromStored<BucketRecord>(row.body), lastId: Number(row?.last ?? 0) });
    if (next) {
      await database.query({
        text: `INSERT INTO buckets (name, body, last_id) VALUES ($1, $2, $3) ON CONFLICT (name) DO UPDATE SET body = excluded.body, last_id = greatest(buckets.last_id, excluded.last_id)`,
        values: [name, toStored(next), lastId ?? 0],
      });
    } else if (lastId !== undefined) await database.query({ text: 'UPDATE buckets SET last_id = greatest(last_id, $2::numeric) WHERE name = $1', values: [name, lastId] });
    return result;
  },

  async addBucket(record) {
    await database.query({ text: 'INSERT INTO buckets (name, body) VALUES ($1, $2)', values: [record.name, toStored(record)] });
  },
});
