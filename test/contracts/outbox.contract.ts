import type { OutgoingMessage } from '../../src/core/publisher.ts';
import type { NotificationStore } from '../../src/notification/notification.store.ts';
import { startOfTime, vandalise } from './event-store.samples.ts';
import {
  sampleBucket, sampleNotification, type MakeNotificationStore, type SampleNotification,
} from './notification-store.contract.ts';
import { messageOn } from './publisher.contract.ts';

const topic = '//pubsub.test/projects/my-project/topics/photos';

/** What every notification store promises of the messages that wait in it, whatever keeps them. */
export function outboxContract(name: string, makeStore: MakeNotificationStore): void {
  describe(`${name} as an outbox`, () => {
    let now: number;
    let store: NotificationStore<SampleNotification>;
    beforeEach(async () => {
      now = startOfTime;
      store = await makeStore(() => now);
      await store.addBucket(sampleBucket('photos'));
    });

    /** Stores that many messages of one change. */
    const add = (count: number): Promise<readonly OutgoingMessage[]> =>
      store.storeChange('photos', () => Array.from({ length: count }, () => messageOn(topic)));

    test('decides on the notifications the bucket has, and gives what it stored', async () => {
      for (let count = 0; count < 2; count += 1) {
        await store.insertNotification('photos', (_existing, id) => sampleNotification('photos', id));
      }
      const message = messageOn(topic, { attributes: { 'ключ 🙂': '', ['__proto__']: 'kept' }, data: '{"a":"é\n"}' });
      let seen: string[] = [];
      const stored = await store.storeChange('photos', (existing) => {
        seen = existing.map(({ id }) => id);
        return [message];
      });
      expect(seen).toEqual(['1', '2']);
      expect(stored).toEqual([message]);
      expect(await store.pendingMessages(10)).toEqual([message]);
    });

    test('stores nothing for a bucket without notifications that asks for nothing', async () => {
      expect(await store.storeChange('none', (existing) => existing.map(() => messageOn(topic)))).toEqual([]);
      expect(await store.pendingMessages(10)).toEqual([]);
      expect(await store.backlog()).toEqual({ count: 0 });
    });

    test('stores none of the messages when the decision is refused', async () => {
      const refusal = new Error('refused');
      const refused = store.storeChange('photos', () => {
        throw refusal;
      });
      await expect(refused).rejects.toBe(refusal);
      expect((await store.backlog()).count).toBe(0);
    });

    test('hands out the oldest first, in the order in which they were stored, as many as asked', async () => {
      const ids = [...(await add(3)), ...(await add(12)), ...(await add(1))].map(({ id }) => id);
      const pending = async (limit: number): Promise<string[]> => (await store.pendingMessages(limit)).map(({ id }) => id);
      expect(await pending(100)).toEqual(ids);
      expect(await pending(16)).toEqual(ids);
      expect(await pending(5)).toEqual(ids.slice(0, 5));
      expect(await pending(5)).toEqual(ids.slice(0, 5));
    });

    test('forgets what was published, whatever the order, and what it never had', async () => {
      const [a, b, c] = (await add(3)).map(({ id }) => id) as [string, string, string];
      await store.markPublished([b, 'unknown']);
      await store.markPublished([b]);
      await store.markPublished([]);
      expect((await store.pendingMessages(10)).map(({ id }) => id)).toEqual([a, c]);
      await store.markPublished([c, a]);
      expect(await store.pendingMessages(10)).toEqual([]);
    });

    test('tells how many wait, and since when the oldest does', async () => {
      const [first] = await add(2);
      now = startOfTime + 5000;
      const [third] = await add(1);
      expect(await store.backlog()).toEqual({ count: 3, oldestAt: startOfTime });
      await store.markPublished([third?.id ?? '']);
      expect(await store.backlog()).toEqual({ count: 2, oldestAt: startOfTime });
      const next = await add(1);
      await store.markPublished((await store.pendingMessages(2)).map(({ id }) => id));
      expect(first?.id).not.toBe(next[0]?.id);
      expect(await store.backlog()).toEqual({ count: 1, oldestAt: startOfTime + 5000 });
    });

    test('hands out no live references', async () => {
      const [message] = await add(1);
      const expected = structuredClone(message);
      vandalise(message);
      vandalise(await store.pendingMessages(1));
      expect(await store.pendingMessages(1)).toEqual([expected]);
    });

    test('loses none of 300 changes that come at once', async () => {
      await Promise.all(Array.from({ length: 300 }, () => add(2)));
      expect((await store.backlog()).count).toBe(600);
      expect(new Set((await store.pendingMessages(1000)).map(({ id }) => id)).size).toBe(600);
    });
  });
}
