import { pageQuery, query, type ResourceModule, write } from '../operations/operation.ts';
import { bucketBodyIssues } from './bucket.body.ts';
import { bucketListIssues } from './bucket.list.ts';
import type {
  DeleteBucketArgs,
  GetBucketArgs,
  InsertBucketArgs,
  ListBucketsArgs,
  PatchBucketArgs,
} from './bucket.requests.ts';
import type { BucketService } from './bucket.service.ts';

export function createBucketModule(service: BucketService) {
  return {
    operations: {
      bucket: query((args: GetBucketArgs, context, selected) =>
        service.getBucket(context.caller(), args, context, selected),
      ),
      buckets: pageQuery(
        (args: ListBucketsArgs, context, selected) =>
          service.listBuckets(context.caller(), args, context, selected),
        bucketListIssues,
      ),
      insertBucket: write(
        (args: InsertBucketArgs, context) => service.insertBucket(context.caller(), args),
        ({ bucket }) => bucket,
        ({ bucket }) => bucketBodyIssues('bucket', bucket),
      ),
      patchBucket: write(
        (args: PatchBucketArgs, context) => service.patchBucket(context.caller(), args),
        ({ bucket }) => bucket,
        ({ change }) => bucketBodyIssues('change', change),
      ),
      deleteBucket: write(
        async (args: DeleteBucketArgs, context) => ({
          deleted: await service.deleteBucket(context.caller(), args),
          warnings: [],
        }),
        ({ deleted }) => deleted,
      ),
    },
  } satisfies ResourceModule;
}
