import { writeMessageSubscription, useStreams, type OpenStream } from '../http/streams/stream.harness.ts';
import { stores } from '../stores.ts';

const [alice, bob] = ['alice@example.com', 'bob@example.com'] as const;
const topicOf = (bucket: string): string => `projects/my-project/topics/${bucket}`;
/** Names of buckets and topics, one for each test case. */
const bucketNames = ['taken', 'deleted', 'former', 'kept', 'other'];
/** Buckets of Alice and Bob, each with its own topic. */
const seed = {
  buckets: bucketNames.map((name) => ({
    name: `bucket-${name}`,
    project: 'my-project',
    managers: [alice, bob],
    notifications: [{ topic: topicOf(name) }],
  })),
};
const bucketOf = (name: string): string => `bucket: "bucket-${name}"`;

describe.each(stores)('following a topic after losing access, over $name,', (store) => {
  const harness = useStreams(store, seed);

  const runMutation = async (field: string): Promise<void> => {
    const { errors } = await harness.writer.ask(`mutation { ${field} }`);
    expect(errors).toBeUndefined();
  };
  const publish = (bucket: string, objectId: string): Promise<void> =>
    runMutation(
      `publishObjectChange(${bucketOf(bucket)}, change: { eventType: OBJECT_FINALIZE, objectId: "${objectId}", objectGeneration: "1" }) { messages { messageId } }`,
    );
  /** Opens a stream as Bob, and waits for its first message. */
  const openStreamAsBob = async (bucket: string): Promise<OpenStream> => {
    const stream = await harness.streams.open(writeMessageSubscription(topicOf(bucket)), { as: bob });
    await publish(bucket, 'first');
    expect((await stream.next())?.data.data.messagePublished.attributes.objectId).toBe('first');
    return stream;
  };
  const revokeAccess = (bucket: string): Promise<void> =>
    runMutation(`patchBucket(${bucketOf(bucket)}, change: { managers: ["${alice}"] }) { name }`);
  /** Less than the interval at which streams check their access. */
  const maxStreamEndMs = 30_000;
  const expectEnd = async (stream: OpenStream): Promise<void> =>
    expect(await stream.readUntilEnd()).toMatchObject([
      { data: { errors: [{ extensions: { code: 'NOT_FOUND', reason: 'notFound' } }] } },
      { event: 'complete' },
    ]);

  test.each<[string, string, (bucket: string) => Promise<void>]>([
    ['when the follower no longer manages the bucket', 'taken', revokeAccess],
    ['when the bucket is deleted', 'deleted', (bucket) => runMutation(`deleteBucket(${bucketOf(bucket)})`)],
    [
      'even if the bucket no longer publishes to the topic',
      'former',
      async (bucket) => {
        await runMutation(`deleteNotification(${bucketOf(bucket)}, notificationId: "1")`);
        await revokeAccess(bucket);
      },
    ],
  ])(
    'ends %s',
    async (_when, bucket, loseAccess) => {
      const stream = await openStreamAsBob(bucket);
      await loseAccess(bucket);
      await expectEnd(stream);
    },
    maxStreamEndMs,
  );

  test('continues while the follower manages another bucket that publishes to it', async () => {
    await runMutation(
      `insertNotification(${bucketOf('other')}, notification: { topic: "${topicOf('kept')}" }) { id }`,
    );
    const stream = await openStreamAsBob('kept');
    await revokeAccess('kept');
    await publish('kept', 'hidden');
    await publish('other', 'seen');
    expect((await stream.next())?.data.data.messagePublished.attributes.objectId).toBe('seen');
    stream.close();
  });
});
