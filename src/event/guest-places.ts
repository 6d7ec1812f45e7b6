import { emailKey } from '../core/email.ts';
import type { EventStore } from './event.store.ts';
import { newId, type GuestPlace } from './event.parts.ts';
import type { EventRecord } from './event.record.ts';
import { maxAttendees, type EventPatch } from './event.ts';

/** The calendars of the guests on a list, and the id the event can have on each: its own, unless another event has it. */
export async function guestPlaces(
  store: EventStore<EventRecord>,
  attendees: EventPatch['attendees'],
  eventId: string,
  isOther: (holder: EventRecord) => boolean,
): Promise<ReadonlyMap<string, GuestPlace>> {
  const guests = (attendees ?? []).flatMap(({ email }) => (email ? [emailKey(email)] : [])).slice(0, maxAttendees);
  const calendars = await store.primaries(guests);
  const wanted = guests.flatMap((guest, index) => {
    const calendarId = calendars[index]?.id;
    return calendarId === undefined ? [] : [{ guest, calendarId, eventId }];
  });
  const holders = await store.events(wanted);
  return new Map(
    wanted.map(({ guest, ...place }, index) => {
      const holder = holders[index];
      return [guest, holder && isOther(holder) ? { ...place, eventId: newId() } : place];
    }),
  );
}
