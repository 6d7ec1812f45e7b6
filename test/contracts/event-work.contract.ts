import type { CalendarStore } from '../../src/calendar/calendar.store.ts';
import type { EventStore, WorkItem } from '../../src/event/event.store.ts';
import type { EventRecord } from '../../src/event/model/record.ts';
import {
  alice,
  at,
  between,
  bob,
  carol,
  daily,
  decideOn,
  idsOf,
  list,
  noonOn,
  put,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  sampleException,
  withCopy,
  type MakeEventStores,
} from './event-samples.ts';
import { startOfTime } from './samples.ts';

const dora = 'dora@example.com';
const invites = { attendees: [{ email: 'Dora@example.com' }, { email: bob }] };

/** What every store promises those who work off what changes of calendars leave. */
export function eventWorkContract(name: string, makeStores: MakeEventStores): void {
  describe(`${name} as a store of events: work in the background`, () => {
    let calendars: CalendarStore;
    let store: EventStore;
    beforeEach(async () => {
      ({ calendars, events: store } = await makeStores(() => startOfTime));
      for (const id of [alice, bob, carol]) await putCalendar(calendars, sampleCalendar(id));
    });

    /** All items, two at a time. */
    async function all(
      next: (behind: string | undefined) => Promise<readonly WorkItem[]>,
    ): Promise<string[]> {
      const found: WorkItem[] = [];
      for (let behind: string | undefined; ;) {
        const items = await next(behind);
        found.push(...items);
        if (items.length < 2) return found.map(({ calendarId, eventId }) => `${calendarId} ${eventId}`);
        behind = items.at(-1)?.cursor;
      }
    }
    const inviting = (): Promise<string[]> => all((behind) => store.eventsInviting(dora, dora, behind, 2));
    const change = (event: EventRecord, next: EventRecord) =>
      decideOn(store, event, {}, () => ({ next, result: undefined }));

    test('finds what invites an address whose calendar has no copy, series before their exceptions', async () => {
      const [single, other] = [
        await put(store, sampleEvent('single', { core: invites })),
        await put(store, sampleEvent('other', { home: bob, core: invites })),
      ];
      const series = await put(store, sampleEvent('series', { core: { ...daily, ...invites } }));
      await put(store, sampleException(series, noonOn(2), { core: invites }));
      await put(store, sampleException(series, noonOn(3)));
      await put(store, sampleEvent('uninvited', { core: daily }));
      const exception = `${alice} series_${noonOn(2)}`;
      const found = await inviting();
      expect([found.slice(0, 3).sort(), found.slice(3)]).toEqual([
        [`${alice} series`, `${alice} single`, `${bob} other`],
        [exception],
      ]);
      await putCalendar(calendars, sampleCalendar(dora));
      await change(single, withCopy(single, dora));
      await change(other, { ...other, version: 2, core: { ...other.core, attendees: [{ email: bob }] } });
      expect(await inviting()).toEqual([`${alice} series`, exception]);
    });

    test('finds the events whose home a calendar was, and clears what shows nowhere else once it is gone', async () => {
      const mine = await put(store, sampleEvent('mine'));
      const shared = await put(store, withCopy({ ...sampleEvent('shared'), version: 0 }, bob));
      const series = await put(store, sampleEvent('series', { core: daily }));
      await put(store, sampleException(series, noonOn(2)));
      await put(store, sampleEvent('bobs', { home: bob }));
      const atHome = (): Promise<string[]> =>
        all((behind) => store.eventsAtHome(alice, behind, 2)).then((found) => found.sort());
      const homes = [mine, series, shared].map(({ copies }) => `${alice} ${copies[alice]?.id}`);
      expect(await atHome()).toEqual(homes);
      await calendars.changeCalendar({ calendar: { id: alice } }, () => ({
        removes: true,
        result: undefined,
      }));
      expect(await atHome()).toEqual(homes);
      const found = await store.changeEvent(
        { calendar: { removedId: alice }, eventId: 'shared', guests: [] },
        (state) => ({ result: [state.calendar?.id, state.event] }),
      );
      expect(found).toEqual([alice, shared]);
      let turns = 0;
      while (!(await store.clearCalendar(alice, 100))) turns += 1;
      expect(turns).toBeGreaterThan(0);
      expect(
        await store.events([
          { calendarId: alice, eventId: 'mine' },
          { calendarId: bob, eventId: 'shared' },
          { calendarId: bob, eventId: 'bobs' },
        ]),
      ).toMatchObject([undefined, { record: shared }, {}]);
    });

    test('counts the days of a calendar, and moves them with its zone, whichever calendar they are kept with', async () => {
      const day = { start: { date: '2030-01-01' }, end: { date: '2030-01-02' } };
      const series = { ...day, recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] };
      await put(store, sampleEvent('timed', { core: between(10, 11) }));
      await put(store, sampleEvent('mine', { core: day }));
      for (const [id, core] of [
        ['bobs', day],
        ['series', series],
      ] as const)
        await put(store, withCopy({ ...sampleEvent(id, { home: bob, core }), version: 0 }, alice));
      const days = (to: number, zone = 'Pacific/Kiritimati') =>
        calendars.changeCalendar(
          { calendar: { id: alice }, countsDays: { to, zone } },
          ({ allDayEvents }) => ({ result: allDayEvents }),
        );
      expect([await days(10), await days(2), await days(10, 'UTC')]).toEqual([3, 2, 0]);
      const from = async (hours: number): Promise<string[]> =>
        idsOf((await list(store, { between: { from: at(hours), to: at(hours + 1) } })).entries);
      expect(await from(10)).toEqual(['timed', 'mine', 'bobs', 'series']);
      await putCalendar(calendars, sampleCalendar(alice, { timeZone: 'Pacific/Kiritimati' }));
      expect([await from(-14), await from(9), await from(10)]).toEqual([
        ['mine', 'bobs', 'series'],
        ['mine', 'bobs', 'series'],
        ['timed', 'series'],
      ]);
      expect(await days(10)).toBe(0);
    });

    test('begins anew where a calendar that was deleted comes back', async () => {
      await put(store, withCopy({ ...sampleEvent('shared'), version: 0 }, bob));
      const series = await put(
        store,
        withCopy({ ...sampleEvent('series', { core: daily }), version: 0 }, bob),
      );
      await put(store, sampleException(series, noonOn(2)));
      const [before] = await store.calendarStates([{ id: alice }]);
      await calendars.changeCalendar({ calendar: { id: alice } }, () => ({
        removes: true,
        result: undefined,
      }));
      await putCalendar(calendars, sampleCalendar(alice));
      expect(
        await store.events([
          { calendarId: alice, eventId: 'shared' },
          { calendarId: bob, eventId: 'shared' },
        ]),
      ).toEqual([undefined, undefined]);
      expect((await list(store, {}, bob)).entries).toEqual([]);
      const [after] = await store.calendarStates([{ id: alice }]);
      expect(after?.revision).not.toBe(before?.revision);
      await put(store, withCopy({ ...sampleEvent('shared'), version: 0 }, bob));
      const again = await put(
        store,
        withCopy({ ...sampleEvent('series', { core: daily }), version: 0 }, bob),
      );
      await put(store, sampleException(again, noonOn(2)));
      expect((await list(store, {}, bob)).entries).toHaveLength(3);
    });
  });
}
