import { deepFreeze } from '../../core/freeze.ts';
import type { BucketRecord, Clock, NotificationStore, StoredNotification } from '../../core/store.ts';
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

  return {
    buckets: async (names) => names.map((name) => shelves.get(name)?.bucket),
    notifications: async (names) => names.map((name) => [...(shelves.get(name)?.notifications.values() ?? [])]),

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
      const record = deepFreeze(decide([...shelf.notifications.values()], String(shelf.lastId + 1)));
      if (shelf.notifications.has(record.id)) return { kind: 'taken' };
      shelf.lastId = Math.max(shelf.lastId, Number(record.id));
      shelf.notifications.set(record.id, record);
      marks.add(mark, record);
      return { kind: 'inserted', record };
    },

    removeNotification: async (name, id) => shelves.get(name)?.notifications.delete(id) ?? false,
  };
}
