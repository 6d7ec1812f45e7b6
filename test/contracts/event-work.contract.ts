import type { CalendarStore } from '../../src/calendar/calendar.store.ts';
import type { EventStore, WorkItem } from '../../src/event/event.store.ts';
import type { EventRecord } from '../../src/event/model/record.ts';
import {
  alice,
  instantAt,
  timesBetween,
  bob,
  dailyCore,
  noonOn,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  sampleException,
  withCopy,
  withCore,
  type MakeEventStores,
  useEvents,
} from './event-samples.ts';

const dora = 'dora@example.com';
const invites = { attendees: [{ email: 'Dora@example.com' }, { email: bob }] };

/** Tests of the background work that changes of calendars leave, in every event store. */
export function eventWorkContract(name: string, makeStores: MakeEventStores): void {
  describe(`${name} as an event store: background work`, () => {
    let calendars: CalendarStore;
    let store: EventStore;
    const { stores, put, decideOn, list, readIds, find } = useEvents(makeStores);
    beforeEach(() => {
      ({ calendars, events: store } = stores());
    });

    /** Reads all items in pages of two. */
    async function readAll(readPage: (behind?: string) => Promise<readonly WorkItem[]>): Promise<string[]> {
      const workItems: WorkItem[] = [];
      for (let cursor: string | undefined; ;) {
        const items = await readPage(cursor);
        workItems.push(...items);
        if (items.length < 2) return workItems.map(({ calendarId, eventId }) => `${calendarId} ${eventId}`);
        cursor = items.at(-1)?.cursor;
      }
    }
    const removeCalendar = (id: string) =>
      calendars.changeCalendar({ calendar: { id } }, () => ({ removes: true, result: undefined }));
    /** Stores an event with a copy on a second calendar. */
    const putShared = (id: string, calendarId: string, rest: Parameters<typeof sampleEvent>[1] = {}) =>
      put(withCopy({ ...sampleEvent(id, rest), version: 0 }, calendarId));
    const listInvitations = (): Promise<string[]> =>
      readAll((behind) => store.eventsInviting(dora, dora, behind, 2));
    const replaceEvent = (event: EventRecord, next: EventRecord) =>
      decideOn(event, {}, () => ({ next, result: undefined }));

    test('lists events that invite an address without a copy on its calendar, series before exceptions', async () => {
      const single = await put(sampleEvent('single', { core: invites }));
      const otherEvent = await put(sampleEvent('other', { home: bob, core: invites }));
      const series = await put(sampleEvent('series', { core: { ...dailyCore, ...invites } }));
      await put(sampleException(series, noonOn(2), { core: invites }));
      await put(sampleException(series, noonOn(3)));
      await put(sampleEvent('uninvited', { core: dailyCore }));
      const exception = `${alice} series_${noonOn(2)}`;
      const found = await listInvitations();
      expect(found.slice(0, 3).sort()).toEqual([`${alice} series`, `${alice} single`, `${bob} other`]);
      expect(found.slice(3)).toEqual([exception]);
      await putCalendar(calendars, sampleCalendar(dora));
      await replaceEvent(single, withCopy(single, dora));
      await replaceEvent(otherEvent, withCore(otherEvent, { attendees: [{ email: bob }] }));
      expect(await listInvitations()).toEqual([`${alice} series`, exception]);
    });

    test('lists the events at home on a removed calendar, and clears those without other copies', async () => {
      const ownEvent = await put(sampleEvent('mine'));
      const shared = await putShared('shared', bob);
      const series = await put(sampleEvent('series', { core: dailyCore }));
      await put(sampleException(series, noonOn(2)));
      await put(sampleEvent('bobs', { home: bob }));
      const atHome = (): Promise<string[]> =>
        readAll((behind) => store.eventsAtHome(alice, behind, 2)).then((found) => found.sort());
      const homes = [ownEvent, series, shared].map(({ copies }) => `${alice} ${copies[alice]?.id}`);
      expect(await atHome()).toEqual(homes);
      await removeCalendar(alice);
      expect(await atHome()).toEqual(homes);
      const found = await store.changeEvent(
        { calendar: { removedId: alice }, eventId: 'shared', guests: [] },
        (state) => ({ result: [state.calendar?.id, state.event] }),
      );
      expect(found).toEqual([alice, shared]);
      let turns = 0;
      while (!(await store.clearCalendar(alice, 100))) turns += 1;
      expect(turns).toBeGreaterThan(0);
      expect(await find(alice, 'mine')).toBeUndefined();
      expect(await find(bob, 'shared')).toEqual(shared);
      expect(await find(bob, 'bobs')).toBeDefined();
    });

    test('counts all-day events of a calendar and moves them with its zone, wherever their home is', async () => {
      const day = { start: { date: '2030-01-01' }, end: { date: '2030-01-02' } };
      const series = { ...day, recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] };
      await put(sampleEvent('timed', { core: timesBetween(10, 11) }));
      await put(sampleEvent('mine', { core: day }));
      await putShared('bobs', alice, { home: bob, core: day });
      await putShared('series', alice, { home: bob, core: series });
      const countDays = (maxCount: number, zone = 'Pacific/Kiritimati') =>
        calendars.changeCalendar(
          { calendar: { id: alice }, countAllDayEvents: { limit: maxCount, zone } },
          ({ allDayEvents }) => ({ result: allDayEvents }),
        );
      expect([await countDays(10), await countDays(2), await countDays(10, 'UTC')]).toEqual([3, 2, 0]);
      const idsAt = async (hours: number): Promise<string[]> =>
        readIds({ between: { from: instantAt(hours), to: instantAt(hours + 1) } });
      expect(await idsAt(10)).toEqual(['timed', 'mine', 'bobs', 'series']);
      await putCalendar(calendars, sampleCalendar(alice, { timeZone: 'Pacific/Kiritimati' }));
      for (const hours of [-14, 9]) expect(await idsAt(hours)).toEqual(['mine', 'bobs', 'series']);
      expect(await idsAt(10)).toEqual(['timed', 'series']);
      expect(await countDays(10)).toBe(0);
    });

    test('a restored calendar starts empty', async () => {
      await putShared('shared', bob);
      const series = await putShared('series', bob, { core: dailyCore });
      await put(sampleException(series, noonOn(2)));
      const [stateBefore] = await store.calendarStates([{ id: alice }]);
      await removeCalendar(alice);
      await putCalendar(calendars, sampleCalendar(alice));
      for (const id of [alice, bob]) expect(await find(id, 'shared')).toBeUndefined();
      expect((await list({}, bob)).entries).toEqual([]);
      const [stateAfter] = await store.calendarStates([{ id: alice }]);
      expect(stateAfter?.revision).not.toBe(stateBefore?.revision);
      await putShared('shared', bob);
      const newSeries = await putShared('series', bob, { core: dailyCore });
      await put(sampleException(newSeries, noonOn(2)));
      expect((await list({}, bob)).entries).toHaveLength(3);
    });
  });
}
