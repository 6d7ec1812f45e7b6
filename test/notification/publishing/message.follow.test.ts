import { createMemoryStores } from '../../../src/adapters/memory/stores.ts';
import { createMessageLog, type MessageLogLimits } from '../../../src/adapters/memory/message-log.ts';
import { createWatchHub } from '../../../src/core/runtime/streams.ts';
import { followMessages } from '../../../src/notification/publishing/read-messages.ts';
import { putBucket } from '../../contracts/samples.ts';

const topic = '//pubsub.example/projects/demo-project/topics/photos';
const viewer = { sub: 'alice', identity: 'alice@example.com', key: 'alice', scopes: new Set<string>() };
const createNumberedMessage = (n: number) => ({
  id: `${n}`,
  topic,
  orderingKey: 'k',
  attributes: { bucketId: 'photos', objectId: `${n}` },
  data: '',
});

/** Opens a stream of the topic for the manager of a bucket. */
async function followTopic(limits: Partial<MessageLogLimits> = {}) {
  const { buckets, notifications: store } = createMemoryStores(() => 0);
  const managers = [viewer.identity];
  await putBucket(buckets, { name: 'photos', project: 'demo-project', requesterPays: false, managers });
  const log = createMessageLog(() => 0, limits);
  log.add(createNumberedMessage(0));
  const controller = new AbortController();
  const watch = createWatchHub((onAdded) => log.watch(onAdded));
  const stream = await followMessages(
    { buckets, store, log, pubsubHost: 'pubsub.example' },
    watch,
    viewer,
    { topic },
    { lastEventId: undefined, endSignal: controller.signal },
  );
  return { log, events: stream[Symbol.asyncIterator](), end: () => controller.abort() };
}

describe('a stream of messages', () => {
  test('sends a message that is added twice only once', async () => {
    const { log, events, end } = await followTopic();
    for (const n of [1, 1, 2]) log.add(createNumberedMessage(n));
    for (const n of [1, 2]) expect((await events.next()).value).toMatchObject({ id: `${n}` });
    end();
  });

  test('ends with an error when the reader falls behind the log', async () => {
    const { log, events, end } = await followTopic({ maxMessagesPerTopic: 20 });
    for (let n = 1; n <= 20; n += 1) log.add(createNumberedMessage(n));
    expect((await events.next()).value).toMatchObject({ id: '1' });
    for (let n = 21; n <= 31; n += 1) log.add(createNumberedMessage(n));
    await expect(async () => {
      for (let n = 2; n <= 11; n += 1) await events.next();
    }).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringMatching(/^Messages after Last-Event-ID are no longer stored/),
    });
    end();
  });

  test('ends with its request, even while waiting', async () => {
    const { events, end } = await followTopic();
    const nextResult = events.next();
    end();
    expect(await nextResult).toEqual({ done: true, value: undefined });
  });
});
