import type { Clock } from '../../core/runtime/clock.ts';
import { deepFreeze } from '../../core/kernel/freeze.ts';
import type { BucketRecord, NotificationStore, NotificationStoreLimits, StoredNotification } from '../../notification/notification.store.ts';
import { createMemoryOutbox } from './outbox.ts';
import { createRequestRecords } from './request-records.ts';

interface Bucket<N> {
  readonly record: BucketRecord;
  readonly notifications: Map<string, N>;
  lastId: number;
}

/** Buckets and their notifications in the memory of this process. */
export function createMemoryNotificationStore<N extends StoredNotification>(clock: Clock, limits: NotificationStoreLimits = {}): NotificationStore<N> {
  const buckets = new Map<string, Bucket<N>>();
  const requests = createRequestRecords<unknown>(clock, limits.requests);
  /** The buckets that have a notification with a topic. */
  const topics = new Map<string, Set<string>>();
  const { add, ...outbox } = createMemoryOutbox(clock, limits.outbox);

  const notificationsOf = (name: string): N[] => [...(buckets.get(name)?.notifications.values() ?? [])];

  function insert(bucket: Bucket<N>, record: N): void {
    const { id, topic } = deepFreeze(record);
    bucket.lastId = Math.max(bucket.lastId, Number(id));
    bucket.notifications.set(id, record);
    if (topic !== undefined) topics.set(topic, (topics.get(topic) ?? new Set()).add(bucket.record.name));
  }

  function remove({ record: { name }, notifications }: Bucket<N>, id: string): void {
    const topic = notifications.get(id)?.topic;
    notifications.delete(id);
    if (topic === undefined || notificationsOf(name).some((other) => other.topic === topic)) return;
    // Topics that nobody has any more would pile up.
    const names = topics.get(topic);
    names?.delete(name);
    if (names?.size === 0) topics.delete(topic);
  }

  return {
    ...outbox,
    buckets: async (names) => names.map((name) => buckets.get(name)?.record),
    notifications: async (names) => names.map(notificationsOf),
    bucketsWithTopic: async (topic) => [...(topics.get(topic) ?? [])],

    async addBucket(record) {
      buckets.set(record.name, { record: deepFreeze(structuredClone(record)), notifications: new Map(), lastId: 0 });
    },

    async changeBucket({ bucket: name, request }, decide) {
      const bucket = buckets.get(name);
      if (!bucket) return undefined;
      const change = decide({
        bucket: bucket.record,
        existing: notificationsOf(name),
        nextId: String(bucket.lastId + 1),
        earlier: requests.find(request),
      });
      add(name, change.messages ?? []);
      if (change.insert) insert(bucket, change.insert);
      if (change.remove !== undefined) remove(bucket, change.remove);
      if (change.outcome !== undefined) requests.add(request, change.outcome);
      return change.result;
    },
  };
}
