import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { createNatsPublisher, streamName } from '../../../src/adapters/nats/publisher.ts';
import { createMessage, neverAborted, publisherContract } from '../../contracts/publisher.contract.ts';
import { describeWithNats, startNats, readNatsStream } from '../../nats-server.ts';
import { useForAll } from '../../use-resource.ts';

describeWithNats('NATS JetStream', () => {
  const server = useForAll(() => startNats());

  const readMessages = async (topic: string) =>
    (await readNatsStream(server.url))
      .filter((message) => message.topic === topic)
      .map(({ id, attributes, data }) => ({ id, attributes, data }));

  publisherContract('NATS JetStream', async () => ({
    publisher: createNatsPublisher(server.url),
    waitForMessages: readMessages,
  }));

  test('a deleted stream is created again after one failed message', async () => {
    const publisher = createNatsPublisher(server.url);
    const connection = await connect({ servers: server.url });
    const topic = '//pubsub.test/projects/my-project/topics/again';
    await publisher.publish(createMessage(topic), neverAborted);
    await (await jetstreamManager(connection)).streams.delete(streamName);
    await connection.close();
    const message = createMessage(topic);
    await expect(publisher.publish(message, neverAborted)).rejects.toThrow();
    await publisher.publish(message, neverAborted);
    expect((await readMessages(topic)).map(({ id }) => id)).toEqual([message.id]);
    await publisher.close();
  });

  test('publishing to an unreachable broker fails, and does not end the process', async () => {
    const publisher = createNatsPublisher('nats://user:secret@127.0.0.1:1');
    const undeliverableMessage = createMessage('//pubsub.test/projects/my-project/topics/lost');
    await expect(publisher.publish(undeliverableMessage, neverAborted)).rejects.toThrow();
    await publisher.close();
  });
});
