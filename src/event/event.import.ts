import type { CalendarRecord } from '../calendar/calendar.ts';
import type { Issue } from '../core/errors.ts';
import { addressKey } from '../core/text/email.ts';
import { guestReferencesOf, replicasFor, type GuestReferences } from './attendees/replicas.ts';
import { guestKeys } from './event.requests.ts';
import { complete, readBody, type CompleteEvent, type ReadBody } from './event.bodies.ts';
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
 * Stores REST bodies as they are, as an import does: fields that are read-only otherwise are taken over; and events as
 * `exportEvents` gives them. What became of each, in order, with all issues of those that break a rule. REST bodies with one
 * id and iCalUID on several calendars become copies of one event: the organizer's body has what all share, whichever comes first.
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
  const sound = [...read.entries()].filter(([, { issues }]) => issues.length === 0);
  // An exported series brings its changed instances: these two kinds need no order among each other.
  const [plain, exported] = [
    sound.filter(([, { members }]) => !members),
    sound.filter(([, { members }]) => members),
  ];
  const stored = await store.importEvents(plain.map(([, body]) => changeFor(body, calendar, tools, options)));
  const form = exported.map(([, body]) => body);
  const restored = await restoreEvents(store, calendar, form, tools, options);
  for (const [at, [index]] of plain.entries()) outcomes[index] = stored[at] as ImportOutcome;
  for (const [at, [index]] of exported.entries()) outcomes[index] = restored[at] as ImportOutcome;
  return outcomes.map((outcome, index) =>
    outcome.state === 'refused' ? outcome : { ...outcome, warnings: read[index]?.warnings ?? [] },
  );
}

/** Every broken rule of bodies by themselves, of which nothing is stored. */
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
  const event = complete(body, calendar, tools);
  const organizer = event.organizer?.email;
  const guests = [
    ...guestKeys(event, tools.model),
    ...(organizer === undefined ? [] : [addressKey(organizer)]),
  ];
  return {
    target: { calendar: { id: calendar.id }, eventId: event.id, seriesId: event.recurringEventId, guests },
    decide(found) {
      const { next, current } = options.replaces
        ? replacement(body.event, event, calendar, found, tools)
        : { next: decide(event, calendar, found, tools), current: undefined };
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

/** What the store is to keep of a body in place of what it has, which may be the same. */
function replacement(
  body: EventBody,
  event: CompleteEvent,
  calendar: CalendarRecord,
  found: ChangeState,
  tools: EventTools,
): Replacement {
  const { event: here, series } = found;
  const { clock, model } = tools;
  const given: Stamp =
    event.updated === undefined ? noStamp : { tag: 'given', at: new Date(event.updated).toISOString() };
  if (!here) return { next: decide(event, calendar, found, tools) };
  if (here.instance) {
    const next = importInstance(event, model.split(event), calendar, found, () => given);
    if (!next || !series) return {};
    const composed = composeInstance(series, here.instance.original, here);
    return { next: replaceRecord(here, next, clock, composed), current: here };
  }
  if (here.homeId !== calendar.id) {
    if (here.core.privateCopy || event.privateCopy || here.core.iCalUID !== event.iCalUID) return {};
    const copied = withCopy(here, event, calendar, model.split(event), given);
    const copies = { [calendar.id]: withViewers(copied, here, calendar.id) };
    return { next: replaceRecord(here, { ...here, copies }, clock), current: here };
  }
  const { created, iCalUID, creator, organizer } = here.core;
  // What the server sets where the body does not say it stays as it is.
  const kept = Object.fromEntries(
    Object.entries({ created, iCalUID, creator, organizer }).filter(
      ([name]) => body[name as keyof EventBody] === undefined,
    ),
  );
  const home = newHome(event, calendar, model.split({ ...event, ...kept }), given);
  const next = { ...home, copies: { [calendar.id]: withViewers(home, here, calendar.id) } };
  const references = guestReferencesOf(found.guests, event.id, (holder) => holder.key !== here.key);
  return {
    next: replaceRecord(here, withGuests(here, next, references, nextStamp(clock, here)), clock),
    current: here,
  };
}

/** What the store is to keep; undefined when the calendar has an event with this id already. */
function decide(
  event: CompleteEvent,
  calendar: CalendarRecord,
  found: ChangeState,
  tools: EventTools,
): EventRecord | undefined {
  const { clock, model } = tools;
  const parts = model.split(event);
  const instance = importInstance(event, parts, calendar, found, (record) =>
    stampOf(event, nextStamp(clock, record)),
  );
  if (instance) return instance;
  const known = event.privateCopy ? undefined : sameEvent(event, found);
  if ((known && isDescribed(known, calendar.id)) || (!known && found.event)) return undefined;
  const stamp = stampOf(event, nextStamp(clock, known));
  const home = newHome(event, calendar, parts, stamp);
  const isOther = (holder: EventRecord): boolean =>
    holder.core.privateCopy === true || holder.core.iCalUID !== event.iCalUID;
  const references = guestReferencesOf(found.guests, event.id, isOther);
  if (!known) return { ...home, copies: replicasFor(home, home.core, references, stamp) };
  const organizers =
    event.organizer?.email !== undefined && addressKey(event.organizer.email) === addressKey(calendar.owner);
  if (organizers && !isOrganizersHome(known, found)) return withHome(known, home, references, stamp, found);
  return withCopy(known, event, calendar, parts, stamp);
}

/** A copy with what users keep on it of whom the body does not tell. */
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

/** The event a body speaks of, when another body of it was stored already. */
function sameEvent(event: CompleteEvent, { event: here, guests }: ChangeState): EventRecord | undefined {
  const candidates = [here, ...[...guests.values()].map(({ holder }) => holder)];
  return candidates.find((record) => record?.core.iCalUID === event.iCalUID && !record?.core.privateCopy);
}

/** Whether a body of this calendar was stored: a copy that the guest list made bears the stamp of what all share. */
function isDescribed({ homeId, copies, coreStamp }: EventRecord, calendarId: string): boolean {
  const copy = copies[calendarId];
  return copy !== undefined && (calendarId === homeId || copy.stamp.tag !== coreStamp.tag);
}

/** Whether what is stored came from the organizer's own calendar. */
function isOrganizersHome({ core, homeId }: EventRecord, { guests }: ChangeState): boolean {
  const email = core.organizer?.email;
  return email !== undefined && guests.get(addressKey(email))?.calendarId === homeId;
}

const stampOf = (event: EventBody, stamp: Stamp): Stamp =>
  event.updated === undefined ? stamp : { ...stamp, at: new Date(event.updated).toISOString() };

/** The event with a guest's own part of it. */
function withCopy(
  current: EventRecord,
  event: CompleteEvent,
  { id, owner }: CalendarRecord,
  parts: EventParts,
  stamp: Stamp,
): EventRecord {
  const removed = event.status === 'cancelled' && current.core.status !== 'cancelled';
  const viewers = Object.keys(parts.viewer).length > 0 && {
    viewers: { [addressKey(owner)]: { stamp, own: parts.viewer } },
  };
  const copy: EventCopy = {
    id: event.id,
    state: removed ? 'removed' : 'present',
    stamp,
    guest: addressKey(owner),
    own: parts.copy,
    ...viewers,
  };
  return { ...current, version: current.version + 1, copies: { ...current.copies, [id]: copy } };
}

/** The event as its organizer's body has it, with those copies of guests that came before it. */
function withHome(
  current: EventRecord,
  home: EventRecord,
  references: GuestReferences,
  stamp: Stamp,
  { guests }: ChangeState,
): EventRecord {
  const removed = current.core.status === 'cancelled' && home.core.status !== 'cancelled';
  const ownerOf = new Map([...guests].map(([guest, { calendarId }]) => [calendarId, guest]));
  const others: Record<string, EventCopy> = {};
  const listed: Record<string, EventCopy> = {};
  for (const [calendarId, copy] of Object.entries(current.copies)) {
    const guest = ownerOf.get(calendarId);
    if (calendarId === current.homeId)
      others[calendarId] = {
        ...copy,
        guest: guest ?? addressKey(current.homeId),
        state: removed ? 'removed' : 'present',
      };
    else if (isDescribed(current, calendarId)) others[calendarId] = copy;
    else listed[calendarId] = { ...copy, stamp };
  }
  const own = { ...home, copies: { ...listed, ...home.copies } };
  const made = replicasFor(own, current.core, references, stamp);
  return { ...home, key: current.key, version: current.version + 1, copies: { ...made, ...others } };
}
