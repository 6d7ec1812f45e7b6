import { randomUUID } from 'node:crypto';
import type { Draft } from '../draft.ts';
import type { ChangeState } from '../event.store.ts';
import { attendeeKey, type EventBody } from '../model/fields.ts';
import {
  type EventCopy,
  type EventRecord,
  type EventReference,
  instanceOf,
  tombstoneOf,
  type Stamp,
} from '../model/record.ts';

/** The reference that a copy for each guest has: the guest's calendar, and an id that is free there. By `addressKey`. */
export type GuestReferences = ReadonlyMap<string, EventReference>;

/** Lowercase letters and digits that are all in the base32hex alphabet (RFC 4648, section 7). */
export const newId = (): string => randomUUID().replaceAll('-', '');

/** An event keeps its id on each guest's calendar where it is free; of an instance, also where its series is `series` there. */
export function guestReferencesOf(
  guests: ChangeState['guests'],
  eventId: string,
  isOther: (holder: EventRecord) => boolean,
  series?: EventRecord,
): GuestReferences {
  return new Map(
    [...guests].map(([guest, { calendarId, holder, seriesKey }]) => {
      const isTaken =
        (holder !== undefined && isOther(holder)) ||
        (series !== undefined && seriesKey !== undefined && seriesKey !== series.key);
      return [guest, { calendarId, eventId: isTaken ? freeId(eventId) : eventId }];
    }),
  );
}

/** References for the guests of a draft. */
export const referencesFor = (
  { guestCalendars, context }: Draft,
  isOther: (holder: EventRecord) => boolean = () => false,
  series?: EventRecord,
): GuestReferences => guestReferencesOf(guestCalendars, context.copy.id, isOther, series);

/** An instance's id keeps its form, `{id of no event}_{start}`, so that the original start can be read from it. */
function freeId(taken: string): string {
  const original = instanceOf(taken)?.original;
  return original === undefined ? newId() : `${newId()}_${original}`;
}

/**
 * The copies of an event after its guest list changed: a guest with a calendar here gets one, a guest taken off the list
 * keeps what the event showed `before`. `references` are for guests who may be new. A private copy is nobody else's.
 */
export function replicasFor(
  { core, homeId, copies }: EventRecord,
  before: EventBody,
  references: GuestReferences,
  stamp: Stamp,
): EventRecord['copies'] {
  if (core.privateCopy) return copies;
  const invited = new Set((core.attendees ?? []).map(attendeeKey));
  const result: Record<string, EventCopy> = { ...copies };
  for (const [calendarId, copy] of Object.entries(copies)) {
    if (copy.guest === undefined || invited.has(copy.guest) === (copy.state !== 'uninvited')) continue;
    const { remains: _old, ...rest } = copy;
    result[calendarId] = invited.has(copy.guest)
      ? { ...rest, state: 'present', stamp }
      : { ...rest, state: 'uninvited', stamp, remains: tombstoneOf(before) };
  }
  for (const [guest, { calendarId, eventId }] of references) {
    if (invited.has(guest) && calendarId !== homeId)
      result[calendarId] ??= { id: eventId, state: 'present', stamp, guest, own: {} };
  }
  return result;
}
