import { deepFreeze } from '../../core/kernel/freeze.ts';
import type { BucketRecord, BucketStore } from '../../bucket/bucket.store.ts';

export interface MemoryBucketStore extends BucketStore {
  /** For stores in the same memory, whose decisions are made on the bucket. */
  readonly find: (name: string) => BucketRecord | undefined;
}

/** Buckets in the memory of this process. */
export function createMemoryBucketStore(): MemoryBucketStore {
  const records = new Map<string, BucketRecord>();
  return {
    find: (name) => records.get(name),
    buckets: async (names) => names.map((name) => records.get(name)),
    async addBucket(record) {
      records.set(record.name, deepFreeze(structuredClone(record)));
    },
  };
}
