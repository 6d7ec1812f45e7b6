import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { startCluster, type Cluster } from '../citus-cluster.ts';
import { eventually } from '../eventually.ts';
import { startGatewayProcess, type GatewayProcess } from '../gateway-process.ts';
import { demoSeed, tokenFor } from '../harness.ts';
import { figureTable, tally } from '../integrity/figures.ts';
import { insist } from '../integrity/insist.ts';
import { startWriters } from '../integrity/write-load.ts';
import { startNats, streamOf, type NatsServer } from '../nats-server.ts';
import type { PostgresServer } from '../postgres-server.ts';
import { syncClient } from './sync-client.ts';

const manager = 'manager@example.com';
const names = Array.from({ length: 12 }, (_, index) => `photos-${index}`);
const publishing = `mutation ($bucket: String!, $request: String, $change: ObjectChangeInput!) {
  publishObjectChange(bucket: $bucket, requestId: $request, change: $change) { messages { messageId } } }`;

/** Buckets on several shards. */
const bucketSeed = names.map((name) => ({
  name,
  project: 'my-project',
  managers: [manager],
  notifications: [{ topic: `projects/my-project/topics/${name}` }] as const,
}));

/** Publishes one change; gives the ids of its messages, none where it was not taken. */
async function publisherTo(pick: () => GatewayProcess): Promise<(bucket: string) => Promise<string[]>> {
  const token = await tokenFor(manager);
  return async (bucket) => {
    const answer = await pick().ask(token, publishing, {
      bucket,
      change: { eventType: 'OBJECT_FINALIZE', objectId: 'one' },
    });
    return (
      (answer?.data as { publishObjectChange?: { messages: { messageId: string }[] } } | undefined)
        ?.publishObjectChange?.messages ?? []
    ).map(({ messageId }) => messageId);
  };
}

/** A client for each bucket, which publishes changes of one object after the other, each until it is taken. */
async function startPublishers(pick: () => GatewayProcess, natsUrl: string) {
  const token = await tokenFor(manager);
  const published = new Map<string, string[]>();
  let stopped = false;
  const publishing_ = names.map(async (bucket) => {
    const ids: string[] = [];
    published.set(bucket, ids);
    for (let generation = 1; !stopped; generation += 1) {
      const request = randomUUID();
      const change = { eventType: 'OBJECT_FINALIZE', objectId: bucket, objectGeneration: `${generation}` };
      for (let taken = false; !taken && !stopped;) {
        const answer = await pick().ask(token, publishing, { bucket, request, change });
        const id = (
          answer?.data as { publishObjectChange?: { messages: [{ messageId: string }] } } | undefined
        )?.publishObjectChange?.messages[0].messageId;
        if (answer && answer.status !== 200 && answer.status !== 503)
          throw new Error(answer.body.slice(0, 300));
        taken = id !== undefined;
        if (id !== undefined) ids.push(id);
        else await pause(50);
      }
      await pause(40);
    }
  });
  const ending = Promise.all(publishing_);
  // Whoever stops them without an end has failed for another reason.
  ending.catch(() => undefined);
  return {
    published: () => [...published.values()].flat().length,
    stop: () => void (stopped = true),
    /** Ends them and waits until all has arrived; what is missing or came in another order otherwise. */
    async end(): Promise<void> {
      stopped = true;
      await ending;
      await eventually(async () => {
        const first = new Map<string, number>();
        (await streamOf(natsUrl)).forEach(
          ({ id }, index) => id !== undefined && !first.has(id) && first.set(id, index),
        );
        for (const [bucket, ids] of published) {
          const places = ids.map((id) => first.get(id));
          expect([bucket, places]).toEqual([bucket, [...places].sort((a = Infinity, b = Infinity) => a - b)]);
          expect([bucket, ids.filter((id) => !first.has(id))]).toEqual([bucket, []]);
        }
      }, 90_000);
    },
  };
}

const figures = figureTable();
const inserting = 'mutation ($e: EventInput!) { insertEvent(calendarId: "primary", event: $e) { id } }';
const patching =
  'mutation ($id: String!, $s: String!) { patchEvent(calendarId: "primary", eventId: $id, event: { summary: $s }) { id } }';
const event = {
  summary: '0',
  start: { dateTime: '2031-01-01T10:00:00Z' },
  end: { dateTime: '2031-01-01T11:00:00Z' },
};

describe('a cluster of a coordinator and two workers, two gateways', () => {
  let cluster: Cluster;
  let nats: NatsServer;
  let gateways: GatewayProcess[] = [];
  let folder: string;
  let turn = 0;
  const pick = (): GatewayProcess => gateways[(turn += 1) % gateways.length] as GatewayProcess;

  /** Buckets whose messages need this worker alone. */
  async function bucketsOn(worker: PostgresServer): Promise<string[]> {
    const all = await Promise.all(
      bucketSeed.map(async ({ name, notifications: [{ topic }] }) => ({
        name,
        workers: [await cluster.workerOf(name), await cluster.workerOf(`//pubsub.googleapis.com/${topic}`)],
      })),
    );
    return all.filter(({ workers }) => workers.every((one) => one === worker)).map(({ name }) => name);
  }

  beforeAll(async () => {
    cluster = await startCluster();
    nats = await startNats();
    folder = mkdtempSync(join(tmpdir(), 'cluster-'));
    const SEED_FILE = join(folder, 'seed.json');
    writeFileSync(SEED_FILE, JSON.stringify({ ...demoSeed, buckets: [...demoSeed.buckets, ...bucketSeed] }));
    for (let index = 0; index < 2; index += 1)
      gateways.push(
        await startGatewayProcess({ DATABASE_URL: cluster.url, BROKER_URL: nats.url, SEED_FILE }),
      );
  }, 120_000);
  afterAll(async () => {
    for (const gateway of gateways) await gateway.kill();
    gateways = [];
    await nats?.remove();
    await cluster?.remove();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  figures.check('Citus, three nodes', {
    title:
      '30 times a worker or the coordinator killed with -9 under load: no acknowledged write lost, none half applied, no follower by sync tokens stale, no message lost; writes again within 3 s of its start',
    limitMs: 30 * 60_000,
    async measure() {
      const writers = await startWriters(() => gateways);
      const publishers = await startPublishers(pick, nats.url);
      const follower = syncClient(pick, await tokenFor('bob@example.com'));
      let [ended, syncs, doubts] = [false, 0, 0];
      const following = (async () => {
        while (!ended) {
          if (await follower.sync()) syncs += 1;
          else await pause(50);
        }
      })();
      const again: number[] = [];
      try {
        for (let round = 0; round < 30; round += 1) {
          const node = [cluster.coordinator, ...cluster.workers][round % 3] as PostgresServer;
          await pause(300 + Math.random() * 300);
          await node.kill();
          await pause(Math.random() * 500);
          await node.start();
          const started = Date.now();
          const before = writers.acknowledged();
          doubts += await cluster.inDoubt();
          while (writers.acknowledged() < before + 8) {
            if (Date.now() - started > 60_000)
              throw new Error(`writes do not flow after the loss of a node (round ${round})`);
            await pause(10);
          }
          again.push(Date.now() - started);
        }
      } catch (error) {
        // Those who ask go before the gateways do.
        writers.stop();
        publishers.stop();
        ended = true;
        throw error;
      }
      const faults = await writers.verdict();
      await publishers.end();
      while ((await cluster.inDoubt()) > 0) await pause(100);
      ended = true;
      await following;
      // Twice: what was withheld comes with the next one.
      for (let last = 0; last < 2;) if (await follower.sync()) last += 1;
      const stale = await follower.stale();
      again.sort((a, b) => a - b);
      const words = [...faults, ...stale.map((one) => `stale: ${one}`)];
      return {
        figure: `${writers.acknowledged()} writes acknowledged, ${publishers.published()} messages, ${syncs} syncs, ${doubts} transactions in doubt; ${words.length === 0 ? 'none lost, half applied or stale' : words.slice(0, 3).join('; ')}; again after ${again[15]} ms (median), ${again.at(-1)} ms (longest)`,
        holds: words.length === 0 && (again.at(-1) as number) < 3000,
      };
    },
  });

  figures.check('Citus, three nodes', {
    title:
      'a worker away for 5 s: calendars of the other one go on, readiness says so, messages of its buckets arrive, a caller whose calendar is away gets 503',
    async measure() {
      const emails = Array.from({ length: 12 }, (_, index) => `user${index}@example.com`);
      const users = await Promise.all(
        emails.map(async (email) => {
          const token = await tokenFor(email);
          const id = await insist(
            async () =>
              (
                (await pick().ask(token, inserting, { e: event }))?.data as
                  { insertEvent?: { id: string } } | undefined
              )?.insertEvent?.id,
          );
          return { token, id, worker: await cluster.workerOf(email) };
        }),
      );
      const [away, there] = cluster.workers;
      const patch = async ({ token, id }: (typeof users)[number]): Promise<string> => {
        const answer = await pick().ask(token, patching, { id, s: `${Math.random()}` });
        return (answer?.data as { patchEvent?: object } | undefined)?.patchEvent
          ? 'done'
          : `${answer?.status}`;
      };
      const [buckets, publishTo] = [await bucketsOn(there), await publisherTo(pick)];
      const taken: string[] = [];
      await away.kill();
      const another = startGatewayProcess({ DATABASE_URL: cluster.url, BROKER_URL: nats.url });
      const here: string[] = [];
      const lost: string[] = [];
      const ready: string[] = [];
      for (const end = Date.now() + 5000; Date.now() < end;) {
        for (const user of users) (user.worker === there ? here : lost).push(await patch(user));
        ready.push(`${(await fetch(`${pick().url}/health/ready`)).status}`);
        for (const bucket of buckets) taken.push(...(await publishTo(bucket)));
      }
      await (await another).kill();
      await eventually(
        async () =>
          expect((await streamOf(nats.url)).map(({ id }) => id)).toEqual(expect.arrayContaining(taken)),
        2000,
      );
      await away.start();
      const started = Date.now();
      for (const user of users.filter(({ worker }) => worker === away))
        while ((await patch(user)) !== 'done') await pause(10);
      const back = Date.now() - started;
      return {
        figure: `there: ${tally(here)}; away: ${tally(lost)}; ready: ${tally(ready)}; ${taken.length} messages of ${buckets.length} buckets there arrived meanwhile; a gateway started; all again ${back} ms after its start`,
        holds:
          here.every((word) => word === 'done') &&
          lost.every((word) => word === '503') &&
          ready.every((word) => word === '200') &&
          back < 1500 &&
          taken.length > 0,
      };
    },
  });
});
