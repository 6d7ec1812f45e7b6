import { createMemoryStores } from '../../src/adapters/memory/stores.ts';
import { readRefusal, startNotificationGateway, topic } from '../notification/notification.harness.ts';

const publishMutation = `mutation ($bucket: String = "photos", $change: ObjectChangeInput!) {
  publishObjectChange(bucket: $bucket, change: $change) { messages { messageId state } }
}`;
const change = { eventType: 'OBJECT_FINALIZE', objectId: 'cat.jpg' };

/** Starts a gateway whose relay gets no messages; `claim` claims them instead. */
async function startWithoutRelay() {
  const stores = createMemoryStores(Date.now);
  const outbox = { ...stores.outbox, claim: async () => [] };
  const buckets = await startNotificationGateway({ stores: { ...stores, outbox } });
  const claimItems = (limit: number) => stores.outbox.claim([{ destination: 'broker', limit }], 30_000);
  return { buckets, claim: claimItems };
}

test('a full outbox refuses changes without storing them, but accepts those of other buckets', async () => {
  const { buckets } = await startWithoutRelay();
  const as = 'other@example.com';
  const largeChange = { ...change, object: { x: 'x'.repeat(500_000) } };
  await buckets.insertNotification({ topic });
  let storedCount = 0;
  let lastAnswer = await buckets.ask(publishMutation, { change: largeChange });
  for (; !lastAnswer.errors && storedCount < 100; storedCount += 1)
    lastAnswer = await buckets.ask(publishMutation, { change: largeChange });
  expect(readRefusal(lastAnswer)).toEqual({
    code: 'UNAVAILABLE',
    value: null,
    issues: ['change: backendError'],
  });
  expect(lastAnswer.errors?.[0]?.message).toContain('Nothing of this change was stored');
  expect(storedCount).toBeGreaterThan(10);
  expect(storedCount).toBeLessThan(20);
  expect((await buckets.stores.outbox.backlog()).count).toBe(storedCount);
  await buckets.insertNotification({ topic }, { bucket: 'other' }, { as });
  const inOtherBucket = await buckets.ask(publishMutation, { bucket: 'other', change: largeChange }, { as });
  expect(inOtherBucket.errors).toBeUndefined();
  await buckets.close();
});

test('messages about one object are published independently on each topic', async () => {
  const { buckets, claim } = await startWithoutRelay();
  await buckets.insertNotification({ topic });
  await buckets.insertNotification({ topic: `${topic}2` });
  for (let count = 0; count < 2; count += 1) await buckets.ask(publishMutation, { change });
  const firstClaims = await claim(1);
  const secondClaims = await claim(10);
  expect(firstClaims).toHaveLength(1);
  expect(secondClaims).toHaveLength(2);
  expect(new Set(secondClaims.map(({ item }) => item.topic)).size).toBe(1);
  expect(secondClaims[0]?.item.topic).not.toBe(firstClaims[0]?.item.topic);
  await buckets.close();
});

test('a store that runs decisions twice, as with optimistic locking, gets the same results', async () => {
  const stores = createMemoryStores(Date.now);
  const notifications: typeof stores.notifications = {
    ...stores.notifications,
    changeNotifications: (target, decide) =>
      stores.notifications.changeNotifications(target, (state) => {
        const first = decide(state);
        const second = decide(state);
        expect(second).toEqual(first);
        return second;
      }),
  };
  const buckets = await startNotificationGateway({ stores: { ...stores, notifications } });
  const inserted = await buckets.insertNotification({ topic, id: '9' }, { requestId: 'r' });
  expect(inserted.data.insertNotification.id).toBe('1');
  expect(inserted.warnings).toHaveLength(1);
  await buckets.insertNotification({});
  const published = await buckets.ask(publishMutation, { change });
  expect(published.data.publishObjectChange.messages).toHaveLength(1);
  expect(published.warnings).toHaveLength(1);
  expect((await buckets.deleteNotification('2')).data.deleteNotification).toBe(true);
  await buckets.close();
});
