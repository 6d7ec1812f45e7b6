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

  function put(calendar: CalendarRecord): void {
    const owner = addressKey(calendar.owner);
    const record = deepFreeze(structuredClone(calendar));
    byId.set(record.id, record);
    if (record.neverPrimary !== true && (!primaries.has(owner) || addressKey(record.id) === owner || primaries.get(owner)?.id === record.id)) primaries.set(owner, record);
  }

  return {
    find,
    calendarsBehind: async (id, limit) => [...byId.values()].filter((one) => one.id > id).sort((a, b) => (a.id < b.id ? -1 : 1)).slice(0, limit),
    async changeCalendar({ calendar: { id } }, decide) {
      const { next, result } = decide({ calendar: byId.get(id) });
      if (next) put(next);
      return result;
    },
    calendars: async (refs) => refs.map(find),
    calendarsOf: async (identity) => {
      const isTheirs = (address: string): boolean => addressKey(address) === identity;
      return [...byId.values()].filter(({ owner, acl }) => isTheirs(owner) || acl.some(({ email }) => isTheirs(email)));
    },
    addCalendar: async (calendar) => put(calendar),
  };
}
