/** A bucket as it is stored. */
export interface BucketRecord {
  readonly name: string;
  readonly project: string;
  readonly requesterPays: boolean;
  /** E-mail addresses of those who may manage it and its notifications. */
  readonly managers: readonly string[];
  /** Counts the changes of the bucket itself, from 1; absent: 1. */
  readonly metageneration?: number;
  /** RFC 3339, UTC; absent where unknown. */
  readonly timeCreated?: string;
  readonly updated?: string;
  /** Ids of notifications up to this one belong to earlier buckets of the same name; absent: 0. */
  readonly idsBefore?: number;
}

/** Stores buckets. Records are handed out frozen. */
export interface BucketStore {
  /** The buckets with these names, in order; undefined where there is none. */
  buckets(names: readonly string[]): Promise<(BucketRecord | undefined)[]>;
  /** Once for each name. */
  addBucket(bucket: BucketRecord): Promise<void>;
}
