import { setTimeout as pause } from 'node:timers/promises';
import { createCalendarLoader, type CalendarStore } from '../../../src/calendar/calendar.store.ts';
import { WorkBudget } from '../../../src/core/runtime/limits.ts';
import { createEventService, type EventService } from '../../../src/event/event.service.ts';
import type { ListEventsArgs } from '../../../src/event/event.requests.ts';
import type { EventQuery, EventStore } from '../../../src/event/event.store.ts';
import type { EventList } from '../../../src/event/list/list.ts';
import { eventFields } from '../../../src/event/model/fields.ts';
import { compileModel } from '../../../src/event/model/model.ts';
import type { EventRecord } from '../../../src/event/model/record.ts';
import {
  changeEvent,
  dailyCore,
  readEventPage,
  noonOn,
  putEvent,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  sampleException,
  withCopy,
  withCore,
  alice,
  bob,
  carol,
} from '../../contracts/event-samples.ts';
import { startOfTime } from '../../contracts/samples.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import type { Row } from '../../../src/adapters/postgres/database.ts';
import { useSharedServer } from './stores.ts';

const viewerOf = (identity: string) => ({
  identity,
  key: identity,
  sub: identity,
  scopes: new Set<string>(),
});
const links = { event: 'https://calendar.example.com/event', call: 'https://calendar.example.com/call' };

/**
 * Entries and records may be on different shards of a cluster, so that readers see a new entry while its record still
 * lags behind. These tests restore old records to the same effect.
 */
describeWithPostgres("a change whose entry on a guest's calendar is visible before its record", () => {
  const { makeEventStores, database } = useSharedServer();
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
      tools: { model, clock: () => startOfTime, signingSecret, sendsMails: false, links },
    });
  });

  const listEvents = (args: Partial<ListEventsArgs> = {}, caller: string = bob): Promise<EventList> =>
    service.listEvents(viewerOf(caller), { calendarId: caller, ...args }, {}, new WorkBudget());
  const describeEvents = ({ edges }: EventList): string[] =>
    edges.map(({ node }) => `${node.id}: ${String(node.summary)}`);
  const syncEvents = async (
    { nextSyncToken }: EventList,
    args: Partial<ListEventsArgs> = {},
  ): Promise<EventList> => listEvents({ syncToken: nextSyncToken, ...args });
  /** Stores events of Alice with Bob as a guest. */
  const invite = async (...names: readonly string[]): Promise<EventRecord[]> => {
    const events: EventRecord[] = [];
    for (const name of names) events.push(await putEvent(store, withCopy(sampleEvent(name), bob)));
    return events;
  };
  const revisionOf = async (id: string): Promise<string | undefined> =>
    (await store.calendarStates([{ id }]))[0]?.revision;
  const prepareRename = (record: EventRecord, summary: string) => (): Promise<EventRecord> =>
    changeEvent(store, record, (stored) => withCore(stored, { summary }));
  /** Makes a change and restores the records from before, as readers see them while a shard lags behind. */
  async function changeWithLag(
    records: readonly Pick<EventRecord, 'homeId' | 'key'>[],
    makeChange: () => Promise<unknown>,
  ): Promise<{
    /** Makes the changed records visible. */
    catchUp(): Promise<void>;
  }> {
    const columns = 'version, family, series_key, body';
    const readRows = (): Promise<(readonly Row[])[]> =>
      Promise.all(
        records.map(({ homeId, key }) =>
          database().query({
            text: `SELECT ${columns} FROM events WHERE home_id = $1 AND key = $2`,
            values: [homeId, key],
          }),
        ),
      );
    const restore = async (rowsByRecord: readonly (readonly Row[])[]): Promise<void> => {
      for (const [index, { homeId, key }] of records.entries()) {
        const text = 'DELETE FROM events WHERE home_id = $1 AND key = $2';
        await database().query({ text, values: [homeId, key] });
        for (const { version, family, series_key: series, body } of rowsByRecord[index] ?? [])
          await database().query({
            text: `INSERT INTO events (home_id, key, ${columns}) VALUES ($1, $2, $3, $4, $5, $6)`,
            values: [homeId, key, version, family, series, body],
          });
      }
    };
    const oldRows = await readRows();
    await makeChange();
    const changedRows = await readRows();
    await restore(oldRows);
    return { catchUp: () => restore(changedRows) };
  }
  const renameWithLag = (record: EventRecord) => changeWithLag([record], prepareRename(record, 'new'));

  describe.each([
    ['without expansion', {}],
    ['with their instances', { singleEvents: true }],
  ] as const)('in a list of events %s', (_case, args) => {
    test('comes again in each sync until its record is visible, with all later changes', async () => {
      const [first, second] = (await invite('first', 'second')) as [EventRecord, EventRecord];
      const listBefore = await listEvents(args);
      const { catchUp } = await renameWithLag(first);
      await prepareRename(second, 'behind')();
      const firstSync = await syncEvents(listBefore, args);
      const secondSync = await syncEvents(firstSync, args);
      expect([describeEvents(firstSync), describeEvents(secondSync)]).toEqual(
        Array(2).fill(['first: first', 'second: behind']),
      );
      await catchUp();
      const thirdSync = await syncEvents(secondSync, args);
      expect(describeEvents(thirdSync)).toEqual(['first: new', 'second: behind']);
      expect(describeEvents(await syncEvents(thirdSync, args))).toEqual([]);
    });

    test('comes with the next sync if there was no record yet', async () => {
      const event = withCopy(sampleEvent('first'), bob);
      await invite('before');
      const { catchUp } = await changeWithLag([event], () => putEvent(store, event));
      await invite('behind');
      const fullList = await listEvents(args);
      expect(describeEvents(fullList)).toEqual(['before: before', 'behind: behind']);
      await catchUp();
      expect(describeEvents(await syncEvents(fullList, args))).toEqual(['first: first', 'behind: behind']);
    });

    test.each([
      ['the first page', 0],
      ['a later page', 27],
    ] as const)(
      'on %s comes again in the first sync, even if it became visible while paging',
      async (_where, index) => {
        // More events than a store reads at once.
        const ids = Array.from({ length: 28 }, (_, count) => `event${count}`);
        const [events, id] = [await invite(...ids), ids[index] as string];
        const { catchUp } = await renameWithLag(events[index] as EventRecord);
        const pages = [await listEvents({ ...args, first: 7 })];
        for (let lastPage = pages[0]; lastPage?.hasNextPage; lastPage = pages.at(-1)) {
          if (describeEvents(lastPage).includes(`${id}: ${id}`)) await catchUp();
          pages.push(await listEvents({ ...args, first: 7, after: lastPage.edges.at(-1)?.cursor as string }));
        }
        await catchUp();
        expect(pages.flatMap(describeEvents)).toEqual(ids.map((eventId) => `${eventId}: ${eventId}`));
        expect(describeEvents(await syncEvents(pages.at(-1) as EventList, args))).toEqual([`${id}: new`]);
      },
    );

    test('comes again without earlier changes', async () => {
      const [first, second] = (await invite('first', 'second')) as [EventRecord, EventRecord];
      await prepareRename(first, 'before')();
      await renameWithLag(second);
      expect(describeEvents(await syncEvents(await listEvents(args), args))).toEqual(['second: second']);
    });
  });

  test('lowers the revision of a list even if the caller may not see the event', async () => {
    const [first] = (await invite('first')) as [EventRecord];
    const { revision } = await readEventPage(store, {}, bob);
    const { catchUp } = await renameWithLag(first);
    for (const query of [{}, { order: 'start' }, { order: 'updated', expandsSeries: true }] as const) {
      expect((await readEventPage(store, { ...query, accepts: () => false }, bob)).revision).toBe(revision);
    }
    const hasCurrentRevision = async (query: Partial<EventQuery>, calendarId: string): Promise<boolean> =>
      (await readEventPage(store, query, calendarId)).revision === (await revisionOf(calendarId));
    // A page of a time range has no sync token.
    expect(await hasCurrentRevision({ between: { from: 0, to: startOfTime * 2 } }, bob)).toBe(true);
    // The organizer's entry and record are on the same shard.
    expect(await hasCurrentRevision({}, alice)).toBe(true);
    await catchUp();
    expect(await hasCurrentRevision({}, bob)).toBe(true);
  });

  describe('of an exception', () => {
    let series: EventRecord;
    let exception: EventRecord;
    beforeEach(async () => {
      series = await putEvent(
        store,
        withCopy(sampleEvent('standup', { core: { ...dailyCore, attendees: [{ email: bob }] } }), bob),
      );
      exception = await putEvent(store, sampleException(series, noonOn(2), { core: { summary: 'one' } }));
    });
    const target = { seriesId: 'standup' };

    test('comes again in a sync of instances while its own record lags behind', async () => {
      const id = `standup_${noonOn(2)}`;
      const { catchUp } = await changeWithLag([exception], () =>
        putEvent(store, withCore(exception, { summary: 'two' }), target),
      );
      const fullList = await listEvents({ singleEvents: true });
      expect(describeEvents(fullList)).toEqual(expect.arrayContaining([`${id}: one`]));
      await catchUp();
      expect(describeEvents(await syncEvents(fullList, { singleEvents: true }))).toEqual([`${id}: two`]);
    });

    test('expires sync tokens of instances while the record of its series lags behind', async () => {
      const renamedInstance = `standup_${noonOn(3)}: whole`;
      const { catchUp } = await changeWithLag([series, exception], prepareRename(series, 'whole'));
      const fullList = await listEvents({ singleEvents: true });
      expect(describeEvents(fullList)).not.toContain(renamedInstance);
      await catchUp();
      await expect(syncEvents(fullList, { singleEvents: true })).rejects.toMatchObject({
        issues: [{ path: ['syncToken'] }],
      });
      expect(describeEvents(await listEvents({ singleEvents: true }))).toContain(renamedInstance);
    });

    test('comes again with fields of its series, if the series is not on the calendar', async () => {
      const carolsException = sampleException(series, noonOn(3), { core: { attendees: [{ email: carol }] } });
      await putEvent(store, withCopy(carolsException, carol, { id: `standup_${noonOn(3)}` }), target);
      const { catchUp } = await changeWithLag([series], prepareRename(series, 'whole'));
      const fullList = await listEvents({}, carol);
      expect(describeEvents(fullList)).toEqual([`standup_${noonOn(3)}: standup`]);
      await catchUp();
      expect(describeEvents(await listEvents({ syncToken: fullList.nextSyncToken }, carol))).toEqual([
        `standup_${noonOn(3)}: whole`,
      ]);
    });

    test('comes again if there was no record of it', async () => {
      const otherException = sampleException(series, noonOn(4), { core: { summary: 'other' } });
      const { catchUp } = await changeWithLag([otherException], () =>
        putEvent(store, otherException, target),
      );
      const fullList = await listEvents({ singleEvents: true });
      await catchUp();
      expect(describeEvents(await syncEvents(fullList, { singleEvents: true }))).toEqual([
        `standup_${noonOn(4)}: other`,
      ]);
    });
  });

  describe('on a stream of the calendar', () => {
    let streamEnd: AbortController;
    beforeEach(() => {
      streamEnd = new AbortController();
    });
    afterEach(() => streamEnd.abort());
    type StreamEvents = AsyncIterable<{ readonly id?: string | undefined }>;
    const createReader = (stream: StreamEvents) => {
      const iterator = stream[Symbol.asyncIterator]();
      return async (): Promise<string> => (await iterator.next()).value?.id as string;
    };
    /** Follows Bob's calendar. Streams poll from the first `next`: call it before restoring records. */
    const followBobsCalendar = async (lastEventId?: string) =>
      createReader(
        await service.followCalendar(
          viewerOf(bob),
          { calendarId: bob },
          { lastEventId, endSignal: streamEnd.signal },
        ),
      );
    /** Expects silence for longer than the second between two polls of a stream. */
    const expectSilence = async (pendingId: Promise<string>): Promise<void> =>
      expect(await Promise.race([pendingId, pause(1500, 'nothing')])).toBe('nothing');

    test('is reported when it is made and once its record is visible, but not in between', async () => {
      const [first] = (await invite('first')) as [EventRecord];
      const readNextId = await followBobsCalendar();
      const { catchUp } = await renameWithLag(first);
      const id = await readNextId();
      const laterId = readNextId();
      await expectSilence(laterId);
      expect(describeEvents(await listEvents({ syncToken: (await listEvents()).nextSyncToken }))).toEqual([
        'first: first',
      ]);
      await catchUp();
      expect(await laterId).not.toBe(id);
      await expectSilence(readNextId());
    });

    test('is reported once its record is visible by streams opened meanwhile, of one or several calendars', async () => {
      const [first] = (await invite('first')) as [EventRecord];
      const { catchUp } = await renameWithLag(first);
      const readSharedId = createReader(
        await service.followCalendars(
          viewerOf(bob),
          { calendarIds: [bob] },
          { lastEventId: undefined, endSignal: streamEnd.signal },
        ),
      );
      await readSharedId();
      const pendingIds = [(await followBobsCalendar())(), readSharedId()];
      await Promise.all(pendingIds.map(expectSilence));
      await catchUp();
      await Promise.all(pendingIds);
    });

    test('is reported at once by a stream that resumes from its event, and again once its record is visible', async () => {
      const [first] = (await invite('first')) as [EventRecord];
      const readFirstId = await followBobsCalendar();
      const { catchUp } = await renameWithLag(first);
      const readResumedId = await followBobsCalendar(await readFirstId());
      await readResumedId();
      await catchUp();
      await readResumedId();
    });
  });

  test('lowers safeRevision to the latest revision before it, but not below `since`', async () => {
    const [first] = (await invite('first', 'second')) as [EventRecord];
    const { revision: earlierRevision } = await readEventPage(store, {}, bob);
    const { catchUp } = await renameWithLag(first);
    const revision = (await revisionOf(bob)) as string;
    expect(
      await Promise.all(
        [earlierRevision, undefined, revision].map((since) => store.safeRevision(bob, revision, since)),
      ),
    ).toEqual([earlierRevision, earlierRevision, revision]);
    await catchUp();
    expect(await store.safeRevision(bob, revision, earlierRevision)).toBe(revision);
    expect(await store.safeRevision(alice, revision, undefined)).toBe(revision);
  });
});
