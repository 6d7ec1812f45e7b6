import { createMemoryStores } from '../../src/adapters/memory/stores.ts';
import type { NotificationStore } from '../../src/notification/notification.store.ts';
import type { NotificationRecord } from '../../src/notification/notification.ts';
import { refusal, startBuckets, topic, type Buckets } from '../notification/notification.harness.ts';

const publish = `mutation ($bucket: String = "photos", $change: ObjectChangeInput!) {
  publishObjectChange(bucket: $bucket, change: $change) { messages { messageId state } }
}`;
const change = { eventType: 'OBJECT_FINALIZE', objectId: 'cat.jpg' };

/** A gateway whose store of notifications is the one in memory, changed by the test. */
const startWith = (
  replace: (store: NotificationStore<NotificationRecord>) => Partial<NotificationStore<NotificationRecord>>,
): Promise<Buckets> => {
  const stores = createMemoryStores(Date.now);
  return startBuckets({
    stores: { ...stores, notifications: { ...stores.notifications, ...replace(stores.notifications) } },
  });
};

describe('an outbox from which nothing is published', () => {
  test('refuses changes once it is full, stores nothing of them, and keeps room for other buckets', async () => {
    const stores = createMemoryStores(Date.now);
    const buckets = await startBuckets({
      stores: { ...stores, outbox: { ...stores.outbox, claim: async () => [] } },
    });
    await buckets.insert({ topic });
    const object = { x: 'x'.repeat(500_000) };
    let stored = 0;
    for (; stored < 100; stored += 1) {
      const answer = await buckets.ask(publish, { change: { ...change, object } });
      if (!answer.errors) continue;
      expect(refusal(answer)).toEqual({ code: 'UNAVAILABLE', value: null, issues: ['change: backendError'] });
      expect(answer.errors[0]?.message).toContain('nothing of this change was stored');
      break;
    }
    expect(stored).toBeGreaterThan(10);
    expect(stored).toBeLessThan(20);
    expect((await buckets.stores.outbox.backlog()).count).toBe(stored);
    await buckets.insert({ topic }, { bucket: 'other' }, { as: 'other@example.com' });
    const elsewhere = await buckets.ask(
      publish,
      { bucket: 'other', change: { ...change, object } },
      { as: 'other@example.com' },
    );
    expect(elsewhere.errors).toBeUndefined();
    await buckets.close();
  });
});

test('messages about one object go out on each topic by themselves', async () => {
  const stores = createMemoryStores(Date.now);
  const buckets = await startBuckets({
    stores: { ...stores, outbox: { ...stores.outbox, claim: async () => [] } },
  });
  const claim = (limit: number) => stores.outbox.claim([{ destination: 'broker', limit }], 30_000);
  await buckets.insert({ topic });
  await buckets.insert({ topic: `${topic}2` });
  for (let count = 0; count < 2; count += 1) await buckets.ask(publish, { change });
  const first = await claim(1);
  const second = await claim(10);
  expect(first).toHaveLength(1);
  expect(second).toHaveLength(2);
  expect(new Set(second.map(({ item }) => item.topic)).size).toBe(1);
  expect(second[0]?.item.topic).not.toBe(first[0]?.item.topic);
  await buckets.close();
});

describe('a store that decides more than once, as one with optimistic locking does', () => {
  test('comes to the same results', async () => {
    const buckets = await startWith((store) => ({
      changeNotifications: (target, decide) =>
        store.changeNotifications(target, (state) => {
          const first = decide(state);
          const second = decide(state);
          expect(second).toEqual(first);
          return second;
        }),
    }));
    const inserted = await buckets.insert({ topic, id: '9' }, { requestId: 'r' });
    expect(inserted.data.insertNotification.id).toBe('1');
    expect(inserted.warnings).toHaveLength(1);
    await buckets.insert({});
    const told = await buckets.ask(publish, { change });
    expect(told.data.publishObjectChange.messages).toHaveLength(1);
    expect(told.warnings).toHaveLength(1);
    expect((await buckets.remove('2')).data.deleteNotification).toBe(true);
    await buckets.close();
  });
});

test('each operation asks the store at most twice', async () => {
  let calls = 0;
  const counted = <Store extends object>(store: Store, names: readonly (keyof Store)[]): Store => {
    const methods = names.map((name) => {
      const method = store[name] as (...args: unknown[]) => Promise<unknown>;
      return [name, (...args: unknown[]) => ((calls += 1), method(...args))];
    });
    return { ...store, ...(Object.fromEntries(methods) as Partial<Store>) };
  };
  const stores = createMemoryStores(Date.now);
  const buckets = await startBuckets({
    stores: {
      ...stores,
      buckets: counted(stores.buckets, ['buckets']),
      notifications: counted(stores.notifications, [
        'changeNotifications',
        'notifications',
        'bucketsWithTopic',
      ]),
    },
  });
  const callsOf = async (operation: () => Promise<{ errors: unknown }>): Promise<number> => {
    calls = 0;
    expect((await operation()).errors).toBeUndefined();
    return calls;
  };
  expect(await callsOf(() => buckets.insert({ topic }, { requestId: 'r' }))).toBe(1);
  expect(await callsOf(() => buckets.insert({ topic }, { requestId: 'r' }))).toBe(1);
  expect(await callsOf(() => buckets.ask(publish, { change }))).toBe(1);
  expect(await callsOf(() => buckets.read('1'))).toBe(2);
  expect(await callsOf(() => buckets.list())).toBe(2);
  expect(
    await callsOf(() => buckets.ask(`{ messages(topic: "${topic}") { nodes { messageId } } }`, {})),
  ).toBe(2);
  expect(await callsOf(() => buckets.remove('1'))).toBe(1);
  await buckets.close();
});
