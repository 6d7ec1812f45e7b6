import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startCluster, type Cluster } from '../citus-cluster.ts';
import { eventually } from '../eventually.ts';
import { startGatewayProcess, type GatewayProcess } from '../gateway-process.ts';
import { demoSeed, tokenFor } from '../harness.ts';
import { createFigureTable, tally } from '../integrity/figure-table.ts';
import { retryUntilDefined } from '../integrity/retry.ts';
import { startWriters } from '../integrity/write-load.ts';
import { startNats, readNatsStream, type NatsServer } from '../nats-server.ts';
import type { PostgresServer } from '../postgres-server.ts';
import { createSyncClient } from './sync-client.ts';

const manager = 'manager@example.com';
const bucketNames = Array.from({ length: 12 }, (_, index) => `photos-${index}`);
const publishChange = `mutation ($bucket: String!, $request: String, $change: ObjectChangeInput!) {
  publishObjectChange(bucket: $bucket, requestId: $request, change: $change) { messages { messageId } } }`;

/** Enough buckets to have some on each worker. */
const bucketSeed = bucketNames.map((name) => ({
  name,
  project: 'my-project',
  managers: [manager],
  notifications: [{ topic: `projects/my-project/topics/${name}` }] as const,
}));

/** Creates a function that publishes a change and returns its message ids, none if refused. */
async function createPublisher(
  pickGateway: () => GatewayProcess,
): Promise<(bucket: string) => Promise<string[]>> {
  const token = await tokenFor(manager);
  return async (bucket) => {
    const answer = await pickGateway().ask(token, publishChange, {
      bucket,
      change: { eventType: 'OBJECT_FINALIZE', objectId: 'one' },
    });
    return (
      (answer?.data as { publishObjectChange?: { messages: { messageId: string }[] } } | undefined)
        ?.publishObjectChange?.messages ?? []
    ).map(({ messageId }) => messageId);
  };
}

/** Starts a client per bucket, which publishes changes of one object in order until each is accepted. */
async function startPublishers(pickGateway: () => GatewayProcess, natsUrl: string) {
  const token = await tokenFor(manager);
  const messageIdsByBucket = new Map<string, string[]>();
  let isStopped = false;
  const clients = bucketNames.map(async (bucket) => {
    const ids: string[] = [];
    messageIdsByBucket.set(bucket, ids);
    for (let generation = 1; !isStopped; generation += 1) {
      const request = randomUUID();
      const change = { eventType: 'OBJECT_FINALIZE', objectId: bucket, objectGeneration: `${generation}` };
      for (let isAccepted = false; !isAccepted && !isStopped;) {
        const answer = await pickGateway().ask(token, publishChange, { bucket, request, change });
        const id = (
          answer?.data as { publishObjectChange?: { messages: [{ messageId: string }] } } | undefined
        )?.publishObjectChange?.messages[0].messageId;
        if (answer && answer.status !== 200 && answer.status !== 503)
          throw new Error(answer.body.slice(0, 300));
        isAccepted = id !== undefined;
        if (id !== undefined) ids.push(id);
        else await pause(50);
      }
      await pause(40);
    }
  });
  const allClientsEnded = Promise.all(clients);
  // A caller of `stop` has failed already and does not await the clients.
  allClientsEnded.catch(() => undefined);
  return {
    countPublished: () => [...messageIdsByBucket.values()].flat().length,
    stop: () => void (isStopped = true),
    /** Stops the clients and expects all messages to arrive, in order by bucket. */
    async end(): Promise<void> {
      isStopped = true;
      await allClientsEnded;
      await eventually(async () => {
        const firstIndexById = new Map<string, number>();
        (await readNatsStream(natsUrl)).forEach(
          ({ id }, index) => id !== undefined && !firstIndexById.has(id) && firstIndexById.set(id, index),
        );
        for (const [bucket, ids] of messageIdsByBucket) {
          const firstIndexes = ids.map((id) => firstIndexById.get(id));
          const sorted = [...firstIndexes].sort((a = Infinity, b = Infinity) => a - b);
          expect([bucket, firstIndexes]).toEqual([bucket, sorted]);
          expect([bucket, ids.filter((id) => !firstIndexById.has(id))]).toEqual([bucket, []]);
        }
      }, 90_000);
    },
  };
}

const figures = createFigureTable();
const insertEvent =
  'mutation ($event: EventInput!) { insertEvent(calendarId: "primary", event: $event) { id } }';
const patchEvent =
  'mutation ($id: String!, $summary: String!) { patchEvent(calendarId: "primary", eventId: $id, event: { summary: $summary }) { id } }';
const eventBody = {
  summary: '0',
  start: { dateTime: '2031-01-01T10:00:00Z' },
  end: { dateTime: '2031-01-01T11:00:00Z' },
};

describe('a cluster of a coordinator and two workers, two gateways', () => {
  let cluster: Cluster;
  let nats: NatsServer;
  let gateways: GatewayProcess[] = [];
  let folder: string;
  let requestCount = 0;
  const pickGateway = (): GatewayProcess => gateways[(requestCount += 1) % gateways.length] as GatewayProcess;

  /** Returns the buckets whose messages need this worker only. */
  async function findBucketsOn(worker: PostgresServer): Promise<string[]> {
    const locatedBuckets = await Promise.all(
      bucketSeed.map(async ({ name, notifications: [{ topic }] }) => ({
        name,
        workers: [
          await cluster.findWorker(name),
          await cluster.findWorker(`//pubsub.googleapis.com/${topic}`),
        ],
      })),
    );
    return locatedBuckets
      .filter(({ workers }) => workers.every((needed) => needed === worker))
      .map(({ name }) => name);
  }

  beforeAll(async () => {
    cluster = await startCluster();
    nats = await startNats();
    folder = mkdtempSync(join(tmpdir(), 'cluster-'));
    const SEED_FILE = join(folder, 'seed.json');
    writeFileSync(SEED_FILE, JSON.stringify({ ...demoSeed, buckets: [...demoSeed.buckets, ...bucketSeed] }));
    const env = { DATABASE_URL: cluster.url, BROKER_URL: nats.url, SEED_FILE };
    for (let index = 0; index < 2; index += 1) gateways.push(await startGatewayProcess(env));
  }, 120_000);
  afterAll(async () => {
    for (const gateway of gateways) await gateway.kill();
    gateways = [];
    await nats?.remove();
    await cluster?.remove();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  figures.registerTest('Citus, three nodes', {
    title:
      '30 times a worker or the coordinator killed with -9 under load: no acknowledged write lost, none half applied, no follower by sync tokens stale, no message lost; writes again within 3 s of its start',
    limitMs: 30 * 60_000,
    async measure() {
      const writers = await startWriters(() => gateways);
      const publishers = await startPublishers(pickGateway, nats.url);
      const syncClient = createSyncClient(pickGateway, await tokenFor('bob@example.com'));
      let [isEnded, syncCount, inDoubtCount] = [false, 0, 0];
      const followLoop = (async () => {
        while (!isEnded) {
          if (await syncClient.sync()) syncCount += 1;
          else await pause(50);
        }
      })();
      const recoveryMs: number[] = [];
      try {
        for (let round = 0; round < 30; round += 1) {
          const node = [cluster.coordinator, ...cluster.workers][round % 3] as PostgresServer;
          await pause(300 + Math.random() * 300);
          await node.kill();
          await pause(Math.random() * 500);
          await node.start();
          const nodeStartedAt = Date.now();
          const writesBefore = writers.acknowledged();
          inDoubtCount += await cluster.countInDoubtTransactions();
          while (writers.acknowledged() < writesBefore + 8) {
            if (Date.now() - nodeStartedAt > 60_000)
              throw new Error(`writes do not flow after the loss of a node (round ${round})`);
            await pause(10);
          }
          recoveryMs.push(Date.now() - nodeStartedAt);
        }
      } catch (error) {
        // Clients stop before the gateways.
        writers.stop();
        publishers.stop();
        isEnded = true;
        throw error;
      }
      const faults = await writers.stopAndFindFaults();
      await publishers.end();
      while ((await cluster.countInDoubtTransactions()) > 0) await pause(100);
      isEnded = true;
      await followLoop;
      // Syncs twice, because changes that were not yet visible come with the next sync.
      for (let count = 0; count < 2;) if (await syncClient.sync()) count += 1;
      const staleEvents = await syncClient.findStaleEvents();
      recoveryMs.sort((a, b) => a - b);
      const problems = [...faults, ...staleEvents.map((event) => `stale: ${event}`)];
      return {
        figure: `${writers.acknowledged()} writes acknowledged, ${publishers.countPublished()} messages, ${syncCount} syncs, ${inDoubtCount} transactions in doubt; ${problems.length === 0 ? 'none lost, half applied or stale' : problems.slice(0, 3).join('; ')}; again after ${recoveryMs[15]} ms (median), ${recoveryMs.at(-1)} ms (longest)`,
        holds: problems.length === 0 && (recoveryMs.at(-1) as number) < 3000,
      };
    },
  });

  figures.registerTest('Citus, three nodes', {
    title:
      'a worker away for 5 s: calendars of the other one stay available, the gateway stays ready, messages of its buckets arrive, a caller whose calendar is away gets 503',
    async measure() {
      const emails = Array.from({ length: 12 }, (_, index) => `user${index}@example.com`);
      const users = await Promise.all(
        emails.map(async (email) => {
          const token = await tokenFor(email);
          const id = await retryUntilDefined(async () => {
            const answer = await pickGateway().ask(token, insertEvent, { event: eventBody });
            return (answer?.data as { insertEvent?: { id: string } } | undefined)?.insertEvent?.id;
          });
          return { token, id, worker: await cluster.findWorker(email) };
        }),
      );
      const [awayWorker, availableWorker] = cluster.workers;
      const patch = async ({ token, id }: (typeof users)[number]): Promise<string> => {
        const answer = await pickGateway().ask(token, patchEvent, { id, summary: `${Math.random()}` });
        const { patchEvent: patched } = (answer?.data ?? {}) as { patchEvent?: object };
        return patched ? 'done' : `${answer?.status}`;
      };
      const [buckets, publishTo] = [await findBucketsOn(availableWorker), await createPublisher(pickGateway)];
      const messageIds: string[] = [];
      await awayWorker.kill();
      const startingGateway = startGatewayProcess({ DATABASE_URL: cluster.url, BROKER_URL: nats.url });
      const outcomesOnAvailable: string[] = [];
      const outcomesOnAway: string[] = [];
      const readyStatuses: string[] = [];
      for (const end = Date.now() + 5000; Date.now() < end;) {
        for (const user of users)
          (user.worker === availableWorker ? outcomesOnAvailable : outcomesOnAway).push(await patch(user));
        readyStatuses.push(`${(await fetch(`${pickGateway().url}/health/ready`)).status}`);
        for (const bucket of buckets) messageIds.push(...(await publishTo(bucket)));
      }
      await (await startingGateway).kill();
      await eventually(async () => {
        const receivedIds = (await readNatsStream(nats.url)).map(({ id }) => id);
        expect(receivedIds).toEqual(expect.arrayContaining(messageIds));
      }, 2_000 /* ms */);
      await awayWorker.start();
      const workerStartedAt = Date.now();
      for (const user of users.filter(({ worker }) => worker === awayWorker))
        while ((await patch(user)) !== 'done') await pause(10);
      const recoveryMs = Date.now() - workerStartedAt;
      return {
        figure: `there: ${tally(outcomesOnAvailable)}; away: ${tally(outcomesOnAway)}; ready: ${tally(readyStatuses)}; ${messageIds.length} messages of ${buckets.length} buckets there arrived meanwhile; a gateway started; all again ${recoveryMs} ms after its start`,
        holds:
          outcomesOnAvailable.every((outcome) => outcome === 'done') &&
          outcomesOnAway.every((outcome) => outcome === '503') &&
          readyStatuses.every((status) => status === '200') &&
          recoveryMs < 1500 &&
          messageIds.length > 0,
      };
    },
  });
});
