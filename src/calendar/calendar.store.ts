import type { CalendarRecord, CalendarRef } from './calendar.ts';

/** Stores calendars. Records are handed out frozen. Every method is atomic; a method that throws has stored nothing. */
export interface CalendarStore {
  /** The calendars that are referred to, in order; undefined where there is none. */
  calendars(refs: readonly CalendarRef[]): Promise<(CalendarRecord | undefined)[]>;
  /** The calendars that an identity owns or that name it in their access list, in the order in which they were added. */
  calendarsOf(identity: string): Promise<readonly CalendarRecord[]>;
  /** Once for each id. The first one of an owner is primary, unless another one has the owner's address as its id. */
  addCalendar(calendar: CalendarRecord): Promise<void>;
}
