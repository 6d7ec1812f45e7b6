import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuse, startPubSubServer } from '../adapters/pubsub/pubsub-server.ts';
import { verifyEvent, secret, startReceiver, type ReceivedRequest } from '../adapters/webhook/receiver.ts';
import { eventually } from '../eventually.ts';
import { startGatewayProcess } from '../gateway-process.ts';
import { tokenFor } from '../harness.ts';
import { startNats, readNatsStream } from '../nats-server.ts';

const shortTopic = 'projects/my-project/topics/photos';
const topic = `//pubsub.googleapis.com/${shortTopic}`;
const manager = 'manager@example.com';
const seed = {
  buckets: [{ name: 'photos', project: 'my-project', managers: [manager], notifications: [{ topic }] }],
};
const publishMutation = `mutation ($change: ObjectChangeInput!) {
  publishObjectChange(bucket: "photos", change: $change) { messages { messageId } }
}`;
const messagesQuery =
  'query ($topic: String!) { messages(topic: $topic, first: 1000) { nodes { messageId } } }';

/** Objects that change in waves: one change of each, with the wave's number as generation. */
export const objects = Array.from({ length: 20 }, (_, index) => `object-${index}`);

type Attributes = Readonly<Record<string, string>>;

/** Messages sent to a destination. An attempt is early if the object's previous change was not yet taken. */
export type Ledger = ReturnType<typeof createLedger>;

const changeKey = ({ objectId, objectGeneration }: Attributes): string => `${objectId} ${objectGeneration}`;

function createLedger() {
  const latestWaves = new Map<string | undefined, number>();
  const ledger = {
    taken: [] as { readonly change: string; readonly id?: string }[],
    early: [] as string[],
    beginAttempt(attributes: Attributes) {
      const { objectId, objectGeneration } = attributes;
      if (Number(objectGeneration) > (latestWaves.get(objectId) ?? 0) + 1)
        ledger.early.push(changeKey(attributes));
    },
    takeMessage(attributes: Attributes, id?: string) {
      const { objectId, objectGeneration } = attributes;
      latestWaves.set(objectId, Math.max(Number(objectGeneration), latestWaves.get(objectId) ?? 0));
      ledger.taken.push({ change: changeKey(attributes), id });
    },
  };
  return ledger;
}

function ledgerOf(sentMessages: Iterable<{ readonly attributes: Attributes; readonly id?: string }>): Ledger {
  const ledger = createLedger();
  for (const { attributes, id } of sentMessages) {
    ledger.beginAttempt(attributes);
    ledger.takeMessage(attributes, id);
  }
  return ledger;
}

/** Holds requests without a response. */
function createSilence() {
  const openResponses = new Set<ServerResponse>();
  const silence = {
    /** Number of open requests. */
    openCount: () => openResponses.size,
    /** Number of requests that the client has closed. */
    closedCount: 0,
    keepOpen(response: ServerResponse): void {
      openResponses.add(response);
      response.on('close', () => openResponses.delete(response) && (silence.closedCount += 1));
    },
  };
  return silence;
}

/** Response of a server: a status, no response, or a closed connection. */
export type Behaviour = number | 'silent' | 'reset';

/** A word in names, bodies and responses that no log may contain. */
export const hiddenWord = 'HIDDEN-WORD';

/** Reads the event of a webhook request; undefined if its signature is invalid. */
function readVerifiedEvent(received: ReceivedRequest) {
  try {
    const { id, attributes } = verifyEvent(received);
    return { id, attributes: JSON.parse(attributes as string) as Attributes };
  } catch {
    return undefined;
  }
}

/** Starts a webhook receiver. */
async function startHook() {
  const ledger = createLedger();
  const silence = createSilence();
  const requests: number[] = [];
  const receiver = await startReceiver((request, response) => {
    requests.push(Date.now());
    const event = readVerifiedEvent(receiver.received.at(-1) as ReceivedRequest);
    if (!event) return void response.writeHead(401).end();
    ledger.beginAttempt(event.attributes);
    if (hook.behaviour === 'silent') return silence.keepOpen(response);
    if (hook.behaviour === 'reset') return void request.socket.destroy();
    if (hook.behaviour < 300) ledger.takeMessage(event.attributes, event.id);
    response.writeHead(hook.behaviour).end(hook.behaviour === 204 ? '' : hiddenWord);
  });
  const hook = {
    behaviour: 204 as Behaviour,
    secret,
    silence,
    ledger,
    /** Times of requests. */
    requests,
    target: { topic: shortTopic, url: receiver.url.href },
    readLedger: async () => ledger,
    close: receiver.close,
  };
  return hook;
}

export type Gateway = Awaited<ReturnType<typeof startRecordedGateway>>;

export async function startRecordedGateway(env: Readonly<Record<string, string>>) {
  const gateway = await startGatewayProcess({ DRAIN_DELAY: '0', ...env });
  const { child } = gateway;
  let output = gateway.startOutput;
  child.stdout?.on('data', (chunk: string) => (output += chunk));
  const exitCode = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    ...gateway,
    /** Output on standard output and standard error. */
    output: () => output + gateway.errors(),
    waitForEnd: () => exitCode,
    /** Kills the gateway if it is running. */
    killIfRunning: async () =>
      void (child.exitCode === null && child.signalCode === null && (await gateway.kill())),
  };
}

export type DeliverySetup = Awaited<ReturnType<typeof startDeliverySetup>>;

/** Starts destinations of each kind, and returns helpers to start gateways that publish to all of them. */
export async function startDeliverySetup(options: { readonly broker: boolean }) {
  const folder = mkdtempSync(join(tmpdir(), 'delivery-'));
  const [SEED_FILE, WEBHOOKS_FILE] = [join(folder, 'seed.json'), join(folder, 'webhooks.json')];
  writeFileSync(SEED_FILE, JSON.stringify(seed));
  const nats = options.broker ? await startNats() : undefined;
  const pubsub = await startPubSubServer();
  const pubsubSilence = createSilence();
  const hooks = [await startHook(), await startHook()] as const;
  const secrets = [`whsec_${secret.toString('base64')}`];
  writeFileSync(
    WEBHOOKS_FILE,
    JSON.stringify({ webhooks: hooks.map(({ target }) => ({ ...target, secrets })) }),
  );
  const gateways: Gateway[] = [];
  const published = new Map<string, string>();
  const token = await tokenFor(manager);
  let wave = 0;

  const ledgerReaders: Readonly<Record<string, () => Promise<Ledger>>> = {
    ...(nats && { nats: async () => ledgerOf(await readNatsStream(nats.url)) }),
    pubsub: async () => ledgerOf(pubsub.messagesOn(shortTopic)),
    first: hooks[0].readLedger,
    second: hooks[1].readLedger,
  };
  const setup = {
    nats,
    pubsub,
    pubsubSilence,
    hooks,
    /** Message IDs by change: `object-1 2`. */
    published,
    /** Ledgers of the destinations, by name. */
    readLedgers: ledgerReaders,

    async startGateway(env: Readonly<Record<string, string>> = {}): Promise<Gateway> {
      const gateway = await startRecordedGateway({
        SEED_FILE,
        WEBHOOKS_FILE,
        WEBHOOK_NETWORKS: '127.0.0.0/8',
        PUBSUB_EMULATOR_HOST: pubsub.host,
        ...(nats && { BROKER_URL: nats.url }),
        ...env,
      });
      gateways.push(gateway);
      return gateway;
    },

    setPubSub(behaviour: Behaviour): void {
      pubsub.respond = (response, request) => {
        if (behaviour === 'silent') return pubsubSilence.keepOpen(response);
        return typeof behaviour === 'number' && behaviour >= 300
          ? refuse(response, behaviour, 'UNAVAILABLE')
          : pubsub.publish(response, request);
      };
    },

    /** Publishes waves of changes, alternating between gateways. */
    async publishWaves(waveCount: number, targets: readonly Gateway[]): Promise<void> {
      for (const lastWave = wave + waveCount; wave < lastWave;) {
        wave += 1;
        const publishChangeOf = async (objectId: string, index: number): Promise<void> => {
          const gateway = targets[index % targets.length] as Gateway;
          const id = await setup.publishChange(gateway, { objectId, objectGeneration: `${wave}` });
          published.set(`${objectId} ${wave}`, id);
        };
        await Promise.all(objects.map(publishChangeOf));
      }
    },

    async publishChange(gateway: Gateway, change: object): Promise<string> {
      const variables = { change: { eventType: 'OBJECT_FINALIZE', ...change } };
      const publishResponse = await gateway.ask(token, publishMutation, variables);
      const id = /"messageId":"([^"]+)"/.exec(publishResponse?.body ?? '')?.[1];
      if (id === undefined) throw new Error(`a change was not accepted: ${publishResponse?.body}`);
      return id;
    },

    /** Waits until all changes have arrived at these destinations, in order for each object. */
    async expectArrived(names: readonly string[] = Object.keys(ledgerReaders)): Promise<void> {
      for (const name of names) {
        await eventually(async () => {
          const { taken, early } = await (ledgerReaders[name] as () => Promise<Ledger>)();
          const ids = new Map(taken.map(({ change, id = published.get(change) }) => [change, id]));
          const missingChanges = [...published].filter(([change, id]) => ids.get(change) !== id);
          expect([name, missingChanges, ids.size, early]).toEqual([name, [], published.size, []]);
        });
      }
    },

    async close(): Promise<void> {
      if (!existsSync(folder)) return;
      for (const gateway of gateways) await gateway.killIfRunning();
      await Promise.all([pubsub.close(), nats?.remove(), ...hooks.map((hook) => hook.close())]);
      rmSync(folder, { recursive: true });
    },
  };
  return setup;
}

/** Lists the message IDs that a gateway shows. */
async function listMessageIds(gateway: Gateway): Promise<string[]> {
  const messagesResponse = await gateway.ask(await tokenFor(manager), messagesQuery, { topic });
  return [...(messagesResponse?.body ?? '').matchAll(/"messageId":"([^"]+)"/g)].map(([, id]) => id as string);
}

export type LogLine = Readonly<Record<string, unknown>>;
/** Finds log lines of a gateway that contain a text. */
export const findLogLines = (gateway: Gateway, text: string): LogLine[] =>
  gateway
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes(text))
    .map((line) => JSON.parse(line) as LogLine);

/** Sums a metric of `/metrics` over gateways. */
export async function sumMetric(name: string, gateways: readonly Gateway[]): Promise<number> {
  let sum = 0;
  for (const { url } of gateways) {
    const page = await (await fetch(`${url}/metrics`)).text();
    const line = page.split('\n').find((metricLine) => metricLine.startsWith(`${name} `));
    sum += Number(line?.slice(name.length));
  }
  return sum;
}

export const countDeliveries = (
  destination: string,
  outcome: string,
  gateways: readonly Gateway[],
): Promise<number> =>
  sumMetric(`delivery_total{destination="${destination}",outcome="${outcome}"}`, gateways);

/** Waits until the outbox is empty. */
export const expectEmptyOutbox = (gateway: Gateway): Promise<void> =>
  eventually(async () => expect(await sumMetric('outbox_messages', [gateway])).toBe(0));

/** Checks that a gateway shows all published messages. */
export const expectAllShown = async (gateway: Gateway, { published }: DeliverySetup): Promise<void> =>
  expect((await listMessageIds(gateway)).sort()).toEqual([...published.values()].sort());
