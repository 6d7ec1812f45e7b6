/** A bucket as it is stored. */
export interface BucketRecord {
  readonly name: string;
  readonly project: string;
  readonly requesterPays: boolean;
  /** E-mail addresses of those who may manage its notifications. */
  readonly managers: readonly string[];
}

/** Stores buckets. Records are handed out frozen. */
export interface BucketStore {
  /** The buckets with these names, in order; undefined where there is none. */
  buckets(names: readonly string[]): Promise<(BucketRecord | undefined)[]>;
  /** Once for each name. */
  addBucket(bucket: BucketRecord): Promise<void>;
}
