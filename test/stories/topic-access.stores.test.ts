import { messagePublished, useStreams, type Opened } from '../http/streams/stream.harness.ts';
import { stores } from '../stores.ts';

const [alice, bob] = ['alice@example.com', 'bob@example.com'] as const;
const topic = (bucket: string): string => `projects/my-project/topics/${bucket}`;
const names = ['taken', 'deleted', 'former', 'kept', 'other'];
/** Buckets of Alice and Bob, each with a topic of its own. */
const seed = {
  buckets: names.map((name) => ({
    name: `bucket-${name}`,
    project: 'my-project',
    managers: [alice, bob],
    notifications: [{ topic: topic(name) }],
  })),
};
const bucketOf = (name: string): string => `bucket: "bucket-${name}"`;

describe.each(stores)('following a topic without a right to it, over $name,', (store) => {
  const started = useStreams(store, seed);

  const mutate = async (field: string): Promise<void> => {
    const { errors } = await started.other.ask(`mutation { ${field} }`);
    expect(errors).toBeUndefined();
  };
  const publish = (bucket: string, objectId: string): Promise<void> =>
    mutate(
      `publishObjectChange(${bucketOf(bucket)}, change: { eventType: OBJECT_FINALIZE, objectId: "${objectId}", objectGeneration: "1" }) { messages { messageId } }`,
    );
  /** Opens a stream of Bob's, and waits until it rests behind a message. */
  const follow = async (bucket: string): Promise<Opened> => {
    const stream = await started.streams.open(messagePublished(topic(bucket)), { as: bob });
    await publish(bucket, 'first');
    expect((await stream.next())?.data.data.messagePublished.attributes.objectId).toBe('first');
    return stream;
  };
  const takeAccess = (bucket: string): Promise<void> =>
    mutate(`patchBucket(${bucketOf(bucket)}, change: { managers: ["${alice}"] }) { name }`);
  /** Less than the time after which a stream looks at its access by itself. */
  const limitMs = 30_000;
  const expectEnd = async (stream: Opened): Promise<void> =>
    expect(await stream.rest()).toMatchObject([
      { data: { errors: [{ extensions: { code: 'NOT_FOUND', reason: 'notFound' } }] } },
      { event: 'complete' },
    ]);

  test(
    'ends when the follower manages the bucket no longer',
    async () => {
      const stream = await follow('taken');
      await takeAccess('taken');
      await expectEnd(stream);
    },
    limitMs,
  );

  test(
    'ends when the bucket is deleted',
    async () => {
      const stream = await follow('deleted');
      await mutate(`deleteBucket(${bucketOf('deleted')})`);
      await expectEnd(stream);
    },
    limitMs,
  );

  test(
    'ends also where the bucket does not publish to the topic any more',
    async () => {
      const stream = await follow('former');
      await mutate(`deleteNotification(${bucketOf('former')}, notificationId: "1")`);
      await takeAccess('former');
      await expectEnd(stream);
    },
    limitMs,
  );

  test('goes on while the follower manages another bucket that publishes to it', async () => {
    await mutate(
      `insertNotification(${bucketOf('other')}, notification: { topic: "${topic('kept')}" }) { id }`,
    );
    const stream = await follow('kept');
    await takeAccess('kept');
    await publish('kept', 'hidden');
    await publish('other', 'seen');
    expect((await stream.next())?.data.data.messagePublished.attributes.objectId).toBe('seen');
    stream.close();
  });
});
