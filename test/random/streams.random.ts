import pg from 'pg';
import { until } from '../eventually.ts';
import { listenForStreams, type Streams } from '../http/streams/stream.harness.ts';
import { startGateway, type TestGateway } from '../harness.ts';
import { describeWithPostgres, usePostgres } from '../postgres-server.ts';
import { historyLength, Random, seeds } from './seed.ts';
import { TopicFollower, type ToldMessage } from './topic-follower.ts';

const steps = historyLength(15, 40);
const [alice, bob] = ['alice@example.com', 'bob@example.com'] as const;
const topics = ['photos', 'videos', 'shared'].map(
  (name) => `//pubsub.googleapis.com/projects/my-project/topics/${name}`,
);
const managers: Readonly<Record<string, readonly string[]>> = {
  photos: [alice],
  videos: [alice, bob],
  music: [bob],
  ends: [alice, bob],
};
const buckets = Object.keys(managers).filter((name) => name !== 'ends');
const seed = {
  buckets: Object.entries(managers).map(([name, of]) => ({
    name,
    project: 'my-project',
    managers: of,
    notifications: topics.map((topic) => ({ topic })),
  })),
};

interface Published extends ToldMessage {
  readonly bucket: string;
  readonly topic: string;
  /** When its change was sent. */
  readonly sent: number;
}

/** Gateways over one store, and what was published there. */
class StreamWorld {
  readonly random: Random;
  readonly published: Published[] = [];
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
  streams = (): Streams => this.random.pick(this.#streams);

  /** What the one root field gives, at any of the gateways. */
  async #ask(as: string, query: string, variables: object): Promise<unknown> {
    const { data, errors } = await this.random.pick(this.#gateways).ask(query, variables, { as });
    expect(errors).toBeUndefined();
    return Object.values(data as object)[0];
  }

  /** A subscription more or less. */
  async subscribe(): Promise<void> {
    const bucket = this.random.pick(buckets);
    const [as = alice] = managers[bucket] ?? [];
    const own = this.#notifications.get(bucket) ?? [];
    this.#notifications.set(bucket, own);
    if (own.length < 6 && this.random.chance(0.6)) {
      const { id } = (await this.#ask(
        as,
        'mutation ($bucket: String!, $topic: String!) { insertNotification(bucket: $bucket, notification: { topic: $topic }) { id } }',
        { bucket, topic: this.random.pick(topics) },
      )) as { id: string };
      own.push(id);
    } else if (own.length > 0) {
      const [id] = own.splice(this.random.below(own.length), 1);
      await this.#ask(
        as,
        'mutation ($bucket: String!, $id: String!) { deleteNotification(bucket: $bucket, notificationId: $id) }',
        { bucket, id },
      );
    }
  }

  /** A change of an object; sometimes sent twice, and sometimes only tried. */
  async publish(
    objectId: string,
    objectGeneration: number,
    bucket = this.random.pick(buckets),
  ): Promise<void> {
    const validateOnly = bucket !== 'ends' && this.random.chance(0.05);
    const requestId = this.random.chance(0.2) ? `${objectId} ${objectGeneration}` : undefined;
    const sent = this.tick();
    const variables = {
      bucket,
      requestId,
      validateOnly,
      change: { eventType: 'OBJECT_FINALIZE', objectId, objectGeneration: String(objectGeneration) },
    };
    const [as = alice] = managers[bucket] ?? [];
    const send = () =>
      this.#ask(
        as,
        `mutation ($bucket: String!, $requestId: String, $validateOnly: Boolean, $change: ObjectChangeInput!) {
      publishObjectChange(bucket: $bucket, requestId: $requestId, validateOnly: $validateOnly, change: $change) { messages { messageId topic attributes } } }`,
        variables,
      ) as Promise<{ messages: (ToldMessage & { topic: string })[] }>;
    const [first] = await Promise.all([send(), ...(requestId === undefined ? [] : [send()])]);
    if (!validateOnly)
      this.published.push(...first.messages.map((message) => ({ ...message, bucket, sent })));
  }

  async publishEnd(): Promise<void> {
    await until(async () => (await this.#gateways[0]?.stores.outbox.backlog())?.count === 0);
    await this.publish('end', 1, 'ends');
  }

  async close(): Promise<void> {
    for (const gateway of this.#gateways) await gateway.close();
  }
}

/** Random publishers, and followers who come and go; `disturb` happens now and then. */
async function tellAll(world: StreamWorld, disturb: () => Promise<void>): Promise<void> {
  const { random } = world;
  const followers = Array.from(
    { length: 6 },
    () => new TopicFollower(random.pick([alice, bob]), random.pick(topics)),
  );
  for (let step = 1; step <= steps; step += 1) {
    if (random.chance(0.2)) await world.subscribe();
    // Each object has one publisher, so that the order of its changes is known.
    const publishing = Array.from({ length: 1 + random.below(6) }, (_, object) =>
      world.publish(`object ${object}`, step),
    );
    const moving = random
      .some(followers, 3)
      .map(async (one) => (one.isHere ? one.leave() : one.come(world.streams(), world.tick)));
    await Promise.all([...publishing, ...moving, ...(random.chance(0.05) ? [disturb()] : [])]);
  }
  for (const one of followers) if (!one.isHere) await one.come(world.streams(), world.tick);
  await world.publishEnd();
  for (const one of followers) {
    await until(() => one.failure !== undefined || one.told.at(-1)?.attributes.objectId === 'end');
    one.leave();
    expect(faultsOf(one, world.published)).toEqual({
      failure: undefined,
      missing: [],
      twice: [],
      foreign: [],
      outOfOrder: [],
    });
  }
}

/** What is wrong with all that somebody was told. */
function faultsOf({ as, topic, since, told, failure }: TopicFollower, published: readonly Published[]) {
  const visible = published.filter(
    (message) => message.topic === topic && managers[message.bucket]?.includes(as),
  );
  const ids = told.map(({ messageId }) => messageId);
  const known = new Set(visible.map(({ messageId }) => messageId));
  const latest = new Map<string, number>();
  const outOfOrder = told.filter(({ attributes: { bucketId, objectId, objectGeneration } }) => {
    const object = JSON.stringify([bucketId, objectId]);
    const isLate = Number(objectGeneration) < (latest.get(object) ?? 0);
    latest.set(object, Number(objectGeneration));
    return isLate;
  });
  return {
    failure,
    missing: visible
      .filter(({ messageId, sent }) => sent > since && !ids.includes(messageId))
      .map(({ attributes }) => attributes),
    twice: ids.filter((id, index) => ids.indexOf(id) !== index),
    foreign: told.filter(({ messageId }) => !known.has(messageId)),
    outOfOrder: outOfOrder.map(({ attributes }) => attributes),
  };
}

async function openWorld(
  run: number,
  count: number,
  env: Readonly<Record<string, string>> = {},
): Promise<StreamWorld> {
  const gateways = await Promise.all(Array.from({ length: count }, () => startGateway(env, { seed })));
  return new StreamWorld(new Random(run), gateways, await Promise.all(gateways.map(listenForStreams)));
}

const title = 'tells everybody each message of their buckets once, in order for each object (seed %i)';

describe('messagePublished in memory', () => {
  test.each(seeds)(title, async (run) => {
    const world = await openWorld(run, 1);
    await tellAll(world, async () => undefined).finally(() => world.close());
  });
});

describeWithPostgres(
  'messagePublished at two gateways over PostgreSQL, whose listening connections are cut now and then',
  () => {
    const { fresh } = usePostgres();

    test.each(seeds)(title, async (run) => {
      const url = await fresh();
      const admin = new pg.Client(url);
      await admin.connect();
      // What one gateway publishes is visible some time after its place in the log is given: the other may be faster. A cluster takes
      // triggers in this way only, and each of these statements by itself.
      if (process.env.CITUS_URL) await admin.query('SET citus.enable_unsafe_triggers = on');
      await admin.query(
        'CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(random() * 0.02); RETURN NULL; END $$',
      );
      await admin.query(
        'CREATE TRIGGER dawdle AFTER INSERT ON published FOR EACH STATEMENT EXECUTE FUNCTION dawdle()',
      );
      const world = await openWorld(run, 2, { DATABASE_URL: url });
      const cut = async (): Promise<void> => {
        await admin.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query = 'SELECT now() AS now'`,
        );
      };
      await tellAll(world, cut).finally(async () => {
        await admin.end();
        await world.close();
      });
    });
  },
);
