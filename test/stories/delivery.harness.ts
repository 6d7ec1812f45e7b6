import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { refuse, startPubSubServer } from '../adapters/pubsub/pubsub-server.ts';
import { read, secret, startReceiver, type Received } from '../adapters/webhook/receiver.ts';
import { eventually } from '../eventually.ts';
import { startGatewayProcess } from '../gateway-process.ts';
import { tokenFor } from '../harness.ts';
import { startNats, streamOf } from '../nats-server.ts';

const shortTopic = 'projects/my-project/topics/photos';
const topic = `//pubsub.googleapis.com/${shortTopic}`;
/** Of no destination where there is no broker. */
export const quietTopic = '//pubsub.example.com/projects/my-project/topics/quiet';
const manager = 'manager@example.com';
const seed = {
  buckets: Object.entries({ photos: topic, quiet: quietTopic }).map(([name, to]) => ({
    name,
    project: 'my-project',
    managers: [manager],
    notifications: [{ topic: to }],
  })),
};
const publish = `mutation ($bucket: String!, $change: ObjectChangeInput!) {
  publishObjectChange(bucket: $bucket, change: $change) { messages { messageId } }
}`;
const messages = 'query ($topic: String!) { messages(topic: $topic, first: 1000) { nodes { messageId } } }';

/** Changes come in waves: one of each object, with the number of the wave as its generation. */
export const objects = Array.from({ length: 20 }, (_, index) => `object-${index}`);

type Attributes = Readonly<Record<string, string>>;

/** What a destination was sent. An attempt is `early` where the change of the same object before was not taken yet. */
export type Ledger = ReturnType<typeof createLedger>;

const changeOf = ({ objectId, objectGeneration }: Attributes): string => `${objectId} ${objectGeneration}`;

function createLedger() {
  const waves = new Map<string | undefined, number>();
  const ledger = {
    taken: [] as { readonly change: string; readonly id?: string }[],
    early: [] as string[],
    begin(attributes: Attributes) {
      const { objectId, objectGeneration } = attributes;
      if (Number(objectGeneration) > (waves.get(objectId) ?? 0) + 1) ledger.early.push(changeOf(attributes));
    },
    take(attributes: Attributes, id?: string) {
      const { objectId, objectGeneration } = attributes;
      waves.set(objectId, Math.max(Number(objectGeneration), waves.get(objectId) ?? 0));
      ledger.taken.push({ change: changeOf(attributes), id });
    },
  };
  return ledger;
}

function ledgerOf(arrived: Iterable<{ readonly attributes: Attributes; readonly id?: string }>): Ledger {
  const ledger = createLedger();
  for (const { attributes, id } of arrived) {
    ledger.begin(attributes);
    ledger.take(attributes, id);
  }
  return ledger;
}

/** Requests that are not answered. */
function createSilence() {
  const open = new Set<ServerResponse>();
  const silence = {
    /** Those that nobody ended. */
    open: () => open.size,
    /** Those that whoever asked has ended. */
    cut: 0,
    keep(response: ServerResponse): void {
      open.add(response);
      response.on('close', () => open.delete(response) && (silence.cut += 1));
    },
  };
  return silence;
}

/** How a server behaves: with a status, perhaps some headers, or without any answer. */
export type Behaviour =
  number | readonly [status: number, headers: Readonly<Record<string, string>>] | 'silent' | 'reset';

/** A word for names, bodies and answers, which no log may hold. */
export const hidden = 'HIDDEN-WORD';

/** What a request says; nothing where nobody who knows the key sent it. */
function verified(received: Received, key: typeof secret) {
  try {
    const { id, attributes } = read(received, key);
    return { id, attributes: JSON.parse(attributes as string) as Attributes };
  } catch {
    return undefined;
  }
}

/** A webhook's server. */
async function startHook() {
  const ledger = createLedger();
  const silence = createSilence();
  const requests: number[] = [];
  const receiver = await startReceiver((request, response) => {
    requests.push(Date.now());
    const event = verified(receiver.received.at(-1) as Received, hook.secret);
    if (!event) return void response.writeHead(401).end();
    ledger.begin(event.attributes);
    if (hook.behaviour === 'silent') return silence.keep(response);
    if (hook.behaviour === 'reset') return void request.socket.destroy();
    const [status, headers] = typeof hook.behaviour === 'number' ? [hook.behaviour, {}] : hook.behaviour;
    if (status < 300) ledger.take(event.attributes, event.id);
    response.writeHead(status, headers).end(status === 204 ? '' : hidden);
    hook.answeredAt = Date.now();
  });
  const hook = {
    behaviour: 204 as Behaviour,
    secret,
    silence,
    ledger,
    /** When requests came and the last one was answered. */
    requests,
    answeredAt: 0,
    target: { topic: shortTopic, url: receiver.url.href },
    arrived: async () => ledger,
    close: receiver.close,
  };
  return hook;
}

export type Gateway = Awaited<ReturnType<typeof startRecorded>>;

export async function startRecorded(env: Readonly<Record<string, string>>) {
  const gateway = await startGatewayProcess({ DRAIN_DELAY: '0', ...env });
  const { child } = gateway;
  let output = gateway.start;
  child.stdout?.on('data', (chunk: string) => (output += chunk));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return {
    ...gateway,
    /** All that it wrote. */
    output: () => output + gateway.errors(),
    ended: () => ended,
    /** Ends it if it runs. */
    end: async () => void (child.exitCode === null && child.signalCode === null && (await gateway.kill())),
  };
}

export type World = Awaited<ReturnType<typeof startWorld>>;

/** Starts destinations of each kind; what it gives starts gateways that send to all of them. */
export async function startWorld(options: { readonly broker: boolean }) {
  const folder = mkdtempSync(join(tmpdir(), 'delivery-'));
  const [SEED_FILE, WEBHOOKS_FILE] = [join(folder, 'seed.json'), join(folder, 'webhooks.json')];
  writeFileSync(SEED_FILE, JSON.stringify(seed));
  const nats = options.broker ? await startNats() : undefined;
  const pubsub = await startPubSubServer();
  const pubsubSilence = createSilence();
  const hooks = [await startHook(), await startHook()] as const;
  const gateways: Gateway[] = [];
  const published = new Map<string, string>();
  const token = await tokenFor(manager);
  let wave = 0;

  const arrived: Readonly<Record<string, () => Promise<Ledger>>> = {
    ...(nats && { nats: async () => ledgerOf(await streamOf(nats.url)) }),
    pubsub: async () => ledgerOf(pubsub.on(shortTopic)),
    first: hooks[0].arrived,
    second: hooks[1].arrived,
  };
  const world = {
    nats,
    pubsub,
    pubsubSilence,
    hooks,
    /** Ids of messages by their changes: `object-1 2`. */
    published,
    /** Messages sent to each destination, by its name. */
    arrived,

    /** Writes the file of the webhooks, each with the key of its hook. */
    writeFile(): void {
      const secretOf = (key: Buffer): string => `whsec_${key.toString('base64')}`;
      const webhooks = hooks.map((hook) => ({ ...hook.target, secrets: [secretOf(hook.secret)] }));
      writeFileSync(WEBHOOKS_FILE, JSON.stringify({ webhooks }));
    },

    async start(env: Readonly<Record<string, string>> = {}): Promise<Gateway> {
      const gateway = await startRecorded({
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
        if (behaviour === 'silent') return pubsubSilence.keep(response);
        return typeof behaviour === 'number' && behaviour >= 300
          ? refuse(response, behaviour, 'UNAVAILABLE')
          : pubsub.publish(response, request);
      };
    },

    /** Publishes waves of changes at gateways by turns. */
    async publish(waves: number, at: readonly Gateway[]): Promise<void> {
      for (const last = wave + waves; wave < last;) {
        wave += 1;
        const change = async (objectId: string, index: number): Promise<void> => {
          const gateway = at[index % at.length] as Gateway;
          const id = await world.publishOne(gateway, { objectId, objectGeneration: `${wave}` });
          published.set(`${objectId} ${wave}`, id);
        };
        await Promise.all(objects.map(change));
      }
    },

    async publishOne(at: Gateway, change: object, to = 'photos'): Promise<string> {
      const variables = { bucket: to, change: { eventType: 'OBJECT_FINALIZE', ...change } };
      const answer = await at.ask(token, publish, variables);
      const id = /"messageId":"([^"]+)"/.exec(answer?.body ?? '')?.[1];
      if (id === undefined) throw new Error(`a change was not taken: ${answer?.body}`);
      return id;
    },

    /** All changes are at these destinations, in order for each object. */
    async expectArrived(names: readonly string[] = Object.keys(arrived)): Promise<void> {
      for (const name of names) {
        await eventually(async () => {
          const { taken, early } = await (arrived[name] as () => Promise<Ledger>)();
          const ids = new Map(taken.map(({ change, id = published.get(change) }) => [change, id]));
          const missing = [...published].filter(([change, id]) => ids.get(change) !== id);
          expect([name, missing, ids.size, early]).toEqual([name, [], published.size, []]);
        });
      }
    },

    async close(): Promise<void> {
      if (!existsSync(folder)) return;
      for (const gateway of gateways) await gateway.end();
      await Promise.all([pubsub.close(), nats?.remove(), ...hooks.map((hook) => hook.close())]);
      rmSync(folder, { recursive: true });
    },
  };
  world.writeFile();
  return world;
}

/** The ids of what a gateway shows of a topic. */
export async function shown(at: Gateway, of = topic): Promise<string[]> {
  const answer = await at.ask(await tokenFor(manager), messages, { topic: of });
  return [...(answer?.body ?? '').matchAll(/"messageId":"([^"]+)"/g)].map(([, id]) => id as string);
}

export type LogLine = Readonly<Record<string, unknown>>;
/** The lines of a gateway's log that hold a text. */
export const linesWith = (gateway: Gateway, text: string): LogLine[] =>
  gateway
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes(text))
    .map((line) => JSON.parse(line) as LogLine);

/** A figure of `/metrics`, added up over gateways. */
export async function figure(name: string, at: readonly Gateway[]): Promise<number> {
  let sum = 0;
  for (const { url } of at) {
    const page = await (await fetch(`${url}/metrics`)).text();
    const line = page.split('\n').find((one) => one.startsWith(`${name} `));
    sum += Number(line?.slice(name.length));
  }
  return sum;
}

export const deliveries = (destination: string, outcome: string, at: readonly Gateway[]): Promise<number> =>
  figure(`delivery_total{destination="${destination}",outcome="${outcome}"}`, at);

/** Nothing waits for a destination any more. */
export const expectNothingWaits = (at: Gateway): Promise<void> =>
  eventually(async () => expect(await figure('outbox_messages', [at])).toBe(0));

/** A gateway shows all that was published. */
export const expectAllShown = async (at: Gateway, { published }: World): Promise<void> =>
  expect((await shown(at)).sort()).toEqual([...published.values()].sort());
