import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createPostgresBucketStore } from '../../../src/adapters/postgres/buckets/bucket-store.ts';
import { createPostgresMessageLog } from '../../../src/adapters/postgres/notifications/message-log.ts';
import { createPostgresNotificationStore } from '../../../src/adapters/postgres/notifications/notification-store.ts';
import type { OutgoingMessage } from '../../../src/notification/message.store.ts';
import { createPostgresOutbox } from '../../../src/adapters/postgres/outbox/outbox.ts';
import { done, type Publisher } from '../../../src/outbox/delivery.ts';
import { createRelay, type Relay } from '../../../src/outbox/relay.ts';
import { sampleBucket } from '../../contracts/bucket-store.contract.ts';
import type { SampleNotification } from '../../contracts/notification-store.contract.ts';
import { messageOn } from '../../contracts/publisher.contract.ts';
import { describeWithPostgres } from '../../postgres-server.ts';
import { sharedServer } from './stores.ts';
import { addBucket } from '../../contracts/samples.ts';

const topic = '//pubsub.test/projects/my-project/topics/relayed';

describeWithPostgres('several relays on one database', () => {
  const { empty } = sharedServer();
  const relays: Relay[] = [];
  afterEach(async () => {
    for (const relay of relays.splice(0)) await relay.stop();
  });

  async function opened() {
    const { database, listener } = await empty();
    const store = createPostgresNotificationStore<SampleNotification>(database, Date.now);
    const outbox = createPostgresOutbox<OutgoingMessage>(database, Date.now);
    const log = createPostgresMessageLog(database, listener, Date.now);
    await addBucket(createPostgresBucketStore(database, Date.now), sampleBucket('photos'));
    const add = async (...keys: string[]): Promise<OutgoingMessage[]> => {
      const messages = keys.map((orderingKey) => messageOn(topic, { orderingKey }));
      await store.changeNotifications({ bucket: 'photos' }, () => ({ messages, result: undefined }));
      return messages;
    };
    const published: OutgoingMessage[] = [];
    /** A gateway's own relay, with a store of its own. */
    const start = (): void => {
      const relay = createRelay({
        outbox: createPostgresOutbox<OutgoingMessage>(database, Date.now),
        publishers: new Map<string, Publisher<OutgoingMessage>>([['broker', { publish: async (message) => { await pause(1); published.push(message); return done; }, close: async () => undefined }]]),
        onFailure: () => undefined,
        onDropped: () => undefined,
        delays: { idle: 20 },
      });
      relays.push(relay);
      relay.start();
    };
    const until = async (count: number): Promise<void> => {
      const end = Date.now() + 15_000;
      while (((await outbox.backlog()).count > 0 || published.length < count) && Date.now() < end) await pause(20);
    };
    return { database, outbox, log, add, published, start, until };
  }

  test('publish each message once, those of an object in order, and all show what was published', async () => {
    const { log, add, published, start, until } = await opened();
    for (let index = 0; index < 3; index += 1) start();
    const added = (await Promise.all(Array.from({ length: 10 }, (_, round) => add(...Array.from({ length: 20 }, (_, index) => `object ${(index + round) % 7}`))))).flat();
    await until(200);
    expect(published.map(({ id }) => id).sort()).toEqual(added.map(({ id }) => id).sort());
    for (let key = 0; key < 7; key += 1) {
      const of = (all: readonly OutgoingMessage[]): string[] => all.filter(({ orderingKey }) => orderingKey === `object ${key}`).map(({ id }) => id);
      // Those of one change are in order; changes that came at once have no order among them.
      const places = new Map(of(published).map((id, place) => [id, place]));
      for (let round = 0; round < 10; round += 1) {
        const own = of(added.slice(round * 20, round * 20 + 20)).map((id) => places.get(id) as number);
        expect(own).toEqual([...own].sort((a, b) => a - b));
      }
    }
    expect((await log.read(topic)).messages.map(({ id }) => id).sort()).toEqual(added.map(({ id }) => id).sort());
  }, 30_000);

  test('take over what one claimed that died, when its lease has ended', async () => {
    const { outbox, add, published, start, until } = await opened();
    const added = await add('one', 'one', 'two');
    const [claimed] = await outbox.claim([{ destination: 'broker', limit: 1 }], 700);
    start();
    await pause(300);
    expect(published.map(({ orderingKey }) => orderingKey)).not.toContain(claimed?.item.orderingKey);
    await until(3);
    expect(published.map(({ id }) => id).sort()).toEqual(added.map(({ id }) => id).sort());
  }, 30_000);

  test('show what they publish in one order: nobody who reads on misses what was begun earlier and is visible later', async () => {
    const { database, outbox, log, add } = await opened();
    const [slow, fast] = (await add('one', 'two')).map(({ id }) => id) as [string, string];
    const holder = new pg.Client(database.pool.options);
    await holder.connect();
    // Holds a transaction up between the place that a message gets in the log and the commit that shows it.
    await holder.query(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END $$;
      CREATE TRIGGER hold AFTER INSERT ON published FOR EACH ROW WHEN (NEW.id = '${slow}') EXECUTE FUNCTION hold()`);
    const waiting = async (): Promise<number> => (await holder.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)).rowCount ?? 0;
    await holder.query('SELECT pg_advisory_lock(42)');
    try {
      let { end } = await log.read(topic);
      const read: string[] = [];
      const readOn = async (): Promise<void> => {
        const page = await log.readBehind(topic, end, 10);
        read.push(...(page?.messages ?? []).map(({ id }) => id));
        end = page?.end ?? end;
      };
      const first = outbox.complete([{ id: slow, destination: 'broker' }]);
      while ((await waiting()) < 1) await pause(5);
      let isDone = false;
      const second = outbox.complete([{ id: fast, destination: 'broker' }]).then(() => (isDone = true));
      while (!isDone && (await waiting()) < 2) await pause(5);
      await readOn();
      await holder.query('SELECT pg_advisory_unlock(42)');
      await Promise.all([first, second]);
      await readOn();
      expect(read).toEqual([slow, fast]);
    } finally {
      await holder.query('SELECT pg_advisory_unlock_all()');
      await holder.query('DROP FUNCTION hold CASCADE');
      await holder.end();
    }
  }, 30_000);

  test('tell those who watch of the topics that were published to', async () => {
    const { log, add, start } = await opened();
    const told = new Promise<string>((resolve) => {
      const stop = log.watch((name) => {
        stop();
        resolve(name);
      });
    });
    start();
    await add('one');
    expect(await told).toBe(topic);
  });
});
