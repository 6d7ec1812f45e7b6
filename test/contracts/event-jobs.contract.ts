import type { CalendarStore } from '../../src/calendar/calendar.store.ts';
import type { EventStore, WorkItem } from '../../src/event/event.store.ts';
import type { EventRecord } from '../../src/event/model/record.ts';
import {
  instantAt,
  timesBetween,
  dailyCore,
  noonOn,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  sampleException,
  withCopy,
  withCore,
  type MakeEventStores,
  useEventStores,
  alice,
  bob,
} from './event-samples.ts';

const dora = 'dora@example.com';
const coreWithInvitations = { attendees: [{ email: 'Dora@example.com' }, { email: bob }] };

/** Tests of the background work that changes of calendars leave, in every event store. */
export function eventJobsContract(name: string, makeStores: MakeEventStores): void {
  describe(`${name} as an event store: background work`, () => {
    let calendars: CalendarStore;
    let store: EventStore;
    const { stores, putEvent, decideOn, listEvents, readIds, findRecord } = useEventStores(makeStores);
    beforeEach(() => {
      ({ calendars, events: store } = stores());
    });

    /** Reads all items in pages of two. */
    async function readAllItems(
      readPage: (afterCursor?: string) => Promise<readonly WorkItem[]>,
    ): Promise<string[]> {
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
    const putShared = (
      id: string,
      calendarId: string,
      sampleOptions: Parameters<typeof sampleEvent>[1] = {},
    ) => putEvent(withCopy({ ...sampleEvent(id, sampleOptions), version: 0 }, calendarId));
    const listInvitations = (): Promise<string[]> =>
      readAllItems((afterCursor) => store.eventsInviting(dora, dora, afterCursor, 2));
    const replaceEvent = (event: EventRecord, next: EventRecord) =>
      decideOn(event, {}, () => ({ next, result: undefined }));

    test('lists events that invite an address without a copy on its calendar, series before exceptions', async () => {
      const single = await putEvent(sampleEvent('single', { core: coreWithInvitations }));
      const otherEvent = await putEvent(sampleEvent('other', { home: bob, core: coreWithInvitations }));
      const series = await putEvent(
        sampleEvent('series', { core: { ...dailyCore, ...coreWithInvitations } }),
      );
      await putEvent(sampleException(series, noonOn(2), { core: coreWithInvitations }));
      await putEvent(sampleException(series, noonOn(3)));
      await putEvent(sampleEvent('uninvited', { core: dailyCore }));
      const exception = `${alice} series_${noonOn(2)}`;
      const invitingEvents = await listInvitations();
      expect(invitingEvents.slice(0, 3).sort()).toEqual([
        `${alice} series`,
        `${alice} single`,
        `${bob} other`,
      ]);
      expect(invitingEvents.slice(3)).toEqual([exception]);
      await putCalendar(calendars, sampleCalendar(dora));
      await replaceEvent(single, withCopy(single, dora));
      await replaceEvent(otherEvent, withCore(otherEvent, { attendees: [{ email: bob }] }));
      expect(await listInvitations()).toEqual([`${alice} series`, exception]);
    });

    test('lists the events at home on a removed calendar, and clears those without other copies', async () => {
      const ownEvent = await putEvent(sampleEvent('mine'));
      const shared = await putShared('shared', bob);
      const series = await putEvent(sampleEvent('series', { core: dailyCore }));
      await putEvent(sampleException(series, noonOn(2)));
      await putEvent(sampleEvent('bobs', { home: bob }));
      const listAtHome = (): Promise<string[]> =>
        readAllItems((afterCursor) => store.eventsAtHome(alice, afterCursor, 2)).then((events) =>
          events.sort(),
        );
      const expectedEvents = [ownEvent, series, shared].map(({ copies }) => `${alice} ${copies[alice]?.id}`);
      expect(await listAtHome()).toEqual(expectedEvents);
      await removeCalendar(alice);
      expect(await listAtHome()).toEqual(expectedEvents);
      const stateOfRemovedCalendar = await store.changeEvent(
        { calendar: { removedId: alice }, eventId: 'shared', guests: [] },
        (state) => ({ result: [state.calendar?.id, state.event] }),
      );
      expect(stateOfRemovedCalendar).toEqual([alice, shared]);
      let incompleteTurns = 0;
      while (!(await store.clearCalendar(alice, 100))) incompleteTurns += 1;
      expect(incompleteTurns).toBeGreaterThan(0);
      expect(await findRecord(alice, 'mine')).toBeUndefined();
      expect(await findRecord(bob, 'shared')).toEqual(shared);
      expect(await findRecord(bob, 'bobs')).toBeDefined();
    });

    test('counts all-day events of a calendar and moves them with its zone, wherever their home is', async () => {
      const day = { start: { date: '2030-01-01' }, end: { date: '2030-01-02' } };
      const series = { ...day, recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] };
      await putEvent(sampleEvent('timed', { core: timesBetween(10, 11) }));
      await putEvent(sampleEvent('mine', { core: day }));
      await putShared('bobs', alice, { home: bob, core: day });
      await putShared('series', alice, { home: bob, core: series });
      const countDays = (maxCount: number, zone = 'Pacific/Kiritimati') =>
        calendars.changeCalendar(
          { calendar: { id: alice }, allDayCountRequest: { limit: maxCount, zone } },
          ({ allDayEventCount }) => ({ result: allDayEventCount }),
        );
      expect([await countDays(10), await countDays(2), await countDays(10, 'UTC')]).toEqual([3, 2, 0]);
      const readIdsAt = async (hours: number): Promise<string[]> =>
        readIds({ between: { from: instantAt(hours), to: instantAt(hours + 1) } });
      expect(await readIdsAt(10)).toEqual(['timed', 'mine', 'bobs', 'series']);
      await putCalendar(calendars, sampleCalendar(alice, { timeZone: 'Pacific/Kiritimati' }));
      for (const hours of [-14, 9]) expect(await readIdsAt(hours)).toEqual(['mine', 'bobs', 'series']);
      expect(await readIdsAt(10)).toEqual(['timed', 'series']);
      expect(await countDays(10)).toBe(0);
    });

    test('a restored calendar starts empty', async () => {
      await putShared('shared', bob);
      const series = await putShared('series', bob, { core: dailyCore });
      await putEvent(sampleException(series, noonOn(2)));
      const [stateBefore] = await store.calendarStates([{ id: alice }]);
      await removeCalendar(alice);
      await putCalendar(calendars, sampleCalendar(alice));
      for (const id of [alice, bob]) expect(await findRecord(id, 'shared')).toBeUndefined();
      expect((await listEvents({}, bob)).entries).toEqual([]);
      const [stateAfter] = await store.calendarStates([{ id: alice }]);
      expect(stateAfter?.revision).not.toBe(stateBefore?.revision);
      await putShared('shared', bob);
      const newSeries = await putShared('series', bob, { core: dailyCore });
      await putEvent(sampleException(newSeries, noonOn(2)));
      expect((await listEvents({}, bob)).entries).toHaveLength(3);
    });
  });
}
