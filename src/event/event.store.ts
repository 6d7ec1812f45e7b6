import type { CalendarRecord, CalendarRef } from '../calendar/calendar.store.ts';
import type { EarlierRequest, RequestRecord } from '../core/request-record.ts';
import type { Mail } from '../mail/mail.ts';
import type { EventRecord, EventReference, StoredEvent } from './model/record.ts';

export interface CalendarState {
  readonly calendar: CalendarRecord;
  /** Revision that identifies the calendar's latest change. */
  readonly revision: string;
}

/** Digits of the change number in a revision: a fixed number, which does not reveal how many changes there were. */
const revisionDigits = 15;

/** Writes the number of a calendar's change as a revision. `prefix` tells the revisions of one store from those of others. */
export const formatRevision = (prefix: string, change: number): string =>
  `${prefix}.${String(change).padStart(revisionDigits, '0')}`;

/** Reads a revision; undefined if it has another prefix, or a number over `maxChange`, as after a failover that lost changes. */
export function parseRevision(revision: string, prefix: string, maxChange = Infinity): number | undefined {
  const digits = revision.startsWith(`${prefix}.`) ? revision.slice(prefix.length + 1) : '';
  const isValid = /^\d+$/.test(digits) && digits.length <= revisionDigits && Number(digits) <= maxChange;
  return isValid ? Number(digits) : undefined;
}

/** State that a store loads for a change. */
export interface ChangeTarget {
  readonly calendar: CalendarRef;
  readonly eventId: string;
  /** Parent series, if `eventId` names an instance. */
  readonly seriesId?: string;
  /** The change may replace the series, which is loaded with its exceptions. */
  readonly dividesSeries?: boolean;
  /** Loads the events of the calendar with this iCalUID. */
  readonly iCalUID?: string;
  /** Guests who may get a copy, as `addressKey` writes them. */
  readonly guests: readonly string[];
  /** Request id of the caller, under which the outcome is found or stored. */
  readonly request?: RequestRecord;
  /** Identity of the caller whose mail quota applies, if the change may send mails. */
  readonly mailSender?: string | undefined;
  /** Id of the calendar to which the event may move. `iCalUID` then concerns that calendar. */
  readonly destinationId?: string;
}

/** Limit of the mails that changes of one caller send within 24 hours. */
export const maxMailsPerDay = 2_000;

/** Quota left for mails of a change. */
export interface MailQuota {
  /** Bytes that the outbox can take for the event's home calendar, as `estimateBytes` counts them. */
  readonly bytes: number;
  /** Mails that the caller may still send today. */
  readonly mails: number;
}

/** Calendar of a guest, and what it already has of the changed event. */
export interface GuestCalendar {
  readonly calendarId: string;
  /** Event with the target's id there. */
  readonly holder: EventRecord | undefined;
  /** Key of the event with the target's seriesId there. */
  readonly seriesKey: string | undefined;
  /** Event with the iCalUID of the changed event that was imported there and that belongs to somebody else. */
  readonly imported?: EventRecord | undefined;
  /** Exceptions of `imported`, and instances with the iCalUID that were imported there without their series. */
  readonly importedInstances?: readonly EventRecord[] | undefined;
}

/** Loaded state that a change decides on. The store checks that it is current when the change is stored. */
export interface ChangeState {
  readonly calendar: CalendarRecord | undefined;
  readonly event: EventRecord | undefined;
  /** Series of the event, if that is an exception; otherwise the event with the target's seriesId. */
  readonly series: EventRecord | undefined;
  /** Number of the series' exceptions, if the event is not one of them. */
  readonly exceptionCount: number;
  /** Exceptions of the series, if the target divides it or the event is the series. */
  readonly seriesExceptions: readonly EventRecord[];
  /** Events of the calendar with the target's iCalUID. */
  readonly eventsWithUid: readonly EventRecord[];
  readonly guests: ReadonlyMap<string, GuestCalendar>;
  /** Owner of a calendar that has one of these events. */
  readonly ownerOf: (calendarId: string) => string | undefined;
  /** Time zone of such a calendar, or of a guest's. */
  readonly zoneOf: (calendarId: string) => string | undefined;
  /** Mail quota of the home calendar and the caller, if the target has a `mailSender`. */
  readonly mailQuota: MailQuota | undefined;
  /** Outcome of an earlier request with the same id. */
  readonly earlierRequest: EarlierRequest | undefined;
  /** Calendar to which the event may move, if the target names one and it exists. */
  readonly destination: DestinationCalendar | undefined;
}

/** Calendar to which an event may move, and what it already has of the event. */
export interface DestinationCalendar {
  readonly calendar: CalendarRecord;
  /** Key of the event with the target's id there. */
  readonly holderKey: string | undefined;
  /** Keys of the events with the target's iCalUID there. */
  readonly uidKeys: readonly string[];
}

/** Result of a decision. Nothing is stored without `next` and `added`, or if `next` is the loaded record. */
export interface Decision<T> {
  /** Event after the change: a changed record, or a new one. */
  readonly next?: EventRecord;
  /** Exceptions of the series `next` that the decision changes or adds itself; the others follow the series. */
  readonly exceptions?: readonly EventRecord[];
  /** Changed records beside `next`: imported events of guests (`GuestCalendar.imported`), or others of `eventsWithUid`. */
  readonly replaced?: readonly EventRecord[];
  /** New events, or series with their exceptions, that are stored on the same home calendar, with or without `next`. */
  readonly added?: readonly SeriesState[];
  /** JSON value that is stored under the target's request together with the change. */
  readonly outcome?: object;
  /** Mails to store with the change. If concurrent changes of the caller use up `ChangeState.mailQuota`, it is decided again. */
  readonly mails?: readonly Mail[];
  readonly result: T;
}

/** Change for `EventStore.importEvents`: its target, and the function that decides it. */
export interface PendingChange<T> {
  readonly target: ChangeTarget;
  readonly decide: (loaded: ChangeState) => Decision<T>;
}

/** Query for one page of a calendar's events, on behalf of one reader. */
export interface EventQuery {
  /** Identity of the reader, for whom changes of own settings count. */
  readonly identity: string;
  /** The reader sees hidden guests even as a guest, so changes of them count. */
  readonly seesHidden: boolean;
  /** Revision of the first page, or the previous `EventPage.revision`; absent if no page or sync follows. */
  readonly revision?: string;
  /** Only events that changed on this calendar after this revision. */
  readonly since?: string;
  /** Includes events that show as cancelled on this calendar. */
  readonly includesCancelled: boolean;
  /** Only events whose span (`spanOf`) overlaps this range: epoch milliseconds, both ends exclusive. */
  readonly between?: { readonly from: number; readonly to: number };
  readonly iCalUID?: string;
  /** Only events whose latest change is not before this time in epoch milliseconds. */
  readonly updatedMin?: number;
  /** Returns a series in place of its exceptions (not by `updated`), even if only an exception matches the filters. */
  readonly expandsSeries: boolean;
  /** position: as added to the calendar. updated: by latest change. start: by start, with series in `EventPage.series`. */
  readonly order: 'position' | 'updated' | 'start';
  /** Only events after this one in the order; `at` is the time that the order sorts by, in epoch milliseconds. */
  readonly after?: { readonly position: number; readonly at: number };
  readonly limit: number;
  /** Final visibility filter: rejected events do not count towards `limit`. */
  readonly accepts: (event: ListCandidate) => boolean;
  /** Called with the number of events collected and sorted in addition to those passed to `accepts`; may throw. */
  readonly onCollect?: (eventCount: number) => void;
}

/** Event that matches a query, before `accepts` decides on it. */
export interface ListCandidate extends StoredEvent {
  /** The reader never saw the event on this calendar. */
  readonly neverSeen?: true;
}

/** Event on a page of a list. */
export interface ListedEvent extends ListCandidate {
  /** Position on the calendar, which never changes once all readers see the event. */
  readonly position: number;
  /** Time that the order sorts by, in epoch milliseconds; 0 if it sorts by position. */
  readonly at: number;
  /** The event is a series, or was one since the query's `since`. */
  readonly wasSeries?: true;
}

export interface EventPage {
  readonly entries: readonly ListedEvent[];
  readonly hasMore: boolean;
  /** All series that match the query, whenever they start; only with the order `start`. */
  readonly series: readonly ListedEvent[];
  /**
   * The query's revision or an older one. Changes after it may be missing from the page, so sync tokens must not be newer.
   * Pages selected by `between`, `iCalUID` or `updatedMin` have the query's revision.
   */
  readonly revision: string | undefined;
}

/** Size of a calendar's events from some time on. */
export interface EventsSize {
  readonly count: number;
  /** Bytes of the stored JSON of events; 0 if there are too many events. */
  readonly bytes: number;
  /** Start of the earliest one, and end of the last one or start of an endless one (epoch ms); infinite without events. */
  readonly earliest: number;
  readonly latest: number;
}

/** Event with its id on a calendar. */
export interface EventOnCalendar extends StoredEvent {
  readonly eventId: string;
}

/** Series with its exceptions, read together. */
export interface SeriesState {
  readonly record: EventRecord;
  /** All exceptions, including those that are on other calendars only. */
  readonly exceptions: readonly EventRecord[];
}

/** Event of a background job, with the opaque cursor after which the job continues. */
export interface WorkItem {
  readonly cursor: string;
  readonly calendarId: string;
  readonly eventId: string;
}

/** Port to the store of events. Records are frozen. Methods are atomic: one that throws has stored nothing. */
export interface EventStore {
  /** Calendars with their revisions, in order; undefined where there is none. A revision also changes invisibly to callers. */
  calendarStates(refs: readonly CalendarRef[]): Promise<(CalendarState | undefined)[]>;
  /**
   * Events in order; undefined where there is none. The id of an instance (`parseInstanceId`) also finds an exception whose series
   * is on the calendar, even if the exception itself is not.
   */
  events(references: readonly EventReference[]): Promise<(StoredEvent | undefined)[]>;
  /**
   * Lists a page of a calendar's events. Long pages yield to other requests: a concurrent change is in the page or newer
   * than the page's revision. Undefined if this store cannot continue from the revision in `since` or `revision`.
   */
  listEvents(calendarId: string, query: EventQuery): Promise<EventPage | undefined>;
  /**
   * Lists the first page, for the query that `queryOf` makes from the calendar. `queryOf` may run more than once; the page
   * belongs to its last run. It must throw if there is no calendar, and its errors are thrown.
   */
  listCalendar(
    ref: CalendarRef,
    queryOf: (state: CalendarState | undefined) => EventQuery,
  ): Promise<EventPage | undefined>;
  /** Newest revision between `since` and `revision` up to which all changes are fully visible: mostly `revision` itself. */
  safeRevision(calendarId: string, revision: string, since: string | undefined): Promise<string>;
  /**
   * Size of the events that end after `from` (epoch ms) on a calendar, without cancelled ones; a series counts with all its
   * exceptions there. Beyond a limit, counting stops and the result is just above it.
   */
  measureEvents(
    calendarId: string,
    from: number,
    limits: { readonly count: number; readonly bytes: number },
  ): Promise<EventsSize>;
  /** Events of a calendar by id (code units), cancelled ones too. They may include exceptions that left the calendar. */
  eventsAfter(calendarId: string, eventId: string, limit: number): Promise<readonly EventOnCalendar[]>;
  /** Reads series again, each together with its exceptions. */
  exceptionsOf(series: readonly EventRecord[]): Promise<readonly SeriesState[]>;
  /**
   * Loads the target, lets `decide` change it, and stores the decision unless the loaded state has changed meanwhile;
   * then it starts again. A change of a series changes all its exceptions on all calendars. `decide` is synchronous and may
   * run more than once; its errors are thrown. Throws AppError UNAVAILABLE if others keep changing the event.
   */
  changeEvent<T>(target: ChangeTarget, decide: (loaded: ChangeState) => Decision<T>): Promise<T>;
  /** Runs `changeEvent` for each change in order, optimized for new events. Each change is atomic, but not the batch. */
  importEvents<T>(changes: readonly PendingChange<T>[]): Promise<T[]>;
  /** Events that invite an address (`addressKey`) but have no copy on a calendar, by home id, series before exceptions. */
  eventsInviting(
    address: string,
    calendarId: string,
    afterCursor: string | undefined,
    limit: number,
  ): Promise<readonly WorkItem[]>;
  /** Events whose home calendar this is or was, without exceptions: up to `limit` after a cursor. */
  eventsAtHome(
    calendarId: string,
    afterCursor: string | undefined,
    limit: number,
  ): Promise<readonly WorkItem[]>;
  /** Deletes up to `limit` entries of a deleted calendar that no other calendar shows; true if none are left. */
  clearCalendar(calendarId: string, limit: number): Promise<boolean>;
  /** Calls `onChange` for each calendar that any gateway changes. Returns the function that unsubscribes. */
  watchCalendars(onChange: (calendarId: string) => void): () => void;
}

/** Notice to guests about a changed event (iTIP, RFC 5546). */
export interface GuestNotice {
  /** Home calendar of the event. */
  readonly calendarId: string;
  readonly eventId: string;
  /** UID of the event; instances share that of their series. */
  readonly iCalUID: string;
  readonly sequence: number;
  readonly method: 'REQUEST' | 'CANCEL' | 'REPLY';
  readonly change: 'created' | 'updated' | 'cancelled' | 'answered';
  /** Names of the changed fields. */
  readonly changed: readonly string[];
  /** E-mail addresses, which must not be logged. */
  readonly guests: readonly string[];
}

/** Delivers notices. A failure does not fail the change that caused the notice. */
export interface GuestNotifier {
  notify(notice: GuestNotice): void;
}
