import { AppError } from '../../src/core/errors.ts';
import type { CalendarStore } from '../../src/calendar/calendar.store.ts';
import type { ChangeState, ChangeTarget, EventStore } from '../../src/event/event.store.ts';
import type { EventRecord } from '../../src/event/model/record.ts';
import {
  dailyCore,
  noonOn,
  sampleCalendar,
  sampleEvent,
  sampleException,
  stampAt,
  withCopy,
  withCore,
  type MakeEventStores,
  putCalendar,
  useEventStores,
  alice,
  bob,
  carol,
} from './event-samples.ts';
import { dayMs, refuse, createSampleRequest, startOfTime, mutateDeep } from './samples.ts';

/** Tests of events and changes in every event store. */
export function eventStoreContract(name: string, makeStores: MakeEventStores): void {
  describe(`${name} as an event store`, () => {
    let now = startOfTime;
    let calendars: CalendarStore;
    let store: EventStore;
    const { stores, putEvent, changeEvent, decideOn, listEvents, readIds, findRecord } = useEventStores(
      makeStores,
      () => now,
    );
    beforeEach(() => {
      now = startOfTime;
      ({ calendars, events: store } = stores());
    });

    const loadState = (target: Partial<ChangeTarget>): Promise<ChangeState> =>
      decideOn(sampleEvent('lunch'), target, (state) => ({ result: state }));
    const listChangedIds = (since: string | undefined, calendarId?: string): Promise<string[]> =>
      readIds(since === undefined ? {} : { since }, calendarId);
    /** Repeats an attempt while it is UNAVAILABLE because of concurrent changes, as clients do. */
    const retryWhileUnavailable = async <T>(attempt: () => Promise<T>): Promise<T> => {
      for (;;) {
        try {
          return await attempt();
        } catch (error) {
          if (!(error instanceof AppError && error.code === 'UNAVAILABLE')) throw error;
        }
      }
    };

    test.each<[string, 'changeEvent' | 'importEvents']>([
      ['by a change', 'changeEvent'],
      ['by an import', 'importEvents'],
    ])(
      'a new series is stored with its exceptions %s, and read in the order of ids',
      async (_case, method) => {
        const record = withCopy(sampleEvent('standup', { core: dailyCore }), bob, { id: 'bobs' });
        const [third, second] = [3, 2].map((day) =>
          sampleException(record, noonOn(day), { core: { summary: 'own' } }),
        );
        const exceptions = [third, second] as EventRecord[];
        const seriesChange = {
          target: { calendar: { id: alice }, eventId: 'standup', guests: [] },
          decide: () => ({ added: [{ record, exceptions }], result: 'stored' }),
        };
        const otherChange = {
          target: { ...seriesChange.target, eventId: 'other' },
          decide: () => ({ next: sampleEvent('other'), result: 'stored' }),
        };
        if (method === 'changeEvent')
          expect(await store.changeEvent(seriesChange.target, seriesChange.decide)).toBe('stored');
        else expect(await store.importEvents([otherChange, seriesChange])).toEqual(['stored', 'stored']);
        const [state] = await store.exceptionsOf([record]);
        expect([state?.record, state?.exceptions.length]).toEqual([record, 2]);
        const bobsInstances = [
          { eventId: `bobs_${noonOn(2)}`, record: second, series: record },
          { eventId: `bobs_${noonOn(3)}`, record: third, series: record },
        ];
        expect(await store.eventsAfter(bob, '', 10)).toEqual([{ eventId: 'bobs', record }, ...bobsInstances]);
        expect(await store.eventsAfter(bob, 'bobs', 1)).toEqual(bobsInstances.slice(0, 1));
        expect(await store.eventsAfter(bob, 'c', 1)).toEqual([]);
        expect(await store.eventsAfter('none', '', 1)).toEqual([]);
      },
    );

    describe('events', () => {
      test('are returned in the given order with duplicates, undefined for missing ones', async () => {
        const alicesEvent = await putEvent(sampleEvent('one'));
        const bobsEvent = await putEvent(sampleEvent('two', { home: bob }));
        const foundEvents = await store.events([
          { calendarId: bob, eventId: 'two' },
          { calendarId: alice, eventId: 'two' },
          { calendarId: alice, eventId: 'one' },
          { calendarId: 'none', eventId: 'one' },
          { calendarId: alice, eventId: '__proto__' },
          { calendarId: bob, eventId: 'two' },
        ]);
        const foundRecords = foundEvents.map((event) => event?.record);
        const missing = undefined;
        expect(foundRecords).toEqual([bobsEvent, missing, alicesEvent, missing, missing, bobsEvent]);
        expect(await store.events([])).toEqual([]);
      });

      test('are read as they were stored, with every character', async () => {
        const properties = JSON.parse(
          '{ "ключ 🙂": "значение", "constructor": "kept", "empty": "", "__proto__": "kept" }',
        ) as Record<string, string>;
        const core = {
          summary: 'é\n"🙂\\',
          attendees: [],
          sequence: 2_147_483_647,
          guestsCanInviteOthers: false,
          extendedProperties: { shared: properties },
        };
        const event = withCopy(sampleEvent('odd', { core }), alice, {
          own: { extendedProperties: { private: properties } },
          viewers: { [bob]: { stamp: stampAt(), own: { reminders: { overrides: [] } } } },
        });
        const expected = structuredClone(event);
        await putEvent(event);
        const stored = await findRecord(alice, 'odd');
        expect(stored).toEqual(expected);
        expect(Object.keys(stored?.core.extendedProperties?.shared ?? {}).sort()).toEqual(
          Object.keys(properties).sort(),
        );
      });

      test('are found on every calendar with a copy, under its id there', async () => {
        const event = await putEvent(withCopy(sampleEvent('lunch'), bob, { id: 'other' }));
        const laterRecord = await changeEvent(event, (stored) => withCopy(stored, carol));
        for (const calendarId of [alice, carol])
          expect(await findRecord(calendarId, 'lunch')).toEqual(laterRecord);
        expect(await findRecord(bob, 'other')).toEqual(laterRecord);
        expect(await findRecord(bob, 'lunch')).toBeUndefined();
      });

      test('are returned frozen, and share no references with the input or results', async () => {
        const event = sampleEvent('lunch', { core: { attendees: [{ email: bob }] } });
        const expected = structuredClone(event);
        await putEvent(event, { request: createSampleRequest('live') });
        mutateDeep(event);
        const returnedValues: unknown[] = [
          await store.events([{ calendarId: alice, eventId: 'lunch' }]),
          await listEvents(),
          await store.exceptionsOf([event]),
          await loadState({ iCalUID: 'lunch@example.com' }),
        ];
        for (const value of returnedValues) mutateDeep(value);
        const stored = await findRecord(alice, 'lunch');
        expect(stored).toEqual(expected);
        const { core, copies } = stored as EventRecord;
        const nested = [core, copies, core.attendees, core.attendees?.[0]];
        expect([stored, ...nested].every(Object.isFrozen)).toBe(true);
      });
    });

    test('a page has the revision of its calendar, and this revision is safe', async () => {
      const { revision: revisionBefore } = await listEvents();
      const shared = await putEvent(withCopy(sampleEvent('shared', { home: bob }), alice));
      await changeEvent(shared, (stored) => withCore(stored, { summary: 'now' }));
      const { revision } = await listEvents();
      expect((await store.calendarStates([{ id: alice }]))[0]?.revision).toBe(revision);
      for (const since of [undefined, revisionBefore, revision])
        expect(await store.safeRevision(alice, revision, since)).toBe(revision);
    });

    describe('a change', () => {
      test('of a missing calendar loads nothing', async () => {
        const emptyState = {
          calendar: undefined,
          event: undefined,
          series: undefined,
          exceptionCount: 0,
          seriesExceptions: [],
          eventsWithUid: [],
          guests: new Map(),
          mailQuota: undefined,
          earlierRequest: undefined,
        };
        const target = { seriesId: 'lunch', iCalUID: 'lunch@example.com', mailSender: 'somebody' };
        expect(await loadState({ calendar: { id: 'none' }, ...target })).toMatchObject(emptyState);
        expect(await loadState({ calendar: { primaryOf: 'nobody@example.com' } })).toMatchObject(emptyState);
      });

      test('loads the event and the calendar, by its id or its owner', async () => {
        const event = await putEvent(sampleEvent('lunch'));
        const expected = { calendar: sampleCalendar(alice), event, series: undefined };
        for (const calendar of [{ id: alice }, { primaryOf: 'ALICE@example.com' }])
          expect(await loadState({ calendar })).toMatchObject(expected);
        expect((await loadState({ eventId: 'other' })).event).toBeUndefined();
      });

      test('loads the calendars of guests, with events there that have the same id or that of the series', async () => {
        const holder = await putEvent(sampleEvent('lunch', { home: bob }));
        const { guests } = await loadState({ guests: [carol, bob, 'nobody@example.com'] });
        expect(guests).toEqual(
          new Map([
            [carol, { calendarId: carol, holder: undefined, importedInstances: [] }],
            [bob, { calendarId: bob, holder, importedInstances: [] }],
          ]),
        );
        const instance = { eventId: `lunch_${noonOn(1)}`, seriesId: 'lunch' };
        const stateWithSeries = await loadState({ ...instance, guests: [carol, bob] });
        expect(stateWithSeries.guests.get(carol)?.seriesKey).toBeUndefined();
        expect(stateWithSeries.guests.get(bob)?.seriesKey).toBe(holder.key);
      });

      test("loads the zones of the event's calendars and of its guests' calendars", async () => {
        await putCalendar(calendars, sampleCalendar(bob, { timeZone: 'Asia/Tokyo' }));
        await putCalendar(calendars, sampleCalendar(carol, { timeZone: 'Europe/Berlin' }));
        await putEvent(withCopy({ ...sampleEvent('lunch'), version: 0 }, bob));
        const { zoneOf } = await loadState({ guests: [carol] });
        const zones = ['UTC', 'Asia/Tokyo', 'Europe/Berlin', undefined];
        expect([alice, bob, carol, 'none'].map(zoneOf)).toEqual(zones);
      });

      test('replaces and adds several events of an iCalUID at once', async () => {
        const core = { iCalUID: 'same' };
        for (const id of ['one', 'two']) await putEvent(sampleEvent(id, { core }));
        const rename = (record: EventRecord): EventRecord => ({
          ...record,
          version: record.version + 1,
          core: { ...record.core, summary: 'renamed' },
          coreStamp: stampAt(),
          openStamp: stampAt(),
        });
        const added = ['three', 'four'].map((id) => ({ record: sampleEvent(id, { core }), exceptions: [] }));
        const target = { calendar: { id: alice }, eventId: 'none', iCalUID: 'same', guests: [] };
        await store.changeEvent(target, ({ eventsWithUid }) => {
          const [next, ...replaced] = eventsWithUid.map(rename);
          return { ...(next && { next }), replaced, added, result: undefined };
        });
        const { eventsWithUid } = await loadState({ iCalUID: 'same' });
        expect(eventsWithUid.map(({ core: { summary } }) => summary).toSorted()).toEqual([
          'four',
          'renamed',
          'renamed',
          'three',
        ]);
      });

      test('loads other events of the calendar with an iCalUID', async () => {
        const core = { iCalUID: 'lunch@example.com' };
        const event = await putEvent(sampleEvent('lunch'));
        const twin = await putEvent(sampleEvent('twin', { core }));
        await putEvent(sampleEvent('elsewhere', { home: bob, core }));
        const listKeys = async (iCalUID?: string): Promise<string[]> =>
          (await loadState({ iCalUID })).eventsWithUid.map(({ key }) => key).sort();
        expect(await listKeys('lunch@example.com')).toEqual([event.key, twin.key].sort());
        expect([await listKeys('none@example.com'), await listKeys()]).toEqual([[], []]);
      });

      test('returns the result of its decision and stores the next version', async () => {
        const first = await putEvent(sampleEvent('lunch'));
        const next = withCore(first, { summary: 'Late lunch' });
        expect(await decideOn(first, {}, () => ({ next, result: 'done' }))).toBe('done');
        expect(await findRecord(alice, 'lunch')).toEqual(next);
      });

      test('without a next version, or with the same record, stores nothing', async () => {
        const event = await putEvent(withCopy(sampleEvent('lunch'), bob));
        const { revision } = await listEvents();
        await decideOn(event, {}, () => ({ result: 0 }));
        await decideOn(event, {}, ({ event: stored }) => ({ next: stored, result: 0 }));
        await loadState({ eventId: 'new', guests: [bob] });
        const asGuest = { calendar: { id: carol }, eventId: 'lunch', guests: [bob] };
        await store.changeEvent(asGuest, ({ guests }) => ({ next: guests.get(bob)?.holder, result: 0 }));
        expect(await listChangedIds(revision)).toEqual([]);
        expect(await findRecord(alice, 'lunch')).toEqual(event);
        expect([await findRecord(alice, 'new'), await findRecord(carol, 'lunch')]).toEqual([
          undefined,
          undefined,
        ]);
      });

      test('that throws stores nothing and passes the error on', async () => {
        const event = await putEvent(sampleEvent('lunch'));
        const request = createSampleRequest('retry');
        await expect(decideOn(event, { request }, refuse)).rejects.toThrow('refused');
        expect(await loadState({ request })).toMatchObject({ event, earlierRequest: undefined });
      });

      test("may add a guest's event with the same id to another calendar", async () => {
        const event = await putEvent(sampleEvent('lunch', { home: bob }));
        const next = withCopy(event, alice);
        const invitation = { calendar: { id: alice }, eventId: 'lunch', guests: [bob] };
        await store.changeEvent(invitation, () => ({ next, result: 0 }));
        expect([await findRecord(alice, 'lunch'), await findRecord(bob, 'lunch')]).toEqual([next, next]);
        expect(await listChangedIds(undefined)).toEqual(['lunch']);
      });

      test('by an import gives the same results as single changes', async () => {
        const samples = Array.from({ length: 5 }, (_, index) => sampleEvent(`event${index}`));
        const series = sampleEvent('standup', { core: dailyCore });
        const exception = sampleException(series, noonOn(2));
        const createImport = (record: EventRecord, eventId: string, seriesId?: string) => ({
          target: { calendar: { id: alice }, eventId, seriesId, guests: [bob, 'nobody@example.com'] },
          decide: ({ calendar, event, series, guests }: ChangeState) => ({
            ...(!event && { next: record }),
            result: `${calendar?.id} ${event?.key === record.key} ${series?.key} ${[...guests.keys()].join()}`,
          }),
        });
        await putEvent(samples[3] as EventRecord);
        const changes = [
          ...samples.map((record, index) => createImport(record, `event${index}`)),
          createImport(samples[0] as EventRecord, 'event0'),
          createImport(series, 'standup'),
          createImport(exception, `standup_${noonOn(2)}`, 'standup'),
        ];
        const results = await store.importEvents(changes);
        const expected = [false, false, false, true, false, true, false].map(
          (isStored) => `${alice} ${isStored} undefined ${bob}`,
        );
        expect(results).toEqual([...expected, `${alice} false ${series.key} ${bob}`]);
        const order = ['event3', 'event0', 'event1', 'event2', 'event4', 'standup', `standup_${noonOn(2)}`];
        expect(await listChangedIds(undefined)).toEqual(order);
        const { revision } = await listEvents();
        await store.importEvents([createImport(withCopy(sampleEvent('more'), bob), 'more')]);
        expect(await listChangedIds(revision)).toEqual(['more']);
        expect(await findRecord(bob, 'more')).toBeDefined();
        const refusedImport = { ...createImport(sampleEvent('last'), 'last'), decide: refuse };
        await expect(store.importEvents([refusedImport])).rejects.toThrow('refused');
        expect(await store.importEvents([])).toEqual([]);
      });

      test('loses none of 50 concurrent ones', async () => {
        const event = await putEvent(sampleEvent('lunch', { core: { sequence: 0 } }));
        const raiseSequence = (stored: EventRecord): EventRecord =>
          withCore(stored, { sequence: (stored.core.sequence ?? 0) + 1 });
        await Promise.all(
          Array.from({ length: 50 }, () => retryWhileUnavailable(() => changeEvent(event, raiseSequence))),
        );
        expect(await findRecord(alice, 'lunch')).toMatchObject({ version: 51, core: { sequence: 50 } });
      });

      test('loses none of concurrent ones on different calendars', async () => {
        await putEvent(withCopy(withCopy(sampleEvent('lunch'), bob), carol));
        const setColor = (id: string): Promise<unknown> =>
          retryWhileUnavailable(() =>
            store.changeEvent({ calendar: { id }, eventId: 'lunch', guests: [] }, ({ event }) => {
              const colorId = `${Number(event?.copies[id]?.own.colorId ?? 0) + 1}`;
              return { next: withCopy(event as EventRecord, id, { own: { colorId } }), result: 0 };
            }),
          );
        await Promise.all(Array.from({ length: 10 }, () => [alice, bob, carol].map(setColor)).flat());
        const copies = (await findRecord(alice, 'lunch'))?.copies ?? {};
        expect([alice, bob, carol].map((id) => copies[id]?.own.colorId)).toEqual(['10', '10', '10']);
      });

      test.each([
        ['with the same id', (): EventRecord => sampleEvent('lunch'), 'event'],
        [
          'with the same iCalUID',
          (index: number): EventRecord => sampleEvent(`lunch${index}`, { core: { iCalUID: 'same' } }),
          'sameUid',
        ],
      ] as const)(
        'makes one event of 30 concurrent inserts %s',
        async (_case, createEvent, duplicateField) => {
          const results = await Promise.all(
            Array.from({ length: 30 }, (_, index) => {
              const event = createEvent(index);
              return retryWhileUnavailable(() =>
                decideOn(event, { iCalUID: event.core.iCalUID }, (state) =>
                  (duplicateField === 'event' ? state.event : state.eventsWithUid.length > 0)
                    ? { result: 'taken' }
                    : { next: event, result: 'made' },
                ),
              );
            }),
          );
          expect(results.filter((result) => result === 'made')).toHaveLength(1);
          expect(await listChangedIds(undefined)).toHaveLength(1);
        },
      );

      test("sees concurrent events on a guest's calendar, so that none replaces another", async () => {
        const inviteBob = (index: number): Promise<unknown> =>
          retryWhileUnavailable(() => {
            const event = sampleEvent(`same${index}`);
            return decideOn(event, { guests: [bob] }, ({ guests }) => ({
              next: withCopy(event, bob, guests.get(bob)?.holder ? { id: `free${index}` } : {}),
              result: 0,
            }));
          });
        const putBobsEvent = (index: number): Promise<unknown> =>
          retryWhileUnavailable(() => {
            const event = sampleEvent(`same${index}`, { home: bob });
            return decideOn(event, {}, ({ event: existing }) => ({
              next: existing ? sampleEvent(`own${index}`, { home: bob }) : event,
              result: 0,
            }));
          });
        const indexes = Array.from({ length: 10 }, (_, index) => index);
        await Promise.all(indexes.flatMap((index) => [inviteBob(index), putBobsEvent(index)]));
        const bobsEntries = (await listEvents({}, bob)).entries;
        expect(new Set(bobsEntries.map(({ record }) => record.key)).size).toBe(20);
        expect(new Set(bobsEntries.map(({ record }) => record.copies[bob]?.id)).size).toBe(20);
      });
    });

    describe('a request', () => {
      const changeOnce = (key: string, outcome: object): Promise<unknown> =>
        decideOn(
          sampleEvent('lunch'),
          { request: createSampleRequest(key, 'input', now + dayMs) },
          (state) =>
            state.earlierRequest
              ? { result: state.earlierRequest.outcome }
              : { next: state.event ?? sampleEvent('lunch'), outcome, result: 'new' },
        );

      test('is found with its outcome and its fingerprint, on any calendar', async () => {
        const outcome = { record: sampleEvent('any'), list: [1, null, { ключ: '🙂' }] };
        expect(await changeOnce('retry', outcome)).toBe('new');
        const repeatedRequest = createSampleRequest('retry', 'other input');
        const { earlierRequest: earlier } = await loadState({
          calendar: { id: bob },
          request: repeatedRequest,
        });
        expect(earlier).toMatchObject({ fingerprint: 'input', outcome });
        mutateDeep(earlier);
        expect(await changeOnce('retry', { another: true })).toEqual(outcome);
        for (const target of [{ request: createSampleRequest('other') }, {}])
          expect((await loadState(target)).earlierRequest).toBeUndefined();
      });

      test('sent 100 times concurrently finds its outcome 99 times', async () => {
        const results = await Promise.all(
          Array.from({ length: 100 }, () =>
            retryWhileUnavailable(() => changeOnce('retry', { of: 'first' })),
          ),
        );
        expect(results.filter((result) => result === 'new')).toHaveLength(1);
        expect(results.filter((result) => (result as { of?: string }).of === 'first')).toHaveLength(99);
      });
    });
  });
}
