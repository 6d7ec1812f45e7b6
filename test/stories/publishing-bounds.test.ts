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
  const gateway = await startNotificationGateway({ stores: { ...stores, outbox } });
  const claimItems = (limit: number) => stores.outbox.claim([{ destination: 'broker', limit }], 30_000);
  return { gateway, claim: claimItems };
}

test('a full outbox refuses changes without storing them, but accepts those of other buckets', async () => {
  const { gateway } = await startWithoutRelay();
  const as = 'other@example.com';
  const largeChange = { ...change, object: { x: 'x'.repeat(500_000) } };
  await gateway.insertNotification({ topic });
  let storedCount = 0;
  let lastResponse = await gateway.ask(publishMutation, { change: largeChange });
  for (; !lastResponse.errors && storedCount < 100; storedCount += 1)
    lastResponse = await gateway.ask(publishMutation, { change: largeChange });
  expect(readRefusal(lastResponse)).toEqual({
    code: 'UNAVAILABLE',
    value: null,
    issues: ['change: backendError'],
  });
  expect(lastResponse.errors?.[0]?.message).toContain('Nothing of this change was stored');
  expect(storedCount).toBeGreaterThan(10);
  expect(storedCount).toBeLessThan(20);
  expect((await gateway.stores.outbox.backlog()).count).toBe(storedCount);
  await gateway.insertNotification({ topic }, { bucket: 'other' }, { as });
  const otherBucketResponse = await gateway.ask(
    publishMutation,
    { bucket: 'other', change: largeChange },
    { as },
  );
  expect(otherBucketResponse.errors).toBeUndefined();
  await gateway.close();
});

test('messages about one object are published independently on each topic', async () => {
  const { gateway, claim } = await startWithoutRelay();
  await gateway.insertNotification({ topic });
  await gateway.insertNotification({ topic: `${topic}2` });
  for (let count = 0; count < 2; count += 1) await gateway.ask(publishMutation, { change });
  const firstClaims = await claim(1);
  const secondClaims = await claim(10);
  expect(firstClaims).toHaveLength(1);
  expect(secondClaims).toHaveLength(2);
  expect(new Set(secondClaims.map(({ item }) => item.topic)).size).toBe(1);
  expect(secondClaims[0]?.item.topic).not.toBe(firstClaims[0]?.item.topic);
  await gateway.close();
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
  const gateway = await startNotificationGateway({ stores: { ...stores, notifications } });
  const inserted = await gateway.insertNotification({ topic, id: '9' }, { requestId: 'r' });
  expect(inserted.data.insertNotification.id).toBe('1');
  expect(inserted.warnings).toHaveLength(1);
  await gateway.insertNotification({});
  const published = await gateway.ask(publishMutation, { change });
  expect(published.data.publishObjectChange.messages).toHaveLength(1);
  expect(published.warnings).toHaveLength(1);
  expect((await gateway.deleteNotification('2')).data.deleteNotification).toBe(true);
  await gateway.close();
});
