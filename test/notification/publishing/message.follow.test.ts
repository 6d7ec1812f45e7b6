import { createMemoryStores } from '../../../src/adapters/memory/stores.ts';
import { createMessageLog, type MessageLogLimits } from '../../../src/adapters/memory/message-log.ts';
import { createWatchHub } from '../../../src/core/runtime/watch-hub.ts';
import { followMessages } from '../../../src/notification/publishing/message.follow.ts';
import type { NotificationRecord } from '../../../src/notification/notification.ts';
import { addBucket } from '../../contracts/samples.ts';

const topic = '//pubsub.example/projects/demo-project/topics/photos';
const viewer = { sub: 'alice', identity: 'alice@example.com', key: 'alice', scopes: new Set<string>() };
const messageAbout = (bucket: string, n: number) => ({
  id: `${n}`,
  topic,
  orderingKey: 'k',
  attributes: { bucketId: bucket, objectId: `${n}` },
  data: '',
});

/** A stream of the topic for the manager of one of two buckets. */
async function follow(limits: Partial<MessageLogLimits> = {}) {
  const { buckets, notifications: store } = createMemoryStores<NotificationRecord>(() => 0);
  for (const [name, manager] of [
    ['photos', viewer.identity],
    ['others', 'bob@example.com'],
  ] as const) {
    await addBucket(buckets, { name, project: 'demo-project', requesterPays: false, managers: [manager] });
  }
  const log = createMessageLog(() => 0, limits);
  log.add(messageAbout('photos', 0));
  const controller = new AbortController();
  const watch = createWatchHub((onAdded) => log.watch(onAdded));
  const stream = await followMessages(
    { buckets, store, log, pubsubHost: 'pubsub.example' },
    watch,
    viewer,
    { topic },
    { lastEventId: undefined, ended: controller.signal },
  );
  return { log, buckets, events: stream[Symbol.asyncIterator](), end: () => controller.abort() };
}

describe('a stream of messages', () => {
  test('holds those about buckets that the viewer manages, in order, however many come before they are read', async () => {
    const { log, events, end } = await follow();
    for (let n = 1; n <= 60; n += 1) log.add(messageAbout(n % 3 === 0 ? 'others' : 'photos', n));
    for (let n = 1; n <= 60; n += 1)
      if (n % 3 > 0) expect((await events.next()).value).toMatchObject({ id: `${n}` });
    end();
    expect(await events.next()).toEqual({ done: true, value: undefined });
  });

  test('takes a message that is added twice for one', async () => {
    const { log, events, end } = await follow();
    for (const n of [1, 1, 2]) log.add(messageAbout('photos', n));
    for (const n of [1, 2]) expect((await events.next()).value).toMatchObject({ id: `${n}` });
    end();
  });

  test('ends with an error when the reader has fallen behind the log', async () => {
    const { log, events, end } = await follow({ messagesPerTopic: 20 });
    for (let n = 1; n <= 20; n += 1) log.add(messageAbout('photos', n));
    expect((await events.next()).value).toMatchObject({ id: '1' });
    for (let n = 21; n <= 31; n += 1) log.add(messageAbout('photos', n));
    await expect(async () => {
      for (let n = 2; n <= 11; n += 1) await events.next();
    }).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      message: expect.stringMatching(/^Messages behind Last-Event-ID are not kept any more/),
    });
    end();
  });

  test('ends with an error when the buckets that it is about are deleted', async () => {
    const { log, buckets, events, end } = await follow();
    for (const n of [1, 2]) log.add(messageAbout('photos', n));
    expect((await events.next()).value).toMatchObject({ id: '1' });
    await buckets.changeBucket({ name: 'photos' }, () => ({ removes: true, result: undefined }));
    expect((await events.next()).value).toMatchObject({ id: '2' });
    log.add(messageAbout('photos', 3));
    await expect(events.next()).rejects.toMatchObject({ code: 'NOT_FOUND', reason: 'notFound' });
    end();
  });

  test('ends with its request, also while it waits', async () => {
    const { events, end } = await follow();
    const next = events.next();
    end();
    expect(await next).toEqual({ done: true, value: undefined });
  });
});
