import type { Viewer } from '../access/permissions.ts';
import { errorAt, invalidInput, type Warning } from '../core/errors.ts';
import type { GuestNotifier } from '../core/notifier.ts';
import { earlierOutcome, requestRecord } from '../core/request-record.ts';
import type { MutationInsertEventArgs, MutationPatchEventArgs, QueryEventArgs, QueryEventsArgs } from '../generated/resolvers-types.ts';
import { concernsOthers, noticesOf, updatesAsked, type Change } from './attendees/notices.ts';
import { newId, placesOf } from './attendees/replicas.ts';
import { calendarRef, noEvent, openCalendar, type OpenCalendar } from './event.access.ts';
import { argumentIssues, guestKeys } from './event.arguments.ts';
import type { CalendarRecord, CalendarRef, EventStore } from './event.store.ts';
import type { Place } from './model/record.ts';
import { conferencesFor, type EventTools } from './event.tools.ts';
import { listEvents, type EventList } from './list/list.ts';
import { attendeeKey } from './model/model.ts';
import { emailKey } from '../core/email.ts';
import type { EventRecord } from './model/record.ts';
import { instanceId } from './recurrence/instance.ts';
import { viewOf, type EventView } from './view/event-view.ts';
import { viewpointOf, type Viewpoint } from './view/viewpoint.ts';
import { blankRecord, createRecord } from './write/create.ts';
import { openDraft, type Draft } from './write/draft.ts';
import { patchRecord, requireMatch } from './write/patch.ts';

/** Where reads come from: loaders that gather the reads of one request. */
export interface EventReader {
  calendar(ref: CalendarRef): Promise<CalendarRecord | undefined>;
  event(place: Place): Promise<EventRecord | undefined>;
}

export interface EventResult {
  readonly event: EventView;
  readonly warnings: readonly Warning[];
  readonly guestsNotified: number;
}

export interface EventService {
  listEvents(viewer: Viewer, args: QueryEventsArgs): Promise<EventList>;
  getEvent(viewer: Viewer, args: QueryEventArgs, reader: EventReader): Promise<EventView>;
  patchEvent(viewer: Viewer, args: MutationPatchEventArgs): Promise<EventResult>;
  insertEvent(viewer: Viewer, args: MutationInsertEventArgs): Promise<EventResult>;
}

export interface EventServiceParts {
  readonly store: EventStore;
  readonly notifier: GuestNotifier;
  readonly tools: EventTools;
}

/** What a write came to, before anybody is told of it. */
interface Written {
  readonly at: Viewpoint;
  readonly warnings: readonly Warning[];
  /** Absent when nothing was stored. */
  readonly change?: Change;
}

/** What is remembered of an insert, to answer it again. */
interface Remembered {
  readonly record: EventRecord;
  readonly warnings: readonly Warning[];
}

/** Reads and changes events on behalf of a viewer. Throws AppError for whatever the viewer should be told. */
export function createEventService({ store, notifier, tools }: EventServiceParts): EventService {
  const { model, links, clock } = tools;
  const uidHost = new URL(links.event).hostname;

  const pointOf = (record: EventRecord, { calendar, role }: OpenCalendar, viewer: Viewer): Viewpoint =>
    viewpointOf(record, { calendar, viewer, role, model, links });

  async function getEvent(viewer: Viewer, args: QueryEventArgs, reader: EventReader): Promise<EventView> {
    const ref = calendarRef(args.calendarId, viewer);
    const open = openCalendar(await reader.calendar(ref), ref, viewer, 'freeBusyReader');
    const record = await reader.event({ calendarId: open.calendar.id, eventId: args.eventId });
    if (!record) throw noEvent();
    const issues = argumentIssues(args);
    if (issues.length > 0) throw invalidInput(issues);
    return viewOf(pointOf(record, open, viewer), args);
  }

  async function patchEvent(viewer: Viewer, args: MutationPatchEventArgs): Promise<EventResult> {
    const calendar = calendarRef(args.calendarId, viewer);
    const target = { calendar, eventId: args.eventId, guests: guestKeys(args.event) };
    const written = await store.changeEvent<Written>(target, (found) => {
      const open = openCalendar(found.calendar, calendar, viewer, 'writer');
      const record = found.event;
      if (!record) throw noEvent();
      const at = pointOf(record, open, viewer);
      requireMatch(at, args.ifMatch);
      const draft = openDraft({
        at,
        creating: false,
        body: args.event,
        support: args,
        guestCalendars: found.guests,
        conference: conferencesFor(tools, at.copy.id, record.core.summary),
      });
      const places = placesOf(found.guests, at.copy.id, (holder) => holder.key !== record.key);
      const next = patchRecord(draft, argumentIssues(args), clock, places);
      const after = next === record ? at : pointOf(next, open, viewer);
      const result = { at: after, warnings: draft.report.warnings };
      if (next === record || args.validateOnly) return { result };
      return { next, result: { ...result, change: changeOf(draft, after) } };
    });
    return answer(written, args);
  }

  async function insertEvent(viewer: Viewer, args: MutationInsertEventArgs): Promise<EventResult> {
    const calendar = calendarRef(args.calendarId, viewer);
    const body = args.event;
    const id = body.id ?? instanceId(body) ?? newId();
    const request = requestRecord('insertEvent', viewer, args, clock);
    const seriesId = body.recurringEventId ?? undefined;
    const target = { calendar, eventId: id, seriesId, iCalUID: body.iCalUID ?? undefined, guests: guestKeys(body), request };
    const written = await store.changeEvent<Written>(target, ({ earlier, ...found }) => {
      const open = openCalendar(found.calendar, calendar, viewer, 'writer');
      const first = earlierOutcome<Remembered>(request, earlier);
      if (first) return { result: { at: pointOf(first.record, open, viewer), warnings: first.warnings } };
      const blank = blankRecord(id, open.calendar, viewer);
      const draft = openDraft({
        at: pointOf(blank, open, viewer),
        creating: true,
        body,
        support: args,
        guestCalendars: found.guests,
        conference: conferencesFor(tools, id, body.summary ?? undefined),
      });
      const next = createRecord(draft, {
        argumentIssues: argumentIssues(args), series: found.series, clock, uidHost, places: placesOf(found.guests, id, () => true),
      });
      if (found.event) throw duplicateId(body.id == null ? instanceId(body) : undefined);
      if (!seriesId && found.sameUid.some(({ core }) => core.recurringEventId === undefined)) throw duplicateUid();
      const at = pointOf(next, open, viewer);
      const { warnings } = draft.report;
      if (args.validateOnly) return { result: { at, warnings } };
      return { next, outcome: { record: next, warnings } satisfies Remembered, result: { at, warnings, change: changeOf(draft, at) } };
    });
    return answer(written, args);
  }

  type WriteArgs = Pick<MutationPatchEventArgs, 'sendUpdates' | 'sendNotifications' | 'maxAttendees' | 'alwaysIncludeEmail'>;

  async function answer({ at, warnings, change }: Written, args: WriteArgs): Promise<EventResult> {
    const guestsNotified = change && updatesAsked(args) !== 'none' && concernsOthers(change) ? await tell(args, change) : 0;
    return { event: viewOf(at, args), warnings, guestsNotified };
  }

  /** Hands the notices over; of how many the caller may know. */
  async function tell(args: WriteArgs, change: Change): Promise<number> {
    const asked = updatesAsked(args);
    if (asked === 'none') return 0;
    const { record } = change.at;
    const hosted = new Set(Object.values(record.copies).flatMap(({ guest }) => (guest === undefined ? [] : [guest])));
    if (asked === 'externalOnly') {
      const [home] = await store.calendars([{ id: record.homeId }]);
      if (home) hosted.add(emailKey(home.owner));
    }
    const { guests, counted, change: kind } = noticesOf(asked, change, hosted);
    if (guests.length > 0) notifier.notify({ eventId: record.copies[record.homeId]?.id ?? '', change: kind, guests });
    return counted;
  }

  return {
    getEvent,
    patchEvent,
    insertEvent,
    listEvents: (viewer, args) => listEvents(viewer, args, { store, secret: tools.signingSecret, pointOf }),
  };
}

/** A change as those are told of it whom it concerns. */
function changeOf({ at: { record, copy }, body, seen, guests, creating }: Draft, at: Viewpoint): Change {
  return {
    at,
    before: creating ? {} : record.core,
    beforeCopy: creating ? undefined : copy,
    invites: guests?.invites === true,
    added() {
      const known = new Set((seen.attendees ?? []).map(attendeeKey));
      return new Set((body.attendees ?? []).map(attendeeKey).filter((key) => !known.has(key)));
    },
  };
}

/** `instance` is the id of an instance that was not given one. */
const duplicateId = (instance?: string) =>
  instance === undefined
    ? errorAt('CONFLICT', ['event', 'id'], 'duplicate', 'The calendar has an event with this id. Leave id out to get a new one.')
    : errorAt('CONFLICT', ['event', 'originalStartTime'], 'duplicate', `This instance exists: patch the event ${instance}.`);

const duplicateUid = () =>
  errorAt('CONFLICT', ['event', 'iCalUID'], 'duplicate', 'The calendar has an event with this iCalUID. Leave iCalUID out to get a new one.');
