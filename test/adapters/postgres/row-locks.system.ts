import type pg from 'pg';
import type { EventStore } from '../../../src/event/event.store.ts';
import type { EventRecord } from '../../../src/event/model/record.ts';
import {
  changeEvent,
  readEventPage,
  putEvent,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  withCore,
  alice,
  bob,
} from '../../contracts/event-samples.ts';
import { createMessage } from '../../contracts/publisher.contract.ts';
import { putBucket, startOfTime } from '../../contracts/samples.ts';
import { sampleBucket } from '../../contracts/bucket-store.contract.ts';
import { sampleNotification } from '../../contracts/notification-store.contract.ts';
import { eventually } from '../../eventually.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { useSharedServer } from './stores.ts';

const waitingSessionsSql =
  "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";

describeWithPostgres('while another transaction holds a lock', () => {
  const { makeEventStores, makeStores, database } = useSharedServer();
  let lockHolder: pg.PoolClient;
  beforeEach(async () => {
    lockHolder = await database().pool.connect();
  });
  afterEach(() => lockHolder.release(true));
  const lockRows = async (lockStatement: string): Promise<() => Promise<unknown>> => {
    await lockHolder.query('BEGIN');
    await lockHolder.query(lockStatement);
    return () => lockHolder.query('COMMIT');
  };
  const renameEvent = (store: EventStore, record: EventRecord): Promise<unknown> =>
    changeEvent(store, record, (stored) => withCore(stored, { summary: 'new' }));
  /** Ids of more events than the pool has connections. */
  const eventIds = Array.from({ length: 24 }, (_, index) => `event${index}`);

  test.each([
    ['its calendar', 'calendars WHERE id ='],
    ['an entry of its calendar', "places WHERE event_id = 'event3' AND calendar_id ="],
  ] as const)('on %s, other calendars are read and changed', async (_case, tableAndCondition) => {
    const { calendars, events: store } = await makeEventStores(() => startOfTime);
    for (const id of [alice, bob]) await putCalendar(calendars, sampleCalendar(id));
    const records: EventRecord[] = [];
    for (const id of eventIds) records.push(await putEvent(store, sampleEvent(id)));
    const otherEvent = await putEvent(store, sampleEvent('other', { home: bob }));
    const commitLock = await lockRows(`SELECT FROM ${tableAndCondition} '${alice}' FOR UPDATE`);
    const waitingChanges = Promise.all(records.map((record) => renameEvent(store, record)));
    await renameEvent(store, otherEvent);
    expect(await store.events([{ calendarId: bob, eventId: 'other' }])).toMatchObject([
      { record: { core: { summary: 'new' } } },
    ]);
    await commitLock();
    expect(await waitingChanges).toHaveLength(24);
  });

  test('on an event, other events of its calendar are changed', async () => {
    const { calendars, events: store } = await makeEventStores(() => startOfTime);
    await putCalendar(calendars, sampleCalendar(alice));
    const lockedEvent = await putEvent(store, sampleEvent('held'));
    const otherEvents: EventRecord[] = [];
    for (const id of eventIds) otherEvents.push(await putEvent(store, sampleEvent(id)));
    const release = await lockRows(`SELECT FROM events WHERE key = '${lockedEvent.key}' FOR UPDATE`);
    const waitingChange = renameEvent(store, lockedEvent);
    await Promise.all(otherEvents.map((record) => renameEvent(store, record)));
    const listSummaries = async (): Promise<unknown[]> =>
      (await readEventPage(store)).entries.map(({ record }) => record.core.summary);
    expect(await listSummaries()).toEqual(['held', ...otherEvents.map(() => 'new')]);
    await release();
    await waitingChange;
    expect(await listSummaries()).toEqual(['new', ...otherEvents.map(() => 'new')]);
  });

  test('on a bucket, other buckets are read and changed', async () => {
    const { buckets, notifications } = await makeStores(() => startOfTime);
    for (const name of ['photos', 'films']) await putBucket(buckets, sampleBucket(name));
    const release = await lockRows("SELECT FROM buckets WHERE name = 'photos' FOR UPDATE");
    const insertNotification = (bucket: string) =>
      notifications.changeNotifications({ bucket }, ({ nextId: id }) => ({
        insert: sampleNotification(bucket, id),
        result: id,
      }));
    const waitingInserts = Promise.all(eventIds.map(() => insertNotification('photos')));
    expect(await insertNotification('films')).toBe('1');
    expect(await notifications.notifications(['films'])).toMatchObject([[{ id: '1' }]]);
    await release();
    expect(new Set(await waitingInserts).size).toBe(24);
  });

  test('on a queue, old items of the queue are not locked before it, as a claim needs them', async () => {
    const destination = 'hook';
    const { buckets, notifications, outbox } = await makeStores(() => startOfTime, {
      outbox: { destinationsOf: () => [destination] },
    });
    await putBucket(buckets, sampleBucket('photos'));
    const message = createMessage('//pubsub.test/projects/my-project/topics/photos');
    await notifications.changeNotifications({ bucket: 'photos' }, () => ({
      messages: [message],
      result: undefined,
    }));
    const [claim] = await outbox.claim([{ destination, limit: 1 }], 1000);
    const outcome = { attempt: claim?.attempt ?? 0, delayMs: 1 };
    const { id, topic } = message;
    await outbox.settle([{ id, topic, owner: 'photos', destination, outcome }]);
    const release = await lockRows('SELECT FROM delivery_queues FOR UPDATE');
    const waitingDrop = outbox.dropWaiting({ storedUntil: startOfTime, destination, limit: 10 });
    await eventually(async () =>
      expect(await database().query({ text: waitingSessionsSql })).toHaveLength(1),
    );
    await lockHolder.query('SELECT FROM deliveries FOR UPDATE NOWAIT');
    await release();
    expect(await waitingDrop).toMatchObject([{ destination, count: 1 }]);
  });
});
