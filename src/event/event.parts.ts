import { randomUUID } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Stamp } from './event.store.ts';
import { attendeeKey } from './attendees.ts';
import type { EventCopy, EventCore, EventRecord } from './event.record.ts';
import type { EventBody } from './event.ts';

/** Splits an event as one calendar holds it into the part all share and that calendar's own. */
export function split(event: EventBody): { core: EventCore; own: Omit<EventCopy, 'id' | 'state' | 'stamp' | 'locked'> } {
  const {
    id: _id, kind: _kind, etag: _etag, updated: _updated, htmlLink: _link, locked: _locked, attendeesOmitted: _omitted,
    reminders, colorId, transparency, visibility, extendedProperties, ...core
  } = event;
  const { shared, private: own } = extendedProperties ?? {};
  return {
    core: { ...core, ...(shared && { sharedProperties: shared }) },
    own: {
      ...(reminders && { reminders }),
      ...(colorId && { colorId }),
      ...(transparency && { transparency }),
      ...(visibility && { visibility }),
      ...(own && { privateProperties: own }),
    },
  };
}

/** True when both hold the same values (by reference: a merge keeps what it does not change). */
export function sameFields(a: object, b: object): boolean {
  const [left, right] = [a, b] as [Record<string, unknown>, Record<string, unknown>];
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
}

/** A stamp later than the one before it, however fast changes follow each other. */
export function nextStamp(version: number, clock: Clock, before?: Stamp): Stamp {
  const now = Math.max(clock(), before ? Date.parse(before.at) + 1 : 0);
  return { tag: `${now.toString(36)}-${version.toString(36)}`, at: new Date(now).toISOString() };
}

/** Where a guest's copy goes: the guest's calendar, and the id that is free there. */
export interface GuestPlace {
  readonly calendarId: string;
  readonly eventId: string;
}

/**
 * The copies of an event after its guest list changed: a guest with a calendar here gets one, a guest taken off the
 * list keeps a mark of it. `places` are the calendars of guests who may be new. A private copy is nobody else's.
 */
export function copiesFor(
  { core, homeId, copies }: Pick<EventRecord, 'homeId' | 'core' | 'copies'>,
  places: ReadonlyMap<string, GuestPlace>,
  stamp: Stamp,
): Readonly<Record<string, EventCopy>> {
  if (core.privateCopy) return copies;
  const invited = new Set((core.attendees ?? []).map(attendeeKey));
  const result: Record<string, EventCopy> = { ...copies };
  for (const [calendarId, copy] of Object.entries(copies)) {
    if (copy.guest === undefined || invited.has(copy.guest) === (copy.state !== 'uninvited')) continue;
    result[calendarId] = { ...copy, state: invited.has(copy.guest) ? 'present' : 'uninvited', stamp };
  }
  for (const [guest, { calendarId, eventId }] of places) {
    if (invited.has(guest) && calendarId !== homeId) result[calendarId] ??= { id: eventId, state: 'present', stamp, guest };
  }
  return result;
}

/** Lowercase letters and digits that are all in the base32hex alphabet (RFC 4648 section 7). */
export const newId = (): string => randomUUID().replaceAll('-', '');
