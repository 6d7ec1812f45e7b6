import DataLoader from 'dataloader';
import type { NotificationRecord } from './notification.ts';
import type { NotificationReader } from './notification.service.ts';
import type { NotificationStore } from './notification.store.ts';

/** Reads of one request: those of fields that run together become one call of the store each. */
export function createNotificationLoaders(store: NotificationStore<NotificationRecord>): NotificationReader {
  const buckets = new DataLoader((names: readonly string[]) => store.buckets(names));
  const lists = new DataLoader((names: readonly string[]) => store.notifications(names));
  return {
    bucket: (name) => buckets.load(name),
    notifications: (name) => lists.load(name),
  };
}
