import type { Viewer } from '../../access/permissions.ts';
import type { CalendarRecord } from '../../calendar/calendar.ts';
import { withoutNulls } from '../../core/kernel/patch.ts';
import { addressKey } from '../../core/text/email.ts';
import { storedGuests } from '../../event/attendees/stored.ts';
import type { EventBody } from '../../event/model/fields.ts';
import { noStamp, type EventCopy, type EventRecord, type Stamp } from '../../event/model/record.ts';
import type { Presentation } from '../../event/event.requests.ts';
import { viewOf, type EventView } from '../../event/view/event-view.ts';
import { levelOf, viewpointOf, type Viewpoint } from '../../event/view/viewpoint.ts';
import { BodyReader } from '../../official/read.ts';
import type { EventParts, Json } from './parts.ts';

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
): Viewpoint {
  const {
    model,
    schemas,
    tools: { links },
  } = parts;
  const event = withoutNulls(
    new BodyReader(schemas, false).read({ $ref: 'Event' }, json, { official: [], field: [] }),
  ) as EventBody;
  const { organizer, attendees } = event;
  // Of an event that is not there any more the organizer is not told: then the service knows who may do what.
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
  return pointOf(record, bareCalendar(calendarId, owner), viewer, { model, links });
}

export const pointOf = (
  record: EventRecord,
  calendar: CalendarRecord,
  viewer: Viewer,
  { model, links }: Pick<Viewpoint, 'model' | 'links'>,
): Viewpoint => viewpointOf(record, { calendar, viewer, role: 'writer', model, links });

/** A read event, or what would become of it, with the names that the service gave it. */
export function shown(
  at: Viewpoint,
  { etag, htmlLink, updated, status, start }: Json,
  presentation: Presentation = {},
): EventView {
  // Of what is gone the service tells no more.
  const level = status === 'cancelled' && start === undefined ? 'gone' : levelOf(at);
  const view = viewOf(at, presentation, level) as EventView & { toJSON(): EventView };
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
