import { setTimeout as pause } from 'node:timers/promises';
import { createCalendarLoader } from '../../../src/calendar/calendar.loaders.ts';
import type { CalendarStore } from '../../../src/calendar/calendar.store.ts';
import { WorkBudget } from '../../../src/core/runtime/limits.ts';
import { createEventService, type EventService } from '../../../src/event/event.service.ts';
import type { ListEventsArgs } from '../../../src/event/event.requests.ts';
import type { EventQuery, EventStore } from '../../../src/event/event.store.ts';
import type { EventList } from '../../../src/event/list/list.ts';
import { eventFields } from '../../../src/event/model/fields.ts';
import { compileModel } from '../../../src/event/model/model.ts';
import type { EventRecord } from '../../../src/event/model/record.ts';
import {
  alice,
  bob,
  carol,
  change,
  daily,
  list,
  noonOn,
  put,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  sampleException,
  withCopy,
  withCore,
} from '../../contracts/event-samples.ts';
import { startOfTime } from '../../contracts/samples.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import type { Row } from '../../../src/adapters/postgres/database.ts';
import { sharedServer } from './stores.ts';

const viewer = (identity: string) => ({ identity, key: identity, sub: identity, scopes: new Set<string>() });
const links = { event: 'https://calendar.example.com/event', call: 'https://calendar.example.com/call' };

describeWithPostgres("a change that shows on a guest's calendar before its record does", () => {
  const { makeEventStores, database } = sharedServer();
  let calendars: CalendarStore;
  let store: EventStore;
  let service: EventService;
  beforeEach(async () => {
    ({ calendars, events: store } = await makeEventStores(() => startOfTime));
    for (const id of [alice, bob, carol]) await putCalendar(calendars, sampleCalendar(id));
    const [model, signingSecret] = [compileModel(eventFields), 'x'.repeat(32)];
    service = createEventService({
      store,
      calendars,
      readCalendar: createCalendarLoader(calendars),
      notifier: { notify: () => undefined },
      tools: { model, clock: () => startOfTime, signingSecret, mails: false, links },
    });
  });

  const read = (args: Partial<ListEventsArgs> = {}, as: string = bob): Promise<EventList> =>
    service.listEvents(viewer(as), { calendarId: as, ...args }, {}, new WorkBudget());
  const shown = ({ edges }: EventList): string[] =>
    edges.map(({ node }) => `${node.id}: ${String(node.summary)}`);
  const synced = async (
    { nextSyncToken }: EventList,
    args: Partial<ListEventsArgs> = {},
  ): Promise<EventList> => read({ syncToken: nextSyncToken, ...args });
  /** Events of Alice's, each with Bob as a guest. */
  const invite = async (...names: readonly string[]): Promise<EventRecord[]> => {
    const events: EventRecord[] = [];
    for (const name of names) events.push(await put(store, withCopy(sampleEvent(name), bob)));
    return events;
  };
  const revisionOf = async (id: string): Promise<string | undefined> =>
    (await store.calendarStates([{ id }]))[0]?.revision;
  const rename = (record: EventRecord, summary: string) => (): Promise<EventRecord> =>
    change(store, record, (stored) => withCore(stored, { summary }));
  /** Makes a change and takes the stored records back to what they were: what a reader meets while their shard lags behind. */
  async function lagging(
    records: readonly Pick<EventRecord, 'homeId' | 'key'>[],
    makeChange: () => Promise<unknown>,
  ): Promise<{ forward(): Promise<void> }> {
    const columns = 'version, family, series_key, body';
    const stored = (): Promise<(readonly Row[])[]> =>
      Promise.all(
        records.map(({ homeId, key }) =>
          database().query({
            text: `SELECT ${columns} FROM events WHERE home_id = $1 AND key = $2`,
            values: [homeId, key],
          }),
        ),
      );
    const restore = async (found: readonly (readonly Row[])[]): Promise<void> => {
      for (const [index, { homeId, key }] of records.entries()) {
        const text = 'DELETE FROM events WHERE home_id = $1 AND key = $2';
        await database().query({ text, values: [homeId, key] });
        for (const { version, family, series_key: series, body } of found[index] ?? [])
          await database().query({
            text: `INSERT INTO events (home_id, key, ${columns}) VALUES ($1, $2, $3, $4, $5, $6)`,
            values: [homeId, key, version, family, series, body],
          });
      }
    };
    const before = await stored();
    await makeChange();
    const after = await stored();
    await restore(before);
    return { forward: () => restore(after) };
  }
  const lag = (record: EventRecord) => lagging([record], rename(record, 'new'));

  describe.each([
    ['one by one', {}],
    ['by their instances', { singleEvents: true }],
  ] as const)('in a list of events %s', (_how, args) => {
    test('comes again after each sync that shows it as it was, with all that came behind it', async () => {
      const [first, second] = (await invite('first', 'second')) as [EventRecord, EventRecord];
      const begun = await read(args);
      const { forward } = await lag(first);
      await rename(second, 'behind')();
      const early = await synced(begun, args);
      const still = await synced(early, args);
      expect([shown(early), shown(still)]).toEqual(Array(2).fill(['first: first', 'second: behind']));
      await forward();
      const news = await synced(still, args);
      expect(shown(news)).toEqual(['first: new', 'second: behind']);
      expect(shown(await synced(news, args))).toEqual([]);
    });

    test('comes with the next sync where there is no record yet', async () => {
      const event = withCopy(sampleEvent('first'), bob);
      await invite('before');
      const { forward } = await lagging([event], () => put(store, event));
      await invite('behind');
      const all = await read(args);
      expect(shown(all)).toEqual(['before: before', 'behind: behind']);
      await forward();
      expect(shown(await synced(all, args))).toEqual(['first: first', 'behind: behind']);
    });

    test.each([
      ['the first page', 0],
      ['a later page', 27],
    ] as const)('on %s comes again after the last one, though it shows by then', async (_where, index) => {
      // More than a store reads at once.
      const ids = Array.from({ length: 28 }, (_, count) => `event${count}`);
      const [events, id] = [await invite(...ids), ids[index] as string];
      const { forward } = await lag(events[index] as EventRecord);
      const pages = [await read({ ...args, first: 7 })];
      for (let last = pages[0]; last?.hasNextPage; last = pages.at(-1)) {
        if (shown(last).includes(`${id}: ${id}`)) await forward();
        pages.push(await read({ ...args, first: 7, after: last.edges.at(-1)?.cursor as string }));
      }
      await forward();
      expect(pages.flatMap(shown)).toEqual(ids.map((each) => `${each}: ${each}`));
      expect(shown(await synced(pages.at(-1) as EventList, args))).toEqual([`${id}: new`]);
    });

    test('comes again without what was changed before it', async () => {
      const [first, second] = (await invite('first', 'second')) as [EventRecord, EventRecord];
      await rename(first, 'before')();
      await lag(second);
      expect(shown(await synced(await read(args), args))).toEqual(['second: second']);
    });
  });

  test('counts where the caller is not shown the event', async () => {
    const [first] = (await invite('first')) as [EventRecord];
    const { revision } = await list(store, {}, bob);
    const { forward } = await lag(first);
    for (const query of [{}, { order: 'start' }, { order: 'updated', expand: true }] as const) {
      expect((await list(store, { ...query, accepts: () => false }, bob)).revision).toBe(revision);
    }
    const isWhole = async (query: Partial<EventQuery>, calendarId: string): Promise<boolean> =>
      (await list(store, query, calendarId)).revision === (await revisionOf(calendarId));
    // Nothing follows on from a page of some hours.
    expect(await isWhole({ between: { from: 0, to: startOfTime * 2 } }, bob)).toBe(true);
    // The organizer's entry and its record are of one moment.
    expect(await isWhole({}, alice)).toBe(true);
    await forward();
    expect(await isWhole({}, bob)).toBe(true);
  });

  describe('of an exception', () => {
    let series: EventRecord;
    let exception: EventRecord;
    beforeEach(async () => {
      series = await put(
        store,
        withCopy(sampleEvent('standup', { core: { ...daily, attendees: [{ email: bob }] } }), bob),
      );
      exception = await put(store, sampleException(series, noonOn(2), { core: { summary: 'one' } }));
    });
    const target = { seriesId: 'standup' };

    test('makes the instances be listed anew while its own record lags behind', async () => {
      const id = `standup_${noonOn(2)}`;
      const { forward } = await lagging([exception], () =>
        put(store, withCore(exception, { summary: 'two' }), target),
      );
      const all = await read({ singleEvents: true });
      expect(shown(all)).toEqual(expect.arrayContaining([`${id}: one`]));
      await forward();
      expect(shown(await synced(all, { singleEvents: true }))).toEqual([`${id}: two`]);
    });

    test('expires sync tokens of instances while the record of its series lags behind', async () => {
      const whole = `standup_${noonOn(3)}: whole`;
      const { forward } = await lagging([series, exception], rename(series, 'whole'));
      const all = await read({ singleEvents: true });
      expect(shown(all)).not.toContain(whole);
      await forward();
      await expect(synced(all, { singleEvents: true })).rejects.toMatchObject({
        issues: [{ path: ['syncToken'] }],
      });
      expect(shown(await read({ singleEvents: true }))).toContain(whole);
    });

    test('comes again with what it has of its series, where that is not on the calendar', async () => {
      const own = sampleException(series, noonOn(3), { core: { attendees: [{ email: carol }] } });
      await put(store, withCopy(own, carol, { id: `standup_${noonOn(3)}` }), target);
      const { forward } = await lagging([series], rename(series, 'whole'));
      const all = await read({}, carol);
      expect(shown(all)).toEqual([`standup_${noonOn(3)}: standup`]);
      await forward();
      expect(shown(await read({ syncToken: all.nextSyncToken }, carol))).toEqual([
        `standup_${noonOn(3)}: whole`,
      ]);
    });

    test('comes again where there was no record of it', async () => {
      const other = sampleException(series, noonOn(4), { core: { summary: 'other' } });
      const { forward } = await lagging([other], () => put(store, other, target));
      const all = await read({ singleEvents: true });
      await forward();
      expect(shown(await synced(all, { singleEvents: true }))).toEqual([`standup_${noonOn(4)}: other`]);
    });
  });

  describe('for whoever follows the calendar', () => {
    let ended: AbortController;
    beforeEach(() => {
      ended = new AbortController();
    });
    afterEach(() => ended.abort());
    type News = AsyncIterable<{ readonly id?: string | undefined }>;
    const nextOf = (stream: News) => {
      const news = stream[Symbol.asyncIterator]();
      return async (): Promise<string> => (await news.next()).value?.id as string;
    };
    /** Looks from the first one that is asked for: before, the record would be seen to go back, which no record does. */
    const follow = async (lastEventId?: string) =>
      nextOf(
        await service.followCalendar(viewer(bob), { calendarId: bob }, { lastEventId, ended: ended.signal }),
      );
    /** Longer than the second after which a stream looks again. */
    const isSilent = async (told: Promise<string>): Promise<void> =>
      expect(await Promise.race([told, pause(1500, 'nothing')])).toBe('nothing');

    test('is told when it comes, and again by itself once it shows, but not in between', async () => {
      const [first] = (await invite('first')) as [EventRecord];
      const next = await follow();
      const { forward } = await lag(first);
      const id = await next();
      const again = next();
      await isSilent(again);
      expect(shown(await read({ syncToken: (await read()).nextSyncToken }))).toEqual(['first: first']);
      await forward();
      expect(await again).not.toBe(id);
      await isSilent(next());
    });

    test('is told once it shows by streams that begin meanwhile, of one calendar or of several', async () => {
      const [first] = (await invite('first')) as [EventRecord];
      const { forward } = await lag(first);
      const several = nextOf(
        await service.followCalendars(
          viewer(bob),
          { calendarIds: [bob] },
          { lastEventId: undefined, ended: ended.signal },
        ),
      );
      await several();
      const told = [(await follow())(), several()];
      await Promise.all(told.map(isSilent));
      await forward();
      await Promise.all(told);
    });

    test('is told at once by a stream that goes on from an event that told of it, and again once it shows', async () => {
      const [first] = (await invite('first')) as [EventRecord];
      const before = await follow();
      const { forward } = await lag(first);
      const next = await follow(await before());
      await next();
      await forward();
      await next();
    });
  });

  test('lets the revision be known that is safe, and no older one than asked', async () => {
    const [first] = (await invite('first', 'second')) as [EventRecord];
    const { revision: before } = await list(store, {}, bob);
    const { forward } = await lag(first);
    const revision = (await revisionOf(bob)) as string;
    expect(
      await Promise.all(
        [before, undefined, revision].map((since) => store.safeRevision(bob, revision, since)),
      ),
    ).toEqual([before, before, revision]);
    await forward();
    expect(await store.safeRevision(bob, revision, before)).toBe(revision);
    expect(await store.safeRevision(alice, revision, undefined)).toBe(revision);
  });
});
