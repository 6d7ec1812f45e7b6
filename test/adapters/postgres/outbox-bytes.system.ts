import { createPostgresBucketStore } from '../../../src/adapters/postgres/buckets/bucket-store.ts';
import { createPostgresNotificationStore } from '../../../src/adapters/postgres/notifications/notification-store.ts';
import { createPostgresOutbox } from '../../../src/adapters/postgres/outbox/outbox.ts';
import { recountBytes } from '../../../src/adapters/postgres/outbox/outbox-bytes.ts';
import { bytesOf } from '../../../src/core/kernel/size.ts';
import type { OutgoingMessage } from '../../../src/notification/message.store.ts';
import { OutboxFullError } from '../../../src/outbox/outbox.store.ts';
import { sampleBucket } from '../../contracts/bucket-store.contract.ts';
import { messageOn } from '../../contracts/publisher.contract.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { layouts, sharedServer } from './stores.ts';
import { addBucket } from '../../contracts/samples.ts';

const destinations = ['broker', 'webhook:a', 'webhook:b'];
const buckets = ['music', 'photos', 'videos'];
const topic = '//pubsub.test/projects/my-project/topics/counted';

describeWithPostgres('the count of bytes that wait', () =>
  describe.each(layouts)('in tables that are asked %s', (layout) => {
    const { empty, database: shared } = sharedServer(layout);
    /** Where the tables are spread, nothing is counted of all owners together. */
    const all = (): string[] => (shared().isSpread ? [] : ['']);

    async function opened(bytes: number) {
      const { database } = await empty();
      const store = createPostgresNotificationStore(database, Date.now, {
        outbox: {
          roomOf: () => ({ bytes, bytesPerOwner: bytes, whenFull: 'refuse' }),
          destinationsOf: () => destinations,
        },
      });
      const outbox = createPostgresOutbox(database, Date.now);
      for (const bucket of buckets)
        await addBucket(createPostgresBucketStore(database, Date.now), sampleBucket(bucket));
      const put = (index: number, messages: readonly OutgoingMessage[]) =>
        store.changeNotifications({ bucket: buckets[index % 3] as string }, () => ({
          messages,
          result: undefined,
        }));
      const sums = async (text: string): Promise<unknown> =>
        await database.query({
          text: `SELECT bucket, destination, sum(bytes)::int AS bytes FROM (${text}) AS rows GROUP BY bucket, destination HAVING sum(bytes) <> 0 ORDER BY bucket, destination`,
        });
      const counted = () =>
        sums(
          'SELECT bucket, destination, bytes FROM outbox_bytes UNION ALL SELECT bucket, destination, bytes FROM delivery_bytes',
        );
      const waiting = () =>
        sums(
          `SELECT unnest(ARRAY[${[...all().map(() => "''"), 'bucket'].join(', ')}]) AS bucket, destination, bytes FROM (SELECT bucket, destination, bytes FROM outbox UNION ALL SELECT bucket, destination, bytes FROM deliveries) AS rows`,
        );
      const recount = async (): Promise<void> => {
        for (const statement of recountBytes(database)) await database.query(statement);
      };
      return { database, outbox, put, counted, waiting, recount };
    }

    test('is what waits, however many add messages and publish them at once', async () => {
      const { outbox, put, counted, waiting, recount } = await opened(64 * 1024 * 1024);
      const relay = async (): Promise<void> => {
        for (let turn = 0; turn < 20; turn += 1) {
          const claimed = await outbox.claim(
            destinations.map((destination) => ({ destination, limit: 5 })),
            60_000,
          );
          await outbox.complete(claimed.map(({ item, destination }) => ({ id: item.id, destination })));
        }
      };
      const add = (index: number): Promise<unknown> =>
        put(
          index,
          Array.from({ length: index % 3 }, (_, nth) =>
            messageOn(topic, { orderingKey: `${index % 10}`, data: 'x'.repeat(500 * nth * index) }),
          ),
        );
      await Promise.all([relay(), relay(), ...Array.from({ length: 60 }, (_, index) => add(index))]);
      expect(await counted()).toEqual(await waiting());
      const before = await counted();
      await recount();
      expect(await counted()).toEqual(before);
    });

    test('is corrected where somebody wrote who does not count', async () => {
      const { database, put, counted, waiting, recount } = await opened(64 * 1024 * 1024);
      for (let index = 0; index < 6; index += 1) await put(index, [messageOn(topic)]);
      await database.query({ text: `DELETE FROM outbox WHERE bucket = 'photos'` });
      await database.query({
        text: `UPDATE outbox_bytes SET bytes = bytes + 1000 WHERE bucket IN ('', 'music')`,
      });
      expect(await counted()).not.toEqual(await waiting());
      await recount();
      expect(await counted()).toEqual(await waiting());
      const rows = (bucket: string, of = destinations) => of.map((destination) => ({ bucket, destination }));
      expect(await waiting()).toMatchObject(
        [
          ...all().map((bucket) => rows(bucket)),
          rows('music'),
          rows('photos', ['webhook:a', 'webhook:b']),
          rows('videos'),
        ].flat(),
      );
    });

    test('lets small changes that come at once pass the limit by one for each slot at most', async () => {
      const size = bytesOf(messageOn(topic));
      const { outbox, put } = await opened(10 * size);
      const outcomes = await Promise.allSettled(
        Array.from({ length: 120 }, (_, index) =>
          put(index, [messageOn(topic, { orderingKey: `${index}` })]),
        ),
      );
      for (const outcome of outcomes)
        if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(OutboxFullError);
      const { count } = await outbox.backlog();
      expect(count).toBeGreaterThanOrEqual(9);
      expect(count).toBeLessThanOrEqual(10 + 31);
    });
  }),
);
