import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
import type { EventView, CalendarBusyView } from '../event/visibility/event-view.ts';
import type { CalendarImportView } from '../event/event.calendar-import.ts';
import type { CalendarView } from '../calendar/calendar.view.ts';
import type { BucketView } from '../bucket/bucket.view.ts';
import type { NotificationView } from '../notification/notification.ts';
import type { MessageView } from '../notification/publishing/message.ts';
import type { OperationContext } from '../operations/context.ts';
export type Maybe<T> = T | null;
export type InputMaybe<T> = T | null | undefined;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /**
   * A moment in time in RFC 3339 form, such as `2026-05-04T09:30:00Z` or `2026-05-04T11:30:00+02:00`. The offset
   * must be there: a value without one is refused.
   */
  DateTime: { input: string; output: string; }
  /**
   * Any JSON object, stored as sent. Numbers that cannot be stored exactly (beyond 2^53, or not finite) are refused:
   * send them as strings.
   */
  JSONObject: { input: Readonly<Record<string, unknown>>; output: Readonly<Record<string, unknown>>; }
  /** A day of the calendar without time or zone, written `yyyy-mm-dd`. A day that does not exist is refused. */
  LocalDate: { input: string; output: string; }
  /** One step of a path: the name of a field as a string, or the place in a list as a whole number. */
  PathSegment: { input: string | number; output: string | number; }
  /**
   * A JSON object whose values are all strings, such as `{ "team": "blue" }`. In a patch, absent keys stay and a key
   * with `null` is removed. In an insert, a `null` value is an error.
   */
  StringMap: { input: Record<string, string | null>; output: Record<string, string>; }
  /**
   * A date and time of day in RFC 3339 form, such as `2026-05-04T09:30:00+02:00`. The offset is optional if a `timeZone`
   * is given with it. It is returned as it was sent.
   */
  ZonedDateTime: { input: string; output: string; }
  /**
   * The name of one permission, written as a full URL and compared character by character. Apollo Federation knows it by this
   * name.
   */
  federation__Scope: { input: string; output: string; }
};

/**
 * A change of the guest list that names only the guests to change, under the same rules as `attendees`. Each address
 * may occur once in both lists together, which have at most 200 entries. The event has at most 200 guests afterwards.
 */
export type AttendeeChangesInput = {
  /**
   * Guests to add. An entry for a guest on the list changes that guest: absent fields keep the stored value, and
   * `null` clears it. Every entry needs an `email`.
   */
  add?: InputMaybe<Array<EventAttendeeInput>>;
  /**
   * Addresses of guests to remove, not case-sensitive; an address that is not on the list changes nothing. Guests
   * cannot remove themselves: `deleteEvent` removes the event from their own calendar.
   */
  remove?: InputMaybe<Array<Scalars['String']['input']>>;
};

/** A bucket: a container of objects, with notification subscriptions for their changes. */
export type Bucket = Node & {
  __typename?: 'Bucket';
  /** The billing of requests to the bucket. */
  billing?: Maybe<BucketBilling>;
  /** The HTTP entity tag of the bucket: another one after each change that is stored. Send it as `ifMatch`. */
  etag?: Maybe<Scalars['String']['output']>;
  /** The bucket's identifier, which is its name. */
  id: Scalars['ID']['output'];
  /** Always `storage#bucket`. */
  kind?: Maybe<Scalars['String']['output']>;
  /**
   * The e-mail addresses of the managers, who may read, change and delete the bucket and its subscriptions. Not
   * case-sensitive.
   */
  managers?: Maybe<Array<Scalars['String']['output']>>;
  /** Counts the changes of the bucket, its making included: a decimal number in a string, from `1`. */
  metageneration?: Maybe<Scalars['String']['output']>;
  /** The name, which no other bucket of the service has and which never changes. */
  name?: Maybe<Scalars['String']['output']>;
  /**
   * Names the bucket among everything that this gateway serves, for the caches of clients: an opaque ID that is the same for every
   * caller and never changes. A bucket that takes the name of a deleted one has another.
   */
  nodeId: Scalars['ID']['output'];
  /** All notification subscriptions of the bucket, as `notifications` lists them. */
  notifications?: Maybe<Array<Notification>>;
  /** The project that the bucket belongs to: its id or its number, as given when the bucket was created. */
  project?: Maybe<Scalars['String']['output']>;
  /** The address of the bucket: `https://{host}/storage/v1/b/{name}`. */
  selfLink?: Maybe<Scalars['String']['output']>;
  /** When the bucket was created; null if unknown. */
  timeCreated?: Maybe<Scalars['DateTime']['output']>;
  /** When the bucket was last changed. Null where that is not known. */
  updated?: Maybe<Scalars['DateTime']['output']>;
};


/** A bucket: a container of objects, with notification subscriptions for their changes. */
export type BucketNotificationsArgs = {
  userProject?: InputMaybe<Scalars['String']['input']>;
};

/** The billing of requests to a bucket. */
export type BucketBilling = {
  __typename?: 'BucketBilling';
  /** Whether requests to the bucket need a project that pays for them. Those that change or delete the bucket itself need none. */
  requesterPays?: Maybe<Scalars['Boolean']['output']>;
};

/** The billing of requests to a bucket, as input. */
export type BucketBillingInput = {
  /** Whether requests to the bucket need a project that pays for them. Null: no. */
  requesterPays?: InputMaybe<Scalars['Boolean']['input']>;
};

/** A page of buckets. */
export type BucketConnection = {
  __typename?: 'BucketConnection';
  /** The buckets of the page, each with its cursor. */
  edges: Array<BucketEdge>;
  /** The buckets of the page (REST: `items`). */
  nodes: Array<Bucket>;
  /** Where the page lies in the list. */
  pageInfo: PageInfo;
};

/** One bucket of a page. */
export type BucketEdge = {
  __typename?: 'BucketEdge';
  /** Marks the bucket's place in the list, for `after`. */
  cursor: Scalars['String']['output'];
  /** The bucket. */
  node: Bucket;
};

/**
 * A bucket to create, or the fields to change. You can send a bucket as you read it, including read-only fields. No
 * field is required by its type.
 */
export type BucketInput = {
  /** The billing of requests to the bucket. Null: no request needs a project that pays. */
  billing?: InputMaybe<BucketBillingInput>;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  etag?: InputMaybe<Scalars['String']['input']>;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  id?: InputMaybe<Scalars['String']['input']>;
  /** Always `storage#bucket`. Accepted and ignored; another value is answered with a warning. */
  kind?: InputMaybe<Scalars['String']['input']>;
  /**
   * The e-mail addresses of the managers, who may read, change and delete the bucket and its subscriptions: 1 to 100,
   * each once, not case-sensitive. In an insert, absent or null means only the caller, and a list must contain the
   * caller. In a change, a list replaces the stored one; null or an empty list is an error.
   */
  managers?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  metageneration?: InputMaybe<Scalars['String']['input']>;
  /**
   * The name: 3 to 63 characters of `a-z`, `0-9`, `.`, `_` and `-`, the first and the last a letter or a digit; without two dots in
   * a row, not an IPv4 address, and without `goog` anywhere in it. Required in an insert; in a change the same name passes, and
   * another one is an error, reason `immutable`.
   */
  name?: InputMaybe<Scalars['String']['input']>;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  nodeId?: InputMaybe<Scalars['ID']['input']>;
  /** Set by the argument `project` of an insert: accepted and ignored. A value that differs is answered with a warning. */
  project?: InputMaybe<Scalars['String']['input']>;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  selfLink?: InputMaybe<Scalars['String']['input']>;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  timeCreated?: InputMaybe<Scalars['DateTime']['input']>;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  updated?: InputMaybe<Scalars['DateTime']['input']>;
};

/** A stretch of time that is taken. */
export type BusyPeriod = {
  __typename?: 'BusyPeriod';
  /** The moment behind it: from here on the time is free. */
  end: Scalars['DateTime']['output'];
  /** Its first moment. */
  start: Scalars['DateTime']['output'];
};

/** A calendar that the caller may see. */
export type Calendar = Node & {
  __typename?: 'Calendar';
  /** Who may use the calendar, as `calendarAccess` says; null for callers who do not own it. */
  access?: Maybe<Array<CalendarAccess>>;
  /** The caller's role. */
  accessRole: CalendarAccessRole;
  /** The colour in which it is drawn: `#rrggbb`, in lower case. */
  backgroundColor?: Maybe<Scalars['String']['output']>;
  /** When it was created; null if unknown. */
  created?: Maybe<Scalars['DateTime']['output']>;
  /** The reminders of users who set none of their own on an event. Shown to writers and owners; null for all others. */
  defaultReminders?: Maybe<Array<EventReminder>>;
  /** Its description. */
  description?: Maybe<Scalars['String']['output']>;
  /** Changes with every stored change of the settings, and is the same for all callers. Access is not among them. */
  etag?: Maybe<Scalars['String']['output']>;
  /** One event of this calendar, as `event` reads it. */
  event?: Maybe<Event>;
  /** Events of this calendar in pages, as `events` lists them. Below a list of calendars it is read and charged for each of them. */
  events?: Maybe<EventConnection>;
  /**
   * The address at which other calendar programs subscribe to the calendar: its iCalendar feed, with private events. Whoever
   * has the address can read it, without a token. Shown to owners; null for all others, and until `resetCalendarFeed` has
   * created a feed.
   */
  feedUrl?: Maybe<Scalars['String']['output']>;
  /** Its identifier. */
  id: Scalars['ID']['output'];
  /** Always `calendar#calendar`. */
  kind?: Maybe<Scalars['String']['output']>;
  /** Where it is about. */
  location?: Maybe<Scalars['String']['output']>;
  /** Opaque and stable: names the calendar among all things of this service, the same for every caller. For caches of clients. */
  nodeId: Scalars['ID']['output'];
  /** Whether the caller can address it as `primary`. */
  primary: Scalars['Boolean']['output'];
  /** Its title; its identifier where none was set. */
  summary?: Maybe<Scalars['String']['output']>;
  /** The zone in which days and times without a zone of their own are understood: a name from the IANA database. */
  timeZone: Scalars['String']['output'];
  /** When its settings were last changed; null where that is not known. */
  updated?: Maybe<Scalars['DateTime']['output']>;
};


/** A calendar that the caller may see. */
export type CalendarEventArgs = {
  alwaysIncludeEmail?: InputMaybe<Scalars['Boolean']['input']>;
  eventId: Scalars['String']['input'];
  maxAttendees?: InputMaybe<Scalars['Int']['input']>;
};


/** A calendar that the caller may see. */
export type CalendarEventsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  alwaysIncludeEmail?: InputMaybe<Scalars['Boolean']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  iCalUID?: InputMaybe<Scalars['String']['input']>;
  maxAttendees?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<EventOrder>;
  privateExtendedProperty?: InputMaybe<Array<Scalars['String']['input']>>;
  q?: InputMaybe<Scalars['String']['input']>;
  sharedExtendedProperty?: InputMaybe<Array<Scalars['String']['input']>>;
  showDeleted?: InputMaybe<Scalars['Boolean']['input']>;
  singleEvents?: InputMaybe<Scalars['Boolean']['input']>;
  syncToken?: InputMaybe<Scalars['String']['input']>;
  timeMax?: InputMaybe<Scalars['DateTime']['input']>;
  timeMin?: InputMaybe<Scalars['DateTime']['input']>;
  updatedMin?: InputMaybe<Scalars['DateTime']['input']>;
};

/** One entry of a calendar's access list. */
export type CalendarAccess = {
  __typename?: 'CalendarAccess';
  /** Who. */
  email: Scalars['String']['output'];
  /** Their role on the calendar. */
  role: CalendarAccessRole;
};

/** The permissions on a calendar; each role includes the roles before it. */
export type CalendarAccessRole =
  /** See when events are, and nothing else of them. */
  | 'freeBusyReader'
  /** No access. Only for `setCalendarAccess`, where it removes an entry. */
  | 'none'
  /** Everything: settings and access of the calendar too. */
  | 'owner'
  /** Read events, of private ones the time only. */
  | 'reader'
  /** Change events too. */
  | 'writer';

/** When the owner of a calendar is busy. */
export type CalendarBusy = {
  __typename?: 'CalendarBusy';
  /**
   * The busy times in order, at most 2500. Times that overlap or touch are merged, and cut at `timeMin` and `timeMax`.
   * Empty if there is an `error`.
   */
  busy: Array<BusyPeriod>;
  /** The calendar, as it was named in `calendarIds`. */
  calendarId: Scalars['ID']['output'];
  /** Why the calendar has no `busy` times here; null if it has. */
  error?: Maybe<CalendarBusyError>;
};

/** Why one calendar was not answered. */
export type CalendarBusyError = {
  __typename?: 'CalendarBusyError';
  /** `NOT_FOUND` for a calendar that is unknown or that the caller may not see, `BAD_USER_INPUT` for one that holds too much. */
  code: Scalars['String']['output'];
  /** The problem and its remedy. */
  message: Scalars['String']['output'];
  /** The cause in one word: `notFound` or `tooMany`. */
  reason: Scalars['String']['output'];
};

/** A calendar changed: sync it. */
export type CalendarChange = {
  __typename?: 'CalendarChange';
  /**
   * The calendar that changed, as it is now. It is read for each event of the stream and charged like a query. While
   * the rate limit is used up, changes of a calendar are combined.
   */
  calendar?: Maybe<Calendar>;
  /** The identifier of the calendar, also for a request with `primary`. */
  calendarId: Scalars['ID']['output'];
  /** When the change was noticed: not before the change itself. Of an event that a stream begins with, its start. */
  changedAt: Scalars['DateTime']['output'];
};

/** What an import of an iCalendar text did. The counts are those of VEVENT components. */
export type CalendarImport = {
  __typename?: 'CalendarImport';
  /** Components that are new events, or new changes of instances. */
  created: Scalars['Int']['output'];
  /** The first 250 events that were created or updated. */
  events: Array<Event>;
  /** The components that were not imported, in the order of the text. */
  refused: Array<RefusedComponent>;
  /** Components that are stored already. */
  unchanged: Scalars['Int']['output'];
  /** Components that changed an event, or that had instances reset. */
  updated: Scalars['Int']['output'];
};

/**
 * The settings of a calendar. You can send them as you read them: read-only fields are ignored, with a warning if they
 * differ.
 */
export type CalendarInput = {
  /** Set by `setCalendarAccess`; ignored. */
  accessRole?: InputMaybe<CalendarAccessRole>;
  /** A colour as `#rrggbb`; kept in lower case. `null` clears it. */
  backgroundColor?: InputMaybe<Scalars['String']['input']>;
  /** Set by the server; ignored. */
  created?: InputMaybe<Scalars['DateTime']['input']>;
  /**
   * The reminders of users who set none of their own on an event, at most 5. A list is replaced as a whole; `null` clears it. A
   * new `sms` is ignored with a warning.
   */
  defaultReminders?: InputMaybe<Array<EventReminderInput>>;
  /** Its description, at most 8192 characters; `null` clears it. */
  description?: InputMaybe<Scalars['String']['input']>;
  /** Read-only, ignored. To change the calendar only if nobody else did, use `ifMatch`. */
  etag?: InputMaybe<Scalars['String']['input']>;
  /** Set by the server; ignored. */
  id?: InputMaybe<Scalars['String']['input']>;
  /** Set by the server; ignored. */
  kind?: InputMaybe<Scalars['String']['input']>;
  /** Where it is about, at most 1024 characters; `null` clears it. */
  location?: InputMaybe<Scalars['String']['input']>;
  /** Set by the server; ignored. */
  nodeId?: InputMaybe<Scalars['ID']['input']>;
  /** Set by the server; ignored. */
  primary?: InputMaybe<Scalars['Boolean']['input']>;
  /** The title, 1 to 254 characters; `null` goes back to the identifier. */
  summary?: InputMaybe<Scalars['String']['input']>;
  /**
   * The zone in which days and times without a zone of their own are understood: a name from the IANA database. In an insert
   * without it, the one that this service is set up with. It cannot be cleared, and of a calendar with more than 20,000 all-day
   * events not be changed (`tooMany`).
   */
  timeZone?: InputMaybe<Scalars['String']['input']>;
  /** Set by the server; ignored. */
  updated?: InputMaybe<Scalars['DateTime']['input']>;
};

/** A channel, through which changes of a calendar are posted to an address. */
export type Channel = {
  __typename?: 'Channel';
  /** Where messages are posted. */
  address?: Maybe<Scalars['String']['output']>;
  /** When the channel ends. */
  expiration: Scalars['DateTime']['output'];
  /** The identifier that the caller chose. */
  id: Scalars['String']['output'];
  /** Always `api#channel`. */
  kind?: Maybe<Scalars['String']['output']>;
  /** Names the events of the calendar: the same for all its channels. */
  resourceId: Scalars['String']['output'];
  /** The text that every message carries. */
  token?: Maybe<Scalars['String']['output']>;
};

/** The channel to create. A body of the REST API is a valid value. */
export type ChannelInput = {
  /** Where messages are posted: an https URL of a public host, at most 2048 characters, without user and password. */
  address: Scalars['String']['input'];
  /**
   * When the channel ends: a time with an offset, or milliseconds since 1970. At most 30 days from now, to which later times are
   * cut; 7 days if absent. Takes precedence over `params.ttl`.
   */
  expiration?: InputMaybe<Scalars['String']['input']>;
  /** An identifier that you choose, unique among your channels: 1 to 64 letters, digits and the characters `-_+/=`. */
  id: Scalars['String']['input'];
  /** Always `api#channel`. Accepted and ignored; another value is answered with a warning. */
  kind?: InputMaybe<Scalars['String']['input']>;
  /** `ttl`: how many seconds the channel lasts. Other parameters have no effect. */
  params?: InputMaybe<Scalars['StringMap']['input']>;
  /** Has no effect: messages have no body. */
  payload?: InputMaybe<Scalars['Boolean']['input']>;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  resourceId?: InputMaybe<Scalars['String']['input']>;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  resourceUri?: InputMaybe<Scalars['String']['input']>;
  /** A text that every message carries, so that the receiver knows the sender: at most 256 printable ASCII characters. */
  token?: InputMaybe<Scalars['String']['input']>;
  /** Always `web_hook`, which may be absent. */
  type?: InputMaybe<Scalars['String']['input']>;
};

/** Data of the add-on that created a conference. */
export type ConferenceAddOnParameters = {
  __typename?: 'ConferenceAddOnParameters';
  /** The add-on's own keys and values. Every value is a string. */
  parameters?: Maybe<Scalars['StringMap']['output']>;
};

/** Data of the add-on that created a conference. */
export type ConferenceAddOnParametersInput = {
  /**
   * The add-on's own keys and values: at most 100 entries and 32 kB; a key has at most 128 characters, a value at
   * most 1024. Every value is a string. In a patch, keys left out stay and a key set to `null` is removed.
   */
  parameters?: InputMaybe<Scalars['StringMap']['input']>;
};

/** A request for a new conference. */
export type ConferenceCreateRequest = {
  __typename?: 'ConferenceCreateRequest';
  /** The kind of conference that was asked for. */
  conferenceSolutionKey?: Maybe<ConferenceSolutionKey>;
  /** The identifier that the client gave to the request. */
  requestId?: Maybe<Scalars['String']['output']>;
  /** How far the request is. */
  status?: Maybe<ConferenceRequestStatus>;
};

/** A request for a new conference. It needs `requestId` and `conferenceSolutionKey.type`. */
export type ConferenceCreateRequestInput = {
  /** The kind of conference to create. */
  conferenceSolutionKey?: InputMaybe<ConferenceSolutionKeyInput>;
  /**
   * An identifier of your own, such as a UUID, new for each conference that you ask for; at most 1024 characters. A
   * request with the same identifier as the one before is ignored.
   */
  requestId?: InputMaybe<Scalars['String']['input']>;
  /** Read-only: accepted and ignored; another value gives a warning. */
  status?: InputMaybe<ConferenceRequestStatusInput>;
};

/**
 * The conference that belongs to an event. Copy it to another event together with its `signature`: it proves
 * that the data is unchanged.
 */
export type ConferenceData = {
  __typename?: 'ConferenceData';
  /**
   * The identifier of the conference, for developers and not for display. For a `hostedCall` the meeting code of
   * 10 letters, for an `eventNamedCall` the name of the call; not set for an `eventCall`.
   */
  conferenceId?: Maybe<Scalars['String']['output']>;
  /** The product that hosts the conference. */
  conferenceSolution?: Maybe<ConferenceSolution>;
  /** The request that created the conference, with its status. */
  createRequest?: Maybe<ConferenceCreateRequest>;
  /** The ways to join. */
  entryPoints?: Maybe<Array<EntryPoint>>;
  /** Notes to show to the user, at most 2048 characters. May contain HTML: clean it before you show it. */
  notes?: Maybe<Scalars['String']['output']>;
  /** Data of the add-on that created the conference. */
  parameters?: Maybe<ConferenceParameters>;
  /**
   * The server's signature over the conference, which a copy has to keep. Not set for a request that failed, and
   * not always for one that is pending.
   */
  signature?: Maybe<Scalars['String']['output']>;
};

/**
 * A conference to create, copy or change. Only used with `conferenceDataVersion: 1`. Merged field by field. To create
 * one, send `createRequest` only; to copy one, send that of another event unchanged. For another provider's conference
 * give `conferenceSolution.key.type: "addOn"` and its entry points: the server signs them. Other solutions and entry
 * points without a signature are not applied, with a warning.
 */
export type ConferenceDataInput = {
  /** The identifier of the conference, copied with the rest; at most 1024 characters. Not for display. */
  conferenceId?: InputMaybe<Scalars['String']['input']>;
  /** The product that hosts the conference, copied with the rest. */
  conferenceSolution?: InputMaybe<ConferenceSolutionInput>;
  /** Asks for a new conference. */
  createRequest?: InputMaybe<ConferenceCreateRequestInput>;
  /**
   * The ways to join, at most 50. At most one each of `video`, `sip` and `more`, any number of `phone`, and not a
   * `more` alone. The list is replaced as a whole.
   */
  entryPoints?: InputMaybe<Array<EntryPointInput>>;
  /** Notes to show to the user, at most 2048 characters. May contain HTML; `null` clears them. */
  notes?: InputMaybe<Scalars['String']['input']>;
  /** Data of the add-on that created the conference. */
  parameters?: InputMaybe<ConferenceParametersInput>;
  /**
   * The server's signature as you read it, at most 1024 characters. Copied data whose signature is missing, or does
   * not match the data, is dropped with a warning.
   */
  signature?: InputMaybe<Scalars['String']['input']>;
};

/** Data that belongs to a conference and not to the people in it. */
export type ConferenceParameters = {
  __typename?: 'ConferenceParameters';
  /** Data of the add-on that created the conference. */
  addOnParameters?: Maybe<ConferenceAddOnParameters>;
};

/** Data that belongs to a conference and not to the people in it. Merged field by field. */
export type ConferenceParametersInput = {
  /** Data of the add-on that created the conference. `null` clears it. */
  addOnParameters?: InputMaybe<ConferenceAddOnParametersInput>;
};

/** How far a request for a new conference is. */
export type ConferenceRequestStatus = {
  __typename?: 'ConferenceRequestStatus';
  /** Pending, done or failed. Set by the server. */
  statusCode?: Maybe<ConferenceRequestStatusCode>;
};

/** The states of a request for a new conference. */
export type ConferenceRequestStatusCode =
  /** The conference could not be created. It has no entry points and no signature. */
  | 'failure'
  /** The conference is being created; entry points may still be missing. */
  | 'pending'
  /** The conference is there, with its ways to join. */
  | 'success';

/** The state of a request, as you read it. Read-only. */
export type ConferenceRequestStatusInput = {
  /** Read-only: accepted and ignored; another value gives a warning. */
  statusCode?: InputMaybe<ConferenceRequestStatusCode>;
};

/** The product that hosts a conference. */
export type ConferenceSolution = {
  __typename?: 'ConferenceSolution';
  /** The address of the icon to show. */
  iconUri?: Maybe<Scalars['String']['output']>;
  /** Which kind of product it is. */
  key?: Maybe<ConferenceSolutionKey>;
  /** The name to show. It is not translated. */
  name?: Maybe<Scalars['String']['output']>;
};

/** The product that hosts a conference: copied from another event, or another provider's. */
export type ConferenceSolutionInput = {
  /** The address of the icon to show, at most 1024 characters. */
  iconUri?: InputMaybe<Scalars['String']['input']>;
  /** Which kind of product it is. */
  key?: InputMaybe<ConferenceSolutionKeyInput>;
  /** The name to show, at most 1024 characters. It is not translated. */
  name?: InputMaybe<Scalars['String']['input']>;
};

/** The kind of product that hosts a conference. */
export type ConferenceSolutionKey = {
  __typename?: 'ConferenceSolutionKey';
  /**
   * `eventCall`, `eventNamedCall` or `hostedCall`, and `addOn` for another provider's; others may follow. A client that
   * meets an unknown or empty type still shows how to join, but lets nobody change the conference.
   */
  type?: Maybe<Scalars['String']['output']>;
};

/** The kind of product that hosts a conference. */
export type ConferenceSolutionKeyInput = {
  /**
   * `eventCall`, `eventNamedCall` or `hostedCall`; one of these is required in a request for a new conference. `addOn`
   * for a conference of another provider. At most 1024 characters.
   */
  type?: InputMaybe<Scalars['String']['input']>;
};

/** An entry point: a way to join a conference. Show only the codes that are set: each provider has its own terms for them. */
export type EntryPoint = {
  __typename?: 'EntryPoint';
  /** The access code, at most 128 characters. */
  accessCode?: Maybe<Scalars['String']['output']>;
  /** Features of this way to join, as words for programs. No set of values is promised. */
  entryPointFeatures?: Maybe<Array<Scalars['String']['output']>>;
  /** How one joins: by video, by phone, by SIP, or as further instructions say. */
  entryPointType?: Maybe<EntryPointType>;
  /** The text to show, at most 512 characters. It is not translated, and empty for `more`. */
  label?: Maybe<Scalars['String']['output']>;
  /** The meeting code, at most 128 characters. */
  meetingCode?: Maybe<Scalars['String']['output']>;
  /** The passcode, at most 128 characters. */
  passcode?: Maybe<Scalars['String']['output']>;
  /** The password, at most 128 characters. */
  password?: Maybe<Scalars['String']['output']>;
  /** The PIN, at most 128 characters. */
  pin?: Maybe<Scalars['String']['output']>;
  /** The country or region of a phone number, as a CLDR/ISO 3166 code. Given by the server, for `phone` only. */
  regionCode?: Maybe<Scalars['String']['output']>;
  /**
   * The address to open or to dial, at most 1300 characters: `http:` or `https:` for video and more, `tel:` with
   * the whole dial sequence for phone, `sip:` for SIP.
   */
  uri?: Maybe<Scalars['String']['output']>;
};

/** An entry point: a way to join a conference. Set only the codes that the provider uses. */
export type EntryPointInput = {
  /** The access code, at most 128 characters. Only where the provider calls it that. */
  accessCode?: InputMaybe<Scalars['String']['input']>;
  /**
   * Features of this way to join, as words for programs: at most 50 of at most 128 characters each. The list is
   * replaced as a whole.
   */
  entryPointFeatures?: InputMaybe<Array<Scalars['String']['input']>>;
  /**
   * How one joins. It decides which `uri` is allowed and how often the kind may occur in a conference. Required when
   * an entry point is added.
   */
  entryPointType?: InputMaybe<EntryPointType>;
  /** The text to show, at most 512 characters. It is not translated. Leave it out for `more`. */
  label?: InputMaybe<Scalars['String']['input']>;
  /** The meeting code, at most 128 characters. Only where the provider calls it that. */
  meetingCode?: InputMaybe<Scalars['String']['input']>;
  /** The passcode, at most 128 characters. Only where the provider calls it that. */
  passcode?: InputMaybe<Scalars['String']['input']>;
  /** The password, at most 128 characters. Only where the provider calls it that. */
  password?: InputMaybe<Scalars['String']['input']>;
  /** The PIN, at most 128 characters. Only where the provider calls it that. */
  pin?: InputMaybe<Scalars['String']['input']>;
  /** Read-only: accepted and ignored; another value gives a warning. */
  regionCode?: InputMaybe<Scalars['String']['input']>;
  /**
   * At most 1300 characters; required when an entry point is added. `video` and `more` need `http:` or `https:`;
   * `phone` needs `tel:` with the whole dial sequence; `sip` needs `sip:`.
   */
  uri?: InputMaybe<Scalars['String']['input']>;
};

/** The kinds of ways to join a conference. */
export type EntryPointType =
  /** A page with further instructions. At most one in a conference, and never the only way to join. */
  | 'more'
  /** By dialling a number. Any number in a conference. */
  | 'phone'
  /** Over SIP. At most one in a conference. */
  | 'sip'
  /** Over the web. At most one in a conference. */
  | 'video';

/**
 * An event as one calendar sees it. Copies on the guests' calendars show the shared part of the same event,
 * while reminders, colour, visibility and the like belong to each copy. Of a private or confidential event a
 * mere reader sees the time only. Of a cancelled event only `id` is sure to be there, and for a cancelled
 * instance of a recurring event `recurringEventId` and `originalStartTime` as well.
 */
export type Event = Node & {
  __typename?: 'Event';
  /** Whether anyone may add themselves. Only used by one old kind of event. Default: `false`. */
  anyoneCanAddSelf?: Maybe<Scalars['Boolean']['output']>;
  /** Files attached to the event, at most 25. */
  attachments?: Maybe<Array<EventAttachment>>;
  /** The guests, at most 200. Where `guestsCanSeeOtherGuests` is false, a guest does not see the others. */
  attendees?: Maybe<Array<EventAttendee>>;
  /** Whether guests may be missing from `attendees`, for example because of `maxAttendees`. Default: `false`. */
  attendeesOmitted?: Maybe<Scalars['Boolean']['output']>;
  /** The calendar through which the event was read. Each calendar has its own copy of an event. */
  calendar?: Maybe<Calendar>;
  /** The full address of the event's video call. Given by the server; null when there is no call. */
  callLink?: Maybe<Scalars['String']['output']>;
  /** The colour, as the number of an entry in the event palette: `"1"` to `"11"`. Belongs to this copy. */
  colorId?: Maybe<Scalars['String']['output']>;
  /** How to join the event's conference. Null when there is none. */
  conferenceData?: Maybe<ConferenceData>;
  /** When the event was created. */
  created?: Maybe<Scalars['DateTime']['output']>;
  /** Who created the event. */
  creator?: Maybe<EventCreator>;
  /** The description, at most 8192 characters. */
  description?: Maybe<Scalars['String']['output']>;
  /**
   * When the event ends. The end itself is not part of the event: an all-day event on 4 May has 5 May here. For
   * a recurring event: when its first instance ends.
   */
  end?: Maybe<EventTime>;
  /** Whether the event has no real end; `end` is filled in all the same. Default: `false`. */
  endTimeUnspecified?: Maybe<Scalars['Boolean']['output']>;
  /**
   * The version of the event, in quotes. It changes with every stored change; send it as `ifMatch` to change
   * only what you have seen.
   */
  etag?: Maybe<Scalars['String']['output']>;
  /** Data that applications keep with the event: 300 entries and 32 kB at most, private and shared together. */
  extendedProperties?: Maybe<EventExtendedProperties>;
  /** A small web application that extends the event. */
  gadget?: Maybe<EventGadget>;
  /** Whether guests other than the organizer may invite others. Default: `true`. */
  guestsCanInviteOthers?: Maybe<Scalars['Boolean']['output']>;
  /** Whether guests other than the organizer may change the shared part of the event. Default: `false`. */
  guestsCanModify?: Maybe<Scalars['Boolean']['output']>;
  /** Whether guests other than the organizer see who else is invited. Default: `true`. */
  guestsCanSeeOtherGuests?: Maybe<Scalars['Boolean']['output']>;
  /** The full address of the event in the calendar's web page. Given by the server. */
  htmlLink?: Maybe<Scalars['String']['output']>;
  /**
   * The identifier that names the event across calendar systems (RFC 5545). Not the same as `id`: all instances
   * of a recurring event share it, while each has an `id` of its own.
   */
  iCalUID?: Maybe<Scalars['String']['output']>;
  /** The event's identifier, unique on its calendar and opaque: nothing can be read from it. */
  id: Scalars['ID']['output'];
  /**
   * The instances of a series in pages, as `instances` lists them; null for an event that does not recur. Below a list of
   * events it is read and charged for each of them.
   */
  instances?: Maybe<EventConnection>;
  /** Always `calendar#event`. */
  kind?: Maybe<Scalars['String']['output']>;
  /** The place, as free text. */
  location?: Maybe<Scalars['String']['output']>;
  /**
   * Whether this copy is locked: then its `summary`, `description`, `location`, `start`, `end` and `recurrence`
   * cannot be changed. Default: `false`.
   */
  locked?: Maybe<Scalars['Boolean']['output']>;
  /**
   * Opaque, and unique over all calendars, while `id` is so on its calendar only; the same for every caller. Meant as the key
   * of client caches.
   */
  nodeId: Scalars['ID']['output'];
  /**
   * Whose event it is. An organizer who also takes part has an entry of their own in `attendees`, marked
   * `organizer: true`.
   */
  organizer?: Maybe<EventOrganizer>;
  /**
   * For an instance of a recurring event: when it would start by the recurrence rules, even if it was moved
   * since.
   */
  originalStartTime?: Maybe<EventTime>;
  /** Whether changes to this copy stay here instead of being shared with other copies. Default: `false`. */
  privateCopy?: Maybe<Scalars['Boolean']['output']>;
  /** The rules by which the event repeats: RRULE, EXRULE, RDATE and EXDATE lines as in RFC 5545. */
  recurrence?: Maybe<Array<Scalars['String']['output']>>;
  /** The series that an instance belongs to; null for other events, and where this calendar has the instance alone. */
  recurringEvent?: Maybe<Event>;
  /** For an instance of a recurring event: the `id` of that recurring event. */
  recurringEventId?: Maybe<Scalars['String']['output']>;
  /**
   * The caller's reminders on this copy, else the calendar's default reminders. Null for callers who may not write to
   * the calendar.
   */
  reminders?: Maybe<EventReminders>;
  /** The revision number as in iCalendar. A change of start, end, recurrence or status raises it by one. */
  sequence?: Maybe<Scalars['Int']['output']>;
  /** The source of the event, such as a web page. Null for everyone but its creator. */
  source?: Maybe<EventSource>;
  /** When the event starts. For a recurring event: when its first instance starts. */
  start?: Maybe<EventTime>;
  /** Whether the event takes place. Default: `confirmed`. */
  status?: Maybe<EventStatus>;
  /** The title. */
  summary?: Maybe<Scalars['String']['output']>;
  /** Whether the event takes up time in the calendar. Default: `opaque`. Belongs to this copy. */
  transparency?: Maybe<EventTransparency>;
  /** When the event was last changed. A patch that changes nothing leaves it alone. */
  updated?: Maybe<Scalars['DateTime']['output']>;
  /** Who sees the details. Default: `default`. Belongs to this copy. */
  visibility?: Maybe<EventVisibility>;
};


/**
 * An event as one calendar sees it. Copies on the guests' calendars show the shared part of the same event,
 * while reminders, colour, visibility and the like belong to each copy. Of a private or confidential event a
 * mere reader sees the time only. Of a cancelled event only `id` is sure to be there, and for a cancelled
 * instance of a recurring event `recurringEventId` and `originalStartTime` as well.
 */
export type EventInstancesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  alwaysIncludeEmail?: InputMaybe<Scalars['Boolean']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  maxAttendees?: InputMaybe<Scalars['Int']['input']>;
  showDeleted?: InputMaybe<Scalars['Boolean']['input']>;
  timeMax?: InputMaybe<Scalars['DateTime']['input']>;
  timeMin?: InputMaybe<Scalars['DateTime']['input']>;
};

/** A file attached to an event. */
export type EventAttachment = {
  __typename?: 'EventAttachment';
  /** The file's identifier. Given by the server. */
  fileId?: Maybe<Scalars['String']['output']>;
  /** The address of the file. */
  fileUrl?: Maybe<Scalars['String']['output']>;
  /** The address of the file's icon. Given by the server. */
  iconLink?: Maybe<Scalars['String']['output']>;
  /** The media type, such as `application/pdf`. */
  mimeType?: Maybe<Scalars['String']['output']>;
  /** The title to show. */
  title?: Maybe<Scalars['String']['output']>;
};

/** An entry of an event's list of attachments. */
export type EventAttachmentInput = {
  /** Read-only: accepted and ignored; another value gives a warning. */
  fileId?: InputMaybe<Scalars['String']['input']>;
  /**
   * The address of the file, http or https, at most 8192 characters; for a file in the file store, the link under
   * which its own page opens. Required when an attachment is added.
   */
  fileUrl?: InputMaybe<Scalars['String']['input']>;
  /** Read-only: accepted and ignored; another value gives a warning. */
  iconLink?: InputMaybe<Scalars['String']['input']>;
  /** The media type, such as `application/pdf`; at most 255 characters. Optional. */
  mimeType?: InputMaybe<Scalars['String']['input']>;
  /** The title to show, at most 8192 characters. Optional. */
  title?: InputMaybe<Scalars['String']['input']>;
};

/** Someone invited to an event, or a room or other resource booked for it. */
export type EventAttendee = {
  __typename?: 'EventAttendee';
  /** How many people the guest brings along. Default: 0. */
  additionalGuests?: Maybe<Scalars['Int']['output']>;
  /** The guest's comment on the response. */
  comment?: Maybe<Scalars['String']['output']>;
  /** The guest's name, if known. */
  displayName?: Maybe<Scalars['String']['output']>;
  /** The guest's address. Ends in `.invalid` where `alwaysIncludeEmail` had to make one up. */
  email?: Maybe<Scalars['String']['output']>;
  /** The identifier of the guest's profile, if there is one. It does not identify this entry: `email` does. */
  id?: Maybe<Scalars['String']['output']>;
  /** Whether the guest need not come. Default: `false`. */
  optional?: Maybe<Scalars['Boolean']['output']>;
  /** Whether this is the organizer. Default: `false`. */
  organizer?: Maybe<Scalars['Boolean']['output']>;
  /** Whether this is a resource, such as a room, instead of a person. Default: `false`. */
  resource?: Maybe<Scalars['Boolean']['output']>;
  /** The guest's answer. */
  responseStatus?: Maybe<ResponseStatus>;
  /** Whether this entry stands for the calendar that was asked. Default: `false`. */
  self?: Maybe<Scalars['Boolean']['output']>;
};

/**
 * An entry of an event's guest list. Guests may change `responseStatus`, `comment` and `additionalGuests` of
 * their own entry; the rest follows the rules of the shared part of the event. In an entry for a guest on the list,
 * absent fields keep the stored value and `null` clears it.
 */
export type EventAttendeeInput = {
  /** The guest's own: how many people the guest brings along; not below 0. Default: 0. */
  additionalGuests?: InputMaybe<Scalars['Int']['input']>;
  /** The guest's own: a comment on the response, at most 8192 characters. Optional. */
  comment?: InputMaybe<Scalars['String']['input']>;
  /** The guest's name, at most 8192 characters. Optional. */
  displayName?: InputMaybe<Scalars['String']['input']>;
  /**
   * The guest's address, valid by RFC 5322 and of at most 254 octets. Required when a guest is added; it is also how an entry is matched
   * with a stored one, whatever its case.
   */
  email?: InputMaybe<Scalars['String']['input']>;
  /** The identifier of the guest's profile, if there is one; at most 1024 characters. Optional. */
  id?: InputMaybe<Scalars['String']['input']>;
  /** Whether the guest need not come. Default: `false`. */
  optional?: InputMaybe<Scalars['Boolean']['input']>;
  /** Read-only: accepted and ignored; another value gives a warning. */
  organizer?: InputMaybe<Scalars['Boolean']['input']>;
  /**
   * Set once: whether this is a resource, such as a room. A change of an entry that is there already is ignored with
   * a warning. Default: `false`.
   */
  resource?: InputMaybe<Scalars['Boolean']['input']>;
  /**
   * The guest's own: the answer. Absent for a guest who is already on the list: the stored answer stays. From anybody
   * who may not give it, it is ignored with a warning. Default: `needsAction`.
   */
  responseStatus?: InputMaybe<ResponseStatus>;
  /** Read-only: accepted and ignored; another value gives a warning. */
  self?: InputMaybe<Scalars['Boolean']['input']>;
};

/** A page of a calendar's events. */
export type EventConnection = {
  __typename?: 'EventConnection';
  /** The events of the page, each with its cursor. */
  edges: Array<EventEdge>;
  /** The `syncToken` for a list of later changes, as in REST. Set on the last page; null while more pages follow. */
  nextSyncToken?: Maybe<Scalars['String']['output']>;
  /** The events of the page (REST: `items`). */
  nodes: Array<Event>;
  /** Where the page lies in the list. */
  pageInfo: PageInfo;
};

/** Who created an event. */
export type EventCreator = {
  __typename?: 'EventCreator';
  /** The creator's name, if known. */
  displayName?: Maybe<Scalars['String']['output']>;
  /** The creator's address, if known. Ends in `.invalid` where `alwaysIncludeEmail` had to make one up. */
  email?: Maybe<Scalars['String']['output']>;
  /** The identifier of the creator's profile, if there is one. */
  id?: Maybe<Scalars['String']['output']>;
  /** Whether the creator is the owner of the calendar that was asked. Default: `false`. */
  self?: Maybe<Scalars['Boolean']['output']>;
};

/** The creator as you read it. Read-only: accepted and ignored; another value gives a warning. */
export type EventCreatorInput = {
  /** Read-only: the creator's name. */
  displayName?: InputMaybe<Scalars['String']['input']>;
  /** Read-only: the creator's address. */
  email?: InputMaybe<Scalars['String']['input']>;
  /** Read-only: the identifier of the creator's profile. */
  id?: InputMaybe<Scalars['String']['input']>;
  /** Read-only: whether the creator is the owner of the calendar that was asked. */
  self?: InputMaybe<Scalars['Boolean']['input']>;
};

/** One event of a page. */
export type EventEdge = {
  __typename?: 'EventEdge';
  /** Marks the event's place in the list, for `after`. */
  cursor: Scalars['String']['output'];
  /** The event. */
  node: Event;
};

/**
 * Data that applications keep with an event. Private and shared together hold at most 300 entries and 32 kB; a
 * key has at most 44 characters, a value at most 1024.
 */
export type EventExtendedProperties = {
  __typename?: 'EventExtendedProperties';
  /** Entries of this copy: other copies of the event have their own. */
  private?: Maybe<Scalars['StringMap']['output']>;
  /** Entries that are the same on every copy of the event. */
  shared?: Maybe<Scalars['StringMap']['output']>;
};

/**
 * Data that applications keep with an event. Private and shared together hold at most 300 entries and 32 kB; a
 * key has at most 44 characters, a value at most 1024. Keys left out stay, and a key set to `null` is removed.
 */
export type EventExtendedPropertiesInput = {
  /**
   * This copy's: changed by writers of the calendar, and not visible on other copies. A key has 1 to 44 characters, a
   * value at most 1024. `null` removes all entries.
   */
  private?: InputMaybe<Scalars['StringMap']['input']>;
  /**
   * Shared: visible on every copy, and changed by callers who may change the event. A key has 1 to 44 characters, a
   * value at most 1024. `null` removes all entries.
   */
  shared?: InputMaybe<Scalars['StringMap']['input']>;
};

/** A small web application that extends an event. */
export type EventGadget = {
  __typename?: 'EventGadget';
  /** Where the gadget is shown. */
  display?: Maybe<GadgetDisplay>;
  /** The height in pixels, above 0. */
  height?: Maybe<Scalars['Int']['output']>;
  /** The address of the icon, always `https:`. */
  iconLink?: Maybe<Scalars['String']['output']>;
  /** The address of the gadget, always `https:`. */
  link?: Maybe<Scalars['String']['output']>;
  /** The gadget's settings. Every value is a string. */
  preferences?: Maybe<Scalars['StringMap']['output']>;
  /** The title. */
  title?: Maybe<Scalars['String']['output']>;
  /** The kind of gadget. */
  type?: Maybe<Scalars['String']['output']>;
  /** The width in pixels, above 0. */
  width?: Maybe<Scalars['Int']['output']>;
};

/** A small web application that extends an event. Merged field by field; `null` clears a field. */
export type EventGadgetInput = {
  /** Where the gadget is shown. Optional. */
  display?: InputMaybe<GadgetDisplay>;
  /** The height in pixels: a whole number, at least 1. Optional. */
  height?: InputMaybe<Scalars['Int']['input']>;
  /** The address of the icon. Must begin with `https:`; at most 8192 characters. */
  iconLink?: InputMaybe<Scalars['String']['input']>;
  /** The address of the gadget. Must begin with `https:`; at most 8192 characters. */
  link?: InputMaybe<Scalars['String']['input']>;
  /**
   * The gadget's settings: at most 100 entries and 32 kB; a key has at most 128 characters, a value at most 1024.
   * Every value is a string. In a patch, keys left out stay and a key set to `null` is removed.
   */
  preferences?: InputMaybe<Scalars['StringMap']['input']>;
  /** The title, at most 8192 characters. Optional. */
  title?: InputMaybe<Scalars['String']['input']>;
  /** The kind of gadget, at most 8192 characters. Optional. */
  type?: InputMaybe<Scalars['String']['input']>;
  /** The width in pixels: a whole number, at least 1. Optional. */
  width?: InputMaybe<Scalars['Int']['input']>;
};

/**
 * The fields of an event to insert or to patch. You can send an event as you read it, including its read-only fields.
 *
 * In a patch: an absent field stays as it is; `null` clears it; a scalar or a list is replaced as a whole; an object is
 * merged field by field; a map is merged key by key, and `null` removes a key. In an insert: absent and `null` are the
 * same, but a `null` inside a map is an error.
 *
 * The first words of a description say who may change a field. They also hold for the fields inside it, unless these
 * say otherwise.
 *
 * - **Read-only**: accepted and ignored; another value gives a warning.
 * - **Fixed**: set when the event is created. Later, another value is `BAD_USER_INPUT`, reason `immutable`.
 * - **Set once**: set when the entry of a list is added. Later ignored, with a warning for another value.
 * - **Shared**: visible on every copy. Changed by the organizer, and by guests if `guestsCanModify` is true; otherwise
 *   `FORBIDDEN`, reason `forbiddenForNonOrganizer`.
 * - **The organizer's**: visible on every copy. Changed by the organizer only, even if `guestsCanModify` is true.
 * - **The creator's**: visible to the creator only, and changed by the creator only.
 * - **This copy's**: changed by writers of the calendar. Other copies have their own value.
 * - **Your own**: kept for each user of a copy, and changed by that user.
 * - **The guest's own**: a guest's response, given on the guest's own calendar. The organizer gives it for guests without
 *   a calendar here.
 * - **For this request**: has an effect on this request only, and is not stored.
 */
export type EventInput = {
  /** The organizer's. Whether anyone may add themselves; only one old kind of social event uses it. Default: `false`. */
  anyoneCanAddSelf?: InputMaybe<Scalars['Boolean']['input']>;
  /**
   * Shared, at most 25. Ignored with a warning unless the argument `supportsAttachments` is true. The list is
   * replaced as a whole: repeat the entries that should stay; `null` removes all.
   */
  attachments?: InputMaybe<Array<EventAttachmentInput>>;
  /**
   * Shared, at most 200. Guests who are not in the list are removed; `null` removes all. Entries are matched by
   * `email`, whatever its case, and the same address twice is an error; in an entry for a guest on the list, absent
   * fields keep the stored value and `null` clears it. Guests may always answer for themselves, and may add others if
   * `guestsCanInviteOthers` is true. Guests that are hidden from you are neither removed nor changed.
   */
  attendees?: InputMaybe<Array<EventAttendeeInput>>;
  /**
   * For this request: `true` means that your `attendees` list is incomplete. Only your own entry is applied, and
   * nobody is removed. The right way to answer an invitation. Default: `false`.
   */
  attendeesOmitted?: InputMaybe<Scalars['Boolean']['input']>;
  /** Read-only, the address of the video call: accepted and ignored; a value that differs gives a warning. */
  callLink?: InputMaybe<Scalars['String']['input']>;
  /** This copy's. The number of an entry in the event palette, `"1"` to `"11"`; `null` clears it. */
  colorId?: InputMaybe<Scalars['String']['input']>;
  /**
   * Shared. Ignored with a warning unless the argument `conferenceDataVersion` is 1. Create a conference with
   * `createRequest`, copy one together with its `signature`, or remove it with `null`.
   */
  conferenceData?: InputMaybe<ConferenceDataInput>;
  /** Read-only, when the event was created: accepted and ignored; a value that differs gives a warning. */
  created?: InputMaybe<Scalars['DateTime']['input']>;
  /** Read-only, who created the event: accepted and ignored; a value that differs gives a warning. */
  creator?: InputMaybe<EventCreatorInput>;
  /** Shared, refused on a locked copy. At most 8192 characters; `null` clears it. */
  description?: InputMaybe<Scalars['String']['input']>;
  /**
   * Shared, refused on a locked copy. When the event ends; required in an insert, and it cannot be cleared. The
   * end itself is not part of the event: an all-day event on 4 May ends on 5 May. At or before `start` it is an
   * error, reason `timeRangeEmpty`.
   */
  end?: InputMaybe<EventTimeInput>;
  /** Shared. Says that the event has no real end; `end` must be given all the same. Default: `false`. */
  endTimeUnspecified?: InputMaybe<Scalars['Boolean']['input']>;
  /**
   * Read-only: accepted and ignored; another value gives a warning. To make a patch depend on the
   * version that you read, use the argument `ifMatch`.
   */
  etag?: InputMaybe<Scalars['String']['input']>;
  /**
   * Shared but for `private`, which is this copy's. Data that your application keeps with the event. Merged key by
   * key; `null` clears it. At most 300 entries and 32 kB, private and shared together.
   */
  extendedProperties?: InputMaybe<EventExtendedPropertiesInput>;
  /** Shared. A small web application that extends the event. Merged field by field; `null` removes it. */
  gadget?: InputMaybe<EventGadgetInput>;
  /** The organizer's. Whether guests other than the organizer may invite others. `null` means the default, `true`. */
  guestsCanInviteOthers?: InputMaybe<Scalars['Boolean']['input']>;
  /**
   * The organizer's. Whether guests other than the organizer may change the shared part. `null` means the default,
   * `false`.
   */
  guestsCanModify?: InputMaybe<Scalars['Boolean']['input']>;
  /** The organizer's. Whether guests see who else is invited. `null` means the default, `true`. */
  guestsCanSeeOtherGuests?: InputMaybe<Scalars['Boolean']['input']>;
  /** Read-only, the event's web address: accepted and ignored; a value that differs gives a warning. */
  htmlLink?: InputMaybe<Scalars['String']['input']>;
  /**
   * Fixed. In an insert give either this, at most 1024 characters, or `id`, not both; without either the server
   * creates one.
   */
  iCalUID?: InputMaybe<Scalars['String']['input']>;
  /**
   * Fixed. In an insert you may choose it: 5 to 1024 characters, lowercase letters `a` to `v` and digits only, unique
   * on the calendar; one made from a UUID is a good choice. Without an id the server creates one.
   */
  id?: InputMaybe<Scalars['String']['input']>;
  /** Read-only, always `calendar#event`: accepted and ignored; another value gives a warning. */
  kind?: InputMaybe<Scalars['String']['input']>;
  /** Shared, refused on a locked copy. The place as free text, at most 8192 characters; `null` clears it. */
  location?: InputMaybe<Scalars['String']['input']>;
  /** Read-only, whether this copy is locked: accepted and ignored; a value that differs gives a warning. */
  locked?: InputMaybe<Scalars['Boolean']['input']>;
  /** Read-only: accepted and ignored; another value gives a warning. */
  nodeId?: InputMaybe<Scalars['ID']['input']>;
  /**
   * Read-only: accepted and ignored; another value gives a warning. An event changes hands by being
   * moved, not by a patch.
   */
  organizer?: InputMaybe<EventOrganizerInput>;
  /** Fixed. For an instance of a recurring event: when it would start by the recurrence rules. */
  originalStartTime?: InputMaybe<EventTimeInput>;
  /** Fixed. Whether changes to this copy stay here. Default: `false`. */
  privateCopy?: InputMaybe<Scalars['Boolean']['input']>;
  /**
   * Shared, refused on a locked copy. RRULE, EXRULE, RDATE and EXDATE lines as in RFC 5545, without DTSTART or
   * DTEND; COUNT together with UNTIL is an error. A recurring event needs the `timeZone` of `start` and `end`.
   * An instance cannot be made recurring. At most 100 lines of 8192 characters each; the list is replaced as a
   * whole; `null` ends the repetition. Forms that other programs write (UNTIL of a day, EXDATE of days, lower case)
   * are stored in one form, which the warning `normalized` gives.
   */
  recurrence?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Fixed. For an instance of a recurring event: the `id` of that recurring event, at most 1024 characters. */
  recurringEventId?: InputMaybe<Scalars['String']['input']>;
  /**
   * Your own. Your reminders; other readers of this copy have theirs. Until you set some, the calendar's reminders
   * apply. Merged field by field; `null` restores the calendar's.
   */
  reminders?: InputMaybe<EventRemindersInput>;
  /**
   * Shared. The revision number as in iCalendar, from 0 on. Best left out: the server raises it. A number below the
   * stored one is an error. Default: `0`.
   */
  sequence?: InputMaybe<Scalars['Int']['input']>;
  /**
   * The creator's. The source of the event. Only the event's creator may read and change it; a value from anybody else
   * is refused. `null` removes it.
   */
  source?: InputMaybe<EventSourceInput>;
  /**
   * Shared, refused on a locked copy. When the event starts; required in an insert, and it cannot be cleared.
   * Must be before `end` and of the same kind: both days, or both times.
   */
  start?: InputMaybe<EventTimeInput>;
  /**
   * Shared. `cancelled` deletes the event; a cancelled event takes no other patch than back to `confirmed` or
   * `tentative`, which restores it. `null` means the default, `confirmed`. On a guest's copy, `cancelled` removes the
   * event from this calendar only, and `confirmed` restores it.
   */
  status?: InputMaybe<EventStatus>;
  /** Shared, refused on a locked copy. The title, at most 8192 characters; `null` clears it. */
  summary?: InputMaybe<Scalars['String']['input']>;
  /** This copy's. Whether the event blocks time. `null` means the default, `opaque`. */
  transparency?: InputMaybe<EventTransparency>;
  /** Read-only, when the event was last changed: accepted and ignored; a value that differs gives a warning. */
  updated?: InputMaybe<Scalars['DateTime']['input']>;
  /** This copy's. Who may read the details. `null` means `default`, the calendar's own setting. */
  visibility?: InputMaybe<EventVisibility>;
};

/** In which order events are listed. */
export type EventOrder =
  /** By when they start. Only with `singleEvents: true`. */
  | 'startTime'
  /** By when they were last changed, the longest ago first. */
  | 'updated';

/** Whose event it is. */
export type EventOrganizer = {
  __typename?: 'EventOrganizer';
  /** The organizer's name, if known. */
  displayName?: Maybe<Scalars['String']['output']>;
  /** The organizer's address, if known. Ends in `.invalid` where `alwaysIncludeEmail` had to make one up. */
  email?: Maybe<Scalars['String']['output']>;
  /** The identifier of the organizer's profile, if there is one. */
  id?: Maybe<Scalars['String']['output']>;
  /** Whether the organizer is the owner of the calendar that was asked. Default: `false`. */
  self?: Maybe<Scalars['Boolean']['output']>;
};

/** The organizer as you read it. Read-only: accepted and ignored; another value gives a warning. */
export type EventOrganizerInput = {
  /** Read-only: the organizer's name. */
  displayName?: InputMaybe<Scalars['String']['input']>;
  /** Read-only: the organizer's address. */
  email?: InputMaybe<Scalars['String']['input']>;
  /** Read-only: the identifier of the organizer's profile. */
  id?: InputMaybe<Scalars['String']['input']>;
  /** Read-only: whether the organizer is the owner of the calendar that was asked. */
  self?: InputMaybe<Scalars['Boolean']['input']>;
};

/** One reminder. */
export type EventReminder = {
  __typename?: 'EventReminder';
  /** How the reminder arrives. */
  method?: Maybe<ReminderMethod>;
  /** How many minutes before the start it arrives: 0 to 40320, which is 4 weeks. */
  minutes?: Maybe<Scalars['Int']['output']>;
};

/** One reminder. Both fields are required when it is added. */
export type EventReminderInput = {
  /** How the reminder arrives. Required when a reminder is added; a new `sms` is ignored with a warning. */
  method?: InputMaybe<ReminderMethod>;
  /**
   * How many minutes before the start it arrives: 0 to 40320, which is 4 weeks; anything else is an error.
   * Required when a reminder is added.
   */
  minutes?: InputMaybe<Scalars['Int']['input']>;
};

/** When the signed-in user is reminded of an event. */
export type EventReminders = {
  __typename?: 'EventReminders';
  /** The reminders of this event, at most 5. */
  overrides?: Maybe<Array<EventReminder>>;
  /** Whether the calendar's own reminders apply. Then there are no `overrides`. */
  useDefault?: Maybe<Scalars['Boolean']['output']>;
};

/**
 * Your reminders for an event: either the calendar's default reminders or your own list, not both. Merged field by
 * field.
 */
export type EventRemindersInput = {
  /**
   * The reminders of this event, at most 5; more is an error, reason `eventRemindersCountExceedsLimit`. The list
   * is replaced as a whole; `null` removes all.
   */
  overrides?: InputMaybe<Array<EventReminderInput>>;
  /**
   * Whether the calendar's own reminders apply. `true` together with `overrides` is an error, reason
   * `cannotUseDefaultRemindersAndSpecifyOverride`: send `overrides: null` with it.
   */
  useDefault?: InputMaybe<Scalars['Boolean']['input']>;
};

/** The source of an event. Only the event's creator may read it. */
export type EventSource = {
  __typename?: 'EventSource';
  /** The title of the source, such as that of a web page. */
  title?: Maybe<Scalars['String']['output']>;
  /** The address of the source, `http:` or `https:`. */
  url?: Maybe<Scalars['String']['output']>;
};

/** The source of an event. Only the event's creator may read and change it. Merged field by field. */
export type EventSourceInput = {
  /** The title of the source, such as that of a web page, at most 8192 characters; `null` clears it. */
  title?: InputMaybe<Scalars['String']['input']>;
  /** The address of the source. Must begin with `http:` or `https:`; at most 8192 characters; `null` clears it. */
  url?: InputMaybe<Scalars['String']['input']>;
};

/** Whether an event takes place. */
export type EventStatus =
  /**
   * It is deleted, or, for an instance of a recurring event, left out of the series. Where it can be restored,
   * its details are kept for a while.
   */
  | 'cancelled'
  /** It takes place. The default. */
  | 'confirmed'
  /** It takes place unless something comes up. */
  | 'tentative';

/**
 * A point in time: a day for all-day events, or a time of day for all others. Exactly one of `date` and
 * `dateTime` is filled.
 */
export type EventTime = {
  __typename?: 'EventTime';
  /** The day, for an all-day event; null for any other. */
  date?: Maybe<Scalars['LocalDate']['output']>;
  /** The date and time, always with an offset: the one it was written with, else that of its zone. Null for an all-day event. */
  dateTime?: Maybe<Scalars['ZonedDateTime']['output']>;
  /** The name of a time zone from the IANA database, such as `Europe/Vienna`: there a recurring event repeats. */
  timeZone?: Maybe<Scalars['String']['output']>;
};

/**
 * A point in time: either a day or a time of day. To turn an all-day event into a timed one, or back, send
 * `null` for the field that no longer applies: `{ "date": null, "dateTime": "2026-05-04T09:30:00+02:00" }`.
 */
export type EventTimeInput = {
  /** The day of an all-day event. Not together with `dateTime`; `null` clears it. */
  date?: InputMaybe<Scalars['LocalDate']['input']>;
  /**
   * The date and time. Without an offset it needs `timeZone` and is meant there; a time that the change to
   * summer time skips moves forward. Not together with `date`; `null` clears it.
   */
  dateTime?: InputMaybe<Scalars['ZonedDateTime']['input']>;
  /**
   * The name of a time zone from the IANA database, such as `Europe/Vienna`. Required for a recurring event,
   * which is repeated in that zone, and for a `dateTime` without offset; otherwise optional. `null` clears it. A zone
   * name of Windows is stored as the IANA name for it, with the warning `normalized`.
   */
  timeZone?: InputMaybe<Scalars['String']['input']>;
};

/** Whether an event takes up time in the calendar. */
export type EventTransparency =
  /** It blocks its time: the calendar shows as busy. The default. */
  | 'opaque'
  /** It blocks nothing: the calendar shows as available. */
  | 'transparent';

/** Who sees the details of an event. */
export type EventVisibility =
  /** The same as `private`. Kept for older clients. */
  | 'confidential'
  /** Whatever the calendar has set for its events. */
  | 'default'
  /** Only guests and writers see the details; readers see only the time. */
  | 'private'
  /** Everyone who can read the calendar sees the details. */
  | 'public';

/** Where a gadget is shown. */
export type GadgetDisplay =
  /** When the event is opened with a click. */
  | 'chip'
  /** Beside the title of the event in the calendar. */
  | 'icon';

/** How many guests a field notified. */
export type GuestsNotified = {
  __typename?: 'GuestsNotified';
  /** The number of guests. */
  count: Scalars['Int']['output'];
  /** The response key of the root field: its alias, if it has one. */
  field: Scalars['String']['output'];
};

/** A problem of a component of an iCalendar text. */
export type ImportIssue = {
  __typename?: 'ImportIssue';
  /** What is wrong, what is allowed, and the remedy. */
  message: Scalars['String']['output'];
  /** Where the problem is: `icalendar`, the position of the component, the name of the property, and the position of a guest. */
  path: Array<Scalars['PathSegment']['output']>;
  /** The reason in machine-readable form, as in `issues` of errors. */
  reason: Scalars['String']['output'];
};

/** A page of a topic's messages. */
export type MessageConnection = {
  __typename?: 'MessageConnection';
  /** The messages of the page, each with its cursor. */
  edges: Array<MessageEdge>;
  /** The messages of the page. */
  nodes: Array<PublishedMessage>;
  /** Where the page lies in the list. */
  pageInfo: PageInfo;
};

/** One message of a page. */
export type MessageEdge = {
  __typename?: 'MessageEdge';
  /** Marks the message's place in the list, for `after`. */
  cursor: Scalars['String']['output'];
  /** The message. */
  node: PublishedMessage;
};

/** How far a message has come. */
export type MessageState =
  /** Stored, and on its way to the topic. */
  | 'PENDING'
  /** Worked out only: the request was `validateOnly`. */
  | 'PREVIEW'
  /** Handed to the topic. */
  | 'PUBLISHED';

/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type Mutation = {
  __typename?: 'Mutation';
  /**
   * Deletes a bucket and ends its notification subscriptions. Waiting messages are still published, but can no longer
   * be read here. The name becomes free; a new bucket of that name continues the ids of its subscriptions. Returns
   * `true`. A bucket that does not exist, or that the caller does not manage, is `NOT_FOUND`.
   */
  deleteBucket?: Maybe<Scalars['Boolean']['output']>;
  /**
   * Deletes a calendar. Only its creator may do this. It is `NOT_FOUND` for everybody at once, and when it is deleted
   * again. Its events are cancelled for their guests, a large number of them in the background. A primary calendar
   * cannot be deleted (`FORBIDDEN`).
   */
  deleteCalendar?: Maybe<Scalars['Boolean']['output']>;
  /**
   * Deletes an event, like a patch of `status` to `cancelled`: the organizer's event for everybody, a guest's copy for
   * that guest only, a single instance on its own. Returns true, also when repeated.
   */
  deleteEvent?: Maybe<Scalars['Boolean']['output']>;
  /**
   * Ends a recurring event before one of its instances and returns it; at the first instance the whole series is
   * cancelled. Later instances that were changed individually are removed. A cancelled event is returned as it is. For
   * the organizer only.
   */
  deleteFollowingEvents?: Maybe<Event>;
  /**
   * Ends a notification subscription: nothing more is published for it, and its `id` is not used again. Gives
   * `true` when it is gone; a subscription that does not exist is `NOT_FOUND`.
   */
  deleteNotification?: Maybe<Scalars['Boolean']['output']>;
  /**
   * Imports the events of an iCalendar text (RFC 5545), as `importEvent` imports one: a second import of the same text changes
   * nothing. All components of one UID are one step; a refused one does not prevent the others. Nobody is notified. Counts
   * for the rate limit as many root fields as the text has components.
   */
  importCalendar?: Maybe<CalendarImport>;
  /**
   * Puts an event that lives elsewhere onto a calendar, or replaces the shared part of the one that an earlier import with the
   * same `iCalUID` put there; a repeated import changes nothing. If `organizer` has an address other than that of the
   * calendar's owner, the event belongs to that person: it stays on this calendar alone, where its owner has the rights of a
   * guest. Nobody is notified. An event with the `iCalUID` that was not imported is `CONFLICT`, reason `duplicate`.
   */
  importEvent?: Maybe<Event>;
  /**
   * Creates a bucket and returns it as stored. Names are unique in the whole service; a name that is taken is
   * `CONFLICT`, reason `duplicate`, whoever manages it. A caller may create 100 buckets a day (UTC),
   * including deleted ones; further ones are `RATE_LIMITED`. A caller whose token has no e-mail address is
   * `FORBIDDEN`.
   */
  insertBucket?: Maybe<Bucket>;
  /**
   * Creates a calendar. The caller becomes its owner, and so the organizer of its events. It is never the caller's
   * primary calendar. A caller without an e-mail address gets `FORBIDDEN`. A caller may create 100 calendars a day
   * (UTC; further ones are `RATE_LIMITED`) and own 1,000.
   */
  insertCalendar?: Maybe<Calendar>;
  /**
   * Creates an event on a calendar and returns it as stored. `start` and `end` are required; an `id` that the calendar
   * already has is `CONFLICT`, reason `duplicate`.
   */
  insertEvent?: Maybe<Event>;
  /**
   * Subscribes a topic to changes of a bucket's objects and returns the subscription as stored. A bucket takes at most
   * 100 subscriptions, and at most 10 for any one event type. An unknown bucket is `NOT_FOUND`.
   */
  insertNotification?: Maybe<Notification>;
  /**
   * Moves an event to another calendar, whose owner becomes the organizer, and returns it as that calendar shows it. Changed
   * instances, guests with their answers, conference, attachments and properties move with it; `id` and `iCalUID` stay. The
   * old calendar shows the event as cancelled, or as a guest's copy if its owner is on the guest list. Moving away takes the
   * role `owner`, or `writer` for the event's creator; the destination takes `writer`. A repeated move changes nothing.
   */
  moveEvent?: Maybe<Event>;
  /**
   * Changes a bucket: a field that is left out stays, `null` clears. Without a difference nothing is changed, neither `etag` nor
   * `updated`. A bucket that is unknown, or that the caller does not manage, is `NOT_FOUND`.
   */
  patchBucket?: Maybe<Bucket>;
  /**
   * Changes the settings of a calendar: absent fields stay, `null` clears a field. Only owners may do this; others who
   * may read the calendar get `FORBIDDEN`. A new time zone takes effect on the start of days at once, in lists too.
   */
  patchCalendar?: Maybe<Calendar>;
  /**
   * Changes fields of an event and returns the whole changed event. Only fields in the patch change; see `EventInput`.
   * A patch that changes nothing leaves `etag` and `updated` as they were. Rules are checked on the merged event, and
   * only for fields that the patch touches.
   */
  patchEvent?: Maybe<Event>;
  /**
   * Changes an instance of a recurring event and all later ones in one step. The event ends before that instance, and a new
   * one continues from it with everything that the patch leaves alone, including guests with their responses and users' own
   * settings. Together they have exactly the occurrences of the old event. At the first instance the event itself is
   * patched. For the organizer only.
   */
  patchFollowingEvents?: Maybe<SeriesSplit>;
  /**
   * Tells of a change of an object in a bucket. The messages of all subscriptions it concerns are stored together
   * before the answer and published soon after, each at least once; messages about one object keep their order on each
   * topic. A subscription without a topic causes no message, and a warning says so. While too many messages wait to be
   * published, nothing is stored and the answer is `UNAVAILABLE`, reason `backendError`.
   */
  publishObjectChange?: Maybe<ObjectChangeResult>;
  /**
   * Warnings and notified guests of the fields before this one in the same operation, by response key. Same content as the
   * response's `extensions`, for clients that read typed data only. It never fails, costs nothing and does not count
   * as a root field for the rate limit.
   */
  report?: Maybe<WriteReport>;
  /**
   * Gives the calendar a new feed address (`feedUrl`), its first or another one: the old address no longer works. Only
   * owners may do this. `FORBIDDEN`, reason `notOffered`, where no feeds are served.
   */
  resetCalendarFeed?: Maybe<Calendar>;
  /**
   * Sets the role of an e-mail address on a calendar, or removes it, and returns the new access list. Only owners may
   * do this; everybody may give up the own role with `none`, which returns null. The address need not have a calendar
   * here.
   */
  setCalendarAccess?: Maybe<Array<CalendarAccess>>;
  /** Ends a channel of the caller. One that does not exist any more is `NOT_FOUND`. */
  stopChannel?: Maybe<Scalars['Boolean']['output']>;
  /**
   * Has changes of a calendar posted to an address over HTTPS, as `events.watch` of Google Calendar does: first a message `sync`,
   * then one for each change or for several at once, without a body. The receiver then syncs the calendar. Only readers of the
   * calendar may watch it. A caller has at most 100 channels, 20 of them on one calendar. The same id, calendar, address and
   * token return the existing channel; another use of an id is `CONFLICT`, reason `duplicate`. Where channels are off:
   * `FORBIDDEN`, reason `notOffered`.
   */
  watchCalendar?: Maybe<Channel>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationDeleteBucketArgs = {
  bucket: Scalars['String']['input'];
  ifMatch?: InputMaybe<Scalars['String']['input']>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationDeleteCalendarArgs = {
  calendarId: Scalars['String']['input'];
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  sendUpdates?: InputMaybe<SendUpdates>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationDeleteEventArgs = {
  calendarId: Scalars['String']['input'];
  eventId: Scalars['String']['input'];
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  sendNotifications?: InputMaybe<Scalars['Boolean']['input']>;
  sendUpdates?: InputMaybe<SendUpdates>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationDeleteFollowingEventsArgs = {
  calendarId: Scalars['String']['input'];
  eventId: Scalars['String']['input'];
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  sendNotifications?: InputMaybe<Scalars['Boolean']['input']>;
  sendUpdates?: InputMaybe<SendUpdates>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationDeleteNotificationArgs = {
  bucket: Scalars['String']['input'];
  notificationId: Scalars['String']['input'];
  userProject?: InputMaybe<Scalars['String']['input']>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationImportCalendarArgs = {
  calendarId: Scalars['String']['input'];
  icalendar: Scalars['String']['input'];
  validateOnly?: InputMaybe<Scalars['Boolean']['input']>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationImportEventArgs = {
  calendarId: Scalars['String']['input'];
  conferenceDataVersion?: InputMaybe<Scalars['Int']['input']>;
  event: EventInput;
  requestId?: InputMaybe<Scalars['String']['input']>;
  supportsAttachments?: InputMaybe<Scalars['Boolean']['input']>;
  validateOnly?: InputMaybe<Scalars['Boolean']['input']>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationInsertBucketArgs = {
  bucket: BucketInput;
  project: Scalars['String']['input'];
  requestId?: InputMaybe<Scalars['String']['input']>;
  validateOnly?: InputMaybe<Scalars['Boolean']['input']>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationInsertCalendarArgs = {
  calendar: CalendarInput;
  requestId?: InputMaybe<Scalars['String']['input']>;
  validateOnly?: InputMaybe<Scalars['Boolean']['input']>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationInsertEventArgs = {
  alwaysIncludeEmail?: InputMaybe<Scalars['Boolean']['input']>;
  calendarId: Scalars['String']['input'];
  conferenceDataVersion?: InputMaybe<Scalars['Int']['input']>;
  event: EventInput;
  maxAttendees?: InputMaybe<Scalars['Int']['input']>;
  requestId?: InputMaybe<Scalars['String']['input']>;
  sendNotifications?: InputMaybe<Scalars['Boolean']['input']>;
  sendUpdates?: InputMaybe<SendUpdates>;
  supportsAttachments?: InputMaybe<Scalars['Boolean']['input']>;
  validateOnly?: InputMaybe<Scalars['Boolean']['input']>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationInsertNotificationArgs = {
  bucket: Scalars['String']['input'];
  notification: NotificationInput;
  provisionalUserProject?: InputMaybe<Scalars['String']['input']>;
  requestId?: InputMaybe<Scalars['String']['input']>;
  userProject?: InputMaybe<Scalars['String']['input']>;
  validateOnly?: InputMaybe<Scalars['Boolean']['input']>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationMoveEventArgs = {
  calendarId: Scalars['String']['input'];
  destination: Scalars['String']['input'];
  eventId: Scalars['String']['input'];
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  sendNotifications?: InputMaybe<Scalars['Boolean']['input']>;
  sendUpdates?: InputMaybe<SendUpdates>;
  validateOnly?: InputMaybe<Scalars['Boolean']['input']>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationPatchBucketArgs = {
  bucket: Scalars['String']['input'];
  change: BucketInput;
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  validateOnly?: InputMaybe<Scalars['Boolean']['input']>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationPatchCalendarArgs = {
  calendar: CalendarInput;
  calendarId: Scalars['String']['input'];
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  validateOnly?: InputMaybe<Scalars['Boolean']['input']>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationPatchEventArgs = {
  alwaysIncludeEmail?: InputMaybe<Scalars['Boolean']['input']>;
  attendeeChanges?: InputMaybe<AttendeeChangesInput>;
  calendarId: Scalars['String']['input'];
  conferenceDataVersion?: InputMaybe<Scalars['Int']['input']>;
  event: EventInput;
  eventId: Scalars['String']['input'];
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  maxAttendees?: InputMaybe<Scalars['Int']['input']>;
  sendNotifications?: InputMaybe<Scalars['Boolean']['input']>;
  sendUpdates?: InputMaybe<SendUpdates>;
  supportsAttachments?: InputMaybe<Scalars['Boolean']['input']>;
  validateOnly?: InputMaybe<Scalars['Boolean']['input']>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationPatchFollowingEventsArgs = {
  alwaysIncludeEmail?: InputMaybe<Scalars['Boolean']['input']>;
  attendeeChanges?: InputMaybe<AttendeeChangesInput>;
  calendarId: Scalars['String']['input'];
  conferenceDataVersion?: InputMaybe<Scalars['Int']['input']>;
  event: EventInput;
  eventId: Scalars['String']['input'];
  ifMatch?: InputMaybe<Scalars['String']['input']>;
  maxAttendees?: InputMaybe<Scalars['Int']['input']>;
  requestId?: InputMaybe<Scalars['String']['input']>;
  sendNotifications?: InputMaybe<Scalars['Boolean']['input']>;
  sendUpdates?: InputMaybe<SendUpdates>;
  supportsAttachments?: InputMaybe<Scalars['Boolean']['input']>;
  validateOnly?: InputMaybe<Scalars['Boolean']['input']>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationPublishObjectChangeArgs = {
  bucket: Scalars['String']['input'];
  change: ObjectChangeInput;
  requestId?: InputMaybe<Scalars['String']['input']>;
  validateOnly?: InputMaybe<Scalars['Boolean']['input']>;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationResetCalendarFeedArgs = {
  calendarId: Scalars['String']['input'];
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationSetCalendarAccessArgs = {
  calendarId: Scalars['String']['input'];
  email: Scalars['String']['input'];
  role: CalendarAccessRole;
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationStopChannelArgs = {
  id: Scalars['String']['input'];
  resourceId: Scalars['String']['input'];
};


/**
 * Changes. The fields of an operation run one after the other and independently: if one fails, its field is null, its
 * error lists every problem with a path, and the others keep their results. Values that were accepted but not applied
 * are in the response's `extensions.warnings`, and in `report`.
 */
export type MutationWatchCalendarArgs = {
  calendarId: Scalars['String']['input'];
  channel: ChannelInput;
};

/** An object with a `nodeId`, by which `node` reads it again. */
export type Node = {
  /** The key for client caches: opaque, stable, unique over all calendars and buckets, and the same for every caller. */
  nodeId: Scalars['ID']['output'];
};

/** A subscription: changes of a bucket's objects are published as messages to a topic. */
export type Notification = Node & {
  __typename?: 'Notification';
  /** The bucket that is watched; null for a caller who does not manage it. */
  bucket?: Maybe<Bucket>;
  /** Custom attributes of every message, in addition to the built-in ones; at most 5. */
  custom_attributes?: Maybe<Scalars['StringMap']['output']>;
  /** The HTTP entity tag of the subscription. */
  etag?: Maybe<Scalars['String']['output']>;
  /**
   * The kinds of change that are published, each at most once and always in the same order. Empty or null means
   * all of them.
   */
  event_types?: Maybe<Array<ObjectEventType>>;
  /** The subscription's identifier: a decimal number in a string, counted for each bucket and never used twice. */
  id: Scalars['ID']['output'];
  /** Always `storage#notification`. */
  kind?: Maybe<Scalars['String']['output']>;
  /**
   * Names the subscription among everything that this gateway serves, for the caches of clients: an opaque ID that is
   * the same for every caller and never changes. `id` is unique in its bucket only.
   */
  nodeId: Scalars['ID']['output'];
  /** Only objects whose name begins with this string are reported. Null means every object of the bucket. */
  object_name_prefix?: Maybe<Scalars['String']['output']>;
  /** The content of a message's body. */
  payload_format?: Maybe<PayloadFormat>;
  /** The address of the subscription: `https://{host}/storage/v1/b/{bucket}/notificationConfigs/{id}`. */
  selfLink?: Maybe<Scalars['String']['output']>;
  /**
   * The topic that messages go to, always in full: `//{host}/projects/{project}/topics/{topic}`. Null when none
   * was given: then nothing is published.
   */
  topic?: Maybe<Scalars['String']['output']>;
};


/** A subscription: changes of a bucket's objects are published as messages to a topic. */
export type NotificationBucketArgs = {
  userProject?: InputMaybe<Scalars['String']['input']>;
};

/**
 * The subscription to create. You can send a JSON body of this shape as it is, including read-only fields. No field is
 * required by its type, and an absent field is the same as `null`.
 */
export type NotificationInput = {
  /**
   * Custom attributes of every message: at most 5. A key has 1 to 256 bytes (UTF-8), a value at most 1024 bytes, and a
   * `null` value is an error. Refused as keys: names of built-in attributes (`notificationConfig`, `eventType`,
   * `payloadFormat`, `bucketId`, `objectId`, `objectGeneration`, `eventTime`, `overwroteGeneration`,
   * `overwrittenByGeneration`) and names that begin with `goog`.
   */
  custom_attributes?: InputMaybe<Scalars['StringMap']['input']>;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  etag?: InputMaybe<Scalars['String']['input']>;
  /**
   * The kinds of change to publish, at most 100 entries. Absent, null or empty means all of them. Values given twice
   * are kept once, and the order is not kept.
   */
  event_types?: InputMaybe<Array<ObjectEventType>>;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  id?: InputMaybe<Scalars['String']['input']>;
  /** Always `storage#notification`. Accepted and ignored; another value is answered with a warning. */
  kind?: InputMaybe<Scalars['String']['input']>;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  nodeId?: InputMaybe<Scalars['ID']['input']>;
  /** Report only objects whose name begins with this string, at most 1024 bytes (UTF-8). Absent or null: every object. */
  object_name_prefix?: InputMaybe<Scalars['String']['input']>;
  /** The content of a message's body. Absent or null: `JSON_API_V1`. */
  payload_format?: InputMaybe<PayloadFormat>;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  selfLink?: InputMaybe<Scalars['String']['input']>;
  /**
   * The topic that messages go to: `//{host}/projects/{project}/topics/{topic}`, or the short form
   * `projects/{project}/topics/{topic}`, which is stored in full. Any other form is an error. Absent or null is
   * accepted with the warning that nothing will be published.
   */
  topic?: InputMaybe<Scalars['String']['input']>;
};

/** The type of a change of an object. */
export type ObjectChangeInput = {
  /** When it happened. Absent or null: now. Messages carry it in UTC with microseconds, where its year is 0001 to 9999 too. */
  eventTime?: InputMaybe<Scalars['DateTime']['input']>;
  /** The kind of change. Subscriptions can be limited to some kinds. */
  eventType: ObjectEventType;
  /**
   * The object's own description, which is the body of messages with a payload; at most 512 KiB (524288 bytes) as JSON. Absent or
   * null: the body has the bucket, the name and the generation.
   */
  object?: InputMaybe<Scalars['JSONObject']['input']>;
  /** The generation of the object that changed: a decimal number of up to 19 digits, in a string. */
  objectGeneration?: InputMaybe<Scalars['String']['input']>;
  /**
   * The name of the object: 1 to 1024 bytes (UTF-8), without CR and LF, and neither `.` nor `..`. Prefixes are compared
   * with it.
   */
  objectId: Scalars['String']['input'];
  /** The generation that replaced this one. Only with `OBJECT_DELETE` and `OBJECT_ARCHIVE`. */
  overwrittenByGeneration?: InputMaybe<Scalars['String']['input']>;
  /** The generation that this one replaced. Only with `OBJECT_FINALIZE`. */
  overwroteGeneration?: InputMaybe<Scalars['String']['input']>;
};

/** The result of a reported change. */
export type ObjectChangeResult = {
  __typename?: 'ObjectChangeResult';
  /** One message for each subscription that the change concerns and that has a topic. */
  messages: Array<PublishedMessage>;
};

/** The kinds of change that can happen to an object of a bucket. */
export type ObjectEventType =
  /** The live object became an older generation, in a bucket that keeps them. */
  | 'OBJECT_ARCHIVE'
  /** An object was deleted for good, or was overwritten in a bucket that keeps no older generations. */
  | 'OBJECT_DELETE'
  /** An object was written to the end: a new one, or a new generation of an existing one. */
  | 'OBJECT_FINALIZE'
  /** The metadata of an existing object changed; its content did not. */
  | 'OBJECT_METADATA_UPDATE';

/** Where a page of a list lies (Relay's cursor connections). */
export type PageInfo = {
  __typename?: 'PageInfo';
  /**
   * The cursor of the last entry, which `after` takes for the next page (REST: `nextPageToken`); null on an empty page.
   * The last page has one too: `hasNextPage` says whether more follow.
   */
  endCursor?: Maybe<Scalars['String']['output']>;
  /** More follow: ask again with `after` set to `endCursor`. */
  hasNextPage: Scalars['Boolean']['output'];
  /** The page was asked for with `after`. */
  hasPreviousPage: Scalars['Boolean']['output'];
  /** The cursor of the first entry; null on an empty page. */
  startCursor?: Maybe<Scalars['String']['output']>;
};

/** The content of a message's body. Every message has attributes. */
export type PayloadFormat =
  /** The object's metadata as a JSON string. Used when nothing else is asked for. */
  | 'JSON_API_V1'
  /** An empty body; the attributes describe the change. */
  | 'NONE';

/** A message about a change of an object, for one subscription. */
export type PublishedMessage = {
  __typename?: 'PublishedMessage';
  /**
   * Attributes to filter by: notificationConfig, eventType, payloadFormat, bucketId, objectId, objectGeneration,
   * eventTime, overwroteGeneration or overwrittenByGeneration, and the custom attributes of the subscription.
   */
  attributes?: Maybe<Scalars['StringMap']['output']>;
  /** The body as a JSON string; empty when the subscription's `payload_format` is `NONE`. */
  data?: Maybe<Scalars['String']['output']>;
  /** Identifies the message, so that a broker or a consumer can recognise duplicates. */
  messageId: Scalars['ID']['output'];
  /** The subscription that causes the message. */
  notificationId?: Maybe<Scalars['String']['output']>;
  /** How far the message has come. */
  state?: Maybe<MessageState>;
  /** Where it goes, in full form. */
  topic?: Maybe<Scalars['String']['output']>;
};

/**
 * Reads. Every field may be null: if one of several fails, its error says why, and the others still return. An object
 * that the caller may not read is `NOT_FOUND`, as if it did not exist.
 */
export type Query = {
  __typename?: 'Query';
  /**
   * One bucket that the caller manages. A bucket that does not exist, or that the caller does not manage, is
   * `NOT_FOUND`.
   */
  bucket?: Maybe<Bucket>;
  /** The buckets of a project that the caller manages, by name; empty where there are none. */
  buckets?: Maybe<BucketConnection>;
  /** One calendar. One that is unknown, or that the caller may not see, is `NOT_FOUND`. */
  calendar?: Maybe<Calendar>;
  /**
   * Who may use a calendar: its maker, the other owners, then the others, each by address. For owners: others who may see the
   * calendar get `FORBIDDEN`.
   */
  calendarAccess?: Maybe<Array<CalendarAccess>>;
  /**
   * The calendars that the caller may see, in one list (REST: `items`): the primary one first, then the caller's own, then the
   * others. A caller with an e-mail address who has no primary calendar yet gets one.
   */
  calendars?: Maybe<Array<Calendar>>;
  /**
   * One event as the given calendar shows it. Cancelled events are returned too; see `status`. A calendar or an event
   * that does not exist, or that the caller may not read, is `NOT_FOUND`.
   */
  event?: Maybe<Event>;
  /**
   * The events of a calendar in pages, in an order that stays while events change. Cancelled events appear only
   * with `showDeleted`, or in an incremental request (`syncToken` or `updatedMin`), there with their id only
   * unless `showDeleted` is true as well.
   */
  events?: Maybe<EventConnection>;
  /**
   * When the owners of calendars are busy: one entry for each calendar, in the order in which they are named. A calendar that
   * the caller may not see, or that holds too much, has an `error` in its entry; the others are answered. Events that are
   * cancelled, transparent, or declined by the calendar's owner leave the time free; tentative and unanswered ones do not.
   */
  freeBusy?: Maybe<Array<CalendarBusy>>;
  /**
   * The instances of a series in pages, changed or not, in the order of their original starts. An event that does not
   * recur is an error.
   */
  instances?: Maybe<EventConnection>;
  /**
   * The newest messages that this gateway published to a topic, oldest first: those of the last 24 hours, at most
   * 1,000 of them and 8 MiB, and only those of buckets the caller manages. A topic without such a bucket is
   * `NOT_FOUND`.
   */
  messages?: Maybe<MessageConnection>;
  /**
   * Reads the object of a `nodeId` again, on the calendar or in the bucket where it was read. Any other string is
   * `NOT_FOUND`, and so is an object that the caller may not read. A token without the scope for the object gets
   * `FORBIDDEN`. Read a requester-pays bucket with `bucket`, which has the argument `userProject`.
   */
  node?: Maybe<Node>;
  /**
   * One notification subscription of a bucket. A bucket or a subscription that is unknown, or that the caller
   * may not read, is `NOT_FOUND`.
   */
  notification?: Maybe<Notification>;
  /**
   * All notification subscriptions of a bucket, in one list (REST: `items`): a bucket holds at most 100. A bucket that is
   * unknown, or that the caller may not read, is `NOT_FOUND`.
   */
  notifications?: Maybe<Array<Notification>>;
  /** The caller, as the token names it: where to begin with the caller's data. */
  viewer?: Maybe<Viewer>;
};


/**
 * Reads. Every field may be null: if one of several fails, its error says why, and the others still return. An object
 * that the caller may not read is `NOT_FOUND`, as if it did not exist.
 */
export type QueryBucketArgs = {
  bucket: Scalars['String']['input'];
  userProject?: InputMaybe<Scalars['String']['input']>;
};


/**
 * Reads. Every field may be null: if one of several fails, its error says why, and the others still return. An object
 * that the caller may not read is `NOT_FOUND`, as if it did not exist.
 */
export type QueryBucketsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  project: Scalars['String']['input'];
};


/**
 * Reads. Every field may be null: if one of several fails, its error says why, and the others still return. An object
 * that the caller may not read is `NOT_FOUND`, as if it did not exist.
 */
export type QueryCalendarArgs = {
  calendarId: Scalars['String']['input'];
};


/**
 * Reads. Every field may be null: if one of several fails, its error says why, and the others still return. An object
 * that the caller may not read is `NOT_FOUND`, as if it did not exist.
 */
export type QueryCalendarAccessArgs = {
  calendarId: Scalars['String']['input'];
};


/**
 * Reads. Every field may be null: if one of several fails, its error says why, and the others still return. An object
 * that the caller may not read is `NOT_FOUND`, as if it did not exist.
 */
export type QueryEventArgs = {
  alwaysIncludeEmail?: InputMaybe<Scalars['Boolean']['input']>;
  calendarId: Scalars['String']['input'];
  eventId: Scalars['String']['input'];
  maxAttendees?: InputMaybe<Scalars['Int']['input']>;
};


/**
 * Reads. Every field may be null: if one of several fails, its error says why, and the others still return. An object
 * that the caller may not read is `NOT_FOUND`, as if it did not exist.
 */
export type QueryEventsArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  alwaysIncludeEmail?: InputMaybe<Scalars['Boolean']['input']>;
  calendarId: Scalars['String']['input'];
  first?: InputMaybe<Scalars['Int']['input']>;
  iCalUID?: InputMaybe<Scalars['String']['input']>;
  maxAttendees?: InputMaybe<Scalars['Int']['input']>;
  orderBy?: InputMaybe<EventOrder>;
  privateExtendedProperty?: InputMaybe<Array<Scalars['String']['input']>>;
  q?: InputMaybe<Scalars['String']['input']>;
  sharedExtendedProperty?: InputMaybe<Array<Scalars['String']['input']>>;
  showDeleted?: InputMaybe<Scalars['Boolean']['input']>;
  singleEvents?: InputMaybe<Scalars['Boolean']['input']>;
  syncToken?: InputMaybe<Scalars['String']['input']>;
  timeMax?: InputMaybe<Scalars['DateTime']['input']>;
  timeMin?: InputMaybe<Scalars['DateTime']['input']>;
  updatedMin?: InputMaybe<Scalars['DateTime']['input']>;
};


/**
 * Reads. Every field may be null: if one of several fails, its error says why, and the others still return. An object
 * that the caller may not read is `NOT_FOUND`, as if it did not exist.
 */
export type QueryFreeBusyArgs = {
  calendarIds: Array<Scalars['String']['input']>;
  timeMax: Scalars['DateTime']['input'];
  timeMin: Scalars['DateTime']['input'];
  timeZone?: InputMaybe<Scalars['String']['input']>;
};


/**
 * Reads. Every field may be null: if one of several fails, its error says why, and the others still return. An object
 * that the caller may not read is `NOT_FOUND`, as if it did not exist.
 */
export type QueryInstancesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  alwaysIncludeEmail?: InputMaybe<Scalars['Boolean']['input']>;
  calendarId: Scalars['String']['input'];
  eventId: Scalars['String']['input'];
  first?: InputMaybe<Scalars['Int']['input']>;
  maxAttendees?: InputMaybe<Scalars['Int']['input']>;
  showDeleted?: InputMaybe<Scalars['Boolean']['input']>;
  timeMax?: InputMaybe<Scalars['DateTime']['input']>;
  timeMin?: InputMaybe<Scalars['DateTime']['input']>;
};


/**
 * Reads. Every field may be null: if one of several fails, its error says why, and the others still return. An object
 * that the caller may not read is `NOT_FOUND`, as if it did not exist.
 */
export type QueryMessagesArgs = {
  after?: InputMaybe<Scalars['String']['input']>;
  first?: InputMaybe<Scalars['Int']['input']>;
  topic: Scalars['String']['input'];
};


/**
 * Reads. Every field may be null: if one of several fails, its error says why, and the others still return. An object
 * that the caller may not read is `NOT_FOUND`, as if it did not exist.
 */
export type QueryNodeArgs = {
  nodeId: Scalars['ID']['input'];
};


/**
 * Reads. Every field may be null: if one of several fails, its error says why, and the others still return. An object
 * that the caller may not read is `NOT_FOUND`, as if it did not exist.
 */
export type QueryNotificationArgs = {
  bucket: Scalars['String']['input'];
  notificationId: Scalars['String']['input'];
  userProject?: InputMaybe<Scalars['String']['input']>;
};


/**
 * Reads. Every field may be null: if one of several fails, its error says why, and the others still return. An object
 * that the caller may not read is `NOT_FOUND`, as if it did not exist.
 */
export type QueryNotificationsArgs = {
  bucket: Scalars['String']['input'];
  userProject?: InputMaybe<Scalars['String']['input']>;
};

/** A component of an iCalendar text that was not imported. */
export type RefusedComponent = {
  __typename?: 'RefusedComponent';
  /** Its position among all components of the first level, from 0. */
  index: Scalars['Int']['output'];
  /** Every problem of the component. */
  issues: Array<ImportIssue>;
  /** The UID of the component, if it has one. */
  uid?: Maybe<Scalars['String']['output']>;
};

/** How a reminder arrives. */
export type ReminderMethod =
  /** As an e-mail. */
  | 'email'
  /** As a message on the screen. */
  | 'popup'
  /** As a text message. No longer offered: a new one is ignored with a warning. */
  | 'sms';

/** A guest's answer to an invitation. */
export type ResponseStatus =
  /** Will come. */
  | 'accepted'
  /** Will not come. */
  | 'declined'
  /** Not answered yet. */
  | 'needsAction'
  /** May come. */
  | 'tentative';

/** Which guests are notified about a change. */
export type SendUpdates =
  /** Every guest. */
  | 'all'
  /** Only guests who do not use this calendar service. */
  | 'externalOnly'
  /** No guest. This is the default. */
  | 'none';

/** The two parts of a recurring event that was changed from one of its instances on. */
export type SeriesSplit = {
  __typename?: 'SeriesSplit';
  /** The event, which ends before that instance. Null where nothing lies before it. */
  before?: Maybe<Event>;
  /** The event from that instance on: a new one, or the event itself where nothing lies before the instance. */
  following?: Maybe<Event>;
};

/**
 * Streams of changes, one subscription for each request. The `Accept` header selects the protocol: `multipart/mixed`
 * with `subscriptionSpec=1.0` (Apollo's), or `text/event-stream` (GraphQL over SSE, distinct connections mode). SSE
 * events have ids, except those of `calendarsChanged`: send one as the header `Last-Event-ID`, and a new stream
 * resumes after it. A stream ends with an error if its token expires or the caller loses access. It ends without
 * `complete` or the closing delimiter if the server stops: open it again.
 */
export type Subscription = {
  __typename?: 'Subscription';
  /**
   * An event for every change of a calendar, without the change itself: sync with `events(syncToken:)`. Fast changes
   * are combined into one event in 200 ms; the last change always has an event. The header `Last-Event-ID` takes the
   * id of an event, or a `nextSyncToken` of the calendar: if something changed since then, an event comes at once.
   */
  calendarChanged?: Maybe<CalendarChange>;
  /**
   * Like `calendarChanged`, for several calendars in one stream, because browsers open few connections to one host. It
   * begins with one event for each calendar and cannot be resumed: sync each calendar at its event, and nothing is
   * missed. A calendar that the caller may not read is `NOT_FOUND` at its place in the list: at the start for the
   * whole stream, later as one result with that error, and the others continue.
   */
  calendarsChanged?: Maybe<CalendarChange>;
  /**
   * Each message that this gateway publishes to a topic from now on, from buckets that the caller manages; `NOT_FOUND`
   * if none of them publishes to the topic. An event's id is that of its message: with the header `Last-Event-ID`,
   * later messages come first. If some of them are no longer stored, or the reader falls behind that far, the stream
   * ends with an error: read `messages`.
   */
  messagePublished?: Maybe<PublishedMessage>;
};


/**
 * Streams of changes, one subscription for each request. The `Accept` header selects the protocol: `multipart/mixed`
 * with `subscriptionSpec=1.0` (Apollo's), or `text/event-stream` (GraphQL over SSE, distinct connections mode). SSE
 * events have ids, except those of `calendarsChanged`: send one as the header `Last-Event-ID`, and a new stream
 * resumes after it. A stream ends with an error if its token expires or the caller loses access. It ends without
 * `complete` or the closing delimiter if the server stops: open it again.
 */
export type SubscriptionCalendarChangedArgs = {
  calendarId: Scalars['String']['input'];
};


/**
 * Streams of changes, one subscription for each request. The `Accept` header selects the protocol: `multipart/mixed`
 * with `subscriptionSpec=1.0` (Apollo's), or `text/event-stream` (GraphQL over SSE, distinct connections mode). SSE
 * events have ids, except those of `calendarsChanged`: send one as the header `Last-Event-ID`, and a new stream
 * resumes after it. A stream ends with an error if its token expires or the caller loses access. It ends without
 * `complete` or the closing delimiter if the server stops: open it again.
 */
export type SubscriptionCalendarsChangedArgs = {
  calendarIds: Array<Scalars['String']['input']>;
};


/**
 * Streams of changes, one subscription for each request. The `Accept` header selects the protocol: `multipart/mixed`
 * with `subscriptionSpec=1.0` (Apollo's), or `text/event-stream` (GraphQL over SSE, distinct connections mode). SSE
 * events have ids, except those of `calendarsChanged`: send one as the header `Last-Event-ID`, and a new stream
 * resumes after it. A stream ends with an error if its token expires or the caller loses access. It ends without
 * `complete` or the closing delimiter if the server stops: open it again.
 */
export type SubscriptionMessagePublishedArgs = {
  topic: Scalars['String']['input'];
};

/** The caller of a request, with the caller's calendars. */
export type Viewer = {
  __typename?: 'Viewer';
  /** The calendars that the caller may see, as `calendars` lists them. */
  calendars?: Maybe<Array<Calendar>>;
  /** The caller's e-mail address, with its ASCII letters in lower case; null where the token has none. */
  email?: Maybe<Scalars['String']['output']>;
  /** The calendar that the caller addresses as `primary`; null without an e-mail address, and where there is none. */
  primaryCalendar?: Maybe<Calendar>;
};

/** A value that was accepted but not applied as sent. */
export type Warning = {
  __typename?: 'Warning';
  /** The response key of the root field that it belongs to: its alias, if it has one. */
  field: Scalars['String']['output'];
  /** A sentence for people. */
  message: Scalars['String']['output'];
  /** The figures of the message, so that it can be worded in another language; null where there are none. */
  params?: Maybe<Scalars['JSONObject']['output']>;
  /** Path of the value, from the argument on; empty if no single value is meant. */
  path: Array<Scalars['PathSegment']['output']>;
  /** A word for programs, such as `readOnly`, `ignored` or `normalized`. */
  reason: Scalars['String']['output'];
};

/** Report of the writes of one operation. */
export type WriteReport = {
  __typename?: 'WriteReport';
  /** The fields that notified guests. */
  guestsNotified: Array<GuestsNotified>;
  /** Values that were accepted but not applied as they were sent. */
  warnings: Array<Warning>;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;




/** Mapping of interface types */
export type ResolversInterfaceTypes<_RefType extends Record<string, unknown>> = {
  Node:
    | ( BucketView )
    | ( CalendarView )
    | ( EventView )
    | ( NotificationView )
  ;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  AttendeeChangesInput: AttendeeChangesInput;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  Bucket: ResolverTypeWrapper<BucketView>;
  BucketBilling: ResolverTypeWrapper<BucketBilling>;
  BucketBillingInput: BucketBillingInput;
  BucketConnection: ResolverTypeWrapper<Omit<BucketConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['BucketEdge']>, nodes: Array<ResolversTypes['Bucket']> }>;
  BucketEdge: ResolverTypeWrapper<Omit<BucketEdge, 'node'> & { node: ResolversTypes['Bucket'] }>;
  BucketInput: BucketInput;
  BusyPeriod: ResolverTypeWrapper<BusyPeriod>;
  Calendar: ResolverTypeWrapper<CalendarView>;
  CalendarAccess: ResolverTypeWrapper<CalendarAccess>;
  CalendarAccessRole: CalendarAccessRole;
  CalendarBusy: ResolverTypeWrapper<CalendarBusyView>;
  CalendarBusyError: ResolverTypeWrapper<CalendarBusyError>;
  CalendarChange: ResolverTypeWrapper<Omit<CalendarChange, 'calendar'> & { calendar?: Maybe<ResolversTypes['Calendar']> }>;
  CalendarImport: ResolverTypeWrapper<CalendarImportView>;
  CalendarInput: CalendarInput;
  Channel: ResolverTypeWrapper<Channel>;
  ChannelInput: ChannelInput;
  ConferenceAddOnParameters: ResolverTypeWrapper<ConferenceAddOnParameters>;
  ConferenceAddOnParametersInput: ConferenceAddOnParametersInput;
  ConferenceCreateRequest: ResolverTypeWrapper<ConferenceCreateRequest>;
  ConferenceCreateRequestInput: ConferenceCreateRequestInput;
  ConferenceData: ResolverTypeWrapper<ConferenceData>;
  ConferenceDataInput: ConferenceDataInput;
  ConferenceParameters: ResolverTypeWrapper<ConferenceParameters>;
  ConferenceParametersInput: ConferenceParametersInput;
  ConferenceRequestStatus: ResolverTypeWrapper<ConferenceRequestStatus>;
  ConferenceRequestStatusCode: ConferenceRequestStatusCode;
  ConferenceRequestStatusInput: ConferenceRequestStatusInput;
  ConferenceSolution: ResolverTypeWrapper<ConferenceSolution>;
  ConferenceSolutionInput: ConferenceSolutionInput;
  ConferenceSolutionKey: ResolverTypeWrapper<ConferenceSolutionKey>;
  ConferenceSolutionKeyInput: ConferenceSolutionKeyInput;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  EntryPoint: ResolverTypeWrapper<EntryPoint>;
  EntryPointInput: EntryPointInput;
  EntryPointType: EntryPointType;
  Event: ResolverTypeWrapper<EventView>;
  EventAttachment: ResolverTypeWrapper<EventAttachment>;
  EventAttachmentInput: EventAttachmentInput;
  EventAttendee: ResolverTypeWrapper<EventAttendee>;
  EventAttendeeInput: EventAttendeeInput;
  EventConnection: ResolverTypeWrapper<Omit<EventConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['EventEdge']>, nodes: Array<ResolversTypes['Event']> }>;
  EventCreator: ResolverTypeWrapper<EventCreator>;
  EventCreatorInput: EventCreatorInput;
  EventEdge: ResolverTypeWrapper<Omit<EventEdge, 'node'> & { node: ResolversTypes['Event'] }>;
  EventExtendedProperties: ResolverTypeWrapper<EventExtendedProperties>;
  EventExtendedPropertiesInput: EventExtendedPropertiesInput;
  EventGadget: ResolverTypeWrapper<EventGadget>;
  EventGadgetInput: EventGadgetInput;
  EventInput: EventInput;
  EventOrder: EventOrder;
  EventOrganizer: ResolverTypeWrapper<EventOrganizer>;
  EventOrganizerInput: EventOrganizerInput;
  EventReminder: ResolverTypeWrapper<EventReminder>;
  EventReminderInput: EventReminderInput;
  EventReminders: ResolverTypeWrapper<EventReminders>;
  EventRemindersInput: EventRemindersInput;
  EventSource: ResolverTypeWrapper<EventSource>;
  EventSourceInput: EventSourceInput;
  EventStatus: EventStatus;
  EventTime: ResolverTypeWrapper<EventTime>;
  EventTimeInput: EventTimeInput;
  EventTransparency: EventTransparency;
  EventVisibility: EventVisibility;
  GadgetDisplay: GadgetDisplay;
  GuestsNotified: ResolverTypeWrapper<GuestsNotified>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  ImportIssue: ResolverTypeWrapper<ImportIssue>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  JSONObject: ResolverTypeWrapper<Scalars['JSONObject']['output']>;
  LocalDate: ResolverTypeWrapper<Scalars['LocalDate']['output']>;
  MessageConnection: ResolverTypeWrapper<Omit<MessageConnection, 'edges' | 'nodes'> & { edges: Array<ResolversTypes['MessageEdge']>, nodes: Array<ResolversTypes['PublishedMessage']> }>;
  MessageEdge: ResolverTypeWrapper<Omit<MessageEdge, 'node'> & { node: ResolversTypes['PublishedMessage'] }>;
  MessageState: MessageState;
  Mutation: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Node: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['Node']>;
  Notification: ResolverTypeWrapper<NotificationView>;
  NotificationInput: NotificationInput;
  ObjectChangeInput: ObjectChangeInput;
  ObjectChangeResult: ResolverTypeWrapper<Omit<ObjectChangeResult, 'messages'> & { messages: Array<ResolversTypes['PublishedMessage']> }>;
  ObjectEventType: ObjectEventType;
  PageInfo: ResolverTypeWrapper<PageInfo>;
  PathSegment: ResolverTypeWrapper<Scalars['PathSegment']['output']>;
  PayloadFormat: PayloadFormat;
  PublishedMessage: ResolverTypeWrapper<MessageView>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  RefusedComponent: ResolverTypeWrapper<RefusedComponent>;
  ReminderMethod: ReminderMethod;
  ResponseStatus: ResponseStatus;
  SendUpdates: SendUpdates;
  SeriesSplit: ResolverTypeWrapper<Omit<SeriesSplit, 'before' | 'following'> & { before?: Maybe<ResolversTypes['Event']>, following?: Maybe<ResolversTypes['Event']> }>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  StringMap: ResolverTypeWrapper<Scalars['StringMap']['output']>;
  Subscription: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Viewer: ResolverTypeWrapper<Omit<Viewer, 'calendars' | 'primaryCalendar'> & { calendars?: Maybe<Array<ResolversTypes['Calendar']>>, primaryCalendar?: Maybe<ResolversTypes['Calendar']> }>;
  Warning: ResolverTypeWrapper<Warning>;
  WriteReport: ResolverTypeWrapper<WriteReport>;
  ZonedDateTime: ResolverTypeWrapper<Scalars['ZonedDateTime']['output']>;
  federation__Scope: ResolverTypeWrapper<Scalars['federation__Scope']['output']>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  AttendeeChangesInput: AttendeeChangesInput;
  Boolean: Scalars['Boolean']['output'];
  Bucket: BucketView;
  BucketBilling: BucketBilling;
  BucketBillingInput: BucketBillingInput;
  BucketConnection: Omit<BucketConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['BucketEdge']>, nodes: Array<ResolversParentTypes['Bucket']> };
  BucketEdge: Omit<BucketEdge, 'node'> & { node: ResolversParentTypes['Bucket'] };
  BucketInput: BucketInput;
  BusyPeriod: BusyPeriod;
  Calendar: CalendarView;
  CalendarAccess: CalendarAccess;
  CalendarBusy: CalendarBusyView;
  CalendarBusyError: CalendarBusyError;
  CalendarChange: Omit<CalendarChange, 'calendar'> & { calendar?: Maybe<ResolversParentTypes['Calendar']> };
  CalendarImport: CalendarImportView;
  CalendarInput: CalendarInput;
  Channel: Channel;
  ChannelInput: ChannelInput;
  ConferenceAddOnParameters: ConferenceAddOnParameters;
  ConferenceAddOnParametersInput: ConferenceAddOnParametersInput;
  ConferenceCreateRequest: ConferenceCreateRequest;
  ConferenceCreateRequestInput: ConferenceCreateRequestInput;
  ConferenceData: ConferenceData;
  ConferenceDataInput: ConferenceDataInput;
  ConferenceParameters: ConferenceParameters;
  ConferenceParametersInput: ConferenceParametersInput;
  ConferenceRequestStatus: ConferenceRequestStatus;
  ConferenceRequestStatusInput: ConferenceRequestStatusInput;
  ConferenceSolution: ConferenceSolution;
  ConferenceSolutionInput: ConferenceSolutionInput;
  ConferenceSolutionKey: ConferenceSolutionKey;
  ConferenceSolutionKeyInput: ConferenceSolutionKeyInput;
  DateTime: Scalars['DateTime']['output'];
  EntryPoint: EntryPoint;
  EntryPointInput: EntryPointInput;
  Event: EventView;
  EventAttachment: EventAttachment;
  EventAttachmentInput: EventAttachmentInput;
  EventAttendee: EventAttendee;
  EventAttendeeInput: EventAttendeeInput;
  EventConnection: Omit<EventConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['EventEdge']>, nodes: Array<ResolversParentTypes['Event']> };
  EventCreator: EventCreator;
  EventCreatorInput: EventCreatorInput;
  EventEdge: Omit<EventEdge, 'node'> & { node: ResolversParentTypes['Event'] };
  EventExtendedProperties: EventExtendedProperties;
  EventExtendedPropertiesInput: EventExtendedPropertiesInput;
  EventGadget: EventGadget;
  EventGadgetInput: EventGadgetInput;
  EventInput: EventInput;
  EventOrganizer: EventOrganizer;
  EventOrganizerInput: EventOrganizerInput;
  EventReminder: EventReminder;
  EventReminderInput: EventReminderInput;
  EventReminders: EventReminders;
  EventRemindersInput: EventRemindersInput;
  EventSource: EventSource;
  EventSourceInput: EventSourceInput;
  EventTime: EventTime;
  EventTimeInput: EventTimeInput;
  GuestsNotified: GuestsNotified;
  ID: Scalars['ID']['output'];
  ImportIssue: ImportIssue;
  Int: Scalars['Int']['output'];
  JSONObject: Scalars['JSONObject']['output'];
  LocalDate: Scalars['LocalDate']['output'];
  MessageConnection: Omit<MessageConnection, 'edges' | 'nodes'> & { edges: Array<ResolversParentTypes['MessageEdge']>, nodes: Array<ResolversParentTypes['PublishedMessage']> };
  MessageEdge: Omit<MessageEdge, 'node'> & { node: ResolversParentTypes['PublishedMessage'] };
  Mutation: Record<PropertyKey, never>;
  Node: ResolversInterfaceTypes<ResolversParentTypes>['Node'];
  Notification: NotificationView;
  NotificationInput: NotificationInput;
  ObjectChangeInput: ObjectChangeInput;
  ObjectChangeResult: Omit<ObjectChangeResult, 'messages'> & { messages: Array<ResolversParentTypes['PublishedMessage']> };
  PageInfo: PageInfo;
  PathSegment: Scalars['PathSegment']['output'];
  PublishedMessage: MessageView;
  Query: Record<PropertyKey, never>;
  RefusedComponent: RefusedComponent;
  SeriesSplit: Omit<SeriesSplit, 'before' | 'following'> & { before?: Maybe<ResolversParentTypes['Event']>, following?: Maybe<ResolversParentTypes['Event']> };
  String: Scalars['String']['output'];
  StringMap: Scalars['StringMap']['output'];
  Subscription: Record<PropertyKey, never>;
  Viewer: Omit<Viewer, 'calendars' | 'primaryCalendar'> & { calendars?: Maybe<Array<ResolversParentTypes['Calendar']>>, primaryCalendar?: Maybe<ResolversParentTypes['Calendar']> };
  Warning: Warning;
  WriteReport: WriteReport;
  ZonedDateTime: Scalars['ZonedDateTime']['output'];
  federation__Scope: Scalars['federation__Scope']['output'];
};

export type AuthenticatedDirectiveArgs = { };

export type AuthenticatedDirectiveResolver<Result, Parent, ContextType = OperationContext, Args = AuthenticatedDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type ListSizeDirectiveArgs = {
  assumedSize?: Maybe<Scalars['Int']['input']>;
  sizedFields?: Maybe<Array<Scalars['String']['input']>>;
  slicingArguments?: Maybe<Array<Scalars['String']['input']>>;
};

export type ListSizeDirectiveResolver<Result, Parent, ContextType = OperationContext, Args = ListSizeDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type RepeatedDirectiveArgs = {
  times: Scalars['Int']['input'];
};

export type RepeatedDirectiveResolver<Result, Parent, ContextType = OperationContext, Args = RepeatedDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type RequiresScopesDirectiveArgs = {
  scopes: Array<Array<Scalars['federation__Scope']['input']>>;
};

export type RequiresScopesDirectiveResolver<Result, Parent, ContextType = OperationContext, Args = RequiresScopesDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type BucketResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Bucket'] = ResolversParentTypes['Bucket']> = {
  billing?: Resolver<Maybe<ResolversTypes['BucketBilling']>, ParentType, ContextType>;
  etag?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  kind?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  managers?: Resolver<Maybe<Array<ResolversTypes['String']>>, ParentType, ContextType>;
  metageneration?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  nodeId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  notifications?: Resolver<Maybe<Array<ResolversTypes['Notification']>>, ParentType, ContextType, Partial<BucketNotificationsArgs>>;
  project?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  selfLink?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  timeCreated?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  updated?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type BucketBillingResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['BucketBilling'] = ResolversParentTypes['BucketBilling']> = {
  requesterPays?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
};

export type BucketConnectionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['BucketConnection'] = ResolversParentTypes['BucketConnection']> = {
  edges?: Resolver<Array<ResolversTypes['BucketEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['Bucket']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type BucketEdgeResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['BucketEdge'] = ResolversParentTypes['BucketEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Bucket'], ParentType, ContextType>;
};

export type BusyPeriodResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['BusyPeriod'] = ResolversParentTypes['BusyPeriod']> = {
  end?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  start?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type CalendarResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Calendar'] = ResolversParentTypes['Calendar']> = {
  access?: Resolver<Maybe<Array<ResolversTypes['CalendarAccess']>>, ParentType, ContextType>;
  accessRole?: Resolver<ResolversTypes['CalendarAccessRole'], ParentType, ContextType>;
  backgroundColor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  created?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  defaultReminders?: Resolver<Maybe<Array<ResolversTypes['EventReminder']>>, ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  etag?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  event?: Resolver<Maybe<ResolversTypes['Event']>, ParentType, ContextType, RequireFields<CalendarEventArgs, 'alwaysIncludeEmail' | 'eventId'>>;
  events?: Resolver<Maybe<ResolversTypes['EventConnection']>, ParentType, ContextType, RequireFields<CalendarEventsArgs, 'alwaysIncludeEmail' | 'first' | 'showDeleted' | 'singleEvents'>>;
  feedUrl?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  kind?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  location?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  nodeId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  primary?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  summary?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  timeZone?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  updated?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type CalendarAccessResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['CalendarAccess'] = ResolversParentTypes['CalendarAccess']> = {
  email?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  role?: Resolver<ResolversTypes['CalendarAccessRole'], ParentType, ContextType>;
};

export type CalendarBusyResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['CalendarBusy'] = ResolversParentTypes['CalendarBusy']> = {
  busy?: Resolver<Array<ResolversTypes['BusyPeriod']>, ParentType, ContextType>;
  calendarId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  error?: Resolver<Maybe<ResolversTypes['CalendarBusyError']>, ParentType, ContextType>;
};

export type CalendarBusyErrorResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['CalendarBusyError'] = ResolversParentTypes['CalendarBusyError']> = {
  code?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type CalendarChangeResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['CalendarChange'] = ResolversParentTypes['CalendarChange']> = {
  calendar?: Resolver<Maybe<ResolversTypes['Calendar']>, ParentType, ContextType>;
  calendarId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  changedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type CalendarImportResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['CalendarImport'] = ResolversParentTypes['CalendarImport']> = {
  created?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  events?: Resolver<Array<ResolversTypes['Event']>, ParentType, ContextType>;
  refused?: Resolver<Array<ResolversTypes['RefusedComponent']>, ParentType, ContextType>;
  unchanged?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  updated?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type ChannelResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Channel'] = ResolversParentTypes['Channel']> = {
  address?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  expiration?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  kind?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  resourceId?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  token?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ConferenceAddOnParametersResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['ConferenceAddOnParameters'] = ResolversParentTypes['ConferenceAddOnParameters']> = {
  parameters?: Resolver<Maybe<ResolversTypes['StringMap']>, ParentType, ContextType>;
};

export type ConferenceCreateRequestResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['ConferenceCreateRequest'] = ResolversParentTypes['ConferenceCreateRequest']> = {
  conferenceSolutionKey?: Resolver<Maybe<ResolversTypes['ConferenceSolutionKey']>, ParentType, ContextType>;
  requestId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['ConferenceRequestStatus']>, ParentType, ContextType>;
};

export type ConferenceDataResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['ConferenceData'] = ResolversParentTypes['ConferenceData']> = {
  conferenceId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  conferenceSolution?: Resolver<Maybe<ResolversTypes['ConferenceSolution']>, ParentType, ContextType>;
  createRequest?: Resolver<Maybe<ResolversTypes['ConferenceCreateRequest']>, ParentType, ContextType>;
  entryPoints?: Resolver<Maybe<Array<ResolversTypes['EntryPoint']>>, ParentType, ContextType>;
  notes?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  parameters?: Resolver<Maybe<ResolversTypes['ConferenceParameters']>, ParentType, ContextType>;
  signature?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ConferenceParametersResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['ConferenceParameters'] = ResolversParentTypes['ConferenceParameters']> = {
  addOnParameters?: Resolver<Maybe<ResolversTypes['ConferenceAddOnParameters']>, ParentType, ContextType>;
};

export type ConferenceRequestStatusResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['ConferenceRequestStatus'] = ResolversParentTypes['ConferenceRequestStatus']> = {
  statusCode?: Resolver<Maybe<ResolversTypes['ConferenceRequestStatusCode']>, ParentType, ContextType>;
};

export type ConferenceSolutionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['ConferenceSolution'] = ResolversParentTypes['ConferenceSolution']> = {
  iconUri?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  key?: Resolver<Maybe<ResolversTypes['ConferenceSolutionKey']>, ParentType, ContextType>;
  name?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type ConferenceSolutionKeyResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['ConferenceSolutionKey'] = ResolversParentTypes['ConferenceSolutionKey']> = {
  type?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export type EntryPointResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['EntryPoint'] = ResolversParentTypes['EntryPoint']> = {
  accessCode?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  entryPointFeatures?: Resolver<Maybe<Array<ResolversTypes['String']>>, ParentType, ContextType>;
  entryPointType?: Resolver<Maybe<ResolversTypes['EntryPointType']>, ParentType, ContextType>;
  label?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  meetingCode?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  passcode?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  password?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  pin?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  regionCode?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  uri?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type EventResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Event'] = ResolversParentTypes['Event']> = {
  anyoneCanAddSelf?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  attachments?: Resolver<Maybe<Array<ResolversTypes['EventAttachment']>>, ParentType, ContextType>;
  attendees?: Resolver<Maybe<Array<ResolversTypes['EventAttendee']>>, ParentType, ContextType>;
  attendeesOmitted?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  calendar?: Resolver<Maybe<ResolversTypes['Calendar']>, ParentType, ContextType>;
  callLink?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  colorId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  conferenceData?: Resolver<Maybe<ResolversTypes['ConferenceData']>, ParentType, ContextType>;
  created?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  creator?: Resolver<Maybe<ResolversTypes['EventCreator']>, ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  end?: Resolver<Maybe<ResolversTypes['EventTime']>, ParentType, ContextType>;
  endTimeUnspecified?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  etag?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  extendedProperties?: Resolver<Maybe<ResolversTypes['EventExtendedProperties']>, ParentType, ContextType>;
  gadget?: Resolver<Maybe<ResolversTypes['EventGadget']>, ParentType, ContextType>;
  guestsCanInviteOthers?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  guestsCanModify?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  guestsCanSeeOtherGuests?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  htmlLink?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  iCalUID?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  instances?: Resolver<Maybe<ResolversTypes['EventConnection']>, ParentType, ContextType, RequireFields<EventInstancesArgs, 'alwaysIncludeEmail' | 'first' | 'showDeleted'>>;
  kind?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  location?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  locked?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  nodeId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  organizer?: Resolver<Maybe<ResolversTypes['EventOrganizer']>, ParentType, ContextType>;
  originalStartTime?: Resolver<Maybe<ResolversTypes['EventTime']>, ParentType, ContextType>;
  privateCopy?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  recurrence?: Resolver<Maybe<Array<ResolversTypes['String']>>, ParentType, ContextType>;
  recurringEvent?: Resolver<Maybe<ResolversTypes['Event']>, ParentType, ContextType>;
  recurringEventId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  reminders?: Resolver<Maybe<ResolversTypes['EventReminders']>, ParentType, ContextType>;
  sequence?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  source?: Resolver<Maybe<ResolversTypes['EventSource']>, ParentType, ContextType>;
  start?: Resolver<Maybe<ResolversTypes['EventTime']>, ParentType, ContextType>;
  status?: Resolver<Maybe<ResolversTypes['EventStatus']>, ParentType, ContextType>;
  summary?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  transparency?: Resolver<Maybe<ResolversTypes['EventTransparency']>, ParentType, ContextType>;
  updated?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  visibility?: Resolver<Maybe<ResolversTypes['EventVisibility']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type EventAttachmentResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['EventAttachment'] = ResolversParentTypes['EventAttachment']> = {
  fileId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  fileUrl?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  iconLink?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  mimeType?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  title?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type EventAttendeeResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['EventAttendee'] = ResolversParentTypes['EventAttendee']> = {
  additionalGuests?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  comment?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  displayName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  email?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  optional?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  organizer?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  resource?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
  responseStatus?: Resolver<Maybe<ResolversTypes['ResponseStatus']>, ParentType, ContextType>;
  self?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
};

export type EventConnectionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['EventConnection'] = ResolversParentTypes['EventConnection']> = {
  edges?: Resolver<Array<ResolversTypes['EventEdge']>, ParentType, ContextType>;
  nextSyncToken?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['Event']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type EventCreatorResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['EventCreator'] = ResolversParentTypes['EventCreator']> = {
  displayName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  email?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  self?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
};

export type EventEdgeResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['EventEdge'] = ResolversParentTypes['EventEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['Event'], ParentType, ContextType>;
};

export type EventExtendedPropertiesResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['EventExtendedProperties'] = ResolversParentTypes['EventExtendedProperties']> = {
  private?: Resolver<Maybe<ResolversTypes['StringMap']>, ParentType, ContextType>;
  shared?: Resolver<Maybe<ResolversTypes['StringMap']>, ParentType, ContextType>;
};

export type EventGadgetResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['EventGadget'] = ResolversParentTypes['EventGadget']> = {
  display?: Resolver<Maybe<ResolversTypes['GadgetDisplay']>, ParentType, ContextType>;
  height?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  iconLink?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  link?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  preferences?: Resolver<Maybe<ResolversTypes['StringMap']>, ParentType, ContextType>;
  title?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  type?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  width?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type EventOrganizerResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['EventOrganizer'] = ResolversParentTypes['EventOrganizer']> = {
  displayName?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  email?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  id?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  self?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
};

export type EventReminderResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['EventReminder'] = ResolversParentTypes['EventReminder']> = {
  method?: Resolver<Maybe<ResolversTypes['ReminderMethod']>, ParentType, ContextType>;
  minutes?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
};

export type EventRemindersResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['EventReminders'] = ResolversParentTypes['EventReminders']> = {
  overrides?: Resolver<Maybe<Array<ResolversTypes['EventReminder']>>, ParentType, ContextType>;
  useDefault?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType>;
};

export type EventSourceResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['EventSource'] = ResolversParentTypes['EventSource']> = {
  title?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  url?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type EventTimeResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['EventTime'] = ResolversParentTypes['EventTime']> = {
  date?: Resolver<Maybe<ResolversTypes['LocalDate']>, ParentType, ContextType>;
  dateTime?: Resolver<Maybe<ResolversTypes['ZonedDateTime']>, ParentType, ContextType>;
  timeZone?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type GuestsNotifiedResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['GuestsNotified'] = ResolversParentTypes['GuestsNotified']> = {
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  field?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type ImportIssueResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['ImportIssue'] = ResolversParentTypes['ImportIssue']> = {
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  path?: Resolver<Array<ResolversTypes['PathSegment']>, ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export interface JsonObjectScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['JSONObject'], any> {
  name: 'JSONObject';
}

export interface LocalDateScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['LocalDate'], any> {
  name: 'LocalDate';
}

export type MessageConnectionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['MessageConnection'] = ResolversParentTypes['MessageConnection']> = {
  edges?: Resolver<Array<ResolversTypes['MessageEdge']>, ParentType, ContextType>;
  nodes?: Resolver<Array<ResolversTypes['PublishedMessage']>, ParentType, ContextType>;
  pageInfo?: Resolver<ResolversTypes['PageInfo'], ParentType, ContextType>;
};

export type MessageEdgeResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['MessageEdge'] = ResolversParentTypes['MessageEdge']> = {
  cursor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  node?: Resolver<ResolversTypes['PublishedMessage'], ParentType, ContextType>;
};

export type MutationResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Mutation'] = ResolversParentTypes['Mutation']> = {
  deleteBucket?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationDeleteBucketArgs, 'bucket'>>;
  deleteCalendar?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationDeleteCalendarArgs, 'calendarId'>>;
  deleteEvent?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationDeleteEventArgs, 'calendarId' | 'eventId' | 'sendNotifications'>>;
  deleteFollowingEvents?: Resolver<Maybe<ResolversTypes['Event']>, ParentType, ContextType, RequireFields<MutationDeleteFollowingEventsArgs, 'calendarId' | 'eventId' | 'sendNotifications'>>;
  deleteNotification?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationDeleteNotificationArgs, 'bucket' | 'notificationId'>>;
  importCalendar?: Resolver<Maybe<ResolversTypes['CalendarImport']>, ParentType, ContextType, RequireFields<MutationImportCalendarArgs, 'calendarId' | 'icalendar' | 'validateOnly'>>;
  importEvent?: Resolver<Maybe<ResolversTypes['Event']>, ParentType, ContextType, RequireFields<MutationImportEventArgs, 'calendarId' | 'conferenceDataVersion' | 'event' | 'supportsAttachments' | 'validateOnly'>>;
  insertBucket?: Resolver<Maybe<ResolversTypes['Bucket']>, ParentType, ContextType, RequireFields<MutationInsertBucketArgs, 'bucket' | 'project' | 'validateOnly'>>;
  insertCalendar?: Resolver<Maybe<ResolversTypes['Calendar']>, ParentType, ContextType, RequireFields<MutationInsertCalendarArgs, 'calendar' | 'validateOnly'>>;
  insertEvent?: Resolver<Maybe<ResolversTypes['Event']>, ParentType, ContextType, RequireFields<MutationInsertEventArgs, 'alwaysIncludeEmail' | 'calendarId' | 'conferenceDataVersion' | 'event' | 'sendNotifications' | 'supportsAttachments' | 'validateOnly'>>;
  insertNotification?: Resolver<Maybe<ResolversTypes['Notification']>, ParentType, ContextType, RequireFields<MutationInsertNotificationArgs, 'bucket' | 'notification' | 'validateOnly'>>;
  moveEvent?: Resolver<Maybe<ResolversTypes['Event']>, ParentType, ContextType, RequireFields<MutationMoveEventArgs, 'calendarId' | 'destination' | 'eventId' | 'sendNotifications' | 'validateOnly'>>;
  patchBucket?: Resolver<Maybe<ResolversTypes['Bucket']>, ParentType, ContextType, RequireFields<MutationPatchBucketArgs, 'bucket' | 'change' | 'validateOnly'>>;
  patchCalendar?: Resolver<Maybe<ResolversTypes['Calendar']>, ParentType, ContextType, RequireFields<MutationPatchCalendarArgs, 'calendar' | 'calendarId' | 'validateOnly'>>;
  patchEvent?: Resolver<Maybe<ResolversTypes['Event']>, ParentType, ContextType, RequireFields<MutationPatchEventArgs, 'alwaysIncludeEmail' | 'calendarId' | 'conferenceDataVersion' | 'event' | 'eventId' | 'sendNotifications' | 'supportsAttachments' | 'validateOnly'>>;
  patchFollowingEvents?: Resolver<Maybe<ResolversTypes['SeriesSplit']>, ParentType, ContextType, RequireFields<MutationPatchFollowingEventsArgs, 'alwaysIncludeEmail' | 'calendarId' | 'conferenceDataVersion' | 'event' | 'eventId' | 'sendNotifications' | 'supportsAttachments' | 'validateOnly'>>;
  publishObjectChange?: Resolver<Maybe<ResolversTypes['ObjectChangeResult']>, ParentType, ContextType, RequireFields<MutationPublishObjectChangeArgs, 'bucket' | 'change' | 'validateOnly'>>;
  report?: Resolver<Maybe<ResolversTypes['WriteReport']>, ParentType, ContextType>;
  resetCalendarFeed?: Resolver<Maybe<ResolversTypes['Calendar']>, ParentType, ContextType, RequireFields<MutationResetCalendarFeedArgs, 'calendarId'>>;
  setCalendarAccess?: Resolver<Maybe<Array<ResolversTypes['CalendarAccess']>>, ParentType, ContextType, RequireFields<MutationSetCalendarAccessArgs, 'calendarId' | 'email' | 'role'>>;
  stopChannel?: Resolver<Maybe<ResolversTypes['Boolean']>, ParentType, ContextType, RequireFields<MutationStopChannelArgs, 'id' | 'resourceId'>>;
  watchCalendar?: Resolver<Maybe<ResolversTypes['Channel']>, ParentType, ContextType, RequireFields<MutationWatchCalendarArgs, 'calendarId' | 'channel'>>;
};

export type NodeResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Node'] = ResolversParentTypes['Node']> = {
  __resolveType: TypeResolveFn<'Bucket' | 'Calendar' | 'Event' | 'Notification', ParentType, ContextType>;
};

export type NotificationResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Notification'] = ResolversParentTypes['Notification']> = {
  bucket?: Resolver<Maybe<ResolversTypes['Bucket']>, ParentType, ContextType, Partial<NotificationBucketArgs>>;
  custom_attributes?: Resolver<Maybe<ResolversTypes['StringMap']>, ParentType, ContextType>;
  etag?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  event_types?: Resolver<Maybe<Array<ResolversTypes['ObjectEventType']>>, ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  kind?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  nodeId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  object_name_prefix?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  payload_format?: Resolver<Maybe<ResolversTypes['PayloadFormat']>, ParentType, ContextType>;
  selfLink?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  topic?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type ObjectChangeResultResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['ObjectChangeResult'] = ResolversParentTypes['ObjectChangeResult']> = {
  messages?: Resolver<Array<ResolversTypes['PublishedMessage']>, ParentType, ContextType>;
};

export type PageInfoResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['PageInfo'] = ResolversParentTypes['PageInfo']> = {
  endCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  hasNextPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  hasPreviousPage?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  startCursor?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export interface PathSegmentScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['PathSegment'], any> {
  name: 'PathSegment';
}

export type PublishedMessageResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['PublishedMessage'] = ResolversParentTypes['PublishedMessage']> = {
  attributes?: Resolver<Maybe<ResolversTypes['StringMap']>, ParentType, ContextType>;
  data?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  messageId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  notificationId?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  state?: Resolver<Maybe<ResolversTypes['MessageState']>, ParentType, ContextType>;
  topic?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  bucket?: Resolver<Maybe<ResolversTypes['Bucket']>, ParentType, ContextType, RequireFields<QueryBucketArgs, 'bucket'>>;
  buckets?: Resolver<Maybe<ResolversTypes['BucketConnection']>, ParentType, ContextType, RequireFields<QueryBucketsArgs, 'first' | 'project'>>;
  calendar?: Resolver<Maybe<ResolversTypes['Calendar']>, ParentType, ContextType, RequireFields<QueryCalendarArgs, 'calendarId'>>;
  calendarAccess?: Resolver<Maybe<Array<ResolversTypes['CalendarAccess']>>, ParentType, ContextType, RequireFields<QueryCalendarAccessArgs, 'calendarId'>>;
  calendars?: Resolver<Maybe<Array<ResolversTypes['Calendar']>>, ParentType, ContextType>;
  event?: Resolver<Maybe<ResolversTypes['Event']>, ParentType, ContextType, RequireFields<QueryEventArgs, 'alwaysIncludeEmail' | 'calendarId' | 'eventId'>>;
  events?: Resolver<Maybe<ResolversTypes['EventConnection']>, ParentType, ContextType, RequireFields<QueryEventsArgs, 'alwaysIncludeEmail' | 'calendarId' | 'first' | 'showDeleted' | 'singleEvents'>>;
  freeBusy?: Resolver<Maybe<Array<ResolversTypes['CalendarBusy']>>, ParentType, ContextType, RequireFields<QueryFreeBusyArgs, 'calendarIds' | 'timeMax' | 'timeMin'>>;
  instances?: Resolver<Maybe<ResolversTypes['EventConnection']>, ParentType, ContextType, RequireFields<QueryInstancesArgs, 'alwaysIncludeEmail' | 'calendarId' | 'eventId' | 'first' | 'showDeleted'>>;
  messages?: Resolver<Maybe<ResolversTypes['MessageConnection']>, ParentType, ContextType, RequireFields<QueryMessagesArgs, 'first' | 'topic'>>;
  node?: Resolver<Maybe<ResolversTypes['Node']>, ParentType, ContextType, RequireFields<QueryNodeArgs, 'nodeId'>>;
  notification?: Resolver<Maybe<ResolversTypes['Notification']>, ParentType, ContextType, RequireFields<QueryNotificationArgs, 'bucket' | 'notificationId'>>;
  notifications?: Resolver<Maybe<Array<ResolversTypes['Notification']>>, ParentType, ContextType, RequireFields<QueryNotificationsArgs, 'bucket'>>;
  viewer?: Resolver<Maybe<ResolversTypes['Viewer']>, ParentType, ContextType>;
};

export type RefusedComponentResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['RefusedComponent'] = ResolversParentTypes['RefusedComponent']> = {
  index?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  issues?: Resolver<Array<ResolversTypes['ImportIssue']>, ParentType, ContextType>;
  uid?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type SeriesSplitResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['SeriesSplit'] = ResolversParentTypes['SeriesSplit']> = {
  before?: Resolver<Maybe<ResolversTypes['Event']>, ParentType, ContextType>;
  following?: Resolver<Maybe<ResolversTypes['Event']>, ParentType, ContextType>;
};

export interface StringMapScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['StringMap'], any> {
  name: 'StringMap';
}

export type SubscriptionResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Subscription'] = ResolversParentTypes['Subscription']> = {
  calendarChanged?: SubscriptionResolver<Maybe<ResolversTypes['CalendarChange']>, "calendarChanged", ParentType, ContextType, RequireFields<SubscriptionCalendarChangedArgs, 'calendarId'>>;
  calendarsChanged?: SubscriptionResolver<Maybe<ResolversTypes['CalendarChange']>, "calendarsChanged", ParentType, ContextType, RequireFields<SubscriptionCalendarsChangedArgs, 'calendarIds'>>;
  messagePublished?: SubscriptionResolver<Maybe<ResolversTypes['PublishedMessage']>, "messagePublished", ParentType, ContextType, RequireFields<SubscriptionMessagePublishedArgs, 'topic'>>;
};

export type ViewerResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Viewer'] = ResolversParentTypes['Viewer']> = {
  calendars?: Resolver<Maybe<Array<ResolversTypes['Calendar']>>, ParentType, ContextType>;
  email?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  primaryCalendar?: Resolver<Maybe<ResolversTypes['Calendar']>, ParentType, ContextType>;
};

export type WarningResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['Warning'] = ResolversParentTypes['Warning']> = {
  field?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  message?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  params?: Resolver<Maybe<ResolversTypes['JSONObject']>, ParentType, ContextType>;
  path?: Resolver<Array<ResolversTypes['PathSegment']>, ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type WriteReportResolvers<ContextType = OperationContext, ParentType extends ResolversParentTypes['WriteReport'] = ResolversParentTypes['WriteReport']> = {
  guestsNotified?: Resolver<Array<ResolversTypes['GuestsNotified']>, ParentType, ContextType>;
  warnings?: Resolver<Array<ResolversTypes['Warning']>, ParentType, ContextType>;
};

export interface ZonedDateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['ZonedDateTime'], any> {
  name: 'ZonedDateTime';
}

export interface Federation__ScopeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['federation__Scope'], any> {
  name: 'federation__Scope';
}

export type Resolvers<ContextType = OperationContext> = {
  Bucket?: BucketResolvers<ContextType>;
  BucketBilling?: BucketBillingResolvers<ContextType>;
  BucketConnection?: BucketConnectionResolvers<ContextType>;
  BucketEdge?: BucketEdgeResolvers<ContextType>;
  BusyPeriod?: BusyPeriodResolvers<ContextType>;
  Calendar?: CalendarResolvers<ContextType>;
  CalendarAccess?: CalendarAccessResolvers<ContextType>;
  CalendarBusy?: CalendarBusyResolvers<ContextType>;
  CalendarBusyError?: CalendarBusyErrorResolvers<ContextType>;
  CalendarChange?: CalendarChangeResolvers<ContextType>;
  CalendarImport?: CalendarImportResolvers<ContextType>;
  Channel?: ChannelResolvers<ContextType>;
  ConferenceAddOnParameters?: ConferenceAddOnParametersResolvers<ContextType>;
  ConferenceCreateRequest?: ConferenceCreateRequestResolvers<ContextType>;
  ConferenceData?: ConferenceDataResolvers<ContextType>;
  ConferenceParameters?: ConferenceParametersResolvers<ContextType>;
  ConferenceRequestStatus?: ConferenceRequestStatusResolvers<ContextType>;
  ConferenceSolution?: ConferenceSolutionResolvers<ContextType>;
  ConferenceSolutionKey?: ConferenceSolutionKeyResolvers<ContextType>;
  DateTime?: GraphQLScalarType;
  EntryPoint?: EntryPointResolvers<ContextType>;
  Event?: EventResolvers<ContextType>;
  EventAttachment?: EventAttachmentResolvers<ContextType>;
  EventAttendee?: EventAttendeeResolvers<ContextType>;
  EventConnection?: EventConnectionResolvers<ContextType>;
  EventCreator?: EventCreatorResolvers<ContextType>;
  EventEdge?: EventEdgeResolvers<ContextType>;
  EventExtendedProperties?: EventExtendedPropertiesResolvers<ContextType>;
  EventGadget?: EventGadgetResolvers<ContextType>;
  EventOrganizer?: EventOrganizerResolvers<ContextType>;
  EventReminder?: EventReminderResolvers<ContextType>;
  EventReminders?: EventRemindersResolvers<ContextType>;
  EventSource?: EventSourceResolvers<ContextType>;
  EventTime?: EventTimeResolvers<ContextType>;
  GuestsNotified?: GuestsNotifiedResolvers<ContextType>;
  ImportIssue?: ImportIssueResolvers<ContextType>;
  JSONObject?: GraphQLScalarType;
  LocalDate?: GraphQLScalarType;
  MessageConnection?: MessageConnectionResolvers<ContextType>;
  MessageEdge?: MessageEdgeResolvers<ContextType>;
  Mutation?: MutationResolvers<ContextType>;
  Node?: NodeResolvers<ContextType>;
  Notification?: NotificationResolvers<ContextType>;
  ObjectChangeResult?: ObjectChangeResultResolvers<ContextType>;
  PageInfo?: PageInfoResolvers<ContextType>;
  PathSegment?: GraphQLScalarType;
  PublishedMessage?: PublishedMessageResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  RefusedComponent?: RefusedComponentResolvers<ContextType>;
  SeriesSplit?: SeriesSplitResolvers<ContextType>;
  StringMap?: GraphQLScalarType;
  Subscription?: SubscriptionResolvers<ContextType>;
  Viewer?: ViewerResolvers<ContextType>;
  Warning?: WarningResolvers<ContextType>;
  WriteReport?: WriteReportResolvers<ContextType>;
  ZonedDateTime?: GraphQLScalarType;
  federation__Scope?: GraphQLScalarType;
};

export type DirectiveResolvers<ContextType = OperationContext> = {
  authenticated?: AuthenticatedDirectiveResolver<any, any, ContextType>;
  listSize?: ListSizeDirectiveResolver<any, any, ContextType>;
  repeated?: RepeatedDirectiveResolver<any, any, ContextType>;
  requiresScopes?: RequiresScopesDirectiveResolver<any, any, ContextType>;
};
