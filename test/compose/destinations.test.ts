import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openDestinations, outboxRules } from '../../src/app/stores.ts';
import { readConfig } from '../../src/config.ts';
import { brokerRoom } from '../../src/outbox/outbox.store.ts';
import { messageOn } from '../contracts/publisher.contract.ts';
import { eventually } from '../eventually.ts';
import { collectLog } from '../log-lines.ts';
import { startGateway } from '../harness.ts';
import { collectReport, destinationOf, succeeds } from '../outbox/relay.harness.ts';

const topic = '//pubsub.test/projects/p/topics/t';

describe('where messages go', () => {
  test.each([
    [{}, 'process'],
    [{ BROKER_URL: 'nats://127.0.0.1:1' }, 'nats'],
  ])('with %j: to one destination, which takes all and refuses changes when full', async (env, kind) => {
    const [only, ...others] = await openDestinations(readConfig(env), Date.now);
    expect(only).toMatchObject({ kind, name: 'broker', room: brokerRoom });
    expect([only?.takes(messageOn(topic)), others]).toEqual([true, []]);
  });

  test('with Pub/Sub and a webhook: to both, and what neither takes stays in the process', async () => {
    const topic = '//pubsub.test/projects/my-project/topics/photos';
    const file = join(mkdtempSync(join(tmpdir(), 'webhooks-')), 'webhooks.json');
    const secrets = [`whsec_${Buffer.alloc(24, 1).toString('base64')}`];
    writeFileSync(
      file,
      JSON.stringify({ webhooks: [{ topic, url: 'https://hooks.example.com/', secrets }] }),
    );
    const env = {
      PUBSUB_HOST: 'pubsub.google.test',
      PUBSUB_EMULATOR_HOST: '127.0.0.1:1',
      WEBHOOKS_FILE: file,
    };
    const found = await openDestinations(readConfig(env), Date.now);
    const taking = (of: string) => found.filter((one) => one.takes(messageOn(of))).map(({ kind }) => kind);
    expect(found.map(({ kind }) => kind)).toEqual(['process', 'pubsub', 'webhook']);
    expect(taking(topic)).toEqual(['webhook']);
    expect(taking(topic.replace('pubsub.test', 'pubsub.google.test'))).toEqual(['pubsub']);
    expect(taking(`${topic}-2`)).toEqual(['process']);
    await Promise.all(found.map(({ publisher }) => publisher.close()));
    rmSync(dirname(file), { recursive: true });
  });

  test('is said by each destination; one that is off has no room, which is told with the reason', () => {
    const room = { bytes: 1000, bytesPerOwner: 500, whenFull: 'drop' } as const;
    const { report, dropped } = collectReport();
    const off = new Set<string>();
    const all = [
      destinationOf('broker', succeeds, { takes: () => false }),
      destinationOf('hook', succeeds, { takes: (message) => message.topic === topic, room }),
    ];
    const rules = outboxRules(all, { isOff: (name) => off.has(name) }, report);
    expect(rules.destinationsOf(messageOn(topic))).toEqual(['hook']);
    expect(rules.destinationsOf(messageOn(`${topic}-2`))).toEqual([]);
    expect([rules.roomOf('hook'), rules.roomOf('of another gateway')]).toEqual([room, brokerRoom]);
    rules.onDropped({ destination: 'hook', topic, count: 2 });
    off.add('hook');
    rules.onDropped({ destination: 'hook', topic, count: 3 });
    expect(rules.destinationsOf(messageOn(topic))).toEqual(['hook']);
    expect(rules.roomOf('hook')).toEqual({ bytes: 0, bytesPerOwner: 0, whenFull: 'drop' });
    expect(dropped).toEqual([
      `2 of ${topic} for hook: too much waits for the destination`,
      `3 of ${topic} for hook: the destination is off`,
    ]);
  });
});

describe('a gateway tells its operators of deliveries', () => {
  const publish = `mutation { publishObjectChange(bucket: "demo-photos", change: { eventType: OBJECT_FINALIZE, objectId: "albums/secret name", object: { metadata: { secret: "body" } } }) { messages { topic } } }`;
  const figures = async (gateway: Awaited<ReturnType<typeof startGateway>>): Promise<string[]> =>
    (await gateway.app.inject('/metrics')).body
      .split('\n')
      .filter((line) => line.startsWith('delivery_total'));

  test('that fail: each is counted, and logged with destination, topic and reason, nothing of the message', async () => {
    const { lines, logTo, until } = collectLog();
    const env = { BROKER_URL: 'nats://user:password@127.0.0.1:1', LOG_LEVEL: 'warn' };
    const gateway = await startGateway(env, { logTo });
    const outcomes = ['delivered', 'retried', 'dropped'];
    const none = outcomes.map((outcome) => `delivery_total{destination="nats",outcome="${outcome}"} 0`);
    expect(await figures(gateway)).toEqual(none);
    await gateway.ask(publish);
    await until(({ destination }) => destination === 'nats');
    expect((await figures(gateway))[1]).toMatch(/outcome="retried"} [1-9]/);
    await gateway.close();
    const [line] = lines.filter(({ destination }) => destination === 'nats');
    expect(line).toMatchObject({
      level: 40,
      topic: '//pubsub.googleapis.com/projects/demo-project/topics/photos',
      reason: expect.stringMatching(/./),
    });
    expect(JSON.stringify(lines)).not.toMatch(/secret|password/);
  });

  test('and not of those that stay in the process', async () => {
    const gateway = await startGateway();
    await gateway.ask(publish);
    await eventually(async () => expect((await gateway.stores.outbox.backlog()).count).toBe(0));
    expect(await figures(gateway)).toEqual([]);
    await gateway.close();
  });
});
