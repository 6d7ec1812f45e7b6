import type { CalendarRecord } from '../../src/calendar/calendar.ts';
import type { CalendarStore } from '../../src/calendar/calendar.store.ts';
import type {
  CalendarState,
  ChangeTarget,
  Decision,
  EventPage,
  EventQuery,
  EventStore,
  ChangeState,
} from '../../src/event/event.store.ts';
import type { Clock } from '../../src/core/runtime/clock.ts';
import type { EventBody } from '../../src/event/model/fields.ts';
import type { EventCopy, EventRecord, Stamp, StoredEvent } from '../../src/event/model/record.ts';
import { startOfTime } from './samples.ts';

interface EventStores {
  readonly calendars: CalendarStore;
  readonly events: EventStore;
}

/** Makes an empty store of events, and that of their calendars, which tell the time by `clock`. */
export type MakeEventStores = (clock: Clock) => EventStores | Promise<EventStores>;

export const [alice, bob, carol] = ['alice@example.com', 'bob@example.com', 'carol@example.com'] as const;
const minute = 60_000;
export const hour = 60 * minute;
/** An instant so many hours after the start of time. */
export const at = (hours: number): number => startOfTime + hours * hour;
export const iso = (hours: number): string => new Date(at(hours)).toISOString();

export const sampleCalendar = (id: string, rest: Partial<CalendarRecord> = {}): CalendarRecord => ({
  id,
  owner: id,
  timeZone: 'UTC',
  defaultReminders: [{ method: 'popup', minutes: 10 }],
  acl: [],
  ...rest,
});

/** Stores a calendar as it is, in place of the one with its id. */
export const putCalendar = (store: CalendarStore, calendar: CalendarRecord): Promise<void> =>
  store.changeCalendar<void>({ calendar: { id: calendar.id } }, () => ({
    next: calendar,
    result: undefined,
  }));

let last = 0;
/** A stamp that no other has; without a time, at the start of time. */
export const stampAt = (hours = 0): Stamp => ({ tag: `tag-${(last += 1)}`, at: iso(hours) });

/** From one hour to another, in hours since the start of time. */
export const between = (from: number, to: number): Pick<EventBody, 'start' | 'end'> => ({
  start: { dateTime: iso(from) },
  end: { dateTime: iso(to) },
});

interface Sample {
  readonly home?: string;
  readonly core?: EventBody;
  readonly stamp?: Stamp;
}

/** A first version of an event on one calendar, as a service would make it: an hour at noon, unless told. */
export function sampleEvent(id: string, { home = alice, core, stamp = stampAt() }: Sample = {}): EventRecord {
  return {
    key: `key-${(last += 1)}`,
    version: 1,
    homeId: home,
    core: { iCalUID: `${id}@example.com`, summary: id, ...between(12, 13), ...core },
    coreStamp: stamp,
    openStamp: stamp,
    copies: { [home]: { id, state: 'present', stamp, own: {} } },
  };
}

export const daily: EventBody = { recurrence: ['RRULE:FREQ=DAILY;COUNT=5'], attendees: [{ email: bob }] };
/** The original start of the occurrence of a daily series at noon on a day. */
export const noonOn = (day: number): string => `2030010${day}T120000Z`;

/** An exception of a series: what it changes of one occurrence, on the series' home calendar unless told. */
export function sampleException(
  series: EventRecord,
  original: string,
  { home = series.homeId, core = {}, stamp = stampAt() }: Sample = {},
): EventRecord {
  const eventId = series.copies[series.homeId]?.id ?? '';
  return {
    key: `key-${(last += 1)}`,
    version: 1,
    homeId: series.homeId,
    core,
    coreStamp: stamp,
    openStamp: stamp,
    copies: {
      [home]: {
        id: `${series.copies[home]?.id ?? eventId}_${original}`,
        state: 'present',
        stamp,
        own: {},
        ...(home !== series.homeId && { guest: home }),
      },
    },
    instance: {
      series: { calendarId: series.homeId, eventId },
      original,
      answers: { [bob]: { responseStatus: 'accepted' } },
    },
  };
}

/** The next version, with another core. */
export const withCore = (record: EventRecord, core: EventBody, stamp = stampAt()): EventRecord => ({
  ...record,
  version: record.version + 1,
  core: { ...record.core, ...core },
  coreStamp: stamp,
  openStamp: stamp,
});

/** The next version, with a copy more or another copy. */
export function withCopy(
  record: EventRecord,
  calendarId: string,
  change: Partial<EventCopy> = {},
  stamp = stampAt(),
): EventRecord {
  const copy: EventCopy = {
    ...(record.copies[calendarId] ?? {
      id: record.copies[record.homeId]?.id ?? '',
      state: 'present',
      guest: calendarId,
      own: {},
    }),
    stamp,
    ...change,
  };
  return { ...record, version: record.version + 1, copies: { ...record.copies, [calendarId]: copy } };
}

/** Stores as a service does: under the id that the event has on a calendar. */
export const put = (
  store: EventStore,
  record: EventRecord,
  target: Partial<ChangeTarget> = {},
): Promise<EventRecord> => decideOn(store, record, target, () => ({ next: record, result: record }));

/** Changes an event that is stored by what is found then. */
export const change = (
  store: EventStore,
  record: EventRecord,
  make: (stored: EventRecord) => EventRecord,
): Promise<EventRecord> =>
  decideOn(store, record, {}, ({ event }) => {
    const next = make(event as EventRecord);
    return { next, result: next };
  });

export function decideOn<T>(
  store: EventStore,
  { homeId, copies, instance }: EventRecord,
  target: Partial<ChangeTarget>,
  decide: (found: ChangeState) => Decision<T>,
): Promise<T> {
  const [calendarId, copy] = copies[homeId]
    ? [homeId, copies[homeId]]
    : (Object.entries(copies)[0] as [string, EventCopy]);
  return store.changeEvent(
    {
      calendar: { id: calendarId },
      eventId: copy.id,
      seriesId: instance?.series.eventId,
      guests: [],
      ...target,
    },
    decide,
  );
}

export const everything: Omit<EventQuery, 'revision'> = {
  identity: alice,
  seesHidden: true,
  cancelled: true,
  expand: false,
  order: 'position',
  limit: 100,
  accepts: () => true,
};

/** A page of a list that others may go on from. */
export interface Listed extends EventPage {
  readonly revision: string;
}

/** Lists as a service does: what the store cannot continue is undefined. */
export async function list(
  store: EventStore,
  query: Partial<EventQuery> = {},
  calendarId: string = alice,
): Promise<Listed> {
  const queryOf = (state: CalendarState | undefined): EventQuery => ({
    ...everything,
    revision: state?.revision ?? '',
    ...query,
  });
  const page = await (query.after
    ? store.listEvents(calendarId, queryOf((await store.calendarStates([{ id: calendarId }]))[0]))
    : store.listCalendar({ id: calendarId }, queryOf));
  return page as Listed;
}

/** The ids of events on a calendar; of an exception without a copy there, its original start. */
export const idsOf = (events: readonly StoredEvent[], calendarId: string = alice): string[] =>
  events.map(({ record }) => record.copies[calendarId]?.id ?? `${record.instance?.original}`);

/**
 * For a suite of event stores: makes them before each test, with calendars of Alice, Bob and Carol, and gives the functions
 * that its tests write and read with. `stores()` are those of the test that runs.
 */
export function useEvents(makeStores: MakeEventStores, clock: Clock = () => startOfTime) {
  let made: EventStores | undefined;
  const stores = (): EventStores => {
    if (!made) throw new Error('there are no stores before the test begins');
    return made;
  };
  beforeEach(async () => {
    made = await makeStores(clock);
    for (const id of [alice, bob, carol]) await putCalendar(made.calendars, sampleCalendar(id));
  });
  const listed = (query: Partial<EventQuery> = {}, calendarId?: string): Promise<Listed> =>
    list(stores().events, query, calendarId);
  return {
    stores,
    put: (record: EventRecord, target?: Partial<ChangeTarget>) => put(stores().events, record, target),
    change: (record: EventRecord, make: (stored: EventRecord) => EventRecord) =>
      change(stores().events, record, make),
    decideOn: <T>(
      record: EventRecord,
      target: Partial<ChangeTarget>,
      decide: (found: ChangeState) => Decision<T>,
    ) => decideOn(stores().events, record, target, decide),
    list: listed,
    ids: async (query?: Partial<EventQuery>, calendarId: string = alice): Promise<string[]> =>
      idsOf((await listed(query, calendarId)).entries, calendarId),
    find: async (calendarId: string, eventId: string): Promise<EventRecord | undefined> =>
      (await stores().events.events([{ calendarId, eventId }]))[0]?.record,
  };
}
