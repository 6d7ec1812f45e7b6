import { type Fields, filterFields } from '../core/json.ts';
import type { CalendarRecord } from '../calendar/calendar.store.ts';
import type { Issue } from '../core/errors.ts';
import { addressKey } from '../core/text/email.ts';
import { guestReferencesOf, updateCopies, type GuestReferences } from './attendees/copies.ts';
import { guestKeysOf } from './event.requests.ts';
import { completeEvent, readFileEntry, type CompleteEvent, type FileEntry } from './event.file-entries.ts';
import { restoreEvents } from './event.exported-import.ts';
import type { PendingChange, EventStore, ChangeState } from './event.store.ts';
import type { EventTools } from './event.tools.ts';
import { composeInstance } from './instances/compose.ts';
import { createImportedException } from './instances/exception.ts';
import type { EventBody } from './model/fields.ts';
import {
  noStamp,
  type EventCopy,
  type EventParts,
  type EventRecord,
  type Stamp,
  nextStamp,
} from './model/record.ts';
import {
  duplicateIdIssue,
  type ImportOptions,
  type ImportOutcome,
  refusedOutcome,
  replaceRecord,
  withGuestCopies,
} from './transfer/replace-record.ts';
import { createBlankRecord, createFirstVersion } from './write/create.ts';

export type { ImportOutcome } from './transfer/replace-record.ts';

/**
 * Imports REST bodies, including fields that are read-only otherwise, and events from `exportEvents`. Returns an outcome
 * for each body, in order. REST bodies with the same id and iCalUID on several calendars become copies of one event, whose
 * core comes from the organizer's body, in whatever order they are imported.
 */
export async function importEvents(
  store: EventStore,
  calendar: CalendarRecord,
  bodies: readonly unknown[],
  tools: EventTools,
  options: ImportOptions = {},
): Promise<ImportOutcome[]> {
  const fileEntries = bodies.map((body) => readFileEntry(body, calendar, tools));
  const outcomes: ImportOutcome[] = fileEntries.map(({ issues }) => refusedOutcome(issues));
  const validEntries = [...fileEntries.entries()].filter(([, { issues }]) => issues.length === 0);
  // Exported series contain their exceptions, so the two kinds can be stored one after the other.
  const [restBodyEntries, exportedEntries] = [
    validEntries.filter(([, { members }]) => !members),
    validEntries.filter(([, { members }]) => members),
  ];
  const plainOutcomes = await store.importEvents(
    restBodyEntries.map(([, body]) => createImportChange(body, calendar, tools, options)),
  );
  const restoredOutcomes = await restoreEvents(
    store,
    calendar,
    exportedEntries.map(([, body]) => body),
    tools,
    options,
  );
  for (const [position, [index]] of restBodyEntries.entries())
    outcomes[index] = plainOutcomes[position] as ImportOutcome;
  for (const [position, [index]] of exportedEntries.entries())
    outcomes[index] = restoredOutcomes[position] as ImportOutcome;
  return outcomes.map((outcome, index) =>
    outcome.state === 'refused' ? outcome : { ...outcome, warnings: fileEntries[index]?.warnings ?? [] },
  );
}

/** Validates bodies without storing them. */
export const validateBodies = (
  calendar: CalendarRecord,
  bodies: readonly unknown[],
  tools: EventTools,
): (readonly Issue[])[] => bodies.map((body) => readFileEntry(body, calendar, tools).issues);

function createImportChange(
  body: FileEntry,
  calendar: CalendarRecord,
  tools: EventTools,
  options: ImportOptions,
): PendingChange<ImportOutcome> {
  const event = completeEvent(body, calendar, tools);
  const organizer = event.organizer?.email;
  const guests = [
    ...guestKeysOf(event, tools.model),
    ...(organizer === undefined ? [] : [addressKey(organizer)]),
  ];
  return {
    target: { calendar: { id: calendar.id }, eventId: event.id, seriesId: event.recurringEventId, guests },
    decide(loaded) {
      const { next, current } = options.replaces
        ? createReplacement(body.event, event, calendar, loaded, tools)
        : { next: createImportedRecord(event, calendar, loaded, tools), current: undefined };
      if (!next) return { result: refusedOutcome([duplicateIdIssue]) };
      const state = current === undefined ? 'added' : next === current ? 'unchanged' : 'changed';
      return { next, result: { state, issues: [] } };
    },
  };
}

/**
 * Record to store, and the stored one that it replaces (`current`). Both are absent if the stored event is a
 * different one; `current` also if there is none.
 */
interface ReplacementResult {
  readonly next?: EventRecord;
  readonly current?: EventRecord;
}

/** Replaces the stored event by an imported body, if the event is the same one. */
function createReplacement(
  body: EventBody,
  event: CompleteEvent,
  calendar: CalendarRecord,
  loaded: ChangeState,
  tools: EventTools,
): ReplacementResult {
  const { event: storedEvent, series } = loaded;
  const { clock, model } = tools;
  const stamp: Stamp =
    event.updated === undefined ? noStamp : { tag: 'given', at: new Date(event.updated).toISOString() };
  if (!storedEvent) return { next: createImportedRecord(event, calendar, loaded, tools) };
  if (storedEvent.instance) {
    const next = createImportedException(event, model.split(event), calendar, loaded, () => stamp);
    if (!next || !series) return {};
    const composedInstance = composeInstance(series, storedEvent.instance.original, storedEvent);
    return { next: replaceRecord(storedEvent, next, clock, composedInstance), current: storedEvent };
  }
  if (storedEvent.homeId !== calendar.id) {
    if (storedEvent.core.privateCopy || event.privateCopy || storedEvent.core.iCalUID !== event.iCalUID)
      return {};
    const copiedRecord = withCopy(storedEvent, event, calendar, model.split(event), stamp);
    const copies = { [calendar.id]: withStoredSettings(copiedRecord, storedEvent, calendar.id) };
    return { next: replaceRecord(storedEvent, { ...storedEvent, copies }, clock), current: storedEvent };
  }
  const { created, iCalUID, creator, organizer } = storedEvent.core;
  // Server-set fields that are absent from the body keep their stored values.
  const storedFields = filterFields(
    { created, iCalUID, creator, organizer } as Fields,
    (_value, name) => body[name as keyof EventBody] === undefined,
  );
  const homeRecord = createHomeRecord(event, calendar, model.split({ ...event, ...storedFields }), stamp);
  const next = {
    ...homeRecord,
    copies: { [calendar.id]: withStoredSettings(homeRecord, storedEvent, calendar.id) },
  };
  const references = guestReferencesOf(loaded.guests, event.id, (holder) => holder.key !== storedEvent.key);
  return {
    next: replaceRecord(
      storedEvent,
      withGuestCopies(storedEvent, next, references, nextStamp(clock, storedEvent)),
      clock,
    ),
    current: storedEvent,
  };
}

/** Creates the record of a new event; undefined if the calendar has an event with this id already. */
function createImportedRecord(
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
  return withCopy(storedEvent, event, calendar, parts, stamp);
}

/** Adds to a copy its stored marks, and the stored settings of users whom the body does not mention. */
function withStoredSettings(next: EventRecord, before: EventRecord, calendarId: string): EventCopy {
  const copy = next.copies[calendarId] as EventCopy;
  const { viewers: storedViewers, guest, imported } = before.copies[calendarId] ?? {};
  const viewers = { ...storedViewers, ...copy.viewers };
  const marks = { ...(guest !== undefined && { guest }), ...(imported && { imported }) };
  return { ...copy, ...marks, ...(Object.keys(viewers).length > 0 && { viewers }) };
}

function createHomeRecord(
  event: CompleteEvent,
  calendar: CalendarRecord,
  parts: EventParts,
  stamp: Stamp,
): EventRecord {
  const identity = addressKey(calendar.owner);
  const blankEvent = createBlankRecord(event.id, calendar, { identity });
  return createFirstVersion(blankEvent, parts, { stamp, references: new Map(), identity });
}

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

/** Adds a guest's body to an event, as the copy on the guest's calendar. */
function withCopy(
  current: EventRecord,
  event: CompleteEvent,
  { id, owner }: CalendarRecord,
  parts: EventParts,
  stamp: Stamp,
): EventRecord {
  const isRemoved = event.status === 'cancelled' && current.core.status !== 'cancelled';
  const viewers = Object.keys(parts.viewer).length > 0 && {
    viewers: { [addressKey(owner)]: { stamp, own: parts.viewer } },
  };
  const copy: EventCopy = {
    id: event.id,
    state: isRemoved ? 'removed' : 'present',
    stamp,
    guest: addressKey(owner),
    own: parts.copy,
    ...viewers,
  };
  return { ...current, version: current.version + 1, copies: { ...current.copies, [id]: copy } };
}

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
