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

interface MemoryStorageParts {
  readonly outbox: Pick<MemoryOutbox<OutgoingMessage>, 'add'>;
  readonly clock: Clock;
  /** Called with the name of each bucket that was changed or deleted. */
  readonly onBucketChanged: (name: string) => void;
  readonly requestLimits?: RequestRecordLimits;
}

/** Buckets and their notifications in the memory of this process. */
export function createMemoryStorage<N extends StoredNotification>({
  outbox,
  clock,
  onBucketChanged,
  requestLimits,
}: MemoryStorageParts): { readonly buckets: BucketStore; readonly notifications: NotificationStore<N> } {
  const buckets = new Map<string, BucketRecord>();
  /** Notifications by bucket and id. */
  const notifications = new Map<string, Map<string, N>>();
  /** The buckets that have a notification with a topic. */
  const topics = new Map<string, Set<string>>();
  /** The highest id that a notification of a bucket of this name ever had: ids count on when a bucket is deleted. */
  const lastIds = new Map<string, number>();
  const bucketRequests = createRequestRecords(clock, requestLimits);
  const notificationRequests = createRequestRecords(clock, requestLimits);
  const made = createMadeCounts();

  const lastIdOf = (bucket: string): number => lastIds.get(bucket) ?? 0;
  const countTo = (bucket: string, id: number): void =>
    void lastIds.set(bucket, Math.max(id, lastIdOf(bucket)));
  const notificationsOf = (bucket: string): N[] => [...(notifications.get(bucket)?.values() ?? [])];

  function insert(bucket: string, record: N): void {
    const { id, topic } = deepFreeze(record);
    countTo(bucket, Number(id));
    notifications.set(bucket, (notifications.get(bucket) ?? new Map<string, N>()).set(id, record));
    if (topic !== undefined) topics.set(topic, (topics.get(topic) ?? new Set()).add(bucket));
  }

  function remove(bucket: string, id: string): void {
    const own = notifications.get(bucket);
    const topic = own?.get(id)?.topic;
    own?.delete(id);
    if (topic === undefined || notificationsOf(bucket).some((other) => other.topic === topic)) return;
    // Topics without notifications would pile up.
    const names = topics.get(topic);
    names?.delete(bucket);
    if (names?.size === 0) topics.delete(topic);
  }

  function removeBucket(name: string): void {
    buckets.delete(name);
    for (const { id } of notificationsOf(name)) remove(name, id);
    notifications.delete(name);
  }

  return {
    buckets: {
      buckets: async (names) => names.map((name) => buckets.get(name)),

      async bucketsOf(project, identity, behind, limit) {
        const own = [...buckets.values()].filter(
          (bucket) =>
            bucket.project === project && bucket.managers.some((name) => addressKey(name) === identity),
        );
        return pageOf(own, behind, limit);
      },

      bucketsBehind: async (name, limit) =>
        pageOf([...buckets.values()], name, limit).map((bucket) => ({
          bucket,
          lastId: lastIdOf(bucket.name),
        })),

      async changeBucket({ name, maker, request }, decide) {
        const bucket = buckets.get(name);
        const change = decide({
          bucket,
          lastId: lastIdOf(name),
          madeToday: made.of(maker),
          earlier: request && bucketRequests.find(request),
        });
        if (change.next) {
          buckets.set(name, deepFreeze(structuredClone(change.next)));
          countTo(name, change.lastId ?? 0);
          if (!bucket) made.add(maker);
        }
        if (change.removes) removeBucket(name);
        if (bucket && (change.next || change.removes)) onBucketChanged(name);
        if (change.outcome !== undefined) bucketRequests.add(request, change.outcome);
        return change.result;
      },
    },

    notifications: {
      notifications: async (names) => names.map(notificationsOf),
      bucketsWithTopic: async (topic) => [...(topics.get(topic) ?? [])],

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
        if (change.remove !== undefined) remove(name, change.remove);
        if (change.insert) insert(name, change.insert);
        if (change.outcome !== undefined) notificationRequests.add(request, change.outcome);
        return change.result;
      },
    },
  };
}

/** Entries behind a name, in the order of a database: by the bytes of names. */
const pageOf = (buckets: readonly BucketRecord[], behind: string, limit: number): BucketRecord[] =>
  buckets
    .filter(({ name }) => compare(name, behind) > 0)
    .sort((a, b) => compare(a.name, b.name))
    .slice(0, limit);

const compare = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
