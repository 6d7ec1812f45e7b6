import DataLoader from 'dataloader';
import { perRequest, type RequestKey } from '../core/runtime/limits.ts';
import type { BucketRecord, BucketStore } from './bucket.store.ts';

/** Reads a bucket for a request: concurrent reads become one call of the store, and each result is cached for the request. */
type ReadBucket = (request: RequestKey, name: string) => Promise<BucketRecord | undefined>;

export function createBucketLoader(store: Pick<BucketStore, 'buckets'>): ReadBucket {
  const loaderOf = perRequest(() => new DataLoader((names: readonly string[]) => store.buckets(names)));
  return (request, name) => loaderOf(request).load(name);
}
