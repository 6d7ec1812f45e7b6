import type { CalendarRecord, EventStore, Place, Stamp, StoredEvent } from '../../src/event/event.store.ts';
import type { RequestMark } from '../../src/core/request-mark.ts';

/** An event of the contract's own: what a store must know of one, and content it knows nothing of. */
export interface SampleEvent extends StoredEvent {
  readonly title: string;
  readonly count: number;
  readonly details: { readonly tags: readonly string[]; readonly map: Readonly<Record<string, string>> };
}

export type SampleStore = EventStore<SampleEvent>;

let stamps = 0;
/** A stamp unlike all others. */
export const newStamp = (): Stamp => ({ tag: `s${(stamps += 1)}`, at: new Date(stamps).toISOString() });

/** An event that nobody has frozen yet, with a copy on each of these calendars under the same id. */
export function sampleEvent(id: string, calendarIds: readonly string[], rest: Partial<SampleEvent> = {}): SampleEvent {
  return {
    key: `key of ${id}`,
    title: id,
    count: 0,
    details: { tags: ['a', 'b'], map: { 'ключ 🙂': 'значение', ['__proto__']: 'kept', constructor: 'kept' } },
    coreStamp: newStamp(),
    copies: Object.fromEntries(calendarIds.map((calendarId) => [calendarId, { id, stamp: newStamp() }])),
    ...rest,
  };
}

export const sampleCalendar = (id: string, rest: Partial<CalendarRecord> = {}): CalendarRecord => ({
  id,
  owner: `${id}@example.com`,
  timeZone: 'Europe/Berlin',
  defaultReminders: [{ method: 'popup', minutes: 10 }],
  acl: [{ email: 'reader@example.com', role: 'reader' }],
  ...rest,
});

/** The time by the clock of every store under this contract, until a test moves it. */
export const startOfTime = Date.UTC(2030, 0, 1);
export const day = 24 * 60 * 60 * 1000;

export const markOf = (key: string, fingerprint = 'the input', until = startOfTime + day): RequestMark => ({
  caller: 'ada',
  key,
  fingerprint,
  until,
});

export const at = (calendarId: string, eventId: string): Place => ({ calendarId, eventId });

/** The event as a client of the store finds it now. */
export const eventAt = async (store: SampleStore, place: Place): Promise<SampleEvent | undefined> =>
  (await store.events([place]))[0];

/** Replaces fields of a stored event; what all copies show counts as changed. */
export function change(store: SampleStore, place: Place, fields: Partial<SampleEvent>): Promise<string | undefined> {
  return store.updateEvent(place, (current) => ({
    next: { ...current, coreStamp: newStamp(), ...fields },
    result: 'changed',
  }));
}

/** Tries to write to every object inside a value, as careless code would; frozen ones refuse. */
export function vandalise(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const fields = value as Record<string, unknown>;
  for (const name of Object.keys(fields)) {
    vandalise(fields[name]);
    Reflect.set(fields, name, 'vandalised');
  }
  Reflect.set(fields, 'added', 'vandalised');
}
