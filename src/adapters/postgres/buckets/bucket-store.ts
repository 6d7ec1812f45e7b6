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

  async addBucket(record) {
    await database.query({ text: 'INSERT INTO buckets (name, body) VALUES ($1, $2)', values: [record.name, toStored(record)] });
  },
});
