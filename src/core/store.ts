import type { Outbox, OutgoingMessage } from './publisher.ts';

/** Remembers the outcome of an insert, so that it can be sent again safely. */
export interface RequestMark {
  /** Unique for caller, operation and the request id the caller chose. */
  readonly key: string;
  /** Stands for the input: the same key with another fingerprint is refused. */
  readonly fingerprint: string;
  /** Epoch milliseconds from which on the mark is forgotten. */
  readonly until: number;
}

/**
 * What became of an insert.
 * - inserted: it was stored now.
 * - replayed: the same request was stored before; `record` is what it stored then.
 * - reused: the request id belongs to another input.
 * - taken: the identifier is in use.
 */
export type InsertOutcome<T> =
  | { readonly kind: 'inserted' | 'replayed'; readonly record: T }
  | { readonly kind: 'reused' }
  | { readonly kind: 'taken' };

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type Clock = () => number;

export type AccessRole = 'none' | 'freeBusyReader' | 'reader' | 'writer' | 'owner';

export interface CalendarRecord {
  readonly id: string;
  /** The e-mail address whose `primary` calendar this is, if it is the first one of that owner. */
  readonly owner: string;
  /** IANA name: times without an offset and all-day events are understood in it. */
  readonly timeZone: string;
  readonly defaultReminders: readonly { readonly method: string; readonly minutes: number }[];
  readonly acl: readonly { readonly email: string; readonly role: AccessRole }[];
}

export interface BucketRecord {
  readonly name: string;
  readonly project: string;
  readonly requesterPays: boolean;
  /** E-mail addresses of those who may manage its notifications. */
  readonly managers: readonly string[];
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

/** What a store must know of a notification to keep it. */
export interface StoredNotification {
  readonly id: string;
  readonly bucket: string;
  readonly topic?: string;
}

/** Keeps buckets, their notifications and the messages these cause; the same promises as `EventStore`. */
export interface NotificationStore<N extends StoredNotification> extends Outbox {
  /** The buckets with these names, in order; undefined where there is none. */
  buckets(names: readonly string[]): Promise<(BucketRecord | undefined)[]>;
  /** Once for each name. */
  addBucket(bucket: BucketRecord): Promise<void>;
  /** The notifications of each of these buckets, oldest first. */
  notifications(buckets: readonly string[]): Promise<(readonly N[])[]>;
  /**
   * Adds the notification that `decide` makes from the ones the bucket has and the next free id
   * (decimal, counted per bucket, never used twice). It may throw to refuse. An id of its own must be a decimal number;
   * ids go on behind the highest one. `taken` when the bucket has that id, or when there is no such bucket.
   */
  insertNotification(
    bucket: string,
    decide: (existing: readonly N[], id: string) => N,
    mark?: RequestMark,
  ): Promise<InsertOutcome<N>>;
  /** False when the bucket has no such notification. */
  removeNotification(bucket: string, id: string): Promise<boolean>;
  /** The buckets that have a notification with this topic, in no order. */
  bucketsWithTopic(topic: string): Promise<readonly string[]>;
  /** Stores the messages that `decide` makes for the bucket's notifications, all or none, until they are published. */
  storeChange(
    bucket: string,
    decide: (existing: readonly N[]) => readonly OutgoingMessage[],
  ): Promise<readonly OutgoingMessage[]>;
}
