import { createCalendarLoader } from '../../../src/calendar/calendar.loaders.ts';
import type { CalendarStore } from '../../../src/calendar/calendar.store.ts';
import { WorkBudget } from '../../../src/core/runtime/work-budget.ts';
import { createEventService, type EventService } from '../../../src/event/event.service.ts';
import type { ListEventsArgs } from '../../../src/event/event.requests.ts';
import type { EventStore } from '../../../src/event/event.store.ts';
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
import { lagging, type Lag } from './doubts.ts';
import { sharedServer } from './stores.ts';

const viewer = (identity: string) => ({ identity, key: identity, sub: identity, scopes: new Set<string>() });
const links = { event: 'https://calendar.example.com/event', call: 'https://calendar.example.com/call' };

describeWithPostgres("a change that shows on a guest's calendar before its record does", () => {
  const { makeEventStores, database } = sharedServer('spread');
  let calendars: CalendarStore;
  let store: EventStore;
  let service: EventService;
  beforeEach(async () => {
    ({ calendars, events: store } = await makeEventStores(() => startOfTime));
    for (const id of [alice, bob, carol]) await putCalendar(calendars, sampleCalendar(id));
    const tools = {
      model: compileModel(eventFields),
      clock: () => startOfTime,
      signingSecret: 'x'.repeat(32),
      mails: false,
      links,
    };
    service = createEventService({
      store,
      calendars,
      readCalendar: createCalendarLoader(calendars),
      notifier: { notify: () => undefined },
      tools,
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
  const rename = (record: EventRecord, summary: string) => (): Promise<EventRecord> =>
    change(store, record, (stored) => withCore(stored, { summary }));
  const lag = (record: EventRecord, summary = 'new'): Promise<Lag> =>
    lagging(database(), [record], rename(record, summary));

  describe.each([
    ['one by one', {}],
    ['by their instances', { singleEvents: true }],
  ] as const)('in a list of events %s', (_how, args) => {
    test('comes again with the sync after the list that shows it as it was, and with none later', async () => {
      const [first] = (await invite('first', 'second')) as [EventRecord];
      const { forward } = await lag(first);
      const all = await read(args);
      expect(shown(all)).toEqual(['first: first', 'second: second']);
      await forward();
      const news = await synced(all, args);
      expect(shown(news)).toEqual(['first: new']);
      expect(shown(await synced(news, args))).toEqual([]);
    });

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
      const { forward } = await lagging(database(), [event], () => put(store, event));
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
      expect((await list(store, { ...query, settles: true, accepts: () => false }, bob)).settled).toBe(
        revision,
      );
    }
    expect(await list(store, {}, bob)).not.toHaveProperty('settled');
    // The organizer's entry and its record are of one moment.
    expect(await list(store, { settles: true }, alice)).not.toHaveProperty('settled');
    await forward();
    expect(await list(store, { settles: true }, bob)).not.toHaveProperty('settled');
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
    const changeException = () => put(store, withCore(exception, { summary: 'two' }), target);

    test.each([
      ['its own record', () => [exception], changeException, `standup_${noonOn(2)}: two`],
      ['the record of its series', () => [series, exception], rename, `standup_${noonOn(3)}: whole`],
    ] as const)(
      'makes the instances be listed anew while %s lags behind',
      async (_what, records, make, expected) => {
        const { forward } = await lagging(
          database(),
          records(),
          make === rename ? rename(series, 'whole') : changeException,
        );
        const all = await read({ singleEvents: true });
        expect(shown(all)).toHaveLength(5);
        expect(shown(all)).not.toContain(expected);
        await forward();
        expect(await synced(all, { singleEvents: true }).then(shown, () => ['expired'])).toEqual(
          make === rename ? ['expired'] : [expected],
        );
        expect(shown(await read({ singleEvents: true }))).toContain(expected);
      },
    );

    test('comes again with what it has of its series, where that is not on the calendar', async () => {
      const own = sampleException(series, noonOn(3), { core: { attendees: [{ email: carol }] } });
      await put(store, withCopy(own, carol, { id: `standup_${noonOn(3)}` }), target);
      const { forward } = await lagging(database(), [series], rename(series, 'whole'));
      const all = await read({}, carol);
      expect(shown(all)).toEqual([`standup_${noonOn(3)}: standup`]);
      await forward();
      expect(shown(await read({ syncToken: all.nextSyncToken }, carol))).toEqual([
        `standup_${noonOn(3)}: whole`,
      ]);
    });

    test('comes again where there was no record of it', async () => {
      const other = sampleException(series, noonOn(4), { core: { summary: 'other' } });
      const { forward } = await lagging(database(), [other], () => put(store, other, target));
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
    /** Looks from the first one that is asked for: before, the record would be seen to go back, which no record does. */
    const follow = async (lastEventId?: string) => {
      const news = (
        await service.followCalendar(viewer(bob), { calendarId: bob }, { lastEventId, ended: ended.signal })
      )[Symbol.asyncIterator]();
      return async (): Promise<string> => (await news.next()).value?.id as string;
    };
    const soon = (told: Promise<string>): Promise<string> =>
      Promise.race([told, new Promise<string>((resolve) => setTimeout(resolve, 2500, 'nothing'))]);

    test('is told when it comes, and again by itself once it shows, but not in between', async () => {
      const [first] = (await invite('first')) as [EventRecord];
      const next = await follow();
      const { forward } = await lag(first);
      const id = await next();
      const again = next();
      expect(await soon(again)).toBe('nothing');
      expect(shown(await read({ syncToken: (await read()).nextSyncToken }))).toEqual(['first: first']);
      await forward();
      const last = await again;
      expect(last).not.toBe(id);
      expect(await soon(next())).toBe('nothing');
    });

    test('is told of it once it shows by a stream that begins meanwhile', async () => {
      const [first] = (await invite('first')) as [EventRecord];
      const { forward } = await lag(first);
      const told = (await follow())();
      expect(await soon(told)).toBe('nothing');
      await forward();
      expect(await soon(told)).not.toBe('nothing');
    });

    test('is told of it at once by a stream that goes on from an event that told of it, and again once it shows', async () => {
      const [first] = (await invite('first')) as [EventRecord];
      const before = await follow();
      const { forward } = await lag(first);
      const next = await follow(await before());
      expect(await soon(next())).not.toBe('nothing');
      const again = next();
      await forward();
      expect(await soon(again)).not.toBe('nothing');
    });

    test('is told of it once it shows by a stream of several calendars', async () => {
      const [first] = (await invite('first')) as [EventRecord];
      const { forward } = await lag(first);
      const news = (
        await service.followCalendars(
          viewer(bob),
          { calendarIds: [bob] },
          { lastEventId: undefined, ended: ended.signal },
        )
      )[Symbol.asyncIterator]();
      await news.next();
      const again = news.next().then(() => 'told');
      expect(await soon(again)).toBe('nothing');
      await forward();
      expect(await soon(again)).toBe('told');
    });
  });

  test('lets the revision be known that is settled, and no older one than asked', async () => {
    const [first] = (await invite('first', 'second')) as [EventRecord];
    const { revision: before } = await list(store, {}, bob);
    const { forward } = await lag(first);
    const { revision } = await list(store, {}, bob);
    expect(
      await Promise.all(
        [before, undefined, revision].map((since) => store.settledRevision(bob, revision, since)),
      ),
    ).toEqual([before, before, revision]);
    await forward();
    expect(await store.settledRevision(bob, revision, before)).toBe(revision);
    expect(await store.settledRevision(alice, revision, undefined)).toBe(revision);
  });
});
