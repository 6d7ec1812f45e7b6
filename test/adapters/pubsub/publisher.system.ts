import { authorizeWithoutCredentials } from '../../../src/adapters/pubsub/credentials.ts';
import { createPubSubPublisher } from '../../../src/adapters/pubsub/publisher.ts';
import { neverAborted, createMessage, publisherContract } from '../../contracts/publisher.contract.ts';
import { toReceivedMessage } from './pubsub-server.ts';
import { describeWithEmulator, startEmulator } from '../../pubsub-emulator.ts';
import { useForAll } from '../../use-resource.ts';

const toTopicName = (topic: string): string => topic.split('/').slice(3).join('/');

describeWithEmulator("Google's emulator of Pub/Sub", () => {
  const emulator = useForAll(() => startEmulator());

  const openPublisher = () =>
    createPubSubPublisher({ endpoint: `http://${emulator.host}`, authorize: authorizeWithoutCredentials });

  // Pub/Sub has no message ids of publishers: tests send the id as an attribute.
  publisherContract(
    'Pub/Sub',
    async () => {
      const { publish, close } = openPublisher();
      const topicCreations = new Map<string, Promise<void>>();
      return {
        publisher: {
          async publish(message, signal) {
            const topic = toTopicName(message.topic);
            if (!topicCreations.has(topic)) topicCreations.set(topic, emulator.createTopic(topic));
            await topicCreations.get(topic);
            return publish({ ...message, attributes: { ...message.attributes, id: message.id } }, signal);
          },
          close,
        },
        waitForMessages: async (topic, count) =>
          (await emulator.receiveMessages(toTopicName(topic), count)).map(toReceivedMessage),
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
    await emulator.createTopic(toTopicName(message.topic));
    expect(await publisher.publish(message, neverAborted)).toEqual({ outcome: 'done' });
    const [received] = await emulator.receiveMessages(toTopicName(message.topic), 1);
    expect(received?.orderingKey).toMatch(/^sha256:/);
    await publisher.close();
  });

  test('a refused message is dropped', async () => {
    const topic = '//pubsub.test/projects/my-project/topics/refused';
    await emulator.createTopic(toTopicName(topic));
    const publisher = openPublisher();
    const emptyMessage = createMessage(topic, { attributes: {}, data: '' });
    expect((await publisher.publish(emptyMessage, neverAborted)).outcome).toBe('never');
    await publisher.close();
  });
});
