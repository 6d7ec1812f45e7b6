import type { BucketRecord } from '../bucket/bucket.store.ts';
import type { EarlierRequest, RequestRecord } from '../core/request-record.ts';
import type { OutboxItem } from '../outbox/outbox.store.ts';

/** The fields of a notification that a store reads. */
export interface StoredNotification {
  readonly id: string;
  readonly bucket: string;
  readonly topic?: string;
}

/** The bucket whose notifications are changed, and the request, which may have come before. */
export interface NotificationTarget {
  readonly bucket: string;
  readonly request?: RequestRecord;
}

/** What a decision is made on, all of it read at one moment. */
export interface NotificationState<N extends StoredNotification> {
  readonly bucket: BucketRecord;
  /** Its notifications, oldest first. */
  readonly existing: readonly N[];
  /** The next free id of the bucket: one more than its highest id ever, decimal, from 1. */
  readonly nextId: string;
  /** An earlier request with the same key whose time has not run out. */
  readonly earlier?: EarlierRequest;
}

/** The result of a decision: all of it is stored, or nothing. */
export interface NotificationChange<N extends StoredNotification, T> {
  /** A new notification; its id is decimal, and no other notification of the bucket has it but the one that is removed. */
  readonly insert?: N;
  /** The id of a notification that is deleted. */
  readonly remove?: string;
  /** Messages that are stored in the outbox, in this order. */
  readonly messages?: readonly OutgoingMessage[];
  /** A small JSON value that is stored with the target's request, for the next request with the same key. */
  readonly outcome?: object;
  /** What the caller of the store gets. */
  readonly result: T;
}

/** Stores the notifications of buckets and the messages that these cause. Records are handed out frozen. */
export interface NotificationStore<N extends StoredNotification> {
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
  changeNotifications<T>(
    target: NotificationTarget,
    decide: (state: NotificationState<N>) => NotificationChange<N, T>,
  ): Promise<T | undefined>;
}

/** A message on its way to a topic. Its body is a JSON string, or empty. */
export interface OutgoingMessage extends OutboxItem {
  /** In full form: `//host/projects/P/topics/T`. */
  readonly topic: string;
}

/** A published message and its position in the log. */
export interface LoggedMessage extends OutgoingMessage {
  /** Grows from message to message of a topic. A message is never added before a position that somebody has read up to. */
  readonly position: number;
}

/** Messages of a topic, oldest first. */
export interface LogPage {
  readonly messages: readonly LoggedMessage[];
  /** The position up to which the log was read: messages that are published later come behind it. */
  readonly end: number;
}

/** The newest messages of each topic, in the order of their first deliveries. The outbox adds them. */
export interface MessageLog {
  /** All stored messages of a topic. */
  read(topic: string): Promise<LogPage>;
  /** Up to `limit` messages behind a position; undefined when one of them is not stored any more. */
  readBehind(topic: string, position: number, limit: number): Promise<LogPage | undefined>;
  /**
   * Reports, at least once for all that came since, the topic of added messages and the name of a bucket that lost managers or was
   * deleted, until the returned function is called. Topics begin with `//`, so that no bucket is named like one. `anyKey`: any
   * topic and bucket may have changed.
   */
  watch(onChange: (key: string) => void): () => void;
}
