import type { DemoBucketsQuery } from '../gql/graphql.ts';

/** A bucket in the list of a project. */
export type Bucket = NonNullable<DemoBucketsQuery['buckets']>['nodes'][number];

/** The name of a bucket, and the project that pays for requests to it if its requesters do. */
export interface BilledBucket {
  readonly bucket: string;
  readonly userProject: string | undefined;
}
