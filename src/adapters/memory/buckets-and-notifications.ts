import type { BucketRecord, BucketStore } from '../../bucket/bucket.store.ts';
import { deepFreeze } from '../../core/json.ts';
import type { RequestRecordLimits } from '../../core/request-record.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { addressKey } from '../../core/text/email.ts';
import type { NotificationStore, OutgoingMessage } from '../../notification/notification.store.ts';
import type { NotificationRecord } from '../../notification/notification.ts';
import type { MemoryOutbox } from './outbox.ts';
import { createDailyCreationCounter, createRequestRecords } from './request-records.ts';

/**
 * Buckets and their notifications in the memory of this process. `onBucketChanged`: called with the name of a bucket that was changed
 * or deleted.
 */
export function createMemoryStorage(
  clock: Clock,
  outbox: Pick<MemoryOutbox<OutgoingMessage>, 'add'>,
  onBucketChanged: (name: string) => void,
  requestLimits?: RequestRecordLimits,
): { readonly buckets: BucketStore; readonly notifications: NotificationStore } {
  const bucketsByName = new Map<string, BucketRecord>();
  const notificationsByBucket = new Map<string, Map<string, NotificationRecord>>();
  /** Streams of messages look here at each message. */
  const bucketNamesByTopic = new Map<string, Set<string>>();
  /** Highest notification id ever used under a bucket name: ids continue after a bucket is deleted. */
  const lastIdsByBucket = new Map<string, number>();
  const bucketRequests = createRequestRecords(clock, requestLimits);
  const notificationRequests = createRequestRecords(clock, requestLimits);
  const creationCounts = createDailyCreationCounter();

  const lastIdOf = (bucket: string): number => lastIdsByBucket.get(bucket) ?? 0;
  const raiseLastId = (bucket: string, id: number): void =>
    void lastIdsByBucket.set(bucket, Math.max(id, lastIdOf(bucket)));
  const notificationsOf = (bucket: string): NotificationRecord[] => [
    ...(notificationsByBucket.get(bucket)?.values() ?? []),
  ];

  /** Stores a notification of the bucket with this name. */
  function insertNotification(bucket: string, record: NotificationRecord): void {
    const { id, topic } = deepFreeze(record);
    raiseLastId(bucket, Number(id));
    notificationsByBucket.set(
      bucket,
      (notificationsByBucket.get(bucket) ?? new Map<string, NotificationRecord>()).set(id, record),
    );
    if (topic !== undefined)
      bucketNamesByTopic.set(topic, (bucketNamesByTopic.get(topic) ?? new Set()).add(bucket));
  }

  function removeNotification(bucket: string, id: string): void {
    const topic = notificationsByBucket.get(bucket)?.get(id)?.topic;
    notificationsByBucket.get(bucket)?.delete(id);
    if (topic === undefined || notificationsOf(bucket).some((notification) => notification.topic === topic))
      return;
    const bucketNames = bucketNamesByTopic.get(topic);
    bucketNames?.delete(bucket);
    if (bucketNames?.size === 0) bucketNamesByTopic.delete(topic);
  }

  return {
    buckets: {
      buckets: async (names) => names.map((name) => bucketsByName.get(name)),

      async bucketsOf(project, identity, afterName, limit) {
        const managedBuckets = [...bucketsByName.values()].filter(
          (bucket) =>
            bucket.project === project && bucket.managers.some((name) => addressKey(name) === identity),
        );
        return selectBucketsAfter(managedBuckets, afterName, limit);
      },

      bucketsAfter: async (name, limit) =>
        selectBucketsAfter([...bucketsByName.values()], name, limit).map((bucket) => ({
          bucket,
          lastId: lastIdOf(bucket.name),
        })),

      async changeBucket({ name, quotaKey, request }, decide) {
        const bucket = bucketsByName.get(name);
        const change = decide({
          bucket,
          lastId: lastIdOf(name),
          createdToday: creationCounts.countFor(quotaKey),
          earlierRequest: request && bucketRequests.find(request),
        });
        if (change.next) {
          bucketsByName.set(name, deepFreeze(structuredClone(change.next)));
          raiseLastId(name, change.lastId ?? 0);
          if (!bucket) creationCounts.add(quotaKey);
        }
        if (change.removes) {
          bucketsByName.delete(name);
          for (const { id } of notificationsOf(name)) removeNotification(name, id);
          notificationsByBucket.delete(name);
        }
        if (bucket && (change.next || change.removes)) onBucketChanged(name);
        if (change.outcome !== undefined) bucketRequests.add(request, change.outcome);
        return change.result;
      },
    },

    notifications: {
      notifications: async (names) => names.map(notificationsOf),
      bucketsWithTopic: async (topic) => [...(bucketNamesByTopic.get(topic) ?? [])],

      async changeNotifications({ bucket: name, request }, decide) {
        const bucket = bucketsByName.get(name);
        if (!bucket) return undefined;
        const change = decide({
          bucket,
          storedNotifications: notificationsOf(name),
          nextId: String(lastIdOf(name) + 1),
          earlierRequest: request && notificationRequests.find(request),
        });
        outbox.add(name, change.messages ?? []);
        if (change.remove !== undefined) removeNotification(name, change.remove);
        if (change.insert) insertNotification(name, change.insert);
        if (change.outcome !== undefined) notificationRequests.add(request, change.outcome);
        return change.result;
      },
    },
  };
}

/** Buckets after a name, sorted by UTF-8 bytes as in PostgreSQL. */
const selectBucketsAfter = (
  buckets: readonly BucketRecord[],
  afterName: string,
  limit: number,
): BucketRecord[] =>
  buckets
    .filter(({ name }) => compareUtf8(name, afterName) > 0)
    .sort((a, b) => compareUtf8(a.name, b.name))
    .slice(0, limit);

const compareUtf8 = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
