import {
  forCaller,
  pageQuery,
  query,
  type ResourceModule,
  write,
  writeValue,
} from '../operations/operation.ts';
import { bucketBodyIssues, bucketListIssues } from './bucket.requests.ts';
import type { BucketService } from './bucket.service.ts';

export function createBucketModule(service: BucketService) {
  return {
    operations: {
      bucket: query(forCaller(service.getBucket)),
      buckets: pageQuery(forCaller(service.listBuckets), bucketListIssues),
      insertBucket: write(
        forCaller(service.insertBucket),
        ({ bucket }) => bucket,
        ({ bucket }) => bucketBodyIssues('bucket', bucket),
      ),
      patchBucket: write(
        forCaller(service.patchBucket),
        ({ bucket }) => bucket,
        ({ change }) => bucketBodyIssues('change', change),
      ),
      deleteBucket: writeValue(forCaller(service.deleteBucket)),
    },
  } satisfies ResourceModule;
}
