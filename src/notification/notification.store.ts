import type { Outbox, OutboxLimits, OutgoingMessage } from '../core/runtime/publisher.ts';
import type { EarlierRequest, RequestRecord, RequestRecordLimits } from '../core/kernel/request-record.ts';

export interface BucketRecord {
  readonly name: string;
  readonly project: string;
  readonly requesterPays: boolean;
  /** E-mail addresses of those who may manage its notifications. */
  readonly managers: readonly string[];
}

/** What a store must know of a notification to keep it. */
export interface StoredNotification {
  readonly id: string;
  readonly bucket: string;
  readonly topic?: string;
}

/** What a change is about: a bucket, and the request that may have come before. */
export interface BucketTarget {
  readonly bucket: string;
  readonly request?: RequestRecord;
}

/** What a decision is made on; all of it of one moment. */
export interface BucketState<N extends StoredNotification> {
  readonly bucket: BucketRecord;
  /** Its notifications, oldest first. */
  readonly existing: readonly N[];
  /** The next free id: decimal, counted in each bucket from 1 and from the highest one on, never used twice. */
  readonly nextId: string;
  /** An earlier request with the same key whose time has not run out. */
  readonly earlier?: EarlierRequest;
}

/** What a decision comes to: all of it is stored, or nothing. */
export interface BucketChange<N extends StoredNotification, T> {
  /** A new notification; its id is decimal, and no other notification of the bucket has it. */
  readonly insert?: N;
  /** The id of a notification that is deleted. */
  readonly remove?: string;
  /** Messages that wait in the outbox from then on, in this order. */
  readonly messages?: readonly OutgoingMessage[];
  /** A small JSON value that is kept with the target's request, for the next request with the same key. */
  readonly outcome?: object;
  /** What the caller of the store gets. */
  readonly result: T;
}

/** Limits of a store other than the usual ones. */
export interface NotificationStoreLimits {
  readonly outbox?: OutboxLimits;
  readonly requests?: RequestRecordLimits;
}

/** Keeps buckets, their notifications and the messages these cause. Records are handed out frozen. */
export interface NotificationStore<N extends StoredNotification> extends Outbox {
  /** The buckets with these names, in order; undefined where there is none. */
  buckets(names: readonly string[]): Promise<(BucketRecord | undefined)[]>;
  /** Once for each name. */
  addBucket(bucket: BucketRecord): Promise<void>;
  /** The notifications of each of these buckets, oldest first. */
  notifications(buckets: readonly string[]): Promise<(readonly N[])[]>;
  /** The buckets that have a notification with this topic, in no order. */
  bucketsWithTopic(topic: string): Promise<readonly string[]>;
  /**
   * Stores what `decide` makes of a bucket's newest state, and gives its result; undefined when there is no such
   * bucket. `decide` may throw to refuse: then nothing is stored. It must be a pure function of the state that does
   * not wait: it runs again when somebody else changed the bucket's notifications, or stored the same request, before
   * its change was stored. Throws OutboxFullError when there is no room for the messages.
   */
  changeBucket<T>(target: BucketTarget, decide: (state: BucketState<N>) => BucketChange<N, T>): Promise<T | undefined>;
}
