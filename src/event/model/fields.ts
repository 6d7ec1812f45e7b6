import * as z from 'zod/mini';
import {
  type Body,
  type FieldRow,
  maxReminders,
  type PatchOf,
  reminderFields,
  email,
  flag,
  integer,
  maxInt32,
  text,
  url,
} from '../../core/fields/table.ts';
import type { Fields } from '../../core/json.ts';
import { addressKey } from '../../core/text/email.ts';

const keysByEntry = new WeakMap<object, string | undefined>();

/** Key that identifies a guest: the e-mail address as `addressKey` writes it, else the profile id. */
export function attendeeKey(entry: Fields): string | undefined {
  const cachedKey = keysByEntry.get(entry);
  if (cachedKey !== undefined) return cachedKey;
  const key = computeAttendeeKey(entry);
  if (Object.isFrozen(entry)) keysByEntry.set(entry, key);
  return key;
}

const computeAttendeeKey = ({ email, id }: Fields): string | undefined =>
  typeof email === 'string' ? addressKey(email) : typeof id === 'string' ? id : undefined;

/** Limits of this service in characters, for fields that Google's API does not limit. Google's limits are in the table. */
const maxTextLength = 8192;
const maxIdentifierLength = 1024;

/** Text of times and recurrence lines. Rules check their syntax (RFC 3339, RFC 5545), since several fields belong together. */
const anyText = z.string();
const freeText = text(maxTextLength);
const identifier = text(maxIdentifierLength);

const colorId = z.string().check(
  z.refine((value) => /^([1-9]|1[01])$/.test(value), {
    error: 'This must be "1" to "11", the number of an entry in the event palette.',
    params: { reason: 'invalid', params: { min: 1, max: 11 } },
  }),
  z.describe('"1" to "11"'),
);
const shortText = text(128);
const propertyName = z
  .pipe(
    z
      .string()
      .check(
        z.refine((name) => name.length > 0, { error: 'A property needs a name of 1 to 44 characters.' }),
      ),
    text(44),
  )
  .check(z.describe('1 to 44 characters'));

// Properties that several rows of the table share (`FieldRow`).
const readOnlyRow = { change: 'readOnly' } as const;
const computedRow = { change: 'readOnly', storedIn: 'computed' } as const;
const sharedRow = { change: 'shared', storedIn: 'core' } as const;
const copyRow = { change: 'copy', storedIn: 'copy' } as const;
const organizerRow = { change: 'organizer', storedIn: 'core' } as const;
const immutableRow = { change: 'immutable', storedIn: 'core' } as const;
/**
 * Fields of a guest's response, which the guest sets, or the organizer for guests without a calendar here.
 */
const guestOwnRow = { change: 'own' } as const;
/** Fields that a locked copy protects, and that free/busy readers see. */
const timeRow = { ...sharedRow, locked: true, timeOnly: true } as const;

/** Readers who see a restricted field: the event's creator, or everybody who may write to the calendar. */
export type Audience = 'creator' | 'writers';
/** Handler in `write/normalize.ts` that normalizes a field whose value needs interpretation. */
export type Normalization =
  | 'attachments'
  | 'attendeesOmitted'
  | 'conference'
  | 'guests'
  | 'person'
  | 'recurrence'
  | 'reminders'
  | 'status'
  | 'time';

/** Row of the table of fields, with the properties that only events need. */
interface EventRow extends FieldRow<'core' | 'copy' | 'viewer'> {
  readonly audience?: Audience;
  readonly normalize?: Normalization;
}

/** Creates a function that identifies the entries of a list by one of their fields. */
const keyOfField =
  (name: string) =>
  (entry: Fields): string | undefined => {
    const value = entry[name];
    return typeof value === 'string' ? value : undefined;
  };

/** Table of event fields: who may change and see each, which part stores it, its default and limits. */
export const eventFields = {
  anyoneCanAddSelf: { ...organizerRow, default: false, value: flag },
  'attachments[]': {
    ...sharedRow,
    max: { entries: 25, label: 'attachments' },
    key: keyOfField('fileUrl'),
    normalize: 'attachments',
  },
  'attachments[].fileId': { ...readOnlyRow, value: identifier },
  'attachments[].fileUrl': { isRequired: true, value: url(['https', 'http'], maxTextLength) },
  'attachments[].iconLink': { ...readOnlyRow, value: freeText },
  'attachments[].mimeType': { value: text(255) },
  'attachments[].title': { value: freeText },
  // `stored` limits the list even for guests who do not see the others.
  'attendees[]': {
    ...sharedRow,
    max: { entries: 200, label: 'attendees', stored: 1000 },
    key: attendeeKey,
    normalize: 'guests',
  },
  'attendees[].additionalGuests': { ...guestOwnRow, default: 0, value: integer(0, maxInt32) },
  'attendees[].comment': { ...guestOwnRow, value: freeText },
  'attendees[].displayName': { value: freeText },
  'attendees[].email': { isRequired: true, value: email },
  'attendees[].id': { value: identifier },
  'attendees[].optional': { default: false, value: flag },
  'attendees[].organizer': { ...computedRow, default: false, value: flag },
  'attendees[].resource': { change: 'once', default: false, value: flag },
  'attendees[].responseStatus': {
    ...guestOwnRow,
    default: 'needsAction',
    value: z.enum(['needsAction', 'declined', 'tentative', 'accepted']),
  },
  'attendees[].self': { ...computedRow, default: false, value: flag },
  attendeesOmitted: {
    change: 'request',
    storedIn: 'computed',
    default: false,
    value: flag,
    normalize: 'attendeesOmitted',
  },
  colorId: { ...copyRow, value: colorId },
  conferenceData: { ...sharedRow, normalize: 'conference' },
  'conferenceData.conferenceId': { value: identifier },
  'conferenceData.conferenceSolution': {},
  'conferenceData.conferenceSolution.iconUri': { value: url(['https', 'http'], maxIdentifierLength) },
  'conferenceData.conferenceSolution.key': {},
  'conferenceData.conferenceSolution.key.type': { value: identifier },
  'conferenceData.conferenceSolution.name': { value: identifier },
  'conferenceData.createRequest': {},
  'conferenceData.createRequest.conferenceSolutionKey': {},
  'conferenceData.createRequest.conferenceSolutionKey.type': { value: identifier },
  'conferenceData.createRequest.requestId': { value: identifier },
  'conferenceData.createRequest.status': readOnlyRow,
  'conferenceData.createRequest.status.statusCode': { value: z.enum(['pending', 'success', 'failure']) },
  'conferenceData.entryPoints[]': { max: { entries: 50, label: 'entry points' }, key: keyOfField('uri') },
  'conferenceData.entryPoints[].accessCode': { value: shortText },
  'conferenceData.entryPoints[].entryPointFeatures[]': {
    max: { entries: 50, label: 'features' },
    value: shortText,
  },
  'conferenceData.entryPoints[].entryPointType': {
    isRequired: true,
    value: z.enum(['video', 'phone', 'sip', 'more']),
  },
  'conferenceData.entryPoints[].label': { value: text(512) },
  'conferenceData.entryPoints[].meetingCode': { value: shortText },
  'conferenceData.entryPoints[].passcode': { value: shortText },
  'conferenceData.entryPoints[].password': { value: shortText },
  'conferenceData.entryPoints[].pin': { value: shortText },
  'conferenceData.entryPoints[].regionCode': { ...readOnlyRow, value: anyText },
  'conferenceData.entryPoints[].uri': { isRequired: true, value: text(1300) },
  'conferenceData.notes': { value: text(2048) },
  'conferenceData.parameters': {},
  'conferenceData.parameters.addOnParameters': {},
  'conferenceData.parameters.addOnParameters.parameters': { max: { entries: 100, label: 'parameters' } },
  'conferenceData.parameters.addOnParameters.parameters.*': { entryName: shortText, value: identifier },
  'conferenceData.signature': { value: identifier },
  created: { ...readOnlyRow, storedIn: 'core', isInstant: true, value: anyText },
  creator: { ...readOnlyRow, storedIn: 'core', normalize: 'person' },
  'creator.displayName': { value: freeText },
  'creator.email': { value: email },
  'creator.id': { value: identifier },
  'creator.self': { ...computedRow, default: false, value: flag },
  description: { ...sharedRow, locked: true, value: text(8192) },
  end: { ...timeRow, normalize: 'time', raisesSequence: true },
  'end.date': { value: anyText },
  'end.dateTime': { value: anyText },
  'end.timeZone': { value: anyText },
  endTimeUnspecified: { ...sharedRow, timeOnly: true, default: false, value: flag },
  etag: { ...computedRow, timeOnly: true, shownWhenCancelled: true, value: anyText },
  extendedProperties: sharedRow,
  'extendedProperties.private': copyRow,
  'extendedProperties.private.*': { entryName: propertyName, value: text(1024) },
  'extendedProperties.shared': {},
  'extendedProperties.shared.*': { entryName: propertyName, value: text(1024) },
  gadget: sharedRow,
  'gadget.display': { value: z.enum(['icon', 'chip']) },
  'gadget.height': { value: integer(1, maxInt32) },
  'gadget.iconLink': { value: url(['https'], maxTextLength) },
  'gadget.link': { value: url(['https'], maxTextLength) },
  'gadget.preferences': { max: { entries: 100, label: 'preferences' } },
  'gadget.preferences.*': { entryName: shortText, value: identifier },
  'gadget.title': { value: freeText },
  'gadget.type': { value: freeText },
  'gadget.width': { value: integer(1, maxInt32) },
  guestsCanInviteOthers: { ...organizerRow, default: true, value: flag },
  guestsCanModify: { ...organizerRow, default: false, value: flag },
  guestsCanSeeOtherGuests: { ...organizerRow, default: true, value: flag },
  callLink: { ...readOnlyRow, storedIn: 'core', value: anyText },
  htmlLink: { ...computedRow, value: anyText },
  iCalUID: { ...immutableRow, value: identifier },
  id: { change: 'immutable', storedIn: 'computed', timeOnly: true, shownWhenCancelled: true, value: anyText },
  kind: { ...computedRow, timeOnly: true, shownWhenCancelled: true, value: anyText },
  location: { ...sharedRow, locked: true, value: freeText },
  locked: { ...readOnlyRow, storedIn: 'copy', default: false, value: flag },
  organizer: { ...readOnlyRow, storedIn: 'core', normalize: 'person' },
  'organizer.displayName': { value: freeText },
  'organizer.email': { value: email },
  'organizer.id': { value: identifier },
  'organizer.self': { ...computedRow, default: false, value: flag },
  originalStartTime: { ...immutableRow, timeOnly: true, shownWhenCancelled: true, normalize: 'time' },
  'originalStartTime.date': { value: anyText },
  'originalStartTime.dateTime': { value: anyText },
  'originalStartTime.timeZone': { value: anyText },
  privateCopy: { ...immutableRow, default: false, value: flag },
  'recurrence[]': {
    ...timeRow,
    max: {
      entries: 100,
      label: 'recurrence lines',
      remedy: 'Dates can share a line: RDATE:20261231T090000Z,20270101T090000Z.',
    },
    value: text(maxTextLength),
    normalize: 'recurrence',
    raisesSequence: true,
  },
  recurringEventId: { ...immutableRow, timeOnly: true, shownWhenCancelled: true, value: identifier },
  // Reminders apply to people who keep the calendar and are hidden from mere readers.
  reminders: { change: 'caller', storedIn: 'viewer', audience: 'writers', normalize: 'reminders' },
  'reminders.overrides[]': {
    max: { entries: maxReminders, label: 'reminder overrides', reason: 'eventRemindersCountExceedsLimit' },
  },
  'reminders.overrides[].method': reminderFields.method,
  'reminders.overrides[].minutes': reminderFields.minutes,
  // No default: it is true for users without own reminders, and false for users with some.
  'reminders.useDefault': { value: flag },
  sequence: { ...sharedRow, default: 0, value: integer(0, maxInt32) },
  source: { change: 'creator', storedIn: 'core', audience: 'creator' },
  'source.title': { value: freeText },
  'source.url': { value: url(['http', 'https'], maxTextLength) },
  start: { ...timeRow, normalize: 'time', raisesSequence: true },
  'start.date': { value: anyText },
  'start.dateTime': { value: anyText },
  'start.timeZone': { value: anyText },
  status: {
    ...sharedRow,
    timeOnly: true,
    shownWhenCancelled: true,
    default: 'confirmed',
    value: z.enum(['confirmed', 'tentative', 'cancelled']),
    normalize: 'status',
    raisesSequence: true,
  },
  summary: { ...sharedRow, locked: true, value: freeText },
  transparency: { ...copyRow, timeOnly: true, default: 'opaque', value: z.enum(['opaque', 'transparent']) },
  updated: { ...computedRow, timeOnly: true, shownWhenCancelled: true, isInstant: true, value: anyText },
  visibility: {
    ...copyRow,
    timeOnly: true,
    default: 'default',
    value: z.enum(['default', 'public', 'private', 'confidential']),
  },
} as const satisfies Readonly<Record<string, EventRow>>;

type EventFields = typeof eventFields;

/** Event in the shape of a REST body, without nulls: an unset field is absent. */
export type EventBody = Body<EventFields>;
export type EventField = keyof EventBody;
export type Attendee = NonNullable<EventBody['attendees']>[number];
export type ConferenceData = NonNullable<EventBody['conferenceData']>;
export type EntryPoint = NonNullable<ConferenceData['entryPoints']>[number];

/** Patch that a client sends: an absent field is kept, null clears a field or removes an entry of a map. */
export type EventPatch = PatchOf<EventBody> & { readonly nodeId?: string | null };

/** Keys of the guests who are listed before a guest; none if that guest is not listed. */
export function guestsAheadOf(
  guest: string | undefined,
  list: readonly Attendee[],
): ReadonlySet<string | undefined> {
  const keys = list.map(attendeeKey);
  return new Set(guest === undefined ? [] : keys.slice(0, Math.max(0, keys.indexOf(guest))));
}
