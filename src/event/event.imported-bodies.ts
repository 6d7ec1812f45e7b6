import type { CalendarRecord } from '../calendar/calendar.store.ts';
import { addressKey } from '../core/text/email.ts';
import { guestReferencesOf, updateCopies, type GuestReferences } from './attendees/copies.ts';
import type { CompleteEvent } from './event.file-entries.ts';
import type { ChangeState } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import { createImportedException } from './instances/exception.ts';
import type { EventBody } from './model/fields.ts';
import { type EventCopy, type EventParts, type EventRecord, nextStamp, type Stamp } from './model/record.ts';
import { createBlankRecord, createFirstVersion } from './write/create.ts';

/** Creates the record of a new event; undefined if the calendar has an event with this id already. */
export function createImportedRecord(
  event: CompleteEvent,
  calendar: CalendarRecord,
  loaded: ChangeState,
  tools: EventTools,
): EventRecord | undefined {
  const { clock, model } = tools;
  const parts = model.split(event);
  const instance = createImportedException(event, parts, calendar, loaded, (record) =>
    withUpdatedTime(event, nextStamp(clock, record)),
  );
  if (instance) return instance;
  const storedEvent = event.privateCopy ? undefined : findSameEvent(event, loaded);
  if ((storedEvent && hasImportedBody(storedEvent, calendar.id)) || (!storedEvent && loaded.event))
    return undefined;
  const stamp = withUpdatedTime(event, nextStamp(clock, storedEvent));
  const homeRecord = createHomeRecord(event, calendar, parts, stamp);
  const isDifferentEvent = (holder: EventRecord): boolean =>
    holder.core.privateCopy === true || holder.core.iCalUID !== event.iCalUID;
  const references = guestReferencesOf(loaded.guests, event.id, isDifferentEvent);
  if (!storedEvent)
    return { ...homeRecord, copies: updateCopies(homeRecord, homeRecord.core, references, stamp) };
  const isOrganizersBody =
    event.organizer?.email !== undefined && addressKey(event.organizer.email) === addressKey(calendar.owner);
  if (isOrganizersBody && !isOrganizersHome(storedEvent, loaded))
    return withOrganizersBody(storedEvent, homeRecord, references, stamp, loaded);
  const copy = toGuestCopy(homeRecord, event, storedEvent, calendar);
  return {
    ...storedEvent,
    version: storedEvent.version + 1,
    copies: { ...storedEvent.copies, [calendar.id]: copy },
  };
}

/** Creates the record of a body as an event of the calendar's owner, with the copy of this calendar only. */
export function createHomeRecord(
  event: CompleteEvent,
  calendar: CalendarRecord,
  parts: EventParts,
  stamp: Stamp,
): EventRecord {
  const identity = addressKey(calendar.owner);
  const blankEvent = createBlankRecord(event.id, calendar, { identity });
  return createFirstVersion(blankEvent, parts, { stamp, references: new Map(), identity });
}

/** Copy of the calendar's owner, as a guest of an event that is stored already. `record`: the event of the owner's body. */
export const toGuestCopy = (
  { copies }: EventRecord,
  { status }: EventBody,
  storedEvent: EventRecord,
  { id, owner }: CalendarRecord,
): EventCopy => ({
  ...(copies[id] as EventCopy),
  state: status === 'cancelled' && storedEvent.core.status !== 'cancelled' ? 'removed' : 'present',
  guest: addressKey(owner),
});

/** Finds the stored event that another body of the same event created. */
function findSameEvent(
  event: CompleteEvent,
  { event: storedEvent, guests }: ChangeState,
): EventRecord | undefined {
  const candidates = [storedEvent, ...[...guests.values()].map(({ holder }) => holder)];
  return candidates.find((record) => record?.core.iCalUID === event.iCalUID && !record?.core.privateCopy);
}

/** Whether a body on this calendar was imported: a copy created for a guest has the stamp of the core. */
function hasImportedBody({ homeId, copies, coreStamp }: EventRecord, calendarId: string): boolean {
  const copy = copies[calendarId];
  return copy !== undefined && (calendarId === homeId || copy.stamp.tag !== coreStamp.tag);
}

/** Whether an event is stored on its organizer's calendar. */
function isOrganizersHome({ core, homeId }: EventRecord, { guests }: ChangeState): boolean {
  const email = core.organizer?.email;
  return email !== undefined && guests.get(addressKey(email))?.calendarId === homeId;
}

/** Stamp with the time in the body's `updated`, if it has one. */
const withUpdatedTime = (event: EventBody, stamp: Stamp): Stamp =>
  event.updated === undefined ? stamp : { ...stamp, at: new Date(event.updated).toISOString() };

/** Gives an event the core of its organizer's body, with the guests' copies that were imported earlier. */
function withOrganizersBody(
  current: EventRecord,
  organizersRecord: EventRecord,
  references: GuestReferences,
  stamp: Stamp,
  { guests }: ChangeState,
): EventRecord {
  const isRemoved = current.core.status === 'cancelled' && organizersRecord.core.status !== 'cancelled';
  const guestByCalendar = new Map([...guests].map(([guest, { calendarId }]) => [calendarId, guest]));
  const importedCopies: Record<string, EventCopy> = {};
  const createdCopies: Record<string, EventCopy> = {};
  for (const [calendarId, copy] of Object.entries(current.copies)) {
    const guest = guestByCalendar.get(calendarId);
    if (calendarId === current.homeId)
      importedCopies[calendarId] = {
        ...copy,
        guest: guest ?? addressKey(current.homeId),
        state: isRemoved ? 'removed' : 'present',
      };
    else if (hasImportedBody(current, calendarId)) importedCopies[calendarId] = copy;
    else createdCopies[calendarId] = { ...copy, stamp };
  }
  const homeWithCopies = { ...organizersRecord, copies: { ...createdCopies, ...organizersRecord.copies } };
  const guestCopies = updateCopies(homeWithCopies, current.core, references, stamp);
  return {
    ...organizersRecord,
    key: current.key,
    version: current.version + 1,
    copies: { ...guestCopies, ...importedCopies },
  };
}
