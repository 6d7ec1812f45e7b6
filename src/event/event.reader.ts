import type { CalendarRecord, CalendarRef, StoredEvent } from './event.store.ts';
import type { Place } from './model/record.ts';

/** Where reads come from: loaders that gather the reads of one request. */
export interface EventReader {
  calendar(ref: CalendarRef): Promise<CalendarRecord | undefined>;
  event(place: Place): Promise<StoredEvent | undefined>;
}
