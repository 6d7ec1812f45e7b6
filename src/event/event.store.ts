import type { CalendarRecord, CalendarRef } from '../calendar/calendar.ts';
import type { EarlierRequest, RequestRecord } from '../core/request-record.ts';
import type { Mail } from '../mail/mail.ts';
import type { EventRecord, EventReference, StoredEvent } from './model/record.ts';

/** A calendar at one moment. */
export interface CalendarState {
  readonly calendar: CalendarRecord;
  /** Stands for how far the calendar's changes had come. */
  readonly revision: string;
}

/** What a change needs to know before it is decided. */
export interface ChangeTarget {
  readonly calendar: CalendarRef;
  readonly eventId: string;
  /** Another event of the calendar that the change is about: the series that the id speaks of. */
  readonly seriesId?: string;
  /** The series may be replaced, and is loaded with its exceptions. */
  readonly divides?: boolean;
  /** Whether another event of the calendar has this iCalUID. */
  readonly iCalUID?: string;
  /** Guests who may get a copy, as `addressKey` writes them. */
  readonly guests: readonly string[];
  /** The request id that the caller sent, to find or to remember the outcome under. */
  readonly request?: RequestRecord;
  /** The caller's identity, where the change may cause mails: they are counted by it. */
  readonly mailsBy?: string | undefined;
}

/** Mails that one caller causes within 24 hours, at most. */
export const mostMailsADay = 2_000;

/** How much may be added to the mails that wait. */
export interface MailRoom {
  /** For the home calendar of the event: bytes as `sizesOf` reckons them. */
  readonly bytes: number;
  /** Mails that the caller may still cause today. */
  readonly mails: number;
}

/** The calendar of a guest who has one here. */
export interface GuestCalendar {
  readonly calendarId: string;
  /** The event that has the target's id there. */
  readonly holder: EventRecord | undefined;
  /** The key of the event that has the id of the target's series there. */
  readonly seriesKey: string | undefined;
}

/** The state that a change is decided on: what was loaded, and is held against what is stored when the change is. */
export interface ChangeState {
  readonly calendar: CalendarRecord | undefined;
  readonly event: EventRecord | undefined;
  /** The series of that event, when it is an exception; else the event with the target's seriesId. */
  readonly series: EventRecord | undefined;
  /** How many exceptions the series has, where the event is not one of them. */
  readonly exceptions: number;
  /** The exceptions themselves, where the target divides the series or the event is the series. */
  readonly ofSeries: readonly EventRecord[];
  /** Events of the calendar with the target's iCalUID. */
  readonly sameUid: readonly EventRecord[];
  readonly guests: ReadonlyMap<string, GuestCalendar>;
  /** The owner of a calendar on which one of these events stands. */
  readonly ownerOf: (calendarId: string) => string | undefined;
  /** The time zone of such a calendar, or of a guest's. */
  readonly zoneOf: (calendarId: string) => string | undefined;
  /** Where the target has `mailsBy`: what the event's home calendar and the caller have left. */
  readonly mailRoom: MailRoom | undefined;
  /** What became of the same request when it came before. */
  readonly earlier: EarlierRequest | undefined;
}

/** What a decision comes to. Without `next` and `added`, or with the record that was found, nothing is stored. */
export interface Decision<T> {
  readonly next?: EventRecord;
  /** An exception of `next`, a series, that changes otherwise than by following it. */
  readonly exception?: EventRecord;
  /** A new event that is stored together with `next`, on the same home, or by itself; a series with its exceptions. */
  readonly added?: SeriesState;
  /** Kept under the target's request, together with the change: a JSON value. */
  readonly outcome?: object;
  /**
   * Stored together with the change, for `mail`, under the home calendar of the event. There is room for them (`ChangeState.mailRoom`): where
   * the caller causes more by other changes meanwhile than may be, this one is decided again.
   */
  readonly mails?: readonly Mail[];
  readonly result: T;
}

/** A change that waits to be carried out. */
export interface PendingChange<T> {
  readonly target: ChangeTarget;
  readonly decide: (found: ChangeState) => Decision<T>;
}

/** A part of a calendar's events. */
export interface EventQuery {
  /** Who asks: a user's own settings on a copy are a change for that user. */
  readonly identity: string;
  /** The caller sees guests who are hidden from guests, though being one: changes of theirs count. */
  readonly seesHidden: boolean;
  /** The revision that the list began with, or that its page before gave (`EventPage.revision`); absent where nothing follows on from the page. */
  readonly revision?: string;
  /** Only events that changed on this calendar after this revision. */
  readonly since?: string;
  /** Also events that show as cancelled on this calendar. */
  readonly cancelled: boolean;
  /** Only events whose span (`spanOf`) overlaps this time: epoch milliseconds, neither end included. */
  readonly between?: { readonly from: number; readonly to: number };
  readonly iCalUID?: string;
  /** Only events that were last changed then or later, in epoch milliseconds. */
  readonly updatedMin?: number;
  /**
   * The exceptions of a series on this calendar do not come by themselves, unless the order is `updated`: the series comes,
   * also one that is not asked for by `between` and `updatedMin`, where such an exception is.
   */
  readonly expand: boolean;
  /** position: as events came on the calendar. updated: as last changed. start: as they start, series apart (`EventPage.series`). */
  readonly order: 'position' | 'updated' | 'start';
  /** Only events behind this one in that order; `at` is the time that the order goes by, in epoch milliseconds. */
  readonly after?: { readonly position: number; readonly at: number };
  readonly limit: number;
  /** The last word on an event: what the caller does not see is neither found nor counted. */
  readonly accepts: (event: ListCandidate) => boolean;
  /** Called with the number of events that are collected and sorted for the page, beside those given to `accepts`; may throw. */
  readonly onCollect?: (events: number) => void;
}

/** An event that a list may show. */
export interface ListCandidate extends StoredEvent {
  /** The caller has seen no change of it on this calendar, not even that it came. */
  readonly neverSeen?: true;
}

export interface ListedEvent extends ListCandidate {
  /** An event keeps its position on a calendar from when all who read the calendar see it, whatever changes. */
  readonly position: number;
  /** By what the order goes, in epoch milliseconds; 0 where it goes by position. */
  readonly at: number;
  /** With `since`: at some time since then it was a series, or is one. */
  readonly wasSeries?: true;
}

export interface EventPage {
  readonly entries: readonly ListedEvent[];
  /** There are more behind the last one. */
  readonly more: boolean;
  /** With the order `start`: all series that the query finds, wherever they begin. */
  readonly series: readonly ListedEvent[];
  /**
   * The query's revision, or an older one: changes after it may be missing from the page, so sync tokens must not be newer. Pages that are
   * selected by `between`, `iCalUID` or `updatedMin` have the query's own.
   */
  readonly revision: string | undefined;
}

/** An event and its id on a calendar. */
export interface StandingEvent extends StoredEvent {
  readonly eventId: string;
}

/** A series at one moment. */
export interface SeriesState {
  readonly record: EventRecord;
  /** All its exceptions, also those that stand on other calendars alone. */
  readonly exceptions: readonly EventRecord[];
}

/** An event that a background job comes to, and where the job goes on behind it: an opaque text. */
export interface WorkItem {
  readonly cursor: string;
  readonly calendarId: string;
  readonly eventId: string;
}

/** Stores events. Records are frozen and never changed in place. Methods are atomic; one that throws has stored nothing. */
export interface EventStore {
  /** The calendars that are referred to, in order, with their revisions; undefined where there is none. Another revision than before may stand for changes that the caller does not see. */
  calendarStates(refs: readonly CalendarRef[]): Promise<(CalendarState | undefined)[]>;
  /**
   * The events that are referred to, in order; undefined where there is none. An id of the form of an instance's (`instanceOf`)
   * also finds the exception of a series that is on the calendar, though the exception itself may not be.
   */
  events(references: readonly EventReference[]): Promise<(StoredEvent | undefined)[]>;
  /**
   * A page of a calendar's events. Long pages yield to other requests: a concurrent change is either in the page or newer
   * than the page's revision. Undefined when this store cannot continue from the revision in `since` or `revision`.
   */
  listEvents(calendarId: string, query: EventQuery): Promise<EventPage | undefined>;
  /**
   * The first page of a list: what `queryOf` asks for, knowing the calendar. It may run more than once, without effect; the page is
   * that of its last run, whose calendar is as it is now. What it throws then is thrown, and it must throw without a calendar.
   */
  listCalendar(
    ref: CalendarRef,
    queryOf: (state: CalendarState | undefined) => EventQuery,
  ): Promise<EventPage | undefined>;
  /**
   * The newest revision, from `since` on, up to which all changes of a calendar show in full, where `revision` is what it was seen at: that
   * itself, but for the moments in which a change comes to light in parts.
   */
  safeRevision(calendarId: string, revision: string, since: string | undefined): Promise<string>;
  /**
   * All that stands on a calendar, cancelled events too, in the order of its ids (by code unit), up to so many behind an id. Of an
   * exception that stands there no more the record may come too.
   */
  eventsBehind(calendarId: string, eventId: string, limit: number): Promise<readonly StandingEvent[]>;
  /** Series that were read before, as they are now, each with its exceptions as they are at the same moment. */
  exceptionsOf(series: readonly EventRecord[]): Promise<readonly SeriesState[]>;
  /**
   * Loads what the target names, lets `decide` make the next record of it, and stores that if nothing that was loaded
   * has changed meanwhile; otherwise it begins again. A change of a series is one of all its exceptions, on each calendar
   * they are on. `decide` must not wait and may run more than once. What it throws
   * is thrown. Throws AppError UNAVAILABLE when others change the event all the time.
   */
  changeEvent<T>(target: ChangeTarget, decide: (found: ChangeState) => Decision<T>): Promise<T>;
  /**
   * As `changeEvent` for each, one after the other, but faster where most of them add an event. Only each by itself is
   * atomic: when one throws, those before it may be stored.
   */
  importEvents<T>(changes: readonly PendingChange<T>[]): Promise<T[]>;
  /**
   * The events whose guest list names an address (`addressKey`) and that have no copy on a calendar: up to `limit` of them
   * behind a cursor, each as it is named on its home, series before their exceptions.
   */
  eventsInviting(
    address: string,
    calendarId: string,
    behind: string | undefined,
    limit: number,
  ): Promise<readonly WorkItem[]>;
  /** The events whose home a calendar is or was, their exceptions aside: up to `limit` of them behind a cursor. */
  eventsAtHome(calendarId: string, behind: string | undefined, limit: number): Promise<readonly WorkItem[]>;
  /** Takes away what is left of a deleted calendar and shows on no other, up to `limit` of it; true when nothing was left. */
  clearCalendar(calendarId: string, limit: number): Promise<boolean>;
  /** Tells of every calendar that has just changed, by whichever gateway, until the function that comes back is called. */
  watchCalendars(onChange: (calendarId: string) => void): () => void;
}

/** A notice of a changed event for some guests (iTIP, RFC 5546). It is part of the change's decision. */
export interface GuestNotice {
  /** The event on the calendar on which it was made. */
  readonly calendarId: string;
  readonly eventId: string;
  /** An instance has that of its series. */
  readonly iCalUID: string;
  readonly sequence: number;
  readonly method: 'REQUEST' | 'CANCEL' | 'REPLY';
  readonly change: 'created' | 'updated' | 'cancelled' | 'answered';
  /** The names of the fields that changed, in no order that matters. */
  readonly changed: readonly string[];
  /** E-mail addresses. They must not be logged. */
  readonly guests: readonly string[];
}

/** Hands notices over for delivery. A failure does not fail the change that caused the notice. */
export interface GuestNotifier {
  notify(notice: GuestNotice): void;
}
