import { addressKey } from '../../core/text/email.ts';
import { deepFreeze } from '../../core/kernel/freeze.ts';
import type { CalendarRecord, CalendarRef } from '../../calendar/calendar.ts';
import type { CalendarStore } from '../../calendar/calendar.store.ts';

/** The calendars of this process: what the event store of the same process reads of them without waiting. */
export interface MemoryCalendarStore extends CalendarStore {
  find(ref: CalendarRef): CalendarRecord | undefined;
}

/** Calendars in the memory of this process. */
export function createMemoryCalendarStore(): MemoryCalendarStore {
  const byId = new Map<string, CalendarRecord>();
  const primaries = new Map<string, CalendarRecord>();

  const find = (ref: CalendarRef): CalendarRecord | undefined =>
    'id' in ref ? byId.get(ref.id) : primaries.get(addressKey(ref.primaryOf));

  return {
    find,
    calendars: async (refs) => refs.map(find),
    calendarsOf: async (identity) => {
      const isTheirs = (address: string): boolean => addressKey(address) === identity;
      return [...byId.values()].filter(({ owner, acl }) => isTheirs(owner) || acl.some(({ email }) => isTheirs(email)));
    },
    async addCalendar(calendar) {
      const owner = addressKey(calendar.owner);
      const record = deepFreeze(structuredClone(calendar));
      byId.set(record.id, record);
      if (!primaries.has(owner) || addressKey(record.id) === owner) primaries.set(owner, record);
    },
  };
}
