import type { CalendarRecord } from '../../src/calendar/calendar.ts';
import type {
  CalendarChange,
  CalendarJob,
  CalendarState,
  CalendarStore,
  CalendarTarget,
} from '../../src/calendar/calendar.store.ts';
import { requestRecord } from '../../src/core/request-record.ts';
import { alice, bob, carol, sampleCalendar, putCalendar } from './event-samples.ts';
import type { Clock } from '../../src/core/runtime/clock.ts';
import { startOfTime, mutateDeep } from './samples.ts';

const dora = 'dora@example.com';

/** What every calendar store promises, whatever keeps them. */
export function calendarStoreContract(
  name: string,
  makeStore: (clock: Clock) => CalendarStore | Promise<CalendarStore>,
): void {
  describe(`${name} as a store of calendars: calendars`, () => {
    let store: CalendarStore;
    let now = startOfTime;
    beforeEach(async () => {
      store = await makeStore(() => now);
      for (const id of [alice, bob, carol]) await putCalendar(store, sampleCalendar(id));
    });

    const primaryOf = async (address: string): Promise<string | undefined> =>
      (await store.calendars([{ primaryOf: address }]))[0]?.id;

    test('come in the order asked, as often as asked, undefined where there is none', async () => {
      const asked = [bob, 'none', alice, bob, '__proto__', 'toString'].map((id) => ({ id }));
      const [of, ofBob] = [sampleCalendar(alice), sampleCalendar(bob)];
      expect(await store.calendars(asked)).toEqual([ofBob, undefined, of, ofBob, undefined, undefined]);
      expect(await store.calendars([])).toEqual([]);
    });

    test.each([
      ['the first one', ['team', 'other'], 'team'],
      ['the one whose id is the address, which came later', ['team', dora, 'other'], dora],
      ['the one whose id is the address, which came first', [dora, 'team'], dora],
    ])('are primary to their owner: %s', async (_which, ids, expected) => {
      for (const id of ids) await putCalendar(store, sampleCalendar(id, { owner: 'Dora@example.com' }));
      for (const address of [dora, 'DORA@Example.COM']) expect(await primaryOf(address)).toBe(expected);
      expect(await primaryOf('nobody@example.com')).toBeUndefined();
    });

    test('of somebody are those that somebody owns or is named on, in the order in which they were added', async () => {
      const acl = [{ email: 'Alice@example.com', role: 'reader' as const }];
      const added = [
        sampleCalendar('team', { owner: bob, acl }),
        sampleCalendar('second', { owner: 'ALICE@example.com' }),
      ];
      for (const calendar of [...added, sampleCalendar('strange', { owner: 'malice@example.com' })])
        await putCalendar(store, calendar);
      expect(await store.calendarsOf(alice)).toEqual([sampleCalendar(alice), ...added]);
      expect(await store.calendarsOf('nobody@example.com')).toEqual([]);
    });

    test('are no live references, neither the given nor the found', async () => {
      const [given, expected] = [1, 2].map(() =>
        sampleCalendar('live', { acl: [{ email: bob, role: 'writer' }] }),
      );
      await putCalendar(store, given as typeof given & object);
      mutateDeep(given);
      mutateDeep(await store.calendars([{ id: 'live' }]));
      mutateDeep(await store.calendarsOf('live'));
      expect(await store.calendars([{ id: 'live' }])).toEqual([expected]);
    });

    const change = <T>(
      id: string,
      decide: (state: CalendarState) => CalendarChange<T>,
      more: Partial<CalendarTarget> = {},
    ): Promise<T> => store.changeCalendar({ calendar: { id }, ...more }, decide);
    const remove = (id: string) => change(id, () => ({ removes: true, result: undefined }));
    const stateOf = (id: string, more?: Partial<CalendarTarget>) =>
      change(id, (state) => ({ result: state }), more);

    test('are changed as decided on what they are, or not at all', async () => {
      const next = sampleCalendar(alice, { summary: 'New', acl: [{ email: bob, role: 'reader' }] });
      expect(await change(alice, ({ calendar }) => ({ next, result: calendar }))).toEqual(
        sampleCalendar(alice),
      );
      await expect(
        change(alice, () => {
          throw new Error('refused');
        }),
      ).rejects.toThrow('refused');
      expect(await store.calendars([{ id: alice }])).toEqual([next]);
      expect(await store.calendarsOf(bob)).toEqual([next, sampleCalendar(bob)]);
      await putCalendar(store, sampleCalendar(alice));
      expect(await store.calendarsOf(bob)).toEqual([sampleCalendar(bob)]);
    });

    test('are all counted that change at the same time', async () => {
      const add = (index: number) =>
        change(alice, ({ calendar }) => ({
          next: {
            ...(calendar as CalendarRecord),
            acl: [...(calendar as CalendarRecord).acl, { email: `${index}@example.com`, role: 'reader' }],
          },
          result: index,
        }));
      await Promise.all(Array.from({ length: 10 }, (_, index) => add(index)));
      expect((await store.calendars([{ id: alice }]))[0]?.acl).toHaveLength(10);
    });

    test('are found no more once they are removed, and their ids are used up until they come back', async () => {
      await remove(bob);
      expect(await store.calendars([{ id: bob }, { primaryOf: bob }])).toEqual([undefined, undefined]);
      expect([await store.calendarsOf(bob), (await stateOf(bob)).wasRemoved]).toEqual([[], true]);
      await putCalendar(store, sampleCalendar(bob));
      expect([await primaryOf(bob), (await stateOf(bob)).wasRemoved]).toEqual([bob, false]);
    });

    test('that are never primary are so for nobody, and a new owner has the others', async () => {
      await putCalendar(store, sampleCalendar('made', { owner: dora, neverPrimary: true }));
      expect(await primaryOf(dora)).toBeUndefined();
      await putCalendar(store, sampleCalendar(carol, { owner: dora }));
      expect([await primaryOf(dora), await primaryOf(carol)]).toEqual([carol, undefined]);
    });

    test('that come and go at the same time leave their owner one that is primary, as long as there is any', async () => {
      const put = (id: string) => putCalendar(store, sampleCalendar(id, { owner: dora }));
      for (let round = 0; round < 5; round += 1) {
        await put('old');
        await Promise.all([remove('old'), put('one'), put('two')]);
        expect(['one', 'two']).toContain(await primaryOf(dora));
        await Promise.all([remove('one'), remove('two')]);
        expect(await primaryOf(dora)).toBeUndefined();
      }
    });

    test('are counted for whoever makes them, by the day, deleted ones too', async () => {
      const maker = { identity: alice, day: '2026-12-01' };
      const make = (id: string) =>
        change(id, () => ({ next: sampleCalendar(id, { owner: alice }), result: undefined }), { maker });
      await make('one');
      await make('two');
      await remove('one');
      expect(await stateOf('three', { maker })).toMatchObject({ madeToday: 2, owned: 2, wasRemoved: false });
      const [later, other] = [
        { ...maker, day: '2026-12-02' },
        { ...maker, identity: bob },
      ];
      expect(await stateOf('three', { maker: later })).toMatchObject({ madeToday: 0, owned: 2 });
      expect(await stateOf('three', { maker: other })).toMatchObject({ madeToday: 0, owned: 1 });
    });

    test('are remembered with the request that made them', async () => {
      const request = requestRecord('insertCalendar', { key: alice }, { requestId: 'r' }, () => now);
      const decision = { next: sampleCalendar('made'), outcome: { id: 'made' }, result: undefined };
      await change('made', () => decision, { request });
      const earlier = { fingerprint: request?.fingerprint, outcome: { id: 'made' } };
      expect(await stateOf('other', { request })).toMatchObject({ earlier });
    });

    test('are all read in the order of their ids', async () => {
      for (const id of ['Zoe', 'zoe', 'Äthel']) await putCalendar(store, sampleCalendar(id));
      const all = ['Zoe', alice, bob, carol, 'zoe', 'Äthel'];
      expect((await store.calendarsBehind('', 10)).map(({ id }) => id)).toEqual(all);
      expect((await store.calendarsBehind('Zoe', 2)).map(({ id }) => id)).toEqual([alice, bob]);
    });

    test('leave jobs, each of which one worker has at a time', async () => {
      const job: CalendarJob = { kind: 'remove', calendarId: bob, owner: bob, sendUpdates: 'all' };
      const other: CalendarJob = { kind: 'invite', calendarId: 'new', owner: dora };
      await change(bob, () => ({ removes: true, job, result: undefined }));
      now += 1;
      await change('new', () => ({ next: sampleCalendar('new'), job: other, result: undefined }));
      expect(await store.claimJob(1000, { headStartMs: 2 })).toBeUndefined();
      expect(await store.claimJob(1000, { calendarId: 'new' })).toEqual({ job: other, leftAt: now });
      expect(await store.claimJob(1000, { headStartMs: 1 })).toEqual({ job, leftAt: now - 1 });
      expect(await store.claimJob(1000)).toBeUndefined();
      now += 1;
      await store.continueJob(job, 'so far', 0);
      const continued = { job, leftAt: now - 2, progress: 'so far' };
      expect(await store.claimJob(1000, { headStartMs: 60_000 })).toEqual(continued);
      await store.endJob(job);
      now += 1000;
      expect((await store.claimJob(1000))?.job).toEqual(other);
    });
  });
}
