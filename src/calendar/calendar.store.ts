import type { CalendarRecord, CalendarRef } from './calendar.ts';

export interface CalendarTarget {
  readonly calendar: { readonly id: string };
}
export interface CalendarState {
  readonly calendar: CalendarRecord | undefined;
}
export interface CalendarChange<T> {
  readonly next?: CalendarRecord;
  readonly result: T;
}

/** Stores calendars. Records are handed out frozen. Every method is atomic; a method that throws has stored nothing. */
export interface CalendarStore {
  /** The calendars that are referred to, in order; undefined where there is none. */
  calendars(refs: readonly CalendarRef[]): Promise<(CalendarRecord | undefined)[]>;
  /** The calendars that an identity owns or that name it in their access list, in the order in which they were added. */
  calendarsOf(identity: string): Promise<readonly CalendarRecord[]>;
  /** All calendars in the order of their ids (by code unit), up to `limit` behind an id. */
  calendarsBehind(id: string, limit: number): Promise<readonly CalendarRecord[]>;
  /** Stores what `decide` makes of the newest state. */
  changeCalendar<T>(target: CalendarTarget, decide: (state: CalendarState) => CalendarChange<T>): Promise<T>;
  /** Once for each id. The first one of an owner is primary, unless another one has the owner's address as its id. */
  addCalendar(calendar: CalendarRecord): Promise<void>;
}
