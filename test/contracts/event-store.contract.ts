import { AppError } from '../../src/core/errors.ts';
import type { CalendarStore } from '../../src/calendar/calendar.store.ts';
import type { PendingChange, ChangeTarget, EventStore, ChangeState } from '../../src/event/event.store.ts';
import type { EventRecord } from '../../src/event/model/record.ts';
import {
  alice,
  bob,
  carol,
  daily,
  noonOn,
  sampleCalendar,
  sampleEvent,
  sampleException,
  stampAt,
  withCopy,
  withCore,
  type MakeEventStores,
  putCalendar,
  useEvents,
} from './event-samples.ts';
import { day, requestOf, startOfTime, mutateDeep } from './samples.ts';

/** What every event store promises of calendars, events and changes, whatever keeps them. */
export function eventStoreContract(name: string, makeStores: MakeEventStores): void {
  describe(`${name} as an event store`, () => {
    let now = startOfTime;
    let calendars: CalendarStore;
    let store: EventStore;
    const { stores, put, change, decideOn, list, ids, find } = useEvents(makeStores, () => now);
    beforeEach(() => {
      now = startOfTime;
      ({ calendars, events: store } = stores());
    });

    const found = (target: Partial<ChangeTarget>): Promise<ChangeState> =>
      store.changeEvent({ calendar: { id: alice }, eventId: 'lunch', guests: [], ...target }, (all) => ({
        result: all,
      }));
    const changedSince = (since: string | undefined, calendarId?: string): Promise<string[]> =>
      ids(since === undefined ? {} : { since }, calendarId);
    /** As a client does when others change the event all the time. */
    const insisting = async <T>(attempt: () => Promise<T>): Promise<T> => {
      for (;;) {
        try {
          return await attempt();
        } catch (error) {
          if (!(error instanceof AppError && error.code === 'UNAVAILABLE')) throw error;
        }
      }
    };

    test.each<[string, 'changeEvent' | 'importEvents']>([
      ['by itself', 'changeEvent'],
      ['among others', 'importEvents'],
    ])('a new series is stored with its exceptions %s, and read in the order of ids', async (_how, way) => {
      const record = withCopy(sampleEvent('standup', { core: daily }), bob, { id: 'bobs' });
      const [third, second] = [3, 2].map((on) =>
        sampleException(record, noonOn(on), { core: { summary: 'own' } }),
      );
      const exceptions = [third, second] as EventRecord[];
      const one = {
        target: { calendar: { id: alice }, eventId: 'standup', guests: [] },
        decide: () => ({ added: { record, exceptions }, result: 'stored' }),
      };
      const other = {
        target: { ...one.target, eventId: 'other' },
        decide: () => ({ next: sampleEvent('other'), result: 'stored' }),
      };
      if (way === 'changeEvent') expect(await store.changeEvent(one.target, one.decide)).toBe('stored');
      else expect(await store.importEvents([other, one])).toEqual(['stored', 'stored']);
      const [state] = await store.exceptionsOf([record]);
      expect([state?.record, state?.exceptions.length]).toEqual([record, 2]);
      const changed = [
        { eventId: `bobs_${noonOn(2)}`, record: second, series: record },
        { eventId: `bobs_${noonOn(3)}`, record: third, series: record },
      ];
      expect(await store.eventsBehind(bob, '', 10)).toEqual([{ eventId: 'bobs', record }, ...changed]);
      expect(await store.eventsBehind(bob, 'bobs', 1)).toEqual(changed.slice(0, 1));
      expect(await store.eventsBehind(bob, 'c', 1)).toEqual([]);
      expect(await store.eventsBehind('none', '', 1)).toEqual([]);
    });

    describe('events', () => {
      test('come in the order asked, as often as asked, undefined where there is none', async () => {
        const one = await put(sampleEvent('one'));
        const two = await put(sampleEvent('two', { home: bob }));
        const all = await store.events([
          { calendarId: bob, eventId: 'two' },
          { calendarId: alice, eventId: 'two' },
          { calendarId: alice, eventId: 'one' },
          { calendarId: 'none', eventId: 'one' },
          { calendarId: alice, eventId: '__proto__' },
          { calendarId: bob, eventId: 'two' },
        ]);
        expect(all.map((event) => event?.record)).toEqual([two, undefined, one, undefined, undefined, two]);
        expect(await store.events([])).toEqual([]);
      });

      test('come back as they were put in, with every character', async () => {
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
        await put(event);
        const stored = await find(alice, 'odd');
        expect(stored).toEqual(expected);
        expect(Object.keys(stored?.core.extendedProperties?.shared ?? {}).sort()).toEqual(
          Object.keys(properties).sort(),
        );
      });

      test('stand on every calendar that has a copy, under the id they have there', async () => {
        const event = await put(withCopy(sampleEvent('lunch'), bob, { id: 'other' }));
        const later = await change(event, (stored) => withCopy(stored, carol));
        for (const [calendarId, id] of [
          [alice, 'lunch'],
          [bob, 'other'],
          [carol, 'lunch'],
        ] as const)
          expect(await find(calendarId, id)).toEqual(later);
        expect(await find(bob, 'lunch')).toBeUndefined();
      });

      test('are handed out frozen and are no live references, neither what was put in nor what came out', async () => {
        const event = sampleEvent('lunch', { core: { attendees: [{ email: bob }] } });
        const expected = structuredClone(event);
        await put(event, { request: requestOf('live') });
        mutateDeep(event);
        const all: unknown[] = [
          await store.events([{ calendarId: alice, eventId: 'lunch' }]),
          await list(),
          await store.exceptionsOf([event]),
          await found({ iCalUID: 'lunch@example.com' }),
        ];
        for (const value of all) mutateDeep(value);
        const stored = await find(alice, 'lunch');
        expect(stored).toEqual(expected);
        const parts = [
          stored,
          stored?.core,
          stored?.core.attendees,
          stored?.core.attendees?.[0],
          stored?.copies,
        ];
        expect(parts.every(Object.isFrozen)).toBe(true);
      });
    });

    test('a page has the revision of its calendar, which is safe: all that is stored shows', async () => {
      const { revision: before } = await list();
      const shared = await put(withCopy(sampleEvent('shared', { home: bob }), alice));
      await change(shared, (stored) => withCore(stored, { summary: 'now' }));
      const { revision } = await list();
      expect((await store.calendarStates([{ id: alice }]))[0]?.revision).toBe(revision);
      expect(
        await Promise.all(
          [undefined, before, revision].map((since) => store.safeRevision(alice, revision, since)),
        ),
      ).toEqual([revision, revision, revision]);
    });

    describe('a change', () => {
      test('of a calendar that is not there finds nothing', async () => {
        const nothing = {
          calendar: undefined,
          event: undefined,
          series: undefined,
          exceptions: 0,
          ofSeries: [],
          sameUid: [],
          guests: new Map(),
          mailRoom: undefined,
          earlier: undefined,
        };
        const asked = { seriesId: 'lunch', iCalUID: 'lunch@example.com', mailsBy: 'somebody' };
        expect(await found({ calendar: { id: 'none' }, ...asked })).toMatchObject(nothing);
        expect(await found({ calendar: { primaryOf: 'nobody@example.com' } })).toMatchObject(nothing);
      });

      test('finds the calendar by its id or by its owner, and the event', async () => {
        const event = await put(sampleEvent('lunch'));
        const expected = { calendar: sampleCalendar(alice), event, series: undefined };
        for (const calendar of [{ id: alice }, { primaryOf: 'ALICE@example.com' }])
          expect(await found({ calendar })).toMatchObject(expected);
        expect((await found({ eventId: 'other' })).event).toBeUndefined();
      });

      test('finds the calendars of guests who have one, and what has the same id, or that of the series, there', async () => {
        const holder = await put(sampleEvent('lunch', { home: bob }));
        const { guests } = await found({ guests: [carol, bob, 'nobody@example.com'] });
        expect(guests).toEqual(
          new Map([
            [carol, { calendarId: carol, holder: undefined }],
            [bob, { calendarId: bob, holder }],
          ]),
        );
        const named = await found({ eventId: `lunch_${noonOn(1)}`, seriesId: 'lunch', guests: [carol, bob] });
        expect(named.guests.get(carol)?.seriesKey).toBeUndefined();
        expect(named.guests.get(bob)?.seriesKey).toBe(holder.key);
      });

      test('finds the zones of the calendars that the event is on, and of the guests who have one', async () => {
        await putCalendar(calendars, sampleCalendar(bob, { timeZone: 'Asia/Tokyo' }));
        await putCalendar(calendars, sampleCalendar(carol, { timeZone: 'Europe/Berlin' }));
        await put(withCopy({ ...sampleEvent('lunch'), version: 0 }, bob));
        const { zoneOf } = await found({ guests: [carol] });
        const zones = ['UTC', 'Asia/Tokyo', 'Europe/Berlin', undefined];
        expect([alice, bob, carol, 'none'].map(zoneOf)).toEqual(zones);
      });

      test('finds the other events of the calendar with an iCalUID', async () => {
        const core = { iCalUID: 'lunch@example.com' };
        const event = await put(sampleEvent('lunch'));
        const twin = await put(sampleEvent('twin', { core }));
        await put(sampleEvent('elsewhere', { home: bob, core }));
        const keys = async (iCalUID?: string): Promise<string[]> =>
          (await found({ iCalUID })).sameUid.map(({ key }) => key).sort();
        expect(await keys('lunch@example.com')).toEqual([event.key, twin.key].sort());
        expect([await keys('none@example.com'), await keys()]).toEqual([[], []]);
      });

      test('gives the result of its decision, and stores what that makes of the event', async () => {
        const first = await put(sampleEvent('lunch'));
        const next = withCore(first, { summary: 'Late lunch' });
        expect(await decideOn(first, {}, () => ({ next, result: 'done' }))).toBe('done');
        expect(await find(alice, 'lunch')).toEqual(next);
      });

      test('that decides on nothing, or on the record that was found, stores nothing', async () => {
        const event = await put(withCopy(sampleEvent('lunch'), bob));
        const { revision } = await list();
        await decideOn(event, {}, () => ({ result: 0 }));
        await decideOn(event, {}, ({ event: stored }) => ({ next: stored, result: 0 }));
        await found({ eventId: 'new', guests: [bob] });
        const asGuest = { calendar: { id: carol }, eventId: 'lunch', guests: [bob] };
        await store.changeEvent(asGuest, ({ guests }) => ({ next: guests.get(bob)?.holder, result: 0 }));
        expect(await changedSince(revision)).toEqual([]);
        expect(await find(alice, 'lunch')).toEqual(event);
        for (const [calendarId, id] of [
          [alice, 'new'],
          [carol, 'lunch'],
        ] as const)
          expect(await find(calendarId, id)).toBeUndefined();
      });

      test('that is refused stores nothing, and its error is thrown as it is', async () => {
        const event = await put(sampleEvent('lunch'));
        const refusal = new Error('no');
        const request = requestOf('retry');
        await expect(
          decideOn(event, { request }, () => {
            throw refusal;
          }),
        ).rejects.toBe(refusal);
        expect(await found({ request })).toMatchObject({ event, earlier: undefined });
      });

      test('of an event that a guest has under the same id takes it to another calendar', async () => {
        const event = await put(sampleEvent('lunch', { home: bob }));
        const next = withCopy(event, alice);
        await store.changeEvent({ calendar: { id: alice }, eventId: 'lunch', guests: [bob] }, () => ({
          next,
          result: 0,
        }));
        expect([await find(alice, 'lunch'), await find(bob, 'lunch')]).toEqual([next, next]);
        expect(await changedSince(undefined)).toEqual(['lunch']);
      });

      test('by many imported together is as by one after the other', async () => {
        const samples = Array.from({ length: 5 }, (_, index) => sampleEvent(`event${index}`));
        const series = sampleEvent('standup', { core: daily });
        const exception = sampleException(series, noonOn(2));
        const adding = (record: EventRecord, eventId: string, seriesId?: string): PendingChange<string> => ({
          target: { calendar: { id: alice }, eventId, seriesId, guests: [bob, 'nobody@example.com'] },
          decide: ({ calendar, event, series: of, guests }) => ({
            ...(!event && { next: record }),
            result: `${calendar?.id} ${event?.key === record.key} ${of?.key} ${[...guests.keys()].join()}`,
          }),
        });
        await put(samples[3] as EventRecord);
        const changes = [
          ...samples.map((record, index) => adding(record, `event${index}`)),
          adding(samples[0] as EventRecord, 'event0'),
          adding(series, 'standup'),
          adding(exception, `standup_${noonOn(2)}`, 'standup'),
        ];
        const results = await store.importEvents(changes);
        const expected = [false, false, false, true, false, true, false].map(
          (known) => `${alice} ${known} undefined ${bob}`,
        );
        expect(results).toEqual([...expected, `${alice} false ${series.key} ${bob}`]);
        const order = ['event3', 'event0', 'event1', 'event2', 'event4', 'standup', `standup_${noonOn(2)}`];
        expect(await changedSince(undefined)).toEqual(order);
        const { revision } = await list();
        await store.importEvents([adding(withCopy(sampleEvent('more'), bob), 'more')]);
        expect(await changedSince(revision)).toEqual(['more']);
        expect(await find(bob, 'more')).toBeDefined();
        const refuse = () => {
          throw new Error('refused');
        };
        const last = { ...adding(sampleEvent('last'), 'last'), decide: refuse };
        await expect(store.importEvents([last])).rejects.toThrow('refused');
        expect(await store.importEvents([])).toEqual([]);
      });

      test('loses none of those that come at once', async () => {
        const event = await put(sampleEvent('lunch', { core: { sequence: 0 } }));
        const raise = (stored: EventRecord): EventRecord =>
          withCore(stored, { sequence: (stored.core.sequence ?? 0) + 1 });
        await Promise.all(Array.from({ length: 50 }, () => insisting(() => change(event, raise))));
        expect(await find(alice, 'lunch')).toMatchObject({ version: 51, core: { sequence: 50 } });
      });

      test('loses none that come at once by way of different calendars', async () => {
        await put(withCopy(withCopy(sampleEvent('lunch'), bob), carol));
        const answer = (id: string): Promise<unknown> =>
          insisting(() =>
            store.changeEvent({ calendar: { id }, eventId: 'lunch', guests: [] }, ({ event }) => {
              const colorId = `${Number(event?.copies[id]?.own.colorId ?? 0) + 1}`;
              return { next: withCopy(event as EventRecord, id, { own: { colorId } }), result: 0 };
            }),
          );
        await Promise.all(Array.from({ length: 10 }, () => [alice, bob, carol].map(answer)).flat());
        const copies = (await find(alice, 'lunch'))?.copies ?? {};
        expect([alice, bob, carol].map((id) => copies[id]?.own.colorId)).toEqual(['10', '10', '10']);
      });

      test.each([
        ['with the same id', (): EventRecord => sampleEvent('lunch'), 'event'],
        [
          'with the same iCalUID',
          (index: number): EventRecord => sampleEvent(`lunch${index}`, { core: { iCalUID: 'same' } }),
          'sameUid',
        ],
      ] as const)('makes one event of 30 that come at once %s', async (_what, make, seen) => {
        const results = await Promise.all(
          Array.from({ length: 30 }, (_, index) => {
            const event = make(index);
            return insisting(() =>
              decideOn(event, { iCalUID: event.core.iCalUID }, (all) =>
                (seen === 'event' ? all.event : all.sameUid.length > 0)
                  ? { result: 'taken' }
                  : { next: event, result: 'made' },
              ),
            );
          }),
        );
        expect(results.filter((result) => result === 'made')).toHaveLength(1);
        expect(await changedSince(undefined)).toHaveLength(1);
      });

      test("knows what comes to a guest's calendar meanwhile, so that no event takes the place of another", async () => {
        const invitation = (index: number): Promise<unknown> =>
          insisting(() => {
            const event = sampleEvent(`same${index}`);
            return decideOn(event, { guests: [bob] }, ({ guests }) => ({
              next: withCopy(event, bob, guests.get(bob)?.holder ? { id: `free${index}` } : {}),
              result: 0,
            }));
          });
        const own = (index: number): Promise<unknown> =>
          insisting(() => {
            const event = sampleEvent(`same${index}`, { home: bob });
            return decideOn(event, {}, ({ event: taken }) => ({
              next: taken ? sampleEvent(`own${index}`, { home: bob }) : event,
              result: 0,
            }));
          });
        const indexes = Array.from({ length: 10 }, (_, index) => index);
        await Promise.all(indexes.flatMap((index) => [invitation(index), own(index)]));
        const listed = (await list({}, bob)).entries;
        expect(new Set(listed.map(({ record }) => record.key)).size).toBe(20);
        expect(new Set(listed.map(({ record }) => record.copies[bob]?.id)).size).toBe(20);
      });
    });

    describe('a request', () => {
      const remember = (key: string, outcome: object, input = 'input', until = now + day): Promise<unknown> =>
        store.changeEvent(
          { calendar: { id: alice }, eventId: 'lunch', guests: [], request: requestOf(key, input, until) },
          ({ earlier, event }) =>
            earlier
              ? { result: earlier.outcome }
              : { next: event ?? sampleEvent('lunch'), outcome, result: 'new' },
        );

      test('is found again with its outcome and its own fingerprint, on any calendar', async () => {
        const outcome = { record: sampleEvent('any'), list: [1, null, { ключ: '🙂' }] };
        expect(await remember('retry', outcome)).toBe('new');
        const { earlier } = await found({
          calendar: { id: bob },
          request: requestOf('retry', 'other input'),
        });
        expect(earlier).toMatchObject({ fingerprint: 'input', outcome });
        mutateDeep(earlier);
        expect(await remember('retry', { another: true })).toEqual(outcome);
        for (const target of [{ request: requestOf('other') }, {}])
          expect((await found(target)).earlier).toBeUndefined();
      });

      test('sent 100 times at once is decided with an earlier outcome all but once', async () => {
        const results = await Promise.all(
          Array.from({ length: 100 }, () => insisting(() => remember('retry', { of: 'first' }))),
        );
        expect(results.filter((result) => result === 'new')).toHaveLength(1);
        expect(results.filter((result) => (result as { of?: string }).of === 'first')).toHaveLength(99);
      });
    });
  });
}
