import { addressKey } from '../../core/text/email.ts';
import type { WorkItem } from '../../event/event.store.ts';
import type { EventRecord, EventReference } from '../../event/model/record.ts';

interface Invitation extends EventReference {
  readonly sequence: number;
}

/** The events of a guest by key; series come before their exceptions. */
type Invitations = readonly [events: Map<string, Invitation>, exceptions: Map<string, Invitation>];

/** Events by guests without a calendar here. A new calendar of a guest gets these events. */
export function createInvitationIndex(hasCalendar: (guest: string) => boolean) {
  const byGuest = new Map<string, Invitations>();
  let lastSequence = 0;
  const listOf = (invitations: Invitations, { instance }: EventRecord): Map<string, Invitation> =>
    invitations[instance ? 1 : 0];

  function remove(guest: string, record: EventRecord): void {
    const invitations = byGuest.get(guest);
    if (!invitations) return;
    listOf(invitations, record).delete(record.key);
    if (invitations.every(({ size }) => size === 0)) byGuest.delete(guest);
  }

  function add(guest: string, record: EventRecord, invitation: Invitation): void {
    const invitations = byGuest.get(guest) ?? [new Map<string, Invitation>(), new Map<string, Invitation>()];
    byGuest.set(guest, invitations);
    const list = listOf(invitations, record);
    // Deleting first moves a known entry to the end: `Map.set` alone keeps its place.
    list.delete(record.key);
    list.set(record.key, invitation);
  }

  return {
    /** Updates the invitations after a change of an event's guests. */
    put(before: EventRecord | undefined, next: EventRecord): void {
      const [previousGuests, currentGuests] = [guestsOf(before), guestsOf(next)];
      const isMoved = before !== undefined && before.homeId !== next.homeId;
      if (previousGuests === currentGuests && !isMoved) return;
      // Unchanged guests are the same object; a moved event needs a new reference.
      const [previousSet, currentSet] = [new Set(isMoved ? [] : previousGuests), new Set(currentGuests)];
      for (const entry of previousGuests)
        if (entry.email !== undefined && !currentSet.has(entry)) remove(addressKey(entry.email), next);
      const invitation = { ...referenceOf(next), sequence: (lastSequence += 1) };
      for (const entry of currentGuests) {
        const guest =
          entry.email === undefined || previousSet.has(entry) ? undefined : addressKey(entry.email);
        if (guest !== undefined && !hasCalendar(guest)) add(guest, next, invitation);
      }
    },

    drop(record: EventRecord): void {
      for (const { email } of guestsOf(record)) if (email !== undefined) remove(addressKey(email), record);
    },

    /** Returns up to `limit` invitations of a guest after a cursor. Reading the last ones removes the guest. */
    invitationsOf(
      address: string,
      cursor = '0 0',
      limit: number,
      isMissing: (event: EventReference) => boolean,
    ): WorkItem[] {
      const [startList = 0, startSequence = 0] = cursor.split(' ').map(Number);
      const items: WorkItem[] = [];
      for (const [listIndex, invitations] of (byGuest.get(address) ?? []).entries()) {
        if (listIndex < startList) continue;
        for (const { sequence, ...event } of invitations.values()) {
          if (items.length === limit) return items;
          if ((listIndex > startList || sequence > startSequence) && isMissing(event))
            items.push({ cursor: `${listIndex} ${sequence}`, ...event });
        }
      }
      if (hasCalendar(address)) byGuest.delete(address);
      return items;
    },
  };
}

const noGuests: NonNullable<EventRecord['core']['attendees']> = [];
/** Guests of a record. An exception that clears the list of its series holds null. */
const guestsOf = (record: EventRecord | undefined) => record?.core.attendees ?? noGuests;

const referenceOf = ({ homeId, copies, instance }: EventRecord): EventReference =>
  instance
    ? { calendarId: homeId, eventId: `${instance.series.eventId}_${instance.original}` }
    : { calendarId: homeId, eventId: copies[homeId]?.id ?? '' };
