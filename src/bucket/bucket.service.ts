import type { Viewer, ViewerOperation } from '../access/permissions.ts';
import { createDailyQuotaKey } from '../core/quota.ts';
import type { Page } from '../core/page.ts';
import { createRequestRecord } from '../core/request-record.ts';
import type { Clock } from '../core/runtime/clock.ts';
import {
  type DeleteBucketArgs,
  type GetBucketArgs,
  type InsertBucketArgs,
  type ListBucketsArgs,
  openBucket,
  type PatchBucketArgs,
} from './bucket.requests.ts';
import { listBuckets } from './bucket.list.ts';
import { createLoader } from './bucket.loaders.ts';
import type { BucketStore } from './bucket.store.ts';
import { bucketViewOf, type BucketView } from './bucket.view.ts';
import {
  decideDelete,
  decideInsert,
  decidePatch,
  type WriteContext,
  type BucketWriteResult,
} from './bucket.writes.ts';

export interface BucketService {
  readonly getBucket: ViewerOperation<GetBucketArgs, BucketView>;
  readonly listBuckets: ViewerOperation<ListBucketsArgs, Page<BucketView>>;
  readonly insertBucket: (viewer: Viewer, args: InsertBucketArgs) => Promise<BucketWriteResult>;
  readonly patchBucket: (viewer: Viewer, args: PatchBucketArgs) => Promise<BucketWriteResult>;
  readonly deleteBucket: (viewer: Viewer, args: DeleteBucketArgs) => Promise<boolean>;
}

interface BucketServiceDependencies {
  readonly buckets: BucketStore;
  readonly clock: Clock;
  readonly storageHost: string;
}

/** Creates, reads, changes and deletes buckets on behalf of a viewer. Throws AppError with all issues at once. */
export function createBucketService({
  buckets: store,
  clock,
  storageHost,
}: BucketServiceDependencies): BucketService {
  const readBucket = createLoader((names) => store.buckets(names));
  /** Creates the context of a write at a point in time. */
  const contextOf = (viewer: Viewer, now: number): WriteContext => ({
    viewer,
    now: new Date(now).toISOString(),
    storageHost,
  });
  return {
    getBucket: async (viewer, args, request) =>
      bucketViewOf(openBucket(viewer, args, await readBucket(request, args.bucket)), storageHost),
    listBuckets: (viewer, args) => listBuckets(store, storageHost, viewer, args),

    insertBucket(viewer, args) {
      const now = clock();
      const request = createRequestRecord('insertBucket', viewer, args, () => now);
      const target = { name: args.bucket.name ?? '', quotaKey: createDailyQuotaKey(viewer, now), request };
      return store.changeBucket(target, (state) =>
        decideInsert(contextOf(viewer, now), args, request, state),
      );
    },

    patchBucket(viewer, args) {
      const context = contextOf(viewer, clock());
      return store.changeBucket({ name: args.bucket }, (state) => decidePatch(context, args, state));
    },

    deleteBucket(viewer, args) {
      const context = contextOf(viewer, clock());
      return store.changeBucket<boolean>({ name: args.bucket }, (state) =>
        decideDelete(context, args, state),
      );
    },
  };
}
