import type { CalendarStore } from '../../src/calendar/calendar.store.ts';
import type { EventStore, WorkItem } from '../../src/event/event.store.ts';
import type { EventRecord } from '../../src/event/model/record.ts';
import {
  alice,
  at,
  between,
  bob,
  daily,
  noonOn,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  sampleException,
  withCopy,
  type MakeEventStores,
  useEvents,
} from './event-samples.ts';

const dora = 'dora@example.com';
const invites = { attendees: [{ email: 'Dora@example.com' }, { email: bob }] };

/** What every store promises those who work off what changes of calendars leave. */
export function eventWorkContract(name: string, makeStores: MakeEventStores): void {
  describe(`${name} as a store of events: work in the background`, () => {
    let calendars: CalendarStore;
    let store: EventStore;
    const { stores, put, decideOn, list, ids } = useEvents(makeStores);
    beforeEach(() => {
      ({ calendars, events: store } = stores());
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
    const remove = (id: string) =>
      calendars.changeCalendar({ calendar: { id } }, () => ({ removes: true, result: undefined }));
    /** Puts an event that is on a second calendar too. */
    const putShared = (id: string, on: string, rest: Parameters<typeof sampleEvent>[1] = {}) =>
      put(withCopy({ ...sampleEvent(id, rest), version: 0 }, on));
    const inviting = (): Promise<string[]> => all((behind) => store.eventsInviting(dora, dora, behind, 2));
    const change = (event: EventRecord, next: EventRecord) =>
      decideOn(event, {}, () => ({ next, result: undefined }));

    test('finds what invites an address whose calendar has no copy, series before their exceptions', async () => {
      const single = await put(sampleEvent('single', { core: invites }));
      const other = await put(sampleEvent('other', { home: bob, core: invites }));
      const series = await put(sampleEvent('series', { core: { ...daily, ...invites } }));
      await put(sampleException(series, noonOn(2), { core: invites }));
      await put(sampleException(series, noonOn(3)));
      await put(sampleEvent('uninvited', { core: daily }));
      const exception = `${alice} series_${noonOn(2)}`;
      const found = await inviting();
      expect(found.slice(0, 3).sort()).toEqual([`${alice} series`, `${alice} single`, `${bob} other`]);
      expect(found.slice(3)).toEqual([exception]);
      await putCalendar(calendars, sampleCalendar(dora));
      await change(single, withCopy(single, dora));
      await change(other, { ...other, version: 2, core: { ...other.core, attendees: [{ email: bob }] } });
      expect(await inviting()).toEqual([`${alice} series`, exception]);
    });

    test('finds the events whose home a calendar was, and clears what shows nowhere else once it is gone', async () => {
      const mine = await put(sampleEvent('mine'));
      const shared = await putShared('shared', bob);
      const series = await put(sampleEvent('series', { core: daily }));
      await put(sampleException(series, noonOn(2)));
      await put(sampleEvent('bobs', { home: bob }));
      const atHome = (): Promise<string[]> =>
        all((behind) => store.eventsAtHome(alice, behind, 2)).then((found) => found.sort());
      const homes = [mine, series, shared].map(({ copies }) => `${alice} ${copies[alice]?.id}`);
      expect(await atHome()).toEqual(homes);
      await remove(alice);
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
      await put(sampleEvent('timed', { core: between(10, 11) }));
      await put(sampleEvent('mine', { core: day }));
      await putShared('bobs', alice, { home: bob, core: day });
      await putShared('series', alice, { home: bob, core: series });
      const days = (to: number, zone = 'Pacific/Kiritimati') =>
        calendars.changeCalendar(
          { calendar: { id: alice }, countsDays: { to, zone } },
          ({ allDayEvents }) => ({ result: allDayEvents }),
        );
      expect([await days(10), await days(2), await days(10, 'UTC')]).toEqual([3, 2, 0]);
      const from = async (hours: number): Promise<string[]> =>
        ids({ between: { from: at(hours), to: at(hours + 1) } });
      expect(await from(10)).toEqual(['timed', 'mine', 'bobs', 'series']);
      await putCalendar(calendars, sampleCalendar(alice, { timeZone: 'Pacific/Kiritimati' }));
      for (const hours of [-14, 9]) expect(await from(hours)).toEqual(['mine', 'bobs', 'series']);
      expect(await from(10)).toEqual(['timed', 'series']);
      expect(await days(10)).toBe(0);
    });

    test('begins anew where a calendar that was deleted comes back', async () => {
      await putShared('shared', bob);
      const series = await putShared('series', bob, { core: daily });
      await put(sampleException(series, noonOn(2)));
      const [before] = await store.calendarStates([{ id: alice }]);
      await remove(alice);
      await putCalendar(calendars, sampleCalendar(alice));
      expect(
        await store.events([
          { calendarId: alice, eventId: 'shared' },
          { calendarId: bob, eventId: 'shared' },
        ]),
      ).toEqual([undefined, undefined]);
      expect((await list({}, bob)).entries).toEqual([]);
      const [after] = await store.calendarStates([{ id: alice }]);
      expect(after?.revision).not.toBe(before?.revision);
      await putShared('shared', bob);
      const again = await putShared('series', bob, { core: daily });
      await put(sampleException(again, noonOn(2)));
      expect((await list({}, bob)).entries).toHaveLength(3);
    });
  });
}
