import DataLoader from 'dataloader';
import type { CalendarRef, EventStore, Place } from '../event/event.store.ts';
import type { NotificationStore } from '../notification/notification.store.ts';
import type { NotificationRecord } from '../notification/notification.ts';
import type { Loaders } from './context.ts';

export interface Stores {
  readonly events: EventStore;
  readonly notifications: NotificationStore<NotificationRecord>;
}

/** Loaders for one request: the reads of fields that run together become one call of the store each. */
export function createLoaders({ events, notifications }: Stores): Loaders {
  const calendars = new DataLoader((refs: readonly CalendarRef[]) => events.calendars(refs), { cacheKeyFn: JSON.stringify });
  const found = new DataLoader((places: readonly Place[]) => events.events(places), {
    cacheKeyFn: ({ calendarId, eventId }: Place) => JSON.stringify([calendarId, eventId]),
  });
  const buckets = new DataLoader((names: readonly string[]) => notifications.buckets(names));
  const lists = new DataLoader((names: readonly string[]) => notifications.notifications(names));
  return {
    events: {
      calendar: (ref) => calendars.load(ref),
      event: (place) => found.load(place),
    },
    notifications: {
      bucket: (name) => buckets.load(name),
      notifications: (name) => lists.load(name),
    },
  };
}
