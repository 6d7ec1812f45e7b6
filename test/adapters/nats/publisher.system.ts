import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { createNatsPublisher, streamName } from '../../../src/adapters/nats/publisher.ts';
import { subjectOf } from '../../../src/adapters/nats/subject.ts';
import { messageOn, noEnd, publisherContract } from '../../contracts/publisher.contract.ts';
import { describeWithNats, startNats, type NatsServer } from '../../nats-server.ts';

describeWithNats('NATS JetStream', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(() => server.remove());

  /** What a consumer of the broker's own client library receives. */
  async function arrived(topic: string, count: number) {
    const connection = await connect({ servers: server.url });
    try {
      const { consumers } = await jetstreamManager(connection);
      const settings = { filter_subject: subjectOf(topic), ack_policy: AckPolicy.None };
      const { name } = await consumers.add(streamName, settings);
      const consumer = await jetstream(connection).consumers.get(streamName, name);
      const messages = [];
      const limits = { max_messages: Math.max(count, 1), expires: count > 0 ? 30_000 : 2000 };
      for await (const message of await consumer.fetch(limits)) {
        const attributes = JSON.parse(message.headers?.get('attributes') ?? '') as Record<string, string>;
        expect(message.headers?.get('topic')).toBe(topic);
        messages.push({ id: message.headers?.get('Nats-Msg-Id') ?? '', attributes, data: message.string() });
      }
      return messages;
    } finally {
      await connection.close();
    }
  }

  publisherContract('NATS JetStream', async () => ({ publisher: createNatsPublisher(server.url), arrived }));

  test('a stream that is gone is made again', async () => {
    const publisher = createNatsPublisher(server.url);
    const connection = await connect({ servers: server.url });
    const topic = '//pubsub.test/projects/my-project/topics/again';
    await publisher.publish(messageOn(topic), noEnd);
    await (await jetstreamManager(connection)).streams.delete(streamName);
    await connection.close();
    const message = messageOn(topic);
    await expect(publisher.publish(message, noEnd)).rejects.toThrow();
    await publisher.publish(message, noEnd);
    expect((await arrived(topic, 1)).map(({ id }) => id)).toEqual([message.id]);
    await publisher.close();
  });

  test('an unreachable broker rejects the message and does not end the process', async () => {
    const publisher = createNatsPublisher('nats://user:secret@127.0.0.1:1');
    const lost = messageOn('//pubsub.test/projects/my-project/topics/lost');
    await expect(publisher.publish(lost, noEnd)).rejects.toThrow();
    await publisher.close();
  });
});
