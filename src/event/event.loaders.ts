import DataLoader from 'dataloader';
import { perRequest, type RequestKey } from '../core/runtime/per-request.ts';
import type { EventStore } from './event.store.ts';
import type { Place, StoredEvent } from './model/record.ts';

/** Reads an event for a request: what a request reads at the same time is one call of the store, and is remembered for it. */
export type ReadEvent = (request: RequestKey, place: Place) => Promise<StoredEvent | undefined>;

export function createEventLoader(store: EventStore): ReadEvent {
  const loaderOf = perRequest(() => new DataLoader((places: readonly Place[]) => store.events(places), {
    cacheKeyFn: ({ calendarId, eventId }: Place) => JSON.stringify([calendarId, eventId]),
  }));
  return (request, place) => loaderOf(request).load(place);
}
