import { eventually } from '../eventually.ts';
import { describeWithNats } from '../nats-server.ts';
import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';
import {
  countDeliveries,
  expectAllShown,
  expectEmptyOutbox,
  sumMetric,
  hiddenWord,
  findLogLines,
  quietTopic,
  listMessageIds,
  startWorld,
  type World,
} from './delivery.harness.ts';

let world: World;
afterEach(() => world?.close());

async function expectStopped(databaseUrl: string): Promise<void> {
  const { hooks, pubsubSilence, nats, setPubSub } = world;
  const [silentHook, hook] = hooks;
  const gateway = await world.start({ DATABASE_URL: databaseUrl, DRAIN_DELAY: '1' });
  await world.publish(1, [gateway]);
  await world.expectArrived();
  silentHook.behaviour = 'silent';
  setPubSub('silent');
  await nats?.stop();
  await world.publish(3, [gateway]);
  await world.expectArrived(['second']);
  for (const { open } of [silentHook.silence, pubsubSilence])
    await eventually(async () => expect(open()).toBeGreaterThan(0));
  const startedAt = Date.now();
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended()).toBe(0);
  expect(Date.now() - startedAt).toBeLessThan(11_000);

  silentHook.behaviour = 204;
  setPubSub(204);
  await nats?.start();
  const sent = hook.requests.length;
  const next = await world.start({ DATABASE_URL: databaseUrl });
  await world.expectArrived();
  await expectEmptyOutbox(next);
  expect(hook.requests).toHaveLength(sent);
  await expectAllShown(next, world);
}

const changeCount = 24;

/** Publishes changes of 400 KiB each, more in total than a webhook's outbox capacity. */
async function publishLarge(env: Readonly<Record<string, string>>): Promise<void> {
  const { hooks, setPubSub } = world;
  const [fullHook, hook] = hooks;
  const gateway = await world.start({ LOG_LEVEL: 'trace', ...env });
  fullHook.behaviour = 500;
  setPubSub(503);
  const ids: string[] = [];
  const object = { note: hiddenWord.repeat((400 * 1024) / hiddenWord.length) };
  const publish = (name: string): Promise<string> =>
    world.publishOne(gateway, { objectId: `${hiddenWord}-${name}`, objectGeneration: '1', object });
  for (let index = 0; index < changeCount; index += 1) {
    // Before the capacity of Pub/Sub is exceeded too.
    if (index === changeCount / 2) setPubSub(204);
    ids.push(await publish(`${index}`));
  }
  const takenIds = (targetHook: typeof fullHook) => targetHook.ledger.taken.map(({ id }) => id).sort();
  await eventually(async () => expect(takenIds(hook)).toEqual([...ids].sort()));
  const dropped = await countDeliveries('webhook', 'dropped', [gateway]);
  expect([dropped > 0, dropped < changeCount]).toEqual([true, true]);
  fullHook.behaviour = 'reset';
  // Each destination logs one failure per second.
  await eventually(async () =>
    expect(gateway.output()).toContain('the connection was closed before a response'),
  );
  fullHook.behaviour = 204;
  await eventually(async () =>
    expect(takenIds(fullHook)).toEqual(ids.slice(0, changeCount - dropped).sort()),
  );
  await expectEmptyOutbox(gateway);
  const last = await publish('last');
  await eventually(async () =>
    expect([fullHook, hook].map((targetHook) => targetHook.ledger.taken.at(-1)?.id)).toEqual([last, last]),
  );
  await eventually(async () =>
    expect(await world.arrived.pubsub?.()).toMatchObject({ taken: { length: changeCount + 1 } }),
  );
  expect(await countDeliveries('webhook', 'dropped', [gateway])).toBe(dropped);
  expect(await countDeliveries('pubsub', 'dropped', [gateway])).toBe(0);
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended()).toBe(0);

  const dropLines = findLogLines(gateway, 'too many messages wait for the destination');
  expect(dropLines.reduce((sum, { messages }) => sum + (messages as number), 0)).toBe(dropped);
  expect(dropLines[0]).toMatchObject({
    level: 50,
    destination: 'webhook',
    host: new URL(fullHook.target.url).host,
    path: '/hook',
    topic: expect.stringContaining('/topics/photos'),
  });
  const reasons = findLogLines(gateway, 'a message could not be delivered').map(
    ({ destination, reason }) => `${String(destination)}: ${String(reason)}`,
  );
  const closed = 'webhook: the connection was closed before a response';
  const expected = ['webhook: answered with 500', closed, 'pubsub: Pub/Sub answered 503 UNAVAILABLE'];
  expect(new Set(reasons)).toEqual(new Set(expected));
  // Object names, bodies, responses, query parameters, Pub/Sub messages, and the key in any encoding.
  const key = [fullHook.secret.toString('base64').slice(0, 20), fullHook.secret.toString('hex')];
  for (const word of [hiddenWord, 'token=', 'whsec_', 'It is a', ...key])
    expect(gateway.output().includes(word) && word).toBe(false);
}

const title =
  'only a webhook with 8 MiB queued loses its newest messages; the log reports that, without any content';

describe('in memory', () => {
  test(title, async () => {
    world = await startWorld({ broker: false });
    await publishLarge({});
  });
});

describeWithPostgres('over PostgreSQL', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    await world?.close();
    await database?.remove();
  });

  test(title, async () => {
    world = await startWorld({ broker: false });
    await publishLarge({ DATABASE_URL: database.url });
  });

  describeWithNats('a stop while destinations hang or are down', () => {
    test('takes less than 11 s, and the next start delivers the rest', async () => {
      world = await startWorld({ broker: true });
      await expectStopped(database.url);
    });
  });
});

test('messages for topics without a destination are only shown by the gateway', async () => {
  world = await startWorld({ broker: false });
  const gateway = await world.start();
  const ids: string[] = [];
  for (let generation = 1; generation <= 30; generation += 1)
    ids.push(await world.publishOne(gateway, { objectId: 'a', objectGeneration: `${generation}` }, 'quiet'));
  await eventually(async () => expect(await listMessageIds(gateway, quietTopic)).toEqual(ids));
  expect(await sumMetric('outbox_messages', [gateway])).toBe(0);
  expect([world.pubsub.requests, ...world.hooks.map(({ requests }) => requests)]).toEqual([[], [], []]);
  for (const kind of ['pubsub', 'webhook'])
    expect(await countDeliveries(kind, 'delivered', [gateway])).toBe(0);
});
