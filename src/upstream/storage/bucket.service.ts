import type { BucketService } from '../../bucket/bucket.service.ts';
import { notOffered } from '../not-offered.ts';
import type { UpstreamStorageParts } from './service-parts.ts';

/** Reads the buckets of the official API, as the caller. They are made, changed and deleted there. */
export function createUpstreamBucketService(_parts: UpstreamStorageParts): BucketService {
  return { canRehearse: true, getBucket: notOffered, listBuckets: notOffered, insertBucket: notOffered, patchBucket: notOffered, deleteBucket: notOffered };
}
