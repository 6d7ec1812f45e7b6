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
  bucketListIssues,
  encodeCursor,
  decodeCursor,
} from './bucket.requests.ts';
import { bucketViewOf, type BucketView } from './bucket.view.ts';
import { limits } from './bucket.fields.ts';
import { createLoader } from '../core/runtime/request-loader.ts';
import type { BucketStore } from './bucket.store.ts';
import {
  decideDelete,
  decideInsert,
  decidePatch,
  type WriteContext,
  type BucketWriteResult,
} from './bucket.writes.ts';
import { invalidInputError } from '../core/errors.ts';

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
  const readBucket = createLoader((names: readonly string[]) => store.buckets(names));
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

/** Lists the buckets of a project that the viewer manages, by name. */
async function listBuckets(
  store: Pick<BucketStore, 'bucketsOf'>,
  storageHost: string,
  viewer: Viewer,
  args: ListBucketsArgs,
): Promise<Page<BucketView>> {
  const pageSize = args.first ?? limits.pageSize.default;
  const afterName = typeof args.after === 'string' ? decodeCursor(args.after) : '';
  const issues = bucketListIssues(args);
  if (issues.length > 0 || afterName === undefined) throw invalidInputError(issues);
  // Loads one extra bucket to determine `hasNextPage`.
  const buckets = await store.bucketsOf(args.project, viewer.identity, afterName, pageSize + 1);
  return {
    edges: buckets
      .slice(0, pageSize)
      .map((bucket) => ({ cursor: encodeCursor(bucket.name), node: bucketViewOf(bucket, storageHost) })),
    hasNextPage: buckets.length > pageSize,
    hasPreviousPage: afterName !== '',
  };
}
