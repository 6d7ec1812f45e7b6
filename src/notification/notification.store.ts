import type { BucketRecord } from '../bucket/bucket.store.ts';
import type { EarlierRequest, RequestRecord } from '../core/request-record.ts';
import type { OutboxItem } from '../outbox/outbox.store.ts';
import type { NotificationRecord } from './notification.ts';

/** State to load for a change: a bucket, and an earlier request with the same key. */
export interface NotificationTarget {
  readonly bucket: string;
  readonly request?: RequestRecord;
}

/** Consistent state of a bucket's notifications, on which a change is decided. */
export interface NotificationState {
  readonly bucket: BucketRecord;
  /** Notifications of the bucket, oldest first. */
  readonly storedNotifications: readonly NotificationRecord[];
  /** Next free id of the bucket: its highest id ever plus 1, decimal. */
  readonly nextId: string;
  /** Unexpired earlier request with the same key; then its outcome is the result. */
  readonly earlierRequest?: EarlierRequest;
}

/** Result of a decision, stored atomically. */
export interface NotificationChange<T> {
  /** Notification to insert. Its id is decimal, and unique in the bucket except for the removed one. */
  readonly insert?: NotificationRecord;
  /** Id of the notification to remove. */
  readonly remove?: string;
  /** Messages to store in the outbox, in order. */
  readonly messages?: readonly OutgoingMessage[];
  /** Small JSON value stored with the target's request, for repeated requests with the same key. */
  readonly outcome?: object;
  readonly result: T;
}

/** Stores the notifications of buckets and the messages that they cause. Returned records are frozen. */
export interface NotificationStore {
  /** Returns the notifications of each bucket, oldest first. */
  notifications(buckets: readonly string[]): Promise<(readonly NotificationRecord[])[]>;
  /** Returns the buckets that have a notification with this topic, unsorted. */
  bucketsWithTopic(topic: string): Promise<readonly string[]>;
  /**
   * Stores the decision on a bucket's latest state, unless `decide` throws, and returns its result; undefined without the
   * bucket. `decide` must be pure and synchronous: it runs again after a concurrent change of the bucket's notifications or
   * of the same request. Throws OutboxFullError if the messages do not fit.
   */
  changeNotifications<T>(
    target: NotificationTarget,
    decide: (state: NotificationState) => NotificationChange<T>,
  ): Promise<T | undefined>;
}

/** A message to a topic. Its body is JSON, or empty. */
export interface OutgoingMessage extends OutboxItem {
  /** Topic in full form: `//host/projects/P/topics/T`. */
  readonly topic: string;
}

/** A published message with its position in the log. */
export interface LoggedMessage extends OutgoingMessage {
  /** Increases within a topic. No message is ever added before a position that was already read. */
  readonly position: number;
}

/** Messages of a topic, oldest first. */
export interface LogPage {
  readonly messages: readonly LoggedMessage[];
  /** Position up to which the log was read. Messages published later have higher positions. */
  readonly endPosition: number;
}

/** Log of the latest messages of each topic, in order of their first deliveries. Filled by the outbox. */
export interface MessageLog {
  /** Reads all messages of a topic that are still stored. */
  read(topic: string): Promise<LogPage>;
  /** Reads up to `limit` messages after a position; undefined if one of them was already dropped. */
  readAfter(topic: string, position: number, limit: number): Promise<LogPage | undefined>;
  /**
   * Reports topics with new messages and names of buckets that were deleted or lost managers, until the returned function
   * is called. Changes may be coalesced, or reported as `anyKey`. Topics begin with `//`, unlike bucket names.
   */
  watch(onChange: (key: string) => void): () => void;
}
