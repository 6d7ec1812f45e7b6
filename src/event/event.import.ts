import type { Issue } from '../core/kernel/errors.ts';
import { addressKey } from '../core/text/email.ts';
import { isFields, withoutNulls } from '../core/kernel/patch.ts';
import { reportNullEntries } from '../core/fields/null-entries.ts';
import { Report } from '../core/kernel/report.ts';
import { parseDateTime } from '../core/text/rfc3339.ts';
import { newId, guestReferencesOf, replicasFor, type GuestReferences } from './attendees/replicas.ts';
import { storedGuests } from './attendees/stored.ts';
import { signConference } from './conference/signature.ts';
import { guestKeys } from './event.arguments.ts';
import type { CalendarRecord } from '../calendar/calendar.ts';
import type { Change, EventStore, Found } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import { importInstance } from './recurrence/import-instance.ts';
import type { EventBody, EventField, EventTime } from './model/fields.ts';
import type { EventCopy, EventParts, EventRecord, Stamp } from './model/record.ts';
import { withOffset } from './time/moment.ts';
import { checkEvent } from './write/check.ts';
import { newRecord } from './write/create.ts';
import { nextStamp } from './write/stamp.ts';

/**
 * Stores REST bodies as they are, as an import does: fields that are read-only otherwise are taken over. All issues of those
 * that break a rule, each with the index of its body. Bodies with one id and iCalUID on several calendars become
 * copies of one event: the organizer's body has what all share, whichever comes first.
 */
export async function importEvents(store: EventStore, calendar: CalendarRecord, bodies: readonly unknown[], tools: EventTools): Promise<Issue[]> {
  const events = bodies.map((body) => withoutNulls(body) as EventBody);
  const issues = bodies.map((body, index) => importIssues(body, events[index] as EventBody, calendar, tools));
  const sound = [...bodies.keys()].filter((index) => issues[index]?.length === 0);
  const uidHost = new URL(tools.links.event).hostname;
  const outcomes = await store.importEvents(sound.map((index) => changeFor(complete(events[index] as EventBody, calendar, uidHost, tools), calendar, tools)));
  for (const [at, index] of sound.entries()) issues[index] = outcomes[at] ?? [];
  return issues.flatMap((own, index) => own.map((issue) => ({ ...issue, path: [index, ...issue.path] })));
}

function changeFor(event: CompleteEvent, calendar: CalendarRecord, tools: EventTools): Change<Issue[]> {
  const organizer = event.organizer?.email;
  const guests = [...guestKeys(event, tools.model), ...(organizer === undefined ? [] : [addressKey(organizer)])];
  return {
    target: { calendar: { id: calendar.id }, eventId: event.id, seriesId: event.recurringEventId, guests },
    decide(found) {
      const next = decide(event, calendar, found, tools);
      return next ? { next, result: [] } : { result: [duplicate] };
    },
  };
}

type CompleteEvent = EventBody & { readonly id: string };

/** Every broken rule of a body that was not coerced by a schema. */
function importIssues(body: unknown, event: EventBody, calendar: CalendarRecord, { model }: EventTools): Issue[] {
  const report = new Report();
  if (!isFields(body)) return [{ path: [], reason: 'invalid', message: 'This must be an object with fields.' }];
  for (const name of Object.keys(body)) {
    if (!model.fields.has(name as EventField)) report.issue([name], 'invalid', 'There is no such field.');
  }
  checkEvent(event, {}, new Set(Object.keys(event) as EventField[]), { model, zone: calendar.timeZone, mode: 'import', path: [], report });
  for (const name of ['created', 'updated'] as const) {
    if (event[name] !== undefined && typeof parseDateTime(String(event[name]))?.offset !== 'string') {
      report.issue([name], 'invalid', `${name} must be an RFC 3339 time with an offset.`);
    }
  }
  for (const [name, node] of model.fields) reportNullEntries(node, body[name], [name], report);
  return report.issues;
}

/** The body in the form in which events are stored, with what the server sets where the body does not. */
function complete(event: EventBody, calendar: CalendarRecord, uidHost: string, { model, signingSecret, clock }: EventTools): CompleteEvent {
  const { attendees, conferenceData, start, end, originalStartTime } = event;
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(event) as EventField[]) if (model.fields.get(name)?.default !== event[name]) fields[name] = event[name];
  const id = event.id ?? newId();
  const owner = { email: calendar.owner };
  const signature = conferenceData && (conferenceData.signature ?? signConference(conferenceData, signingSecret));
  return Object.assign(fields as EventBody, {
    ...(start && { start: inOffset(start) }),
    ...(end && { end: inOffset(end) }),
    ...(originalStartTime && { originalStartTime: inOffset(originalStartTime) }),
    ...(attendees && { attendees: storedGuests(attendees, model.field('attendees').fields.values()) }),
    ...(conferenceData && { conferenceData: { ...conferenceData, signature } }),
    id,
    created: event.created ?? new Date(clock()).toISOString(),
    creator: withoutSelf(event.creator) ?? owner,
    organizer: withoutSelf(event.organizer) ?? owner,
    iCalUID: event.iCalUID ?? `${id}@${uidHost}`,
  });
}

const inOffset = (time: EventTime): EventTime =>
  time.dateTime === undefined || time.timeZone === undefined ? time : { ...time, dateTime: withOffset(time.dateTime, time.timeZone) };

/** `self` is worked out for the calendar that is asked. */
function withoutSelf(person: EventBody['organizer']): EventBody['organizer'] {
  if (!person) return undefined;
  const { self: _self, ...stored } = person;
  return stored;
}

/** What the store is to keep; undefined when the calendar has an event with this id already. */
function decide(event: CompleteEvent, calendar: CalendarRecord, found: Found, tools: EventTools): EventRecord | undefined {
  const { clock, model } = tools;
  const parts = model.split(event);
  const identity = addressKey(calendar.owner);
  const instance = importInstance({ event, parts, calendarId: calendar.id, identity, stampFor: (record) => stampOf(event, nextStamp(clock, record)) }, found);
  if (instance) return instance;
  const known = event.privateCopy ? undefined : sameEvent(event, found);
  if ((known && isDescribed(known, calendar.id)) || (!known && found.event)) return undefined;
  const stamp = stampOf(event, nextStamp(clock, known));
  const home = newHome(event, calendar, parts, stamp);
  const isOther = (holder: EventRecord): boolean => holder.core.privateCopy === true || holder.core.iCalUID !== event.iCalUID;
  const references = guestReferencesOf(found.guests, event.id, isOther);
  if (!known) return { ...home, copies: replicasFor(home, home.core, references, stamp) };
  const organizers = event.organizer?.email !== undefined && addressKey(event.organizer.email) === addressKey(calendar.owner);
  if (organizers && !isOrganizersHome(known, found)) return withHome(known, home, references, stamp, found);
  return withCopy(known, event, calendar, parts, stamp);
}

function newHome(event: CompleteEvent, calendar: CalendarRecord, parts: EventParts, stamp: Stamp): EventRecord {
  const blank: EventRecord = {
    key: newId(), version: 0, homeId: calendar.id, core: {}, coreStamp: stamp, openStamp: stamp,
    copies: { [calendar.id]: { id: event.id, state: 'present', stamp, own: {} } },
  };
  return newRecord(blank, parts, { stamp, references: new Map(), identity: addressKey(calendar.owner) });
}

/** The event a body speaks of, when another body of it was stored already. */
function sameEvent(event: CompleteEvent, { event: here, guests }: Found): EventRecord | undefined {
  const candidates = [here, ...[...guests.values()].map(({ holder }) => holder)];
  return candidates.find((record) => record?.core.iCalUID === event.iCalUID && !record?.core.privateCopy);
}

/** Whether a body of this calendar was stored: a copy that the guest list made bears the stamp of what all share. */
function isDescribed({ homeId, copies, coreStamp }: EventRecord, calendarId: string): boolean {
  const copy = copies[calendarId];
  return copy !== undefined && (calendarId === homeId || copy.stamp.tag !== coreStamp.tag);
}

/** Whether what is stored came from the organizer's own calendar. */
function isOrganizersHome({ core, homeId }: EventRecord, { guests }: Found): boolean {
  const email = core.organizer?.email;
  return email !== undefined && guests.get(addressKey(email))?.calendarId === homeId;
}

const stampOf = (event: EventBody, stamp: Stamp): Stamp =>
  event.updated === undefined ? stamp : { ...stamp, at: new Date(event.updated).toISOString() };

/** The event with a guest's own part of it. */
function withCopy(current: EventRecord, event: CompleteEvent, { id, owner }: CalendarRecord, parts: EventParts, stamp: Stamp): EventRecord {
  const removed = event.status === 'cancelled' && current.core.status !== 'cancelled';
  const viewers = Object.keys(parts.viewer).length > 0 && { viewers: { [addressKey(owner)]: { stamp, own: parts.viewer } } };
  const copy: EventCopy = { id: event.id, state: removed ? 'removed' : 'present', stamp, guest: addressKey(owner), own: parts.copy, ...viewers };
  return { ...current, version: current.version + 1, copies: { ...current.copies, [id]: copy } };
}

/** The event as its organizer's body has it, with those copies of guests that came before it. */
function withHome(current: EventRecord, home: EventRecord, references: GuestReferences, stamp: Stamp, { guests }: Found): EventRecord {
  const removed = current.core.status === 'cancelled' && home.core.status !== 'cancelled';
  const ownerOf = new Map([...guests].map(([guest, { calendarId }]) => [calendarId, guest]));
  const others: Record<string, EventCopy> = {};
  const listed: Record<string, EventCopy> = {};
  for (const [calendarId, copy] of Object.entries(current.copies)) {
    const guest = ownerOf.get(calendarId);
    if (calendarId === current.homeId) others[calendarId] = { ...copy, guest: guest ?? addressKey(current.homeId), state: removed ? 'removed' : 'present' };
    else if (isDescribed(current, calendarId)) others[calendarId] = copy;
    else listed[calendarId] = { ...copy, stamp };
  }
  const made = replicasFor({ ...home, copies: { ...listed, ...home.copies } }, current.core, references, stamp);
  return { ...home, key: current.key, version: current.version + 1, copies: { ...made, ...others } };
}

const duplicate: Issue = { path: ['id'], reason: 'duplicate', message: 'The calendar has an event with this id.' };
