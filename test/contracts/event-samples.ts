import type { CalendarRecord, CalendarStore } from '../../src/calendar/calendar.store.ts';
import type {
  CalendarState,
  ChangeState,
  ChangeTarget,
  Decision,
  EventPage,
  EventQuery,
  EventStore,
} from '../../src/event/event.store.ts';
import type { Clock } from '../../src/core/runtime/clock.ts';
import type { EventBody } from '../../src/event/model/fields.ts';
import type { EventCopy, EventRecord, Stamp, StoredEvent } from '../../src/event/model/record.ts';
import { startOfTime } from './samples.ts';

interface EventStores {
  readonly calendars: CalendarStore;
  readonly events: EventStore;
}

/** Creates empty stores of events and calendars. */
export type MakeEventStores = (clock: Clock) => EventStores | Promise<EventStores>;

export const [alice, bob, carol] = ['alice@example.com', 'bob@example.com', 'carol@example.com'] as const;
const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
/** Returns the instant that is a number of hours after `startOfTime`. */
export const instantAt = (hours: number): number => startOfTime + hours * hourMs;
export const isoTimeAt = (hours: number): string => new Date(instantAt(hours)).toISOString();

/** Creates a calendar whose owner has the address `id`, so that it is primary. */
export const sampleCalendar = (id: string, fields: Partial<CalendarRecord> = {}): CalendarRecord => ({
  id,
  owner: id,
  timeZone: 'UTC',
  defaultReminders: [{ method: 'popup', minutes: 10 }],
  acl: [],
  ...fields,
});

/** Stores a calendar; replaces the one with its id. */
export const putCalendar = (store: CalendarStore, next: CalendarRecord): Promise<void> =>
  store.changeCalendar<void>({ calendar: { id: next.id } }, () => ({ next, result: undefined }));

let lastNumber = 0;
/** Creates a unique stamp, by default at `startOfTime`. */
export const stampAt = (hours = 0): Stamp => ({ tag: `tag-${(lastNumber += 1)}`, at: isoTimeAt(hours) });

/** Creates the times of an event: from one hour to another after `startOfTime`. */
export const timesBetween = (from: number, to: number): Pick<EventBody, 'start' | 'end'> => ({
  start: { dateTime: isoTimeAt(from) },
  end: { dateTime: isoTimeAt(to) },
});

/** Differences of a sample from the default. `home`: id of the calendar that owns the event. */
interface SampleOptions {
  readonly home?: string;
  readonly core?: EventBody;
  readonly stamp?: Stamp;
}

/** Creates the first version of an event on one calendar, by default for an hour at noon. */
export function sampleEvent(id: string, options: SampleOptions = {}): EventRecord {
  const { home = alice, core, stamp = stampAt() } = options;
  return {
    key: `key-${(lastNumber += 1)}`,
    version: 1,
    homeId: home,
    core: { iCalUID: `${id}@example.com`, summary: id, ...timesBetween(12, 13), ...core },
    coreStamp: stamp,
    openStamp: stamp,
    copies: { [home]: { id, state: 'present', stamp, own: {} } },
  };
}

/** Fields of a daily series of five occurrences, with Bob as a guest. */
export const dailyCore: EventBody = { recurrence: ['RRULE:FREQ=DAILY;COUNT=5'], attendees: [{ email: bob }] };
/** Formats the original start of an occurrence at noon of a day in January 2030, as ids of instances end. */
export const noonOn = (day: number): string => `2030010${day}T120000Z`;

/** Creates an exception of a series with its changes, by default on the series' home calendar. */
export function sampleException(
  series: EventRecord,
  originalStart: string,
  { home = series.homeId, core = {}, stamp = stampAt() }: SampleOptions = {},
): EventRecord {
  const eventId = series.copies[series.homeId]?.id ?? '';
  return {
    key: `key-${(lastNumber += 1)}`,
    version: 1,
    homeId: series.homeId,
    core,
    coreStamp: stamp,
    openStamp: stamp,
    copies: {
      [home]: {
        id: `${series.copies[home]?.id ?? eventId}_${originalStart}`,
        state: 'present',
        stamp,
        own: {},
        ...(home !== series.homeId && { guest: home }),
      },
    },
    instance: {
      series: { calendarId: series.homeId, eventId },
      original: originalStart,
      answers: { [bob]: { responseStatus: 'accepted' } },
    },
  };
}

/** Returns the next version with changes of the core. */
export const withCore = (record: EventRecord, core: EventBody, stamp = stampAt()): EventRecord => ({
  ...record,
  version: record.version + 1,
  core: { ...record.core, ...core },
  coreStamp: stamp,
  openStamp: stamp,
});

/** Returns the next version with a new or changed copy. */
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

/** Stores an event under its id on one of its calendars. */
export const putEvent = (
  store: EventStore,
  record: EventRecord,
  target: Partial<ChangeTarget> = {},
): Promise<EventRecord> => decideOn(store, record, target, () => ({ next: record, result: record }));

/** Changes a stored event. */
export const changeEvent = (
  store: EventStore,
  record: EventRecord,
  createNext: (stored: EventRecord) => EventRecord,
): Promise<EventRecord> =>
  decideOn(store, record, {}, ({ event }) => {
    const next = createNext(event as EventRecord);
    return { next, result: next };
  });

/** Runs a decision on a stored event, on one of its calendars. */
export function decideOn<T>(
  store: EventStore,
  { homeId, copies, instance }: EventRecord,
  target: Partial<ChangeTarget>,
  decide: (state: ChangeState) => Decision<T>,
): Promise<T> {
  const [calendarId, copy] = copies[homeId]
    ? [homeId, copies[homeId]]
    : (Object.entries(copies)[0] as [string, EventCopy]);
  const ids = { calendar: { id: calendarId }, eventId: copy.id, seriesId: instance?.series.eventId };
  return store.changeEvent({ ...ids, guests: [], ...target }, decide);
}

/** Selects all events of a calendar. */
export const fullQuery: Omit<EventQuery, 'revision'> = {
  identity: alice,
  seesHidden: true,
  includesCancelled: true,
  expandsSeries: false,
  order: 'position',
  limit: 100,
  accepts: () => true,
};

/** A page with the revision to continue from. */
export interface ListedPage extends EventPage {
  readonly revision: string;
}

/** Lists as a service does; undefined if the store does not know the revision. */
export async function readEventPage(
  store: EventStore,
  query: Partial<EventQuery> = {},
  calendarId: string = alice,
): Promise<ListedPage> {
  const createQuery = (state: CalendarState | undefined): EventQuery => ({
    ...fullQuery,
    revision: state?.revision ?? '',
    ...query,
  });
  const page = await (query.after
    ? store.listEvents(calendarId, createQuery((await store.calendarStates([{ id: calendarId }]))[0]))
    : store.listCalendar({ id: calendarId }, createQuery));
  return page as ListedPage;
}

/** Returns the ids of events on a calendar; for an exception without a copy there, its original start. */
export const idsOf = (events: readonly StoredEvent[], calendarId: string = alice): string[] =>
  events.map(({ record }) => record.copies[calendarId]?.id ?? `${record.instance?.original}`);

/** Creates stores with calendars of Alice, Bob and Carol before each test; `stores()` returns them. */
export function useEventStores(makeStores: MakeEventStores, clock: Clock = () => startOfTime) {
  let currentStores: EventStores | undefined;
  const stores = (): EventStores => {
    if (!currentStores) throw new Error('there are no stores before the test begins');
    return currentStores;
  };
  beforeEach(async () => {
    currentStores = await makeStores(clock);
    for (const id of [alice, bob, carol]) await putCalendar(currentStores.calendars, sampleCalendar(id));
  });
  const listPage = (query: Partial<EventQuery> = {}, calendarId?: string): Promise<ListedPage> =>
    readEventPage(stores().events, query, calendarId);
  return {
    stores,
    putEvent: (record: EventRecord, target?: Partial<ChangeTarget>) =>
      putEvent(stores().events, record, target),
    changeEvent: (record: EventRecord, make: (stored: EventRecord) => EventRecord) =>
      changeEvent(stores().events, record, make),
    decideOn: <T>(
      record: EventRecord,
      target: Partial<ChangeTarget>,
      decide: (state: ChangeState) => Decision<T>,
    ) => decideOn(stores().events, record, target, decide),
    listEvents: listPage,
    readIds: async (query?: Partial<EventQuery>, calendarId: string = alice): Promise<string[]> =>
      idsOf((await listPage(query, calendarId)).entries, calendarId),
    findRecord: async (calendarId: string, eventId: string): Promise<EventRecord | undefined> =>
      (await stores().events.events([{ calendarId, eventId }]))[0]?.record,
  };
}
