import type { DemoBucketsQuery } from '../gql/graphql.ts';

export type Bucket = NonNullable<DemoBucketsQuery['buckets']>['nodes'][number];

/** A bucket, and the project billed for requests to it. */
export interface BilledBucket {
  readonly bucket: string;
  readonly userProject: string | undefined;
}
