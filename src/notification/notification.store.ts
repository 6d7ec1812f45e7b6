import type { Outbox, OutgoingMessage } from '../core/publisher.ts';
import type { InsertOutcome, RequestMark } from '../core/request-mark.ts';

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

/** Keeps buckets, their notifications and the messages these cause; the same promises as `EventStore`. */
export interface NotificationStore<N extends StoredNotification> extends Outbox {
  /** The buckets with these names, in order; undefined where there is none. */
  buckets(names: readonly string[]): Promise<(BucketRecord | undefined)[]>;
  /** Once for each name. */
  addBucket(bucket: BucketRecord): Promise<void>;
  /** The notifications of each of these buckets, oldest first. */
  notifications(buckets: readonly string[]): Promise<(readonly N[])[]>;
  /**
   * Adds the notification that `decide` makes from the ones the bucket has and the next free id
   * (decimal, counted per bucket, never used twice). It may throw to refuse. An id of its own must be a decimal number;
   * ids go on behind the highest one. `taken` when the bucket has that id, or when there is no such bucket.
   */
  insertNotification(
    bucket: string,
    decide: (existing: readonly N[], id: string) => N,
    mark?: RequestMark,
  ): Promise<InsertOutcome<N>>;
  /** False when the bucket has no such notification. */
  removeNotification(bucket: string, id: string): Promise<boolean>;
  /** The buckets that have a notification with this topic, in no order. */
  bucketsWithTopic(topic: string): Promise<readonly string[]>;
  /** Stores the messages that `decide` makes for the bucket's notifications, all or none, until they are published. */
  storeChange(
    bucket: string,
    decide: (existing: readonly N[]) => readonly OutgoingMessage[],
  ): Promise<readonly OutgoingMessage[]>;
}
