import type { Clock } from '../../src/core/clock.ts';
import type { EventStore } from '../../src/event/event.store.ts';
import { PlaceTakenError } from '../../src/event/event.store.ts';
import {
  at, change, day, eventAt, markOf, newStamp, sampleCalendar, sampleEvent, startOfTime, vandalise, type SampleEvent,
  type SampleStore,
} from './event-store.samples.ts';

/** Makes an empty store that tells the time by `clock`. */
export type MakeEventStore = (clock: Clock) => EventStore<SampleEvent> | Promise<EventStore<SampleEvent>>;

/** What every event store promises beside its lists, whatever keeps the events. */
export function eventStoreContract(name: string, makeStore: MakeEventStore): void {
  describe(`${name} as an event store`, () => {
    let now: number;
    let store: SampleStore;
    beforeEach(async () => {
      now = startOfTime;
      store = await makeStore(() => now);
      for (const id of ['work', 'home']) await store.addCalendar(sampleCalendar(id));
    });

    describe('calendars', () => {
      test('come in the order asked, as often as asked, undefined where there is none', async () => {
        const found = await store.calendars(['home', 'nowhere', 'work', 'home', 'toString', '__proto__']);
        expect(found).toEqual([
          sampleCalendar('home'), undefined, sampleCalendar('work'), sampleCalendar('home'), undefined, undefined,
        ]);
        expect(await store.calendars([])).toEqual([]);
      });

      test('of an owner: the first one that was added', async () => {
        await store.addCalendar(sampleCalendar('second', { owner: 'work@example.com' }));
        const found = await store.primaries(['home@example.com', 'nobody@example.com', 'work@example.com', 'constructor']);
        expect(found.map((calendar) => calendar?.id)).toEqual(['home', undefined, 'work', undefined]);
      });

      test('are found whichever case their owner was written in', async () => {
        await store.addCalendar(sampleCalendar('ada', { owner: 'Ada.L@Example.COM' }));
        await store.addCalendar(sampleCalendar('later', { owner: 'ada.l@example.com' }));
        expect((await store.primaries(['ada.l@example.com']))[0]).toEqual(sampleCalendar('ada', { owner: 'Ada.L@Example.COM' }));
      });

      test('are no live references, neither the given nor the found', async () => {
        const given = sampleCalendar('live');
        await store.addCalendar(given);
        vandalise(given);
        vandalise((await store.calendars(['live']))[0]);
        vandalise((await store.primaries(['live@example.com']))[0]);
        expect(await store.calendars(['live'])).toEqual([sampleCalendar('live')]);
        expect(await store.primaries(['live@example.com'])).toEqual([sampleCalendar('live')]);
      });
    });

    describe('events', () => {
      test('come in the order asked, undefined where there is none', async () => {
        const [one, two] = [sampleEvent('one', ['work']), sampleEvent('two', ['work', 'home'])];
        await store.insertEvent(one);
        await store.insertEvent(two);
        const places = [at('home', 'two'), at('home', 'one'), at('work', 'one'), at('nowhere', 'one'), at('work', 'two')];
        expect(await store.events(places)).toEqual([two, undefined, one, undefined, two]);
        expect(await store.events([at('work', 'toString'), at('__proto__', 'one'), at('work', '')])).toEqual([
          undefined, undefined, undefined,
        ]);
        expect(await store.events([])).toEqual([]);
      });

      test('keep every key and character of their content', async () => {
        await store.insertEvent(sampleEvent('odd', ['work']));
        const found = await eventAt(store, at('work', 'odd'));
        expect(Object.entries(found?.details.map ?? {}).sort()).toEqual([
          ['__proto__', 'kept'], ['constructor', 'kept'], ['ключ 🙂', 'значение'],
        ]);
      });

      test('are no live references: what was put in', async () => {
        const given = sampleEvent('live', ['work']);
        const expected = structuredClone(given);
        const mark = markOf('live');
        await store.insertEvent(given, mark);
        vandalise(given);
        expect(await eventAt(store, at('work', 'live'))).toEqual(expected);
        const again = await store.insertEvent(sampleEvent('live', ['work']), markOf('live'));
        expect(again).toEqual({ kind: 'replayed', record: expected });
      });

      test('are no live references: what came out', async () => {
        const expected = sampleEvent('live', ['work']);
        const outcome = await store.insertEvent(structuredClone(expected), markOf('live'));
        vandalise(outcome.kind === 'inserted' && outcome.record);
        vandalise(await eventAt(store, at('work', 'live')));
        vandalise((await store.listEvents({ calendarId: 'work', limit: 1 }))?.entries[0]?.record);
        const replayed = await store.insertEvent(expected, markOf('live'));
        vandalise(replayed.kind === 'replayed' && replayed.record);
        await store.updateEvent(at('work', 'live'), (current) => {
          vandalise(current);
          return { next: current, result: true };
        });
        expect(await eventAt(store, at('work', 'live'))).toEqual(expected);
        expect(await store.insertEvent(expected, markOf('live'))).toEqual({ kind: 'replayed', record: expected });
      });

      test('are handed out frozen: who writes to one is told at once', async () => {
        await store.insertEvent(sampleEvent('frozen', ['work']));
        const found = (await eventAt(store, at('work', 'frozen'))) as unknown as { details: { tags: string[]; map: object } };
        expect(() => found.details.tags.push('c')).toThrow(TypeError);
        expect(() => Object.assign(found.details.map, { new: 'entry' })).toThrow(TypeError);
      });
    });

    describe('an insert', () => {
      test('tells what it stored', async () => {
        const record = sampleEvent('new', ['work', 'home']);
        expect(await store.insertEvent(record)).toEqual({ kind: 'inserted', record });
        expect(await eventAt(store, at('home', 'new'))).toEqual(record);
      });

      test('of an identifier in use is taken, and stores nothing', async () => {
        const first = sampleEvent('same', ['work']);
        await store.insertEvent(first);
        const second = sampleEvent('same', ['home', 'work'], { key: 'another', title: 'second' });
        expect(await store.insertEvent(second, markOf('retry'))).toEqual({ kind: 'taken' });
        expect(await store.events([at('work', 'same'), at('home', 'same')])).toEqual([first, undefined]);
        expect(await store.insertEvent(first)).toEqual({ kind: 'taken' });
      });

      test('is taken by a copy on another calendar too', async () => {
        await store.insertEvent(sampleEvent('shared', ['work', 'home']));
        const record = sampleEvent('shared', ['home'], { key: 'another' });
        expect(await store.insertEvent(record)).toEqual({ kind: 'taken' });
        expect(await store.insertEvent(sampleEvent('shared', ['garden'], { key: 'another' }))).toMatchObject({ kind: 'inserted' });
      });

      test('that was taken leaves its request id free', async () => {
        await store.insertEvent(sampleEvent('same', ['work']));
        await store.insertEvent(sampleEvent('same', ['work'], { key: 'another' }), markOf('retry'));
        expect(await store.insertEvent(sampleEvent('free', ['work']), markOf('retry', 'other input'))).toMatchObject({
          kind: 'inserted',
        });
      });

      test('sent again gives what was stored then, even after it was changed', async () => {
        const first = sampleEvent('new', ['work']);
        await store.insertEvent(first, markOf('retry'));
        await change(store, at('work', 'new'), { title: 'changed' });
        const again = sampleEvent('other id', ['work'], { key: 'another' });
        expect(await store.insertEvent(again, markOf('retry'))).toEqual({ kind: 'replayed', record: first });
        expect(await eventAt(store, at('work', 'other id'))).toBeUndefined();
        expect(await eventAt(store, at('work', 'new'))).toMatchObject({ title: 'changed' });
      });

      test('with a request id of another input is refused, and stores nothing', async () => {
        await store.insertEvent(sampleEvent('new', ['work']), markOf('retry', 'input'));
        const other = sampleEvent('other', ['work']);
        expect(await store.insertEvent(other, markOf('retry', 'other input'))).toEqual({ kind: 'reused' });
        expect(await eventAt(store, at('work', 'other'))).toBeUndefined();
        expect(await store.insertEvent(other, markOf('another retry', 'input'))).toMatchObject({ kind: 'inserted' });
      });

      test('is remembered to the last millisecond of its mark, and no longer', async () => {
        await store.insertEvent(sampleEvent('new', ['work']), markOf('retry'));
        now = startOfTime + day - 1;
        expect(await store.insertEvent(sampleEvent('b', ['work']), markOf('retry'))).toMatchObject({ kind: 'replayed' });
        now = startOfTime + day;
        const next = sampleEvent('c', ['work']);
        expect(await store.insertEvent(next, markOf('retry', 'other', now + day))).toEqual({ kind: 'inserted', record: next });
        now = startOfTime + 2 * day - 1;
        expect(await store.insertEvent(sampleEvent('d', ['work']), markOf('retry', 'other', now + day))).toEqual({
          kind: 'replayed', record: next,
        });
      });

      test('is forgotten in time, although an older mark lasts longer', async () => {
        await store.insertEvent(sampleEvent('long', ['work']), markOf('long', 'input', startOfTime + 2 * day));
        await store.insertEvent(sampleEvent('short', ['work']), markOf('short', 'input', startOfTime + day));
        now = startOfTime + day;
        expect(await store.insertEvent(sampleEvent('next', ['work']), markOf('short', 'other'))).toMatchObject({ kind: 'inserted' });
        expect(await store.insertEvent(sampleEvent('none', ['work']), markOf('long', 'other'))).toEqual({ kind: 'reused' });
      });

      test('sent 1,000 times at once is stored once', async () => {
        const outcomes = await Promise.all(
          Array.from({ length: 1000 }, (_, index) =>
            store.insertEvent(sampleEvent(`try ${index}`, ['work']), markOf('retry'))),
        );
        const records = outcomes.map((outcome) => ('record' in outcome ? outcome.record.key : outcome.kind));
        expect(new Set(records).size).toBe(1);
        expect(outcomes.filter(({ kind }) => kind === 'inserted')).toHaveLength(1);
        expect((await store.listEvents({ calendarId: 'work', limit: 10 }))?.entries).toHaveLength(1);
      });

      test('of one identifier by 100 at once succeeds for one', async () => {
        const outcomes = await Promise.all(
          Array.from({ length: 100 }, (_, index) => store.insertEvent(sampleEvent('wanted', ['work'], { key: `key ${index}` }))),
        );
        expect(outcomes.filter(({ kind }) => kind === 'inserted')).toHaveLength(1);
        expect(outcomes.filter(({ kind }) => kind === 'taken')).toHaveLength(99);
      });
    });

    describe('an update', () => {
      const place = at('work', 'event');
      let before: SampleEvent;
      beforeEach(async () => {
        before = sampleEvent('event', ['work', 'home']);
        await store.insertEvent(structuredClone(before));
      });

      test('shows on every calendar of the event, and gives what it decided', async () => {
        const coreStamp = newStamp();
        expect(await change(store, at('home', 'event'), { title: 'changed', coreStamp })).toBe('changed');
        const after = { ...before, title: 'changed', coreStamp };
        expect(await store.events([place, at('home', 'event')])).toEqual([after, after]);
      });

      test('decides on the newest record', async () => {
        await change(store, place, { title: 'first' });
        const seen = await store.updateEvent(place, (current) => ({ next: current, result: current.title }));
        expect(seen).toBe('first');
      });

      test('of an event that is not there decides nothing', async () => {
        let decided = 0;
        const decide = (current: SampleEvent) => ({ next: current, result: (decided += 1) });
        expect(await store.updateEvent(at('work', 'nothing'), decide)).toBeUndefined();
        expect(await store.updateEvent(at('nowhere', 'event'), decide)).toBeUndefined();
        expect(decided).toBe(0);
      });

      test('that is refused stores nothing, and the refusal comes through', async () => {
        const refusal = new Error('not allowed');
        const refused = store.updateEvent(place, () => {
          throw refusal;
        });
        await expect(refused).rejects.toBe(refusal);
        expect(await eventAt(store, place)).toEqual(before);
      });

      test('to the same record stores nothing and still answers', async () => {
        const mark = (await store.listEvents({ calendarId: 'work', limit: 1 }))?.mark;
        expect(await store.updateEvent(place, (current) => ({ next: current, result: 42 }))).toBe(42);
        const changed = await store.listEvents({ calendarId: 'work', limit: 1, since: mark });
        expect(changed).toMatchObject({ entries: [], mark });
      });

      test('may add a copy on another calendar', async () => {
        const copies = { ...before.copies, garden: { id: 'other-id', stamp: newStamp() } };
        await change(store, place, { copies });
        expect(await eventAt(store, at('garden', 'other-id'))).toMatchObject({ key: before.key, copies });
      });

      test('whose new copy finds its place taken fails and stores nothing', async () => {
        const holder = sampleEvent('holder', ['garden']);
        await store.insertEvent(structuredClone(holder));
        const copies = {
          ...before.copies,
          attic: { id: 'event', stamp: newStamp() },
          garden: { id: 'holder', stamp: newStamp() },
        };
        await expect(change(store, place, { title: 'lost', copies })).rejects.toBeInstanceOf(PlaceTakenError);
        const found = await store.events([place, at('home', 'event'), at('attic', 'event'), at('garden', 'holder')]);
        expect(found).toEqual([before, before, undefined, holder]);
      });

      test('by 1,000 at once loses none', async () => {
        const results = await Promise.all(
          Array.from({ length: 1000 }, (_, index) =>
            store.updateEvent(at(index % 2 ? 'work' : 'home', 'event'), (current) => {
              const count = current.count + 1;
              return { next: { ...current, count, coreStamp: newStamp() }, result: count };
            })),
        );
        expect(await eventAt(store, place)).toMatchObject({ count: 1000 });
        expect([...new Set(results)].sort((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
      });
    });
  });
}
