import DataLoader from 'dataloader';
import { memoizePerRequest, type RequestKey } from '../core/runtime/limits.ts';
import type { CalendarRecord, CalendarRef } from './calendar.ts';
import type { CalendarStore } from './calendar.store.ts';

/** Reads a calendar. Concurrent reads of a request are batched, and results are cached for the request. */
export type ReadCalendar = (request: RequestKey, ref: CalendarRef) => Promise<CalendarRecord | undefined>;

export function createCalendarLoader(store: CalendarStore): ReadCalendar {
  const loaderOf = memoizePerRequest(
    () =>
      new DataLoader((refs: readonly CalendarRef[]) => store.calendars(refs), { cacheKeyFn: JSON.stringify }),
  );
  return async (request, ref) => {
    const loader = loaderOf(request);
    const calendar = await loader.load(ref);
    // A missing calendar may be created during the request, so it is not cached.
    if (!calendar) loader.clear(ref);
    return calendar;
  };
}
