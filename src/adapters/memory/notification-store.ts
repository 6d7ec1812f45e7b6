import type { RequestRecordLimits } from '../../core/kernel/request-record.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import type { OutgoingMessage } from '../../notification/message.store.ts';
import { deepFreeze } from '../../core/kernel/plain-data.ts';
import type { NotificationStore, StoredNotification } from '../../notification/notification.store.ts';
import type { MemoryBucketStore } from './bucket-store.ts';
import type { MemoryOutbox } from './outbox.ts';
import { createRequestRecords } from './request-records.ts';

interface MemoryNotificationStoreParts {
  readonly buckets: Pick<MemoryBucketStore, 'find' | 'lastIdOf' | 'countTo' | 'onRemoved'>;
  readonly outbox: Pick<MemoryOutbox<OutgoingMessage>, 'add'>;
  readonly clock: Clock;
  readonly requestLimits?: RequestRecordLimits;
}

/** The notifications of buckets in the memory of this process. */
export function createMemoryNotificationStore<N extends StoredNotification>({
  buckets,
  outbox,
  clock,
  requestLimits,
}: MemoryNotificationStoreParts): NotificationStore<N> {
  /** By bucket and id. */
  const entries = new Map<string, Map<string, N>>();
  const requests = createRequestRecords<unknown>(clock, requestLimits);
  /** The buckets that have a notification with a topic. */
  const topics = new Map<string, Set<string>>();

  const notificationsOf = (bucket: string): N[] => [...(entries.get(bucket)?.values() ?? [])];

  function insert(bucket: string, record: N): void {
    const { id, topic } = deepFreeze(record);
    buckets.countTo(bucket, Number(id));
    entries.set(bucket, (entries.get(bucket) ?? new Map<string, N>()).set(id, record));
    if (topic !== undefined) topics.set(topic, (topics.get(topic) ?? new Set()).add(bucket));
  }

  function remove(bucket: string, id: string): void {
    const notifications = entries.get(bucket);
    const topic = notifications?.get(id)?.topic;
    notifications?.delete(id);
    if (topic === undefined || notificationsOf(bucket).some((other) => other.topic === topic)) return;
    // Topics without notifications would pile up.
    const names = topics.get(topic);
    names?.delete(bucket);
    if (names?.size === 0) topics.delete(topic);
  }

  buckets.onRemoved((bucket) => {
    for (const { id } of notificationsOf(bucket)) remove(bucket, id);
    entries.delete(bucket);
  });

  return {
    notifications: async (names) => names.map(notificationsOf),
    bucketsWithTopic: async (topic) => [...(topics.get(topic) ?? [])],

    async changeNotifications({ bucket: name, request }, decide) {
      const bucket = buckets.find(name);
      if (!bucket) return undefined;
      const change = decide({
        bucket,
        existing: notificationsOf(name),
        nextId: String(buckets.lastIdOf(name) + 1),
        earlier: requests.find(request),
      });
      outbox.add(name, change.messages ?? []);
      if (change.remove !== undefined) remove(name, change.remove);
      if (change.insert) insert(name, change.insert);
      if (change.outcome !== undefined) requests.add(request, change.outcome);
      return change.result;
    },
  };
}
