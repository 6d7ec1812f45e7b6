import { eventually } from '../eventually.ts';
import { describeWithNats } from '../nats-server.ts';
import { createDatabase, describeWithPostgres } from '../postgres-server.ts';
import {
  countDeliveries,
  objects,
  expectAllShown,
  expectEmptyOutbox,
  startDeliverySetup,
  type Behaviour,
  type Gateway,
  type DeliverySetup,
} from './delivery.harness.ts';
import { useForAll } from '../use-resource.ts';

/** A destination, and how it behaves during its outage. */
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
  { nats, hooks, setPubSub }: DeliverySetup,
  [destination, behaviour]: Outage,
): Promise<void> {
  if (destination === 'nats') await (behaviour === 'stopped' ? nats?.stop() : nats?.start());
  else if (destination === 'pubsub') setPubSub(behaviour as Behaviour);
  else hooks[destination === 'first' ? 0 : 1].behaviour = behaviour as Behaviour;
}

const kindOf = (destination: string): string =>
  destination === 'first' || destination === 'second' ? 'webhook' : destination;

/** Publishes during an outage; the other destinations must get everything before its end. */
async function publishDuring(setup: DeliverySetup, gateway: Gateway, outage: Outage): Promise<void> {
  const [outageDestination, behaviour] = outage;
  const otherDestinations = Object.keys(setup.readLedgers).filter((name) => name !== outageDestination);
  await setBehaviour(setup, outage);
  await setup.publishWaves(1, [gateway]);
  if (behaviour === 'silent') {
    const silence = outageDestination === 'pubsub' ? setup.pubsubSilence : setup.hooks[0].silence;
    await eventually(async () => expect(silence.openCount()).toBeGreaterThan(0));
    await setup.expectArrived(otherDestinations);
    // The other deliveries did not wait for an attempt there to end.
    expect(silence.closedCount).toBe(0);
  }
  await setup.publishWaves(2, [gateway]);
  await setup.expectArrived(otherDestinations);
  // Waits for another attempt per object, with more messages queued.
  if (behaviour !== 'silent') {
    const countRetries = (): Promise<number> =>
      countDeliveries(kindOf(outageDestination), 'retried', [gateway]);
    const retriesBefore = await countRetries();
    await eventually(async () =>
      expect(await countRetries()).toBeGreaterThanOrEqual(retriesBefore + objects.length),
    );
  }
  await setBehaviour(setup, [outageDestination, 204]);
  await setup.expectArrived([outageDestination]);
}

async function expectAllDelivered(env: Readonly<Record<string, string>>): Promise<void> {
  const setup = await startDeliverySetup({ broker: true });
  try {
    const gateway = await setup.startGateway(env);
    await setup.publishWaves(2, [gateway]);
    await setup.expectArrived();
    for (const outage of outages) await publishDuring(setup, gateway, outage);
    await setup.publishWaves(2, [gateway]);
    await setup.expectArrived();

    expect(setup.published.size).toBe(500);
    await expectEmptyOutbox(gateway);
    for (const [kind, expectedCount] of Object.entries({ nats: 500, pubsub: 500, webhook: 1000 })) {
      const outcomes = ['delivered', 'dropped', 'retried'].map((outcome) =>
        countDeliveries(kind, outcome, [gateway]),
      );
      const [deliveredCount, droppedCount, retriedCount] = await Promise.all(outcomes);
      expect([kind, deliveredCount, droppedCount, Number(retriedCount) > 0]).toEqual([
        kind,
        expectedCount,
        0,
        true,
      ]);
    }
    await expectAllShown(gateway, setup);
  } finally {
    await setup.close();
  }
}

describeWithNats('500 changes while each destination fails in turn', () => {
  describeWithPostgres('in memory and over PostgreSQL, side by side', () => {
    const database = useForAll(() => createDatabase());

    test('all arrive at each destination in order for each object, and no destination waits for another', async () => {
      await Promise.all([expectAllDelivered({}), expectAllDelivered({ DATABASE_URL: database.url })]);
    });
  });
});
