import type { EventPage } from '../../src/event/event.store.ts';
import type { MakeEventStore } from './event-store.contract.ts';
import {
  at, change, eventAt, newStamp, sampleCalendar, sampleEvent, startOfTime, type SampleEvent, type SampleStore,
} from './event-store.samples.ts';

/** What every event store promises of its lists, whatever keeps the events. */
export function eventListContract(name: string, makeStore: MakeEventStore): void {
  describe(`${name} as a list of events`, () => {
    let store: SampleStore;
    beforeEach(async () => {
      store = await makeStore(() => startOfTime);
      for (const id of ['work', 'home']) await store.addCalendar(sampleCalendar(id));
    });

    const insert = async (...ids: readonly string[]): Promise<void> => {
      for (const id of ids) await store.insertEvent(sampleEvent(id, ['work']));
    };

    async function list(query: { since?: string; after?: number; limit?: number } = {}, calendarId = 'work') {
      const page = await store.listEvents({ calendarId, limit: 100, ...query });
      if (!page) throw new Error('no page');
      return page;
    }
    const keys = ({ entries }: EventPage<SampleEvent>): string[] => entries.map(({ record }) => record.title);
    const lastOf = ({ entries }: EventPage<SampleEvent>): number => entries.at(-1)?.position ?? -1;

    test('has the events in the order in which they came, each calendar its own', async () => {
      await insert('c', 'a', 'b');
      await store.insertEvent(sampleEvent('shared', ['home', 'work']));
      expect(keys(await list())).toEqual(['c', 'a', 'b', 'shared']);
      expect(keys(await list({}, 'home'))).toEqual(['shared']);
      expect(await list({}, 'empty')).toMatchObject({ entries: [], more: false });
    });

    test('comes in pages that miss nothing and repeat nothing', async () => {
      const ids = Array.from({ length: 25 }, (_, index) => `e${index}`);
      await insert(...ids);
      const found: string[] = [];
      let after: number | undefined;
      for (let page = await list({ limit: 10 }); ; page = await list({ limit: 10, after })) {
        found.push(...keys(page));
        after = lastOf(page);
        if (!page.more) break;
      }
      expect(found).toEqual(ids);
    });

    test.each([
      [2, 2, true],
      [3, 3, false],
      [4, 3, false],
    ])('of 3 events, %i at most: %i, and whether there are more: %p', async (limit, length, more) => {
      await insert('a', 'b', 'c');
      const page = await list({ limit });
      expect([page.entries.length, page.more]).toEqual([length, more]);
    });

    test('ends behind the last position', async () => {
      await insert('a', 'b');
      expect(await list({ after: lastOf(await list()) })).toMatchObject({ entries: [], more: false });
    });

    test('keeps an event at its position, whatever changes and whatever comes', async () => {
      await insert('a', 'b');
      const before = await list();
      await change(store, at('work', 'a'), { count: 1 });
      await insert('c');
      const after = await list();
      expect(after.entries.slice(0, 2).map(({ position }) => position)).toEqual(before.entries.map(({ position }) => position));
      expect(after.entries[0]?.record.count).toBe(1);
      expect(keys(await list({ after: lastOf(before) }))).toEqual(['c']);
    });

    test('has an event that was added to a calendar behind those that were there', async () => {
      await store.insertEvent(sampleEvent('old', ['home']));
      await insert('a');
      await store.updateEvent(at('home', 'old'), (current) => ({
        next: { ...current, copies: { ...current.copies, work: { id: 'old', stamp: newStamp() } } },
        result: true,
      }));
      expect(keys(await list())).toEqual(['a', 'old']);
    });

    describe('since a mark', () => {
      test('has what changed after it, each event once, as it is now', async () => {
        await insert('a', 'b', 'c');
        const { mark } = await list();
        await change(store, at('work', 'b'), { count: 1 });
        await change(store, at('work', 'b'), { count: 2 });
        await insert('d');
        const changed = await list({ since: mark });
        expect(changed.entries.map(({ record }) => [record.title, record.count])).toEqual([['b', 2], ['d', 0]]);
      });

      test('has nothing when nothing changed, and the mark stays good', async () => {
        await insert('a');
        const { mark } = await list();
        const nothing = await list({ since: mark });
        expect(nothing).toMatchObject({ entries: [], more: false });
        await insert('b');
        expect(keys(await list({ since: nothing.mark }))).toEqual(['b']);
        expect(keys(await list({ since: mark }))).toEqual(['b']);
      });

      test('of an empty calendar has all that came later', async () => {
        const { mark } = await list();
        await insert('a');
        expect(keys(await list({ since: mark }))).toEqual(['a']);
      });

      test('comes in pages, in the order in which the events came', async () => {
        await insert('a', 'b', 'c', 'd');
        const { mark } = await list();
        for (const id of ['d', 'b', 'c']) await change(store, at('work', id), { count: 1 });
        const first = await list({ since: mark, limit: 2 });
        expect([keys(first), first.more]).toEqual([['b', 'c'], true]);
        const second = await list({ since: mark, limit: 2, after: lastOf(first) });
        expect([keys(second), second.more]).toEqual([['d'], false]);
      });

      test('counts a change of one copy on its own calendar only, a shared one on all', async () => {
        const both = sampleEvent('both', ['work', 'home']);
        await store.insertEvent(both);
        const marks = { work: (await list()).mark, home: (await list({}, 'home')).mark };
        const changedOn = async () => [
          keys(await list({ since: marks.work })).length,
          keys(await list({ since: marks.home }, 'home')).length,
        ];
        await store.updateEvent(at('work', 'both'), (current) => {
          const next = structuredClone(current);
          return { next: { ...next, copies: { ...next.copies, work: { id: 'both', stamp: newStamp() } } }, result: true };
        });
        expect(await changedOn()).toEqual([1, 0]);
        await change(store, at('work', 'both'), { title: 'both' });
        expect(await changedOn()).toEqual([1, 1]);
      });

      test('still has every event after thousands of changes of one', async () => {
        await insert('a', 'b', 'c');
        const { mark } = await list();
        await change(store, at('work', 'c'), { count: 1 });
        const between = (await list()).mark;
        for (let count = 1; count <= 2000; count += 1) await change(store, at('work', 'a'), { count });
        const changed = await list({ since: mark });
        expect(changed.entries.map(({ record }) => [record.title, record.count])).toEqual([['a', 2000], ['c', 1]]);
        expect(keys(await list({ since: between }))).toEqual(['a']);
      });

      test.each(['', 'nonsense', '.', '-1', '1e9', 'x.0', 'x.1', ' ', '\u0000', '9'.repeat(100)])(
        '%j, which no page had, has no answer',
        async (since) => {
          await insert('a');
          expect(await store.listEvents({ calendarId: 'work', since, limit: 10 })).toBeUndefined();
        },
      );
    });

    test('has nothing of an insert or update that failed', async () => {
      await insert('a');
      const { mark } = await list();
      await store.insertEvent(sampleEvent('a', ['work', 'home'], { key: 'another' }));
      const refused = store.updateEvent(at('work', 'a'), () => {
        throw new Error('refused');
      });
      await expect(refused).rejects.toThrow('refused');
      expect(await list({ since: mark })).toMatchObject({ entries: [], mark });
      expect(await eventAt(store, at('home', 'a'))).toBeUndefined();
    });
  });
}
