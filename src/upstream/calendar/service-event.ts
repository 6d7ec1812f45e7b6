import type { Viewer } from '../../access/permissions.ts';
import type { CalendarRecord } from '../../calendar/calendar.store.ts';
import { type Fields, filterFields, withoutNulls } from '../../core/json.ts';
import { addressKey } from '../../core/text/email.ts';
import { toStoredGuests } from '../../event/attendees/guest-list.ts';
import type { PresentationArgs } from '../../event/event.requests.ts';
import type { EventBody } from '../../event/model/fields.ts';
import type { EventModel } from '../../event/model/model.ts';
import { type EventCopy, type EventRecord, noStamp, type Stamp } from '../../event/model/record.ts';
import { visibilityOf, type EventContext, eventContextOf } from '../../event/visibility/event-context.ts';
import { type EventView, viewOf } from '../../event/visibility/event-view.ts';
import { BodyReader } from '../../google/body-reader.ts';
import { type CalendarDependencies, toCanonicalId } from './calendars.ts';

/** A calendar record with an owner only. The gateway assumes write access until the service refuses. */
export const createMinimalCalendar = (
  calendarId: string,
  viewer: Viewer,
  owner = viewer.identity,
): CalendarRecord => ({
  id: toCanonicalId(calendarId, viewer),
  owner,
  acl: [],
  timeZone: '',
  defaultReminders: [],
});

/** Converts an event of the service to the context on which the gateway's rules work. */
export function readServiceEvent(
  json: Fields,
  calendarId: string,
  viewer: Viewer,
  { schemas, tools }: Pick<CalendarDependencies, 'schemas' | 'tools'>,
): EventContext {
  const { model } = tools;
  const event = withoutNulls(
    new BodyReader(schemas, false).read({ $ref: 'Event' }, json, { official: [], field: [] }),
  ) as EventBody;
  const { organizer, attendees } = event;
  const id = toCanonicalId(calendarId, viewer);
  // A deleted event has no organizer; the service then decides about permissions.
  const isOrganizer = organizer?.self ?? organizer === undefined;
  const owner = (isOrganizer ? organizer?.email : attendees?.find(({ self }) => self)?.email) ?? id;
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
    key: id,
    version: 1,
    homeId: id,
    core,
    coreStamp: stamp,
    openStamp: stamp,
    copies: { [id]: eventCopy },
  };
  return createContext(record, createMinimalCalendar(calendarId, viewer, owner), viewer, tools);
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
const removeDefaults = (event: EventBody, { fields }: EventModel): EventBody =>
  filterFields(event, (value, name) => fields.get(name as 'id')?.default !== value || value === undefined);

const stampAt = (updated: string | undefined): Stamp =>
  updated === undefined || Number.isNaN(Date.parse(updated)) ? noStamp : { tag: '1', at: updated };
