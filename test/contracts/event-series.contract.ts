import type { ChangeTarget, EventQuery, EventStore, ChangeState } from '../../src/event/event.store.ts';
import type { EventRecord } from '../../src/event/model/record.ts';
import {
  instantAt,
  timesBetween,
  dailyCore,
  idsOf,
  noonOn,
  sampleEvent,
  sampleException,
  stampAt,
  withCopy,
  withCore,
  type MakeEventStores,
  useEventStores,
  alice,
  bob,
  carol,
} from './event-samples.ts';
import { refuse } from './samples.ts';

const exceptionTarget = { eventId: `standup_${noonOn(3)}`, seriesId: 'standup' };
const onlyTwoDays = { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] };

/** Tests of series, their exceptions and change notifications in every event store. */
export function eventSeriesContract(name: string, makeStores: MakeEventStores): void {
  describe(`${name} as an event store: series`, () => {
    let store: EventStore;
    const { stores, putEvent, changeEvent, decideOn, listEvents, readIds, findRecord } =
      useEventStores(makeStores);
    beforeEach(() => {
      store = stores().events;
    });

    const readState = (target: Partial<ChangeTarget>): Promise<ChangeState> =>
      decideOn(sampleEvent('standup'), target, (state) => ({ result: state }));
    const putStandup = (...guestCalendarIds: readonly string[]): Promise<EventRecord> =>
      putEvent(
        guestCalendarIds.reduce(
          (record, id) => withCopy({ ...record, version: 0 }, id),
          sampleEvent('standup', { core: dailyCore }),
        ),
      );
    /** Puts an exception with a guest list of its own, which is also on Carol's calendar. */
    const putWithOwnGuests = (series: EventRecord, original: string): Promise<EventRecord> => {
      const ownGuestsException = sampleException(series, original, {
        core: { attendees: [{ email: carol }] },
      });
      return putEvent(withCopy(ownGuestsException, carol, { id: `${series.copies[alice]?.id}_${original}` }));
    };

    describe('an exception', () => {
      test('with its own guest list is found on calendars with its copy, and wherever the series is', async () => {
        const series = await putStandup(bob);
        const exception = await putWithOwnGuests(series, noonOn(2));
        const id = `standup_${noonOn(2)}`;
        for (const calendarId of [alice, bob, carol])
          expect(await findRecord(calendarId, id)).toEqual(exception);
        expect((await store.events([{ calendarId: carol, eventId: id }]))[0]?.series).toEqual(series);
        const expectedState = { event: exception, series };
        expect(await readState({ calendar: { id: bob }, eventId: id })).toMatchObject(expectedState);
        const { guests } = await readState({ eventId: id, guests: [bob] });
        expect(guests.get(bob)).toMatchObject({ calendarId: bob, holder: exception });
      });

      test('is loaded with its series, or with the series that the target names', async () => {
        const series = await putStandup();
        expect(await readState(exceptionTarget)).toMatchObject({
          event: undefined,
          series,
          exceptionCount: 0,
        });
        const event = await putEvent(sampleException(series, noonOn(3)));
        expect(await readState(exceptionTarget)).toMatchObject({ event, series, exceptionCount: 0 });
        const otherTarget = { ...exceptionTarget, eventId: `standup_${noonOn(2)}` };
        expect(await readState(otherTarget)).toMatchObject({ event: undefined, series, exceptionCount: 1 });
        expect(await readState({ eventId: exceptionTarget.eventId })).toMatchObject({ event, series });
        expect((await readState({ seriesId: 'none' })).series).toBeUndefined();
      });

      test('is found with its current series, on each calendar of the series', async () => {
        const series = await putStandup();
        const exception = await putEvent(sampleException(series, noonOn(2)));
        const moved = await changeEvent(series, (stored) =>
          withCopy(withCore(stored, { summary: 'Moved' }), bob, { id: 'bobs' }),
        );
        const foundEvents = await store.events([
          { calendarId: alice, eventId: `standup_${noonOn(2)}` },
          { calendarId: bob, eventId: `bobs_${noonOn(2)}` },
          { calendarId: carol, eventId: `standup_${noonOn(2)}` },
          { calendarId: alice, eventId: 'standup' },
        ]);
        const foundException = { record: exception, series: moved };
        expect(foundEvents).toEqual([foundException, foundException, undefined, { record: moved }]);
      });

      test('is a separate entry of an expanded list by updated', async () => {
        const series = await putStandup();
        await putEvent(sampleException(series, noonOn(2), { stamp: stampAt(5) }));
        await putEvent(sampleEvent('lunch', { stamp: stampAt(3) }));
        const expected = ['standup', 'lunch', `standup_${noonOn(2)}`];
        expect(await readIds({ expandsSeries: true, order: 'updated' })).toEqual(expected);
        expect(await readIds({ expandsSeries: true })).toEqual(['standup', 'lunch']);
      });

      test('is reset when its series loses the occurrence, and stays reset if that returns', async () => {
        const series = await putStandup();
        const core = { summary: 'Own' };
        const exception = await putEvent(withCopy(sampleException(series, noonOn(3), { core }), carol));
        const { revision } = await listEvents({}, carol);
        for (const recurrence of [onlyTwoDays.recurrence, dailyCore.recurrence ?? []]) {
          const next = await changeEvent(series, (stored) => withCore(stored, { recurrence }));
          const [reset] = await store.events([{ calendarId: alice, eventId: `standup_${noonOn(3)}` }]);
          expect(reset).toMatchObject({
            record: {
              key: exception.key,
              core: {},
              copies: { [carol]: { state: 'uninvited' } },
              instance: { answers: {} },
            },
            series: next,
          });
        }
        expect((await listEvents({ since: revision }, carol)).entries).toHaveLength(1);
      });
    });

    test('a series is loaded with its exceptions on each of its calendars, an exception without any', async () => {
      const series = await putStandup(bob);
      const exceptions = await Promise.all(
        [3, 4].map((day) => putEvent(sampleException(series, noonOn(day)))),
      );
      for (const id of [alice, bob]) {
        const { event, seriesExceptions } = await readState({ calendar: { id } });
        expect([event, new Set(seriesExceptions)]).toEqual([series, new Set(exceptions)]);
      }
      expect((await readState({ eventId: `standup_${noonOn(3)}` })).seriesExceptions).toEqual([]);
    });

    test('a series moves to another home with its exceptions', async () => {
      const series = await putStandup(bob);
      const exceptions = [];
      for (const dayOfMonth of [2, 3])
        exceptions.push(await putEvent(sampleException(series, noonOn(dayOfMonth))));
      const moveToBob = (stored: EventRecord) => ({ ...withCore(stored, { summary: 'Moved' }), homeId: bob });
      const moved = await changeEvent(series, moveToBob);
      const [state] = await store.exceptionsOf([moved]);
      expect(state?.record).toEqual(moved);
      const keysOf = (records: readonly EventRecord[] = []) => records.map(({ key }) => key).sort();
      expect(keysOf(state?.exceptions)).toEqual(keysOf(exceptions));
      expect(await store.eventsAtHome(alice, undefined, 10)).toEqual([]);
    });

    describe('a divided series', () => {
      test('is loaded with its exceptions, also if the target is one of them', async () => {
        const series = await putStandup();
        const exceptions = [await putEvent(sampleException(series, noonOn(3)))];
        expect((await readState({ ...exceptionTarget, dividesSeries: true })).seriesExceptions).toEqual(
          exceptions,
        );
        exceptions.push(await putEvent(sampleException(series, noonOn(4))));
        const targetWithoutException = {
          ...exceptionTarget,
          eventId: `standup_${noonOn(2)}`,
          dividesSeries: true,
        };
        const { seriesExceptions } = await readState(targetWithoutException);
        expect(new Set(seriesExceptions)).toEqual(new Set(exceptions));
        expect((await readState(exceptionTarget)).seriesExceptions).toEqual([]);
      });

      test('is stored atomically with the new series and its exceptions, on all their calendars', async () => {
        const series = await putStandup(bob);
        const oldException = await putEvent(sampleException(series, noonOn(4), { core: { summary: 'Own' } }));
        const record = withCopy(sampleEvent('after', { core: { ...dailyCore, ...onlyTwoDays } }), bob);
        const exception = withCopy(sampleException(record, noonOn(4), { core: { summary: 'Own' } }), carol, {
          id: `after_${noonOn(4)}`,
        });
        const calendarIds = [alice, bob, carol];
        const revisions = await Promise.all(
          calendarIds.map(async (id) => (await listEvents({}, id)).revision),
        );
        const changedCalendars = new Set<string>();
        let stop = (): void => undefined;
        const allNotified = new Promise<void>((resolve) => {
          stop = store.watchCalendars(
            (calendarId) => void (changedCalendars.add(calendarId).size === 3 && resolve()),
          );
        });
        const next = withCore(series, onlyTwoDays);
        const division = { calendar: { id: alice }, guests: [], dividesSeries: true, ...exceptionTarget };
        const added = [{ record, exceptions: [exception] }];
        await store.changeEvent(division, () => ({ next, added, result: undefined }));
        expect(await findRecord(alice, 'standup')).toEqual(next);
        const reset = { key: oldException.key, core: {}, instance: { emptied: true } };
        expect(await findRecord(alice, `standup_${noonOn(4)}`)).toMatchObject(reset);
        for (const calendarId of [alice, bob]) {
          const [stored] = await store.events([{ calendarId, eventId: `after_${noonOn(4)}` }]);
          expect(stored).toEqual({ record: exception, series: record });
        }
        const listChangedIds = (id: string, index: number) => readIds({ since: revisions[index] ?? '' }, id);
        expect(await Promise.all(calendarIds.map(listChangedIds))).toEqual([
          ['standup', `standup_${noonOn(4)}`, 'after', `after_${noonOn(4)}`],
          ['standup', noonOn(4), 'after', noonOn(4)],
          [`after_${noonOn(4)}`],
        ]);
        await allNotified;
        stop();
      });

      test('is unchanged if the decision throws, and decided again after a concurrent change of an exception', async () => {
        const series = await putStandup();
        const divide = (existingExceptions: readonly EventRecord[], id: string) => {
          const record = sampleEvent(id, { core: { ...dailyCore, ...onlyTwoDays } });
          return {
            next: withCore(series, onlyTwoDays),
            added: [{ record, exceptions: existingExceptions.map(() => sampleException(record, noonOn(4))) }],
            result: existingExceptions.length,
          };
        };
        const division = { calendar: { id: alice }, guests: [], dividesSeries: true, ...exceptionTarget };
        await expect(store.changeEvent(division, refuse)).rejects.toThrow('refused');
        expect((await listEvents()).entries.map(({ record }) => record)).toEqual([series]);
        const [, loadedExceptionCount] = await Promise.all([
          putEvent(sampleException(series, noonOn(4))),
          store.changeEvent(division, ({ seriesExceptions, series: stored }) =>
            stored?.version === series.version ? divide(seriesExceptions, 'after') : { result: -1 },
          ),
        ]);
        const following = (await findRecord(alice, 'after')) as EventRecord;
        expect((await store.exceptionsOf([following]))[0]?.exceptions).toHaveLength(
          Number(loadedExceptionCount),
        );
      });
    });

    describe('series and exceptions in a list', () => {
      let series: EventRecord;
      let exceptions: readonly EventRecord[];
      beforeEach(async () => {
        series = await putEvent(withCopy(sampleEvent('series', { core: dailyCore }), bob));
        exceptions = [
          await putEvent(sampleException(series, noonOn(2))),
          await putEvent(sampleException(series, noonOn(4), { core: { status: 'cancelled' } })),
        ];
      });
      const sortByOriginalStart = (records: readonly EventRecord[]): EventRecord[] =>
        [...records].sort((a, b) => ((a.instance?.original ?? '') < (b.instance?.original ?? '') ? -1 : 1));
      const exceptionsOf = async (record: EventRecord): Promise<EventRecord[]> =>
        (await store.exceptionsOf([record])).flatMap((state) => sortByOriginalStart(state.exceptions));
      const exceptionIds = [`series_${noonOn(2)}`, `series_${noonOn(4)}`];

      test('are separate entries, each exception with its series', async () => {
        const { entries } = await listEvents();
        expect(idsOf(entries)).toEqual(['series', ...exceptionIds]);
        expect(entries.map((entry) => entry.series)).toEqual([undefined, series, series]);
        expect((await listEvents({}, bob)).entries.map(({ record }) => record)).toEqual([
          series,
          ...exceptions,
        ]);
      });

      test('are listed by their series only if the list is expanded, also by start and without cancelled ones', async () => {
        await putEvent(sampleEvent('single'));
        const { entries } = await listEvents({ expandsSeries: true, includesCancelled: false });
        expect(entries.map(({ record }) => record.key)).toEqual([series.key, expect.anything()]);
        const byStart = await listEvents({ expandsSeries: true, order: 'start' });
        expect([idsOf(byStart.entries), idsOf(byStart.series)]).toEqual([['single'], ['series']]);
      });

      test('an exception on a calendar without the series is an entry, expanded or not', async () => {
        const exception = await putWithOwnGuests(series, noonOn(3));
        for (const expandsSeries of [false, true]) {
          const { entries } = await listEvents({ expandsSeries }, carol);
          expect(entries.map((entry) => [entry.record, entry.series])).toEqual([[exception, series]]);
        }
        expect(await readIds({ expandsSeries: true })).toEqual(['series']);
      });

      test('change together: a change of the series changes its exceptions on every calendar', async () => {
        const revisions = [(await listEvents()).revision, (await listEvents({}, bob)).revision] as const;
        const next = await changeEvent(series, (stored) =>
          withCore(stored, { summary: 'other' }, stampAt(7)),
        );
        expect(await readIds({ since: revisions[0] })).toEqual(['series', ...exceptionIds]);
        const bobsEntries = (await listEvents({ since: revisions[1] }, bob)).entries;
        expect(bobsEntries.map((entry) => entry.series ?? entry.record)).toEqual([next, next, next]);
        const { entries } = await listEvents({ updatedMin: instantAt(7), order: 'updated' });
        expect(entries.map((entry) => entry.at)).toEqual([7, 7, 7].map(instantAt));
        expect(await exceptionsOf(next)).toEqual(exceptions);
      });

      test('a change of an exception changes neither its series nor other exceptions', async () => {
        const { revision } = await listEvents();
        const next = await changeEvent(exceptions[0] as EventRecord, (stored) =>
          withCore(stored, { summary: 'other' }, stampAt(8)),
        );
        expect(await readIds({ since: revision })).toEqual([exceptionIds[0]]);
        expect(await readIds({ updatedMin: instantAt(8) })).toEqual([exceptionIds[0]]);
        const { entries } = await listEvents({ updatedMin: instantAt(8) }, bob);
        expect(entries.map(({ record }) => record)).toEqual([next]);
        expect(await exceptionsOf(series)).toEqual([next, exceptions[1]]);
      });

      test('an exception is found at its own time and at that of its occurrence', async () => {
        await changeEvent(exceptions[0] as EventRecord, (stored) =>
          withCore(stored, timesBetween(1000, 1001)),
        );
        const idsIn = (from: number, to: number): Promise<string[]> =>
          readIds({ between: { from: instantAt(from), to: instantAt(to) } });
        expect(await idsIn(24 + 12, 24 + 13)).toContain(exceptionIds[0]);
        expect(await idsIn(1000, 1001)).toEqual([exceptionIds[0]]);
      });

      test('a series is listed for an exception that was moved beyond its end', async () => {
        await putEvent(sampleEvent('another', { core: { ...dailyCore, ...onlyTwoDays } }));
        await changeEvent(series, (stored) => withCore(stored, onlyTwoDays));
        await changeEvent(exceptions[0] as EventRecord, (stored) =>
          withCore(stored, timesBetween(1000, 1001)),
        );
        const listIds = async (query: Partial<EventQuery>, from = 1000): Promise<string[][]> => {
          const between = { from: instantAt(from), to: instantAt(from + 1) };
          const page = await listEvents({ expandsSeries: true, between, ...query });
          return [idsOf(page.entries), idsOf(page.series)];
        };
        expect(await listIds({ order: 'position' })).toEqual([['series'], []]);
        expect(await listIds({ order: 'start' })).toEqual([[], ['series']]);
        for (const order of ['position', 'start'] as const)
          expect(await listIds({ order }, 1002)).toEqual([[], []]);
      });

      test('are read by series, all of them, in a consistent current state', async () => {
        const exceptionWithOwnGuests = await putWithOwnGuests(series, noonOn(3));
        const seriesWithoutExceptions = await putEvent(sampleEvent('bare', { home: bob, core: dailyCore }));
        const next = await changeEvent(series, (stored) => withCore(stored, { summary: 'other' }));
        const states = await store.exceptionsOf([seriesWithoutExceptions, series, next]);
        expect(states.map(({ record }) => record)).toEqual([seriesWithoutExceptions, next, next]);
        const expectedExceptions = [exceptions[0], exceptionWithOwnGuests, exceptions[1]];
        expect(states.map((state) => sortByOriginalStart(state.exceptions))).toEqual([
          [],
          expectedExceptions,
          expectedExceptions,
        ]);
        expect(await store.exceptionsOf([])).toEqual([]);
      });

      test('are found by the iCalUID of the series', async () => {
        expect(await readIds({ iCalUID: 'series@example.com' })).toEqual(['series', ...exceptionIds]);
      });

      test('are passed to `accepts`, each exception with its series', async () => {
        const passedKeys: [string, string | undefined][] = [];
        await listEvents({
          accepts: ({ record, series: parent }) => passedKeys.push([record.key, parent?.key]) > 0,
        });
        const expected = [[series.key, undefined], ...exceptions.map(({ key }) => [key, series.key])];
        expect(passedKeys).toEqual(expect.arrayContaining(expected));
      });
    });

    describe('a watcher of calendars', () => {
      const startWatching = () => {
        const notifiedCalendars: string[] = [];
        const waiters: (() => void)[] = [];
        const stop = store.watchCalendars((calendarId) => {
          notifiedCalendars.push(calendarId);
          for (const wake of waiters.splice(0)) wake();
        });
        const waitUntilNotified = async (calendarId: string): Promise<void> => {
          while (!notifiedCalendars.includes(calendarId))
            await new Promise<void>((resolve) => waiters.push(resolve));
        };
        return { notified: notifiedCalendars, waitUntilNotified, stop };
      };

      test('is notified of each changed calendar only', async () => {
        const { notified, waitUntilNotified, stop } = startWatching();
        const event = await putEvent(withCopy(sampleEvent('lunch'), bob));
        await decideOn(event, {}, ({ event: stored }) => ({ next: stored, result: 0 }));
        await Promise.all([waitUntilNotified(alice), waitUntilNotified(bob)]);
        expect(new Set(notified)).toEqual(new Set([alice, bob]));
        notified.length = 0;
        await changeEvent(event, (stored) => withCopy(stored, bob, { own: { colorId: '3' } }));
        await waitUntilNotified(bob);
        await putEvent(sampleEvent('last', { home: carol }));
        await waitUntilNotified(carol);
        expect(new Set(notified)).toEqual(new Set([bob, carol]));
        stop();
      });

      test("is notified of the exceptions' calendars when their series changes", async () => {
        const series = await putStandup();
        await putWithOwnGuests(series, noonOn(2));
        const { waitUntilNotified, stop } = startWatching();
        await changeEvent(series, (stored) => withCore(stored, { summary: 'Other' }));
        await Promise.all([waitUntilNotified(alice), waitUntilNotified(carol)]);
        stop();
      });

      test('is not notified after it stopped, while others are', async () => {
        const [first, second] = [startWatching(), startWatching()];
        first.stop();
        await putEvent(sampleEvent('lunch'));
        await second.waitUntilNotified(alice);
        second.stop();
        expect(first.notified).toEqual([]);
      });
    });
  });
}
