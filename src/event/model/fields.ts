import * as z from 'zod/mini';
import {
  type Body,
  type FieldRow,
  mostReminders,
  type Nullable,
  reminderFields,
} from '../../core/fields/table.ts';
import { email, flag, integer, maxInt32, text, url } from '../../core/fields/values.ts';
import { addressKey } from '../../core/text/email.ts';

type Fields = Readonly<Record<string, unknown>>;

const keys = new WeakMap<object, string | undefined>();

/** By what a guest is recognised: the e-mail address as `addressKey` writes it, else the profile id. */
export function attendeeKey(entry: Fields): string | undefined {
  const known = keys.get(entry);
  if (known !== undefined) return known;
  const key = keyOf(entry);
  if (Object.isFrozen(entry)) keys.set(entry, key);
  return key;
}

const keyOf = ({ email, id }: Fields): string | undefined =>
  typeof email === 'string' ? addressKey(email) : typeof id === 'string' ? id : undefined;

/** Bounds of this service for what the resource sets none to: for what people write and for URLs, and for identifiers. */
const longest = 8192;
const identifier = 1024;

/** What RFC 3339 and RFC 5545 allow is checked by the rules, which know what the strings mean together. */
const string = z.string();
const written = text(longest);
const label = text(identifier);

const colorId = z.string().check(
  z.refine((value) => /^([1-9]|1[01])$/.test(value), {
    error: 'This must be "1" to "11", the number of an entry in the event palette.',
    params: { reason: 'invalid', params: { min: 1, max: 11 } },
  }),
  z.describe('"1" to "11"'),
);
const code = text(128);
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

const readOnly = { change: 'readOnly' } as const;
const computed = { change: 'readOnly', storedIn: 'computed' } as const;
const shared = { change: 'shared', storedIn: 'core' } as const;
const copy = { change: 'copy', storedIn: 'copy' } as const;
const organizers = { change: 'organizer', storedIn: 'core' } as const;
const immutable = { change: 'immutable', storedIn: 'core' } as const;
const own = { change: 'own' } as const;
/** Covered by a lock, and seen by those who may know when the event is. */
const time = { ...shared, locked: true, timeOnly: true } as const;

/** Who alone is shown a field: whoever made the event, or those who may write to the calendar. */
export type Audience = 'creator' | 'writers';
/** By what a field that means more than its value is normalized (`write/normalize.ts`). */
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

interface EventRow extends FieldRow<'core' | 'copy' | 'viewer'> {
  readonly seenBy?: Audience;
  readonly normalize?: Normalization;
}

/** A list's key that is one of its fields. */
const by =
  (name: string) =>
  (entry: Readonly<Record<string, unknown>>): string | undefined => {
    const value = entry[name];
    return typeof value === 'string' ? value : undefined;
  };

/** The table of an event's fields: who may change and see each, what stores it, its default and limits. All else derives from here. */
export const eventFields = {
  anyoneCanAddSelf: { ...organizers, default: false, value: flag },
  'attachments[]': {
    ...shared,
    max: { entries: 25, called: 'attachments' },
    key: by('fileUrl'),
    normalize: 'attachments',
  },
  'attachments[].fileId': { ...readOnly, value: label },
  'attachments[].fileUrl': { needed: true, value: url(['https', 'http'], longest) },
  'attachments[].iconLink': { ...readOnly, value: written },
  'attachments[].mimeType': { value: text(255) },
  'attachments[].title': { value: written },
  // A guest who does not see the others cannot make the list grow for ever.
  'attendees[]': {
    ...shared,
    max: { entries: 200, called: 'attendees', stored: 1000 },
    key: attendeeKey,
    normalize: 'guests',
  },
  'attendees[].additionalGuests': { ...own, default: 0, value: integer(0, maxInt32) },
  'attendees[].comment': { ...own, value: written },
  'attendees[].displayName': { value: written },
  'attendees[].email': { needed: true, value: email },
  'attendees[].id': { value: label },
  'attendees[].optional': { default: false, value: flag },
  'attendees[].organizer': { ...computed, default: false, value: flag },
  'attendees[].resource': { change: 'once', default: false, value: flag },
  'attendees[].responseStatus': {
    ...own,
    default: 'needsAction',
    value: z.enum(['needsAction', 'declined', 'tentative', 'accepted']),
  },
  'attendees[].self': { ...computed, default: false, value: flag },
  attendeesOmitted: {
    change: 'request',
    storedIn: 'computed',
    default: false,
    value: flag,
    normalize: 'attendeesOmitted',
  },
  colorId: { ...copy, value: colorId },
  conferenceData: { ...shared, normalize: 'conference' },
  'conferenceData.conferenceId': { value: label },
  'conferenceData.conferenceSolution': {},
  'conferenceData.conferenceSolution.iconUri': { value: url(['https', 'http'], identifier) },
  'conferenceData.conferenceSolution.key': {},
  'conferenceData.conferenceSolution.key.type': { value: label },
  'conferenceData.conferenceSolution.name': { value: label },
  'conferenceData.createRequest': {},
  'conferenceData.createRequest.conferenceSolutionKey': {},
  'conferenceData.createRequest.conferenceSolutionKey.type': { value: label },
  'conferenceData.createRequest.requestId': { value: label },
  'conferenceData.createRequest.status': readOnly,
  'conferenceData.createRequest.status.statusCode': { value: z.enum(['pending', 'success', 'failure']) },
  'conferenceData.entryPoints[]': { max: { entries: 50, called: 'entry points' }, key: by('uri') },
  'conferenceData.entryPoints[].accessCode': { value: code },
  'conferenceData.entryPoints[].entryPointFeatures[]': {
    max: { entries: 50, called: 'features' },
    value: code,
  },
  'conferenceData.entryPoints[].entryPointType': {
    needed: true,
    value: z.enum(['video', 'phone', 'sip', 'more']),
  },
  'conferenceData.entryPoints[].label': { value: text(512) },
  'conferenceData.entryPoints[].meetingCode': { value: code },
  'conferenceData.entryPoints[].passcode': { value: code },
  'conferenceData.entryPoints[].password': { value: code },
  'conferenceData.entryPoints[].pin': { value: code },
  'conferenceData.entryPoints[].regionCode': { ...readOnly, value: string },
  'conferenceData.entryPoints[].uri': { needed: true, value: text(1300) },
  'conferenceData.notes': { value: text(2048) },
  'conferenceData.parameters': {},
  'conferenceData.parameters.addOnParameters': {},
  'conferenceData.parameters.addOnParameters.parameters': { max: { entries: 100, called: 'parameters' } },
  'conferenceData.parameters.addOnParameters.parameters.*': { entryName: code, value: label },
  'conferenceData.signature': { value: label },
  created: { ...readOnly, storedIn: 'core', instant: true, value: string },
  creator: { ...readOnly, storedIn: 'core', normalize: 'person' },
  'creator.displayName': { value: written },
  'creator.email': { value: email },
  'creator.id': { value: label },
  'creator.self': { ...computed, default: false, value: flag },
  description: { ...shared, locked: true, value: text(8192) },
  end: { ...time, normalize: 'time', revises: true },
  'end.date': { value: string },
  'end.dateTime': { value: string },
  'end.timeZone': { value: string },
  endTimeUnspecified: { ...shared, timeOnly: true, default: false, value: flag },
  etag: { ...computed, timeOnly: true, whenGone: true, value: string },
  extendedProperties: shared,
  'extendedProperties.private': copy,
  'extendedProperties.private.*': { entryName: propertyName, value: text(1024) },
  'extendedProperties.shared': {},
  'extendedProperties.shared.*': { entryName: propertyName, value: text(1024) },
  gadget: shared,
  'gadget.display': { value: z.enum(['icon', 'chip']) },
  'gadget.height': { value: integer(1, maxInt32) },
  'gadget.iconLink': { value: url(['https'], longest) },
  'gadget.link': { value: url(['https'], longest) },
  'gadget.preferences': { max: { entries: 100, called: 'preferences' } },
  'gadget.preferences.*': { entryName: code, value: label },
  'gadget.title': { value: written },
  'gadget.type': { value: written },
  'gadget.width': { value: integer(1, maxInt32) },
  guestsCanInviteOthers: { ...organizers, default: true, value: flag },
  guestsCanModify: { ...organizers, default: false, value: flag },
  guestsCanSeeOtherGuests: { ...organizers, default: true, value: flag },
  callLink: { ...readOnly, storedIn: 'core', value: string },
  htmlLink: { ...computed, value: string },
  iCalUID: { ...immutable, value: label },
  id: { change: 'immutable', storedIn: 'computed', timeOnly: true, whenGone: true, value: string },
  kind: { ...computed, timeOnly: true, whenGone: true, value: string },
  location: { ...shared, locked: true, value: written },
  locked: { ...readOnly, storedIn: 'copy', default: false, value: flag },
  organizer: { ...readOnly, storedIn: 'core', normalize: 'person' },
  'organizer.displayName': { value: written },
  'organizer.email': { value: email },
  'organizer.id': { value: label },
  'organizer.self': { ...computed, default: false, value: flag },
  originalStartTime: { ...immutable, timeOnly: true, whenGone: true, normalize: 'time' },
  'originalStartTime.date': { value: string },
  'originalStartTime.dateTime': { value: string },
  'originalStartTime.timeZone': { value: string },
  privateCopy: { ...immutable, default: false, value: flag },
  'recurrence[]': {
    ...time,
    max: {
      entries: 100,
      called: 'recurrence lines',
      remedy: 'Dates can share a line: RDATE:20261231T090000Z,20270101T090000Z.',
    },
    value: text(longest),
    normalize: 'recurrence',
    revises: true,
  },
  recurringEventId: { ...immutable, timeOnly: true, whenGone: true, value: label },
  // They ring for those who keep the calendar, not for those who look at it.
  reminders: { change: 'caller', storedIn: 'viewer', seenBy: 'writers', normalize: 'reminders' },
  'reminders.overrides[]': {
    max: { entries: mostReminders, called: 'reminder overrides', reason: 'eventRemindersCountExceedsLimit' },
  },
  'reminders.overrides[].method': reminderFields.method,
  'reminders.overrides[].minutes': reminderFields.minutes,
  // No default: without reminders of their own a user has the calendar's, with some only those.
  'reminders.useDefault': { value: flag },
  sequence: { ...shared, default: 0, value: integer(0, maxInt32) },
  source: { change: 'creator', storedIn: 'core', seenBy: 'creator' },
  'source.title': { value: written },
  'source.url': { value: url(['http', 'https'], longest) },
  start: { ...time, normalize: 'time', revises: true },
  'start.date': { value: string },
  'start.dateTime': { value: string },
  'start.timeZone': { value: string },
  status: {
    ...shared,
    timeOnly: true,
    whenGone: true,
    default: 'confirmed',
    value: z.enum(['confirmed', 'tentative', 'cancelled']),
    normalize: 'status',
    revises: true,
  },
  summary: { ...shared, locked: true, value: written },
  transparency: { ...copy, timeOnly: true, default: 'opaque', value: z.enum(['opaque', 'transparent']) },
  updated: { ...computed, timeOnly: true, whenGone: true, instant: true, value: string },
  visibility: {
    ...copy,
    timeOnly: true,
    default: 'default',
    value: z.enum(['default', 'public', 'private', 'confidential']),
  },
} as const satisfies Readonly<Record<string, EventRow>>;

type EventFields = typeof eventFields;

/** An event as a REST body has it, without nulls: an unset field is absent. */
export type EventBody = Body<EventFields>;
export type EventField = keyof EventBody;
export type Attendee = NonNullable<EventBody['attendees']>[number];
export type ConferenceData = NonNullable<EventBody['conferenceData']>;
export type EntryPoint = NonNullable<ConferenceData['entryPoints']>[number];

/** What a client sends: an absent field is kept, null clears, and a map's null removes its entry. */
export type EventPatch = Nullable<EventBody> & { readonly nodeId?: string | null };
