import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createPostgresBucketStore } from '../../../src/adapters/postgres/buckets/store.ts';
import {
  createPostgresMessageLog,
  createPostgresNotificationStore,
} from '../../../src/adapters/postgres/notifications/store.ts';
import type { OutgoingMessage } from '../../../src/notification/notification.store.ts';
import {
  createPostgresDestinationStates,
  createPostgresOutbox,
} from '../../../src/adapters/postgres/outbox/outbox.ts';
import { startClaimSession, type ClaimSession } from '../../../src/adapters/postgres/outbox/session.ts';
import type { Delivery, Destination } from '../../../src/outbox/destination.ts';
import { createRelay, type Relay } from '../../../src/outbox/relay.ts';
import { createStandings } from '../../../src/outbox/standings.ts';
import { sampleBucket } from '../../contracts/bucket-store.contract.ts';
import type { SampleNotification } from '../../contracts/notification-store.contract.ts';
import { messageOn } from '../../contracts/publisher.contract.ts';
import { collectReport, destinationOf, succeeds, type Publish } from '../../outbox/relay.harness.ts';
import { describeWithPostgres, exceptOnCluster } from '../../postgres-server.ts';
import { addBucket } from '../../contracts/samples.ts';
import { eventually } from '../../eventually.ts';
import { silentLog } from '../../log-lines.ts';
import { sharedServer } from './stores.ts';

const topic = '//pubsub.test/projects/my-project/topics/relayed';
const hour = 3_600_000;

describeWithPostgres('several relays on one database', () => {
  const { empty } = sharedServer();
  const relays: Relay[] = [];
  const sessions: ClaimSession[] = [];
  afterEach(async () => {
    for (const relay of relays.splice(0)) await relay.stop();
    for (const session of sessions.splice(0)) await session.close();
  });

  async function opened() {
    const { database, listener, url } = await empty();
    let ahead = 0;
    const clock = (): number => Date.now() + ahead;
    const store = createPostgresNotificationStore<SampleNotification>(database, clock);
    const outbox = createPostgresOutbox<OutgoingMessage>(database, clock);
    const log = createPostgresMessageLog(database, listener, Date.now);
    await addBucket(createPostgresBucketStore(database, Date.now), sampleBucket('photos'));
    const add = async (...keys: string[]): Promise<OutgoingMessage[]> => {
      const messages = keys.map((orderingKey) => messageOn(topic, { orderingKey }));
      await store.changeNotifications({ bucket: 'photos' }, () => ({ messages, result: undefined }));
      return messages;
    };
    const published: OutgoingMessage[] = [];
    const openSession = async (): Promise<ClaimSession> => {
      const session = await startClaimSession(url, silentLog, database);
      sessions.push(session);
      return session;
    };
    /** The relay of one more gateway, with an outbox of its own. */
    const start = (
      publish: Publish = succeeds,
      { session, ...rest }: Partial<Destination<OutgoingMessage>> & { readonly session?: ClaimSession } = {},
    ) => {
      const destination = destinationOf(
        'broker',
        async (message, signal) => {
          await pause(1);
          const delivery = await publish(message, signal);
          if (!delivery) published.push(message);
          return delivery;
        },
        rest,
      );
      const { report, ...kept } = collectReport();
      const standings = createStandings([destination], clock);
      const outbox = createPostgresOutbox<OutgoingMessage>(database, clock, session);
      const relay = createRelay({
        outbox,
        destinations: [destination],
        states: createPostgresDestinationStates(database),
        standings,
        report,
        clock,
        delays: { idle: 20 },
      });
      relays.push(relay);
      relay.start();
      return { ...kept, standings };
    };
    const until = (count: number): Promise<void> =>
      eventually(async () => expect([(await outbox.backlog()).count, published.length]).toEqual([0, count]));
    const goAhead = (ms: number): void => void (ahead += ms);
    return { database, clock, outbox, log, add, published, start, openSession, until, goAhead };
  }

  test('publish each message once, those of an object in order, and all show what was published', async () => {
    const { log, add, published, start, until } = await opened();
    for (let index = 0; index < 3; index += 1) start();
    const added = (
      await Promise.all(
        Array.from({ length: 10 }, (_, round) =>
          add(...Array.from({ length: 20 }, (_, index) => `object ${(index + round) % 7}`)),
        ),
      )
    ).flat();
    await until(200);
    expect(published.map(({ id }) => id).sort()).toEqual(added.map(({ id }) => id).sort());
    // Messages of one change are in order; changes that came at once have no order among them.
    const places = new Map(published.map(({ id }, place) => [id, place]));
    for (let round = 0; round < 10; round += 1) {
      for (const key of new Set(added.map(({ orderingKey }) => orderingKey))) {
        const own = added
          .slice(round * 20, round * 20 + 20)
          .flatMap(({ id, orderingKey }) => (orderingKey === key ? [places.get(id) as number] : []));
        expect(own).toEqual(own.toSorted((one, other) => one - other));
      }
    }
    expect((await log.read(topic)).messages.map(({ id }) => id).sort()).toEqual(
      added.map(({ id }) => id).sort(),
    );
  });

  test('take over what one claimed whose session ended, 5 s later and not before', async () => {
    const { database, clock, add, published, start, until, openSession } = await opened();
    const dying = await openSession();
    const added = await add('one', 'one', 'two');
    const claimed = await createPostgresOutbox<OutgoingMessage>(database, clock, dying).claim(
      [{ destination: 'broker', limit: 10 }],
      hour,
    );
    expect(claimed).toHaveLength(3);
    let tookOverAt = 0;
    start(async () => void (tookOverAt ||= performance.now()), { session: await openSession() });
    const endsAt = performance.now();
    await dying.close();
    await until(3);
    expect(tookOverAt - endsAt).toBeGreaterThanOrEqual(5000);
    expect(published.map(({ id }) => id).sort()).toEqual(added.map(({ id }) => id).sort());
  });

  test('take over what was claimed before any of them was there, when all have died', async () => {
    const { database, clock, add, start, until, openSession } = await opened();
    await add('one');
    const dying = await openSession();
    const outbox = createPostgresOutbox<OutgoingMessage>(database, clock, dying);
    expect(await outbox.claim([{ destination: 'broker', limit: 10 }], hour)).toHaveLength(1);
    await dying.close();
    start(succeeds, { session: await openSession() });
    await until(1);
  });

  test('end what they attempt when they lose their session, and go on in another one', async () => {
    const { database, add, published, start, until, openSession } = await opened();
    const aborted: boolean[] = [];
    const publish: Publish = async ({ id }, signal) => {
      if (aborted.length > 0 || id !== first?.id) return;
      await database.query({
        text: `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = ${session.number()}`,
      });
      await new Promise((resolve) => void signal.addEventListener('abort', resolve));
      aborted.push(signal.aborted);
      throw new Error('cut short');
    };
    const session = await openSession();
    const [first, second] = await add('one', 'one');
    start(publish, { session });
    await until(2);
    expect([published.map(({ id }) => id), aborted]).toEqual([[first?.id, second?.id], [true]]);
  });

  test('leave alone what one claimed that is stuck while its session goes on, until its lease ends', async () => {
    const { outbox, add, published, start, openSession, database, clock, goAhead, until } = await opened();
    await add('one');
    const stuck = createPostgresOutbox<OutgoingMessage>(database, clock, await openSession());
    expect(await stuck.claim([{ destination: 'broker', limit: 10 }], hour)).toHaveLength(1);
    start(succeeds, { session: await openSession() });
    // Longer than it takes to take over from one that died.
    await pause(7500);
    expect([published, (await outbox.backlog()).count]).toEqual([[], 1]);
    goAhead(hour);
    await until(1);
  });

  exceptOnCluster('it has no triggers').test(
    'show messages in one order: readers miss none that was begun earlier and is visible later',
    async () => {
      const { database, outbox, log, add } = await opened();
      const [slow, fast] = (await add('one', 'two')).map(({ id }) => id) as [string, string];
      const complete = (id: string) =>
        outbox.settle([{ id, topic, owner: 'photos', destination: 'broker', outcome: 'done' }]);
      const holder = new pg.Client(database.pool.options);
      await holder.connect();
      // Holds a transaction up between the place that a message gets in the log and the commit that shows it.
      await holder.query(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END $$;
      CREATE TRIGGER hold AFTER INSERT ON published FOR EACH ROW WHEN (NEW.id = '${slow}') EXECUTE FUNCTION hold()`);
      const waiting = async (): Promise<number> =>
        (
          await holder.query(
            `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
          )
        ).rowCount ?? 0;
      await holder.query('SELECT pg_advisory_lock(42)');
      try {
        let { end } = await log.read(topic);
        const read: string[] = [];
        const readOn = async (): Promise<void> => {
          const page = await log.readBehind(topic, end, 10);
          read.push(...(page?.messages ?? []).map(({ id }) => id));
          end = page?.end ?? end;
        };
        const first = complete(slow);
        while ((await waiting()) < 1) await pause(5);
        let isDone = false;
        const second = complete(fast).then(() => (isDone = true));
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
    },
  );

  test('rest together when a destination wants a pause of one of them, and go on when it is over', async () => {
    const { outbox, add, published, start, until, goAhead } = await opened();
    const wait: Delivery = { outcome: 'pause', until: Date.now() + hour, cause: new Error('busy') };
    const asked: string[] = [];
    const publish: Publish = async ({ id }) => (asked.push(id) === 1 ? wait : undefined);
    const both = [start(publish), start(publish)];
    const [first] = await add('first');
    while (both.some(({ standings }) => standings.isReady('broker'))) await pause(10);
    const later = await add('a', 'b', 'c');
    // Several turns of each relay.
    await pause(100);
    expect([asked, both.flatMap(({ failures }) => failures)]).toEqual([[first?.id], ['busy']]);
    expect((await outbox.backlog()).count).toBe(4);
    goAhead(hour);
    await until(4);
    expect(published.map(({ id }) => id).sort()).toEqual(
      [first, ...later].map((message) => message?.id).sort(),
    );
  });

  test('leave alone what one of them turned off, those with another version of it do not', async () => {
    const { add, published, start, until, goAhead } = await opened();
    await add('one', 'one', 'two');
    const gone = start(async () => ({ outcome: 'off', cause: new Error('gone') }), { version: '1' });
    const dropped = (): number => gone.dropped.reduce((sum, line) => sum + Number.parseInt(line), 0);
    while (dropped() < 3) await pause(10);
    expect([gone.off, dropped()]).toEqual([['broker: gone'], 3]);
    // A gateway that starts later knows it from the start.
    const asked: string[] = [];
    const same = start(async ({ id }) => void asked.push(id), { version: '1' });
    while (same.standings.isReady('broker')) await pause(10);
    start(succeeds, { version: '2' });
    // Messages stored at about the same time may come from a gateway that does not know yet, and are dropped.
    goAhead(11_000);
    const [next] = await add('three');
    await until(1);
    expect([published.map(({ id }) => id), asked]).toEqual([[next?.id], []]);
  });
});
