import type {
  CalendarDecision,
  CalendarJob,
  CalendarChangeState,
  CalendarStore,
  CalendarTarget,
} from '../../src/calendar/calendar.store.ts';
import { createRequestRecord } from '../../src/core/request-record.ts';
import { sampleCalendar, putCalendar, alice, bob, carol } from './event-samples.ts';
import type { Clock } from '../../src/core/runtime/clock.ts';
import { refuse, startOfTime, mutateDeep } from './samples.ts';

const dora = 'dora@example.com';

/** Tests of every calendar store. */
export function calendarStoreContract(
  name: string,
  makeStore: (clock: Clock) => CalendarStore | Promise<CalendarStore>,
): void {
  describe(`${name} as a calendar store: calendars`, () => {
    let store: CalendarStore;
    let now = startOfTime;
    beforeEach(async () => {
      store = await makeStore(() => now);
      for (const id of [alice, bob, carol]) await putCalendar(store, sampleCalendar(id));
    });

    const findPrimary = async (ownerEmail: string): Promise<string | undefined> =>
      (await store.calendars([{ primaryOf: ownerEmail }]))[0]?.id;

    test('are returned in the given order with duplicates, undefined for missing ones', async () => {
      const refs = [bob, 'none', alice, bob, '__proto__', 'toString'].map((id) => ({ id }));
      const [alicesCalendar, bobsCalendar] = [sampleCalendar(alice), sampleCalendar(bob)];
      expect(await store.calendars(refs)).toEqual([
        bobsCalendar,
        undefined,
        alicesCalendar,
        bobsCalendar,
        undefined,
        undefined,
      ]);
      expect(await store.calendars([])).toEqual([]);
    });

    test.each([
      ['the first one', ['team', 'other'], 'team'],
      ['the one with the address as id, added later', ['team', dora, 'other'], dora],
      ['the one with the address as id, added first', [dora, 'team'], dora],
    ])("have as their owner's primary %s", async (_case, ids, expected) => {
      for (const id of ids) await putCalendar(store, sampleCalendar(id, { owner: 'Dora@example.com' }));
      for (const email of [dora, 'DORA@Example.COM']) expect(await findPrimary(email)).toBe(expected);
      expect(await findPrimary('nobody@example.com')).toBeUndefined();
    });

    test('of an address are those that it owns or that are shared with it, in the order of addition', async () => {
      const acl = [{ email: 'Alice@example.com', role: 'reader' as const }];
      const addedCalendars = [
        sampleCalendar('team', { owner: bob, acl }),
        sampleCalendar('second', { owner: 'ALICE@example.com' }),
      ];
      for (const calendar of [...addedCalendars, sampleCalendar('strange', { owner: 'malice@example.com' })])
        await putCalendar(store, calendar);
      expect(await store.calendarsOf(alice)).toEqual([sampleCalendar(alice), ...addedCalendars]);
      expect(await store.calendarsOf('nobody@example.com')).toEqual([]);
    });

    test('share no references with the input or results', async () => {
      const createSample = () => sampleCalendar('live', { acl: [{ email: bob, role: 'writer' }] });
      const input = createSample();
      await putCalendar(store, input);
      mutateDeep(input);
      mutateDeep(await store.calendars([{ id: 'live' }]));
      mutateDeep(await store.calendarsOf('live'));
      expect(await store.calendars([{ id: 'live' }])).toEqual([createSample()]);
    });

    const changeCalendar = <T>(
      id: string,
      decide: (state: CalendarChangeState) => CalendarDecision<T>,
      more: Partial<CalendarTarget> = {},
    ): Promise<T> => store.changeCalendar({ calendar: { id }, ...more }, decide);
    const removeCalendar = (id: string) => changeCalendar(id, () => ({ removes: true, result: undefined }));
    const readState = (id: string, more?: Partial<CalendarTarget>) =>
      changeCalendar(id, (state) => ({ result: state }), more);

    test('are changed by a decision on their current state, or not at all', async () => {
      const next = sampleCalendar(alice, { summary: 'New', acl: [{ email: bob, role: 'reader' }] });
      const calendarBefore = await changeCalendar(alice, ({ calendar }) => ({ next, result: calendar }));
      expect(calendarBefore).toEqual(sampleCalendar(alice));
      await expect(changeCalendar(alice, refuse)).rejects.toThrow('refused');
      expect(await store.calendars([{ id: alice }])).toEqual([next]);
      expect(await store.calendarsOf(bob)).toEqual([next, sampleCalendar(bob)]);
      await putCalendar(store, sampleCalendar(alice));
      expect(await store.calendarsOf(bob)).toEqual([sampleCalendar(bob)]);
    });

    test('keep all of 10 concurrent changes', async () => {
      const addReader = (index: number) =>
        changeCalendar(alice, ({ calendar = sampleCalendar(alice) }) => ({
          next: { ...calendar, acl: [...calendar.acl, { email: `${index}@example.com`, role: 'reader' }] },
          result: index,
        }));
      await Promise.all(Array.from({ length: 10 }, (_, index) => addReader(index)));
      expect((await store.calendars([{ id: alice }]))[0]?.acl).toHaveLength(10);
    });

    test('are not found after removal, and their ids stay used until they are restored', async () => {
      await removeCalendar(bob);
      expect(await store.calendars([{ id: bob }, { primaryOf: bob }])).toEqual([undefined, undefined]);
      expect([await store.calendarsOf(bob), (await readState(bob)).wasRemoved]).toEqual([[], true]);
      await putCalendar(store, sampleCalendar(bob));
      expect([await findPrimary(bob), (await readState(bob)).wasRemoved]).toEqual([bob, false]);
    });

    test("marked neverPrimary are nobody's primary, and others are primary to a new owner", async () => {
      await putCalendar(store, sampleCalendar('made', { owner: dora, neverPrimary: true }));
      expect(await findPrimary(dora)).toBeUndefined();
      await putCalendar(store, sampleCalendar(carol, { owner: dora }));
      expect([await findPrimary(dora), await findPrimary(carol)]).toEqual([carol, undefined]);
    });

    test('that are created and removed concurrently leave their owner a primary one if there is any', async () => {
      const addCalendar = (id: string) => putCalendar(store, sampleCalendar(id, { owner: dora }));
      for (let round = 0; round < 5; round += 1) {
        await addCalendar('old');
        await Promise.all([removeCalendar('old'), addCalendar('one'), addCalendar('two')]);
        expect(['one', 'two']).toContain(await findPrimary(dora));
        await Promise.all([removeCalendar('one'), removeCalendar('two')]);
        expect(await findPrimary(dora)).toBeUndefined();
      }
    });

    test('are counted by creator and day, including deleted ones', async () => {
      const creatorOnDay = { identity: alice, day: '2026-12-01' };
      const insertCalendar = (id: string) =>
        changeCalendar(id, () => ({ next: sampleCalendar(id, { owner: alice }), result: undefined }), {
          quotaKey: creatorOnDay,
        });
      await insertCalendar('one');
      await insertCalendar('two');
      await removeCalendar('one');
      const expectedCounts = { createdToday: 2, ownedCount: 2, wasRemoved: false };
      expect(await readState('three', { quotaKey: creatorOnDay })).toMatchObject(expectedCounts);
      const nextDay = { ...creatorOnDay, day: '2026-12-02' };
      const otherCreator = { ...creatorOnDay, identity: bob };
      expect(await readState('three', { quotaKey: nextDay })).toMatchObject({
        createdToday: 0,
        ownedCount: 2,
      });
      const otherState = await readState('three', { quotaKey: otherCreator });
      expect(otherState).toMatchObject({ createdToday: 0, ownedCount: 1 });
    });

    test('are found by the request that created them', async () => {
      const request = createRequestRecord('insertCalendar', { key: alice }, { requestId: 'r' }, () => now);
      const decision = { next: sampleCalendar('made'), outcome: { id: 'made' }, result: undefined };
      await changeCalendar('made', () => decision, { request });
      const earlierRequest = { fingerprint: request?.fingerprint, outcome: { id: 'made' } };
      expect(await readState('other', { request })).toMatchObject({ earlierRequest });
    });

    test('are paged in the order of their ids', async () => {
      for (const id of ['Zoe', 'zoe', 'Äthel']) await putCalendar(store, sampleCalendar(id));
      const sortedIds = ['Zoe', alice, bob, carol, 'zoe', 'Äthel'];
      expect((await store.calendarsAfter('', 10)).map(({ id }) => id)).toEqual(sortedIds);
      expect((await store.calendarsAfter('Zoe', 2)).map(({ id }) => id)).toEqual([alice, bob]);
    });

    test('leave jobs that one worker claims at a time', async () => {
      const job: CalendarJob = { kind: 'remove', calendarId: bob, owner: bob, sendUpdates: 'all' };
      const otherJob: CalendarJob = { kind: 'invite', calendarId: 'new', owner: dora };
      await changeCalendar(bob, () => ({ removes: true, job, result: undefined }));
      now += 1;
      await changeCalendar('new', () => ({ next: sampleCalendar('new'), job: otherJob, result: undefined }));
      expect(await store.claimJob(1000, { headStartMs: 2 })).toBeUndefined();
      expect(await store.claimJob(1000, { calendarId: 'new' })).toEqual({ job: otherJob, createdAt: now });
      expect(await store.claimJob(1000, { headStartMs: 1 })).toEqual({ job, createdAt: now - 1 });
      expect(await store.claimJob(1000)).toBeUndefined();
      now += 1;
      await store.continueJob(job, 'so far', 0);
      const continuedClaim = { job, createdAt: now - 2, progress: 'so far' };
      expect(await store.claimJob(1000, { headStartMs: 60_000 })).toEqual(continuedClaim);
      await store.endJob(job);
      now += 1000;
      expect((await store.claimJob(1000))?.job).toEqual(otherJob);
    });
  });
}
