import { estimateBytes } from '../../src/core/json.ts';
import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import { OutboxFullError, type OutboxLimits } from '../../src/outbox/outbox.store.ts';
import type { MakeStores, StoresUnderTest } from './notification-store.contract.ts';
import { sampleBucket } from './bucket-store.contract.ts';
import { createMessage } from './publisher.contract.ts';
import { putBucket } from './samples.ts';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const mebibyte = 1024 * 1024;
const createMessages = (count: number, data: string): OutgoingMessage[] =>
  Array.from({ length: count }, () => createMessage(topic, { data }));
const estimateMessageBytes = (data: string): number =>
  estimateBytes(createMessage(topic, { id: 'message-1000-10000', data }));
const body = 'x'.repeat(5000);
/** Returns a limit that `count` messages with that body fit in. 100 bytes are for longer ids. */
const maxBytesFor = (count: number): number => count * estimateMessageBytes(body) + 100;

/** Tests of the byte limits of every outbox. */
export function outboxLimitsContract(name: string, makeStores: MakeStores): void {
  describe(`${name} as an outbox: limits`, () => {
    let stores: StoresUnderTest;
    const buckets = ['photos', 'videos', 'music', 'texts', 'more'] as const;
    const openStores = async (limits?: OutboxLimits): Promise<void> => {
      stores = await makeStores(Date.now, {
        outbox: { ...(limits && { capacityOf: () => ({ ...limits, whenFull: 'refuse' }) }) },
      });
      for (const bucket of buckets) await putBucket(stores.buckets, sampleBucket(bucket));
    };
    const addMessages = (bucket: string, messages: readonly OutgoingMessage[]): Promise<unknown> =>
      stores.notifications.changeNotifications({ bucket }, () => ({ messages, result: undefined }));
    /** Adds messages unless the outbox is full. Returns whether they were added. */
    const tryAddMessages = (bucket: string, messages: readonly OutgoingMessage[]): Promise<boolean> =>
      addMessages(bucket, messages).then(
        () => true,
        (error: unknown) => {
          if (error instanceof OutboxFullError) return false;
          throw error;
        },
      );

    test('are by default 64 MiB, and 16 MiB for a bucket', async () => {
      await openStores();
      // More than 2 MiB: two bytes for each character, and some for the rest of the message.
      const largeChange = () => createMessages(1, 'x'.repeat(mebibyte));
      for (let index = 0; index < 7; index += 1) await addMessages('photos', largeChange());
      expect(await tryAddMessages('photos', largeChange())).toBe(false);
      for (let index = 0; index < 24; index += 1)
        await addMessages(buckets[1 + (index % 4)] as string, largeChange());
      for (const bucket of buckets)
        expect([bucket, await tryAddMessages(bucket, largeChange())]).toEqual([bucket, false]);
      expect((await stores.outbox.backlog()).count).toBe(31);
    });

    test('hold for each bucket and for all together, and refused messages are not stored', async () => {
      await openStores({ maxBytes: maxBytesFor(3), maxBytesPerOwner: maxBytesFor(2) });
      const threeMessages = [0, 1, 2].flatMap((index) => createMessages(1, `${index}${body.slice(1)}`));
      expect(await tryAddMessages('photos', threeMessages)).toBe(false);
      expect((await stores.outbox.backlog()).count).toBe(0);
      for (let index = 0; index < 2; index += 1) await addMessages('photos', createMessages(1, body));
      const outcomes: boolean[] = [];
      for (const bucket of ['photos', 'videos', 'videos', 'music'])
        outcomes.push(await tryAddMessages(bucket, createMessages(1, body)));
      expect(outcomes).toEqual([false, true, false, false]);
      expect((await stores.outbox.backlog()).count).toBe(3);
    });

    test('stop counting a message when it is published, once', async () => {
      await openStores({ maxBytes: maxBytesFor(2), maxBytesPerOwner: maxBytesFor(2) });
      const [first, second] = createMessages(2, body) as [OutgoingMessage, OutgoingMessage];
      await addMessages('photos', [first]);
      await addMessages('videos', [second]);
      expect(await tryAddMessages('photos', createMessages(1, body))).toBe(false);
      const settlement = { owner: 'photos', topic, destination: 'broker', outcome: 'done' } as const;
      for (const ids of [[first.id, 'unknown'], [first.id]])
        await stores.outbox.settle(ids.map((id) => ({ id, ...settlement })));
      expect(await tryAddMessages('photos', createMessages(1, body))).toBe(true);
      expect(await tryAddMessages('videos', createMessages(1, body))).toBe(false);
    });

    test('count a body shared by messages of one change once', async () => {
      await openStores({ maxBytes: maxBytesFor(2), maxBytesPerOwner: maxBytesFor(2) });
      expect(await tryAddMessages('photos', createMessages(10, body))).toBe(true);
      expect(await tryAddMessages('photos', createMessages(10, body))).toBe(false);
    });

    test('hold for 50 concurrent large changes', async () => {
      const largeBody = 'x'.repeat(20_000);
      const messageBytes = estimateMessageBytes(largeBody);
      await openStores({ maxBytes: 10 * messageBytes + 1000, maxBytesPerOwner: 7 * messageBytes + 1000 });
      const outcomes = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          tryAddMessages(index % 2 === 0 ? 'photos' : 'videos', createMessages(1, largeBody)),
        ),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(10);
      expect((await stores.outbox.backlog()).count).toBe(10);
    });
  });
}
