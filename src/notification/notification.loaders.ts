import DataLoader from 'dataloader';
import type { NotificationRecord } from './notification.ts';
import type { NotificationReader } from './notification.service.ts';
import type { NotificationStore } from './notification.store.ts';
import { createBucketLoader } from '../bucket/bucket.loaders.ts';
import type { BucketStore } from '../bucket/bucket.store.ts';

/** Reads of one request: those of fields that run together become one call of the store each. */
export function createNotificationLoaders(buckets: BucketStore, store: NotificationStore<NotificationRecord>): NotificationReader {
  const lists = new DataLoader((names: readonly string[]) => store.notifications(names));
  return {
    bucket: createBucketLoader(buckets),
    notifications: (name) => lists.load(name),
  };
}
