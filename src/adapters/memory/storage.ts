import type { BucketRecord, BucketStore } from '../../bucket/bucket.store.ts';
import { deepFreeze } from '../../core/patch.ts';
import type { RequestRecordLimits } from '../../core/request-record.ts';
import type { Clock } from '../../core/runtime/clock.ts';
import { addressKey } from '../../core/text/email.ts';
import type {
  NotificationStore,
  OutgoingMessage,
  StoredNotification,
} from '../../notification/notification.store.ts';
import type { MemoryOutbox } from './outbox.ts';
import { createMadeCounts, createRequestRecords } from './request-records.ts';

interface MemoryStorageDependencies {
  readonly outbox: Pick<MemoryOutbox<OutgoingMessage>, 'add'>;
  readonly clock: Clock;
  readonly onBucketChanged: (name: string) => void;
  readonly requestLimits?: RequestRecordLimits;
}

/** Buckets and their notifications in the memory of this process. */
export function createMemoryStorage<N extends StoredNotification>({
  outbox,
  clock,
  onBucketChanged,
  requestLimits,
}: MemoryStorageDependencies): {
  readonly buckets: BucketStore;
  readonly notifications: NotificationStore<N>;
} {
  const buckets = new Map<string, BucketRecord>();
  const notifications = new Map<string, Map<string, N>>();
  const bucketsByTopic = new Map<string, Set<string>>();
  /** Highest notification id ever used under a bucket name: ids continue after a bucket is deleted. */
  const lastIds = new Map<string, number>();
  const bucketRequests = createRequestRecords(clock, requestLimits);
  const notificationRequests = createRequestRecords(clock, requestLimits);
  const madeCounts = createMadeCounts();

  const lastIdOf = (bucket: string): number => lastIds.get(bucket) ?? 0;
  const raiseLastId = (bucket: string, id: number): void =>
    void lastIds.set(bucket, Math.max(id, lastIdOf(bucket)));
  const notificationsOf = (bucket: string): N[] => [...(notifications.get(bucket)?.values() ?? [])];

  function insertNotification(bucket: string, record: N): void {
    const { id, topic } = deepFreeze(record);
    raiseLastId(bucket, Number(id));
    notifications.set(bucket, (notifications.get(bucket) ?? new Map<string, N>()).set(id, record));
    if (topic !== undefined) bucketsByTopic.set(topic, (bucketsByTopic.get(topic) ?? new Set()).add(bucket));
  }

  function removeNotification(bucket: string, id: string): void {
    const notificationsById = notifications.get(bucket);
    const topic = notificationsById?.get(id)?.topic;
    notificationsById?.delete(id);
    if (topic === undefined || notificationsOf(bucket).some((notification) => notification.topic === topic))
      return;
    const names = bucketsByTopic.get(topic);
    names?.delete(bucket);
    if (names?.size === 0) bucketsByTopic.delete(topic);
  }

  function removeBucket(name: string): void {
    buckets.delete(name);
    for (const { id } of notificationsOf(name)) removeNotification(name, id);
    notifications.delete(name);
  }

  return {
    buckets: {
      buckets: async (names) => names.map((name) => buckets.get(name)),

      async bucketsOf(project, identity, behind, limit) {
        const matching = [...buckets.values()].filter(
          (bucket) =>
            bucket.project === project && bucket.managers.some((name) => addressKey(name) === identity),
        );
        return bucketsAfter(matching, behind, limit);
      },

      bucketsAfter: async (name, limit) =>
        bucketsAfter([...buckets.values()], name, limit).map((bucket) => ({
          bucket,
          lastId: lastIdOf(bucket.name),
        })),

      async changeBucket({ name, quotaKey, request }, decide) {
        const bucket = buckets.get(name);
        const change = decide({
          bucket,
          lastId: lastIdOf(name),
          createdToday: madeCounts.of(quotaKey),
          earlier: request && bucketRequests.find(request),
        });
        if (change.next) {
          buckets.set(name, deepFreeze(structuredClone(change.next)));
          raiseLastId(name, change.lastId ?? 0);
          if (!bucket) madeCounts.add(quotaKey);
        }
        if (change.removes) removeBucket(name);
        if (bucket && (change.next || change.removes)) onBucketChanged(name);
        if (change.outcome !== undefined) bucketRequests.add(request, change.outcome);
        return change.result;
      },
    },

    notifications: {
      notifications: async (names) => names.map(notificationsOf),
      bucketsWithTopic: async (topic) => [...(bucketsByTopic.get(topic) ?? [])],

      async changeNotifications({ bucket: name, request }, decide) {
        const bucket = buckets.get(name);
        if (!bucket) return undefined;
        const change = decide({
          bucket,
          existing: notificationsOf(name),
          nextId: String(lastIdOf(name) + 1),
          earlier: request && notificationRequests.find(request),
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
const bucketsAfter = (buckets: readonly BucketRecord[], behind: string, limit: number): BucketRecord[] =>
  buckets
    .filter(({ name }) => compare(name, behind) > 0)
    .sort((a, b) => compare(a.name, b.name))
    .slice(0, limit);

const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
