import DataLoader from 'dataloader';
import type { EventReader } from './event.reader.ts';
import type { CalendarRef, EventStore } from './event.store.ts';
import type { Place } from './model/record.ts';

/** Reads of one request: those of fields that run together become one call of the store each. */
export function createEventLoaders(store: EventStore): EventReader {
  const calendars = new DataLoader((refs: readonly CalendarRef[]) => store.calendars(refs), { cacheKeyFn: JSON.stringify });
  const found = new DataLoader((places: readonly Place[]) => store.events(places), {
    cacheKeyFn: ({ calendarId, eventId }: Place) => JSON.stringify([calendarId, eventId]),
  });
  return {
    calendar: (ref) => calendars.load(ref),
    event: (place) => found.load(place),
  };
}
