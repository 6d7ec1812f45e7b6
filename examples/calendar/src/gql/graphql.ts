/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';
/**
 * A change of the guest list that names only the guests to change, under the same rules as `attendees`. Each address
 * may occur once in both lists together, which have at most 200 entries. The event has at most 200 guests afterwards.
 */
export type AttendeeChangesInput = {
  /**
   * Guests to add. An entry for a guest on the list changes that guest: absent fields keep the stored value, and
   * `null` clears it. Every entry needs an `email`.
   */
  add?: Array<EventAttendeeInput> | null | undefined;
  /**
   * Addresses of guests to remove, not case-sensitive; an address that is not on the list changes nothing. Guests
   * cannot remove themselves: `deleteEvent` removes the event from their own calendar.
   */
  remove?: Array<string> | null | undefined;
};

/** The billing of requests to a bucket, as input. */
export type BucketBillingInput = {
  /** Whether requests to the bucket need a project that pays for them. Null: no. */
  requesterPays?: boolean | null | undefined;
};

/**
 * A bucket to create, or the fields to change. You can send a bucket as you read it, including read-only fields. No
 * field is required by its type.
 */
export type BucketInput = {
  /** The billing of requests to the bucket. Null: no request needs a project that pays. */
  billing?: BucketBillingInput | null | undefined;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  etag?: string | null | undefined;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  id?: string | null | undefined;
  /** Always `storage#bucket`. Accepted and ignored; another value is answered with a warning. */
  kind?: string | null | undefined;
  /**
   * The e-mail addresses of the managers, who may read, change and delete the bucket and its subscriptions: 1 to 100,
   * each once, not case-sensitive. In an insert, absent or null means only the caller, and a list must contain the
   * caller. In a change, a list replaces the stored one; null or an empty list is an error.
   */
  managers?: Array<string> | null | undefined;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  metageneration?: string | null | undefined;
  /**
   * The name: 3 to 63 characters of `a-z`, `0-9`, `.`, `_` and `-`, the first and the last a letter or a digit; without two dots in
   * a row, not an IPv4 address, and without `goog` anywhere in it. Required in an insert; in a change the same name passes, and
   * another one is an error, reason `immutable`.
   */
  name?: string | null | undefined;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  nodeId?: string | null | undefined;
  /** Set by the argument `project` of an insert: accepted and ignored. A value that differs is answered with a warning. */
  project?: string | null | undefined;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  selfLink?: string | null | undefined;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  timeCreated?: string | null | undefined;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  updated?: string | null | undefined;
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

/**
 * The settings of a calendar. You can send them as you read them: read-only fields are ignored, with a warning if they
 * differ.
 */
export type CalendarInput = {
  /** Set by `setCalendarAccess`; ignored. */
  accessRole?: CalendarAccessRole | null | undefined;
  /** A colour as `#rrggbb`; kept in lower case. `null` clears it. */
  backgroundColor?: string | null | undefined;
  /** Set by the server; ignored. */
  created?: string | null | undefined;
  /**
   * The reminders of users who set none of their own on an event, at most 5. A list is replaced as a whole; `null` clears it. A
   * new `sms` is ignored with a warning.
   */
  defaultReminders?: Array<EventReminderInput> | null | undefined;
  /** Its description, at most 8192 characters; `null` clears it. */
  description?: string | null | undefined;
  /** Read-only, ignored. To change the calendar only if nobody else did, use `ifMatch`. */
  etag?: string | null | undefined;
  /** Set by the server; ignored. */
  id?: string | null | undefined;
  /** Set by the server; ignored. */
  kind?: string | null | undefined;
  /** Where it is about, at most 1024 characters; `null` clears it. */
  location?: string | null | undefined;
  /** Set by the server; ignored. */
  nodeId?: string | null | undefined;
  /** Set by the server; ignored. */
  primary?: boolean | null | undefined;
  /** The title, 1 to 254 characters; `null` goes back to the identifier. */
  summary?: string | null | undefined;
  /**
   * The zone in which days and times without a zone of their own are understood: a name from the IANA database. In an insert
   * without it, the one that this service is set up with. It cannot be cleared, and of a calendar with more than 20,000 all-day
   * events not be changed (`tooMany`).
   */
  timeZone?: string | null | undefined;
  /** Set by the server; ignored. */
  updated?: string | null | undefined;
};

/** Data of the add-on that created a conference. */
export type ConferenceAddOnParametersInput = {
  /**
   * The add-on's own keys and values: at most 100 entries and 32 kB; a key has at most 128 characters, a value at
   * most 1024. Every value is a string. In a patch, keys left out stay and a key set to `null` is removed.
   */
  parameters?: Record<string, string | null> | null | undefined;
};

/** A request for a new conference. It needs `requestId` and `conferenceSolutionKey.type`. */
export type ConferenceCreateRequestInput = {
  /** The kind of conference to create. */
  conferenceSolutionKey?: ConferenceSolutionKeyInput | null | undefined;
  /**
   * An identifier of your own, such as a UUID, new for each conference that you ask for; at most 1024 characters. A
   * request with the same identifier as the one before is ignored.
   */
  requestId?: string | null | undefined;
  /** Read-only: accepted and ignored; another value gives a warning. */
  status?: ConferenceRequestStatusInput | null | undefined;
};

/**
 * A conference to create, copy or change. Only used with `conferenceDataVersion: 1`. Merged field by field. To create
 * one, send `createRequest` only; to copy one, send that of another event unchanged. For another provider's conference
 * give `conferenceSolution.key.type: "addOn"` and its entry points: the server signs them. Other solutions and entry
 * points without a signature are not applied, with a warning.
 */
export type ConferenceDataInput = {
  /** The identifier of the conference, copied with the rest; at most 1024 characters. Not for display. */
  conferenceId?: string | null | undefined;
  /** The product that hosts the conference, copied with the rest. */
  conferenceSolution?: ConferenceSolutionInput | null | undefined;
  /** Asks for a new conference. */
  createRequest?: ConferenceCreateRequestInput | null | undefined;
  /**
   * The ways to join, at most 50. At most one each of `video`, `sip` and `more`, any number of `phone`, and not a
   * `more` alone. The list is replaced as a whole.
   */
  entryPoints?: Array<EntryPointInput> | null | undefined;
  /** Notes to show to the user, at most 2048 characters. May contain HTML; `null` clears them. */
  notes?: string | null | undefined;
  /** Data of the add-on that created the conference. */
  parameters?: ConferenceParametersInput | null | undefined;
  /**
   * The server's signature as you read it, at most 1024 characters. Copied data whose signature is missing, or does
   * not match the data, is dropped with a warning.
   */
  signature?: string | null | undefined;
};

/** Data that belongs to a conference and not to the people in it. Merged field by field. */
export type ConferenceParametersInput = {
  /** Data of the add-on that created the conference. `null` clears it. */
  addOnParameters?: ConferenceAddOnParametersInput | null | undefined;
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
  statusCode?: ConferenceRequestStatusCode | null | undefined;
};

/** The product that hosts a conference: copied from another event, or another provider's. */
export type ConferenceSolutionInput = {
  /** The address of the icon to show, at most 1024 characters. */
  iconUri?: string | null | undefined;
  /** Which kind of product it is. */
  key?: ConferenceSolutionKeyInput | null | undefined;
  /** The name to show, at most 1024 characters. It is not translated. */
  name?: string | null | undefined;
};

/** The kind of product that hosts a conference. */
export type ConferenceSolutionKeyInput = {
  /**
   * `eventCall`, `eventNamedCall` or `hostedCall`; one of these is required in a request for a new conference. `addOn`
   * for a conference of another provider. At most 1024 characters.
   */
  type?: string | null | undefined;
};

/** An entry point: a way to join a conference. Set only the codes that the provider uses. */
export type EntryPointInput = {
  /** The access code, at most 128 characters. Only where the provider calls it that. */
  accessCode?: string | null | undefined;
  /**
   * Features of this way to join, as words for programs: at most 50 of at most 128 characters each. The list is
   * replaced as a whole.
   */
  entryPointFeatures?: Array<string> | null | undefined;
  /**
   * How one joins. It decides which `uri` is allowed and how often the kind may occur in a conference. Required when
   * an entry point is added.
   */
  entryPointType?: EntryPointType | null | undefined;
  /** The text to show, at most 512 characters. It is not translated. Leave it out for `more`. */
  label?: string | null | undefined;
  /** The meeting code, at most 128 characters. Only where the provider calls it that. */
  meetingCode?: string | null | undefined;
  /** The passcode, at most 128 characters. Only where the provider calls it that. */
  passcode?: string | null | undefined;
  /** The password, at most 128 characters. Only where the provider calls it that. */
  password?: string | null | undefined;
  /** The PIN, at most 128 characters. Only where the provider calls it that. */
  pin?: string | null | undefined;
  /** Read-only: accepted and ignored; another value gives a warning. */
  regionCode?: string | null | undefined;
  /**
   * At most 1300 characters; required when an entry point is added. `video` and `more` need `http:` or `https:`;
   * `phone` needs `tel:` with the whole dial sequence; `sip` needs `sip:`.
   */
  uri?: string | null | undefined;
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

/** An entry of an event's list of attachments. */
export type EventAttachmentInput = {
  /** Read-only: accepted and ignored; another value gives a warning. */
  fileId?: string | null | undefined;
  /**
   * The address of the file, http or https, at most 8192 characters; for a file in the file store, the link under
   * which its own page opens. Required when an attachment is added.
   */
  fileUrl?: string | null | undefined;
  /** Read-only: accepted and ignored; another value gives a warning. */
  iconLink?: string | null | undefined;
  /** The media type, such as `application/pdf`; at most 255 characters. Optional. */
  mimeType?: string | null | undefined;
  /** The title to show, at most 8192 characters. Optional. */
  title?: string | null | undefined;
};

/**
 * An entry of an event's guest list. Guests may change `responseStatus`, `comment` and `additionalGuests` of
 * their own entry; the rest follows the rules of the shared part of the event. In an entry for a guest on the list,
 * absent fields keep the stored value and `null` clears it.
 */
export type EventAttendeeInput = {
  /** The guest's own: how many people the guest brings along; not below 0. Default: 0. */
  additionalGuests?: number | null | undefined;
  /** The guest's own: a comment on the response, at most 8192 characters. Optional. */
  comment?: string | null | undefined;
  /** The guest's name, at most 8192 characters. Optional. */
  displayName?: string | null | undefined;
  /**
   * The guest's address, valid by RFC 5322 and of at most 254 octets. Required when a guest is added; it is also how an entry is matched
   * with a stored one, whatever its case.
   */
  email?: string | null | undefined;
  /** The identifier of the guest's profile, if there is one; at most 1024 characters. Optional. */
  id?: string | null | undefined;
  /** Whether the guest need not come. Default: `false`. */
  optional?: boolean | null | undefined;
  /** Read-only: accepted and ignored; another value gives a warning. */
  organizer?: boolean | null | undefined;
  /**
   * Set once: whether this is a resource, such as a room. A change of an entry that is there already is ignored with
   * a warning. Default: `false`.
   */
  resource?: boolean | null | undefined;
  /**
   * The guest's own: the answer. Absent for a guest who is already on the list: the stored answer stays. From anybody
   * who may not give it, it is ignored with a warning. Default: `needsAction`.
   */
  responseStatus?: ResponseStatus | null | undefined;
  /** Read-only: accepted and ignored; another value gives a warning. */
  self?: boolean | null | undefined;
};

/** The creator as you read it. Read-only: accepted and ignored; another value gives a warning. */
export type EventCreatorInput = {
  /** Read-only: the creator's name. */
  displayName?: string | null | undefined;
  /** Read-only: the creator's address. */
  email?: string | null | undefined;
  /** Read-only: the identifier of the creator's profile. */
  id?: string | null | undefined;
  /** Read-only: whether the creator is the owner of the calendar that was asked. */
  self?: boolean | null | undefined;
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
  private?: Record<string, string | null> | null | undefined;
  /**
   * Shared: visible on every copy, and changed by callers who may change the event. A key has 1 to 44 characters, a
   * value at most 1024. `null` removes all entries.
   */
  shared?: Record<string, string | null> | null | undefined;
};

/** A small web application that extends an event. Merged field by field; `null` clears a field. */
export type EventGadgetInput = {
  /** Where the gadget is shown. Optional. */
  display?: GadgetDisplay | null | undefined;
  /** The height in pixels: a whole number, at least 1. Optional. */
  height?: number | null | undefined;
  /** The address of the icon. Must begin with `https:`; at most 8192 characters. */
  iconLink?: string | null | undefined;
  /** The address of the gadget. Must begin with `https:`; at most 8192 characters. */
  link?: string | null | undefined;
  /**
   * The gadget's settings: at most 100 entries and 32 kB; a key has at most 128 characters, a value at most 1024.
   * Every value is a string. In a patch, keys left out stay and a key set to `null` is removed.
   */
  preferences?: Record<string, string | null> | null | undefined;
  /** The title, at most 8192 characters. Optional. */
  title?: string | null | undefined;
  /** The kind of gadget, at most 8192 characters. Optional. */
  type?: string | null | undefined;
  /** The width in pixels: a whole number, at least 1. Optional. */
  width?: number | null | undefined;
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
  anyoneCanAddSelf?: boolean | null | undefined;
  /**
   * Shared, at most 25. Ignored with a warning unless the argument `supportsAttachments` is true. The list is
   * replaced as a whole: repeat the entries that should stay; `null` removes all.
   */
  attachments?: Array<EventAttachmentInput> | null | undefined;
  /**
   * Shared, at most 200. Guests who are not in the list are removed; `null` removes all. Entries are matched by
   * `email`, whatever its case, and the same address twice is an error; in an entry for a guest on the list, absent
   * fields keep the stored value and `null` clears it. Guests may always answer for themselves, and may add others if
   * `guestsCanInviteOthers` is true. Guests that are hidden from you are neither removed nor changed.
   */
  attendees?: Array<EventAttendeeInput> | null | undefined;
  /**
   * For this request: `true` means that your `attendees` list is incomplete. Only your own entry is applied, and
   * nobody is removed. The right way to answer an invitation. Default: `false`.
   */
  attendeesOmitted?: boolean | null | undefined;
  /** Read-only, the address of the video call: accepted and ignored; a value that differs gives a warning. */
  callLink?: string | null | undefined;
  /** This copy's. The number of an entry in the event palette, `"1"` to `"11"`; `null` clears it. */
  colorId?: string | null | undefined;
  /**
   * Shared. Ignored with a warning unless the argument `conferenceDataVersion` is 1. Create a conference with
   * `createRequest`, copy one together with its `signature`, or remove it with `null`.
   */
  conferenceData?: ConferenceDataInput | null | undefined;
  /** Read-only, when the event was created: accepted and ignored; a value that differs gives a warning. */
  created?: string | null | undefined;
  /** Read-only, who created the event: accepted and ignored; a value that differs gives a warning. */
  creator?: EventCreatorInput | null | undefined;
  /** Shared, refused on a locked copy. At most 8192 characters; `null` clears it. */
  description?: string | null | undefined;
  /**
   * Shared, refused on a locked copy. When the event ends; required in an insert, and it cannot be cleared. The
   * end itself is not part of the event: an all-day event on 4 May ends on 5 May. At or before `start` it is an
   * error, reason `timeRangeEmpty`.
   */
  end?: EventTimeInput | null | undefined;
  /** Shared. Says that the event has no real end; `end` must be given all the same. Default: `false`. */
  endTimeUnspecified?: boolean | null | undefined;
  /**
   * Read-only: accepted and ignored; another value gives a warning. To make a patch depend on the
   * version that you read, use the argument `ifMatch`.
   */
  etag?: string | null | undefined;
  /**
   * Shared but for `private`, which is this copy's. Data that your application keeps with the event. Merged key by
   * key; `null` clears it. At most 300 entries and 32 kB, private and shared together.
   */
  extendedProperties?: EventExtendedPropertiesInput | null | undefined;
  /** Shared. A small web application that extends the event. Merged field by field; `null` removes it. */
  gadget?: EventGadgetInput | null | undefined;
  /** The organizer's. Whether guests other than the organizer may invite others. `null` means the default, `true`. */
  guestsCanInviteOthers?: boolean | null | undefined;
  /**
   * The organizer's. Whether guests other than the organizer may change the shared part. `null` means the default,
   * `false`.
   */
  guestsCanModify?: boolean | null | undefined;
  /** The organizer's. Whether guests see who else is invited. `null` means the default, `true`. */
  guestsCanSeeOtherGuests?: boolean | null | undefined;
  /** Read-only, the event's web address: accepted and ignored; a value that differs gives a warning. */
  htmlLink?: string | null | undefined;
  /**
   * Fixed. In an insert give either this, at most 1024 characters, or `id`, not both; without either the server
   * creates one.
   */
  iCalUID?: string | null | undefined;
  /**
   * Fixed. In an insert you may choose it: 5 to 1024 characters, lowercase letters `a` to `v` and digits only, unique
   * on the calendar; one made from a UUID is a good choice. Without an id the server creates one.
   */
  id?: string | null | undefined;
  /** Read-only, always `calendar#event`: accepted and ignored; another value gives a warning. */
  kind?: string | null | undefined;
  /** Shared, refused on a locked copy. The place as free text, at most 8192 characters; `null` clears it. */
  location?: string | null | undefined;
  /** Read-only, whether this copy is locked: accepted and ignored; a value that differs gives a warning. */
  locked?: boolean | null | undefined;
  /** Read-only: accepted and ignored; another value gives a warning. */
  nodeId?: string | null | undefined;
  /**
   * Read-only: accepted and ignored; another value gives a warning. An event changes hands by being
   * moved, not by a patch.
   */
  organizer?: EventOrganizerInput | null | undefined;
  /** Fixed. For an instance of a recurring event: when it would start by the recurrence rules. */
  originalStartTime?: EventTimeInput | null | undefined;
  /** Fixed. Whether changes to this copy stay here. Default: `false`. */
  privateCopy?: boolean | null | undefined;
  /**
   * Shared, refused on a locked copy. RRULE, EXRULE, RDATE and EXDATE lines as in RFC 5545, without DTSTART or
   * DTEND; COUNT together with UNTIL is an error. A recurring event needs the `timeZone` of `start` and `end`.
   * An instance cannot be made recurring. At most 100 lines of 8192 characters each; the list is replaced as a
   * whole; `null` ends the repetition. Forms that other programs write (UNTIL of a day, EXDATE of days, lower case)
   * are stored in one form, which the warning `normalized` gives.
   */
  recurrence?: Array<string> | null | undefined;
  /** Fixed. For an instance of a recurring event: the `id` of that recurring event, at most 1024 characters. */
  recurringEventId?: string | null | undefined;
  /**
   * Your own. Your reminders; other readers of this copy have theirs. Until you set some, the calendar's reminders
   * apply. Merged field by field; `null` restores the calendar's.
   */
  reminders?: EventRemindersInput | null | undefined;
  /**
   * Shared. The revision number as in iCalendar, from 0 on. Best left out: the server raises it. A number below the
   * stored one is an error. Default: `0`.
   */
  sequence?: number | null | undefined;
  /**
   * The creator's. The source of the event. Only the event's creator may read and change it; a value from anybody else
   * is refused. `null` removes it.
   */
  source?: EventSourceInput | null | undefined;
  /**
   * Shared, refused on a locked copy. When the event starts; required in an insert, and it cannot be cleared.
   * Must be before `end` and of the same kind: both days, or both times.
   */
  start?: EventTimeInput | null | undefined;
  /**
   * Shared. `cancelled` deletes the event; a cancelled event takes no other patch than back to `confirmed` or
   * `tentative`, which restores it. `null` means the default, `confirmed`. On a guest's copy, `cancelled` removes the
   * event from this calendar only, and `confirmed` restores it.
   */
  status?: EventStatus | null | undefined;
  /** Shared, refused on a locked copy. The title, at most 8192 characters; `null` clears it. */
  summary?: string | null | undefined;
  /** This copy's. Whether the event blocks time. `null` means the default, `opaque`. */
  transparency?: EventTransparency | null | undefined;
  /** Read-only, when the event was last changed: accepted and ignored; a value that differs gives a warning. */
  updated?: string | null | undefined;
  /** This copy's. Who may read the details. `null` means `default`, the calendar's own setting. */
  visibility?: EventVisibility | null | undefined;
};

/** The organizer as you read it. Read-only: accepted and ignored; another value gives a warning. */
export type EventOrganizerInput = {
  /** Read-only: the organizer's name. */
  displayName?: string | null | undefined;
  /** Read-only: the organizer's address. */
  email?: string | null | undefined;
  /** Read-only: the identifier of the organizer's profile. */
  id?: string | null | undefined;
  /** Read-only: whether the organizer is the owner of the calendar that was asked. */
  self?: boolean | null | undefined;
};

/** One reminder. Both fields are required when it is added. */
export type EventReminderInput = {
  /** How the reminder arrives. Required when a reminder is added; a new `sms` is ignored with a warning. */
  method?: ReminderMethod | null | undefined;
  /**
   * How many minutes before the start it arrives: 0 to 40320, which is 4 weeks; anything else is an error.
   * Required when a reminder is added.
   */
  minutes?: number | null | undefined;
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
  overrides?: Array<EventReminderInput> | null | undefined;
  /**
   * Whether the calendar's own reminders apply. `true` together with `overrides` is an error, reason
   * `cannotUseDefaultRemindersAndSpecifyOverride`: send `overrides: null` with it.
   */
  useDefault?: boolean | null | undefined;
};

/** The source of an event. Only the event's creator may read and change it. Merged field by field. */
export type EventSourceInput = {
  /** The title of the source, such as that of a web page, at most 8192 characters; `null` clears it. */
  title?: string | null | undefined;
  /** The address of the source. Must begin with `http:` or `https:`; at most 8192 characters; `null` clears it. */
  url?: string | null | undefined;
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
 * A point in time: either a day or a time of day. To turn an all-day event into a timed one, or back, send
 * `null` for the field that no longer applies: `{ "date": null, "dateTime": "2026-05-04T09:30:00+02:00" }`.
 */
export type EventTimeInput = {
  /** The day of an all-day event. Not together with `dateTime`; `null` clears it. */
  date?: string | null | undefined;
  /**
   * The date and time. Without an offset it needs `timeZone` and is meant there; a time that the change to
   * summer time skips moves forward. Not together with `date`; `null` clears it.
   */
  dateTime?: string | null | undefined;
  /**
   * The name of a time zone from the IANA database, such as `Europe/Vienna`. Required for a recurring event,
   * which is repeated in that zone, and for a `dateTime` without offset; otherwise optional. `null` clears it. A zone
   * name of Windows is stored as the IANA name for it, with the warning `normalized`.
   */
  timeZone?: string | null | undefined;
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
  custom_attributes?: Record<string, string | null> | null | undefined;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  etag?: string | null | undefined;
  /**
   * The kinds of change to publish, at most 100 entries. Absent, null or empty means all of them. Values given twice
   * are kept once, and the order is not kept.
   */
  event_types?: Array<ObjectEventType> | null | undefined;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  id?: string | null | undefined;
  /** Always `storage#notification`. Accepted and ignored; another value is answered with a warning. */
  kind?: string | null | undefined;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  nodeId?: string | null | undefined;
  /** Report only objects whose name begins with this string, at most 1024 bytes (UTF-8). Absent or null: every object. */
  object_name_prefix?: string | null | undefined;
  /** The content of a message's body. Absent or null: `JSON_API_V1`. */
  payload_format?: PayloadFormat | null | undefined;
  /** Given by the server: accepted and ignored. A value that differs is answered with a warning. */
  selfLink?: string | null | undefined;
  /**
   * The topic that messages go to: `//{host}/projects/{project}/topics/{topic}`, or the short form
   * `projects/{project}/topics/{topic}`, which is stored in full. Any other form is an error. Absent or null is
   * accepted with the warning that nothing will be published.
   */
  topic?: string | null | undefined;
};

/** The type of a change of an object. */
export type ObjectChangeInput = {
  /** When it happened. Absent or null: now. Messages carry it in UTC with microseconds, where its year is 0001 to 9999 too. */
  eventTime?: string | null | undefined;
  /** The kind of change. Subscriptions can be limited to some kinds. */
  eventType: ObjectEventType;
  /**
   * The object's own description, which is the body of messages with a payload; at most 512 KiB (524288 bytes) as JSON. Absent or
   * null: the body has the bucket, the name and the generation.
   */
  object?: Record<string, unknown> | null | undefined;
  /** The generation of the object that changed: a decimal number of up to 19 digits, in a string. */
  objectGeneration?: string | null | undefined;
  /**
   * The name of the object: 1 to 1024 bytes (UTF-8), without CR and LF, and neither `.` nor `..`. Prefixes are compared
   * with it.
   */
  objectId: string;
  /** The generation that replaced this one. Only with `OBJECT_DELETE` and `OBJECT_ARCHIVE`. */
  overwrittenByGeneration?: string | null | undefined;
  /** The generation that this one replaced. Only with `OBJECT_FINALIZE`. */
  overwroteGeneration?: string | null | undefined;
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

/** The content of a message's body. Every message has attributes. */
export type PayloadFormat =
  /** The object's metadata as a JSON string. Used when nothing else is asked for. */
  | 'JSON_API_V1'
  /** An empty body; the attributes describe the change. */
  | 'NONE';

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

export type EventFieldsFragment = { nodeId: string, id: string, iCalUID: string | null, etag: string | null, status: EventStatus | null, summary: string | null, description: string | null, location: string | null, recurrence: Array<string> | null, recurringEventId: string | null, colorId: string | null, visibility: EventVisibility | null, locked: boolean | null, privateCopy: boolean | null, start: { date: string | null, dateTime: string | null, timeZone: string | null } | null, end: { date: string | null, dateTime: string | null, timeZone: string | null } | null, creator: { email: string | null } | null, organizer: { email: string | null, self: boolean | null } | null, attendees: Array<{ email: string | null, displayName: string | null, responseStatus: ResponseStatus | null, organizer: boolean | null, self: boolean | null, resource: boolean | null }> | null, reminders: { useDefault: boolean | null, overrides: Array<{ method: ReminderMethod | null, minutes: number | null }> | null } | null };

export type EventPageFragment = { nextSyncToken: string | null, nodes: Array<{ nodeId: string, id: string, iCalUID: string | null, etag: string | null, status: EventStatus | null, summary: string | null, description: string | null, location: string | null, recurrence: Array<string> | null, recurringEventId: string | null, colorId: string | null, visibility: EventVisibility | null, locked: boolean | null, privateCopy: boolean | null, start: { date: string | null, dateTime: string | null, timeZone: string | null } | null, end: { date: string | null, dateTime: string | null, timeZone: string | null } | null, creator: { email: string | null } | null, organizer: { email: string | null, self: boolean | null } | null, attendees: Array<{ email: string | null, displayName: string | null, responseStatus: ResponseStatus | null, organizer: boolean | null, self: boolean | null, resource: boolean | null }> | null, reminders: { useDefault: boolean | null, overrides: Array<{ method: ReminderMethod | null, minutes: number | null }> | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } };

export type CalendarFieldsFragment = { nodeId: string, id: string, etag: string | null, summary: string | null, description: string | null, location: string | null, timeZone: string, backgroundColor: string | null, accessRole: CalendarAccessRole, primary: boolean, defaultReminders: Array<{ method: ReminderMethod | null, minutes: number | null }> | null };

export type DemoCalendarsQueryVariables = Exact<{ [key: string]: never; }>;


export type DemoCalendarsQuery = { calendars: Array<{ nodeId: string, id: string, etag: string | null, summary: string | null, description: string | null, location: string | null, timeZone: string, backgroundColor: string | null, accessRole: CalendarAccessRole, primary: boolean, defaultReminders: Array<{ method: ReminderMethod | null, minutes: number | null }> | null }> | null };

export type DemoInsertCalendarMutationVariables = Exact<{
  calendar: CalendarInput;
  requestId: string;
}>;


export type DemoInsertCalendarMutation = { insertCalendar: { nodeId: string, id: string, etag: string | null, summary: string | null, description: string | null, location: string | null, timeZone: string, backgroundColor: string | null, accessRole: CalendarAccessRole, primary: boolean, defaultReminders: Array<{ method: ReminderMethod | null, minutes: number | null }> | null } | null };

export type DemoPatchCalendarMutationVariables = Exact<{
  calendarId: string;
  calendar: CalendarInput;
  ifMatch?: string | null | undefined;
}>;


export type DemoPatchCalendarMutation = { patchCalendar: { nodeId: string, id: string, etag: string | null, summary: string | null, description: string | null, location: string | null, timeZone: string, backgroundColor: string | null, accessRole: CalendarAccessRole, primary: boolean, defaultReminders: Array<{ method: ReminderMethod | null, minutes: number | null }> | null } | null };

export type DemoDeleteCalendarMutationVariables = Exact<{
  calendarId: string;
  ifMatch?: string | null | undefined;
}>;


export type DemoDeleteCalendarMutation = { deleteCalendar: boolean | null };

export type DemoCalendarAccessQueryVariables = Exact<{
  calendarId: string;
}>;


export type DemoCalendarAccessQuery = { calendarAccess: Array<{ email: string, role: CalendarAccessRole }> | null };

export type DemoSetCalendarAccessMutationVariables = Exact<{
  calendarId: string;
  email: string;
  role: CalendarAccessRole;
}>;


export type DemoSetCalendarAccessMutation = { setCalendarAccess: Array<{ email: string, role: CalendarAccessRole }> | null };

export type DemoCalendarFeedQueryVariables = Exact<{
  calendarId: string;
}>;


export type DemoCalendarFeedQuery = { calendar: { nodeId: string, feedUrl: string | null } | null };

export type DemoResetCalendarFeedMutationVariables = Exact<{
  calendarId: string;
}>;


export type DemoResetCalendarFeedMutation = { resetCalendarFeed: { nodeId: string, feedUrl: string | null } | null };

export type DemoEventsQueryVariables = Exact<{
  calendarId: string;
  timeMin: string;
  timeMax: string;
  q?: string | null | undefined;
  after?: string | null | undefined;
}>;


export type DemoEventsQuery = { events: { nextSyncToken: string | null, nodes: Array<{ nodeId: string, id: string, iCalUID: string | null, etag: string | null, status: EventStatus | null, summary: string | null, description: string | null, location: string | null, recurrence: Array<string> | null, recurringEventId: string | null, colorId: string | null, visibility: EventVisibility | null, locked: boolean | null, privateCopy: boolean | null, start: { date: string | null, dateTime: string | null, timeZone: string | null } | null, end: { date: string | null, dateTime: string | null, timeZone: string | null } | null, creator: { email: string | null } | null, organizer: { email: string | null, self: boolean | null } | null, attendees: Array<{ email: string | null, displayName: string | null, responseStatus: ResponseStatus | null, organizer: boolean | null, self: boolean | null, resource: boolean | null }> | null, reminders: { useDefault: boolean | null, overrides: Array<{ method: ReminderMethod | null, minutes: number | null }> | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type DemoChangesQueryVariables = Exact<{
  calendarId: string;
  syncToken: string;
  after?: string | null | undefined;
}>;


export type DemoChangesQuery = { events: { nextSyncToken: string | null, nodes: Array<{ nodeId: string, id: string, iCalUID: string | null, etag: string | null, status: EventStatus | null, summary: string | null, description: string | null, location: string | null, recurrence: Array<string> | null, recurringEventId: string | null, colorId: string | null, visibility: EventVisibility | null, locked: boolean | null, privateCopy: boolean | null, start: { date: string | null, dateTime: string | null, timeZone: string | null } | null, end: { date: string | null, dateTime: string | null, timeZone: string | null } | null, creator: { email: string | null } | null, organizer: { email: string | null, self: boolean | null } | null, attendees: Array<{ email: string | null, displayName: string | null, responseStatus: ResponseStatus | null, organizer: boolean | null, self: boolean | null, resource: boolean | null }> | null, reminders: { useDefault: boolean | null, overrides: Array<{ method: ReminderMethod | null, minutes: number | null }> | null } | null }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } | null };

export type DemoEventQueryVariables = Exact<{
  calendarId: string;
  eventId: string;
}>;


export type DemoEventQuery = { event: { nodeId: string, id: string, iCalUID: string | null, etag: string | null, status: EventStatus | null, summary: string | null, description: string | null, location: string | null, recurrence: Array<string> | null, recurringEventId: string | null, colorId: string | null, visibility: EventVisibility | null, locked: boolean | null, privateCopy: boolean | null, start: { date: string | null, dateTime: string | null, timeZone: string | null } | null, end: { date: string | null, dateTime: string | null, timeZone: string | null } | null, creator: { email: string | null } | null, organizer: { email: string | null, self: boolean | null } | null, attendees: Array<{ email: string | null, displayName: string | null, responseStatus: ResponseStatus | null, organizer: boolean | null, self: boolean | null, resource: boolean | null }> | null, reminders: { useDefault: boolean | null, overrides: Array<{ method: ReminderMethod | null, minutes: number | null }> | null } | null } | null };

export type DemoPatchEventMutationVariables = Exact<{
  calendarId: string;
  eventId: string;
  event: EventInput;
  attendeeChanges?: AttendeeChangesInput | null | undefined;
  ifMatch?: string | null | undefined;
  sendUpdates?: SendUpdates | null | undefined;
}>;


export type DemoPatchEventMutation = { patchEvent: { nodeId: string, id: string, iCalUID: string | null, etag: string | null, status: EventStatus | null, summary: string | null, description: string | null, location: string | null, recurrence: Array<string> | null, recurringEventId: string | null, colorId: string | null, visibility: EventVisibility | null, locked: boolean | null, privateCopy: boolean | null, start: { date: string | null, dateTime: string | null, timeZone: string | null } | null, end: { date: string | null, dateTime: string | null, timeZone: string | null } | null, creator: { email: string | null } | null, organizer: { email: string | null, self: boolean | null } | null, attendees: Array<{ email: string | null, displayName: string | null, responseStatus: ResponseStatus | null, organizer: boolean | null, self: boolean | null, resource: boolean | null }> | null, reminders: { useDefault: boolean | null, overrides: Array<{ method: ReminderMethod | null, minutes: number | null }> | null } | null } | null };

export type DemoPatchFollowingEventsMutationVariables = Exact<{
  calendarId: string;
  eventId: string;
  event: EventInput;
  attendeeChanges?: AttendeeChangesInput | null | undefined;
  requestId: string;
  ifMatch?: string | null | undefined;
  sendUpdates?: SendUpdates | null | undefined;
}>;


export type DemoPatchFollowingEventsMutation = { patchFollowingEvents: { following: { nodeId: string, id: string, iCalUID: string | null, etag: string | null, status: EventStatus | null, summary: string | null, description: string | null, location: string | null, recurrence: Array<string> | null, recurringEventId: string | null, colorId: string | null, visibility: EventVisibility | null, locked: boolean | null, privateCopy: boolean | null, start: { date: string | null, dateTime: string | null, timeZone: string | null } | null, end: { date: string | null, dateTime: string | null, timeZone: string | null } | null, creator: { email: string | null } | null, organizer: { email: string | null, self: boolean | null } | null, attendees: Array<{ email: string | null, displayName: string | null, responseStatus: ResponseStatus | null, organizer: boolean | null, self: boolean | null, resource: boolean | null }> | null, reminders: { useDefault: boolean | null, overrides: Array<{ method: ReminderMethod | null, minutes: number | null }> | null } | null } | null } | null };

export type DemoInsertEventMutationVariables = Exact<{
  calendarId: string;
  event: EventInput;
  requestId: string;
  sendUpdates?: SendUpdates | null | undefined;
}>;


export type DemoInsertEventMutation = { insertEvent: { nodeId: string, id: string, iCalUID: string | null, etag: string | null, status: EventStatus | null, summary: string | null, description: string | null, location: string | null, recurrence: Array<string> | null, recurringEventId: string | null, colorId: string | null, visibility: EventVisibility | null, locked: boolean | null, privateCopy: boolean | null, start: { date: string | null, dateTime: string | null, timeZone: string | null } | null, end: { date: string | null, dateTime: string | null, timeZone: string | null } | null, creator: { email: string | null } | null, organizer: { email: string | null, self: boolean | null } | null, attendees: Array<{ email: string | null, displayName: string | null, responseStatus: ResponseStatus | null, organizer: boolean | null, self: boolean | null, resource: boolean | null }> | null, reminders: { useDefault: boolean | null, overrides: Array<{ method: ReminderMethod | null, minutes: number | null }> | null } | null } | null };

export type DemoImportCalendarMutationVariables = Exact<{
  calendarId: string;
  icalendar: string;
  validateOnly: boolean;
}>;


export type DemoImportCalendarMutation = { importCalendar: { created: number, updated: number, unchanged: number, refused: Array<{ uid: string | null, index: number, issues: Array<{ message: string }> }> } | null };

export type DemoMoveEventMutationVariables = Exact<{
  calendarId: string;
  eventId: string;
  destination: string;
  ifMatch?: string | null | undefined;
  sendUpdates?: SendUpdates | null | undefined;
}>;


export type DemoMoveEventMutation = { moveEvent: { nodeId: string, id: string, iCalUID: string | null, etag: string | null, status: EventStatus | null, summary: string | null, description: string | null, location: string | null, recurrence: Array<string> | null, recurringEventId: string | null, colorId: string | null, visibility: EventVisibility | null, locked: boolean | null, privateCopy: boolean | null, start: { date: string | null, dateTime: string | null, timeZone: string | null } | null, end: { date: string | null, dateTime: string | null, timeZone: string | null } | null, creator: { email: string | null } | null, organizer: { email: string | null, self: boolean | null } | null, attendees: Array<{ email: string | null, displayName: string | null, responseStatus: ResponseStatus | null, organizer: boolean | null, self: boolean | null, resource: boolean | null }> | null, reminders: { useDefault: boolean | null, overrides: Array<{ method: ReminderMethod | null, minutes: number | null }> | null } | null } | null };

export type DemoDeleteEventMutationVariables = Exact<{
  calendarId: string;
  eventId: string;
  ifMatch?: string | null | undefined;
  sendUpdates?: SendUpdates | null | undefined;
}>;


export type DemoDeleteEventMutation = { deleteEvent: boolean | null };

export type DemoDeleteFollowingEventsMutationVariables = Exact<{
  calendarId: string;
  eventId: string;
  ifMatch?: string | null | undefined;
  sendUpdates?: SendUpdates | null | undefined;
}>;


export type DemoDeleteFollowingEventsMutation = { deleteFollowingEvents: { nodeId: string, id: string } | null };

export type DemoFreeBusyQueryVariables = Exact<{
  calendarIds: Array<string> | string;
  timeMin: string;
  timeMax: string;
}>;


export type DemoFreeBusyQuery = { freeBusy: Array<{ calendarId: string, busy: Array<{ start: string, end: string }>, error: { reason: string } | null }> | null };

export type DemoCalendarsChangedSubscriptionVariables = Exact<{
  calendarIds: Array<string> | string;
}>;


export type DemoCalendarsChangedSubscription = { calendarsChanged: { calendarId: string } | null };

export type DemoBucketsQueryVariables = Exact<{
  project: string;
}>;


export type DemoBucketsQuery = { buckets: { nodes: Array<{ nodeId: string, id: string, etag: string | null, timeCreated: string | null, billing: { requesterPays: boolean | null } | null }>, pageInfo: { hasNextPage: boolean } } | null };

export type DemoInsertBucketMutationVariables = Exact<{
  project: string;
  requestId: string;
  bucket: BucketInput;
}>;


export type DemoInsertBucketMutation = { insertBucket: { nodeId: string, id: string } | null };

export type DemoDeleteBucketMutationVariables = Exact<{
  bucket: string;
  ifMatch?: string | null | undefined;
}>;


export type DemoDeleteBucketMutation = { deleteBucket: boolean | null };

export type DemoNotificationsQueryVariables = Exact<{
  bucket: string;
  userProject?: string | null | undefined;
}>;


export type DemoNotificationsQuery = { notifications: Array<{ nodeId: string, id: string, topic: string | null, event_types: Array<ObjectEventType> | null, object_name_prefix: string | null, payload_format: PayloadFormat | null, custom_attributes: Record<string, string> | null }> | null };

export type DemoInsertNotificationMutationVariables = Exact<{
  bucket: string;
  userProject?: string | null | undefined;
  requestId: string;
  notification: NotificationInput;
}>;


export type DemoInsertNotificationMutation = { insertNotification: { nodeId: string, id: string } | null };

export type DemoDeleteNotificationMutationVariables = Exact<{
  bucket: string;
  userProject?: string | null | undefined;
  notificationId: string;
}>;


export type DemoDeleteNotificationMutation = { deleteNotification: boolean | null };

export type DemoPublishMutationVariables = Exact<{
  bucket: string;
  requestId: string;
  change: ObjectChangeInput;
}>;


export type DemoPublishMutation = { publishObjectChange: { messages: Array<{ messageId: string, notificationId: string | null }> } | null };

export type DemoMessagePublishedSubscriptionVariables = Exact<{
  topic: string;
}>;


export type DemoMessagePublishedSubscription = { messagePublished: { messageId: string, notificationId: string | null, topic: string | null, attributes: Record<string, string> | null, data: string | null } | null };

export const EventFieldsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EventFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Event"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"iCalUID"}},{"kind":"Field","name":{"kind":"Name","value":"etag"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"location"}},{"kind":"Field","name":{"kind":"Name","value":"start"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"end"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"recurrence"}},{"kind":"Field","name":{"kind":"Name","value":"recurringEventId"}},{"kind":"Field","name":{"kind":"Name","value":"colorId"}},{"kind":"Field","name":{"kind":"Name","value":"visibility"}},{"kind":"Field","name":{"kind":"Name","value":"locked"}},{"kind":"Field","name":{"kind":"Name","value":"privateCopy"}},{"kind":"Field","name":{"kind":"Name","value":"creator"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}}]}},{"kind":"Field","name":{"kind":"Name","value":"organizer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"self"}}]}},{"kind":"Field","name":{"kind":"Name","value":"attendees"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"responseStatus"}},{"kind":"Field","name":{"kind":"Name","value":"organizer"}},{"kind":"Field","name":{"kind":"Name","value":"self"}},{"kind":"Field","name":{"kind":"Name","value":"resource"}}]}},{"kind":"Field","name":{"kind":"Name","value":"reminders"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"useDefault"}},{"kind":"Field","name":{"kind":"Name","value":"overrides"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"method"}},{"kind":"Field","name":{"kind":"Name","value":"minutes"}}]}}]}}]}}]} as unknown as DocumentNode<EventFieldsFragment, unknown>;
export const EventPageFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EventPage"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"EventConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EventFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nextSyncToken"}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EventFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Event"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"iCalUID"}},{"kind":"Field","name":{"kind":"Name","value":"etag"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"location"}},{"kind":"Field","name":{"kind":"Name","value":"start"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"end"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"recurrence"}},{"kind":"Field","name":{"kind":"Name","value":"recurringEventId"}},{"kind":"Field","name":{"kind":"Name","value":"colorId"}},{"kind":"Field","name":{"kind":"Name","value":"visibility"}},{"kind":"Field","name":{"kind":"Name","value":"locked"}},{"kind":"Field","name":{"kind":"Name","value":"privateCopy"}},{"kind":"Field","name":{"kind":"Name","value":"creator"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}}]}},{"kind":"Field","name":{"kind":"Name","value":"organizer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"self"}}]}},{"kind":"Field","name":{"kind":"Name","value":"attendees"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"responseStatus"}},{"kind":"Field","name":{"kind":"Name","value":"organizer"}},{"kind":"Field","name":{"kind":"Name","value":"self"}},{"kind":"Field","name":{"kind":"Name","value":"resource"}}]}},{"kind":"Field","name":{"kind":"Name","value":"reminders"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"useDefault"}},{"kind":"Field","name":{"kind":"Name","value":"overrides"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"method"}},{"kind":"Field","name":{"kind":"Name","value":"minutes"}}]}}]}}]}}]} as unknown as DocumentNode<EventPageFragment, unknown>;
export const CalendarFieldsFragmentDoc = {"kind":"Document","definitions":[{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CalendarFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Calendar"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"etag"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"location"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}},{"kind":"Field","name":{"kind":"Name","value":"backgroundColor"}},{"kind":"Field","name":{"kind":"Name","value":"accessRole"}},{"kind":"Field","name":{"kind":"Name","value":"primary"}},{"kind":"Field","name":{"kind":"Name","value":"defaultReminders"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"method"}},{"kind":"Field","name":{"kind":"Name","value":"minutes"}}]}}]}}]} as unknown as DocumentNode<CalendarFieldsFragment, unknown>;
export const DemoCalendarsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DemoCalendars"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"calendars"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CalendarFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CalendarFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Calendar"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"etag"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"location"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}},{"kind":"Field","name":{"kind":"Name","value":"backgroundColor"}},{"kind":"Field","name":{"kind":"Name","value":"accessRole"}},{"kind":"Field","name":{"kind":"Name","value":"primary"}},{"kind":"Field","name":{"kind":"Name","value":"defaultReminders"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"method"}},{"kind":"Field","name":{"kind":"Name","value":"minutes"}}]}}]}}]} as unknown as DocumentNode<DemoCalendarsQuery, DemoCalendarsQueryVariables>;
export const DemoInsertCalendarDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoInsertCalendar"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendar"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CalendarInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"insertCalendar"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendar"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendar"}}},{"kind":"Argument","name":{"kind":"Name","value":"requestId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CalendarFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CalendarFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Calendar"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"etag"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"location"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}},{"kind":"Field","name":{"kind":"Name","value":"backgroundColor"}},{"kind":"Field","name":{"kind":"Name","value":"accessRole"}},{"kind":"Field","name":{"kind":"Name","value":"primary"}},{"kind":"Field","name":{"kind":"Name","value":"defaultReminders"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"method"}},{"kind":"Field","name":{"kind":"Name","value":"minutes"}}]}}]}}]} as unknown as DocumentNode<DemoInsertCalendarMutation, DemoInsertCalendarMutationVariables>;
export const DemoPatchCalendarDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoPatchCalendar"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendar"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CalendarInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"patchCalendar"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}},{"kind":"Argument","name":{"kind":"Name","value":"calendar"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendar"}}},{"kind":"Argument","name":{"kind":"Name","value":"ifMatch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"CalendarFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"CalendarFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Calendar"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"etag"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"location"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}},{"kind":"Field","name":{"kind":"Name","value":"backgroundColor"}},{"kind":"Field","name":{"kind":"Name","value":"accessRole"}},{"kind":"Field","name":{"kind":"Name","value":"primary"}},{"kind":"Field","name":{"kind":"Name","value":"defaultReminders"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"method"}},{"kind":"Field","name":{"kind":"Name","value":"minutes"}}]}}]}}]} as unknown as DocumentNode<DemoPatchCalendarMutation, DemoPatchCalendarMutationVariables>;
export const DemoDeleteCalendarDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoDeleteCalendar"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteCalendar"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}},{"kind":"Argument","name":{"kind":"Name","value":"ifMatch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}}}]}]}}]} as unknown as DocumentNode<DemoDeleteCalendarMutation, DemoDeleteCalendarMutationVariables>;
export const DemoCalendarAccessDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DemoCalendarAccess"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"calendarAccess"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"role"}}]}}]}}]} as unknown as DocumentNode<DemoCalendarAccessQuery, DemoCalendarAccessQueryVariables>;
export const DemoSetCalendarAccessDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoSetCalendarAccess"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"email"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"role"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"CalendarAccessRole"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"setCalendarAccess"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}},{"kind":"Argument","name":{"kind":"Name","value":"email"},"value":{"kind":"Variable","name":{"kind":"Name","value":"email"}}},{"kind":"Argument","name":{"kind":"Name","value":"role"},"value":{"kind":"Variable","name":{"kind":"Name","value":"role"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"role"}}]}}]}}]} as unknown as DocumentNode<DemoSetCalendarAccessMutation, DemoSetCalendarAccessMutationVariables>;
export const DemoCalendarFeedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DemoCalendarFeed"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"calendar"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"feedUrl"}}]}}]}}]} as unknown as DocumentNode<DemoCalendarFeedQuery, DemoCalendarFeedQueryVariables>;
export const DemoResetCalendarFeedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoResetCalendarFeed"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"resetCalendarFeed"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"feedUrl"}}]}}]}}]} as unknown as DocumentNode<DemoResetCalendarFeedMutation, DemoResetCalendarFeedMutationVariables>;
export const DemoEventsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DemoEvents"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"timeMin"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"timeMax"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"q"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"events"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}},{"kind":"Argument","name":{"kind":"Name","value":"singleEvents"},"value":{"kind":"BooleanValue","value":true}},{"kind":"Argument","name":{"kind":"Name","value":"orderBy"},"value":{"kind":"EnumValue","value":"startTime"}},{"kind":"Argument","name":{"kind":"Name","value":"timeMin"},"value":{"kind":"Variable","name":{"kind":"Name","value":"timeMin"}}},{"kind":"Argument","name":{"kind":"Name","value":"timeMax"},"value":{"kind":"Variable","name":{"kind":"Name","value":"timeMax"}}},{"kind":"Argument","name":{"kind":"Name","value":"q"},"value":{"kind":"Variable","name":{"kind":"Name","value":"q"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EventPage"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EventFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Event"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"iCalUID"}},{"kind":"Field","name":{"kind":"Name","value":"etag"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"location"}},{"kind":"Field","name":{"kind":"Name","value":"start"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"end"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"recurrence"}},{"kind":"Field","name":{"kind":"Name","value":"recurringEventId"}},{"kind":"Field","name":{"kind":"Name","value":"colorId"}},{"kind":"Field","name":{"kind":"Name","value":"visibility"}},{"kind":"Field","name":{"kind":"Name","value":"locked"}},{"kind":"Field","name":{"kind":"Name","value":"privateCopy"}},{"kind":"Field","name":{"kind":"Name","value":"creator"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}}]}},{"kind":"Field","name":{"kind":"Name","value":"organizer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"self"}}]}},{"kind":"Field","name":{"kind":"Name","value":"attendees"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"responseStatus"}},{"kind":"Field","name":{"kind":"Name","value":"organizer"}},{"kind":"Field","name":{"kind":"Name","value":"self"}},{"kind":"Field","name":{"kind":"Name","value":"resource"}}]}},{"kind":"Field","name":{"kind":"Name","value":"reminders"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"useDefault"}},{"kind":"Field","name":{"kind":"Name","value":"overrides"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"method"}},{"kind":"Field","name":{"kind":"Name","value":"minutes"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EventPage"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"EventConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EventFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nextSyncToken"}}]}}]} as unknown as DocumentNode<DemoEventsQuery, DemoEventsQueryVariables>;
export const DemoChangesDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DemoChanges"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"syncToken"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"after"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"events"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}},{"kind":"Argument","name":{"kind":"Name","value":"singleEvents"},"value":{"kind":"BooleanValue","value":true}},{"kind":"Argument","name":{"kind":"Name","value":"syncToken"},"value":{"kind":"Variable","name":{"kind":"Name","value":"syncToken"}}},{"kind":"Argument","name":{"kind":"Name","value":"after"},"value":{"kind":"Variable","name":{"kind":"Name","value":"after"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EventPage"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EventFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Event"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"iCalUID"}},{"kind":"Field","name":{"kind":"Name","value":"etag"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"location"}},{"kind":"Field","name":{"kind":"Name","value":"start"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"end"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"recurrence"}},{"kind":"Field","name":{"kind":"Name","value":"recurringEventId"}},{"kind":"Field","name":{"kind":"Name","value":"colorId"}},{"kind":"Field","name":{"kind":"Name","value":"visibility"}},{"kind":"Field","name":{"kind":"Name","value":"locked"}},{"kind":"Field","name":{"kind":"Name","value":"privateCopy"}},{"kind":"Field","name":{"kind":"Name","value":"creator"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}}]}},{"kind":"Field","name":{"kind":"Name","value":"organizer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"self"}}]}},{"kind":"Field","name":{"kind":"Name","value":"attendees"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"responseStatus"}},{"kind":"Field","name":{"kind":"Name","value":"organizer"}},{"kind":"Field","name":{"kind":"Name","value":"self"}},{"kind":"Field","name":{"kind":"Name","value":"resource"}}]}},{"kind":"Field","name":{"kind":"Name","value":"reminders"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"useDefault"}},{"kind":"Field","name":{"kind":"Name","value":"overrides"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"method"}},{"kind":"Field","name":{"kind":"Name","value":"minutes"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EventPage"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"EventConnection"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EventFields"}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}},{"kind":"Field","name":{"kind":"Name","value":"endCursor"}}]}},{"kind":"Field","name":{"kind":"Name","value":"nextSyncToken"}}]}}]} as unknown as DocumentNode<DemoChangesQuery, DemoChangesQueryVariables>;
export const DemoEventDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DemoEvent"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"event"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}},{"kind":"Argument","name":{"kind":"Name","value":"eventId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EventFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EventFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Event"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"iCalUID"}},{"kind":"Field","name":{"kind":"Name","value":"etag"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"location"}},{"kind":"Field","name":{"kind":"Name","value":"start"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"end"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"recurrence"}},{"kind":"Field","name":{"kind":"Name","value":"recurringEventId"}},{"kind":"Field","name":{"kind":"Name","value":"colorId"}},{"kind":"Field","name":{"kind":"Name","value":"visibility"}},{"kind":"Field","name":{"kind":"Name","value":"locked"}},{"kind":"Field","name":{"kind":"Name","value":"privateCopy"}},{"kind":"Field","name":{"kind":"Name","value":"creator"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}}]}},{"kind":"Field","name":{"kind":"Name","value":"organizer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"self"}}]}},{"kind":"Field","name":{"kind":"Name","value":"attendees"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"responseStatus"}},{"kind":"Field","name":{"kind":"Name","value":"organizer"}},{"kind":"Field","name":{"kind":"Name","value":"self"}},{"kind":"Field","name":{"kind":"Name","value":"resource"}}]}},{"kind":"Field","name":{"kind":"Name","value":"reminders"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"useDefault"}},{"kind":"Field","name":{"kind":"Name","value":"overrides"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"method"}},{"kind":"Field","name":{"kind":"Name","value":"minutes"}}]}}]}}]}}]} as unknown as DocumentNode<DemoEventQuery, DemoEventQueryVariables>;
export const DemoPatchEventDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoPatchEvent"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"event"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"EventInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"attendeeChanges"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"AttendeeChangesInput"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sendUpdates"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SendUpdates"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"patchEvent"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}},{"kind":"Argument","name":{"kind":"Name","value":"eventId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}}},{"kind":"Argument","name":{"kind":"Name","value":"event"},"value":{"kind":"Variable","name":{"kind":"Name","value":"event"}}},{"kind":"Argument","name":{"kind":"Name","value":"attendeeChanges"},"value":{"kind":"Variable","name":{"kind":"Name","value":"attendeeChanges"}}},{"kind":"Argument","name":{"kind":"Name","value":"ifMatch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}}},{"kind":"Argument","name":{"kind":"Name","value":"sendUpdates"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sendUpdates"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EventFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EventFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Event"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"iCalUID"}},{"kind":"Field","name":{"kind":"Name","value":"etag"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"location"}},{"kind":"Field","name":{"kind":"Name","value":"start"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"end"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"recurrence"}},{"kind":"Field","name":{"kind":"Name","value":"recurringEventId"}},{"kind":"Field","name":{"kind":"Name","value":"colorId"}},{"kind":"Field","name":{"kind":"Name","value":"visibility"}},{"kind":"Field","name":{"kind":"Name","value":"locked"}},{"kind":"Field","name":{"kind":"Name","value":"privateCopy"}},{"kind":"Field","name":{"kind":"Name","value":"creator"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}}]}},{"kind":"Field","name":{"kind":"Name","value":"organizer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"self"}}]}},{"kind":"Field","name":{"kind":"Name","value":"attendees"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"responseStatus"}},{"kind":"Field","name":{"kind":"Name","value":"organizer"}},{"kind":"Field","name":{"kind":"Name","value":"self"}},{"kind":"Field","name":{"kind":"Name","value":"resource"}}]}},{"kind":"Field","name":{"kind":"Name","value":"reminders"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"useDefault"}},{"kind":"Field","name":{"kind":"Name","value":"overrides"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"method"}},{"kind":"Field","name":{"kind":"Name","value":"minutes"}}]}}]}}]}}]} as unknown as DocumentNode<DemoPatchEventMutation, DemoPatchEventMutationVariables>;
export const DemoPatchFollowingEventsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoPatchFollowingEvents"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"event"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"EventInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"attendeeChanges"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"AttendeeChangesInput"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sendUpdates"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SendUpdates"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"patchFollowingEvents"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}},{"kind":"Argument","name":{"kind":"Name","value":"eventId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}}},{"kind":"Argument","name":{"kind":"Name","value":"event"},"value":{"kind":"Variable","name":{"kind":"Name","value":"event"}}},{"kind":"Argument","name":{"kind":"Name","value":"attendeeChanges"},"value":{"kind":"Variable","name":{"kind":"Name","value":"attendeeChanges"}}},{"kind":"Argument","name":{"kind":"Name","value":"requestId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}}},{"kind":"Argument","name":{"kind":"Name","value":"ifMatch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}}},{"kind":"Argument","name":{"kind":"Name","value":"sendUpdates"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sendUpdates"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"following"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EventFields"}}]}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EventFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Event"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"iCalUID"}},{"kind":"Field","name":{"kind":"Name","value":"etag"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"location"}},{"kind":"Field","name":{"kind":"Name","value":"start"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"end"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"recurrence"}},{"kind":"Field","name":{"kind":"Name","value":"recurringEventId"}},{"kind":"Field","name":{"kind":"Name","value":"colorId"}},{"kind":"Field","name":{"kind":"Name","value":"visibility"}},{"kind":"Field","name":{"kind":"Name","value":"locked"}},{"kind":"Field","name":{"kind":"Name","value":"privateCopy"}},{"kind":"Field","name":{"kind":"Name","value":"creator"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}}]}},{"kind":"Field","name":{"kind":"Name","value":"organizer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"self"}}]}},{"kind":"Field","name":{"kind":"Name","value":"attendees"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"responseStatus"}},{"kind":"Field","name":{"kind":"Name","value":"organizer"}},{"kind":"Field","name":{"kind":"Name","value":"self"}},{"kind":"Field","name":{"kind":"Name","value":"resource"}}]}},{"kind":"Field","name":{"kind":"Name","value":"reminders"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"useDefault"}},{"kind":"Field","name":{"kind":"Name","value":"overrides"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"method"}},{"kind":"Field","name":{"kind":"Name","value":"minutes"}}]}}]}}]}}]} as unknown as DocumentNode<DemoPatchFollowingEventsMutation, DemoPatchFollowingEventsMutationVariables>;
export const DemoInsertEventDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoInsertEvent"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"event"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"EventInput"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sendUpdates"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SendUpdates"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"insertEvent"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}},{"kind":"Argument","name":{"kind":"Name","value":"event"},"value":{"kind":"Variable","name":{"kind":"Name","value":"event"}}},{"kind":"Argument","name":{"kind":"Name","value":"requestId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}}},{"kind":"Argument","name":{"kind":"Name","value":"sendUpdates"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sendUpdates"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EventFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EventFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Event"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"iCalUID"}},{"kind":"Field","name":{"kind":"Name","value":"etag"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"location"}},{"kind":"Field","name":{"kind":"Name","value":"start"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"end"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"recurrence"}},{"kind":"Field","name":{"kind":"Name","value":"recurringEventId"}},{"kind":"Field","name":{"kind":"Name","value":"colorId"}},{"kind":"Field","name":{"kind":"Name","value":"visibility"}},{"kind":"Field","name":{"kind":"Name","value":"locked"}},{"kind":"Field","name":{"kind":"Name","value":"privateCopy"}},{"kind":"Field","name":{"kind":"Name","value":"creator"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}}]}},{"kind":"Field","name":{"kind":"Name","value":"organizer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"self"}}]}},{"kind":"Field","name":{"kind":"Name","value":"attendees"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"responseStatus"}},{"kind":"Field","name":{"kind":"Name","value":"organizer"}},{"kind":"Field","name":{"kind":"Name","value":"self"}},{"kind":"Field","name":{"kind":"Name","value":"resource"}}]}},{"kind":"Field","name":{"kind":"Name","value":"reminders"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"useDefault"}},{"kind":"Field","name":{"kind":"Name","value":"overrides"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"method"}},{"kind":"Field","name":{"kind":"Name","value":"minutes"}}]}}]}}]}}]} as unknown as DocumentNode<DemoInsertEventMutation, DemoInsertEventMutationVariables>;
export const DemoImportCalendarDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoImportCalendar"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"icalendar"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"validateOnly"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"Boolean"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"importCalendar"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}},{"kind":"Argument","name":{"kind":"Name","value":"icalendar"},"value":{"kind":"Variable","name":{"kind":"Name","value":"icalendar"}}},{"kind":"Argument","name":{"kind":"Name","value":"validateOnly"},"value":{"kind":"Variable","name":{"kind":"Name","value":"validateOnly"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"created"}},{"kind":"Field","name":{"kind":"Name","value":"updated"}},{"kind":"Field","name":{"kind":"Name","value":"unchanged"}},{"kind":"Field","name":{"kind":"Name","value":"refused"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"uid"}},{"kind":"Field","name":{"kind":"Name","value":"index"}},{"kind":"Field","name":{"kind":"Name","value":"issues"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"message"}}]}}]}}]}}]}}]} as unknown as DocumentNode<DemoImportCalendarMutation, DemoImportCalendarMutationVariables>;
export const DemoMoveEventDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoMoveEvent"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"destination"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sendUpdates"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SendUpdates"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"moveEvent"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}},{"kind":"Argument","name":{"kind":"Name","value":"eventId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}}},{"kind":"Argument","name":{"kind":"Name","value":"destination"},"value":{"kind":"Variable","name":{"kind":"Name","value":"destination"}}},{"kind":"Argument","name":{"kind":"Name","value":"ifMatch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}}},{"kind":"Argument","name":{"kind":"Name","value":"sendUpdates"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sendUpdates"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"FragmentSpread","name":{"kind":"Name","value":"EventFields"}}]}}]}},{"kind":"FragmentDefinition","name":{"kind":"Name","value":"EventFields"},"typeCondition":{"kind":"NamedType","name":{"kind":"Name","value":"Event"}},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"iCalUID"}},{"kind":"Field","name":{"kind":"Name","value":"etag"}},{"kind":"Field","name":{"kind":"Name","value":"status"}},{"kind":"Field","name":{"kind":"Name","value":"summary"}},{"kind":"Field","name":{"kind":"Name","value":"description"}},{"kind":"Field","name":{"kind":"Name","value":"location"}},{"kind":"Field","name":{"kind":"Name","value":"start"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"end"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"date"}},{"kind":"Field","name":{"kind":"Name","value":"dateTime"}},{"kind":"Field","name":{"kind":"Name","value":"timeZone"}}]}},{"kind":"Field","name":{"kind":"Name","value":"recurrence"}},{"kind":"Field","name":{"kind":"Name","value":"recurringEventId"}},{"kind":"Field","name":{"kind":"Name","value":"colorId"}},{"kind":"Field","name":{"kind":"Name","value":"visibility"}},{"kind":"Field","name":{"kind":"Name","value":"locked"}},{"kind":"Field","name":{"kind":"Name","value":"privateCopy"}},{"kind":"Field","name":{"kind":"Name","value":"creator"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}}]}},{"kind":"Field","name":{"kind":"Name","value":"organizer"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"self"}}]}},{"kind":"Field","name":{"kind":"Name","value":"attendees"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"email"}},{"kind":"Field","name":{"kind":"Name","value":"displayName"}},{"kind":"Field","name":{"kind":"Name","value":"responseStatus"}},{"kind":"Field","name":{"kind":"Name","value":"organizer"}},{"kind":"Field","name":{"kind":"Name","value":"self"}},{"kind":"Field","name":{"kind":"Name","value":"resource"}}]}},{"kind":"Field","name":{"kind":"Name","value":"reminders"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"useDefault"}},{"kind":"Field","name":{"kind":"Name","value":"overrides"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"method"}},{"kind":"Field","name":{"kind":"Name","value":"minutes"}}]}}]}}]}}]} as unknown as DocumentNode<DemoMoveEventMutation, DemoMoveEventMutationVariables>;
export const DemoDeleteEventDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoDeleteEvent"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sendUpdates"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SendUpdates"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteEvent"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}},{"kind":"Argument","name":{"kind":"Name","value":"eventId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}}},{"kind":"Argument","name":{"kind":"Name","value":"ifMatch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}}},{"kind":"Argument","name":{"kind":"Name","value":"sendUpdates"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sendUpdates"}}}]}]}}]} as unknown as DocumentNode<DemoDeleteEventMutation, DemoDeleteEventMutationVariables>;
export const DemoDeleteFollowingEventsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoDeleteFollowingEvents"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"sendUpdates"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"SendUpdates"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteFollowingEvents"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarId"}}},{"kind":"Argument","name":{"kind":"Name","value":"eventId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"eventId"}}},{"kind":"Argument","name":{"kind":"Name","value":"ifMatch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}}},{"kind":"Argument","name":{"kind":"Name","value":"sendUpdates"},"value":{"kind":"Variable","name":{"kind":"Name","value":"sendUpdates"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]} as unknown as DocumentNode<DemoDeleteFollowingEventsMutation, DemoDeleteFollowingEventsMutationVariables>;
export const DemoFreeBusyDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DemoFreeBusy"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarIds"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"timeMin"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"timeMax"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"DateTime"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"freeBusy"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarIds"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarIds"}}},{"kind":"Argument","name":{"kind":"Name","value":"timeMin"},"value":{"kind":"Variable","name":{"kind":"Name","value":"timeMin"}}},{"kind":"Argument","name":{"kind":"Name","value":"timeMax"},"value":{"kind":"Variable","name":{"kind":"Name","value":"timeMax"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"calendarId"}},{"kind":"Field","name":{"kind":"Name","value":"busy"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"start"}},{"kind":"Field","name":{"kind":"Name","value":"end"}}]}},{"kind":"Field","name":{"kind":"Name","value":"error"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"reason"}}]}}]}}]}}]} as unknown as DocumentNode<DemoFreeBusyQuery, DemoFreeBusyQueryVariables>;
export const DemoCalendarsChangedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"DemoCalendarsChanged"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"calendarIds"}},"type":{"kind":"NonNullType","type":{"kind":"ListType","type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"calendarsChanged"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"calendarIds"},"value":{"kind":"Variable","name":{"kind":"Name","value":"calendarIds"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"calendarId"}}]}}]}}]} as unknown as DocumentNode<DemoCalendarsChangedSubscription, DemoCalendarsChangedSubscriptionVariables>;
export const DemoBucketsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DemoBuckets"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"project"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"buckets"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"project"},"value":{"kind":"Variable","name":{"kind":"Name","value":"project"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodes"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"etag"}},{"kind":"Field","name":{"kind":"Name","value":"timeCreated"}},{"kind":"Field","name":{"kind":"Name","value":"billing"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"requesterPays"}}]}}]}},{"kind":"Field","name":{"kind":"Name","value":"pageInfo"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"hasNextPage"}}]}}]}}]}}]} as unknown as DocumentNode<DemoBucketsQuery, DemoBucketsQueryVariables>;
export const DemoInsertBucketDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoInsertBucket"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"project"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"bucket"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"BucketInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"insertBucket"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"project"},"value":{"kind":"Variable","name":{"kind":"Name","value":"project"}}},{"kind":"Argument","name":{"kind":"Name","value":"requestId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}}},{"kind":"Argument","name":{"kind":"Name","value":"bucket"},"value":{"kind":"Variable","name":{"kind":"Name","value":"bucket"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]} as unknown as DocumentNode<DemoInsertBucketMutation, DemoInsertBucketMutationVariables>;
export const DemoDeleteBucketDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoDeleteBucket"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"bucket"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteBucket"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"bucket"},"value":{"kind":"Variable","name":{"kind":"Name","value":"bucket"}}},{"kind":"Argument","name":{"kind":"Name","value":"ifMatch"},"value":{"kind":"Variable","name":{"kind":"Name","value":"ifMatch"}}}]}]}}]} as unknown as DocumentNode<DemoDeleteBucketMutation, DemoDeleteBucketMutationVariables>;
export const DemoNotificationsDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"query","name":{"kind":"Name","value":"DemoNotifications"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"bucket"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"userProject"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"notifications"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"bucket"},"value":{"kind":"Variable","name":{"kind":"Name","value":"bucket"}}},{"kind":"Argument","name":{"kind":"Name","value":"userProject"},"value":{"kind":"Variable","name":{"kind":"Name","value":"userProject"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}},{"kind":"Field","name":{"kind":"Name","value":"topic"}},{"kind":"Field","name":{"kind":"Name","value":"event_types"}},{"kind":"Field","name":{"kind":"Name","value":"object_name_prefix"}},{"kind":"Field","name":{"kind":"Name","value":"payload_format"}},{"kind":"Field","name":{"kind":"Name","value":"custom_attributes"}}]}}]}}]} as unknown as DocumentNode<DemoNotificationsQuery, DemoNotificationsQueryVariables>;
export const DemoInsertNotificationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoInsertNotification"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"bucket"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"userProject"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"notification"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"NotificationInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"insertNotification"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"bucket"},"value":{"kind":"Variable","name":{"kind":"Name","value":"bucket"}}},{"kind":"Argument","name":{"kind":"Name","value":"userProject"},"value":{"kind":"Variable","name":{"kind":"Name","value":"userProject"}}},{"kind":"Argument","name":{"kind":"Name","value":"requestId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}}},{"kind":"Argument","name":{"kind":"Name","value":"notification"},"value":{"kind":"Variable","name":{"kind":"Name","value":"notification"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"nodeId"}},{"kind":"Field","name":{"kind":"Name","value":"id"}}]}}]}}]} as unknown as DocumentNode<DemoInsertNotificationMutation, DemoInsertNotificationMutationVariables>;
export const DemoDeleteNotificationDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoDeleteNotification"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"bucket"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"userProject"}},"type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"notificationId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"deleteNotification"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"bucket"},"value":{"kind":"Variable","name":{"kind":"Name","value":"bucket"}}},{"kind":"Argument","name":{"kind":"Name","value":"userProject"},"value":{"kind":"Variable","name":{"kind":"Name","value":"userProject"}}},{"kind":"Argument","name":{"kind":"Name","value":"notificationId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"notificationId"}}}]}]}}]} as unknown as DocumentNode<DemoDeleteNotificationMutation, DemoDeleteNotificationMutationVariables>;
export const DemoPublishDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"mutation","name":{"kind":"Name","value":"DemoPublish"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"bucket"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}},{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"change"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"ObjectChangeInput"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"publishObjectChange"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"bucket"},"value":{"kind":"Variable","name":{"kind":"Name","value":"bucket"}}},{"kind":"Argument","name":{"kind":"Name","value":"requestId"},"value":{"kind":"Variable","name":{"kind":"Name","value":"requestId"}}},{"kind":"Argument","name":{"kind":"Name","value":"change"},"value":{"kind":"Variable","name":{"kind":"Name","value":"change"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messages"},"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"notificationId"}}]}}]}}]}}]} as unknown as DocumentNode<DemoPublishMutation, DemoPublishMutationVariables>;
export const DemoMessagePublishedDocument = {"kind":"Document","definitions":[{"kind":"OperationDefinition","operation":"subscription","name":{"kind":"Name","value":"DemoMessagePublished"},"variableDefinitions":[{"kind":"VariableDefinition","variable":{"kind":"Variable","name":{"kind":"Name","value":"topic"}},"type":{"kind":"NonNullType","type":{"kind":"NamedType","name":{"kind":"Name","value":"String"}}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messagePublished"},"arguments":[{"kind":"Argument","name":{"kind":"Name","value":"topic"},"value":{"kind":"Variable","name":{"kind":"Name","value":"topic"}}}],"selectionSet":{"kind":"SelectionSet","selections":[{"kind":"Field","name":{"kind":"Name","value":"messageId"}},{"kind":"Field","name":{"kind":"Name","value":"notificationId"}},{"kind":"Field","name":{"kind":"Name","value":"topic"}},{"kind":"Field","name":{"kind":"Name","value":"attributes"}},{"kind":"Field","name":{"kind":"Name","value":"data"}}]}}]}}]} as unknown as DocumentNode<DemoMessagePublishedSubscription, DemoMessagePublishedSubscriptionVariables>;