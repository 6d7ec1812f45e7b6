import { pageQuery, query, type ResourceModule, write, writeValue } from '../operations/operation.ts';
import { bucketBodyIssues, bucketListIssues } from './bucket.requests.ts';
import type { BucketService } from './bucket.service.ts';

export function createBucketModule(service: BucketService) {
  return {
    operations: {
      bucket: query(service.getBucket),
      buckets: pageQuery(service.listBuckets, bucketListIssues),
      insertBucket: write(
        service.insertBucket,
        ({ bucket }) => bucket,
        ({ bucket }) => bucketBodyIssues('bucket', bucket),
      ),
      patchBucket: write(
        service.patchBucket,
        ({ bucket }) => bucket,
        ({ change }) => bucketBodyIssues('change', change),
      ),
      deleteBucket: writeValue(service.deleteBucket),
    },
  } satisfies ResourceModule;
}
