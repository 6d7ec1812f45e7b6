import type { EventReference, EventRecord } from '../../event/model/record.ts';
import type { WorkItem } from '../../event/event.store.ts';
import { invitedTo } from '../../event/projection/invited.ts';

/** Events by the guests who have no calendar here yet: they come to it once there is one. */
export interface InvitationIndex {
  put(before: EventRecord | undefined, next: EventRecord): void;
  drop(record: EventRecord): void;
  of(address: string, behind: string | undefined, limit: number, isMissing: (event: EventReference) => boolean): WorkItem[];
}

export function createInvitationIndex(hasCalendar: (guest: string) => boolean): InvitationIndex {
  const byGuest = new Map<string, Map<string, EventReference>>();

  function remove(guest: string, cursor: string): void {
    const events = byGuest.get(guest);
    if (events?.delete(cursor) && events.size === 0) byGuest.delete(guest);
  }

  return {
    put(before, next) {
      if (before?.core.attendees === next.core.attendees && before) return;
      const now = invitedTo(next);
      for (const guest of before ? invitedTo(before) : []) if (!now.has(guest)) remove(guest, cursorOf(next));
      for (const guest of now) {
        if (hasCalendar(guest)) continue;
        const reference = referenceOf(next);
        byGuest.set(guest, (byGuest.get(guest) ?? new Map<string, EventReference>()).set(cursorOf(next), reference));
      }
    },

    drop(record) {
      for (const guest of invitedTo(record)) remove(guest, cursorOf(record));
    },

    of(address, behind = '', limit, isMissing) {
      const found = [...(byGuest.get(address) ?? [])].filter(([cursor, event]) => cursor > behind && isMissing(event));
      return found.sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, limit).map(([cursor, { calendarId, eventId }]) => ({ cursor, calendarId, eventId }));
    },
  };
}

/** Series come before their exceptions. */
const cursorOf = ({ key, instance }: EventRecord): string => `${instance ? 1 : 0}${key}`;

const referenceOf = ({ homeId, copies, instance }: EventRecord): EventReference =>
  instance ? { calendarId: homeId, eventId: `${instance.series.eventId}_${instance.original}` } : { calendarId: homeId, eventId: copies[homeId]?.id ?? '' };
