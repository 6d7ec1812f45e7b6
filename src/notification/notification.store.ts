import type { BucketRecord } from '../bucket/bucket.store.ts';
import type { OutgoingMessage } from './message.store.ts';
import type { EarlierRequest, RequestRecord } from '../core/kernel/request-record.ts';

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
