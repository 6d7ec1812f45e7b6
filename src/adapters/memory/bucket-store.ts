import { deepFreeze } from '../../core/kernel/freeze.ts';
import type { BucketRecord, BucketStore } from '../../bucket/bucket.store.ts';

export interface MemoryBucketStore extends BucketStore {
  /** For stores in the same memory, whose decisions are made on the bucket. */
  readonly find: (name: string) => BucketRecord | undefined;
  /** The highest id that a notification of a bucket of this name ever had. */
  readonly lastId: (name: string) => number;
  readonly raiseLastId: (name: string, id: number) => void;
}

/** Buckets in the memory of this process. */
export function createMemoryBucketStore(): MemoryBucketStore {
  const records = new Map<string, BucketRecord>();
  const lastIds = new Map<string, number>();
  const lastId = (name: string): number => lastIds.get(name) ?? 0;
  const raiseLastId = (name: string, id: number): void => void lastIds.set(name, Math.max(lastId(name), id));
  return {
    find: (name) => records.get(name),
    lastId,
    raiseLastId,
    bucketsBehind: async (name, limit) =>
      [...records.values()].filter((one) => one.name > name).sort((a, b) => (a.name < b.name ? -1 : 1)).slice(0, limit).map((bucket) => ({ bucket, lastId: lastId(bucket.name) })),
    async changeBucket({ name }, decide) {
      const { next, lastId: least, result } = decide({ bucket: records.get(name), lastId: lastId(name) });
      if (next) records.set(name, deepFreeze(structuredClone(next)));
      if (least !== undefined) raiseLastId(name, least);
      return result;
    },
    buckets: async (names) => names.map((name) => records.get(name)),
    async addBucket(record) {
      records.set(record.name, deepFreeze(structuredClone(record)));
    },
  };
}
