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
import { startClaimSession, type ClaimSession } from '../../../src/adapters/postgres/outbox/claim-session.ts';
import type { DeliveryResult, Destination } from '../../../src/outbox/destination.ts';
import { createRelay } from '../../../src/outbox/relay.ts';
import { createDestinationStatus } from '../../../src/outbox/destination-status.ts';
import { sampleBucket } from '../../contracts/bucket-store.contract.ts';
import { createMessage } from '../../contracts/publisher.contract.ts';
import {
  createRecordingReport,
  createDestination,
  publishOk,
  type Publish,
} from '../../outbox/relay.harness.ts';
import { describeWithPostgres, exceptOnCluster } from '../../postgres-server.ts';
import { putBucket } from '../../contracts/samples.ts';
import { eventually } from '../../eventually.ts';
import { silentLog } from '../../log-lines.ts';
import { useSharedServer } from './stores.ts';

const topic = '//pubsub.test/projects/my-project/topics/relayed';
const hourMs = 3_600_000;

describeWithPostgres('several relays on one database', () => {
  const { resetServer } = useSharedServer();
  const relays: ReturnType<typeof createRelay>[] = [];
  const sessions: ClaimSession[] = [];
  afterEach(async () => {
    for (const relay of relays.splice(0)) await relay.stop();
    for (const session of sessions.splice(0)) await session.close();
  });

  async function openStores() {
    const { database, listener, url } = await resetServer();
    let offsetMs = 0;
    const clock = (): number => Date.now() + offsetMs;
    const store = createPostgresNotificationStore(database, clock);
    const outbox = createPostgresOutbox<OutgoingMessage>(database, clock);
    const log = createPostgresMessageLog(database, listener, Date.now);
    await putBucket(createPostgresBucketStore(database, Date.now), sampleBucket('photos'));
    const addMessages = async (...keys: string[]): Promise<OutgoingMessage[]> => {
      const messages = keys.map((orderingKey) => createMessage(topic, { orderingKey }));
      await store.changeNotifications({ bucket: 'photos' }, () => ({ messages, result: undefined }));
      return messages;
    };
    const published: OutgoingMessage[] = [];
    const openSession = async (): Promise<ClaimSession> => {
      const session = await startClaimSession(url, silentLog, database);
      sessions.push(session);
      return session;
    };
    /** Starts the relay of another gateway, with an outbox of its own. */
    const startRelay = (
      publish: Publish = publishOk,
      {
        session,
        ...otherProperties
      }: Partial<Destination<OutgoingMessage>> & { readonly session?: ClaimSession } = {},
    ) => {
      const destination = createDestination(
        'broker',
        async (message, signal) => {
          await pause(1);
          const delivery = await publish(message, signal);
          if (!delivery) published.push(message);
          return delivery;
        },
        otherProperties,
      );
      const { report, ...collectedReports } = createRecordingReport();
      const destinationStatus = createDestinationStatus([destination], clock);
      const relayOutbox = createPostgresOutbox<OutgoingMessage>(database, clock, session);
      const relay = createRelay({
        outbox: relayOutbox,
        destinations: [destination],
        states: createPostgresDestinationStates(database),
        destinationStatus,
        report,
        clock,
        delays: { maxIdleMs: 20 },
      });
      relays.push(relay);
      relay.start();
      return { ...collectedReports, destinationStatus };
    };
    const waitUntilPublished = (count: number): Promise<void> =>
      eventually(async () => expect([(await outbox.backlog()).count, published.length]).toEqual([0, count]));
    const advanceClock = (ms: number): void => void (offsetMs += ms);
    return {
      database,
      clock,
      outbox,
      log,
      addMessages,
      published,
      startRelay,
      openSession,
      untilPublished: waitUntilPublished,
      advanceClock,
    };
  }

  test('publish each message once and those of an object in order, and all log them', async () => {
    const { log, addMessages, published, startRelay, untilPublished } = await openStores();
    for (let index = 0; index < 3; index += 1) startRelay();
    const addedMessages = (
      await Promise.all(
        Array.from({ length: 10 }, (_, round) =>
          addMessages(...Array.from({ length: 20 }, (_, index) => `object ${(index + round) % 7}`)),
        ),
      )
    ).flat();
    await untilPublished(200);
    expect(published.map(({ id }) => id).sort()).toEqual(addedMessages.map(({ id }) => id).sort());
    // Messages of one change are in order; concurrent changes have no order.
    const indexById = new Map(published.map(({ id }, index) => [id, index]));
    for (let round = 0; round < 10; round += 1) {
      for (const key of new Set(addedMessages.map(({ orderingKey }) => orderingKey))) {
        const indexes = addedMessages
          .slice(round * 20, round * 20 + 20)
          .flatMap(({ id, orderingKey }) => (orderingKey === key ? [indexById.get(id) as number] : []));
        expect(indexes).toEqual(indexes.toSorted((a, b) => a - b));
      }
    }
    expect((await log.read(topic)).messages.map(({ id }) => id).sort()).toEqual(
      addedMessages.map(({ id }) => id).sort(),
    );
  });

  test('take over claims of a session that ended 5 s ago, not before', async () => {
    const { database, clock, addMessages, published, startRelay, untilPublished, openSession } =
      await openStores();
    const endingSession = await openSession();
    const added = await addMessages('one', 'one', 'two');
    const claimedItems = await createPostgresOutbox<OutgoingMessage>(database, clock, endingSession).claim(
      [{ destination: 'broker', limit: 10 }],
      hourMs,
    );
    expect(claimedItems).toHaveLength(3);
    let takenOverAtMs = 0;
    startRelay(async () => void (takenOverAtMs ||= performance.now()), { session: await openSession() });
    const endedAtMs = performance.now();
    await endingSession.close();
    await untilPublished(3);
    expect(takenOverAtMs - endedAtMs).toBeGreaterThanOrEqual(5000);
    expect(published.map(({ id }) => id).sort()).toEqual(added.map(({ id }) => id).sort());
  });

  test('take over claims of sessions that ended before the relays started', async () => {
    const { database, clock, addMessages, startRelay, untilPublished, openSession } = await openStores();
    await addMessages('one');
    const dying = await openSession();
    const outbox = createPostgresOutbox<OutgoingMessage>(database, clock, dying);
    expect(await outbox.claim([{ destination: 'broker', limit: 10 }], hourMs)).toHaveLength(1);
    await dying.close();
    startRelay(publishOk, { session: await openSession() });
    await untilPublished(1);
  });

  test('abort attempts when they lose their session, and deliver again in a new one', async () => {
    const { database, addMessages, published, startRelay, untilPublished, openSession } = await openStores();
    const abortedSignals: boolean[] = [];
    const publishOnceAborted: Publish = async ({ id }, signal) => {
      if (abortedSignals.length > 0 || id !== first?.id) return;
      await database.query({
        text: `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = ${session.number()}`,
      });
      await new Promise((resolve) => void signal.addEventListener('abort', resolve));
      abortedSignals.push(signal.aborted);
      throw new Error('cut short');
    };
    const session = await openSession();
    const [first, second] = await addMessages('one', 'one');
    startRelay(publishOnceAborted, { session });
    await untilPublished(2);
    expect([published.map(({ id }) => id), abortedSignals]).toEqual([[first?.id, second?.id], [true]]);
  });

  test('take over claims of a stuck relay, whose session lives, only after the lease ends', async () => {
    const {
      outbox,
      addMessages,
      published,
      startRelay,
      openSession,
      database,
      clock,
      advanceClock,
      untilPublished,
    } = await openStores();
    await addMessages('one');
    const outboxOfStuckRelay = createPostgresOutbox<OutgoingMessage>(database, clock, await openSession());
    expect(await outboxOfStuckRelay.claim([{ destination: 'broker', limit: 10 }], hourMs)).toHaveLength(1);
    startRelay(publishOk, { session: await openSession() });
    // Longer than the takeover of a dead session's claims takes.
    await pause(7500);
    expect([published, (await outbox.backlog()).count]).toEqual([[], 1]);
    advanceClock(hourMs);
    await untilPublished(1);
  });

  exceptOnCluster('it has no triggers').test(
    'log messages in commit order, so that readers miss no message of an earlier transaction',
    async () => {
      const { database, outbox, log, addMessages } = await openStores();
      const [slowId, fastId] = (await addMessages('one', 'two')).map(({ id }) => id) as [string, string];
      const settleAsDone = (id: string) =>
        outbox.settle([{ id, topic, owner: 'photos', destination: 'broker', outcome: 'done' }]);
      const lockClient = new pg.Client(database.pool.options);
      await lockClient.connect();
      // Blocks a transaction between assigning a log position and the commit that makes it visible.
      await lockClient.query(`CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_advisory_xact_lock(42); RETURN NULL; END $$;
      CREATE TRIGGER hold AFTER INSERT ON published FOR EACH ROW WHEN (NEW.id = '${slowId}') EXECUTE FUNCTION hold()`);
      const countWaiting = async (): Promise<number> =>
        (
          await lockClient.query(
            `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
          )
        ).rowCount ?? 0;
      await lockClient.query('SELECT pg_advisory_lock(42)');
      try {
        let { endPosition } = await log.read(topic);
        const readIds: string[] = [];
        const readMore = async (): Promise<void> => {
          const page = await log.readAfter(topic, endPosition, 10);
          readIds.push(...(page?.messages ?? []).map(({ id }) => id));
          endPosition = page?.endPosition ?? endPosition;
        };
        const firstSettlement = settleAsDone(slowId);
        while ((await countWaiting()) < 1) await pause(5);
        let isDone = false;
        const secondSettlement = settleAsDone(fastId).then(() => (isDone = true));
        while (!isDone && (await countWaiting()) < 2) await pause(5);
        await readMore();
        await lockClient.query('SELECT pg_advisory_unlock(42)');
        await Promise.all([firstSettlement, secondSettlement]);
        await readMore();
        expect(readIds).toEqual([slowId, fastId]);
      } finally {
        await lockClient.query('SELECT pg_advisory_unlock_all()');
        await lockClient.query('DROP FUNCTION hold CASCADE');
        await lockClient.end();
      }
    },
  );

  test('all pause when a destination asks one of them for a pause, and resume together', async () => {
    const { outbox, addMessages, published, startRelay, untilPublished, advanceClock } = await openStores();
    const pauseDelivery: DeliveryResult = {
      outcome: 'pause',
      until: Date.now() + hourMs,
      cause: new Error('busy'),
    };
    const attemptedIds: string[] = [];
    const publish: Publish = async ({ id }) => (attemptedIds.push(id) === 1 ? pauseDelivery : undefined);
    const relayPair = [startRelay(publish), startRelay(publish)];
    const [first] = await addMessages('first');
    while (relayPair.some(({ destinationStatus }) => destinationStatus.isReady('broker'))) await pause(10);
    const laterMessages = await addMessages('a', 'b', 'c');
    // Enough for several rounds of each relay.
    await pause(100);
    expect([attemptedIds, relayPair.flatMap(({ failures }) => failures)]).toEqual([[first?.id], ['busy']]);
    expect((await outbox.backlog()).count).toBe(4);
    advanceClock(hourMs);
    await untilPublished(4);
    expect(published.map(({ id }) => id).sort()).toEqual(
      [first, ...laterMessages].map((message) => message?.id).sort(),
    );
  });

  test('skip a destination that one of them turned off, unless they have another version of its settings', async () => {
    const { addMessages, published, startRelay, untilPublished, advanceClock } = await openStores();
    await addMessages('one', 'one', 'two');
    const turnedOffRelay = startRelay(async () => ({ outcome: 'off', cause: new Error('gone') }), {
      version: '1',
    });
    const countDropped = (): number =>
      turnedOffRelay.dropped.reduce((sum, line) => sum + Number.parseInt(line), 0);
    while (countDropped() < 3) await pause(10);
    expect([turnedOffRelay.offReports, countDropped()]).toEqual([['broker: gone'], 3]);
    // A gateway that starts later skips the destination from its start.
    const attemptedIds: string[] = [];
    const sameVersion = startRelay(async ({ id }) => void attemptedIds.push(id), { version: '1' });
    while (sameVersion.destinationStatus.isReady('broker')) await pause(10);
    startRelay(publishOk, { version: '2' });
    // Messages stored within 10 s may come from a gateway that does not know of it, and are dropped.
    advanceClock(11_000);
    const [next] = await addMessages('three');
    await untilPublished(1);
    expect([published.map(({ id }) => id), attemptedIds]).toEqual([[next?.id], []]);
  });
});
