import { eventually } from '../eventually.ts';
import { describeWithNats } from '../nats-server.ts';
import { createDatabase, describeWithPostgres, type TestDatabase } from '../postgres-server.ts';
import {
  countDeliveries,
  expectAllShown,
  expectEmptyOutbox,
  hiddenWord,
  findLogLines,
  objects,
  startDeliverySetup,
  type DeliverySetup,
} from './delivery.harness.ts';

let setup: DeliverySetup;
afterEach(() => setup?.close());

async function expectFastStop(databaseUrl: string): Promise<void> {
  const { hooks, pubsubSilence, nats, setPubSub } = setup;
  const [silentHook, hook] = hooks;
  const gateway = await setup.startGateway({ DATABASE_URL: databaseUrl, DRAIN_DELAY: '1' });
  await setup.publishWaves(1, [gateway]);
  await setup.expectArrived();
  silentHook.behaviour = 'silent';
  setPubSub('silent');
  await nats?.stop();
  await setup.publishWaves(3, [gateway]);
  await setup.expectArrived(['second']);
  for (const { openCount } of [silentHook.silence, pubsubSilence])
    await eventually(async () => expect(openCount()).toBeGreaterThan(0));
  const startedAt = Date.now();
  gateway.child.kill('SIGTERM');
  expect(await gateway.waitForEnd()).toBe(0);
  expect(Date.now() - startedAt).toBeLessThan(11_000);

  silentHook.behaviour = 204;
  setPubSub(204);
  await nats?.start();
  const requestsBefore = hook.requests.length;
  const nextGateway = await setup.startGateway({ DATABASE_URL: databaseUrl });
  await setup.expectArrived();
  await expectEmptyOutbox(nextGateway);
  expect(hook.requests).toHaveLength(requestsBefore);
  await expectAllShown(nextGateway, setup);
}

const changeCount = 24;

/** Changes that surely fit into a webhook's outbox. A gateway recounts it at times: a later one may fit. */
const fittingCount = 15;

/** Publishes changes of 400 KiB each, more in total than a webhook's outbox capacity. */
async function publishBeyondCapacity(env: Readonly<Record<string, string>>): Promise<void> {
  const { hooks, setPubSub } = setup;
  const [fullHook, hook] = hooks;
  const gateway = await setup.startGateway({ LOG_LEVEL: 'trace', ...env });
  fullHook.behaviour = 500;
  setPubSub(503);
  const ids: string[] = [];
  const object = { note: hiddenWord.repeat((400 * 1024) / hiddenWord.length) };
  const publishLargeChange = (name: string): Promise<string> =>
    setup.publishChange(gateway, { objectId: `${hiddenWord}-${name}`, objectGeneration: '1', object });
  for (let index = 0; index < changeCount; index += 1) {
    // Before the capacity of Pub/Sub is exceeded too.
    if (index === changeCount / 2) setPubSub(204);
    ids.push(await publishLargeChange(`${index}`));
  }
  const deliveredIds = (targetHook: typeof fullHook) => targetHook.ledger.taken.map(({ id }) => id).sort();
  await eventually(async () => expect(deliveredIds(hook)).toEqual([...ids].sort()));
  const droppedCount = await countDeliveries('webhook', 'dropped', [gateway]);
  expect([droppedCount > 0, droppedCount < changeCount]).toEqual([true, true]);
  fullHook.behaviour = 'reset';
  // Each destination logs one failure per second.
  await eventually(async () =>
    expect(gateway.output()).toContain('the connection was closed before a response'),
  );
  fullHook.behaviour = 204;
  await eventually(async () => expect(deliveredIds(fullHook)).toHaveLength(changeCount - droppedCount));
  expect(deliveredIds(fullHook)).toEqual(expect.arrayContaining(ids.slice(0, fittingCount)));
  await expectEmptyOutbox(gateway);
  const lastId = await publishLargeChange('last');
  await eventually(async () =>
    expect([fullHook, hook].map((targetHook) => targetHook.ledger.taken.at(-1)?.id)).toEqual([
      lastId,
      lastId,
    ]),
  );
  await eventually(async () =>
    expect(await setup.readLedgers.pubsub?.()).toMatchObject({ taken: { length: changeCount + 1 } }),
  );
  expect(await countDeliveries('webhook', 'dropped', [gateway])).toBe(droppedCount);
  expect(await countDeliveries('pubsub', 'dropped', [gateway])).toBe(0);
  gateway.child.kill('SIGTERM');
  expect(await gateway.waitForEnd()).toBe(0);

  const dropLines = findLogLines(gateway, 'too many messages wait for the destination');
  expect(dropLines.reduce((sum, { messages }) => sum + (messages as number), 0)).toBe(droppedCount);
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
  const closedReason = 'webhook: the connection was closed before a response';
  const expectedReasons = [
    'webhook: answered with 500',
    closedReason,
    'pubsub: Pub/Sub answered 503 UNAVAILABLE',
  ];
  expect(new Set(reasons)).toEqual(new Set(expectedReasons));
  // Object names, bodies, responses, query parameters, Pub/Sub messages, and the key in any encoding.
  const keyParts = [fullHook.secret.toString('base64').slice(0, 20), fullHook.secret.toString('hex')];
  for (const word of [hiddenWord, 'token=', 'whsec_', 'It is a', ...keyParts])
    expect(gateway.output().includes(word) && word).toBe(false);
}

const title =
  'only a webhook with 8 MiB queued loses further messages; the log reports that, without any content';

describe('in memory', () => {
  test(title, async () => {
    setup = await startDeliverySetup({ broker: false });
    await publishBeyondCapacity({});
  });
});

describeWithPostgres('over PostgreSQL', () => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await createDatabase();
  });
  afterEach(async () => {
    await setup?.close();
    await database?.remove();
  });

  test(title, async () => {
    setup = await startDeliverySetup({ broker: false });
    await publishBeyondCapacity({ DATABASE_URL: database.url });
  });

  test('two gateways deliver everything in order for each object, even if one is killed meanwhile', async () => {
    setup = await startDeliverySetup({ broker: false });
    const DATABASE_URL = database.url;
    const [killed, survivor] = [
      await setup.startGateway({ DATABASE_URL }),
      await setup.startGateway({ DATABASE_URL }),
    ];
    const [hook] = setup.hooks;
    hook.behaviour = 'silent';
    await setup.publishWaves(1, [killed, survivor]);
    // A gateway has 16 connections to a webhook, so one open request per object means that both deliver.
    await eventually(async () => expect(hook.silence.openCount()).toBe(objects.length));
    await setup.publishWaves(2, [killed, survivor]);
    await killed.kill();
    await eventually(async () => expect(hook.silence.closedCount).toBeGreaterThan(0));
    hook.behaviour = 204;
    await setup.publishWaves(3, [survivor]);
    // Claims of the killed gateway become free when their lease of 55 s ends.
    await setup.expectArrived();
    await expectEmptyOutbox(survivor);
    await expectAllShown(survivor, setup);
  });

  describeWithNats('a stop while destinations hang or are down', () => {
    test('takes less than 11 s, and the next start delivers the rest', async () => {
      setup = await startDeliverySetup({ broker: true });
      await expectFastStop(database.url);
    });
  });
});
