import { includes, roleOn, type Viewer } from '../access/permissions.ts';
import { errorAt, invalidInput, type Issue, type Warning } from '../core/errors.ts';
import { requestIdIssues, requestIdReused, requestMark } from '../core/request-mark.ts';
import type { GuestNotifier } from '../core/notifier.ts';
import { PlaceTakenError, type CalendarRecord, type EventStore, type Place } from './event.store.ts';
import type { AccessRole } from '../access/role.ts';
import type { InsertOutcome } from '../core/request-mark.ts';
import { present, seenFrom, standpointOf, type Presentation, type Standpoint } from './copies.ts';
import { emailKey } from '../core/email.ts';
import type { Support } from './event.change.ts';
import { createEvent, type CreateRequest } from './event.create.ts';
import { patchCopy, type PatchRequest } from './event.patch.ts';
import { newId } from './event.parts.ts';
import type { EventRecord } from './event.record.ts';
import { listEvents, type EventList, type ListArgs } from './event.list.ts';
import type { EventTools } from './event.tools.ts';
import type { EventBody, EventView } from './event.ts';
import { guestPlaces } from './guest-places.ts';
import { instanceId } from './instances.ts';
import { guestsToTell, updatesAsked, type SendUpdates } from './notices.ts';

/** Where reads come from: the store itself, or loaders that gather the reads of one request. */
export interface EventReader {
  calendar(id: string): Promise<CalendarRecord | undefined>;
  primary(email: string): Promise<CalendarRecord | undefined>;
  event(place: Place): Promise<EventRecord | undefined>;
}

export interface EventArgs extends Presentation {
  readonly calendarId: string;
  readonly eventId: string;
}

interface WriteArgs extends Presentation {
  readonly calendarId: string;
  readonly sendUpdates?: SendUpdates | null;
  readonly sendNotifications?: boolean | null;
  readonly validateOnly?: boolean | null;
}

export interface PatchEventArgs extends WriteArgs, Omit<PatchRequest, 'issues'> {
  readonly eventId: string;
}

export interface InsertEventArgs extends WriteArgs, Omit<CreateRequest, 'issues'> {
  readonly requestId?: string | null;
}

export interface EventResult {
  readonly event: EventView;
  readonly warnings: readonly Warning[];
  readonly guestsNotified: number;
}

export interface ListEventsArgs extends Presentation, ListArgs {
  readonly calendarId: string;
}

export interface EventService {
  listEvents(viewer: Viewer, args: ListEventsArgs): Promise<EventList>;
  getEvent(viewer: Viewer, args: EventArgs, reader: EventReader): Promise<EventView>;
  patchEvent(viewer: Viewer, args: PatchEventArgs): Promise<EventResult>;
  insertEvent(viewer: Viewer, args: InsertEventArgs): Promise<EventResult>;
}

export interface EventServiceParts {
  readonly store: EventStore<EventRecord>;
  readonly notifier: GuestNotifier;
  readonly tools: EventTools;
}

/** Reads and changes events on behalf of a viewer. Throws AppError for whatever the viewer should be told. */
export function createEventService({ store, notifier, tools }: EventServiceParts): EventService {
  const direct = storeReader(store);

  async function getEvent(viewer: Viewer, args: EventArgs, reader: EventReader): Promise<EventView> {
    const { calendar, role } = await openCalendar(viewer, args.calendarId, 'freeBusyReader', reader);
    const record = await reader.event({ calendarId: calendar.id, eventId: args.eventId });
    if (!record) throw noEvent();
    const issues = controlIssues(args);
    if (issues.length > 0) throw invalidInput(issues);
    return present(seenFrom(standpointOf(record, calendar, viewer, role, tools.links)), args);
  }

  async function list(viewer: Viewer, args: ListEventsArgs): Promise<EventList> {
    const { calendar, role } = await openCalendar(viewer, args.calendarId, 'freeBusyReader', direct);
    const issues = controlIssues(args);
    return listEvents(args, {
      store,
      issues,
      calendarId: calendar.id,
      secret: tools.signingSecret,
      view: (record) => present(seenFrom(standpointOf(record, calendar, viewer, role, tools.links)), args),
    });
  }

  async function patchEvent(viewer: Viewer, args: PatchEventArgs): Promise<EventResult> {
    const { calendar, role } = await openCalendar(viewer, args.calendarId, 'writer', direct);
    const place = { calendarId: calendar.id, eventId: args.eventId };
    const current = await direct.event(place);
    if (!current) throw noEvent();
    const stand = (record: EventRecord): Standpoint => standpointOf(record, calendar, viewer, role, tools.links);
    const request = { ...args, issues: controlIssues(args) };
    const outcome = await whilePlacesAreFree(async () => {
      const id = current.copies[calendar.id]?.id ?? args.eventId;
      const places = await guestPlaces(store, args.event.attendees, id, (holder) => holder.key !== current.key);
      if (args.validateOnly) return patchCopy(stand(current), request, tools, places);
      return store.updateEvent(place, (record) => {
        const result = patchCopy(stand(record), request, tools, places);
        return { next: result.next, result };
      });
    });
    if (!outcome) throw noEvent();
    const { before, after, next, warnings } = outcome;
    const guestsNotified = outcome.sharedChange ? await tell(args, before, after, next, calendar) : 0;
    return { event: present(seenFrom(stand(next)), args), warnings, guestsNotified };
  }

  async function insertEvent(viewer: Viewer, args: InsertEventArgs): Promise<EventResult> {
    const { calendar, role } = await openCalendar(viewer, args.calendarId, 'writer', direct);
    const { event: body } = args;
    const parentId = body.recurringEventId;
    const parent = parentId ? await direct.event({ calendarId: calendar.id, eventId: parentId }) : undefined;
    const request = { ...args, issues: [...controlIssues(args), ...requestIdIssues(args.requestId)] };
    return whilePlacesAreFree(async () => {
      const id = body.id ?? (parent && instanceId(parent, calendar, body)) ?? newId();
      const places = await guestPlaces(store, body.attendees, id, () => true);
      const { record, after, warnings } = createEvent(request, { id, calendar, viewer, parent, places }, tools);
      const outcome = await keep(record, viewer, args);
      if (outcome.kind === 'taken') throw duplicateId(body.id == null && parent ? id : undefined);
      if (outcome.kind === 'reused') throw requestIdReused();
      const guestsNotified = outcome.kind === 'inserted' ? await tell(args, {}, after, record, calendar) : 0;
      const at = standpointOf(outcome.record, calendar, viewer, role, tools.links);
      return { event: present(seenFrom(at), args), warnings, guestsNotified };
    });
  }

  /** Stores a new event, or finds out what storing it would come to. */
  async function keep(record: EventRecord, viewer: Viewer, args: InsertEventArgs): Promise<InsertOutcome<EventRecord>> {
    const home = { calendarId: record.homeId, eventId: record.copies[record.homeId]?.id ?? '' };
    const mark = requestMark('insertEvent', viewer, args, tools.clock);
    const outcome = await store.insertEvent(record, mark, args.validateOnly === true);
    // The id may be free here, and taken on the calendar of a guest since it was looked up there.
    if (outcome.kind === 'taken' && !(await direct.event(home))) throw new PlaceTakenError('a place of a copy was taken');
    return outcome;
  }

  /** Hands the notices over; the number of guests told. */
  async function tell(args: WriteArgs, before: EventBody, after: EventBody, record: EventRecord, calendar: CalendarRecord): Promise<number> {
    const asked = updatesAsked(args);
    if (asked === 'none' || args.validateOnly) return 0;
    const home = await direct.calendar(record.homeId);
    const owners = [...Object.values(record.copies).map(({ guest }) => guest), home && emailKey(home.owner)];
    const hosted = new Set(owners.filter((owner) => owner !== undefined));
    const guests = guestsToTell(asked, before, after, emailKey(calendar.owner), hosted);
    if (guests.length === 0) return 0;
    const change = after.status === 'cancelled' ? 'cancelled' : before.created ? 'updated' : 'created';
    notifier.notify({ eventId: record.copies[record.homeId]?.id ?? '', change, guests });
    return guests.length;
  }

  return { getEvent, listEvents: list, patchEvent, insertEvent };
}

/** Reads one by one, straight from the store. */
export function storeReader(store: EventStore<EventRecord>): EventReader {
  return {
    calendar: async (id) => (await store.calendars([id]))[0],
    primary: async (email) => (await store.primaries([email]))[0],
    event: async (place) => (await store.events([place]))[0],
  };
}

/** The calendar and the caller's role on it; one the caller may not even read is not there. */
async function openCalendar(viewer: Viewer, calendarId: string, needed: AccessRole, reader: EventReader) {
  const calendar = calendarId === 'primary' ? await reader.primary(viewer.identity) : await reader.calendar(calendarId);
  const role = calendar ? roleOn(calendar, viewer) : 'none';
  if (!calendar || role === 'none') throw noCalendar();
  if (!includes(role, needed)) throw readOnlyCalendar();
  return { calendar, role };
}

/** Another event can take a guest's place between the look and the write: then look again. */
async function whilePlacesAreFree<T>(attempt: () => Promise<T>): Promise<T> {
  for (let left = 3; ; left -= 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof PlaceTakenError)) throw error;
      if (left === 0) throw busy();
    }
  }
}

function controlIssues(args: Presentation & Support): Issue[] {
  const issues: Issue[] = [];
  const { maxAttendees: most, conferenceDataVersion: version } = args;
  if (typeof most === 'number' && most < 1) {
    issues.push({ path: ['maxAttendees'], reason: 'invalid', message: 'maxAttendees must be 1 or more.' });
  }
  if (typeof version === 'number' && version !== 0 && version !== 1) {
    issues.push({ path: ['conferenceDataVersion'], reason: 'invalid', message: 'conferenceDataVersion must be 0 or 1.' });
  }
  return issues;
}

const noCalendar = () => errorAt('NOT_FOUND', ['calendarId'], 'notFound', 'There is no such calendar.');
const noEvent = () => errorAt('NOT_FOUND', ['eventId'], 'notFound', 'There is no such event on this calendar.');
const readOnlyCalendar = () =>
  errorAt('FORBIDDEN', ['calendarId'], 'forbidden', 'You may read this calendar, but not change its events.');
const busy = () =>
  errorAt('UNAVAILABLE', ['event', 'attendees'], 'backendError', 'The calendars of the guests change too fast. Try again.');
/** `instance` is the id of an instance that was not given one. */
const duplicateId = (instance?: string) =>
  instance === undefined
    ? errorAt('CONFLICT', ['event', 'id'], 'duplicate', 'The calendar has an event with this id. Leave id out to get a new one.')
    : errorAt('CONFLICT', ['event', 'originalStartTime'], 'duplicate', `This instance exists: patch the event ${instance}.`);
