import { deepFreeze } from '../../core/freeze.ts';
import type { BucketRecord, NotificationStore, StoredNotification } from '../../notification/notification.store.ts';
import type { Clock } from '../../core/clock.ts';
import { createMemoryOutbox } from './outbox.ts';
import { createRequestMarks } from './request-marks.ts';

interface Shelf<N> {
  readonly bucket: BucketRecord;
  readonly notifications: Map<string, N>;
  lastId: number;
}

/** Buckets and their notifications in the memory of this process. */
export function createMemoryNotificationStore<N extends StoredNotification>(clock: Clock): NotificationStore<N> {
  const shelves = new Map<string, Shelf<N>>();
  const marks = createRequestMarks<N>(clock);
  /** The buckets that have a notification with a topic. */
  const topics = new Map<string, Set<string>>();
  const { add, outbox } = createMemoryOutbox(clock);

  const notificationsOf = (name: string): N[] => [...(shelves.get(name)?.notifications.values() ?? [])];

  /** Topics nobody has any more would pile up. */
  function forgetTopic(topic: string, name: string): void {
    if (notificationsOf(name).some((other) => other.topic === topic)) return;
    const names = topics.get(topic);
    names?.delete(name);
    if (names?.size === 0) topics.delete(topic);
  }

  return {
    ...outbox,
    bucketsWithTopic: async (topic) => [...(topics.get(topic) ?? [])],

    async storeChange(name, decide) {
      const messages = decide(notificationsOf(name));
      add(messages);
      return messages;
    },

    buckets: async (names) => names.map((name) => shelves.get(name)?.bucket),
    notifications: async (names) => names.map(notificationsOf),

    async addBucket(bucket) {
      shelves.set(bucket.name, { bucket: deepFreeze(structuredClone(bucket)), notifications: new Map(), lastId: 0 });
    },

    async insertNotification(name, decide, mark) {
      const earlier = marks.find(mark);
      if (earlier) {
        return earlier.fingerprint === mark?.fingerprint ? { kind: 'replayed', record: earlier.record } : { kind: 'reused' };
      }
      const shelf = shelves.get(name);
      if (!shelf) return { kind: 'taken' };
      const record = deepFreeze(decide(notificationsOf(name), String(shelf.lastId + 1)));
      if (shelf.notifications.has(record.id)) return { kind: 'taken' };
      shelf.lastId = Math.max(shelf.lastId, Number(record.id));
      shelf.notifications.set(record.id, record);
      if (record.topic !== undefined) topics.set(record.topic, (topics.get(record.topic) ?? new Set()).add(name));
      marks.add(mark, record);
      return { kind: 'inserted', record };
    },

    async removeNotification(name, id) {
      const gone = shelves.get(name)?.notifications.get(id);
      if (!gone) return false;
      shelves.get(name)?.notifications.delete(id);
      if (gone.topic !== undefined) forgetTopic(gone.topic, name);
      return true;
    },
  };
}
