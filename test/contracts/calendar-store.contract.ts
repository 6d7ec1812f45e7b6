import type { CalendarStore } from '../../src/calendar/calendar.store.ts';
import { alice, bob, carol, sampleCalendar, putCalendar } from './event-samples.ts';
import type { Clock } from '../../src/core/runtime/clock.ts';
import { startOfTime, vandalise } from './samples.ts';

/** What every calendar store promises, whatever keeps them. */
export function calendarStoreContract(name: string, makeStore: (clock: Clock) => CalendarStore | Promise<CalendarStore>): void {
  describe(`${name} as a store of calendars: calendars`, () => {
    let store: CalendarStore;
    let now = startOfTime;
    beforeEach(async () => {
      store = await makeStore(() => now);
      for (const id of [alice, bob, carol]) await putCalendar(store, sampleCalendar(id));
    });

    test('come in the order asked, as often as asked, undefined where there is none', async () => {
      const asked = [bob, 'none', alice, bob, '__proto__', 'toString'].map((id) => ({ id }));
      expect(await store.calendars(asked)).toEqual([sampleCalendar(bob), undefined, sampleCalendar(alice), sampleCalendar(bob), undefined, undefined]);
      expect(await store.calendars([])).toEqual([]);
    });

    test.each([
      ['the first one', ['team', 'other'], 'team'],
      ['the one whose id is the address, which came later', ['team', 'dora@example.com', 'other'], 'dora@example.com'],
      ['the one whose id is the address, which came first', ['dora@example.com', 'team'], 'dora@example.com'],
    ])('are primary to their owner: %s', async (_which, ids, expected) => {
      for (const id of ids) await putCalendar(store, sampleCalendar(id, { owner: 'Dora@example.com' }));
      const refs = ['dora@example.com', 'DORA@Example.COM', 'nobody@example.com'].map((primaryOf) => ({ primaryOf }));
      expect((await store.calendars(refs)).map((calendar) => calendar?.id)).toEqual([expected, expected, undefined]);
    });

    test('of somebody are those that somebody owns or is named on, in the order in which they were added', async () => {
      const acl = [{ email: 'Alice@example.com', role: 'reader' as const }];
      const added = [sampleCalendar('team', { owner: bob, acl }), sampleCalendar('second', { owner: 'ALICE@example.com' })];
      for (const calendar of [...added, sampleCalendar('strange', { owner: 'malice@example.com' })]) await putCalendar(store, calendar);
      expect(await store.calendarsOf(alice)).toEqual([sampleCalendar(alice), ...added]);
      expect(await store.calendarsOf('nobody@example.com')).toEqual([]);
    });

    test('are no live references, neither the given nor the found', async () => {
      const [given, expected] = [1, 2].map(() => sampleCalendar('live', { acl: [{ email: bob, role: 'writer' }] }));
      await putCalendar(store, given as typeof given & object);
      vandalise(given);
      vandalise(await store.calendars([{ id: 'live' }]));
      vandalise(await store.calendarsOf('live'));
      expect(await store.calendars([{ id: 'live' }])).toEqual([expected]);
    });
  });
}
