import DataLoader from 'dataloader';
import { memoizePerRequest, type RequestKey } from '../core/runtime/limits.ts';
import type { EventStore } from './event.store.ts';
import type { EventReference, StoredEvent } from './model/record.ts';

/** Reads an event for a request: concurrent reads of a request are batched, and cached for it. */
export type ReadEvent = (request: RequestKey, reference: EventReference) => Promise<StoredEvent | undefined>;

/** Creates `ReadEvent`, with a batching loader for each request. */
export function createEventLoader(store: EventStore): ReadEvent {
  const loaderOf = memoizePerRequest(
    () =>
      new DataLoader((references: readonly EventReference[]) => store.events(references), {
        cacheKeyFn: ({ calendarId, eventId }: EventReference) => JSON.stringify([calendarId, eventId]),
      }),
  );
  return (request, reference) => loaderOf(request).load(reference);
}
