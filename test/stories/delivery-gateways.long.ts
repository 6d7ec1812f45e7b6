import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { eventually } from '../eventually.ts';
import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';
import {
  countDeliveries,
  objects,
  expectAllShown,
  expectEmptyOutbox,
  findLogLines,
  startWorld,
  type Gateway,
  type World,
} from './delivery.harness.ts';

describeWithPostgres('two gateways on one database', () => {
  let database: TestDatabase;
  let world: World;
  let gateways: readonly [Gateway, Gateway];
  beforeEach(async () => {
    database = await createDatabase();
    world = await startWorld({ broker: false });
    const DATABASE_URL = database.url;
    gateways = [await world.start({ DATABASE_URL }), await world.start({ DATABASE_URL })];
  });
  afterEach(async () => {
    await world?.close();
    await database?.remove();
  });

  const countDropped = (servers: readonly Gateway[]): Promise<number> =>
    countDeliveries('webhook', 'dropped', servers);
  const expectOthersServed = async (gateway: Gateway): Promise<void> => {
    await world.expectArrived(['second', 'pubsub']);
    await expectEmptyOutbox(gateway);
  };

  test('deliver everything in order for each object, even if one is killed during deliveries', async () => {
    const [hook] = world.hooks;
    hook.behaviour = 'silent';
    await world.publish(1, gateways);
    // A gateway has 16 connections to a webhook, so one open request per object means that both deliver.
    await eventually(async () => expect(hook.silence.open()).toBe(objects.length));
    const [killed, survivor] = gateways;
    await world.publish(2, gateways);
    await killed.kill();
    await eventually(async () => expect(hook.silence.cut).toBeGreaterThan(0));
    hook.behaviour = 204;
    await world.publish(3, [survivor]);
    // Claims of the killed gateway become free when their lease of 55 s ends.
    await world.expectArrived(Object.keys(world.arrived));
    await expectEmptyOutbox(survivor);
    await expectAllShown(survivor, world);
  });

  test('send nothing more to a webhook that answers with 410, until the file changes', async () => {
    const [gatewayA, gatewayB] = gateways;
    const [goneHook, hook] = world.hooks;
    goneHook.behaviour = 503;
    await world.publish(2, gateways);
    await world.expectArrived(['second', 'pubsub']);
    expect(goneHook.ledger.taken).toEqual([]);
    goneHook.behaviour = 410;
    await eventually(async () => expect(await countDropped(gateways)).toBe(world.published.size));
    await expectEmptyOutbox(gatewayA);
    // Each gateway drops new messages as soon as it knows that the webhook is off.
    for (const gateway of [gatewayA, gatewayB]) {
      const before = await countDropped([gateway]);
      await eventually(async () => {
        await world.publish(1, [gateway]);
        expect(await countDropped([gateway])).toBeGreaterThan(before);
      });
    }
    await expectEmptyOutbox(gatewayA);
    const requestCount = goneHook.requests.length;
    await world.publish(2, gateways);
    await expectOthersServed(gatewayA);
    await eventually(async () => expect(await countDropped(gateways)).toBe(world.published.size));
    expect([goneHook.requests.length, goneHook.ledger.taken]).toEqual([requestCount, []]);
    const reason = 'answered with 410';
    expect(gateways.flatMap((gateway) => findLogLines(gateway, 'refuses further messages'))).toContainEqual(
      expect.objectContaining({ level: 50, destination: 'webhook', path: '/hook', reason }),
    );

    goneHook.behaviour = 204;
    for (const { child } of gateways) child.kill('SIGTERM');
    expect(await Promise.all(gateways.map(({ ended }) => ended()))).toEqual([0, 0]);
    const restarted = await world.start({ DATABASE_URL: database.url });
    await world.publish(1, [restarted]);
    await expectOthersServed(restarted);
    expect([goneHook.requests.length, await countDropped([restarted])]).toEqual([
      requestCount,
      objects.length,
    ]);
    restarted.child.kill('SIGTERM');
    await restarted.ended();

    goneHook.secret = Buffer.alloc(32, 8);
    world.writeFile();
    const changed = await world.start({ DATABASE_URL: database.url });
    const before = new Set(world.published.values());
    await world.publish(1, [changed]);
    await expectOthersServed(changed);
    expect(goneHook.ledger.taken.map(({ id }) => id).sort()).toEqual(
      [...world.published.values()].filter((id) => !before.has(id)).sort(),
    );
    expect(hook.ledger.taken).toHaveLength(world.published.size);
  });

  test('send nothing to a webhook before the end of its Retry-After, and then everything', async () => {
    const [gatewayA, gatewayB] = gateways;
    const [hook] = world.hooks;
    const retryAfter = 10;
    hook.behaviour = [503, { 'retry-after': `${retryAfter}` }];
    await world.publishOne(gatewayA, { objectId: 'busy', objectGeneration: '1' });
    const client = new pg.Client(database.url);
    await client.connect();
    await eventually(async () =>
      expect((await client.query('SELECT FROM destinations WHERE paused_until > 0')).rowCount).toBe(1),
    ).finally(() => client.end());
    const { answeredAt } = hook;
    expect(hook.requests).toHaveLength(1);
    hook.behaviour = 204;
    // The other gateway reads paused destinations once a second, without a notification.
    await pause((retryAfter * 1000) / 2);
    await world.publish(1, [gatewayB, gatewayA]);
    await eventually(async () => expect(hook.ledger.taken).toHaveLength(objects.length + 1));
    expect(Math.min(...hook.requests.slice(1)) - answeredAt).toBeGreaterThanOrEqual(retryAfter * 1000);
    await expectEmptyOutbox(gatewayA);
    expect(await countDeliveries('webhook', 'retried', gateways)).toBe(1);
  });
});
