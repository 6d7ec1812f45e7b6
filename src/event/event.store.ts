import type { AccessRole } from '../access/role.ts';
import type { EarlierRequest, RequestRecord } from '../core/request-record.ts';
import type { EventRecord } from './model/record.ts';

export interface CalendarRecord {
  readonly id: string;
  /** The e-mail address whose `primary` calendar this is, if it is the first one of that owner. */
  readonly owner: string;
  /** IANA name: times without an offset and all-day events are understood in it. */
  readonly timeZone: string;
  readonly defaultReminders: readonly { readonly method: string; readonly minutes: number }[];
  readonly acl: readonly { readonly email: string; readonly role: AccessRole }[];
}

/** A calendar by its id, or the one that its owner addresses as `primary`. Owners are compared by `emailKey`. */
export type CalendarRef = { readonly id: string } | { readonly primaryOf: string };

/** Where an event is found: its identifier on one calendar. */
export interface Place {
  readonly calendarId: string;
  readonly eventId: string;
}

/** What a change needs to know before it is decided. */
export interface ChangeTarget {
  readonly calendar: CalendarRef;
  readonly eventId: string;
  /** Another event of the calendar that the change is about: the series of an instance. */
  readonly seriesId?: string;
  /** Whether another event of the calendar has this iCalUID. */
  readonly iCalUID?: string;
  /** Guests who may get a copy, as `emailKey` writes them. */
  readonly guests: readonly string[];
  /** The request id that the caller sent, to find or to remember the outcome under. */
  readonly request?: RequestRecord;
}

/** The calendar of a guest who has one here. */
export interface GuestCalendar {
  readonly calendarId: string;
  /** The event that has the target's id there. */
  readonly holder: EventRecord | undefined;
}

/** What was loaded for a change, all of one moment. */
export interface Found {
  readonly calendar: CalendarRecord | undefined;
  readonly event: EventRecord | undefined;
  readonly series: EventRecord | undefined;
  /** Events of the calendar with the target's iCalUID. */
  readonly sameUid: readonly EventRecord[];
  readonly guests: ReadonlyMap<string, GuestCalendar>;
  /** What became of the same request when it came before. */
  readonly earlier: EarlierRequest | undefined;
}

/** What a decision comes to. Without `next`, or with the record that was found, nothing is stored. */
export interface Decision<T> {
  readonly next?: EventRecord;
  /** Kept under the target's request, together with the change: a JSON value. */
  readonly outcome?: unknown;
  readonly result: T;
}

/** A part of a calendar's events, in the order in which they came on it. */
export interface EventQuery {
  /** Only events that changed on this calendar after this mark of an earlier page. */
  readonly since?: string;
  /** The mark of the first page, when this one goes on from it. */
  readonly knows?: string;
  /** Only events behind this position. */
  readonly after?: number;
  /** Only events that were last changed at this time or later: RFC 3339, compared as instants. */
  readonly updatedMin?: string;
  /** Who asks: what a user keeps on a copy is a change for that user. */
  readonly identity: string;
  /** Also events that show as cancelled on this calendar. */
  readonly cancelled: boolean;
  readonly limit: number;
}

export interface EventPage {
  /** An event keeps its position, whatever changes. */
  readonly entries: readonly { readonly position: number; readonly record: EventRecord }[];
  /** There are more behind the last one. */
  readonly more: boolean;
  /** How far the calendar's changes had come: what changes later is `since` this mark. */
  readonly mark: string;
}

/**
 * Keeps calendars and events. Records are handed out frozen and are never changed in place.
 * Every method is atomic; a method that throws has stored nothing.
 */
export interface EventStore {
  /** The calendars that are referred to, in order; undefined where there is none. */
  calendars(refs: readonly CalendarRef[]): Promise<(CalendarRecord | undefined)[]>;
  /** Once for each id. The first one of an owner is primary, unless another one has the owner's address as its id. */
  addCalendar(calendar: CalendarRecord): Promise<void>;
  /** The events at these places, in order; undefined where there is none. */
  events(places: readonly Place[]): Promise<(EventRecord | undefined)[]>;
  /**
   * A page of a calendar's events. `ask` is given the calendar and tells what to look for; what it throws is thrown.
   * Undefined when a mark in `since` or `knows` is not one that this store can go on from.
   */
  listEvents(calendar: CalendarRef, ask: (calendar: CalendarRecord | undefined) => EventQuery): Promise<EventPage | undefined>;
  /**
   * Loads what the target names, lets `decide` make the next record of it, and stores that if nothing that was loaded
   * has changed meanwhile; otherwise it begins again. `decide` must not wait and may run more than once. What it throws
   * is thrown. Throws AppError UNAVAILABLE when others change the event all the time.
   */
  changeEvent<T>(target: ChangeTarget, decide: (found: Found) => Decision<T>): Promise<T>;
}
