import type { CalendarStore } from '../../src/calendar/calendar.store.ts';
import type { EventBody } from '../../src/event/model/fields.ts';
import type { CalendarState, EventQuery, EventStore } from '../../src/event/event.store.ts';
import type { EventRecord, StoredEvent } from '../../src/event/model/record.ts';
import {
  instantAt,
  timesBetween,
  dailyCore,
  idsOf,
  noonOn,
  sampleCalendar,
  sampleEvent,
  sampleException,
  stampAt,
  withCopy,
  withCore,
  type MakeEventStores,
  putCalendar,
  useEventStores,
  alice,
  bob,
  carol,
} from './event-samples.ts';

const allDayTimes = { start: { date: '2030-01-01' }, end: { date: '2030-01-02' } };
const rangeOfHours = (from: number, to: number): Partial<EventQuery> => ({
  between: { from: instantAt(from), to: instantAt(to) },
});

/** Tests of event lists of every event store. */
export function eventListContract(name: string, makeStores: MakeEventStores): void {
  describe(`${name} as an event store: lists`, () => {
    let calendars: CalendarStore;
    let store: EventStore;
    const { stores, putEvent, changeEvent, listEvents, readIds } = useEventStores(makeStores);
    beforeEach(() => {
      ({ calendars, events: store } = stores());
    });

    const listStarts = async (query: Partial<EventQuery>, calendarId?: string): Promise<number[]> =>
      (await listEvents(query, calendarId)).entries.map((entry) => entry.at);
    const putEvents = async (home: string, cores: Readonly<Record<string, EventBody>>): Promise<void> => {
      for (const [id, core] of Object.entries(cores)) await putEvent(sampleEvent(id, { home, core }));
    };
    const changeCore = (event: EventRecord, core: EventBody = { summary: 'changed' }, stamp = stampAt()) =>
      changeEvent(event, (stored) => withCore(stored, core, stamp));
    /** Stores events with the given cores on Alice's calendar. */
    const addEvents = async (...cores: readonly EventBody[]): Promise<EventRecord[]> => {
      const events: EventRecord[] = [];
      for (const [index, core] of cores.entries())
        events.push(await putEvent(sampleEvent(`event${index}`, { core })));
      return events;
    };
    const addMany = (count: number): Promise<EventRecord[]> =>
      addEvents(...Array.from({ length: count }, () => ({})));
    /** Lists all ids page by page. `runBetweenPages` gets the number of pages before the one just read. */
    const listAllPages = async (
      query: Partial<EventQuery>,
      runBetweenPages?: (page: number) => Promise<unknown>,
    ): Promise<string[]> => {
      const foundIds: string[] = [];
      let page = await listEvents(query);
      for (let count = 0; ; count += 1) {
        foundIds.push(...idsOf(page.entries));
        if (!page.hasMore) return foundIds;
        await runBetweenPages?.(count);
        page = await listEvents({ ...query, after: page.entries.at(-1) as EventQuery['after'] & object });
      }
    };

    test('by start is complete and in order while an event at its front is moved away', async () => {
      const events = await addEvents(...[1, 2, 3, 4].map((hour) => timesBetween(hour, hour + 1)));
      const query: Partial<EventQuery> = { order: 'start', ...rangeOfHours(0, 10) };
      let move: Promise<unknown> | undefined;
      const accepts = (): boolean => {
        move ??= changeCore(events[1] as EventRecord, timesBetween(50, 51));
        return true;
      };
      const foundIds = await readIds({ ...query, accepts });
      await move;
      expect(foundIds.filter((id) => id !== 'event1')).toEqual(['event0', 'event2', 'event3']);
      expect(await readIds(query)).toEqual(['event0', 'event2', 'event3']);
    });

    describe('a page', () => {
      test('of a calendar without events is empty, and has a revision to continue from', async () => {
        const { revision, ...page } = await listEvents();
        expect(page).toEqual({ entries: [], hasMore: false, series: [] });
        await addMany(1);
        expect(await readIds({ since: revision })).toEqual(['event0']);
      });

      test('has the current events of this calendar only', async () => {
        await putEvent(sampleEvent('other', { home: bob }));
        const shared = await putEvent(withCopy(sampleEvent('shared', { home: bob }), alice));
        const current = await changeEvent(shared, (stored) => withCore(stored, { summary: 'now' }));
        expect((await listEvents()).entries.map(({ record }) => record)).toEqual([current]);
      });

      test('respects its limit and reports whether there are more', async () => {
        await addMany(3);
        const pages = await Promise.all([1, 2, 3, 4].map((limit) => listEvents({ limit })));
        expect(pages.map(({ entries }) => entries.length)).toEqual([1, 2, 3, 3]);
        expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, false, false]);
      });

      test('has and counts only events that `accepts` returns true for', async () => {
        await addMany(6);
        const accepts = ({ record }: StoredEvent): boolean =>
          record.core.summary !== 'event1' && record.core.summary !== 'event5';
        expect(await readIds({ accepts })).toEqual(['event0', 'event2', 'event3', 'event4']);
        expect(await listEvents({ accepts, limit: 4 })).toMatchObject({ hasMore: false });
        expect(await listAllPages({ accepts, limit: 2 })).toEqual(['event0', 'event2', 'event3', 'event4']);
        expect(await listEvents({ accepts: () => false, limit: 1 })).toMatchObject({
          entries: [],
          hasMore: false,
        });
      });
    });

    describe('the order', () => {
      test('by position is the order of addition to the calendar, and stays when events change', async () => {
        const [first] = (await addMany(12)) as [EventRecord];
        const addedLater = await putEvent(withCopy(sampleEvent('came', { home: bob }), alice));
        const expected = [...Array.from({ length: 12 }, (_, index) => `event${index}`), 'came'];
        expect(await readIds()).toEqual(expected);
        const positions = (await listEvents()).entries.map(({ position }) => position);
        expect(positions).toEqual([...positions].sort((a, b) => a - b));
        for (const event of [addedLater, first]) await changeCore(event, timesBetween(1, 2));
        const { entries } = await listEvents();
        expect([idsOf(entries), entries.map(({ position }) => position)]).toEqual([expected, positions]);
        expect(entries.every((entry) => entry.at === 0)).toBe(true);
      });

      test('by position pages without loss or duplicates while events change', async () => {
        const events = await addMany(9);
        const renameOne = (page: number) =>
          changeCore(events[page] as EventRecord, timesBetween(page, page + 1));
        const allIds = events.map((_, index) => `event${index}`);
        expect(await listAllPages({ limit: 2 }, renameOne)).toEqual(allIds);
        const lastPosition = (await listEvents()).entries.at(-1)?.position as number;
        expect(await readIds({ after: { position: lastPosition, at: 0 } })).toEqual([]);
      });

      test("by start uses the calendar's time zone, then the position", async () => {
        await putCalendar(calendars, sampleCalendar('honolulu', { timeZone: 'Pacific/Honolulu' }));
        for (const home of [alice, 'honolulu'])
          await putEvents(home, {
            nine: timesBetween(9, 10),
            eight: timesBetween(8, 20),
            late: timesBetween(11, 12),
            day: allDayTimes,
            nine2: timesBetween(9, 11),
          });
        const idsByStart = ['day', 'eight', 'nine', 'nine2', 'late'];
        expect(await readIds({ order: 'start' })).toEqual(idsByStart);
        expect(await readIds({ order: 'start' }, 'honolulu')).toEqual([
          'eight',
          'nine',
          'nine2',
          'day',
          'late',
        ]);
        expect(await listAllPages({ order: 'start', limit: 1 })).toEqual(idsByStart);
        expect(await listStarts({ order: 'start' })).toEqual([0, 8, 9, 9, 11].map(instantAt));
      });

      test('by start returns matching series separately and completely on every page', async () => {
        const unaccepted = { ...dailyCore, summary: 'unaccepted' };
        const laterSeries = { ...dailyCore, ...timesBetween(3, 4) };
        await addEvents(dailyCore, timesBetween(1, 2), laterSeries, timesBetween(5, 6), unaccepted);
        const accepts = ({ record }: StoredEvent): boolean => record.core.summary !== 'unaccepted';
        const query = { order: 'start', limit: 1, accepts } as const;
        const first = await listEvents(query);
        const second = await listEvents({
          ...query,
          after: first.entries[0] as EventQuery['after'] & object,
        });
        expect([idsOf(first.entries), first.hasMore]).toEqual([['event1'], true]);
        expect([idsOf(second.entries), second.hasMore]).toEqual([['event3'], false]);
        for (const { series } of [first, second]) expect(idsOf(series).sort()).toEqual(['event0', 'event2']);
        expect((await listEvents()).series).toEqual([]);
      });

      test('by updated uses the last change visible to the caller, then the position', async () => {
        const [first, second, third] = (await addMany(4)) as [EventRecord, EventRecord, EventRecord];
        await changeCore(first, {}, stampAt(3));
        await changeEvent(second, (stored) => withCopy(stored, alice, {}, stampAt(2)));
        const viewers = { [bob]: { stamp: stampAt(9), own: {} } };
        await changeEvent(third, (stored) =>
          withCopy(stored, alice, { viewers }, stored.copies[alice]?.stamp),
        );
        const [forAlice, forBob] = [
          ['event2', 'event3', 'event1', 'event0'],
          ['event3', 'event1', 'event0', 'event2'],
        ];
        expect(await readIds({ order: 'updated' })).toEqual(forAlice);
        expect(await readIds({ order: 'updated', identity: bob })).toEqual(forBob);
        expect(await listAllPages({ order: 'updated', limit: 1 })).toEqual(forAlice);
        expect(await listStarts({ order: 'updated' })).toEqual([0, 0, 2, 3].map(instantAt));
      });
    });

    describe('a selection', () => {
      test('excludes events that are cancelled on this calendar if the query excludes them', async () => {
        const [cancelled, removed, uninvited] = (await addMany(4)) as [EventRecord, EventRecord, EventRecord];
        await changeCore(cancelled, { status: 'cancelled' });
        await changeEvent(removed, (stored) => withCopy(withCopy(stored, bob), alice, { state: 'removed' }));
        await changeEvent(uninvited, (stored) => withCopy(stored, alice, { state: 'uninvited' }));
        expect(await readIds({ includesCancelled: false })).toEqual(['event3']);
        expect(await readIds({ includesCancelled: false }, bob)).toEqual(['event1']);
        expect(await readIds({ includesCancelled: true })).toEqual(['event0', 'event1', 'event2', 'event3']);
      });

      test('by updatedMin includes that instant, and considers visible changes only', async () => {
        const [first, second, third, fourth] = (await addMany(4)) as [
          EventRecord,
          EventRecord,
          EventRecord,
          EventRecord,
        ];
        await changeCore(first, {}, stampAt(5));
        const viewers = { [bob]: { stamp: stampAt(5), own: {} } };
        await changeEvent(second, (stored) => withCopy(stored, alice, { viewers }));
        await changeCore(third, {}, stampAt(4));
        await changeEvent(fourth, (stored) => withCopy(stored, bob, {}, stampAt(6)));
        expect(await readIds({ updatedMin: instantAt(5) })).toEqual(['event0']);
        expect(await readIds({ updatedMin: instantAt(5), identity: bob })).toEqual(['event0', 'event1']);
        expect(await readIds({ updatedMin: instantAt(5) + 1 })).toEqual([]);
      });

      test('by updatedMin ignores guest changes that are hidden from the calendar', async () => {
        const core = { guestsCanSeeOtherGuests: false };
        const event = await putEvent(withCopy(sampleEvent('party', { core }), bob));
        const revisionsBefore = {
          alice: (await listEvents()).revision,
          bob: (await listEvents({}, bob)).revision,
        };
        await changeEvent(event, (stored) => ({
          ...withCore(stored, { attendees: [{ email: carol }] }, stampAt(5)),
          openStamp: stored.openStamp,
        }));
        for (const [query, bobsQuery] of [
          [{ updatedMin: instantAt(5) }, { updatedMin: instantAt(5) }],
          [{ since: revisionsBefore.alice }, { since: revisionsBefore.bob }],
        ]) {
          expect(await readIds(query)).toEqual(['party']);
          expect(await readIds(bobsQuery, bob)).toEqual([]);
        }
        expect(await listStarts({ order: 'updated' }, bob)).toEqual([instantAt(0)]);
      });

      test("by range has overlapping events, with exclusive ends, and days in the calendar's zone", async () => {
        await putCalendar(calendars, sampleCalendar('kiritimati', { timeZone: 'Pacific/Kiritimati' }));
        for (const home of [alice, 'kiritimati'])
          await putEvents(home, {
            early: timesBetween(8, 10),
            in: timesBetween(10, 11),
            over: timesBetween(1, 1000),
            late: timesBetween(12, 13),
            day: allDayTimes,
            moment: timesBetween(11, 11),
            timeless: { start: undefined, end: undefined },
          });
        const lateMorning = rangeOfHours(10, 12);
        expect(await readIds(lateMorning)).toEqual(['in', 'over', 'day', 'moment']);
        expect(await readIds(lateMorning, 'kiritimati')).toEqual(['in', 'over', 'moment']);
        expect(await readIds({ ...lateMorning, order: 'start' })).toEqual(['day', 'over', 'in', 'moment']);
        expect(await readIds(rangeOfHours(-Infinity, 9))).toEqual(['early', 'over', 'day']);
        expect(await readIds(rangeOfHours(12.5, Infinity))).toEqual(['over', 'late', 'day']);
      });

      test('by range finds a moved event at its new time', async () => {
        const [event] = (await addMany(2)) as [EventRecord];
        await changeCore(event, timesBetween(2000, 2001));
        expect(await readIds(rangeOfHours(12, 13))).toEqual(['event1']);
        expect(await readIds(rangeOfHours(2000, 2001))).toEqual(['event0']);
        expect(await readIds({ order: 'start' })).toEqual(['event1', 'event0']);
      });

      test('by range has a series from its first occurrence to the end of its last', async () => {
        await addEvents(dailyCore, { recurrence: ['RRULE:FREQ=DAILY'] });
        const idsIn = (from: number, to: number): Promise<string[]> => readIds(rangeOfHours(from, to));
        expect(await idsIn(11, 12)).toEqual([]);
        expect(await idsIn(12, 13)).toEqual(['event0', 'event1']);
        expect(await idsIn(4 * 24 + 12, 4 * 24 + 13)).toEqual(['event0', 'event1']);
        expect(await idsIn(4 * 24 + 13, 5 * 24)).toEqual(['event1']);
        expect(await idsIn(400 * 24 + 12, 400 * 24 + 13)).toEqual(['event1']);
      });

      test('by iCalUID works with every order', async () => {
        const [lateTimes, earlyTimes] = [timesBetween(20, 21), timesBetween(5, 6)];
        await addEvents(
          { iCalUID: 'one' },
          { iCalUID: 'two', ...lateTimes },
          { iCalUID: 'two', ...earlyTimes },
        );
        expect(await readIds({ iCalUID: 'two' })).toEqual(['event1', 'event2']);
        expect(await readIds({ iCalUID: 'two', order: 'start' })).toEqual(['event2', 'event1']);
        expect(await listAllPages({ iCalUID: 'two', limit: 1 })).toEqual(['event1', 'event2']);
        expect(await readIds({ iCalUID: 'none' })).toEqual([]);
      });
    });

    describe('a sync since a revision', () => {
      test('has each changed event once, by position', async () => {
        const [first, second, third] = (await addMany(4)) as [EventRecord, EventRecord, EventRecord];
        const { revision } = await listEvents();
        expect(await readIds({ since: revision })).toEqual([]);
        for (const event of [third, first, third]) await changeCore(event);
        await putEvent(sampleEvent('new'));
        expect(await readIds({ since: revision })).toEqual(['event0', 'event2', 'new']);
        expect(await listAllPages({ since: revision, limit: 1 })).toEqual(['event0', 'event2', 'new']);
        const nextRevision = (await listEvents({ since: revision })).revision;
        expect(await readIds({ since: nextRevision })).toEqual([]);
        await changeCore(second, { status: 'cancelled' });
        expect(await readIds({ since: nextRevision })).toEqual(['event1']);
        expect(await readIds({ since: nextRevision, includesCancelled: false })).toEqual([]);
      });

      test("has changes of the core, the calendar's own copy, and the viewer's part, but not of other copies", async () => {
        const event = await putEvent(withCopy(sampleEvent('lunch'), bob));
        const viewers = { [bob]: { stamp: stampAt(), own: { reminders: {} } } };
        // Viewers of a change: Alice on her calendar, Bob on his, Carol on Bob's.
        const [onAlices, onBobs, onBobsToCarol] = ['alice', 'bob', 'carol'];
        const steps: [(stored: EventRecord) => EventRecord, (string | undefined)[]][] = [
          [(stored) => withCore(stored, { summary: 'x' }), [onAlices, onBobs, onBobsToCarol]],
          [(stored) => withCopy(stored, bob, { own: { colorId: '1' } }), [onBobs, onBobsToCarol]],
          [(stored) => withCopy(stored, bob, { viewers }, stored.copies[bob]?.stamp), [onBobs]],
          [(stored) => withCopy(stored, alice, { state: 'removed' }), [onAlices]],
          [(stored) => withCopy(stored, carol), []],
        ];
        for (const [step, expected] of steps) {
          const [alicesRevision, bobsRevision] = [
            (await listEvents()).revision,
            (await listEvents({}, bob)).revision,
          ];
          await changeEvent(event, step);
          const listsByViewer = [
            [onAlices, await readIds({ since: alicesRevision, identity: alice })],
            [onBobs, await readIds({ since: bobsRevision, identity: bob }, bob)],
            [onBobsToCarol, await readIds({ since: bobsRevision, identity: carol }, bob)],
          ] as const;
          const listsWithChanges = listsByViewer.filter(([, changedIds]) => changedIds.length > 0);
          expect(listsWithChanges.map(([viewer]) => viewer)).toEqual(expected);
        }
      });

      test('continues after a list of any order or size', async () => {
        await addMany(3);
        const orders = [{ order: 'updated' }, { order: 'start' }] as const;
        for (const query of [{ limit: 1 }, ...orders, { iCalUID: 'none' }]) {
          const { revision } = await listEvents(query);
          const event = await putEvent(sampleEvent(`new${Object.values(query).join()}`));
          expect(await readIds({ since: revision })).toEqual(idsOf([{ record: event }]));
        }
      });

      test('agrees with calendarStates: the revision differs if and only if there are changes', async () => {
        const refs = [{ id: bob }, { id: 'none' }, { primaryOf: alice }, { id: bob }];
        const states = await store.calendarStates(refs);
        const [bobsCalendar, alicesCalendar] = [sampleCalendar(bob), sampleCalendar(alice)];
        expect(states.map((state) => state?.calendar)).toEqual([
          bobsCalendar,
          undefined,
          alicesCalendar,
          bobsCalendar,
        ]);
        expect(states[0]?.revision).toBe((await listEvents({}, bob)).revision);
        expect(states[2]?.revision).toBe((await listEvents()).revision);
        await addMany(1);
        const laterStates = await store.calendarStates(refs);
        const areUnchanged = laterStates.map((state, index) => state?.revision === states[index]?.revision);
        expect(areUnchanged).toEqual([true, true, false, true]);
        expect(await readIds({ since: states[2]?.revision })).toEqual(['event0']);
        expect(await readIds({ since: laterStates[2]?.revision })).toEqual([]);
        expect(await store.calendarStates([])).toEqual([]);
      });

      test('builds its query from the current calendar, or none', async () => {
        const queriedCalendars: unknown[] = [];
        const throwingQuery = (state: CalendarState | undefined): EventQuery => {
          queriedCalendars.push(state?.calendar);
          throw new Error('refused');
        };
        for (const ref of [{ id: 'none' }, { primaryOf: 'none' }, { id: bob }])
          await expect(store.listCalendar(ref, throwingQuery)).rejects.toThrow('refused');
        await listEvents({}, bob);
        await expect(store.listCalendar({ id: bob }, throwingQuery)).rejects.toThrow('refused');
        expect(new Set(queriedCalendars)).toEqual(new Set([undefined, sampleCalendar(bob)]));
      });

      test('is undefined for a revision that no store issued, also on a later page', async () => {
        const { revision } = await listEvents();
        for (const unknownRevision of ['', 'nonsense', '-1', '1', 'x.y', `${revision}x`]) {
          expect(await listEvents({ since: unknownRevision })).toBeUndefined();
          expect(await listEvents({ revision: unknownRevision })).toBeUndefined();
        }
        expect(await listEvents({ since: revision, revision })).toMatchObject({
          entries: [],
          hasMore: false,
        });
      });
    });

    test('measures the events from a time on: series with their exceptions, but no cancelled events', async () => {
      const limits = { count: 100, bytes: 1_000_000 };
      const measure = (from: number) => store.measureEvents(alice, instantAt(from), limits);
      expect(await measure(0)).toEqual({ count: 0, bytes: 0, earliest: Infinity, latest: -Infinity });
      await putEvents(alice, {
        past: timesBetween(2, 3),
        next: timesBetween(200, 201),
        gone: { ...timesBetween(300, 301), status: 'cancelled' },
        endless: { ...timesBetween(4, 5), recurrence: ['RRULE:FREQ=DAILY'] },
      });
      await putEvents(bob, { other: timesBetween(400, 401) });
      const series = await putEvent(sampleEvent('series', { core: dailyCore }));
      for (const dayOfMonth of [2, 3])
        await putEvent(
          sampleException(series, noonOn(dayOfMonth), {
            core: dayOfMonth === 2 ? timesBetween(150, 151) : { summary: 'third' },
          }),
        );
      const size = await measure(140);
      expect(size).toMatchObject({ count: 5, earliest: instantAt(4), latest: instantAt(201) });
      // A sample takes 300 to 2,000 bytes.
      expect(size.bytes).toBeGreaterThan(5 * 300);
      expect(size.bytes).toBeLessThan(5 * 2000);
      // Without an exception in the range, the series does not count.
      expect(await measure(160)).toMatchObject({ count: 2 });
      expect(await measure(0)).toMatchObject({ count: 6, earliest: instantAt(2) });
      expect(await store.measureEvents(alice, instantAt(0), { ...limits, count: 2 })).toMatchObject({
        count: 3,
        bytes: 0,
      });
      const limitedSize = await store.measureEvents(alice, instantAt(0), { ...limits, bytes: 100 });
      expect(limitedSize.bytes).toBeGreaterThan(100);
    });
  });
}
