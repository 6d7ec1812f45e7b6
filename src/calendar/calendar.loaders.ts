import DataLoader from 'dataloader';
import { perRequest, type RequestKey } from '../core/runtime/limits.ts';
import type { CalendarRecord, CalendarRef } from './calendar.ts';
import type { CalendarStore } from './calendar.store.ts';

/** Reads a calendar for a request: what a request reads at the same time is one call of the store, and is remembered for it. */
export type ReadCalendar = (request: RequestKey, ref: CalendarRef) => Promise<CalendarRecord | undefined>;

export function createCalendarLoader(store: CalendarStore): ReadCalendar {
  const loaderOf = perRequest(
    () =>
      new DataLoader((refs: readonly CalendarRef[]) => store.calendars(refs), { cacheKeyFn: JSON.stringify }),
  );
  return async (request, ref) => {
    const loader = loaderOf(request);
    const found = await loader.load(ref);
    // It may be made while the request lasts.
    if (!found) loader.clear(ref);
    return found;
  };
}
