import type { CalendarRecord } from '../calendar/calendar.store.ts';
import { renameFieldsDeep } from '../core/fields/coerce.ts';
import { isFields } from '../core/json.ts';
import { reportNullEntries } from '../core/fields/validate.ts';
import { Report } from '../core/report.ts';
import { parseDateTime } from '../core/time/local-time.ts';
import { officialNames } from '../google/api-differences.ts';
import { toStoredGuests } from './attendees/guest-list.ts';
import { signConference } from './conference/create.ts';
import { timeFields } from './draft.ts';
import type { ChangeState, SeriesState } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import type { EventBody, EventField } from './model/fields.ts';
import { type EventTime, withOffset } from '../core/time/time.ts';
import { newId } from '../core/ids.ts';
import { timeTools } from '../recurrence/occurrences.ts';
import { type EventCopy, type EventParts, type EventRecord, nextStamp, type Stamp } from './model/record.ts';
import { checkInstances, checkMembers } from './transfer/check-exported-event.ts';
import { recordFromForm, splitMembers } from './transfer/exported-event.ts';
import { readBody } from './write/check.ts';
import { addressKey } from '../core/text/email.ts';
import { guestReferencesOf, updateCopies, type GuestReferences } from './attendees/copies.ts';
import { createImportedException } from './instances/exception.ts';
import { createBlankRecord, createFirstVersion } from './write/create.ts';

/** Entry of an imported file. */
export interface FileEntry {
  /** Issues and warnings, with paths relative to the entry. */
  readonly report: Report;
  /** Absent if the body or its members have issues. */
  readonly content?: EntryContent;
}

/** Event of an entry that fits the field table. */
export interface EntryContent {
  /** The event in stored form, without nulls. */
  readonly body: EventBody;
  readonly event: CompleteEvent;
  /** An exported event with its exceptions; absent for a REST body. */
  readonly exported?: SeriesState;
}

/** Event that can be stored: a body with all values that the server sets. */
type CompleteEvent = EventBody & { readonly id: string };

/** Reads an entry that no schema has coerced: a REST body, or an event from `exportEvents`. */
export function readFileEntry(entry: unknown, calendar: CalendarRecord, tools: EventTools): FileEntry {
  const { model, clock } = tools;
  const report = new Report();
  const { body: sentBody, members, issues } = splitMembers(entry);
  if (!isFields(sentBody)) {
    report.addIssue([], 'invalid', 'This must be an object with fields.');
    return { report };
  }
  const body = renameFieldsDeep(sentBody, officialNames.EventInput, [], report);
  report.addIssues(issues);
  for (const name of Object.keys(body)) {
    if (!model.fields.has(name as EventField)) report.addIssue([name], 'invalid', 'There is no such field.');
  }
  const event = readBody(body, {
    model,
    zone: calendar.timeZone,
    tools: timeTools,
    mode: 'import',
    path: [],
    report,
    // Only exported events have members.
    isStored: members !== undefined,
  });
  for (const name of ['created', 'updated'] as const) {
    if (event[name] !== undefined && typeof parseDateTime(String(event[name]))?.offset !== 'string') {
      report.addIssue([name], 'invalid', `${name} must be an RFC 3339 time with an offset.`);
    }
  }
  for (const [name, node] of model.fields) reportNullEntries(node, body[name], [name], report);
  if (members) checkMembers(members, calendar.id, model, report);
  if (report.issues.length > 0) return { report };
  const completeEvent = createCompleteEvent(event, calendar, tools, members !== undefined);
  if (!members) return { report, content: { body: event, event: completeEvent } };
  const { id, updated } = completeEvent;
  const parts = { ...model.split(completeEvent), id, updated };
  const exported = recordFromForm(parts, members, calendar, nextStamp(clock).tag);
  checkInstances(exported, model, calendar.timeZone, report);
  return { report, content: { body: event, event: completeEvent, exported } };
}

/** Completes an event with the values that the server sets where the body has none. */
function createCompleteEvent(
  event: EventBody,
  calendar: CalendarRecord,
  { model, signingSecret, clock, links }: EventTools,
  isExported: boolean,
): CompleteEvent {
  const { attendees, conferenceData } = event;
  const fields: Record<string, unknown> = {};
  for (const name of Object.keys(event) as EventField[])
    if (model.fields.get(name)?.default !== event[name]) fields[name] = event[name];
  for (const name of timeFields) if (event[name]) fields[name] = withZoneOffset(event[name]);
  const id = event.id ?? newId();
  const owner = { email: calendar.owner };
  // An exported event without a signature was stored without one, and is restored as it was.
  const signature =
    conferenceData &&
    (conferenceData.signature ?? (isExported ? undefined : signConference(conferenceData, signingSecret)));
  return Object.assign(fields as EventBody, {
    ...(attendees && { attendees: toStoredGuests(attendees, model.field('attendees').fields.values()) }),
    ...(conferenceData && {
      conferenceData: signature === undefined ? conferenceData : { ...conferenceData, signature },
    }),
    id,
    created: event.created ?? new Date(clock()).toISOString(),
    creator: withoutSelf(event.creator) ?? owner,
    organizer: withoutSelf(event.organizer) ?? owner,
    iCalUID: event.iCalUID ?? `${id}@${new URL(links.event).hostname}`,
  });
}

/** Adds the offset of its zone to a time that has none. */
const withZoneOffset = (time: EventTime): EventTime =>
  time.dateTime === undefined || time.timeZone === undefined
    ? time
    : { ...time, dateTime: withOffset(time.dateTime, time.timeZone) };

/** Drops `self`, which is computed for each calendar. */
function withoutSelf(person: EventBody['organizer']): EventBody['organizer'] {
  if (!person) return undefined;
  const { self: _self, ...storedPerson } = person;
  return storedPerson;
}

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
