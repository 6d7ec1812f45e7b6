import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { eventually } from '../eventually.ts';
import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';
import {
  deliveries,
  objects,
  expectAllShown,
  expectNothingWaits,
  linesWith,
  startWorld,
  type Gateway,
  type World,
} from './delivery.harness.ts';

describeWithPostgres('two gateways on one database', () => {
  let database: TestDatabase;
  let world: World;
  let both: readonly [Gateway, Gateway];
  beforeEach(async () => {
    database = await createDatabase();
    world = await startWorld({ broker: false });
    const DATABASE_URL = database.url;
    both = [await world.start({ DATABASE_URL }), await world.start({ DATABASE_URL })];
  });
  afterEach(async () => {
    await world?.close();
    await database?.remove();
  });

  const dropped = (at: readonly Gateway[]): Promise<number> => deliveries('webhook', 'dropped', at);
  const expectOthersServed = async (gateway: Gateway): Promise<void> => {
    await world.expectArrived(['second', 'pubsub']);
    await expectNothingWaits(gateway);
  };

  test('all arrives, in order for each object, though one is killed in the middle of deliveries', async () => {
    const [hook] = world.hooks;
    hook.behaviour = 'silent';
    await world.publish(1, both);
    // A gateway has 16 connections to a webhook: with as many requests as objects each has some.
    await eventually(async () => expect(hook.silence.open()).toBe(objects.length));
    const [killed, other] = both;
    await world.publish(2, both);
    await killed.kill();
    await eventually(async () => expect(hook.silence.cut).toBeGreaterThan(0));
    hook.behaviour = 204;
    await world.publish(3, [other]);
    // What it had claimed is free when its lease of 55 s has ended.
    await world.expectArrived(Object.keys(world.arrived));
    await expectNothingWaits(other);
    await expectAllShown(other, world);
  });

  test('send nothing more to a webhook that answers with 410, until the file changes', async () => {
    const [one, two] = both;
    const [gone, hook] = world.hooks;
    gone.behaviour = 503;
    await world.publish(2, both);
    await world.expectArrived(['second', 'pubsub']);
    expect(gone.ledger.taken).toEqual([]);
    gone.behaviour = 410;
    await eventually(async () => expect(await dropped(both)).toBe(world.published.size));
    await expectNothingWaits(one);
    // Each of them drops at once what comes by it, as soon as it knows.
    for (const gateway of [one, two]) {
      const before = await dropped([gateway]);
      await eventually(async () => {
        await world.publish(1, [gateway]);
        expect(await dropped([gateway])).toBeGreaterThan(before);
      });
    }
    await expectNothingWaits(one);
    const asked = gone.requests.length;
    await world.publish(2, both);
    await expectOthersServed(one);
    await eventually(async () => expect(await dropped(both)).toBe(world.published.size));
    expect([gone.requests.length, gone.ledger.taken]).toEqual([asked, []]);
    const reason = 'answered with 410';
    expect(both.flatMap((gateway) => linesWith(gateway, 'wants no messages any more'))).toContainEqual(
      expect.objectContaining({ level: 50, destination: 'webhook', path: '/hook', reason }),
    );

    gone.behaviour = 204;
    for (const { child } of both) child.kill('SIGTERM');
    expect(await Promise.all(both.map(({ ended }) => ended()))).toEqual([0, 0]);
    const again = await world.start({ DATABASE_URL: database.url });
    await world.publish(1, [again]);
    await expectOthersServed(again);
    expect([gone.requests.length, await dropped([again])]).toEqual([asked, objects.length]);
    again.child.kill('SIGTERM');
    await again.ended();

    gone.secret = Buffer.alloc(32, 8);
    world.writeFile();
    const changed = await world.start({ DATABASE_URL: database.url });
    const before = new Set(world.published.values());
    await world.publish(1, [changed]);
    await expectOthersServed(changed);
    expect(gone.ledger.taken.map(({ id }) => id).sort()).toEqual(
      [...world.published.values()].filter((id) => !before.has(id)).sort(),
    );
    expect(hook.ledger.taken).toHaveLength(world.published.size);
  });

  test('send nothing to a webhook before the end of its Retry-After, and then all', async () => {
    const [one, two] = both;
    const [hook] = world.hooks;
    const retryAfter = 10;
    hook.behaviour = [503, { 'retry-after': `${retryAfter}` }];
    await world.publishOne(one, { objectId: 'busy', objectGeneration: '1' });
    const client = new pg.Client(database.url);
    await client.connect();
    await eventually(async () =>
      expect((await client.query('SELECT FROM destinations WHERE paused_until > 0')).rowCount).toBe(1),
    ).finally(() => client.end());
    const { answeredAt } = hook;
    expect(hook.requests).toHaveLength(1);
    hook.behaviour = 204;
    // The other one looks for what is paused once a second, which nothing tells.
    await pause((retryAfter * 1000) / 2);
    await world.publish(1, [two, one]);
    await eventually(async () => expect(hook.ledger.taken).toHaveLength(objects.length + 1));
    expect(Math.min(...hook.requests.slice(1)) - answeredAt).toBeGreaterThanOrEqual(retryAfter * 1000);
    await expectNothingWaits(one);
    expect(await deliveries('webhook', 'retried', both)).toBe(1);
  });
});
