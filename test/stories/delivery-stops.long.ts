import { eventually } from '../eventually.ts';
import { describeWithNats } from '../nats-server.ts';
import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';
import {
  deliveries,
  expectAllShown,
  expectNothingWaits,
  figure,
  hidden,
  linesWith,
  quietTopic,
  shown,
  startWorld,
  type World,
} from './delivery.harness.ts';

let world: World;
afterEach(() => world?.close());

async function expectStopped(databaseUrl: string): Promise<void> {
  const { hooks, pubsubSilence, nats, setPubSub } = world;
  const [silent, hook] = hooks;
  const gateway = await world.start({ DATABASE_URL: databaseUrl, DRAIN_DELAY: '1' });
  await world.publish(1, [gateway]);
  await world.expectArrived();
  silent.behaviour = 'silent';
  setPubSub('silent');
  await nats?.stop();
  await world.publish(3, [gateway]);
  await world.expectArrived(['second']);
  for (const { open } of [silent.silence, pubsubSilence])
    await eventually(async () => expect(open()).toBeGreaterThan(0));
  const began = Date.now();
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended()).toBe(0);
  expect(Date.now() - began).toBeLessThan(11_000);

  silent.behaviour = 204;
  setPubSub(204);
  await nats?.start();
  const sent = hook.requests.length;
  const next = await world.start({ DATABASE_URL: databaseUrl });
  await world.expectArrived();
  await expectNothingWaits(next);
  expect(hook.requests).toHaveLength(sent);
  await expectAllShown(next, world);
}

const count = 24;

/** Changes of as many objects, each with 400 KiB: more than a webhook has room for. */
async function publishLarge(env: Readonly<Record<string, string>>): Promise<void> {
  const { hooks, setPubSub } = world;
  const [full, hook] = hooks;
  const gateway = await world.start({ LOG_LEVEL: 'trace', ...env });
  full.behaviour = 500;
  setPubSub(503);
  const ids: string[] = [];
  const object = { note: hidden.repeat((400 * 1024) / hidden.length) };
  const publish = (name: string): Promise<string> =>
    world.publishOne(gateway, { objectId: `${hidden}-${name}`, objectGeneration: '1', object });
  for (let index = 0; index < count; index += 1) {
    // Before it has no room itself.
    if (index === count / 2) setPubSub(204);
    ids.push(await publish(`${index}`));
  }
  const taken = (of: typeof full) => of.ledger.taken.map(({ id }) => id).sort();
  await eventually(async () => expect(taken(hook)).toEqual([...ids].sort()));
  const dropped = await deliveries('webhook', 'dropped', [gateway]);
  expect([dropped > 0, dropped < count]).toEqual([true, true]);
  full.behaviour = 'reset';
  // Of the failures of a destination one a second is logged.
  await eventually(async () =>
    expect(gateway.output()).toContain('the connection was closed before an answer'),
  );
  full.behaviour = 204;
  await eventually(async () => expect(taken(full)).toEqual(ids.slice(0, count - dropped).sort()));
  await expectNothingWaits(gateway);
  const last = await publish('last');
  await eventually(async () =>
    expect([full, hook].map((one) => one.ledger.taken.at(-1)?.id)).toEqual([last, last]),
  );
  await eventually(async () =>
    expect(await world.arrived.pubsub?.()).toMatchObject({ taken: { length: count + 1 } }),
  );
  expect(await deliveries('webhook', 'dropped', [gateway])).toBe(dropped);
  expect(await deliveries('pubsub', 'dropped', [gateway])).toBe(0);
  gateway.child.kill('SIGTERM');
  expect(await gateway.ended()).toBe(0);

  const ofDrops = linesWith(gateway, 'too much waits for the destination');
  expect(ofDrops.reduce((sum, { messages }) => sum + (messages as number), 0)).toBe(dropped);
  expect(ofDrops[0]).toMatchObject({
    level: 50,
    destination: 'webhook',
    host: new URL(full.target.url).host,
    path: '/hook',
    topic: expect.stringContaining('/topics/photos'),
  });
  const reasons = linesWith(gateway, 'a message could not be delivered').map(
    ({ destination, reason }) => `${String(destination)}: ${String(reason)}`,
  );
  const closed = 'webhook: the connection was closed before an answer';
  const expected = ['webhook: answered with 500', closed, 'pubsub: Pub/Sub answered 503 UNAVAILABLE'];
  expect(new Set(reasons)).toEqual(new Set(expected));
  // Names, bodies, answers, the query, the words of Pub/Sub, and the key in any writing.
  const key = [full.secret.toString('base64').slice(0, 20), full.secret.toString('hex')];
  for (const word of [hidden, 'token=', 'whsec_', 'It is a', ...key])
    expect(gateway.output().includes(word) && word).toBe(false);
}

const title =
  'a webhook for which 8 MiB wait loses its newest messages, and it alone; the log tells of it and nothing of what was sent';

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

  describeWithNats('a stop while destinations are silent or away', () => {
    test('takes no longer than it may, and the next start delivers what waits', async () => {
      world = await startWorld({ broker: true });
      await expectStopped(database.url);
    });
  });
});

test('messages for topics of no destination stay in the process, which shows them', async () => {
  world = await startWorld({ broker: false });
  const gateway = await world.start();
  const ids: string[] = [];
  for (let generation = 1; generation <= 30; generation += 1)
    ids.push(await world.publishOne(gateway, { objectId: 'a', objectGeneration: `${generation}` }, 'quiet'));
  await eventually(async () => expect(await shown(gateway, quietTopic)).toEqual(ids));
  expect(await figure('outbox_messages', [gateway])).toBe(0);
  expect([world.pubsub.requests, ...world.hooks.map(({ requests }) => requests)]).toEqual([[], [], []]);
  for (const kind of ['pubsub', 'webhook']) expect(await deliveries(kind, 'delivered', [gateway])).toBe(0);
});
