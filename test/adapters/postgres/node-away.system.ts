import { createPostgresBucketStore } from '../../../src/adapters/postgres/buckets/store.ts';
import type { Connection, Database, Statement } from '../../../src/adapters/postgres/database.ts';
import { failureOf } from '../../../src/adapters/postgres/failures.ts';
import {
  createPostgresMessageLog,
  createPostgresNotificationStore,
} from '../../../src/adapters/postgres/notifications/store.ts';
import { createPostgresOutbox } from '../../../src/adapters/postgres/outbox/outbox.ts';
import type { OutgoingMessage } from '../../../src/notification/notification.store.ts';
import { settlementOf } from '../../../src/outbox/outbox.store.ts';
import { createSettlements } from '../../../src/outbox/settlements.ts';
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
  const guarded = ({ run, runAll, ...connection }: Connection): Connection => ({
    ...connection,
    run: async (statements) => (refuse(statements), run(statements)),
    runAll: async (statements) => (refuse(statements), runAll(statements)),
  });
  const use: Database['use'] = (work) =>
    database
      .use((connection) => work(guarded(connection)))
      .catch((error: unknown) => {
        throw failureOf(error);
      });
  return {
    ...database,
    use,
    query: (statement) => use(({ run }) => run([statement])),
    read: (statements) => use(({ runAll }) => runAll(statements)),
  };
}

describeWithPostgres('the outbox while a node is away', () => {
  const { empty } = sharedServer();
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
    const settlements = createSettlements(outbox);
    const claim = async () => {
      const claims = await outbox.claim([{ destination: 'broker', limit: 10 }], lease);
      return claims.filter((one) => !settlements.isEnded(one));
    };
    const topics = async () => (await claim()).map(({ item: { topic } }) => topic);
    const logged = async (): Promise<number[]> =>
      Promise.all(buckets.map(async (bucket) => (await log.read(topicOf(bucket))).messages.length));
    return { away, outbox, settlements, claim, topics, logged };
  }

  test('gives what is for owners on the other nodes', async () => {
    const { away, topics } = await opened();
    away.add('photos');
    expect(await topics()).toEqual([topicOf('music')]);
    away.clear();
    expect(await topics()).toEqual([topicOf('photos')]);
  });

  test.each([
    ['its owner', 'photos'],
    ['its topic', topicOf('photos')],
  ])(
    'keeps what has become of a delivery until the node of %s is back, and does not give it again',
    async (_whose, value) => {
      const { away, outbox, settlements, claim, logged } = await opened();
      const claimed = await claim();
      expect(claimed).toHaveLength(2);
      away.add(value);
      settlements.add(...claimed.map((one) => settlementOf(one, 'done')));
      await settlements.flush();
      expect((await outbox.backlog()).count).toBe(1);
      now += lease + 1;
      expect(await claim()).toEqual([]);
      away.clear();
      await eventually(async () => {
        await settlements.flush();
        expect([await logged(), (await outbox.backlog()).count]).toEqual([[1, 1], 0]);
      });
    },
  );

  test('ends claims when the node is back', async () => {
    const { away, settlements, claim, topics } = await opened();
    const claimed = await claim();
    away.add('photos');
    settlements.add(...claimed.map((one) => settlementOf(one, { attempt: one.attempt, delayMs: 0 })));
    await settlements.flush();
    expect(await topics()).toEqual([topicOf('music')]);
    away.clear();
    await eventually(async () => {
      await settlements.flush();
      expect(await topics()).toEqual([topicOf('photos')]);
    });
  });
});
