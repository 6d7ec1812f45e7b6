import type { Issue } from '../core/errors.ts';
import { issuesOf, textIssues } from '../core/input.ts';
import { isFields, withoutNulls } from '../core/patch.ts';
import { valueAt } from '../core/path.ts';
import { nullEntryIssues, unknownFieldIssues } from '../core/rules.ts';
import type { CalendarRecord, EventStore } from './event.store.ts';
import { storedAttendees } from './attendees.ts';
import { signConference } from './conference-signature.ts';
import { checkConference } from './conference.ts';
import { emailKey } from '../core/email.ts';
import { checkEvent } from './event.checks.ts';
import { newRecord } from './event.create.ts';
import { copiesFor, newId, nextStamp, split } from './event.parts.ts';
import type { EventCopy, EventRecord } from './event.record.ts';
import { eventDefaults, eventRules } from './event.rules.ts';
import type { EventTools, GuestPlaces } from './event.tools.ts';
import { eventBody, type EventBody } from './event.ts';
import { guestPlaces } from './guest-places.ts';
import { parseDateTime } from '../core/rfc3339.ts';

/**
 * Stores a REST body as it is, as an import does: fields that are read-only otherwise are taken over. All issues when
 * it breaks a rule. Bodies of one event on several calendars, told by id and iCalUID, become its copies there: the
 * organizer's tells what all share, whichever comes first.
 */
export async function importEvent(
  store: EventStore<EventRecord>,
  calendar: CalendarRecord,
  body: unknown,
  tools: EventTools,
): Promise<Issue[]> {
  const issues = importIssues(body, calendar);
  if (issues.length > 0) return issues;
  const event = complete(withoutNulls(body) as EventBody, calendar, tools);
  const found = await sameEvent(store, calendar, event);
  if (found && isDescribed(found, calendar.id)) return [duplicate];
  const places = await guestPlaces(store, event.attendees, event.id, isOther(event));
  if (!found) {
    const outcome = await store.insertEvent(newRecord(event, event.id, calendar, stampOf(event, 1, tools), places));
    return outcome.kind === 'taken' ? [duplicate] : [];
  }
  const [home = calendar] = await store.calendars([found.homeId]);
  const stamp = stampOf(event, found.version + 1, tools);
  await store.updateEvent({ calendarId: found.homeId, eventId: found.copies[found.homeId]?.id ?? '' }, (current) => ({
    next: isOrganizers(event, calendar) && !isOrganizers(event, home)
      ? withHome(current, newRecord(event, event.id, calendar, stamp, noPlaces), places, emailKey(home.owner))
      : withCopy(current, event, calendar, stamp),
    result: undefined,
  }));
  return [];
}

const noPlaces: GuestPlaces = new Map();

type CompleteEvent = EventBody & { readonly id: string };

/** The body in the form in which events are stored, with what the server sets where the body does not. */
function complete(event: EventBody, calendar: CalendarRecord, tools: EventTools): CompleteEvent {
  const { attendees, conferenceData, creator, organizer, ...rest } = event;
  const told = Object.entries(rest).filter(([name, value]) => (eventDefaults as Record<string, unknown>)[name] !== value);
  const id = event.id ?? newId();
  const owner = { email: calendar.owner };
  const signature = conferenceData && (conferenceData.signature ?? signConference(conferenceData, tools.signingSecret));
  return {
    ...(Object.fromEntries(told) as EventBody),
    ...(attendees && { attendees: storedAttendees(attendees) }),
    ...(conferenceData && { conferenceData: { ...conferenceData, signature } }),
    id,
    created: event.created ?? new Date(tools.clock()).toISOString(),
    creator: creator ? withoutSelf(creator) : owner,
    organizer: organizer ? withoutSelf(organizer) : owner,
    iCalUID: event.iCalUID ?? `${id}@${new URL(tools.links.event).hostname}`,
  };
}

/** `self` is worked out for the calendar that is asked. */
const withoutSelf = ({ self: _self, ...person }: NonNullable<EventBody['organizer']>) => person;

/** Every broken rule of a body; a field of a wrong shape is not looked at any closer. */
function importIssues(body: unknown, calendar: CalendarRecord): Issue[] {
  const unknown = unknownFieldIssues(eventRules, body, []);
  if (!isFields(body)) return unknown;
  const known = withoutFields(body, unknown);
  const shape = [...issuesOf(eventBody, withoutNulls(known)), ...protoIssues(known)];
  const event = (withoutNulls(withoutFields(known, shape)) ?? {}) as EventBody;
  const across = [
    ...checkEvent(event, {}, calendar.timeZone),
    ...checkConference(event.conferenceData ?? {}),
    ...(['created', 'updated'] as const).filter((name) => !hasOffset(event[name])).map(notATime),
    ...(['id', 'iCalUID'] as const).filter((name) => event[name] === '').map(empty),
  ];
  const broken = new Set([...unknown, ...shape].map(({ path }) => path[0]));
  return [
    ...unknown,
    ...textIssues(known, []),
    ...nullEntryIssues(eventRules, known, []),
    ...shape,
    ...across.filter(({ path }) => !broken.has(path[0])),
  ];
}

/** A map with the key __proto__, which zod does not look at and scalar StringMap refuses. */
function protoIssues(body: Readonly<Record<string, unknown>>): Issue[] {
  const maps = Object.keys(eventRules).flatMap((field) => (field.endsWith('.*') ? [field.slice(0, -2).split('.')] : []));
  return maps.flatMap((path): Issue[] => {
    const map = valueAt(body, path);
    if (!isFields(map) || !Object.hasOwn(map, '__proto__')) return [];
    return [{ path: [...path, '__proto__'], reason: 'invalid', message: '__proto__ cannot be a key.' }];
  });
}

const hasOffset = (time: string | undefined): boolean => time === undefined || typeof parseDateTime(time)?.offset === 'string';

/** The body without those fields at the top that issues lie in. */
function withoutFields(body: Readonly<Record<string, unknown>>, issues: readonly Issue[]) {
  const broken = new Set(issues.map(({ path }) => path[0]));
  return Object.fromEntries(Object.entries(body).filter(([name]) => !broken.has(name)));
}

/** The event a body speaks of, when another body of it was stored already. */
async function sameEvent(store: EventStore<EventRecord>, calendar: CalendarRecord, event: CompleteEvent) {
  if (event.privateCopy) return undefined;
  const organizer = event.organizer?.email;
  const guests = await guestPlaces(store, event.attendees, event.id, isOther(event));
  const [home] = organizer === undefined ? [] : await store.primaries([emailKey(organizer)]);
  const calendars = new Set([calendar.id, ...(home ? [home.id] : []), ...[...guests.values()].map(({ calendarId }) => calendarId)]);
  const records = await store.events([...calendars].map((calendarId) => ({ calendarId, eventId: event.id })));
  return records.find((record) => record?.core.iCalUID === event.iCalUID && !record?.core.privateCopy);
}

const isOrganizers = ({ organizer }: EventBody, calendar: CalendarRecord): boolean =>
  organizer?.email !== undefined && emailKey(organizer.email) === emailKey(calendar.owner);

/** Whether a body of this calendar was stored: a copy that the guest list made bears the stamp of what all share. */
function isDescribed({ homeId, copies, coreStamp }: EventRecord, calendarId: string): boolean {
  const copy = copies[calendarId];
  return copy !== undefined && (calendarId === homeId || copy.stamp.tag !== coreStamp.tag);
}

function stampOf(event: EventBody, version: number, tools: EventTools): EventCopy['stamp'] {
  const stamp = nextStamp(version, tools.clock);
  return event.updated === undefined ? stamp : { ...stamp, at: new Date(event.updated).toISOString() };
}

/** The event with a guest's own part of it. */
function withCopy(current: EventRecord, event: CompleteEvent, { id, owner }: CalendarRecord, stamp: EventCopy['stamp']): EventRecord {
  const removed = event.status === 'cancelled' && current.core.status !== 'cancelled';
  const copy: EventCopy = {
    ...split(event).own,
    id: event.id,
    state: removed ? 'removed' : 'present',
    stamp,
    guest: emailKey(owner),
    ...(event.locked && { locked: true }),
  };
  return { ...current, version: current.version + 1, copies: { ...current.copies, [id]: copy } };
}

/** The event as its organizer's body tells it, with those copies of guests that came before it. */
function withHome(current: EventRecord, organizers: EventRecord, places: GuestPlaces, firstGuest: string): EventRecord {
  const { core, homeId, coreStamp: stamp, copies } = organizers;
  const removed = current.core.status === 'cancelled' && core.status !== 'cancelled';
  const kept: Record<string, EventCopy> = {};
  const listed: Record<string, EventCopy> = {};
  for (const [calendarId, copy] of Object.entries(current.copies)) {
    if (calendarId === current.homeId) kept[calendarId] = { ...copy, guest: firstGuest, state: removed ? 'removed' : 'present' };
    else if (isDescribed(current, calendarId)) kept[calendarId] = copy;
    else listed[calendarId] = { ...copy, stamp };
  }
  const made = copiesFor({ core, homeId, copies: { ...listed, ...copies } }, places, stamp);
  return { ...organizers, key: current.key, version: current.version + 1, copies: { ...made, ...kept } };
}

/** Whether an event that has the id is another one: another iCalUID, or nobody else's. */
const isOther =
  (event: EventBody) =>
  (holder: EventRecord): boolean =>
    holder.core.privateCopy === true || holder.core.iCalUID !== event.iCalUID;

const notATime = (name: string): Issue => ({
  path: [name],
  reason: 'invalid',
  message: `${name} must be an RFC 3339 time with an offset.`,
});

const empty = (name: string): Issue => ({ path: [name], reason: 'invalid', message: `${name} must not be empty. Leave it out to get one.` });

const duplicate: Issue = { path: ['id'], reason: 'duplicate', message: 'The calendar has an event with this id.' };
