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
import { createMessage } from '../../contracts/publisher.contract.ts';
import { putBucket, startOfTime } from '../../contracts/samples.ts';
import { eventually } from '../../eventually.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { useSharedServer } from './stores.ts';

const topicOf = (bucket: string): string => `//pubsub.test/projects/my-project/topics/of-${bucket}`;
const bucketNames = ['music', 'photos'];
const leaseMs = 60_000;

/** Wraps a database so that statements with one of these values fail as if their shard's node were away. */
function withNodeAway(database: Database, unavailableValues: ReadonlySet<unknown>): Database {
  const throwIfAway = (statements: readonly Statement[]): void => {
    if (statements.some(({ values = [] }) => values.some((value) => unavailableValues.has(value))))
      throw Object.assign(new Error('connection to the remote node failed'), { code: '08006' });
  };
  const guardConnection = ({ run, ...connection }: Connection): Connection => ({
    ...connection,
    run: async (statements) => (throwIfAway(statements), run(statements)),
  });
  const use: Database['use'] = (work) =>
    database
      .use((connection) => work(guardConnection(connection)))
      .catch((error: unknown) => {
        throw failureOf(error);
      });
  return {
    ...database,
    use,
    query: async (statement) => (await use(({ run }) => run([statement])))[0] ?? [],
    read: (statements) => use(({ run }) => run(statements)),
  };
}

describeWithPostgres('the outbox while a node is away', () => {
  const { resetServer } = useSharedServer();
  let now = startOfTime;

  async function openStores() {
    /** Owners and topics whose node is away. */
    const away = new Set<unknown>();
    const { database: sharedDatabase, listener } = await resetServer();
    const database = withNodeAway(sharedDatabase, away);
    const clock = (): number => now;
    const store = createPostgresNotificationStore(database, clock);
    const outbox = createPostgresOutbox<OutgoingMessage>(database, clock);
    const log = createPostgresMessageLog(database, listener, clock);
    for (const bucket of bucketNames) {
      await putBucket(createPostgresBucketStore(database, clock), sampleBucket(bucket));
      await store.changeNotifications({ bucket }, () => ({
        messages: [createMessage(topicOf(bucket))],
        result: undefined,
      }));
    }
    const settlements = createSettlements(outbox);
    const claim = async () => {
      const claims = await outbox.claim([{ destination: 'broker', limit: 10 }], leaseMs);
      return claims.filter((claimed) => !settlements.isEnded(claimed));
    };
    const claimTopics = async () => (await claim()).map(({ item: { topic } }) => topic);
    const countLoggedMessages = async (): Promise<number[]> =>
      Promise.all(bucketNames.map(async (bucket) => (await log.read(topicOf(bucket))).messages.length));
    return { away, outbox, settlements, claim, claimTopics, countLoggedMessages };
  }

  test('claims deliveries of owners on other nodes', async () => {
    const { away, claimTopics } = await openStores();
    away.add('photos');
    expect(await claimTopics()).toEqual([topicOf('music')]);
    away.clear();
    expect(await claimTopics()).toEqual([topicOf('photos')]);
  });

  test.each([
    ['its owner', 'photos'],
    ['its topic', topicOf('photos')],
  ])(
    "keeps a delivery's outcome until the node of %s is back, and does not claim it again",
    async (_case, value) => {
      const { away, outbox, settlements, claim, countLoggedMessages } = await openStores();
      const claimed = await claim();
      expect(claimed).toHaveLength(2);
      away.add(value);
      settlements.add(...claimed.map((claimedItem) => settlementOf(claimedItem, 'done')));
      await settlements.flush();
      expect((await outbox.backlog()).count).toBe(1);
      now += leaseMs + 1;
      expect(await claim()).toEqual([]);
      away.clear();
      await eventually(async () => {
        await settlements.flush();
        expect([await countLoggedMessages(), (await outbox.backlog()).count]).toEqual([[1, 1], 0]);
      });
    },
  );

  test('releases claims when the node is back', async () => {
    const { away, settlements, claim, claimTopics } = await openStores();
    const claimed = await claim();
    away.add('photos');
    settlements.add(...claimed.map((item) => settlementOf(item, { attempt: item.attempt, delayMs: 0 })));
    await settlements.flush();
    expect(await claimTopics()).toEqual([topicOf('music')]);
    away.clear();
    await eventually(async () => {
      await settlements.flush();
      expect(await claimTopics()).toEqual([topicOf('photos')]);
    });
  });
});
