import { randomUUID } from 'node:crypto';
import { emailKey } from '../../core/email.ts';
import { deepFreeze } from '../../core/freeze.ts';
import { PlaceTakenError, type CalendarRecord, type EventStore, type Place, type StoredEvent } from '../../event/event.store.ts';
import type { Clock } from '../../core/clock.ts';
import { createCalendarShelf, type CalendarShelf } from './calendar-shelf.ts';
import { createRequestRecords } from './request-marks.ts';

/** Events in the memory of this process: maps by calendar and id, so that no call costs more with more events. */
export function createMemoryEventStore<E extends StoredEvent>(clock: Clock): EventStore<E> {
  const calendars = new Map<string, CalendarRecord>();
  const primaries = new Map<string, CalendarRecord>();
  const shelves = new Map<string, CalendarShelf<E>>();
  const epoch = randomUUID();
  const marks = createRequestRecords<E>(clock);

  const at = ({ calendarId, eventId }: Place): E | undefined => shelves.get(calendarId)?.get(eventId);

  /** True when nobody but the event itself, where it is stored already, holds a place of the record. */
  const isFree = (record: E, stored?: E): boolean =>
    Object.entries(record.copies).every(([calendarId, { id }]) => {
      const holder = at({ calendarId, eventId: id });
      return !holder || holder === stored;
    });

  const shelfOf = (calendarId: string): CalendarShelf<E> => {
    let shelf = shelves.get(calendarId);
    if (!shelf) shelves.set(calendarId, (shelf = createCalendarShelf<E>(epoch)));
    return shelf;
  };

  function put(record: E, before?: E): void {
    deepFreeze(record);
    const coreChanged = record.coreStamp.tag !== before?.coreStamp.tag;
    for (const [calendarId, copy] of Object.entries(record.copies)) {
      const isChange = coreChanged || copy.stamp.tag !== before?.copies[calendarId]?.stamp.tag;
      shelfOf(calendarId).put(copy.id, record, isChange);
    }
  }

  return {
    calendars: async (ids) => ids.map((id) => calendars.get(id)),
    primaries: async (owners) => owners.map((owner) => primaries.get(emailKey(owner))),
    events: async (wanted) => wanted.map(at),

    listEvents: async ({ calendarId, ...query }) => shelfOf(calendarId).page(query),

    async addCalendar(calendar) {
      const owner = emailKey(calendar.owner);
      calendars.set(calendar.id, deepFreeze(structuredClone(calendar)));
      if (!primaries.has(owner)) primaries.set(owner, calendars.get(calendar.id) as CalendarRecord);
    },

    async insertEvent(record, mark, validateOnly = false) {
      const earlier = marks.find(mark);
      if (earlier) {
        return earlier.fingerprint === mark?.fingerprint ? { kind: 'replayed', record: earlier.outcome } : { kind: 'reused' };
      }
      if (!isFree(record)) return { kind: 'taken' };
      if (!validateOnly) {
        put(record);
        marks.add(mark, record);
      }
      return { kind: 'inserted', record };
    },

    async updateEvent(place, decide) {
      const current = at(place);
      if (!current) return undefined;
      const { next, result } = decide(current);
      if (next === current) return result;
      if (!isFree(next, current)) throw new PlaceTakenError('another event has taken a place of this one');
      put(next, current);
      return result;
    },
  };
}
