import type { Maker } from '../core/quota.ts';
import type { EarlierRequest, RequestRecord } from '../core/request-record.ts';

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

/** The bucket that a change is about, and what else the change is decided on. */
export interface BucketTarget {
  readonly name: string;
  /** Who would make the bucket: to count what this caller has made. */
  readonly maker?: Maker;
  readonly request?: RequestRecord;
}

/** What a change is decided on, all of it read at one moment. */
export interface BucketState {
  readonly bucket: BucketRecord | undefined;
  /** The highest id that a notification of a bucket of this name ever had; 0 where there was none. */
  readonly lastId: number;
  /** How many buckets the maker has made on that day, deleted ones too. */
  readonly madeToday: number;
  /** An earlier request with the same key whose time has not run out. */
  readonly earlier?: EarlierRequest;
}

/** The result of a decision: all of it is stored, or nothing. */
export interface BucketChange<T> {
  /** The bucket as it is to be. One that was not there is counted as made by the target's maker. */
  readonly next?: BucketRecord;
  /** With `next`: ids of its notifications go on behind this one, where they are not further yet. */
  readonly lastId?: number;
  /** It is deleted with its notifications. The name is free; messages that wait stay. */
  readonly removes?: true;
  /** A small JSON value that is stored with the target's request, for the next request with the same key. */
  readonly outcome?: object;
  readonly result: T;
}

/** Stores buckets. Records are handed out frozen. */
export interface BucketStore {
  /** The buckets with these names, in order; undefined where there is none. */
  buckets(names: readonly string[]): Promise<(BucketRecord | undefined)[]>;
  /** The buckets of a project that an identity manages, by name (bytes of UTF-8), up to `limit` behind a name. */
  bucketsOf(
    project: string,
    identity: string,
    behind: string,
    limit: number,
  ): Promise<readonly BucketRecord[]>;
  /** All buckets by name (bytes of UTF-8), up to `limit` behind a name, each with the highest id that a notification of that name ever had. */
  bucketsBehind(
    name: string,
    limit: number,
  ): Promise<readonly { readonly bucket: BucketRecord; readonly lastId: number }[]>;
  /**
   * Stores what `decide` makes of the newest state. `decide` may throw to refuse: then nothing is stored. It must be a pure
   * function of the state that does not wait: it may run more than once.
   */
  changeBucket<T>(target: BucketTarget, decide: (state: BucketState) => BucketChange<T>): Promise<T>;
}
