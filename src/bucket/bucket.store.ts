import type { CreationQuotaKey } from '../core/quota.ts';
import type { EarlierRequest, RequestRecord } from '../core/request-record.ts';

/** A bucket as it is stored. */
export interface BucketRecord {
  readonly name: string;
  readonly project: string;
  readonly requesterPays: boolean;
  /** E-mail addresses of the callers who may manage the bucket and its notifications. */
  readonly managers: readonly string[];
  /** Revision of the bucket without its objects, from 1; absent: 1. */
  readonly metageneration?: number;
  /** RFC 3339, UTC; absent if unknown. */
  readonly timeCreated?: string;
  readonly updated?: string;
  /** Notification ids up to this one belong to earlier buckets of the same name; absent: 0. */
  readonly idsBefore?: number;
}

/** State to load for a change of a bucket. */
export interface BucketTarget {
  readonly name: string;
  /** Creator and day of a new bucket, for the daily limit. */
  readonly quotaKey?: CreationQuotaKey;
  /** Request under which the outcome is found or stored, for retries. */
  readonly request?: RequestRecord;
}

/** Consistent snapshot that a change is decided on. */
export interface BucketState {
  readonly bucket: BucketRecord | undefined;
  /** Highest notification id ever used for a bucket of this name; 0 if none. */
  readonly lastId: number;
  /** Buckets that the creator made on that day, including deleted ones. */
  readonly createdToday: number;
  /** Unexpired request with the same key. */
  readonly earlierRequest?: EarlierRequest;
}

/** Result of a decision, stored atomically. */
export interface BucketChange<T> {
  /** Bucket to store. A new one counts towards the quota of the target's creator. */
  readonly next?: BucketRecord;
  /** Raises the highest notification id of `next` to this one, if it is lower. */
  readonly lastId?: number;
  /** True deletes the bucket and its notifications, but not its pending messages. The name becomes available. */
  readonly removes?: true;
  /** Small JSON value stored with the target's request, for repeated requests with the same key. */
  readonly outcome?: object;
  readonly result: T;
}

/** Stores buckets. Returned records are frozen. */
export interface BucketStore {
  /** Returns buckets in the order of `names`; undefined for a missing one. */
  buckets(names: readonly string[]): Promise<(BucketRecord | undefined)[]>;
  /** Returns up to `limit` buckets of a project that an identity manages, after a name, sorted by name (bytes of UTF-8). */
  bucketsOf(
    project: string,
    identity: string,
    afterName: string,
    limit: number,
  ): Promise<readonly BucketRecord[]>;
  /** Returns up to `limit` buckets after a name, sorted by name (bytes of UTF-8). `lastId`: as in `BucketState`. */
  bucketsAfter(
    name: string,
    limit: number,
  ): Promise<readonly { readonly bucket: BucketRecord; readonly lastId: number }[]>;
  /** Stores the decision on the latest state, unless `decide` throws. It must be pure and synchronous: it may run again. */
  changeBucket<T>(target: BucketTarget, decide: (state: BucketState) => BucketChange<T>): Promise<T>;
}
