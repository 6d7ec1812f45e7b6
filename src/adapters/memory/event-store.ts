import { randomUUID } from 'node:crypto';
import type { Clock } from '../../core/clock.ts';
import { emailKey } from '../../core/email.ts';
import { deepFreeze } from '../../core/freeze.ts';
import type { CalendarRecord, CalendarRef, EventStore, Found, GuestCalendar, Place } from '../../event/event.store.ts';
import { hidesGuests, type EventRecord } from '../../event/model/record.ts';
import { createCalendarIndex, type CalendarIndex } from './calendar-index.ts';
import { createRequestRecords } from './request-records.ts';

/** Events in the memory of this process: maps by calendar and id, so that no change costs more with more events. */
export function createMemoryEventStore(clock: Clock): EventStore {
  const calendars = new Map<string, CalendarRecord>();
  const primaries = new Map<string, CalendarRecord>();
  const indexes = new Map<string, CalendarIndex>();
  const epoch = randomUUID();
  const requests = createRequestRecords<unknown>(clock);

  const at = ({ calendarId, eventId }: Place): EventRecord | undefined => indexes.get(calendarId)?.get(eventId);

  const calendarOf = (ref: CalendarRef): CalendarRecord | undefined =>
    'id' in ref ? calendars.get(ref.id) : primaries.get(emailKey(ref.primaryOf));

  const indexOf = (calendarId: string): CalendarIndex => {
    let index = indexes.get(calendarId);
    if (!index) indexes.set(calendarId, (index = createCalendarIndex(calendarId, epoch)));
    return index;
  };

  function guestCalendar(guest: string, eventId: string): [string, GuestCalendar] | undefined {
    const calendarId = primaries.get(guest)?.id;
    return calendarId === undefined ? undefined : [guest, { calendarId, holder: at({ calendarId, eventId }) }];
  }

  function put(record: EventRecord, before?: EventRecord): void {
    deepFreeze(record);
    for (const calendarId of Object.keys(record.copies)) {
      const copy = record.copies[calendarId];
      const old = before?.copies[calendarId];
      if (!copy) continue;
      const stamp = hidesGuests(record, copy) ? 'openStamp' : 'coreStamp';
      const isChange = record[stamp].tag !== before?.[stamp].tag || copy.stamp.tag !== old?.stamp.tag || copy.viewers !== old?.viewers;
      indexOf(calendarId).put(copy.id, record, isChange);
    }
  }

  return {
    calendars: async (refs) => refs.map(calendarOf),
    events: async (wanted) => wanted.map(at),

    async addCalendar(calendar) {
      const owner = emailKey(calendar.owner);
      const record = deepFreeze(structuredClone(calendar));
      calendars.set(record.id, record);
      if (!primaries.has(owner) || emailKey(record.id) === owner) primaries.set(owner, record);
    },

    async listEvents(ref, ask) {
      const calendar = calendarOf(ref);
      const query = ask(calendar);
      return calendar && indexOf(calendar.id).page(query);
    },

    async changeEvent(target, decide) {
      const { eventId, seriesId, iCalUID, request } = target;
      const calendar = calendarOf(target.calendar);
      const index = calendar && indexes.get(calendar.id);
      const event = index?.get(eventId);
      const found: Found = {
        calendar,
        event,
        series: seriesId === undefined ? undefined : index?.get(seriesId),
        sameUid: iCalUID === undefined ? [] : (index?.withUid(iCalUID) ?? []),
        guests: new Map(target.guests.flatMap((guest) => { const one = guestCalendar(guest, eventId); return one ? [one] : []; })),
        earlier: requests.find(request),
      };
      const { next, outcome, result } = decide(found);
      const known = [event, found.series, ...[...found.guests.values()].map(({ holder }) => holder)];
      if (next && !known.includes(next)) put(next, known.find((record) => record?.key === next.key));
      if (outcome !== undefined) requests.add(request, outcome);
      return result;
    },
  };
}
