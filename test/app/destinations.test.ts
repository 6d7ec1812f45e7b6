import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openDestinations, createOutboxRules } from '../../src/app/stores.ts';
import { readConfig } from '../../src/config.ts';
import { brokerCapacity } from '../../src/outbox/outbox.store.ts';
import { createMessage } from '../contracts/publisher.contract.ts';
import { eventually } from '../eventually.ts';
import { collectLog } from '../log-lines.ts';
import { startGateway } from '../harness.ts';
import { createRecordingReport, createDestination, publishOk } from '../outbox/relay.harness.ts';

const topic = '//pubsub.test/projects/p/topics/t';

describe('destinations of messages', () => {
  test.each([
    [{}, 'process'],
    [{ BROKER_URL: 'nats://127.0.0.1:1' }, 'nats'],
  ])(
    'with %j are a single one, which takes all messages and refuses changes when it is full',
    async (env, kind) => {
      const [destination, ...otherDestinations] = await openDestinations(readConfig(env), Date.now);
      expect(destination).toMatchObject({ kind, name: 'broker', capacity: brokerCapacity });
      expect([destination?.accepts(createMessage(topic)), otherDestinations]).toEqual([true, []]);
    },
  );

  test('with Pub/Sub and a webhook are both of them, and the process for all other messages', async () => {
    const photosTopic = '//pubsub.test/projects/my-project/topics/photos';
    const webhooksFile = join(mkdtempSync(join(tmpdir(), 'webhooks-')), 'webhooks.json');
    const secrets = [`whsec_${Buffer.alloc(24, 1).toString('base64')}`];
    writeFileSync(
      webhooksFile,
      JSON.stringify({ webhooks: [{ topic: photosTopic, url: 'https://hooks.example.com/', secrets }] }),
    );
    const env = {
      PUBSUB_HOST: 'pubsub.google.test',
      PUBSUB_EMULATOR_HOST: '127.0.0.1:1',
      WEBHOOKS_FILE: webhooksFile,
    };
    const destinations = await openDestinations(readConfig(env), Date.now);
    const kindsFor = (fullTopic: string) =>
      destinations.filter(({ accepts }) => accepts(createMessage(fullTopic))).map(({ kind }) => kind);
    expect(destinations.map(({ kind }) => kind)).toEqual(['process', 'pubsub', 'webhook']);
    expect(kindsFor(photosTopic)).toEqual(['webhook']);
    expect(kindsFor(photosTopic.replace('pubsub.test', 'pubsub.google.test'))).toEqual(['pubsub']);
    expect(kindsFor(`${photosTopic}-2`)).toEqual(['process']);
    await Promise.all(destinations.map(({ publisher }) => publisher.close()));
    rmSync(dirname(webhooksFile), { recursive: true });
  });

  test('are chosen by `accepts`; one that is off has no capacity, and dropped messages are reported with the reason', () => {
    const capacity = { maxBytes: 1000, maxBytesPerOwner: 500, whenFull: 'drop' } as const;
    const { report, dropped } = createRecordingReport();
    const offDestinations = new Set<string>();
    const destinationList = [
      createDestination('broker', publishOk, { accepts: () => false }),
      createDestination('hook', publishOk, { accepts: (message) => message.topic === topic, capacity }),
    ];
    const rules = createOutboxRules(destinationList, { isOff: (name) => offDestinations.has(name) }, report);
    expect(rules.destinationsOf(createMessage(topic))).toEqual(['hook']);
    expect(rules.destinationsOf(createMessage(`${topic}-2`))).toEqual([]);
    expect([rules.capacityOf('hook'), rules.capacityOf('of another gateway')]).toEqual([
      capacity,
      brokerCapacity,
    ]);
    rules.onDropped({ destination: 'hook', topic, count: 2 });
    offDestinations.add('hook');
    rules.onDropped({ destination: 'hook', topic, count: 3 });
    expect(rules.destinationsOf(createMessage(topic))).toEqual(['hook']);
    expect(rules.capacityOf('hook')).toEqual({ maxBytes: 0, maxBytesPerOwner: 0, whenFull: 'drop' });
    expect(dropped).toEqual([
      `2 of ${topic} for hook: too many messages wait for the destination`,
      `3 of ${topic} for hook: the destination is off`,
    ]);
  });
});

describe('metrics and logs of deliveries', () => {
  const publishMutation = `mutation { publishObjectChange(bucket: "demo-photos", change: { eventType: OBJECT_FINALIZE, objectId: "albums/secret name", object: { metadata: { secret: "body" } } }) { messages { topic } } }`;
  const readMetrics = async (gateway: Awaited<ReturnType<typeof startGateway>>): Promise<string[]> =>
    (await gateway.app.inject('/metrics')).body
      .split('\n')
      .filter((line) => line.startsWith('delivery_total'));

  test('count and log failures with destination, topic and reason, without the message', async () => {
    const { lines, logTo, waitForLine } = collectLog();
    const env = { BROKER_URL: 'nats://user:password@127.0.0.1:1', LOG_LEVEL: 'warn' };
    const gateway = await startGateway(env, { logTarget: logTo });
    const outcomes = ['delivered', 'retried', 'dropped'];
    const zeroCounts = outcomes.map((outcome) => `delivery_total{destination="nats",outcome="${outcome}"} 0`);
    expect(await readMetrics(gateway)).toEqual(zeroCounts);
    await gateway.ask(publishMutation);
    await waitForLine(({ destination }) => destination === 'nats');
    expect((await readMetrics(gateway))[1]).toMatch(/outcome="retried"} [1-9]/);
    await gateway.close();
    const [line] = lines.filter(({ destination }) => destination === 'nats');
    expect(line).toMatchObject({
      level: 40,
      topic: '//pubsub.googleapis.com/projects/demo-project/topics/photos',
      reason: expect.stringMatching(/./),
    });
    expect(JSON.stringify(lines)).not.toMatch(/secret|password/);
  });

  test('do not count deliveries within the process', async () => {
    const gateway = await startGateway();
    await gateway.ask(publishMutation);
    await eventually(async () => expect((await gateway.stores.outbox.backlog()).count).toBe(0));
    expect(await readMetrics(gateway)).toEqual([]);
    await gateway.close();
  });
});
