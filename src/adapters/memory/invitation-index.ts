import { addressKey } from '../../core/text/email.ts';
import type { WorkItem } from '../../event/event.store.ts';
import type { EventRecord, EventReference } from '../../event/model/record.ts';

interface Invitation extends EventReference {
  /** The place in the order in which invitations came. */
  readonly number: number;
}

/** The events of a guest by key; series before their exceptions. */
type Invitations = readonly [events: Map<string, Invitation>, exceptions: Map<string, Invitation>];

/** Events by the guests who have no calendar here yet: they come to it once there is one. */
export function createInvitationIndex(hasCalendar: (guest: string) => boolean) {
  const byGuest = new Map<string, Invitations>();
  let last = 0;
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
    // Puts the entry behind all others, also where it stood there before.
    list.delete(record.key);
    list.set(record.key, invitation);
  }

  return {
    put(before: EventRecord | undefined, next: EventRecord): void {
      const [then, now] = [guestsOf(before), guestsOf(next)];
      if (then === now) return;
      // An entry that did not change is the very same.
      const [old, current] = [new Set(then), new Set(now)];
      for (const entry of then)
        if (entry.email !== undefined && !current.has(entry)) remove(addressKey(entry.email), next);
      const invitation = { ...referenceOf(next), number: (last += 1) };
      for (const entry of now) {
        const guest = entry.email === undefined || old.has(entry) ? undefined : addressKey(entry.email);
        if (guest !== undefined && !hasCalendar(guest)) add(guest, next, invitation);
      }
    },

    drop(record: EventRecord): void {
      for (const { email } of guestsOf(record)) if (email !== undefined) remove(addressKey(email), record);
    },

    /** Gives a guest's invitations behind a cursor, up to `limit`; behind the last ones the guest is forgotten. */
    of(
      address: string,
      behind = '0 0',
      limit: number,
      isMissing: (event: EventReference) => boolean,
    ): WorkItem[] {
      const [list = 0, number = 0] = behind.split(' ').map(Number);
      const found: WorkItem[] = [];
      for (const [at, invitations] of (byGuest.get(address) ?? []).entries()) {
        if (at < list) continue;
        for (const { number: own, ...event } of invitations.values()) {
          if (found.length === limit) return found;
          if ((at > list || own > number) && isMissing(event))
            found.push({ cursor: `${at} ${own}`, ...event });
        }
      }
      if (hasCalendar(address)) byGuest.delete(address);
      return found;
    },
  };
}

const none: NonNullable<EventRecord['core']['attendees']> = [];
/** An exception that clears the list of its series holds null. */
const guestsOf = (record: EventRecord | undefined) => record?.core.attendees ?? none;

const referenceOf = ({ homeId, copies, instance }: EventRecord): EventReference =>
  instance
    ? { calendarId: homeId, eventId: `${instance.series.eventId}_${instance.original}` }
    : { calendarId: homeId, eventId: copies[homeId]?.id ?? '' };
