import { randomUUID } from 'node:crypto';
import type { Viewer } from '../access/permissions.ts';
import { invalidInput, type Issue, type Warning } from '../core/errors.ts';
import type { CalendarRecord } from './event.store.ts';
import { emailKey, isEmail } from '../core/email.ts';
import { changeEvent, type Support } from './event.change.ts';
import { copiesFor, nextStamp, split } from './event.parts.ts';
import type { EventRecord } from './event.record.ts';
import { conferencesFor, type EventTools, type GuestPlaces } from './event.tools.ts';
import type { EventBody, EventPatch } from './event.ts';
import { instanceIssues } from './instances.ts';

export interface CreateRequest extends Support {
  readonly event: EventPatch;
  /** What is wrong with the other arguments, to be reported together. */
  readonly issues: readonly Issue[];
}

export interface CreateOutcome {
  readonly record: EventRecord;
  readonly after: EventBody;
  readonly warnings: readonly Warning[];
}

export interface CreateFacts {
  readonly id: string;
  readonly calendar: CalendarRecord;
  readonly viewer: Viewer;
  /** The recurring event the new one is an instance of, when the body names one that exists on the calendar. */
  readonly parent: EventRecord | undefined;
  readonly places: GuestPlaces;
}

/** The new event a body describes, or an AppError with everything that is wrong with it. Stores nothing. */
export function createEvent(request: CreateRequest, facts: CreateFacts, tools: EventTools): CreateOutcome {
  const { id, calendar, viewer, parent } = facts;
  const { event: body } = request;
  const creator = isEmail(viewer.identity) ? { email: viewer.identity } : { id: viewer.identity };
  const organizer = { email: calendar.owner };
  const self = { self: true };
  const owner = emailKey(calendar.owner);
  const { after, issues, warnings } = changeEvent({
    body,
    creating: true,
    before: {},
    seen: {
      kind: 'calendar#event',
      creator: { ...creator, ...(emailKey(viewer.identity) === owner && self) },
      organizer: { ...organizer, ...self },
    },
    owner,
    zone: calendar.timeZone,
    support: request,
    conference: conferencesFor(tools, id, body.summary ?? undefined),
    permit: () => undefined,
  });
  const all = [...request.issues, ...issues, ...identifierIssues(body), ...instanceIssues(body, parent, calendar)];
  if (all.length > 0) throw invalidInput(all);
  const stamp = nextStamp(1, tools.clock);
  const event: EventBody = {
    ...after,
    created: stamp.at,
    creator,
    organizer,
    iCalUID: parent?.core.iCalUID ?? after.iCalUID ?? `${id}@${new URL(tools.links.event).hostname}`,
  };
  return { record: newRecord(event, id, calendar, stamp, facts.places), after, warnings };
}

/** A first version of an event, with the copies of those guests who have a calendar here. */
export function newRecord(
  event: EventBody,
  id: string,
  calendar: CalendarRecord,
  stamp: EventRecord['coreStamp'],
  places: GuestPlaces,
): EventRecord {
  const { core, own } = split(event);
  const record: EventRecord = {
    key: randomUUID(),
    version: 1,
    homeId: calendar.id,
    core,
    coreStamp: stamp,
    copies: { [calendar.id]: { ...own, id, state: 'present', stamp, ...(event.locked && { locked: true }) } },
  };
  return { ...record, copies: copiesFor(record, places, stamp) };
}

/** The rules for chosen identifiers (event resource, section 2: id rules and iCalUID). */
export function identifierIssues(body: EventPatch): Issue[] {
  const issues: Issue[] = [];
  const path = ['event', 'id'];
  const { id, iCalUID } = body;
  if (typeof id === 'string' && id.length > 1024) {
    issues.push({ path, reason: 'tooLong', message: 'An id has 5 to 1024 characters.' });
  }
  if (typeof id === 'string' && id.length < 5) {
    issues.push({ path, reason: 'invalid', message: 'An id has 5 to 1024 characters.' });
  }
  if (typeof id === 'string' && !/^[a-v0-9]*$/.test(id)) {
    issues.push({ path, reason: 'invalid', message: 'An id may hold the letters a to v and the digits 0 to 9 only (base32hex).' });
  }
  if (iCalUID === '') {
    const message = 'iCalUID must not be empty. Leave it out to get one.';
    issues.push({ path: ['event', 'iCalUID'], reason: 'invalid', message });
  }
  if (typeof id === 'string' && typeof iCalUID === 'string') {
    const message = 'Give id or iCalUID, not both: the server makes the other one.';
    issues.push({ path: ['event', 'iCalUID'], reason: 'invalid', message });
  }
  return issues;
}
