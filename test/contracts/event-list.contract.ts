import type { CalendarStore } from '../../src/calendar/calendar.store.ts';
import type { EventBody } from '../../src/event/model/fields.ts';
import type { CalendarState, EventQuery, EventStore } from '../../src/event/event.store.ts';
import type { EventRecord, StoredEvent } from '../../src/event/model/record.ts';
import {
  alice,
  at,
  between,
  bob,
  carol,
  daily,
  idsOf,
  sampleCalendar,
  sampleEvent,
  stampAt,
  withCopy,
  withCore,
  type MakeEventStores,
  putCalendar,
  useEvents,
} from './event-samples.ts';

const day = { start: { date: '2030-01-01' }, end: { date: '2030-01-02' } };
const hours = (from: number, to: number): Partial<EventQuery> => ({
  between: { from: at(from), to: at(to) },
});

/** What every event store promises of the lists of a calendar's events, whatever keeps them. */
export function eventListContract(name: string, makeStores: MakeEventStores): void {
  describe(`${name} as a list of events`, () => {
    let calendars: CalendarStore;
    let store: EventStore;
    const { stores, put, change, list, ids } = useEvents(makeStores);
    beforeEach(() => {
      ({ calendars, events: store } = stores());
    });

    const startsOf = async (query: Partial<EventQuery>, calendarId?: string): Promise<number[]> =>
      (await list(query, calendarId)).entries.map((entry) => entry.at);
    const putAll = async (home: string, cores: Readonly<Record<string, EventBody>>): Promise<void> => {
      for (const [id, core] of Object.entries(cores)) await put(sampleEvent(id, { home, core }));
    };
    const rename = (event: EventRecord, core: EventBody = { summary: 'changed' }, stamp = stampAt()) =>
      change(event, (stored) => withCore(stored, core, stamp));
    /** Puts events on Alice's calendar that differ in what is given. */
    const add = async (...cores: readonly EventBody[]): Promise<EventRecord[]> => {
      const events: EventRecord[] = [];
      for (const [index, core] of cores.entries())
        events.push(await put(sampleEvent(`event${index}`, { core })));
      return events;
    };
    const addMany = (count: number): Promise<EventRecord[]> =>
      add(...Array.from({ length: count }, () => ({})));
    /** All ids, page by page. */
    const walk = async (
      query: Partial<EventQuery>,
      between?: (page: number) => Promise<unknown>,
    ): Promise<string[]> => {
      const found: string[] = [];
      let page = await list(query);
      for (let count = 0; ; count += 1) {
        found.push(...idsOf(page.entries));
        if (!page.more) return found;
        await between?.(count);
        page = await list({ ...query, after: page.entries.at(-1) as EventQuery['after'] & object });
      }
    };

    test('by start has what nobody touches, and in order, though an event that comes first moves away while the list is read', async () => {
      const events = await add(...[1, 2, 3, 4].map((hours) => between(hours, hours + 1)));
      const query: Partial<EventQuery> = { order: 'start', ...hours(0, 10) };
      let moved: Promise<unknown> | undefined;
      const accepts = (): boolean => {
        moved ??= rename(events[1] as EventRecord, between(50, 51));
        return true;
      };
      const found = await ids({ ...query, accepts });
      await moved;
      expect(found.filter((id) => id !== 'event1')).toEqual(['event0', 'event2', 'event3']);
      expect(await ids(query)).toEqual(['event0', 'event2', 'event3']);
    });

    describe('a page', () => {
      test('of a calendar without events is empty, and has a revision to go on from', async () => {
        const { revision, ...page } = await list();
        expect(page).toEqual({ entries: [], more: false, series: [] });
        await addMany(1);
        expect(await ids({ since: revision })).toEqual(['event0']);
      });

      test("holds this calendar's events alone, as they are now", async () => {
        await put(sampleEvent('other', { home: bob }));
        const shared = await put(withCopy(sampleEvent('shared', { home: bob }), alice));
        const now = await change(shared, (stored) => withCore(stored, { summary: 'now' }));
        expect((await list()).entries.map(({ record }) => record)).toEqual([now]);
      });

      test('has as many as asked for, and says whether there are more', async () => {
        await addMany(3);
        const pages = await Promise.all([1, 2, 3, 4].map((limit) => list({ limit })));
        expect(pages.map(({ entries }) => entries.length)).toEqual([1, 2, 3, 3]);
        expect(pages.map(({ more }) => more)).toEqual([true, true, false, false]);
      });

      test('has and counts only what the caller accepts', async () => {
        await addMany(6);
        const accepts = ({ record }: StoredEvent): boolean =>
          record.core.summary !== 'event1' && record.core.summary !== 'event5';
        expect(await ids({ accepts })).toEqual(['event0', 'event2', 'event3', 'event4']);
        expect(await list({ accepts, limit: 4 })).toMatchObject({ more: false });
        expect(await walk({ accepts, limit: 2 })).toEqual(['event0', 'event2', 'event3', 'event4']);
        expect(await list({ accepts: () => false, limit: 1 })).toMatchObject({ entries: [], more: false });
      });
    });

    describe('the order', () => {
      test('by position is that in which events came on the calendar, and stays while they change', async () => {
        const [first] = (await addMany(12)) as [EventRecord];
        const came = await put(withCopy(sampleEvent('came', { home: bob }), alice));
        const expected = [...Array.from({ length: 12 }, (_, index) => `event${index}`), 'came'];
        expect(await ids()).toEqual(expected);
        const positions = (await list()).entries.map(({ position }) => position);
        expect(positions).toEqual([...positions].sort((a, b) => a - b));
        for (const event of [came, first]) await rename(event, between(1, 2));
        const { entries } = await list();
        expect([idsOf(entries), entries.map(({ position }) => position)]).toEqual([expected, positions]);
        expect(entries.every((entry) => entry.at === 0)).toBe(true);
      });

      test('by position leads through pages without loss or repetition, whatever changes meanwhile', async () => {
        const events = await addMany(9);
        const meddle = (page: number) => rename(events[page] as EventRecord, between(page, page + 1));
        expect(await walk({ limit: 2 }, meddle)).toEqual(events.map((_, index) => `event${index}`));
        expect(
          await ids({ after: { position: (await list()).entries.at(-1)?.position as number, at: 0 } }),
        ).toEqual([]);
      });

      test("by start goes by the start in the calendar's zone, then by position", async () => {
        await putCalendar(calendars, sampleCalendar('honolulu', { timeZone: 'Pacific/Honolulu' }));
        for (const home of [alice, 'honolulu'])
          await putAll(home, {
            nine: between(9, 10),
            eight: between(8, 20),
            late: between(11, 12),
            day,
            nine2: between(9, 11),
          });
        expect(await ids({ order: 'start' })).toEqual(['day', 'eight', 'nine', 'nine2', 'late']);
        expect(await ids({ order: 'start' }, 'honolulu')).toEqual(['eight', 'nine', 'nine2', 'day', 'late']);
        expect(await walk({ order: 'start', limit: 1 })).toEqual(['day', 'eight', 'nine', 'nine2', 'late']);
        expect(await startsOf({ order: 'start' })).toEqual([0, 8, 9, 9, 11].map(at));
      });

      test('by start has the series that are found apart, all of them on every page', async () => {
        const unaccepted = { ...daily, summary: 'unaccepted' };
        await add(daily, between(1, 2), { ...daily, ...between(3, 4) }, between(5, 6), unaccepted);
        const accepts = ({ record }: StoredEvent): boolean => record.core.summary !== 'unaccepted';
        const query = { order: 'start', limit: 1, accepts } as const;
        const first = await list(query);
        const second = await list({ ...query, after: first.entries[0] as EventQuery['after'] & object });
        expect([idsOf(first.entries), first.more]).toEqual([['event1'], true]);
        expect([idsOf(second.entries), second.more]).toEqual([['event3'], false]);
        for (const { series } of [first, second]) expect(idsOf(series).sort()).toEqual(['event0', 'event2']);
        expect((await list()).series).toEqual([]);
      });

      test('by updated goes by the last change as the caller sees it, then by position', async () => {
        const [a, b, c] = (await addMany(4)) as [EventRecord, EventRecord, EventRecord];
        await rename(a, {}, stampAt(3));
        await change(b, (stored) => withCopy(stored, alice, {}, stampAt(2)));
        const viewers = { [bob]: { stamp: stampAt(9), own: {} } };
        await change(c, (stored) => withCopy(stored, alice, { viewers }, stored.copies[alice]?.stamp));
        const [forAlice, forBob] = [
          ['event2', 'event3', 'event1', 'event0'],
          ['event3', 'event1', 'event0', 'event2'],
        ];
        expect(await ids({ order: 'updated' })).toEqual(forAlice);
        expect(await ids({ order: 'updated', identity: bob })).toEqual(forBob);
        expect(await walk({ order: 'updated', limit: 1 })).toEqual(forAlice);
        expect(await startsOf({ order: 'updated' })).toEqual([0, 0, 2, 3].map(at));
      });
    });

    describe('a selection', () => {
      test('leaves out what shows as cancelled on this calendar, unless told', async () => {
        const [a, b, c] = (await addMany(4)) as [EventRecord, EventRecord, EventRecord];
        await rename(a, { status: 'cancelled' });
        await change(b, (stored) => withCopy(withCopy(stored, bob), alice, { state: 'removed' }));
        await change(c, (stored) => withCopy(stored, alice, { state: 'uninvited' }));
        expect(await ids({ cancelled: false })).toEqual(['event3']);
        expect(await ids({ cancelled: false }, bob)).toEqual(['event1']);
        expect(await ids({ cancelled: true })).toEqual(['event0', 'event1', 'event2', 'event3']);
      });

      test('by the last change includes that moment, and knows what the caller sees of the change', async () => {
        const [a, b, c, d] = (await addMany(4)) as [EventRecord, EventRecord, EventRecord, EventRecord];
        await rename(a, {}, stampAt(5));
        const viewers = { [bob]: { stamp: stampAt(5), own: {} } };
        await change(b, (stored) => withCopy(stored, alice, { viewers }));
        await rename(c, {}, stampAt(4));
        await change(d, (stored) => withCopy(stored, bob, {}, stampAt(6)));
        expect(await ids({ updatedMin: at(5) })).toEqual(['event0']);
        expect(await ids({ updatedMin: at(5), identity: bob })).toEqual(['event0', 'event1']);
        expect(await ids({ updatedMin: at(5) + 1 })).toEqual([]);
      });

      test('by the last change does not see guests come and go where they are hidden from the calendar', async () => {
        const event = await put(
          withCopy(sampleEvent('party', { core: { guestsCanSeeOtherGuests: false } }), bob),
        );
        const before = { alice: (await list()).revision, bob: (await list({}, bob)).revision };
        await change(event, (stored) => ({
          ...withCore(stored, { attendees: [{ email: carol }] }, stampAt(5)),
          openStamp: stored.openStamp,
        }));
        for (const [query, onBobs] of [
          [{ updatedMin: at(5) }, { updatedMin: at(5) }],
          [{ since: before.alice }, { since: before.bob }],
        ]) {
          expect(await ids(query)).toEqual(['party']);
          expect(await ids(onBobs, bob)).toEqual([]);
        }
        expect(await startsOf({ order: 'updated' }, bob)).toEqual([at(0)]);
      });

      test("by time has what touches it, neither end included, days in the calendar's zone", async () => {
        await putCalendar(calendars, sampleCalendar('kiritimati', { timeZone: 'Pacific/Kiritimati' }));
        for (const home of [alice, 'kiritimati'])
          await putAll(home, {
            early: between(8, 10),
            in: between(10, 11),
            over: between(1, 1000),
            late: between(12, 13),
            day,
            moment: between(11, 11),
            timeless: { start: undefined, end: undefined },
          });
        const noon = hours(10, 12);
        expect(await ids(noon)).toEqual(['in', 'over', 'day', 'moment']);
        expect(await ids(noon, 'kiritimati')).toEqual(['in', 'over', 'moment']);
        expect(await ids({ ...noon, order: 'start' })).toEqual(['day', 'over', 'in', 'moment']);
        expect(await ids(hours(-Infinity, 9))).toEqual(['early', 'over', 'day']);
        expect(await ids(hours(12.5, Infinity))).toEqual(['over', 'late', 'day']);
      });

      test('by time goes with an event that is moved', async () => {
        const [event] = (await addMany(2)) as [EventRecord];
        await rename(event, between(2000, 2001));
        expect(await ids(hours(12, 13))).toEqual(['event1']);
        expect(await ids(hours(2000, 2001))).toEqual(['event0']);
        expect(await ids({ order: 'start' })).toEqual(['event1', 'event0']);
      });

      test('by time has a series from its first occurrence to the end of its last', async () => {
        await add(daily, { recurrence: ['RRULE:FREQ=DAILY'] });
        const on = (from: number, to: number): Promise<string[]> => ids(hours(from, to));
        expect(await on(11, 12)).toEqual([]);
        expect(await on(12, 13)).toEqual(['event0', 'event1']);
        expect(await on(4 * 24 + 12, 4 * 24 + 13)).toEqual(['event0', 'event1']);
        expect(await on(4 * 24 + 13, 5 * 24)).toEqual(['event1']);
        expect(await on(400 * 24 + 12, 400 * 24 + 13)).toEqual(['event1']);
      });

      test('by iCalUID goes with every order', async () => {
        await add(
          { iCalUID: 'one' },
          { iCalUID: 'two', ...between(20, 21) },
          { iCalUID: 'two', ...between(5, 6) },
        );
        expect([await ids({ iCalUID: 'two' }), await ids({ iCalUID: 'two', order: 'start' })]).toEqual([
          ['event1', 'event2'],
          ['event2', 'event1'],
        ]);
        expect(await walk({ iCalUID: 'two', limit: 1 })).toEqual(['event1', 'event2']);
        expect(await ids({ iCalUID: 'none' })).toEqual([]);
      });
    });

    describe('what changed since a revision', () => {
      test('is each event once, by position, however often it changed', async () => {
        const [a, b, c] = (await addMany(4)) as [EventRecord, EventRecord, EventRecord];
        const { revision } = await list();
        expect(await ids({ since: revision })).toEqual([]);
        for (const event of [c, a, c]) await rename(event);
        await put(sampleEvent('new'));
        expect(await ids({ since: revision })).toEqual(['event0', 'event2', 'new']);
        expect(await walk({ since: revision, limit: 1 })).toEqual(['event0', 'event2', 'new']);
        const next = (await list({ since: revision })).revision;
        expect(await ids({ since: next })).toEqual([]);
        await rename(b, { status: 'cancelled' });
        expect(await ids({ since: next })).toEqual(['event1']);
        expect(await ids({ since: next, cancelled: false })).toEqual([]);
      });

      test('is what this calendar shows otherwise: the core, its own copy, to a user what that user keeps there; not another copy', async () => {
        const event = await put(withCopy(sampleEvent('lunch'), bob));
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
          const [own, bobs] = [(await list()).revision, (await list({}, bob)).revision];
          await change(event, step);
          const news = [
            [onAlices, await ids({ since: own, identity: alice })],
            [onBobs, await ids({ since: bobs, identity: bob }, bob)],
            [onBobsToCarol, await ids({ since: bobs, identity: carol }, bob)],
          ] as const;
          expect(news.flatMap(([who, found]) => (found.length > 0 ? [who] : []))).toEqual(expected);
        }
      });

      test('goes on from where a list of any order or size was', async () => {
        await addMany(3);
        const queries = [
          { limit: 1 },
          { order: 'updated' },
          { order: 'start' },
          { iCalUID: 'none' },
        ] as const;
        for (const query of queries) {
          const { revision } = await list(query);
          const event = await put(sampleEvent(`new${Object.values(query).join()}`));
          expect(await ids({ since: revision })).toEqual(idsOf([{ record: event }]));
        }
      });

      test('can be seen by the states of calendars: another revision stands for more changes, the same one for none', async () => {
        const refs = [{ id: bob }, { id: 'none' }, { primaryOf: alice }, { id: bob }];
        const states = await store.calendarStates(refs);
        const [found, primary] = [sampleCalendar(bob), sampleCalendar(alice)];
        expect(states.map((state) => state?.calendar)).toEqual([found, undefined, primary, found]);
        expect(states[0]?.revision).toBe((await list({}, bob)).revision);
        expect(states[2]?.revision).toBe((await list()).revision);
        await addMany(1);
        const later = await store.calendarStates(refs);
        const isSame = later.map((state, index) => state?.revision === states[index]?.revision);
        expect(isSame).toEqual([true, true, false, true]);
        expect(await ids({ since: states[2]?.revision })).toEqual(['event0']);
        expect(await ids({ since: later[2]?.revision })).toEqual([]);
        expect(await store.calendarStates([])).toEqual([]);
      });

      test('begins with what the query is made of: the calendar as it is, or none', async () => {
        const seen: unknown[] = [];
        const throwing = (state: CalendarState | undefined): EventQuery => {
          seen.push(state?.calendar);
          throw new Error('refused');
        };
        for (const ref of [{ id: 'none' }, { primaryOf: 'none' }, { id: bob }])
          await expect(store.listCalendar(ref, throwing)).rejects.toThrow('refused');
        await list({}, bob);
        await expect(store.listCalendar({ id: bob }, throwing)).rejects.toThrow('refused');
        expect(new Set(seen)).toEqual(new Set([undefined, sampleCalendar(bob)]));
      });

      test('is unknown for a revision that no store gave out, also for a page that goes on', async () => {
        const { revision } = await list();
        for (const foreign of ['', 'nonsense', '-1', '1', 'x.y', `${revision}x`]) {
          expect(await list({ since: foreign })).toBeUndefined();
          expect(await list({ revision: foreign })).toBeUndefined();
        }
        expect(await list({ since: revision, revision })).toMatchObject({ entries: [], more: false });
      });
    });
  });
}
