import type { Clock } from '../../core/runtime/clock.ts';
import type { NotificationRecord } from '../../notification/notification.ts';
import { createMemoryCalendarStore } from './calendar-store.ts';
import { createMemoryEventStore } from './event-store.ts';
import { createMemoryNotificationStore } from './notification-store.ts';

/** All stores of one process, empty. */
export function createMemoryStores(clock: Clock) {
  const calendars = createMemoryCalendarStore();
  return { calendars, events: createMemoryEventStore(clock, calendars), notifications: createMemoryNotificationStore<NotificationRecord>(clock) };
}
