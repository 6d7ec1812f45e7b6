import { z } from 'zod';
import { isEmail } from '../core/email.ts';

export const maxAttendees = 200;
export const maxOverrides = 5;

/**
 * Bounds of this service for what the resource sets no bound to: as long as a description for what
 * people write and for URLs, as long as an event's id for what identifies something.
 */
const maxText = 8192;
const maxIdentifier = 1024;
const maxMediaType = 255;

/** An optional text of at most `max` characters: Unicode code points, as zod counts. */
const text = (max: number) => z.string().max(max, `At most ${max} characters are allowed.`).optional();

const flag = z.boolean().optional();

/** A value an entry of a list cannot do without. */
const needed = (what: string) => ({
  error: (issue: { input?: unknown }) => (issue.input === undefined ? `${what} is required in every entry.` : undefined),
});

const integer = (min: number, max: number, what: string) =>
  z.number(needed(what)).refine((n) => Number.isInteger(n) && n >= min && n <= max, `${what} must be an integer from ${min} to ${max}.`);

/** A list of at most `max` entries; of a longer one only the length is told. */
const atMost = <T extends z.ZodType>(entry: T, max: number, what: string) =>
  z.array(entry).max(max, `At most ${max} ${what} are allowed.`).optional();

const url = (schemes: readonly string[], what: string) =>
  z
    .string(needed(what))
    .max(maxText, `At most ${maxText} characters are allowed.`)
    .refine((value) => hasScheme(value, schemes), `${what} must be a URL that starts with ${schemes.join(': or ')}:.`);

/** White space around it and controls in it: the URL parser drops both, what reads the stored text may not. */
const dropped = /^\s|\s$|\p{Cc}/u;

/** True for an absolute URL with one of the schemes and, for http(s), a host. */
function hasScheme(value: string, schemes: readonly string[]): boolean {
  if (dropped.test(value) || !URL.canParse(value)) return false;
  return schemes.includes(new URL(value).protocol.slice(0, -1));
}

const maxInt32 = 2_147_483_647;

/** What the texts must look like is checked by time.ts, which knows what they mean together. */
const eventTime = z
  .object({ date: z.string().optional(), dateTime: z.string().optional(), timeZone: z.string().optional() })
  .optional();

const attachment = z.object({
  fileId: text(maxIdentifier),
  fileUrl: url(['https', 'http'], 'fileUrl'),
  iconLink: text(maxText),
  mimeType: text(maxMediaType),
  title: text(maxText),
});

const emailAddress = z.string(needed('email')).refine(isEmail, 'This is not an e-mail address that RFC 5322 allows.');

const attendee = z.object({
  additionalGuests: integer(0, maxInt32, 'additionalGuests').optional(),
  comment: text(maxText),
  displayName: text(maxText),
  email: emailAddress,
  id: text(maxIdentifier),
  optional: flag,
  organizer: flag,
  resource: flag,
  responseStatus: z.enum(['needsAction', 'declined', 'tentative', 'accepted']).optional(),
  self: flag,
});

const person = z
  .object({ displayName: text(maxText), email: emailAddress.optional(), id: text(maxIdentifier), self: flag })
  .optional();

const entryPoint = z.object({
  entryPointType: z.enum(['video', 'phone', 'sip', 'more']).optional(),
  entryPointFeatures: z.array(z.string()).optional(),
  uri: z.string().optional(),
  label: z.string().optional(),
  meetingCode: z.string().optional(),
  accessCode: z.string().optional(),
  passcode: z.string().optional(),
  password: z.string().optional(),
  pin: z.string().optional(),
  regionCode: z.string().optional(),
});

const stringMap = z.record(z.string(), z.string()).optional();

/** Lengths and ranges of conference data are checked by conference.ts, which knows the kinds of entry points. */
const conferenceData = z
  .object({
    conferenceId: z.string().optional(),
    conferenceSolution: z
      .object({ iconUri: z.string().optional(), key: z.object({ type: z.string().optional() }).optional(), name: z.string().optional() })
      .optional(),
    createRequest: z
      .object({
        conferenceSolutionKey: z.object({ type: z.string().optional() }).optional(),
        requestId: z.string().optional(),
        status: z.object({ statusCode: z.enum(['pending', 'success', 'failure']).optional() }).optional(),
      })
      .optional(),
    entryPoints: z.array(entryPoint).optional(),
    notes: z.string().optional(),
    parameters: z.object({ addOnParameters: z.object({ parameters: stringMap }).optional() }).optional(),
    signature: z.string().optional(),
  })
  .optional();

const gadget = z
  .object({
    display: z.enum(['icon', 'chip']).optional(),
    height: integer(1, maxInt32, 'height').optional(),
    iconLink: url(['https'], 'iconLink').optional(),
    link: url(['https'], 'link').optional(),
    preferences: stringMap,
    title: text(maxText),
    type: text(maxText),
    width: integer(1, maxInt32, 'width').optional(),
  })
  .optional();

const reminder = z.object({
  method: z.string(needed('method')).pipe(z.enum(['email', 'sms', 'popup'])),
  minutes: integer(0, 40320, 'minutes'),
});

/** reminders.ts tells when there are too many; no more of them are looked at than it takes to see that. */
const overrides = z.preprocess(
  (list) => (Array.isArray(list) ? list.slice(0, maxOverrides + 1) : list),
  z.array(reminder),
);

const colorId = z
  .string()
  .refine((value) => /^([1-9]|1[01])$/.test(value), 'colorId must be "1" to "11".')
  .optional();

/** The 118 parameters of an event as they are stored: a field that is not set is absent, never null. */
export const eventBody = z.object({
  anyoneCanAddSelf: flag,
  attachments: atMost(attachment, 25, 'attachments'),
  attendees: atMost(attendee, maxAttendees, 'attendees'),
  attendeesOmitted: flag,
  colorId,
  conferenceData,
  created: z.string().optional(),
  creator: person,
  description: text(8192),
  end: eventTime,
  endTimeUnspecified: flag,
  etag: z.string().optional(),
  extendedProperties: z.object({ private: stringMap, shared: stringMap }).optional(),
  gadget,
  guestsCanInviteOthers: flag,
  guestsCanModify: flag,
  guestsCanSeeOtherGuests: flag,
  callLink: z.string().optional(),
  htmlLink: z.string().optional(),
  iCalUID: text(maxIdentifier),
  id: z.string().optional(),
  kind: z.string().optional(),
  location: text(maxText),
  locked: flag,
  organizer: person,
  originalStartTime: eventTime,
  privateCopy: flag,
  recurrence: z.array(z.string()).optional(),
  recurringEventId: text(maxIdentifier),
  reminders: z.object({ overrides: overrides.optional(), useDefault: flag }).optional(),
  sequence: integer(0, maxInt32, 'sequence').optional(),
  source: z.object({ title: text(maxText), url: url(['http', 'https'], 'url').optional() }).optional(),
  start: eventTime,
  status: z.enum(['confirmed', 'tentative', 'cancelled']).optional(),
  summary: text(maxText),
  transparency: z.enum(['opaque', 'transparent']).optional(),
  updated: z.string().optional(),
  visibility: z.enum(['default', 'public', 'private', 'confidential']).optional(),
});

type DeepReadonly<T> = T extends (infer E)[]
  ? readonly DeepReadonly<E>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

/** An event as a REST body has it, without nulls. */
export type EventBody = DeepReadonly<z.infer<typeof eventBody>>;
export type Attendee = NonNullable<EventBody['attendees']>[number];
export type Reminder = NonNullable<NonNullable<EventBody['reminders']>['overrides']>[number];

/** An event as one caller sees it on one calendar. */
export type EventView = EventBody & { readonly id: string };

type Nullable<T> = T extends readonly (infer E)[]
  ? readonly Nullable<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: Nullable<NonNullable<T[K]>> | null }
    : T;

/** What a client sends: an absent field is kept, null clears, and a map's null removes its entry. */
export type EventPatch = Nullable<EventBody>;
