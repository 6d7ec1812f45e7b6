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
  change,
  daily,
  idsOf,
  list as listOf,
  put,
  sampleCalendar,
  sampleEvent,
  stampAt,
  withCopy,
  withCore,
  type Listed,
  type MakeEventStores,
  putCalendar,
} from './event-samples.ts';
import { startOfTime } from './samples.ts';

/** What every event store promises of the lists of a calendar's events, whatever keeps them. */
export function eventListContract(name: string, makeStores: MakeEventStores): void {
  describe(`${name} as a list of events`, () => {
    let calendars: CalendarStore;
    let store: EventStore;
    beforeEach(async () => {
      ({ calendars, events: store } = await makeStores(() => startOfTime));
      for (const id of [alice, bob, carol]) await putCalendar(calendars, sampleCalendar(id));
    });

    const list = (query: Partial<EventQuery> = {}, calendarId?: string): Promise<Listed> =>
      listOf(store, query, calendarId);
    const ids = async (query: Partial<EventQuery> = {}, calendarId: string = alice): Promise<string[]> =>
      idsOf((await list(query, calendarId)).entries, calendarId);
    /** Puts events on Alice's calendar that differ in what is given. */
    const add = async (...cores: readonly EventBody[]): Promise<EventRecord[]> => {
      const events: EventRecord[] = [];
      for (const [index, core] of cores.entries())
        events.push(await put(store, sampleEvent(`event${index}`, { core })));
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
      const query: Partial<EventQuery> = { order: 'start', between: { from: at(0), to: at(10) } };
      let moved: Promise<unknown> | undefined;
      const accepts = (): boolean => {
        moved ??= change(store, events[1] as EventRecord, (stored) =>
          withCore(stored, { ...stored.core, ...between(50, 51) }),
        );
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
        await put(store, sampleEvent('other', { home: bob }));
        const shared = await put(store, withCopy(sampleEvent('shared', { home: bob }), alice));
        const now = await change(store, shared, (stored) => withCore(stored, { summary: 'now' }));
        expect((await list()).entries.map(({ record }) => record)).toEqual([now]);
      });

      test('has as many as asked for, and says whether there are more', async () => {
        await addMany(3);
        const pages = await Promise.all([1, 2, 3, 4].map((limit) => list({ limit })));
        expect(pages.map(({ entries, more }) => [entries.length, more])).toEqual([
          [1, true],
          [2, true],
          [3, false],
          [3, false],
        ]);
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
        const came = await put(store, withCopy(sampleEvent('came', { home: bob }), alice));
        const expected = [...Array.from({ length: 12 }, (_, index) => `event${index}`), 'came'];
        expect(await ids()).toEqual(expected);
        const positions = (await list()).entries.map(({ position }) => position);
        expect(positions).toEqual([...positions].sort((a, b) => a - b));
        for (const event of [came, first])
          await change(store, event, (stored) => withCore(stored, { ...between(1, 2) }));
        const { entries } = await list();
        expect([idsOf(entries), entries.map(({ position }) => position)]).toEqual([expected, positions]);
        expect(entries.every((entry) => entry.at === 0)).toBe(true);
      });

      test('by position leads through pages without loss or repetition, whatever changes meanwhile', async () => {
        const events = await addMany(9);
        const meddle = (page: number): Promise<unknown> =>
          change(store, events[page] as EventRecord, (stored) => withCore(stored, between(page, page + 1)));
        expect(await walk({ limit: 2 }, meddle)).toEqual(events.map((_, index) => `event${index}`));
        expect(
          await ids({ after: { position: (await list()).entries.at(-1)?.position as number, at: 0 } }),
        ).toEqual([]);
      });

      test("by start goes by the start in the calendar's zone, then by position", async () => {
        await putCalendar(calendars, sampleCalendar('honolulu', { timeZone: 'Pacific/Honolulu' }));
        const day = { start: { date: '2030-01-01' }, end: { date: '2030-01-02' } };
        for (const home of [alice, 'honolulu']) {
          for (const [id, core] of [
            ['nine', between(9, 10)],
            ['eight', between(8, 20)],
            ['late', between(11, 12)],
            ['day', day],
            ['nine2', between(9, 11)],
          ] as const) {
            await put(store, sampleEvent(id, { home, core }));
          }
        }
        expect(await ids({ order: 'start' })).toEqual(['day', 'eight', 'nine', 'nine2', 'late']);
        expect(await ids({ order: 'start' }, 'honolulu')).toEqual(['eight', 'nine', 'nine2', 'day', 'late']);
        expect(await walk({ order: 'start', limit: 1 })).toEqual(['day', 'eight', 'nine', 'nine2', 'late']);
        expect((await list({ order: 'start' })).entries.map((entry) => entry.at)).toEqual(
          [0, 8, 9, 9, 11].map(at),
        );
      });

      test('by start has the series that are found apart, all of them on every page', async () => {
        await add(daily, between(1, 2), { ...daily, ...between(3, 4) }, between(5, 6), {
          ...daily,
          summary: 'unaccepted',
        });
        const accepts = ({ record }: StoredEvent): boolean => record.core.summary !== 'unaccepted';
        const first = await list({ order: 'start', limit: 1, accepts });
        const second = await list({
          order: 'start',
          limit: 1,
          accepts,
          after: first.entries[0] as EventQuery['after'] & object,
        });
        expect([idsOf(first.entries), first.more, idsOf(second.entries), second.more]).toEqual([
          ['event1'],
          true,
          ['event3'],
          false,
        ]);
        for (const { series } of [first, second]) expect(idsOf(series).sort()).toEqual(['event0', 'event2']);
        expect((await list()).series).toEqual([]);
      });

      test('by updated goes by the last change as the caller sees it, then by position', async () => {
        const [a, b, c] = (await addMany(4)) as [EventRecord, EventRecord, EventRecord];
        await change(store, a, (stored) => withCore(stored, {}, stampAt(3)));
        await change(store, b, (stored) => withCopy(stored, alice, {}, stampAt(2)));
        const viewers = { [bob]: { stamp: stampAt(9), own: {} } };
        await change(store, c, (stored) => ({
          ...withCopy(stored, alice, { viewers }, stored.copies[alice]?.stamp),
        }));
        expect(await ids({ order: 'updated' })).toEqual(['event2', 'event3', 'event1', 'event0']);
        expect(await ids({ order: 'updated', identity: bob })).toEqual([
          'event3',
          'event1',
          'event0',
          'event2',
        ]);
        expect(await walk({ order: 'updated', limit: 1 })).toEqual(['event2', 'event3', 'event1', 'event0']);
        expect((await list({ order: 'updated' })).entries.map((entry) => entry.at)).toEqual(
          [0, 0, 2, 3].map(at),
        );
      });
    });

    describe('a selection', () => {
      test('leaves out what shows as cancelled on this calendar, unless told', async () => {
        const [a, b, c] = (await addMany(4)) as [EventRecord, EventRecord, EventRecord];
        await change(store, a, (stored) => withCore(stored, { status: 'cancelled' }));
        await change(store, b, (stored) => withCopy(withCopy(stored, bob), alice, { state: 'removed' }));
        await change(store, c, (stored) => withCopy(stored, alice, { state: 'uninvited' }));
        expect(await ids({ cancelled: false })).toEqual(['event3']);
        expect(await ids({ cancelled: false }, bob)).toEqual(['event1']);
        expect(await ids({ cancelled: true })).toEqual(['event0', 'event1', 'event2', 'event3']);
      });

      test('by the last change includes that moment, and knows what the caller sees of the change', async () => {
        const [a, b, c, d] = (await addMany(4)) as [EventRecord, EventRecord, EventRecord, EventRecord];
        await change(store, a, (stored) => withCore(stored, {}, stampAt(5)));
        await change(store, b, (stored) =>
          withCopy(stored, alice, { viewers: { [bob]: { stamp: stampAt(5), own: {} } } }),
        );
        await change(store, c, (stored) => withCore(stored, {}, stampAt(4)));
        await change(store, d, (stored) => withCopy(stored, bob, {}, stampAt(6)));
        expect(await ids({ updatedMin: at(5) })).toEqual(['event0']);
        expect(await ids({ updatedMin: at(5), identity: bob })).toEqual(['event0', 'event1']);
        expect(await ids({ updatedMin: at(5) + 1 })).toEqual([]);
      });

      test('by the last change does not see guests come and go where they are hidden from the calendar', async () => {
        const event = await put(
          store,
          withCopy(sampleEvent('party', { core: { guestsCanSeeOtherGuests: false } }), bob),
        );
        const before = { alice: (await list()).revision, bob: (await list({}, bob)).revision };
        await change(store, event, (stored) => ({
          ...withCore(stored, { attendees: [{ email: carol }] }, stampAt(5)),
          openStamp: stored.openStamp,
        }));
        expect([await ids({ updatedMin: at(5) }), await ids({ updatedMin: at(5) }, bob)]).toEqual([
          ['party'],
          [],
        ]);
        expect([await ids({ since: before.alice }), await ids({ since: before.bob }, bob)]).toEqual([
          ['party'],
          [],
        ]);
        expect((await list({ order: 'updated' }, bob)).entries.map((entry) => entry.at)).toEqual([at(0)]);
      });

      test("by time has what touches it, neither end included, days in the calendar's zone", async () => {
        await putCalendar(calendars, sampleCalendar('kiritimati', { timeZone: 'Pacific/Kiritimati' }));
        const day = { start: { date: '2030-01-01' }, end: { date: '2030-01-02' } };
        for (const home of [alice, 'kiritimati']) {
          for (const [id, core] of [
            ['early', between(8, 10)],
            ['in', between(10, 11)],
            ['over', between(1, 1000)],
            ['late', between(12, 13)],
            ['day', day],
            ['moment', between(11, 11)],
            ['timeless', { start: undefined, end: undefined }],
          ] as const) {
            await put(store, sampleEvent(id, { home, core }));
          }
        }
        expect(await ids({ between: { from: at(10), to: at(12) } })).toEqual(['in', 'over', 'day', 'moment']);
        expect(await ids({ between: { from: at(10), to: at(12) } }, 'kiritimati')).toEqual([
          'in',
          'over',
          'moment',
        ]);
        expect(await ids({ between: { from: -Infinity, to: at(9) } })).toEqual(['early', 'over', 'day']);
        expect(await ids({ between: { from: at(12.5), to: Infinity } })).toEqual(['over', 'late', 'day']);
        expect(await ids({ between: { from: at(10), to: at(12) }, order: 'start' })).toEqual([
          'day',
          'over',
          'in',
          'moment',
        ]);
      });

      test('by time goes with an event that is moved', async () => {
        const [event] = (await addMany(2)) as [EventRecord];
        await change(store, event, (stored) => withCore(stored, between(2000, 2001)));
        expect(await ids({ between: { from: at(12), to: at(13) } })).toEqual(['event1']);
        expect(await ids({ between: { from: at(2000), to: at(2001) } })).toEqual(['event0']);
        expect(await ids({ order: 'start' })).toEqual(['event1', 'event0']);
      });

      test('by time has a series from its first occurrence to the end of its last', async () => {
        await add(daily, { recurrence: ['RRULE:FREQ=DAILY'] });
        const on = (from: number, to: number): Promise<string[]> =>
          ids({ between: { from: at(from), to: at(to) } });
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
        for (const event of [c, a, c])
          await change(store, event, (stored) => withCore(stored, { summary: 'changed' }));
        await put(store, sampleEvent('new'));
        expect(await ids({ since: revision })).toEqual(['event0', 'event2', 'new']);
        expect(await walk({ since: revision, limit: 1 })).toEqual(['event0', 'event2', 'new']);
        const next = (await list({ since: revision })).revision;
        expect(await ids({ since: next })).toEqual([]);
        await change(store, b, (stored) => withCore(stored, { status: 'cancelled' }));
        expect([await ids({ since: next }), await ids({ since: next, cancelled: false })]).toEqual([
          ['event1'],
          [],
        ]);
      });

      test('is what this calendar shows otherwise: the core, its own copy, to a user what that user keeps there; not another copy', async () => {
        const event = await put(store, withCopy(sampleEvent('lunch'), bob));
        const revisions = async () => ({
          alice: (await list()).revision,
          bob: (await list({}, bob)).revision,
        });
        /** As alice sees her calendar, as bob sees his, and as carol sees bob's. */
        const changed = async ({
          alice: a,
          bob: b,
        }: Awaited<ReturnType<typeof revisions>>): Promise<boolean[]> => [
          (await ids({ since: a, identity: alice })).length > 0,
          (await ids({ since: b, identity: bob }, bob)).length > 0,
          (await ids({ since: b, identity: carol }, bob)).length > 0,
        ];
        const steps: [(stored: EventRecord) => EventRecord, boolean[]][] = [
          [(stored) => withCore(stored, { summary: 'x' }), [true, true, true]],
          [(stored) => withCopy(stored, bob, { own: { colorId: '1' } }), [false, true, true]],
          [
            (stored) =>
              withCopy(
                stored,
                bob,
                { viewers: { [bob]: { stamp: stampAt(), own: { reminders: {} } } } },
                stored.copies[bob]?.stamp,
              ),
            [false, true, false],
          ],
          [(stored) => withCopy(stored, alice, { state: 'removed' }), [true, false, false]],
          [(stored) => withCopy(stored, carol), [false, false, false]],
        ];
        for (const [step, expected] of steps) {
          const before = await revisions();
          await change(store, event, step);
          expect(await changed(before)).toEqual(expected);
        }
      });

      test('goes on from where a list of any order or size was', async () => {
        await addMany(3);
        for (const query of [
          { limit: 1 },
          { order: 'updated' },
          { order: 'start' },
          { iCalUID: 'none' },
        ] as const) {
          const { revision } = await list(query);
          const event = await put(store, sampleEvent(`new${Object.values(query).join()}`));
          expect(await ids({ since: revision })).toEqual(idsOf([{ record: event }]));
        }
      });

      test('can be seen by the states of calendars: another revision stands for more changes, the same one for none', async () => {
        const refs = [{ id: bob }, { id: 'none' }, { primaryOf: alice }, { id: bob }];
        const states = await store.calendarStates(refs);
        expect(states.map((state) => state?.calendar)).toEqual([
          sampleCalendar(bob),
          undefined,
          sampleCalendar(alice),
          sampleCalendar(bob),
        ]);
        expect([states[0]?.revision, states[2]?.revision]).toEqual([
          (await list({}, bob)).revision,
          (await list()).revision,
        ]);
        await addMany(1);
        const later = await store.calendarStates(refs);
        expect(later.map((state, index) => state?.revision === states[index]?.revision)).toEqual([
          true,
          true,
          false,
          true,
        ]);
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
          expect(await list({ knows: foreign })).toBeUndefined();
        }
        expect(await list({ since: revision, knows: revision })).toMatchObject({ entries: [], more: false });
      });
    });
  });
}
