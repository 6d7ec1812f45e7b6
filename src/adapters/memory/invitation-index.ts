import { addressKey } from '../../core/text/email.ts';
import type { WorkItem } from '../../event/event.store.ts';
import { type EventRecord, type EventReference, homeReference } from '../../event/model/record.ts';
import { sortLazily } from './lazily-sorted.ts';
import { MultiMap } from './multi-map.ts';

/** An event with guests who had no calendar here when they were invited. */
interface Invitation {
  reference: EventReference;
  readonly isInstance: boolean;
  /** Order in which invitations were created, for cursors. */
  readonly sequence: number;
}

/** Events by guests without a calendar here. A new calendar of a guest gets these events. */
export function createInvitationIndex(hasCalendar: (guest: string) => boolean) {
  const invitationsByGuest = new MultiMap<string, Invitation>();
  const invitationsByEvent = new Map<string, Invitation>();
  let lastSequence = 0;

  function createInvitation(record: EventRecord): Invitation {
    const isInstance = record.instance !== undefined;
    const invitation = { reference: referenceOf(record), isInstance, sequence: (lastSequence += 1) };
    invitationsByEvent.set(record.key, invitation);
    return invitation;
  }

  function drop(record: EventRecord): void {
    const invitation = invitationsByEvent.get(record.key);
    if (!invitation) return;
    for (const guest of guestsOf(record)) invitationsByGuest.delete(guest, invitation);
    invitationsByEvent.delete(record.key);
  }

  return {
    drop,

    /** Updates the invitations after a change of an event's guests. */
    put(before: EventRecord | undefined, next: EventRecord): void {
      let invitation = invitationsByEvent.get(next.key);
      if (invitation && before?.homeId !== next.homeId) invitation.reference = referenceOf(next);
      if (before?.core.attendees === next.core.attendees) return;
      const [previousGuests, currentGuests] = [guestsOf(before), guestsOf(next)];
      if (before && currentGuests.size === 0) return drop(before);
      for (const guest of previousGuests)
        if (invitation && !currentGuests.has(guest)) invitationsByGuest.delete(guest, invitation);
      for (const guest of currentGuests)
        if (!previousGuests.has(guest) && !hasCalendar(guest))
          invitationsByGuest.add(guest, (invitation ??= createInvitation(next)));
    },

    /**
     * Returns up to `limit` invitations of a guest after a cursor, series before exceptions, as far as
     * `isMissing` (the guest's calendar lacks the event). Once all are read, a guest who has a calendar by
     * now is removed from the index.
     */
    invitationsOf(
      address: string,
      cursor = '0 0',
      limit: number,
      isMissing: (event: EventReference) => boolean,
    ): WorkItem[] {
      const [instanceFlag, cursorSequence] = cursor.split(' ');
      const cursorKey = { isInstance: instanceFlag === '1', sequence: Number(cursorSequence) };
      const items: WorkItem[] = [];
      const invitations = [...invitationsByGuest.valuesOf(address)].filter(
        (entry) => compareInvitations(entry, cursorKey) > 0,
      );
      for (const { reference, isInstance, sequence } of sortLazily(invitations, compareInvitations)) {
        if (items.length === limit) return items;
        if (isMissing(reference)) items.push({ cursor: `${Number(isInstance)} ${sequence}`, ...reference });
      }
      if (hasCalendar(address)) invitationsByGuest.deleteKey(address);
      return items;
    },
  };
}

/** Cursors contain both keys: `0 17` is the event, `1 17` the exception, with sequence 17. */
type SortKey = Pick<Invitation, 'isInstance' | 'sequence'>;
const compareInvitations = (a: SortKey, b: SortKey): number =>
  Number(a.isInstance) - Number(b.isInstance) || a.sequence - b.sequence;

/** Addresses of a record's guests. An exception that clears the list of its series holds null. */
const guestsOf = (record: EventRecord | undefined): ReadonlySet<string> =>
  new Set(
    (record?.core.attendees ?? []).flatMap(({ email }) => (email === undefined ? [] : [addressKey(email)])),
  );

/**
 * Reference by which an invited event is found: an exception by the id of its instance on the home calendar.
 */
const referenceOf = (record: EventRecord): EventReference =>
  record.instance
    ? {
        calendarId: record.homeId,
        eventId: `${record.instance.series.eventId}_${record.instance.original}`,
      }
    : homeReference(record);
