import { eventually } from '../eventually.ts';
import { describeWithNats } from '../nats-server.ts';
import { createDatabase, describeWithPostgres } from '../postgres-server.ts';
import {
  countDeliveries,
  objects,
  expectAllShown,
  expectEmptyOutbox,
  startWorld,
  type Behaviour,
  type Gateway,
  type World,
} from './delivery.harness.ts';
import { useForAll } from '../started.ts';

/** A destination that fails for a while, and how. */
type Outage = readonly [destination: string, Behaviour | 'stopped'];
const outages: readonly Outage[] = [
  ['nats', 'stopped'],
  ['pubsub', 503],
  ['first', 500],
  ['second', 'reset'],
  ['pubsub', 'silent'],
  ['first', 'silent'],
  ['pubsub', 404],
];

async function setBehaviour(
  { nats, hooks, setPubSub }: World,
  [destination, behaviour]: Outage,
): Promise<void> {
  if (destination === 'nats') await (behaviour === 'stopped' ? nats?.stop() : nats?.start());
  else if (destination === 'pubsub') setPubSub(behaviour as Behaviour);
  else hooks[destination === 'first' ? 0 : 1].behaviour = behaviour as Behaviour;
}

const kindOf = (destination: string): string =>
  destination === 'first' || destination === 'second' ? 'webhook' : destination;

/** Publishes during an outage; the other destinations must get everything before its end. */
async function publishDuring(world: World, gateway: Gateway, outage: Outage): Promise<void> {
  const [outageDestination, behaviour] = outage;
  const otherDestinations = Object.keys(world.arrived).filter((name) => name !== outageDestination);
  await setBehaviour(world, outage);
  await world.publish(1, [gateway]);
  if (behaviour === 'silent') {
    const silence = outageDestination === 'pubsub' ? world.pubsubSilence : world.hooks[0].silence;
    await eventually(async () => expect(silence.open()).toBeGreaterThan(0));
    await world.expectArrived(otherDestinations);
    // The other deliveries did not wait for an attempt there to end.
    expect(silence.cut).toBe(0);
  }
  await world.publish(2, [gateway]);
  await world.expectArrived(otherDestinations);
  // Waits for another attempt per object, with more messages queued.
  if (behaviour !== 'silent') {
    const retried = (): Promise<number> => countDeliveries(kindOf(outageDestination), 'retried', [gateway]);
    const before = await retried();
    await eventually(async () => expect(await retried()).toBeGreaterThanOrEqual(before + objects.length));
  }
  await setBehaviour(world, [outageDestination, 204]);
  await world.expectArrived([outageDestination]);
}

async function expectAllThrough(env: Readonly<Record<string, string>>): Promise<void> {
  const world = await startWorld({ broker: true });
  try {
    const gateway = await world.start(env);
    await world.publish(2, [gateway]);
    await world.expectArrived();
    for (const outage of outages) await publishDuring(world, gateway, outage);
    await world.publish(2, [gateway]);
    await world.expectArrived();

    expect(world.published.size).toBe(500);
    await expectEmptyOutbox(gateway);
    for (const [kind, delivered] of Object.entries({ nats: 500, pubsub: 500, webhook: 1000 })) {
      const outcomes = ['delivered', 'dropped', 'retried'].map((outcome) =>
        countDeliveries(kind, outcome, [gateway]),
      );
      const [arrived, dropped, retried] = await Promise.all(outcomes);
      expect([kind, arrived, dropped, Number(retried) > 0]).toEqual([kind, delivered, 0, true]);
    }
    await expectAllShown(gateway, world);
  } finally {
    await world.close();
  }
}

describeWithNats('500 changes while each destination fails in turn', () => {
  describeWithPostgres('in memory and over PostgreSQL, side by side', () => {
    const database = useForAll(() => createDatabase());

    test('all arrive at each destination in order for each object, and no destination waits for another', async () => {
      await Promise.all([expectAllThrough({}), expectAllThrough({ DATABASE_URL: database.url })]);
    });
  });
});
