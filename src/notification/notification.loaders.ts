import DataLoader from 'dataloader';
import { perRequest, type RequestKey } from '../core/runtime/limits.ts';
import type { NotificationStore } from './notification.store.ts';
import type { NotificationRecord } from './notification.ts';

/** Reads a bucket's notifications for a request: concurrent reads become one call of the store, and each result is cached for the request. */
type ReadNotifications = (request: RequestKey, bucket: string) => Promise<readonly NotificationRecord[]>;

export function createNotificationLoader(
  store: Pick<NotificationStore<NotificationRecord>, 'notifications'>,
): ReadNotifications {
  const loaderOf = perRequest(
    () => new DataLoader((buckets: readonly string[]) => store.notifications(buckets)),
  );
  return (request, bucket) => loaderOf(request).load(bucket);
}
