import type { Clock } from '../../core/runtime/clock.ts';
import type { NotificationRecord } from '../../notification/notification.ts';
import type { NotificationStoreLimits, StoredNotification } from '../../notification/notification.store.ts';
import { createMemoryBucketStore } from './bucket-store.ts';
import { createMemoryCalendarStore } from './calendar-store.ts';
import { createMemoryEventStore } from './event-store.ts';
import { createMemoryNotificationStore } from './notification-store.ts';

/** All stores of one process, empty. */
export function createMemoryStores<N extends StoredNotification = NotificationRecord>(clock: Clock, limits: NotificationStoreLimits = {}) {
  const calendars = createMemoryCalendarStore();
  const buckets = createMemoryBucketStore();
  return {
    calendars,
    events: createMemoryEventStore(clock, calendars),
    buckets,
    notifications: createMemoryNotificationStore<N>(buckets, clock, limits),
  };
}
