import type { BillingArgs } from './bucket.billing.ts';

// The arguments of the service's operations. Null and absent are told apart in the body of a patch only.

export interface GetBucketArgs extends Pick<BillingArgs, 'userProject'> {
  readonly bucket: string;
}

export interface ListBucketsArgs {
  readonly project: string;
  readonly first?: number | null;
  readonly after?: string | null;
}

/** The fields of a bucket. Those that the server sets are ignored, with a warning where they differ. */
export interface BucketBody {
  readonly kind?: string | null;
  readonly id?: string | null;
  readonly nodeId?: string | null;
  readonly name?: string | null;
  readonly project?: string | null;
  readonly etag?: string | null;
  readonly selfLink?: string | null;
  readonly metageneration?: string | null;
  readonly timeCreated?: string | null;
  readonly updated?: string | null;
  readonly billing?: { readonly requesterPays?: boolean | null } | null;
  readonly managers?: readonly string[] | null;
}

export interface InsertBucketArgs {
  readonly project: string;
  readonly bucket: BucketBody;
  readonly requestId?: string | null;
  /** Validates and answers as an insert would, and stores nothing. */
  readonly validateOnly?: boolean | null;
}

/** Conditions on the count of changes. Of faces that know them; the schema does not. */
export interface MetagenerationArgs {
  readonly ifMetagenerationMatch?: string;
  readonly ifMetagenerationNotMatch?: string;
}

export interface PatchBucketArgs extends MetagenerationArgs {
  readonly bucket: string;
  readonly change: BucketBody;
  /** The etag that the caller has seen. */
  readonly ifMatch?: string | null;
  /** Validates and answers as a patch would, and stores nothing. */
  readonly validateOnly?: boolean | null;
}

export interface DeleteBucketArgs extends MetagenerationArgs {
  readonly bucket: string;
  readonly ifMatch?: string | null;
}
