import type { CalendarRecord } from '../calendar/calendar.ts';
import type { Issue } from '../core/errors.ts';
import { addressKey } from '../core/text/email.ts';
import { guestReferencesOf, replicasFor, type GuestReferences } from './attendees/replicas.ts';
import { guestKeys } from './event.requests.ts';
import { completeBody, readBody, type CompleteEvent, type ReadBody } from './event.bodies.ts';
import { restoreEvents } from './event.restore.ts';
import type { PendingChange, EventStore, ChangeState } from './event.store.ts';
import type { EventTools } from './event.find.ts';
import { composeInstance } from './instances/compose.ts';
import { importInstance } from './instances/exception.ts';
import type { EventBody } from './model/fields.ts';
import { noStamp, type EventCopy, type EventParts, type EventRecord, type Stamp } from './model/record.ts';
import {
  duplicate,
  type ImportOptions,
  type ImportOutcome,
  refused,
  replaceRecord,
  withGuests,
} from './transfer/replace.ts';
import { blankRecord, newRecord } from './write/create.ts';
import { nextStamp } from './write/stamp.ts';

export type { ImportOutcome } from './transfer/replace.ts';

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
  const read = bodies.map((body) => readBody(body, calendar, tools));
  const outcomes: ImportOutcome[] = read.map(({ issues }) => refused(issues));
  const valid = [...read.entries()].filter(([, { issues }]) => issues.length === 0);
  // Exported series contain their exceptions, so the two kinds can be stored one after the other.
  const [plain, exported] = [
    valid.filter(([, { members }]) => !members),
    valid.filter(([, { members }]) => members),
  ];
  const stored = await store.importEvents(plain.map(([, body]) => changeFor(body, calendar, tools, options)));
  const exportedBodies = exported.map(([, body]) => body);
  const restored = await restoreEvents(store, calendar, exportedBodies, tools, options);
  for (const [at, [index]] of plain.entries()) outcomes[index] = stored[at] as ImportOutcome;
  for (const [at, [index]] of exported.entries()) outcomes[index] = restored[at] as ImportOutcome;
  return outcomes.map((outcome, index) =>
    outcome.state === 'refused' ? outcome : { ...outcome, warnings: read[index]?.warnings ?? [] },
  );
}

/** Validates bodies without storing them. */
export const issuesOfEvents = (
  calendar: CalendarRecord,
  bodies: readonly unknown[],
  tools: EventTools,
): (readonly Issue[])[] => bodies.map((body) => readBody(body, calendar, tools).issues);

function changeFor(
  body: ReadBody,
  calendar: CalendarRecord,
  tools: EventTools,
  options: ImportOptions,
): PendingChange<ImportOutcome> {
  const event = completeBody(body, calendar, tools);
  const organizer = event.organizer?.email;
  const guests = [
    ...guestKeys(event, tools.model),
    ...(organizer === undefined ? [] : [addressKey(organizer)]),
  ];
  return {
    target: { calendar: { id: calendar.id }, eventId: event.id, seriesId: event.recurringEventId, guests },
    decide(loaded) {
      const { next, current } = options.replaces
        ? replacement(body.event, event, calendar, loaded, tools)
        : { next: decide(event, calendar, loaded, tools), current: undefined };
      if (!next) return { result: refused([duplicate]) };
      const state = current === undefined ? 'added' : next === current ? 'unchanged' : 'changed';
      return { next, result: { state, issues: [] } };
    },
  };
}

interface Replacement {
  readonly next?: EventRecord;
  readonly current?: EventRecord;
}

/** Replaces the stored event by an imported body, if the event is the same one. */
function replacement(
  body: EventBody,
  event: CompleteEvent,
  calendar: CalendarRecord,
  loaded: ChangeState,
  tools: EventTools,
): Replacement {
  const { event: stored, series } = loaded;
  const { clock, model } = tools;
  const stamp: Stamp =
    event.updated === undefined ? noStamp : { tag: 'given', at: new Date(event.updated).toISOString() };
  if (!stored) return { next: decide(event, calendar, loaded, tools) };
  if (stored.instance) {
    const next = importInstance(event, model.split(event), calendar, loaded, () => stamp);
    if (!next || !series) return {};
    const composed = composeInstance(series, stored.instance.original, stored);
    return { next: replaceRecord(stored, next, clock, composed), current: stored };
  }
  if (stored.homeId !== calendar.id) {
    if (stored.core.privateCopy || event.privateCopy || stored.core.iCalUID !== event.iCalUID) return {};
    const copied = withCopy(stored, event, calendar, model.split(event), stamp);
    const copies = { [calendar.id]: withViewers(copied, stored, calendar.id) };
    return { next: replaceRecord(stored, { ...stored, copies }, clock), current: stored };
  }
  const { created, iCalUID, creator, organizer } = stored.core;
  // Server-set fields that are absent from the body keep their stored values.
  const kept = Object.fromEntries(
    Object.entries({ created, iCalUID, creator, organizer }).filter(
      ([name]) => body[name as keyof EventBody] === undefined,
    ),
  );
  const home = newHome(event, calendar, model.split({ ...event, ...kept }), stamp);
  const next = { ...home, copies: { [calendar.id]: withViewers(home, stored, calendar.id) } };
  const references = guestReferencesOf(loaded.guests, event.id, (holder) => holder.key !== stored.key);
  return {
    next: replaceRecord(stored, withGuests(stored, next, references, nextStamp(clock, stored)), clock),
    current: stored,
  };
}

/** Record to store for a new event; undefined if the calendar has an event with this id already. */
function decide(
  event: CompleteEvent,
  calendar: CalendarRecord,
  loaded: ChangeState,
  tools: EventTools,
): EventRecord | undefined {
  const { clock, model } = tools;
  const parts = model.split(event);
  const instance = importInstance(event, parts, calendar, loaded, (record) =>
    stampOf(event, nextStamp(clock, record)),
  );
  if (instance) return instance;
  const known = event.privateCopy ? undefined : sameEvent(event, loaded);
  if ((known && isImported(known, calendar.id)) || (!known && loaded.event)) return undefined;
  const stamp = stampOf(event, nextStamp(clock, known));
  const home = newHome(event, calendar, parts, stamp);
  const isOther = (holder: EventRecord): boolean =>
    holder.core.privateCopy === true || holder.core.iCalUID !== event.iCalUID;
  const references = guestReferencesOf(loaded.guests, event.id, isOther);
  if (!known) return { ...home, copies: replicasFor(home, home.core, references, stamp) };
  const isOrganizersBody =
    event.organizer?.email !== undefined && addressKey(event.organizer.email) === addressKey(calendar.owner);
  if (isOrganizersBody && !isOrganizersHome(known, loaded))
    return withHome(known, home, references, stamp, loaded);
  return withCopy(known, event, calendar, parts, stamp);
}

/** Adds to a copy the stored settings of users whom the body does not mention. */
function withViewers(next: EventRecord, before: EventRecord, calendarId: string): EventCopy {
  const copy = next.copies[calendarId] as EventCopy;
  const viewers = { ...before.copies[calendarId]?.viewers, ...copy.viewers };
  return { ...copy, ...(Object.keys(viewers).length > 0 && { viewers }) };
}

function newHome(
  event: CompleteEvent,
  calendar: CalendarRecord,
  parts: EventParts,
  stamp: Stamp,
): EventRecord {
  const identity = addressKey(calendar.owner);
  const blank = blankRecord(event.id, calendar, { identity });
  return newRecord(blank, parts, { stamp, references: new Map(), identity });
}

/** Finds the stored event that another body of the same event created. */
function sameEvent(event: CompleteEvent, { event: stored, guests }: ChangeState): EventRecord | undefined {
  const candidates = [stored, ...[...guests.values()].map(({ holder }) => holder)];
  return candidates.find((record) => record?.core.iCalUID === event.iCalUID && !record?.core.privateCopy);
}

/** Whether a body on this calendar was imported: a copy created for a guest has the stamp of the core. */
function isImported({ homeId, copies, coreStamp }: EventRecord, calendarId: string): boolean {
  const copy = copies[calendarId];
  return copy !== undefined && (calendarId === homeId || copy.stamp.tag !== coreStamp.tag);
}

function isOrganizersHome({ core, homeId }: EventRecord, { guests }: ChangeState): boolean {
  const email = core.organizer?.email;
  return email !== undefined && guests.get(addressKey(email))?.calendarId === homeId;
}

const stampOf = (event: EventBody, stamp: Stamp): Stamp =>
  event.updated === undefined ? stamp : { ...stamp, at: new Date(event.updated).toISOString() };

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
function withHome(
  current: EventRecord,
  home: EventRecord,
  references: GuestReferences,
  stamp: Stamp,
  { guests }: ChangeState,
): EventRecord {
  const isRemoved = current.core.status === 'cancelled' && home.core.status !== 'cancelled';
  const ownerOf = new Map([...guests].map(([guest, { calendarId }]) => [calendarId, guest]));
  const others: Record<string, EventCopy> = {};
  const listed: Record<string, EventCopy> = {};
  for (const [calendarId, copy] of Object.entries(current.copies)) {
    const guest = ownerOf.get(calendarId);
    if (calendarId === current.homeId)
      others[calendarId] = {
        ...copy,
        guest: guest ?? addressKey(current.homeId),
        state: isRemoved ? 'removed' : 'present',
      };
    else if (isImported(current, calendarId)) others[calendarId] = copy;
    else listed[calendarId] = { ...copy, stamp };
  }
  const own = { ...home, copies: { ...listed, ...home.copies } };
  const guestCopies = replicasFor(own, current.core, references, stamp);
  return { ...home, key: current.key, version: current.version + 1, copies: { ...guestCopies, ...others } };
}
