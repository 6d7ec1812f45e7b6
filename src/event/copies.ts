import type { CalendarRecord } from './event.store.ts';
import type { AccessRole } from '../access/role.ts';
import { includes, type Viewer } from '../access/permissions.ts';
import { attendeeKey, madeUpHost } from './attendees.ts';
import { emailKey } from '../core/email.ts';
import type { EventCopy, EventRecord } from './event.record.ts';
import { attendeeDefaults, eventDefaults } from './event.rules.ts';
import type { Attendee, EventBody, EventView } from './event.ts';

/** One calendar's copy of an event, and what the caller is to both. */
export interface Standpoint {
  readonly record: EventRecord;
  readonly copy: EventCopy;
  readonly calendar: CalendarRecord;
  readonly role: AccessRole;
  /** The key of the calendar's owner on the guest list. */
  readonly owner: string;
  /** The key of whoever asks. */
  readonly caller: string;
  /** The calendar is the organizer's, or the copy is private and so nobody else's. */
  readonly asOrganizer: boolean;
  readonly isCreator: boolean;
  /** The caller is the organizer or on the guest list, whichever calendar is asked. */
  readonly takesPart: boolean;
  readonly links: Links;
}

export interface Links {
  /** The base of htmlLink, without a slash at the end. */
  readonly event: string;
}

export function standpointOf(
  record: EventRecord,
  calendar: CalendarRecord,
  viewer: Viewer,
  role: AccessRole,
  links: Links,
): Standpoint {
  const owner = emailKey(calendar.owner);
  const caller = emailKey(viewer.identity);
  const { core } = record;
  const organizer = core.organizer?.email ? emailKey(core.organizer.email) : undefined;
  return {
    record,
    calendar,
    role,
    owner,
    caller,
    links,
    copy: record.copies[calendar.id] as EventCopy,
    asOrganizer: organizer === owner || core.privateCopy === true,
    isCreator: isPerson(core.creator, caller),
    takesPart: organizer === caller || (core.attendees ?? []).some((entry) => attendeeKey(entry) === caller),
  };
}

function isPerson(person: EventBody['creator'], caller: string): boolean {
  const name = person?.email ?? person?.id;
  return name !== undefined && emailKey(name) === caller;
}

/** The event as its calendar holds it: core and copy together, nothing hidden, nothing worked out. */
export function compose({ record, copy }: CopyOf): EventBody {
  const { sharedProperties, ...core } = record.core;
  const { privateProperties, state: _state, stamp: _stamp, guest: _guest, ...own } = copy;
  const extended = sharedProperties || privateProperties ? { private: privateProperties, shared: sharedProperties } : undefined;
  return { ...core, ...own, ...(extended && { extendedProperties: withoutUndefined(extended) }) };
}

const withoutUndefined = <T extends object>(value: T): T =>
  Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;

type CopyOf = Pick<Standpoint, 'record' | 'copy'>;

/** What becomes of the event no longer concerns somebody who was taken off the guest list. */
const isCutOff = ({ copy }: CopyOf): boolean => copy.state === 'uninvited';

/** The entity tag of one calendar's copy: it changes with the core and with the copy, and with nothing else. */
export const etagOf = (at: CopyOf): string =>
  isCutOff(at) ? `"${at.copy.stamp.tag}"` : `"${at.record.coreStamp.tag}.${at.copy.stamp.tag}"`;

function updatedOf(at: CopyOf): string {
  const [ofCore, ofCopy] = [at.record.coreStamp.at, at.copy.stamp.at];
  return ofCore > ofCopy && !isCutOff(at) ? ofCore : ofCopy;
}

/** What those see of an event who may know when it is, but not what. */
const timeFields = [
  'start', 'end', 'endTimeUnspecified', 'recurrence', 'recurringEventId', 'originalStartTime', 'transparency', 'visibility',
] as const;

/** The event as the caller sees it, without defaults. */
export function seenFrom(at: Standpoint): EventView {
  const { copy, role } = at;
  const full = compose(at);
  const base = {
    id: copy.id,
    kind: 'calendar#event',
    etag: etagOf(at),
    updated: updatedOf(at),
  };
  const status = copy.state === 'present' ? full.status : 'cancelled';
  const gone = isCutOff(at) || (full.status === 'cancelled' && !at.asOrganizer);
  if (gone) return { ...base, status, ...pick(full, ['recurringEventId', 'originalStartTime']) };
  const closed = full.visibility === 'private' || full.visibility === 'confidential';
  const mereReader = !includes(role, 'reader') || (closed && !includes(role, 'writer') && !at.takesPart);
  if (mereReader) return { ...base, ...(status && { status }), ...pick(full, timeFields) };
  const { source, reminders, attendees, creator, organizer, ...rest } = full;
  return {
    ...rest,
    ...base,
    ...(status && { status }),
    ...(source && at.isCreator && { source }),
    // They ring for those who keep the calendar, not for those who look at it.
    ...(reminders && includes(role, 'writer') && { reminders }),
    ...(creator && { creator: person(creator, at.owner) }),
    ...(organizer && { organizer: person(organizer, at.owner) }),
    htmlLink: `${at.links.event}/${Buffer.from(`${copy.id} ${at.calendar.id}`).toString('base64url')}`,
    ...(attendees && seenAttendees(at, attendees)),
  };
}

function seenAttendees(at: Standpoint, attendees: readonly Attendee[]): Pick<EventBody, 'attendees' | 'attendeesOmitted'> {
  const organizer = at.record.core.organizer?.email && emailKey(at.record.core.organizer.email);
  const marked = attendees.map((entry) => {
    const key = attendeeKey(entry);
    const self = key === at.owner;
    const organizes = key !== undefined && key === organizer;
    return self || organizes ? { ...entry, ...(self && { self }), ...(organizes && { organizer: true }) } : entry;
  });
  if (seesGuests(at)) return { attendees: marked };
  const shown = marked.filter((entry) => entry.self || entry.organizer || attendeeKey(entry) === at.caller);
  return { attendees: shown, ...(shown.length < marked.length && { attendeesOmitted: true }) };
}

function seesGuests(at: Standpoint): boolean {
  if (at.record.core.guestsCanSeeOtherGuests !== false) return true;
  return at.asOrganizer && (includes(at.role, 'writer') || !at.takesPart);
}

const person = <P extends object>(stored: P, owner: string): P & { self?: boolean } => {
  const email = (stored as { email?: string }).email;
  return email !== undefined && emailKey(email) === owner ? { ...stored, self: true } : stored;
};

function pick(event: EventBody, names: readonly (keyof EventBody)[]): Partial<EventBody> {
  return Object.fromEntries(names.flatMap((name) => (event[name] === undefined ? [] : [[name, event[name]]])));
}

const { status, transparency, visibility, endTimeUnspecified } = eventDefaults;
const timeDefaults = { status, transparency, visibility, endTimeUnspecified };

export interface Presentation {
  readonly maxAttendees?: number | null;
  readonly alwaysIncludeEmail?: boolean | null;
}

/** The event as it goes out: defaults filled in, the guest list cut, addresses made up, as the request asks. */
export function present(seen: EventView, { maxAttendees, alwaysIncludeEmail }: Presentation): EventView {
  const timeOnly = seen.htmlLink === undefined;
  if (timeOnly) return { ...(seen.start && timeDefaults), ...seen };
  const tooMany = typeof maxAttendees === 'number' && (seen.attendees?.length ?? 0) > maxAttendees;
  const attendees = tooMany ? seen.attendees?.filter((entry) => entry.self) : seen.attendees;
  const named = alwaysIncludeEmail ? withEmail : <T>(entry: T): T => entry;
  return {
    ...eventDefaults,
    ...seen,
    ...(tooMany && { attendeesOmitted: true }),
    ...(seen.creator && { creator: { self: false, ...named(seen.creator, 'creator') } }),
    ...(seen.organizer && { organizer: { self: false, ...named(seen.organizer, 'organizer') } }),
    ...(attendees && {
      attendees: attendees.map((entry, index) => ({ ...attendeeDefaults, ...named(entry, `guest-${index + 1}`) })),
    }),
  };
}

const withEmail = <T extends { readonly email?: string }>(entry: T, name: string): T =>
  entry.email === undefined ? { ...entry, email: `${name}@${madeUpHost}` } : entry;
