import { nobody } from '../../../src/adapters/pubsub/credentials.ts';
import { createPubSubPublisher } from '../../../src/adapters/pubsub/publisher.ts';
import { noEnd, messageOn, publisherContract } from '../../contracts/publisher.contract.ts';
import { eventually } from '../../eventually.ts';
import { arrivedOf } from './pubsub-server.ts';
import { describeWithEmulator, startEmulator } from '../../pubsub-emulator.ts';
import { useForAll } from '../../started.ts';

const named = (topic: string): string => topic.split('/').slice(3).join('/');

describeWithEmulator("Google's emulator of Pub/Sub", () => {
  const emulator = useForAll(() => startEmulator());

  const publisherOf = () => createPubSubPublisher({ endpoint: `http://${emulator.host}`, authorize: nobody });

  // Pub/Sub has no ids of publishers: the id goes with the attributes here, to tell messages apart.
  publisherContract(
    'Pub/Sub',
    async () => {
      const { publish, close } = publisherOf();
      const known = new Map<string, Promise<void>>();
      return {
        publisher: {
          async publish(message, signal) {
            const topic = named(message.topic);
            if (!known.has(topic)) known.set(topic, emulator.create(topic));
            await known.get(topic);
            return publish({ ...message, attributes: { ...message.attributes, id: message.id } }, signal);
          },
          close,
        },
        arrived: async (topic, count) => (await emulator.receive(named(topic), count)).map(arrivedOf),
      };
    },
    { knowsIds: false },
  );

  test('a missing topic is tried again, and takes messages once it is made', async () => {
    const attributes = { bucketId: 'photos', objectId: 'x'.repeat(1024) };
    const message = messageOn('//pubsub.test/projects/my-project/topics/later', { attributes });
    const publisher = publisherOf();
    const cause = new Error('Pub/Sub answered 404 NOT_FOUND');
    expect(await publisher.publish(message, noEnd)).toEqual({ outcome: 'again', cause });
    await emulator.create(named(message.topic));
    expect(await publisher.publish(message, noEnd)).toEqual({ outcome: 'done' });
    const [received] = await emulator.receive(named(message.topic), 1);
    expect(received?.orderingKey).toMatch(/^sha256:/);
    await publisher.close();
  });

  test('a message that it does not take is dropped', async () => {
    const topic = '//pubsub.test/projects/my-project/topics/refused';
    await emulator.create(named(topic));
    const publisher = publisherOf();
    const empty = messageOn(topic, { attributes: {}, data: '' });
    expect((await publisher.publish(empty, noEnd)).outcome).toBe('never');
    await publisher.close();
  });

  test('messages of 100 objects at once arrive', async () => {
    const topic = '//pubsub.test/projects/my-project/topics/many';
    await emulator.create(named(topic));
    const publisher = publisherOf();
    const publish = (objectId: string): Promise<void> => {
      const message = messageOn(topic, { attributes: { bucketId: 'photos', objectId } });
      // As the relay does: later again, since a topic that is slow to answer refuses some.
      return eventually(async () =>
        expect(await publisher.publish(message, noEnd)).toEqual({ outcome: 'done' }),
      );
    };
    await Promise.all(Array.from({ length: 100 }, (_, index) => publish(`object ${index}`)));
    const received = await emulator.receive(named(topic), 100);
    expect(new Set(received.map(({ orderingKey }) => orderingKey)).size).toBe(100);
    await publisher.close();
  });
});
