import type { AccessRole } from '../access/role.ts';
import type { InsertOutcome, RequestMark } from '../core/request-mark.ts';

export interface CalendarRecord {
  readonly id: string;
  /** The e-mail address whose `primary` calendar this is, if it is the first one of that owner. */
  readonly owner: string;
  /** IANA name: times without an offset and all-day events are understood in it. */
  readonly timeZone: string;
  readonly defaultReminders: readonly { readonly method: string; readonly minutes: number }[];
  readonly acl: readonly { readonly email: string; readonly role: AccessRole }[];
}

/** Where an event is found: its identifier on one calendar. */
export interface Place {
  readonly calendarId: string;
  readonly eventId: string;
}

/** What a store must know of an event to keep it; all else is the event resource's own. */
export interface StoredEvent {
  /** Identity in the store: never shown, never changed. */
  readonly key: string;
  /** The event's identifier on each calendar on which it appears. Copies are added, never taken away or renamed. */
  readonly copies: Readonly<Record<string, { readonly id: string; readonly stamp: Stamp }>>;
  /** Changes with what all copies share; a copy's own stamp changes with what is its own. */
  readonly coreStamp: Stamp;
}

/** When a part of an event was last changed. */
export interface Stamp {
  /** Unique among the stamps of the event. */
  readonly tag: string;
  /** RFC 3339, UTC, milliseconds. */
  readonly at: string;
}

/** A part of a calendar's events, in the order in which they came on it. */
export interface EventQuery {
  readonly calendarId: string;
  /** Only events that changed on this calendar after this mark of an earlier page. */
  readonly since?: string;
  /** Only events behind this position. */
  readonly after?: number;
  readonly limit: number;
}

export interface EventPage<E> {
  /** An event keeps its position, whatever changes. */
  readonly entries: readonly { readonly position: number; readonly record: E }[];
  /** There are more behind the last one. */
  readonly more: boolean;
  /** How far the calendar's changes had come: what changes later is `since` this mark. */
  readonly mark: string;
}

/** An update found one of the event's places held by another event: nothing was stored. */
export class PlaceTakenError extends Error {}

/**
 * Keeps calendars and events. Records are handed out frozen and are never changed in place.
 * Every method is atomic; a method that throws has stored nothing.
 */
export interface EventStore<E extends StoredEvent> {
  /** The calendars with these ids, in order; undefined where there is none. */
  calendars(ids: readonly string[]): Promise<(CalendarRecord | undefined)[]>;
  /** The first calendar each of these owners has, in order. Addresses are the same whose `emailKey` is. */
  primaries(owners: readonly string[]): Promise<(CalendarRecord | undefined)[]>;
  /** Once for each id. */
  addCalendar(calendar: CalendarRecord): Promise<void>;
  /** The events at these places, in order; undefined where there is none. */
  events(places: readonly Place[]): Promise<(E | undefined)[]>;
  /** A page of a calendar's events; undefined when the mark in `since` is not one this store can go on from. */
  listEvents(query: EventQuery): Promise<EventPage<E> | undefined>;
  /** With `validateOnly` the outcome is what it would be, and nothing is stored. */
  insertEvent(record: E, mark?: RequestMark, validateOnly?: boolean): Promise<InsertOutcome<E>>;
  /**
   * Replaces the event at a place by what `decide` makes of it; nothing is stored when that is the same record.
   * No other change comes between: `decide` sees the newest record. It must not wait, and may run more than once.
   * Undefined when there is no event at that place.
   */
  updateEvent<T>(place: Place, decide: (current: E) => { next: E; result: T }): Promise<T | undefined>;
}
