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

export interface BucketTarget {
  readonly name: string;
}
export interface BucketState {
  readonly bucket: BucketRecord | undefined;
  /** The highest id that a notification of a bucket of this name ever had; 0 where there was none. */
  readonly lastId: number;
}
export interface BucketChange<T> {
  readonly next?: BucketRecord;
  /** Ids of notifications go on behind this one, where they are not further yet. */
  readonly lastId?: number;
  readonly result: T;
}

/** Stores buckets. Records are handed out frozen. */
export interface BucketStore {
  /** The buckets with these names, in order; undefined where there is none. */
  buckets(names: readonly string[]): Promise<(BucketRecord | undefined)[]>;
  /** All buckets by name (code units), up to `limit` behind a name, each with the highest id that a notification of that name ever had. */
  bucketsBehind(name: string, limit: number): Promise<readonly { readonly bucket: BucketRecord; readonly lastId: number }[]>;
  /** Stores what `decide` makes of the newest state. */
  changeBucket<T>(target: BucketTarget, decide: (state: BucketState) => BucketChange<T>): Promise<T>;
  /** Once for each name. */
  addBucket(bucket: BucketRecord): Promise<void>;
}
