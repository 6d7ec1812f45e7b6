import DataLoader from 'dataloader';
import type { Viewer } from '../../access/permissions.ts';
import type { CalendarRecord } from '../../calendar/calendar.ts';
import { AppError, invalidInput } from '../../core/errors.ts';
import type { FieldNode, FieldSelection, Selected } from '../../core/fields/table.ts';
import { withoutNulls } from '../../core/patch.ts';
import { perRequest, type RequestKey } from '../../core/runtime/limits.ts';
import { addressKey } from '../../core/text/email.ts';
import { storedGuests } from '../../event/attendees/guest-list.ts';
import type { Draft } from '../../event/draft.ts';
import { argumentIssues, type GetEventArgs, type Presentation } from '../../event/event.requests.ts';
import type { EventService } from '../../event/event.service.ts';
import { type Attendee, attendeeKey, type EventBody, type EventPatch } from '../../event/model/fields.ts';
import { type EventCopy, type EventRecord, noStamp, type Stamp } from '../../event/model/record.ts';
import { visibilityOf, type EventContext, eventContextOf } from '../../event/visibility/event-context.ts';
import { type EventView, viewOf } from '../../event/visibility/event-view.ts';
import { BodyReader } from '../../google/read.ts';
import { fieldsParameter, unionOf } from '../form.ts';
import { readAs } from '../pages.ts';
import { calendarNamed, createCalendarForm } from './calendars.ts';
import type { EventParts, Json, UpstreamCalendarParts } from './event-calls.ts';
import { createEventForm } from './event-form.ts';
import { createEventLists, presentationQuery } from './event-lists.ts';
import { inOwnWords } from './faults.ts';
import { freeBusy } from './free-busy.ts';

/** An event as a request asks for it. */
interface WantedEvent {
  readonly viewer: Viewer;
  readonly args: GetEventArgs;
  readonly selection: FieldSelection | undefined;
}

/** Reads an event by one call. */
type CallForEvent = (wanted: WantedEvent, request: RequestKey) => Promise<unknown>;

/** Reads events for requests: what one request asks of the same event at the same time is one call, for all that is selected; different ones are read side by side. */
function createEventLoader(call: CallForEvent): CallForEvent {
  const loaderOf = perRequest(
    (request) =>
      new DataLoader((all: readonly WantedEvent[]) => readAll(all, call, request), {
        // A later write may change what was read.
        cache: false,
        // Root fields that wait for their turn come along.
        batchScheduleFn: (begin) => void setImmediate(begin),
      }),
  );
  return (wanted, request) => loaderOf(request).load(wanted);
}

async function readAll(
  all: readonly WantedEvent[],
  call: CallForEvent,
  request: RequestKey,
): Promise<unknown[]> {
  const groups = new Map<string, WantedEvent[]>();
  for (const wanted of all) groups.set(keyOf(wanted), [...(groups.get(keyOf(wanted)) ?? []), wanted]);
  const found = await Promise.all(
    [...groups].map(async ([key, group]) => {
      const selection = unionOf(group.map((wanted) => wanted.selection));
      return [key, await call({ ...(group[0] as WantedEvent), selection }, request).catch(errorOf)] as const;
    }),
  );
  const byKey = new Map(found);
  return all.map((wanted) => byKey.get(keyOf(wanted)));
}

const keyOf = ({
  viewer,
  args: { calendarId, eventId, maxAttendees, alwaysIncludeEmail },
}: WantedEvent): string =>
  JSON.stringify([
    calendarNamed(calendarId, viewer),
    eventId,
    maxAttendees ?? null,
    alwaysIncludeEmail === true,
  ]);

/** Loaders take errors for what could not be read. */
const errorOf = (error: unknown): Error =>
  error instanceof Error ? error : new Error('an event could not be read', { cause: error });

type Reads = Pick<EventService, 'getEvent' | 'listEvents' | 'listInstances' | 'freeBusy'>;

/** Reads events from the service, as the caller. */
export function createEventReads({ client, model, schemas, tools }: UpstreamCalendarParts): Reads {
  const form = createEventForm(model, schemas);
  const { listEvents, listInstances } = createEventLists({
    client,
    tools,
    form,
    calendars: createCalendarForm(schemas),
  });

  const load = createEventLoader(({ viewer, args, selection }, request) => {
    const fields = form.fieldsOf(selection);
    return readAs(viewer, client, request, {
      method: 'events.get',
      path: ['calendars', args.calendarId, 'events', args.eventId],
      query: { ...presentationQuery(args), fields: fields && fieldsParameter(fields) },
    });
  });

  async function getEvent(
    viewer: Viewer,
    args: GetEventArgs,
    request: RequestKey,
    selected?: Selected,
  ): Promise<EventView> {
    const issues = argumentIssues(args);
    if (issues.length > 0) throw invalidInput(issues);
    const json = await load({ viewer, args, selection: selected?.() }, request).catch(
      inOwnWords({ ofEvent: true }),
    );
    const event = form.viewOf(json, calendarNamed(args.calendarId, viewer));
    if (!event)
      throw new AppError(
        'UNAVAILABLE',
        'backendError',
        'The calendar service answered with something that is no event.',
      );
    return event;
  }

  return {
    getEvent,
    listEvents: (viewer, args, request, _budget, selected) => listEvents(viewer, args, request, selected),
    listInstances: (viewer, args, request, _budget, selected) =>
      listInstances(viewer, args, request, selected),
    freeBusy: (viewer, args, request) => freeBusy(viewer, args, client, request),
  };
}

/** `primary` is the calendar that has the caller's address. */
export const calendarOf = (calendarId: string, { identity }: Viewer): string =>
  calendarId === 'primary' ? identity : calendarId;

/** A calendar of the service, of which only its owner's name is known. The caller may write to it, until the service says otherwise. */
export const bareCalendar = (id: string, owner: string): CalendarRecord => ({
  id,
  owner,
  acl: [],
  timeZone: '',
  defaultReminders: [],
});

/** An event of the service, as the own rules read it. */
export function readEvent(
  json: Json,
  calendarId: string,
  viewer: Viewer,
  parts: Pick<EventParts, 'model' | 'schemas' | 'tools'>,
): EventContext {
  const {
    model,
    schemas,
    tools: { links },
  } = parts;
  const event = withoutNulls(
    new BodyReader(schemas, false).read({ $ref: 'Event' }, json, { official: [], field: [] }),
  ) as EventBody;
  const { organizer, attendees } = event;
  // A deleted event comes without its organizer: then the service knows who may do what.
  const asOrganizer = organizer?.self ?? organizer === undefined;
  const owner = (asOrganizer ? organizer?.email : attendees?.find(({ self }) => self)?.email) ?? calendarId;
  // A guest who sees more than the id of a cancelled event has taken it off the own calendar.
  const isRemoved = event.status === 'cancelled' && !asOrganizer;
  const {
    core,
    copy,
    viewer: own,
  } = model.split({
    ...withoutDefaults(event, model),
    ...(asOrganizer && { organizer: { ...organizer, email: owner } }),
    ...(attendees && { attendees: storedGuests(attendees, model.field('attendees').fields.values()) }),
    ...(isRemoved && { status: undefined }),
    // They are shown on events, but belong to the calendar.
    ...(event.reminders?.useDefault && { reminders: undefined }),
  });
  const stamp = stampAt(event.updated);
  const shownHere: EventCopy = {
    id: event.id ?? '',
    state: isRemoved ? 'removed' : 'present',
    stamp: noStamp,
    own: copy,
    viewers: { [viewer.identity]: { stamp: noStamp, own } },
    ...(!asOrganizer && { guest: addressKey(owner) }),
  };
  const record: EventRecord = {
    key: calendarId,
    version: 1,
    homeId: calendarId,
    core,
    coreStamp: stamp,
    openStamp: stamp,
    copies: { [calendarId]: shownHere },
  };
  return eventContext(record, bareCalendar(calendarId, owner), viewer, { model, links });
}

export const eventContext = (
  record: EventRecord,
  calendar: CalendarRecord,
  viewer: Viewer,
  { model, links }: Pick<EventContext, 'model' | 'links'>,
): EventContext => eventContextOf(record, { calendar, viewer, role: 'writer', model, links });

/** A read event, or what would become of it, with the names that the service gave it. */
export function shown(
  context: EventContext,
  { etag, htmlLink, updated, status, start }: Json,
  presentation: Presentation = {},
): EventView {
  // A deleted event comes without its times.
  const level = status === 'cancelled' && start === undefined ? 'gone' : visibilityOf(context);
  const view = viewOf(context, presentation, level) as EventView & { toJSON(): EventView };
  return { ...view.toJSON(), ...({ etag, htmlLink, updated } as EventBody) };
}

const withoutDefaults = (event: EventBody, { fields }: EventParts['model']): EventBody =>
  Object.fromEntries(
    Object.entries(event).filter(
      ([name, value]) => fields.get(name as 'id')?.default !== value || value === undefined,
    ),
  );

const stampAt = (updated: string | undefined): Stamp =>
  updated === undefined || Number.isNaN(Date.parse(updated)) ? noStamp : { tag: '1', at: updated };

type Entry = Readonly<Record<string, unknown>>;

/** The guest list that a change comes to, as a patch says it; nothing where it stays. */
export function mergedGuests({
  context,
  before,
  change,
  body,
}: Draft): Pick<EventPatch, 'attendees' | 'attendeesOmitted'> {
  const { attendees } = change as { readonly attendees?: readonly Attendee[] | null };
  if (attendees === undefined) return {};
  if (attendees === null) return { attendees };
  const known = new Map((before.core.attendees ?? []).map((entry) => [attendeeKey(entry), entry as Entry]));
  const list = attendees.map((entry) =>
    withClearings(entry, known.get(attendeeKey(entry)), context.model.field('attendees')),
  );
  // The own answer alone: of a list that may be longer than what was read.
  if (body.attendeesOmitted === true)
    return {
      attendeesOmitted: true,
      attendees: list.filter((entry) => attendeeKey(entry) === context.owner),
    };
  return { attendees: list };
}

/** Says of what an entry loses that it is gone: what is absent may stay. */
function withClearings(entry: Attendee, before: Entry = {}, { fields }: FieldNode): Attendee {
  const lost = Object.keys(before).filter((name) => !Object.hasOwn(entry, name));
  return { ...Object.fromEntries(lost.map((name) => [name, fields.get(name)?.default ?? null])), ...entry };
}
