import DataLoader from 'dataloader';
import type { BucketRecord, BucketStore } from './bucket.store.ts';

/** Reads the buckets of one request: those asked for together become one call of the store. */
export type BucketLoader = (name: string) => Promise<BucketRecord | undefined>;

export function createBucketLoader(store: BucketStore): BucketLoader {
  const loader = new DataLoader((names: readonly string[]) => store.buckets(names));
  return (name) => loader.load(name);
}
