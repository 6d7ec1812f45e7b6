import DataLoader from 'dataloader';
import type { Viewer } from '../../access/permissions.ts';
import type { CalendarRecord } from '../../calendar/calendar.store.ts';
import { requireValid, serviceUnavailableError } from '../../core/errors.ts';
import type { FieldNode, FieldSelection } from '../../core/fields/table.ts';
import { type Fields, filterFields, groupByKey, withoutNulls } from '../../core/json.ts';
import { memoizeByObject } from '../../core/memoize.ts';
import type { RequestKey } from '../../core/runtime/request-loader.ts';
import { addressKey } from '../../core/text/email.ts';
import { toStoredGuests } from '../../event/attendees/guest-list.ts';
import type { Draft } from '../../event/draft.ts';
import { argumentIssues, type GetEventArgs, type PresentationArgs } from '../../event/event.requests.ts';
import type { EventService } from '../../event/event.service.ts';
import { type Attendee, attendeeKey, type EventBody, type EventPatch } from '../../event/model/fields.ts';
import { type EventCopy, type EventRecord, noStamp, type Stamp } from '../../event/model/record.ts';
import { visibilityOf, type EventContext, eventContextOf } from '../../event/visibility/event-context.ts';
import { type EventView, viewOf } from '../../event/visibility/event-view.ts';
import { BodyReader } from '../../google/body-reader.ts';
import { formatFieldsParameter, mergeSelections } from '../field-mappings.ts';
import { readAs } from '../pages.ts';
import { toCanonicalId, createCalendarConverter } from './calendars.ts';
import type { EventDependencies, CalendarDependencies } from './event-calls.ts';
import { createEventConverter } from './event-converter.ts';
import { createEventLists, presentationQuery } from './event-lists.ts';
import { rethrowReadError } from './refusal-errors.ts';
import { queryFreeBusy } from './free-busy.ts';

/** Read of one event by one root field. */
interface EventRead {
  readonly viewer: Viewer;
  readonly args: GetEventArgs;
  readonly selection: FieldSelection | undefined;
}

type CallForEvent = (read: EventRead, request: RequestKey) => Promise<unknown>;

/** Batches reads of a request: concurrent reads of the same event become one call with the merged selection. */
function createEventLoader(readEvent: CallForEvent): CallForEvent {
  const loaderOf = memoizeByObject(
    (request) =>
      new DataLoader((reads: readonly EventRead[]) => readBatch(reads, readEvent, request), {
        // Not cached, since a later write of the request may change the event.
        cache: false,
        // Root fields of the same turn of the event loop join the batch.
        batchScheduleFn: (startBatch) => void setImmediate(startBatch),
      }),
  );
  return (read, request) => loaderOf(request).load(read);
}

/** Reads events at once, with one call for all reads with the same key. */
async function readBatch(
  reads: readonly EventRead[],
  readEvent: CallForEvent,
  request: RequestKey,
): Promise<unknown[]> {
  const results = await Promise.all(
    [...groupByKey(reads, readKeyOf)].map(async ([key, sameReads]) => {
      const selection = mergeSelections(sameReads.map((read) => read.selection));
      return [key, await readEvent({ ...sameReads[0], selection }, request).catch(toError)] as const;
    }),
  );
  const resultsByKey = new Map(results);
  return reads.map((read) => resultsByKey.get(readKeyOf(read)));
}

/** Returns the key of a read. Reads with the same key differ only in their selection. */
const readKeyOf = ({
  viewer,
  args: { calendarId, eventId, maxAttendees, alwaysIncludeEmail },
}: EventRead): string =>
  JSON.stringify([
    toCanonicalId(calendarId, viewer),
    eventId,
    maxAttendees ?? null,
    alwaysIncludeEmail === true,
  ]);

/** Wraps a rejection, since a DataLoader needs an Error for each failed key. */
const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error('an event could not be read', { cause: error });

/** Reading methods of the event service. */
type EventReads = Pick<EventService, 'getEvent' | 'listEvents' | 'listInstances' | 'freeBusy'>;

/** Reads events from the service with the caller's token. */
export function createEventReads({ client, model, schemas, tools }: CalendarDependencies): EventReads {
  const eventConverter = createEventConverter(model, schemas);
  const loadEvent = createEventLoader(({ viewer, args, selection }, request) => {
    const fields = eventConverter.formatFields(selection);
    return readAs(viewer, client, request, {
      apiMethod: 'events.get',
      path: ['calendars', args.calendarId, 'events', args.eventId],
      query: { ...presentationQuery(args), fields: formatFieldsParameter(fields) },
    });
  });

  const getEvent: EventService['getEvent'] = async (viewer, args, request, selected) => {
    requireValid(argumentIssues(args));
    const json = await loadEvent({ viewer, args, selection: selected?.() }, request).catch(
      rethrowReadError({ isEventRead: true }),
    );
    const event = eventConverter.viewOf(json, toCanonicalId(args.calendarId, viewer));
    if (!event) throw serviceUnavailableError('The calendar service did not return an event.');
    return event;
  };

  return {
    getEvent,
    ...createEventLists({
      client,
      tools,
      eventConverter,
      calendarConverter: createCalendarConverter(schemas),
    }),
    freeBusy: (viewer, args, request) => queryFreeBusy(viewer, args, client, request),
  };
}

/** Resolves `primary` to the caller's address; other ids stay as they were sent. */
export const toCalendarKey = (calendarId: string, { identity }: Viewer): string =>
  calendarId === 'primary' ? identity : calendarId;

/** A calendar record with an owner only. The gateway assumes write access until the service refuses. */
export const minimalCalendar = (id: string, owner: string): CalendarRecord => ({
  id,
  owner,
  acl: [],
  timeZone: '',
  defaultReminders: [],
});

/** Converts an event of the service to the context on which the gateway's rules work. */
export function contextOfEvent(
  json: Fields,
  calendarId: string,
  viewer: Viewer,
  dependencies: Pick<EventDependencies, 'model' | 'schemas' | 'tools'>,
): EventContext {
  const {
    model,
    schemas,
    tools: { links },
  } = dependencies;
  const event = withoutNulls(
    new BodyReader(schemas, false).read({ $ref: 'Event' }, json, { official: [], field: [] }),
  ) as EventBody;
  const { organizer, attendees } = event;
  // A deleted event has no organizer; the service then decides about permissions.
  const isOrganizer = organizer?.self ?? organizer === undefined;
  const owner = (isOrganizer ? organizer?.email : attendees?.find(({ self }) => self)?.email) ?? calendarId;
  // A guest who sees the details of a cancelled event has removed it from their own calendar.
  const isRemoved = event.status === 'cancelled' && !isOrganizer;
  const {
    core,
    copy,
    viewer: viewerPart,
  } = model.split({
    ...removeDefaults(event, model),
    ...(isOrganizer && { organizer: { ...organizer, email: owner } }),
    ...(attendees && { attendees: toStoredGuests(attendees, model.field('attendees').fields.values()) }),
    ...(isRemoved && { status: undefined }),
    // Default reminders appear on events, but belong to the calendar.
    ...(event.reminders?.useDefault && { reminders: undefined }),
  });
  const stamp = stampAt(event.updated);
  const eventCopy: EventCopy = {
    id: event.id ?? '',
    state: isRemoved ? 'removed' : 'present',
    stamp: noStamp,
    own: copy,
    viewers: { [viewer.identity]: { stamp: noStamp, own: viewerPart } },
    ...(!isOrganizer && { guest: addressKey(owner) }),
  };
  const record: EventRecord = {
    key: calendarId,
    version: 1,
    homeId: calendarId,
    core,
    coreStamp: stamp,
    openStamp: stamp,
    copies: { [calendarId]: eventCopy },
  };
  return createContext(record, minimalCalendar(calendarId, owner), viewer, { model, links });
}

/** Creates the context of an event of the service. Callers count as writers until the service refuses. */
export const createContext = (
  record: EventRecord,
  calendar: CalendarRecord,
  viewer: Viewer,
  { model, links }: Pick<EventContext, 'model' | 'links'>,
): EventContext => eventContextOf(record, { calendar, viewer, role: 'writer', model, links });

/** Builds the view of a read event, or of the result of a dry run, with the etag and link of the service. */
export function toServiceView(
  context: EventContext,
  { etag, htmlLink, updated, status, start }: Fields,
  presentation: PresentationArgs = {},
): EventView {
  const visibility = status === 'cancelled' && start === undefined ? 'none' : visibilityOf(context);
  const view = viewOf(context, presentation, visibility) as EventView & { toJSON(): EventView };
  return { ...view.toJSON(), ...({ etag, htmlLink, updated } as EventBody) };
}

/** Removes fields that have their default value. */
const removeDefaults = (event: EventBody, { fields }: EventDependencies['model']): EventBody =>
  filterFields(event, (value, name) => fields.get(name as 'id')?.default !== value || value === undefined);

const stampAt = (updated: string | undefined): Stamp =>
  updated === undefined || Number.isNaN(Date.parse(updated)) ? noStamp : { tag: '1', at: updated };

/** Builds the guest list that a change results in, as a patch; empty if the list is unchanged. */
export function buildGuestListPatch({
  context,
  before,
  change,
  body,
}: Draft): Pick<EventPatch, 'attendees' | 'attendeesOmitted'> {
  const { attendees } = change as { readonly attendees?: readonly Attendee[] | null };
  if (attendees === undefined) return {};
  if (attendees === null) return { attendees };
  const previousByKey = new Map(
    (before.core.attendees ?? []).map((entry) => [attendeeKey(entry), entry as Fields]),
  );
  const resultingGuests = attendees.map((entry) =>
    clearRemovedFields(entry, previousByKey.get(attendeeKey(entry)), context.model.field('attendees')),
  );
  // Sends only the caller's response, since the list may be longer than the one read.
  if (body.attendeesOmitted === true)
    return {
      attendeesOmitted: true,
      attendees: resultingGuests.filter((entry) => attendeeKey(entry) === context.owner),
    };
  return { attendees: resultingGuests };
}

/** Sets removed fields of an entry to null or their default, since the service may keep absent fields. */
function clearRemovedFields(entry: Attendee, previous: Fields = {}, { fields }: FieldNode): Attendee {
  const removedNames = Object.keys(previous).filter((name) => !Object.hasOwn(entry, name));
  const clearedFields = removedNames.map((name) => [name, fields.get(name)?.default ?? null]);
  return { ...(Object.fromEntries(clearedFields) as Fields), ...entry };
}
