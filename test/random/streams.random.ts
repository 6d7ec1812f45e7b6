import pg from 'pg';
import { waitUntil } from '../eventually.ts';
import { listenForStreams, type Streams } from '../http/streams/stream.harness.ts';
import { startGateway, type TestGateway } from '../harness.ts';
import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { chooseLength, Random, seeds } from './seed.ts';
import { TopicFollower, type ReceivedMessage } from './topic-follower.ts';

const stepCount = chooseLength(15, 40);
const [alice, bob] = ['alice@example.com', 'bob@example.com'] as const;
const topics = ['photos', 'videos', 'shared'].map(
  (name) => `//pubsub.googleapis.com/projects/my-project/topics/${name}`,
);
const managersByBucket: Readonly<Record<string, readonly string[]>> = {
  photos: [alice],
  videos: [alice, bob],
  music: [bob],
  ends: [alice, bob],
};
/** Buckets that publish at random; `ends` publishes only the last message of each topic. */
const publishingBuckets = Object.keys(managersByBucket).filter((name) => name !== 'ends');
const seed = {
  buckets: Object.entries(managersByBucket).map(([name, emails]) => ({
    name,
    project: 'my-project',
    managers: emails,
    notifications: topics.map((topic) => ({ topic })),
  })),
};

const insertMutation =
  'mutation ($bucket: String!, $topic: String!) { insertNotification(bucket: $bucket, notification: { topic: $topic }) { id } }';
const deleteMutation =
  'mutation ($bucket: String!, $id: String!) { deleteNotification(bucket: $bucket, notificationId: $id) }';
const publishMutation = `mutation ($bucket: String!, $requestId: String, $validateOnly: Boolean, $change: ObjectChangeInput!) {
  publishObjectChange(bucket: $bucket, requestId: $requestId, validateOnly: $validateOnly, change: $change) { messages { messageId topic attributes } } }`;

interface TopicMessage extends ReceivedMessage {
  readonly topic: string;
}

interface PublishedMessage extends TopicMessage {
  readonly bucket: string;
  /** Tick at which the change was sent. */
  readonly sentTick: number;
}

/** Gateways on one store, with the messages published there. */
class StreamWorld {
  readonly random: Random;
  readonly published: PublishedMessage[] = [];
  readonly #gateways: readonly TestGateway[];
  readonly #streams: readonly Streams[];
  readonly #notifications = new Map<string, string[]>();
  #ticks = 0;

  constructor(random: Random, gateways: readonly TestGateway[], streams: readonly Streams[]) {
    this.random = random;
    this.#gateways = gateways;
    this.#streams = streams;
  }

  readonly tick = (): number => (this.#ticks += 1);
  pickStreams = (): Streams => this.random.pick(this.#streams);

  /** Runs an operation with one root field on a random gateway. */
  async #ask(as: string, query: string, variables: object): Promise<unknown> {
    const { data, errors } = await this.random.pick(this.#gateways).ask(query, variables, { as });
    expect(errors).toBeUndefined();
    return Object.values(data as object)[0];
  }

  /** Inserts or deletes a notification. */
  async toggleNotification(): Promise<void> {
    const bucket = this.random.pick(publishingBuckets);
    const [as = alice] = managersByBucket[bucket] ?? [];
    const ids = this.#notifications.get(bucket) ?? [];
    this.#notifications.set(bucket, ids);
    if (ids.length < 6 && this.random.chance(0.6)) {
      const variables = { bucket, topic: this.random.pick(topics) };
      ids.push(((await this.#ask(as, insertMutation, variables)) as { id: string }).id);
    } else if (ids.length > 0) {
      const [id] = ids.splice(this.random.integerBelow(ids.length), 1);
      await this.#ask(as, deleteMutation, { bucket, id });
    }
  }

  /** Publishes an object change, sometimes twice with one requestId, or as a dry run. */
  async publish(
    objectId: string,
    generation: number,
    bucket = this.random.pick(publishingBuckets),
  ): Promise<void> {
    const validateOnly = bucket !== 'ends' && this.random.chance(0.05);
    const requestId = this.random.chance(0.2) ? `${objectId} ${generation}` : undefined;
    const sentTick = this.tick();
    const variables = {
      bucket,
      requestId,
      validateOnly,
      change: { eventType: 'OBJECT_FINALIZE', objectId, objectGeneration: String(generation) },
    };
    const [as = alice] = managersByBucket[bucket] ?? [];
    const send = () => this.#ask(as, publishMutation, variables) as Promise<{ messages: TopicMessage[] }>;
    const [firstResult] = await Promise.all([send(), ...(requestId === undefined ? [] : [send()])]);
    if (!validateOnly)
      this.published.push(...firstResult.messages.map((message) => ({ ...message, bucket, sentTick })));
  }

  /** Publishes the last message, once all others are delivered. */
  async publishEndMessage(): Promise<void> {
    await waitUntil(async () => (await this.#gateways[0]?.stores.outbox.backlog())?.count === 0);
    await this.publish('end', 1, 'ends');
  }

  async close(): Promise<void> {
    for (const gateway of this.#gateways) await gateway.close();
  }
}

/** Runs random publishers, and followers that connect and disconnect; sometimes calls `disrupt`. */
async function runFollowers(world: StreamWorld, disrupt: () => Promise<void>): Promise<void> {
  const { random } = world;
  const startFollower = () => new TopicFollower(random.pick([alice, bob]), random.pick(topics));
  const followers = Array.from({ length: 6 }, startFollower);
  for (let step = 1; step <= stepCount; step += 1) {
    if (random.chance(0.2)) await world.toggleNotification();
    // Each object has one publisher, so that the order of its changes is defined.
    const publishes = Array.from({ length: 1 + random.integerBelow(6) }, (_, objectIndex) =>
      world.publish(`object ${objectIndex}`, step),
    );
    const toggles = random
      .pickSome(followers, 3)
      .map(async (follower) =>
        follower.isConnected ? follower.disconnect() : follower.connect(world.pickStreams(), world.tick),
      );
    await Promise.all([...publishes, ...toggles, ...(random.chance(0.05) ? [disrupt()] : [])]);
  }
  for (const follower of followers)
    if (!follower.isConnected) await follower.connect(world.pickStreams(), world.tick);
  await world.publishEndMessage();
  for (const follower of followers) {
    const hasEndMessage = () => follower.receivedMessages.at(-1)?.attributes.objectId === 'end';
    await waitUntil(() => follower.failure !== undefined || hasEndMessage());
    follower.disconnect();
    const noFaultReport = { failure: undefined, missing: [], repeated: [], foreign: [], outOfOrder: [] };
    expect(findFaults(follower, world.published)).toEqual(noFaultReport);
  }
}

/** Compares the messages that a follower received with those it should have received. */
function findFaults(follower: TopicFollower, published: readonly PublishedMessage[]) {
  const { as, topic, sinceTick, receivedMessages, failure } = follower;
  const messagesOfTopic = published.filter((message) => message.topic === topic);
  const visibleMessages = messagesOfTopic.filter(({ bucket }) => managersByBucket[bucket]?.includes(as));
  const ids = receivedMessages.map(({ messageId }) => messageId);
  const visibleIds = new Set(visibleMessages.map(({ messageId }) => messageId));
  const latestGenerations = new Map<string, number>();
  const outOfOrder = receivedMessages.filter(({ attributes: { bucketId, objectId, objectGeneration } }) => {
    const objectKey = JSON.stringify([bucketId, objectId]);
    const isLate = Number(objectGeneration) < (latestGenerations.get(objectKey) ?? 0);
    latestGenerations.set(objectKey, Number(objectGeneration));
    return isLate;
  });
  return {
    failure,
    missing: visibleMessages
      .filter(({ messageId, sentTick }) => sentTick > sinceTick && !ids.includes(messageId))
      .map(({ attributes }) => attributes),
    repeated: ids.filter((id, index) => ids.indexOf(id) !== index),
    foreign: receivedMessages.filter(({ messageId }) => !visibleIds.has(messageId)),
    outOfOrder: outOfOrder.map(({ attributes }) => attributes),
  };
}

async function openWorld(seedNumber: number, gatewayCount: number, env: Record<string, string> = {}) {
  const gateways = await Promise.all(Array.from({ length: gatewayCount }, () => startGateway(env, { seed })));
  return new StreamWorld(new Random(seedNumber), gateways, await Promise.all(gateways.map(listenForStreams)));
}

const title = 'sends each message of a manager’s buckets once, in order for each object (seed %i)';

describe('messagePublished in memory', () => {
  test.each(seeds)(title, async (seedNumber) => {
    const world = await openWorld(seedNumber, 1);
    await runFollowers(world, async () => undefined).finally(() => world.close());
  });
});

const postgresTitle =
  'messagePublished at two gateways on PostgreSQL, with listening connections cut at random';
describeWithPostgres(postgresTitle, () => {
  const { createMigratedUrl } = usePostgres();

  test.each(seeds)(title, async (seedNumber) => {
    const url = await createMigratedUrl();
    const admin = new pg.Client(url);
    await admin.connect();
    // The trigger delays commits after a message got its log position, so that later positions may become visible first.
    // Citus needs this setting for triggers, and a separate query for each statement.
    if (process.env.CITUS_URL) await admin.query('SET citus.enable_unsafe_triggers = on');
    await admin.query(
      'CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(random() * 0.02); RETURN NULL; END $$',
    );
    await admin.query(
      'CREATE TRIGGER dawdle AFTER INSERT ON published FOR EACH STATEMENT EXECUTE FUNCTION dawdle()',
    );
    const world = await openWorld(seedNumber, 2, { DATABASE_URL: url });
    const cutListeners = async (): Promise<void> => {
      await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query = 'SELECT now() AS now'`,
      );
    };
    await runFollowers(world, cutListeners).finally(async () => {
      await admin.end();
      await world.close();
    });
  });
});
