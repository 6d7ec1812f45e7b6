import { bytesOf } from '../../src/core/json.ts';
import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import { OutboxFullError, type OutboxLimits } from '../../src/outbox/outbox.store.ts';
import type { MakeStores, StoresUnderTest } from './notification-store.contract.ts';
import { sampleBucket } from './bucket-store.contract.ts';
import { messageOn } from './publisher.contract.ts';
import { addBucket } from './samples.ts';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const mebibyte = 1024 * 1024;
const messages = (count: number, data: string): OutgoingMessage[] =>
  Array.from({ length: count }, () => messageOn(topic, { data }));
const size = (data: string): number => bytesOf(messageOn(topic, { id: 'message-1000-10000', data }));
const body = 'x'.repeat(5000);
/** For so many messages with that body, however long their ids. */
const room = (count: number): number => count * size(body) + 100;

/** The bounds of what may wait in an outbox. */
export function outboxBoundsContract(name: string, makeStores: MakeStores): void {
  describe(`the bounds of ${name} as an outbox`, () => {
    let stores: StoresUnderTest;
    const buckets = ['photos', 'videos', 'music', 'texts', 'more'] as const;
    const open = async (limits?: OutboxLimits): Promise<void> => {
      stores = await makeStores(Date.now, {
        outbox: { ...(limits && { roomOf: () => ({ ...limits, whenFull: 'refuse' }) }) },
      });
      for (const bucket of buckets) await addBucket(stores.buckets, sampleBucket(bucket));
    };
    const put = (bucket: string, added: readonly OutgoingMessage[]): Promise<unknown> =>
      stores.notifications.changeNotifications({ bucket }, () => ({ messages: added, result: undefined }));
    /** Whether there was room. */
    const fits = (bucket: string, added: readonly OutgoingMessage[]): Promise<boolean> =>
      put(bucket, added).then(
        () => true,
        (error: unknown) => {
          if (error instanceof OutboxFullError) return false;
          throw error;
        },
      );

    test('are the same in every store: 64 MiB, and 16 MiB for a bucket', async () => {
      await open();
      // Two bytes a character, and a bit for the rest of the message.
      const change = () => messages(1, 'x'.repeat(mebibyte));
      for (let index = 0; index < 7; index += 1) await put('photos', change());
      expect(await fits('photos', change())).toBe(false);
      for (let index = 0; index < 24; index += 1) await put(buckets[1 + (index % 4)] as string, change());
      for (const bucket of buckets) expect([bucket, await fits(bucket, change())]).toEqual([bucket, false]);
      expect((await stores.outbox.backlog()).count).toBe(31);
    });

    test('hold for each bucket and for all together, and nothing of what they refuse is stored', async () => {
      await open({ bytes: room(3), bytesPerOwner: room(2) });
      const three = [0, 1, 2].flatMap((index) => messages(1, `${index}${body.slice(1)}`));
      expect(await fits('photos', three)).toBe(false);
      expect((await stores.outbox.backlog()).count).toBe(0);
      for (let index = 0; index < 2; index += 1) await put('photos', messages(1, body));
      const outcomes: boolean[] = [];
      for (const bucket of ['photos', 'videos', 'videos', 'music'])
        outcomes.push(await fits(bucket, messages(1, body)));
      expect(outcomes).toEqual([false, true, false, false]);
      expect((await stores.outbox.backlog()).count).toBe(3);
    });

    test('give the room free of what was published, once', async () => {
      await open({ bytes: room(2), bytesPerOwner: room(2) });
      const [first, second] = messages(2, body) as [OutgoingMessage, OutgoingMessage];
      await put('photos', [first]);
      await put('videos', [second]);
      expect(await fits('photos', messages(1, body))).toBe(false);
      for (const published of [[first.id, 'unknown'], [first.id]])
        await stores.outbox.settle(
          published.map((id) => ({
            id,
            owner: 'photos',
            topic,
            destination: 'broker',
            outcome: 'done',
          })),
        );
      expect(await fits('photos', messages(1, body))).toBe(true);
      expect(await fits('videos', messages(1, body))).toBe(false);
    });

    test('count a body once that messages of one change share', async () => {
      await open({ bytes: room(2), bytesPerOwner: room(2) });
      expect(await fits('photos', messages(10, body))).toBe(true);
      expect(await fits('photos', messages(10, body))).toBe(false);
    });

    test('hold for 50 large changes that come at once', async () => {
      const large = 'x'.repeat(20_000);
      await open({ bytes: 10 * size(large) + 1000, bytesPerOwner: 7 * size(large) + 1000 });
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          fits(index % 2 === 0 ? 'photos' : 'videos', messages(1, large)),
        ),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(10);
      expect((await stores.outbox.backlog()).count).toBe(10);
    });
  });
}
