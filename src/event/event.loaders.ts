import DataLoader from 'dataloader';
import type { EventRecord } from './event.record.ts';
import type { EventReader } from './event.service.ts';
import type { EventStore, Place } from './event.store.ts';

/** Reads of one request: those of fields that run together become one call of the store each. */
export function createEventLoaders(store: EventStore<EventRecord>): EventReader {
  const calendars = new DataLoader((ids: readonly string[]) => store.calendars(ids));
  const primaries = new DataLoader((emails: readonly string[]) => store.primaries(emails));
  const found = new DataLoader((places: readonly Place[]) => store.events(places), {
    cacheKeyFn: ({ calendarId, eventId }: Place) => JSON.stringify([calendarId, eventId]),
  });
  return {
    calendar: (id) => calendars.load(id),
    primary: (email) => primaries.load(email),
    event: (place) => found.load(place),
  };
}
