import type pg from 'pg';
import type { EventStore } from '../../../src/event/event.store.ts';
import type { EventRecord } from '../../../src/event/model/record.ts';
import {
  alice,
  bob,
  change,
  list,
  put,
  putCalendar,
  sampleCalendar,
  sampleEvent,
  withCore,
} from '../../contracts/event-samples.ts';
import { addBucket, startOfTime } from '../../contracts/samples.ts';
import { sampleBucket } from '../../contracts/bucket-store.contract.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { sharedServer } from './stores.ts';

describeWithPostgres('while somebody holds what changes wait for', () => {
  const { makeEventStores, makeStores, database } = sharedServer();
  let holder: pg.PoolClient;
  beforeEach(async () => {
    holder = await database().pool.connect();
  });
  afterEach(() => holder.release(true));
  const hold = async (text: string): Promise<() => Promise<unknown>> => {
    await holder.query('BEGIN');
    await holder.query(text);
    return () => holder.query('COMMIT');
  };
  const rename = (store: EventStore, record: EventRecord): Promise<unknown> =>
    change(store, record, (stored) => withCore(stored, { summary: 'new' }));
  /** More than there are connections. */
  const many = Array.from({ length: 24 }, (_, index) => `event${index}`);

  test.each([
    ['its row', 'calendars WHERE id ='],
    ['one of its entries', "places WHERE event_id = 'event3' AND calendar_id ="],
  ] as const)('of a calendar %s, other calendars are read and changed', async (_what, rows) => {
    const { calendars, events: store } = await makeEventStores(() => startOfTime);
    for (const id of [alice, bob]) await putCalendar(calendars, sampleCalendar(id));
    const records: EventRecord[] = [];
    for (const id of many) records.push(await put(store, sampleEvent(id)));
    const other = await put(store, sampleEvent('other', { home: bob }));
    const release = await hold(`SELECT FROM ${rows} '${alice}' FOR UPDATE`);
    const waiting = Promise.all(records.map((record) => rename(store, record)));
    await rename(store, other);
    expect(await store.events([{ calendarId: bob, eventId: 'other' }])).toMatchObject([
      { record: { core: { summary: 'new' } } },
    ]);
    await release();
    expect(await waiting).toHaveLength(24);
  });

  test('of an event, the others of its calendar are changed', async () => {
    const { calendars, events: store } = await makeEventStores(() => startOfTime);
    await putCalendar(calendars, sampleCalendar(alice));
    const held = await put(store, sampleEvent('held'));
    const others: EventRecord[] = [];
    for (const id of many) others.push(await put(store, sampleEvent(id)));
    const release = await hold(`SELECT FROM events WHERE key = '${held.key}' FOR UPDATE`);
    const waiting = rename(store, held);
    await Promise.all(others.map((record) => rename(store, record)));
    const summaries = async (): Promise<unknown[]> =>
      (await list(store)).entries.map(({ record }) => record.core.summary);
    expect(await summaries()).toEqual(['held', ...others.map(() => 'new')]);
    await release();
    await waiting;
    expect(await summaries()).toEqual(['new', ...others.map(() => 'new')]);
  });

  test('of a bucket, other buckets are read and changed', async () => {
    const { buckets, notifications } = await makeStores(() => startOfTime);
    for (const name of ['photos', 'films']) await addBucket(buckets, sampleBucket(name));
    const release = await hold("SELECT FROM buckets WHERE name = 'photos' FOR UPDATE");
    const insert = (bucket: string) =>
      notifications.changeNotifications({ bucket }, ({ nextId: id }) => ({
        insert: { bucket, id },
        result: id,
      }));
    const waiting = Promise.all(many.map(() => insert('photos')));
    expect(await insert('films')).toBe('1');
    expect(await notifications.notifications(['films'])).toMatchObject([[{ id: '1' }]]);
    await release();
    expect(new Set(await waiting).size).toBe(24);
  });
});
