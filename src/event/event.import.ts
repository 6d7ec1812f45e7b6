import type { Issue } from '../core/errors.ts';
import { textIssues } from '../core/input.ts';
import { withoutNulls } from '../core/patch.ts';
import { unknownFieldIssues } from '../core/rules.ts';
import type { CalendarRecord, EventStore } from '../core/store.ts';
import { signConference } from './conference-signature.ts';
import { checkConference } from './conference.ts';
import { emailKey } from './email.ts';
import { checkEvent } from './event.checks.ts';
import { newId, newRecord } from './event.create.ts';
import { nextStamp, split, type GuestPlace } from './event.parts.ts';
import type { EventRecord } from './event.record.ts';
import { eventDefaults, eventRules } from './event.rules.ts';
import type { EventTools } from './event.tools.ts';
import type { EventBody } from './event.ts';
import { storedAttendees } from './attendees.ts';
import { parseDateTime } from './time.ts';

/**
 * Stores a REST body as it is, as an import does: fields that are read-only otherwise are taken over. All issues when
 * it breaks a rule. A body whose event is on the calendar already, as a guest's copy, adds to that copy.
 */
export async function importEvent(
  store: EventStore<EventRecord>,
  calendar: CalendarRecord,
  body: unknown,
  tools: EventTools,
): Promise<Issue[]> {
  const known = unknownFieldIssues(eventRules, body, []);
  if (known.length > 0) return known;
  const event = stored(withoutNulls(body) as EventBody, tools);
  const issues = importIssues(event, calendar);
  if (issues.length > 0) return issues;
  const id = event.id ?? newId();
  const [existing] = await store.events([{ calendarId: calendar.id, eventId: id }]);
  const copy = existing?.copies[calendar.id];
  if (copy?.guest !== undefined && (event.iCalUID ?? existing?.core.iCalUID) === existing?.core.iCalUID) {
    await addToCopy(store, calendar, id, event);
    return [];
  }
  const stamp = nextStamp(1, tools.clock);
  const owner = { email: calendar.owner };
  const complete: EventBody = {
    ...event,
    created: event.created ?? stamp.at,
    creator: event.creator ?? owner,
    organizer: event.organizer ?? owner,
    iCalUID: event.iCalUID ?? `${id}@${new URL(tools.links.event).hostname}`,
  };
  const changed = { ...stamp, at: event.updated ? new Date(event.updated).toISOString() : stamp.at };
  const places = await guestPlaces(store, complete, id);
  const outcome = await store.insertEvent(newRecord(complete, id, calendar, changed, places));
  return outcome.kind === 'taken' ? [{ path: ['id'], reason: 'duplicate', message: 'The calendar has an event with this id.' }] : [];
}

/** The body in the form in which events are stored. */
function stored(event: EventBody, tools: EventTools): EventBody {
  const { attendees, conferenceData, ...rest } = event;
  const kept = Object.fromEntries(
    Object.entries(rest).filter(([name, value]) => (eventDefaults as Record<string, unknown>)[name] !== value),
  ) as EventBody;
  const signature = conferenceData && (conferenceData.signature ?? signConference(conferenceData, tools.signingSecret));
  return {
    ...kept,
    ...(attendees && { attendees: storedAttendees(attendees) }),
    ...(conferenceData && { conferenceData: { ...conferenceData, signature } }),
  };
}

function importIssues(event: EventBody, calendar: CalendarRecord): Issue[] {
  const times = (['created', 'updated'] as const).filter((name) => event[name] !== undefined && !parseDateTime(event[name])?.offset);
  return [
    ...textIssues(event, []),
    ...checkEvent(event, {}, calendar.timeZone),
    ...checkConference(event.conferenceData ?? {}),
    ...times.map((name): Issue => ({ path: [name], reason: 'invalid', message: `${name} must be an RFC 3339 time with an offset.` })),
  ];
}

async function guestPlaces(store: EventStore<EventRecord>, event: EventBody, eventId: string) {
  const guests = (event.attendees ?? []).flatMap(({ email }) => (email ? [emailKey(email)] : []));
  const calendars = await store.primaries(guests);
  return new Map<string, GuestPlace>(
    guests.flatMap((guest, index) => {
      const calendar = calendars[index];
      return calendar ? [[guest, { calendarId: calendar.id, eventId }] as const] : [];
    }),
  );
}

async function addToCopy(store: EventStore<EventRecord>, calendar: CalendarRecord, eventId: string, event: EventBody): Promise<void> {
  await store.updateEvent({ calendarId: calendar.id, eventId }, (current) => {
    const copy = { ...current.copies[calendar.id], ...split(event).own, ...(event.locked && { locked: true }) };
    const copies = { ...current.copies, [calendar.id]: copy } as EventRecord['copies'];
    return { next: { ...current, copies }, result: undefined };
  });
}
