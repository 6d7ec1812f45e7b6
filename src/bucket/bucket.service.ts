import type { Viewer } from '../access/permissions.ts';
import { dailyQuotaKeyOf } from '../core/quota.ts';
import type { Page } from '../core/page.ts';
import { requestRecord } from '../core/request-record.ts';
import type { Clock } from '../core/runtime/clock.ts';
import {
  type DeleteBucketArgs,
  type GetBucketArgs,
  type InsertBucketArgs,
  type ListBucketsArgs,
  openBucket,
  type PatchBucketArgs,
  type Read,
} from './bucket.requests.ts';
import { listBuckets } from './bucket.list.ts';
import { createLoader } from './bucket.loaders.ts';
import type { BucketStore } from './bucket.store.ts';
import { bucketView, type BucketView } from './bucket.view.ts';
import {
  deleteBucket,
  insertBucket,
  patchBucket,
  type WriteContext,
  type WrittenBucket,
} from './bucket.writes.ts';

export interface BucketService {
  readonly getBucket: Read<GetBucketArgs, BucketView>;
  readonly listBuckets: Read<ListBucketsArgs, Page<BucketView>>;
  insertBucket(viewer: Viewer, args: InsertBucketArgs): Promise<WrittenBucket>;
  patchBucket(viewer: Viewer, args: PatchBucketArgs): Promise<WrittenBucket>;
  deleteBucket(viewer: Viewer, args: DeleteBucketArgs): Promise<boolean>;
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
  const contextOf = (viewer: Viewer, now: number): WriteContext => ({
    viewer,
    now: new Date(now).toISOString(),
    storageHost,
  });
  return {
    getBucket: async (viewer, args, request) =>
      bucketView(openBucket(viewer, args, await readBucket(request, args.bucket)), storageHost),
    listBuckets: (viewer, args) => listBuckets(store, storageHost, viewer, args),

    insertBucket(viewer, args) {
      const now = clock();
      const request = requestRecord('insertBucket', viewer, args, () => now);
      const target = { name: args.bucket.name ?? '', quotaKey: dailyQuotaKeyOf(viewer, now), request };
      return store.changeBucket(target, (state) =>
        insertBucket(contextOf(viewer, now), args, request, state),
      );
    },

    patchBucket(viewer, args) {
      const context = contextOf(viewer, clock());
      return store.changeBucket({ name: args.bucket }, (state) => patchBucket(context, args, state));
    },

    deleteBucket(viewer, args) {
      const context = contextOf(viewer, clock());
      return store.changeBucket<boolean>({ name: args.bucket }, (state) =>
        deleteBucket(context, args, state),
      );
    },
  };
}
