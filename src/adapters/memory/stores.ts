import type { Clock } from '../../core/runtime/clock.ts';
import type { EventStore } from '../../event/event.store.ts';
import type { NotificationStore, NotificationStoreLimits, StoredNotification } from '../../notification/notification.store.ts';
import { createMemoryBucketStore, type MemoryBucketStore } from './bucket-store.ts';
import { createMemoryEventStore } from './event-store.ts';
import { createMemoryNotificationStore } from './notification-store.ts';

export interface MemoryStores<N extends StoredNotification> {
  readonly events: EventStore;
  readonly buckets: MemoryBucketStore;
  readonly notifications: NotificationStore<N>;
}

/** Everything that is stored in the memory of this process. */
export function createMemoryStores<N extends StoredNotification>(clock: Clock, limits: NotificationStoreLimits = {}): MemoryStores<N> {
  const buckets = createMemoryBucketStore();
  return { events: createMemoryEventStore(clock), buckets, notifications: createMemoryNotificationStore<N>(buckets, clock, limits) };
}
