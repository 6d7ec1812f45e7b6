import type { Draft } from '../draft.ts';
import { newId } from '../../core/ids.ts';
import type { ChangeState } from '../event.store.ts';
import { attendeeKey, type EventBody } from '../model/fields.ts';
import {
  type EventCopy,
  type EventRecord,
  type EventReference,
  isForeign,
  parseInstanceId,
  tombstoneOf,
  type Stamp,
} from '../model/record.ts';

/** Calendar of each guest and an event id that is free there, by `addressKey`. */
export type GuestReferences = ReadonlyMap<string, EventReference>;

/**
 * Chooses an id for each guest's copy: `eventId` where it is free, and for an instance only where the series'
 * id is that of `series`; otherwise a new id.
 */
export function guestReferencesOf(
  guests: ChangeState['guests'],
  eventId: string,
  isOtherEvent: (holder: EventRecord) => boolean,
  series?: EventRecord,
): GuestReferences {
  const original = parseInstanceId(eventId)?.original;
  // The id of an instance keeps the form `{unused id}_{start}`, which contains the original start.
  const createFreeId = (): string => (original === undefined ? newId() : `${newId()}_${original}`);
  return new Map(
    [...guests].map(([guest, { calendarId, holder, seriesKey }]) => {
      const isTaken =
        (holder !== undefined && isOtherEvent(holder)) ||
        (series !== undefined && seriesKey !== undefined && seriesKey !== series.key);
      return [guest, { calendarId, eventId: isTaken ? createFreeId() : eventId }];
    }),
  );
}

/** Chooses ids for the copies that a draft creates; see `guestReferencesOf`. */
export const guestReferencesForDraft = (
  { guestCalendars, context }: Draft,
  isOtherEvent: (holder: EventRecord) => boolean = () => false,
  series?: EventRecord,
): GuestReferences => guestReferencesOf(guestCalendars, context.copy.id, isOtherEvent, series);

/**
 * Updates the copies after a change of the guest list: guests in `references` get one, removed guests keep a
 * tombstone of `coreBefore`. An event whose organizer is elsewhere (`isForeign`) gets no other copies.
 */
export function updateCopies(
  { core, homeId, copies }: EventRecord,
  coreBefore: EventBody,
  references: GuestReferences,
  stamp: Stamp,
): EventRecord['copies'] {
  if (core.privateCopy || isForeign({ homeId, copies })) return copies;
  const invitedKeys = new Set((core.attendees ?? []).map(attendeeKey));
  const copiesAfter: Record<string, EventCopy> = { ...copies };
  for (const [calendarId, copy] of Object.entries(copies)) {
    // Skips guests who neither joined nor left the list.
    if (copy.guest === undefined || invitedKeys.has(copy.guest) === (copy.state !== 'uninvited')) continue;
    const { remains: _remains, moved: _moved, ...copyWithoutTombstone } = copy;
    copiesAfter[calendarId] = invitedKeys.has(copy.guest)
      ? { ...copyWithoutTombstone, state: 'present', stamp }
      : { ...copyWithoutTombstone, state: 'uninvited', stamp, remains: tombstoneOf(coreBefore) };
  }
  for (const [guest, { calendarId, eventId }] of references) {
    if (invitedKeys.has(guest) && calendarId !== homeId)
      copiesAfter[calendarId] ??= { id: eventId, state: 'present', stamp, guest, own: {} };
  }
  return copiesAfter;
}
