import { anonymous } from '../../../src/adapters/pubsub/credentials.ts';
import { createPubSubPublisher } from '../../../src/adapters/pubsub/publisher.ts';
import { neverAborted, createMessage, publisherContract } from '../../contracts/publisher.contract.ts';
import { toArrived } from './pubsub-server.ts';
import { describeWithEmulator, startEmulator } from '../../pubsub-emulator.ts';
import { useForAll } from '../../started.ts';

const topicName = (topic: string): string => topic.split('/').slice(3).join('/');

describeWithEmulator("Google's emulator of Pub/Sub", () => {
  const emulator = useForAll(() => startEmulator());

  const openPublisher = () =>
    createPubSubPublisher({ endpoint: `http://${emulator.host}`, authorize: anonymous });

  // Pub/Sub has no message ids of publishers: tests send the id as an attribute.
  publisherContract(
    'Pub/Sub',
    async () => {
      const { publish, close } = openPublisher();
      const created = new Map<string, Promise<void>>();
      return {
        publisher: {
          async publish(message, signal) {
            const topic = topicName(message.topic);
            if (!created.has(topic)) created.set(topic, emulator.create(topic));
            await created.get(topic);
            return publish({ ...message, attributes: { ...message.attributes, id: message.id } }, signal);
          },
          close,
        },
        waitForMessages: async (topic, count) =>
          (await emulator.receive(topicName(topic), count)).map(toArrived),
      };
    },
    { hasDeduplication: false },
  );

  test('a missing topic is tried again, and receives messages once it exists', async () => {
    const attributes = { bucketId: 'photos', objectId: 'x'.repeat(1024) };
    const message = createMessage('//pubsub.test/projects/my-project/topics/later', { attributes });
    const publisher = openPublisher();
    const cause = new Error('Pub/Sub answered 404 NOT_FOUND');
    expect(await publisher.publish(message, neverAborted)).toEqual({ outcome: 'again', cause });
    await emulator.create(topicName(message.topic));
    expect(await publisher.publish(message, neverAborted)).toEqual({ outcome: 'done' });
    const [received] = await emulator.receive(topicName(message.topic), 1);
    expect(received?.orderingKey).toMatch(/^sha256:/);
    await publisher.close();
  });

  test('a refused message is dropped', async () => {
    const topic = '//pubsub.test/projects/my-project/topics/refused';
    await emulator.create(topicName(topic));
    const publisher = openPublisher();
    const empty = createMessage(topic, { attributes: {}, data: '' });
    expect((await publisher.publish(empty, neverAborted)).outcome).toBe('never');
    await publisher.close();
  });
});
