import pg from 'pg';
import {
  listenForStreams,
  messagePublished,
  type Opened,
  type Streams,
} from '../http/streams/stream.harness.ts';
import { startGateway, type TestGateway } from '../harness.ts';
import { describeWithPostgres, createDatabase, type TestDatabase } from '../postgres-server.ts';

const topic = '//pubsub.googleapis.com/projects/my-project/topics/photos';
const manager = 'manager@example.com';
/** Each change causes three messages, on one topic. */
const seed = {
  buckets: [
    {
      name: 'photos',
      project: 'my-project',
      managers: [manager],
      notifications: [{ topic }, { topic }, { topic }],
    },
  ],
};
const publish = `mutation ($objectId: String!, $objectGeneration: String!) {
  publishObjectChange(bucket: "photos", change: { eventType: OBJECT_FINALIZE, objectId: $objectId, objectGeneration: $objectGeneration }) { messages { messageId } }
}`;

interface Told {
  readonly messageId: string;
  readonly attributes: Readonly<Record<'objectId' | 'objectGeneration', string>>;
}

/** One or more gateways that show the same, each with its streams. */
interface World {
  readonly gateways: readonly TestGateway[];
  readonly streams: readonly Streams[];
}

async function worldOf(count: number, env: Readonly<Record<string, string>> = {}): Promise<World> {
  const gateways: TestGateway[] = [];
  for (let index = 0; index < count; index += 1) gateways.push(await startGateway(env, { seed }));
  return { gateways, streams: await Promise.all(gateways.map(listenForStreams)) };
}

const callers = 4;
const changes = 25;

/** Four callers publish changes of two objects each, at every gateway in turn; gives the ids of all their messages. */
async function publishAll({ gateways }: World, during?: () => Promise<void>): Promise<string[]> {
  const ids: string[] = [];
  const change = async (index: number, objectId: string, generation: number): Promise<void> => {
    const { data, errors } = await (gateways[index % gateways.length] as TestGateway).ask(
      publish,
      { objectId, objectGeneration: String(generation) },
      { as: manager },
    );
    expect(errors).toBeUndefined();
    ids.push(...data.publishObjectChange.messages.map(({ messageId }: Told) => messageId));
  };
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      for (let count = 1; count <= changes; count += 1) {
        if (caller === 0 && count === 10) await during?.();
        await change(caller + count, `${caller} ${count % 2}`, count);
      }
    }),
  );
  return ids;
}

/** Publishes a last change when nothing waits any more, so that it is the last one in the log. */
async function publishEnd({ gateways: [first] }: World): Promise<void> {
  while ((await first?.stores.outbox.backlog())?.count !== 0)
    await new Promise((resolve) => setTimeout(resolve, 5));
  expect(
    (await first?.ask(publish, { objectId: 'end', objectGeneration: '1' }, { as: manager }))?.errors,
  ).toBeUndefined();
}

/** What a stream tells before the last change. */
async function toldBy(stream: Opened): Promise<Told[]> {
  const told: Told[] = [];
  for (let ends = 0; ends < 3;) {
    const message = (await stream.next())?.data.data?.messagePublished as Told | undefined;
    if (!message) throw new Error('the stream has ended');
    if (message.attributes.objectId === 'end') ends += 1;
    else told.push(message);
  }
  stream.close();
  return told;
}

/** Everything was told, each message once, those of an object in order. */
function expectAll(told: readonly Told[], ids: readonly string[]): void {
  expect(told.map(({ messageId }) => messageId).sort()).toEqual([...ids].sort());
  for (const objectId of new Set(told.map(({ attributes }) => attributes.objectId))) {
    const generations = told
      .filter(({ attributes }) => attributes.objectId === objectId)
      .map(({ attributes }) => Number(attributes.objectGeneration));
    expect([objectId, generations]).toEqual([objectId, [...generations].sort((a, b) => a - b)]);
  }
}

const subscription = messagePublished(topic);
const openAt = ({ streams }: World): Promise<Opened[]> =>
  Promise.all(
    streams.flatMap((one) => [
      one.open(subscription, { as: manager }),
      one.open(subscription, { as: manager }),
    ]),
  );

async function expectAllTold(world: World, during?: () => Promise<void>): Promise<void> {
  const opened = await openAt(world);
  const reading = opened.map(toldBy);
  const ids = await publishAll(world, during);
  await publishEnd(world);
  for (const told of reading) expectAll(await told, ids);
}

/** A stream that is cut after every few messages, and goes on behind the last one each time, at another gateway. */
async function expectAllResumed(world: World): Promise<void> {
  let stream = await (world.streams[0] as Streams).open(subscription, { as: manager });
  const [ids] = await Promise.all([publishAll(world), stream.next()]).then(async ([published, first]) => {
    await publishEnd(world);
    const told: Told[] = [first?.data.data.messagePublished as Told];
    for (let turn = 1, ends = 0; ends < 3; turn += 1) {
      stream.close();
      stream = await (world.streams[turn % world.streams.length] as Streams).open(subscription, {
        as: manager,
        lastEventId: told.at(-1)?.messageId,
      });
      for (let count = 0; count < 40 && ends < 3; count += 1) {
        told.push((await stream.next())?.data.data.messagePublished as Told);
        if (told.at(-1)?.attributes.objectId === 'end') ends += 1;
      }
    }
    expectAll(told.slice(0, -3), published);
    return [published];
  });
  expect(ids).toHaveLength(callers * changes * 3);
  stream.close();
}

describe('a stream of messages in memory', () => {
  let world: World;
  beforeEach(async () => {
    world = await worldOf(1);
  });
  afterEach(() => Promise.all(world.gateways.map((gateway) => gateway.close())));

  test('tells each subscriber each message once, in order for each object, while many publish', () =>
    expectAllTold(world));
  test('tells each message once to whoever leaves and goes on behind the last one', () =>
    expectAllResumed(world));
});

describeWithPostgres('a stream of messages over PostgreSQL', () => {
  let server: TestDatabase;
  let world: World;
  beforeAll(async () => {
    server = await createDatabase();
  });
  afterAll(() => server?.remove());
  afterEach(() => Promise.all(world.gateways.map((gateway) => gateway.close())));

  test.each([1, 2])(
    'tells each subscriber each message once, in order for each object, while many publish at %i gateways',
    async (count) => {
      world = await worldOf(count, { DATABASE_URL: server.url });
      await expectAllTold(world);
    },
  );

  test('tells each message once to whoever leaves and goes on behind the last one at another gateway', async () => {
    world = await worldOf(2, { DATABASE_URL: server.url });
    await expectAllResumed(world);
  });

  test('misses none, and tells none twice, when the connections that listen are cut', async () => {
    world = await worldOf(2, { DATABASE_URL: server.url });
    await expectAllTold(world, async () => {
      const client = new pg.Client(server.url);
      await client.connect();
      const { rowCount } = await client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query IN ('SELECT now() AS now') AND pid <> pg_backend_pid()`,
      );
      await client.end();
      expect(rowCount).toBe(2);
    });
  });
});
