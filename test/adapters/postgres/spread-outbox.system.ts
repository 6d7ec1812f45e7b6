import { createPostgresBucketStore } from '../../../src/adapters/postgres/buckets/bucket-store.ts';
import type { Connection, Database, Statement } from '../../../src/adapters/postgres/database.ts';
import { failureOf } from '../../../src/adapters/postgres/failures.ts';
import { createPostgresMessageLog } from '../../../src/adapters/postgres/notifications/message-log.ts';
import { createPostgresNotificationStore } from '../../../src/adapters/postgres/notifications/notification-store.ts';
import { createPostgresOutbox } from '../../../src/adapters/postgres/outbox/outbox.ts';
import type { OutgoingMessage } from '../../../src/notification/message.store.ts';
import { sampleBucket } from '../../contracts/bucket-store.contract.ts';
import { messageOn } from '../../contracts/publisher.contract.ts';
import { addBucket, startOfTime } from '../../contracts/samples.ts';
import { eventually } from '../../eventually.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { sharedServer } from './stores.ts';

const topicOf = (bucket: string): string => `//pubsub.test/projects/my-project/topics/of-${bucket}`;
const buckets = ['music', 'photos'];
const lease = 60_000;

/** The same database, of which the shards of some values are on a node that is away. */
function withNodeAway(database: Database, away: ReadonlySet<unknown>): Database {
  const refuse = (statements: readonly Statement[]): void => {
    if (statements.some(({ values = [] }) => values.some((value) => away.has(value))))
      throw Object.assign(new Error('connection to the remote node failed'), { code: '08006' });
  };
  const guarded = ({ run, runAll, runEach, discard }: Connection): Connection => ({
    discard,
    run: async (statements) => (refuse(statements), run(statements)),
    runAll: async (statements) => (refuse(statements), runAll(statements)),
    runEach: (statements) => (refuse(statements), runEach(statements)),
  });
  const use: Database['use'] = (work) =>
    database
      .use((connection) => work(guarded(connection)))
      .catch((error: unknown) => {
        throw failureOf(error);
      });
  return { ...database, use, query: (statement) => use(({ run }) => run([statement])) };
}

describeWithPostgres('the outbox while a node is away', () => {
  const { empty } = sharedServer('spread');
  let now = startOfTime;

  async function opened() {
    const away = new Set<unknown>();
    const { database: whole, listener } = await empty();
    const database = withNodeAway(whole, away);
    const clock = (): number => now;
    const store = createPostgresNotificationStore(database, clock);
    const outbox = createPostgresOutbox<OutgoingMessage>(database, clock);
    const log = createPostgresMessageLog(database, listener, clock);
    for (const bucket of buckets) {
      await addBucket(createPostgresBucketStore(database, clock), sampleBucket(bucket));
      await store.changeNotifications({ bucket }, () => ({
        messages: [messageOn(topicOf(bucket))],
        result: undefined,
      }));
    }
    const claim = async () =>
      (await outbox.claim([{ destination: 'broker', limit: 10 }], lease)).map(
        ({ item, destination, attempt }) => ({ id: item.id, topic: item.topic, destination, attempt }),
      );
    const logged = async (): Promise<number[]> =>
      Promise.all(buckets.map(async (bucket) => (await log.read(topicOf(bucket))).messages.length));
    return { away, outbox, claim, logged };
  }

  test('gives what is for owners on the other nodes', async () => {
    const { away, claim } = await opened();
    away.add('photos');
    expect((await claim()).map(({ topic }) => topic)).toEqual([topicOf('music')]);
    away.clear();
    expect((await claim()).map(({ topic }) => topic)).toEqual([topicOf('photos')]);
  });

  test.each([
    ['its owner', 'photos'],
    ['its topic', topicOf('photos')],
  ])(
    'keeps what has become of a delivery until the node of %s is back, and does not give it again',
    async (_whose, value) => {
      const { away, outbox, claim, logged } = await opened();
      const claimed = await claim();
      expect(claimed).toHaveLength(2);
      away.add(value);
      await outbox.complete(claimed);
      expect((await outbox.backlog()).count).toBe(1);
      now += lease + 1;
      expect(await claim()).toEqual([]);
      away.clear();
      await eventually(async () =>
        expect([await logged(), (await outbox.backlog()).count]).toEqual([[1, 1], 0]),
      );
    },
  );

  test('ends claims when the node is back', async () => {
    const { away, outbox, claim } = await opened();
    const claimed = await claim();
    away.add('photos');
    await outbox.release(claimed.map((one) => ({ ...one, delayMs: 0 })));
    expect((await claim()).map(({ topic }) => topic)).toEqual([topicOf('music')]);
    away.clear();
    await eventually(async () =>
      expect((await claim()).map(({ topic }) => topic)).toEqual([topicOf('photos')]),
    );
  });
});
