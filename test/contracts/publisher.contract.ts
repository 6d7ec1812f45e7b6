import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import type { Publisher } from '../../src/outbox/destination.ts';

type ReceivedMessage = Pick<OutgoingMessage, 'id' | 'attributes' | 'data'>;

/** A publisher and a consumer of its broker. */
export interface PublisherUnderTest {
  readonly publisher: Publisher<OutgoingMessage>;
  /** Waits for at least `count` messages of a topic and returns all, oldest first. */
  waitForMessages(topic: string, count: number): Promise<readonly ReceivedMessage[]>;
}

let lastNumber = 0;
/** Creates a message with a unique id, by default about one object. */
export const createMessage = (topic: string, fields: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  id: `message-${(lastNumber += 1)}-${process.pid}`,
  topic,
  orderingKey: 'photos/cat.jpg',
  attributes: { eventType: 'OBJECT_FINALIZE' },
  data: '{"name":"cat.jpg"}',
  ...fields,
});

/** Guarantees by which brokers differ. */
export interface PublisherGuarantees {
  /** Whether the broker drops messages with a known id; else consumers must. */
  readonly hasDeduplication: boolean;
}

/** A signal that is never aborted. */
export const neverAborted = new AbortController().signal;

/** Tests of every publisher. */
export function publisherContract(
  name: string,
  startPublisher: () => Promise<PublisherUnderTest>,
  { hasDeduplication }: PublisherGuarantees = { hasDeduplication: true },
): void {
  describe(`${name} as a publisher`, () => {
    let publisherUnderTest: PublisherUnderTest;
    const publish = (message: OutgoingMessage) => publisherUnderTest.publisher.publish(message, neverAborted);
    beforeAll(async () => {
      publisherUnderTest = await startPublisher();
    });
    afterAll(() => publisherUnderTest.publisher.close());

    test('delivers a message with its attributes and its body', async () => {
      const message = createMessage('//pubsub.test/projects/my-project/topics/plain');
      expect(await publish(message)).toEqual({ outcome: 'done' });
      const { id, attributes, data } = message;
      expect(await publisherUnderTest.waitForMessages(message.topic, 1)).toEqual([{ id, attributes, data }]);
    });

    test('keeps every character of attributes and body, and an empty body', async () => {
      const topic = '//pubsub.test/projects/example.com:my-project/topics/with.dots~and+more%';
      const attributes = { 'ключ с пробелом: ü': 'line\nbreak "quote" 🙂 \u00e9', empty: '' };
      const first = createMessage(topic, { attributes, data: '{"ü":"🙂"}' });
      const second = createMessage(topic, { attributes: {}, data: '' });
      await publish(first);
      await publish(second);
      expect(await publisherUnderTest.waitForMessages(topic, 2)).toEqual(
        [first, second].map(({ id, attributes, data }) => ({ id, attributes, data })),
      );
    });

    if (hasDeduplication) {
      test('delivers a message once that is published twice', async () => {
        const topic = '//pubsub.test/projects/my-project/topics/twice';
        const [first, second] = [createMessage(topic), createMessage(topic)];
        await publish(first);
        await publish(first);
        await publish(second);
        expect((await publisherUnderTest.waitForMessages(topic, 2)).map(({ id }) => id)).toEqual([
          first.id,
          second.id,
        ]);
      });
    }

    test('keeps the order of messages published in sequence', async () => {
      const topic = '//pubsub.test/projects/my-project/topics/ordered';
      const messages = Array.from({ length: 50 }, () => createMessage(topic));
      for (const message of messages) await publish(message);
      expect((await publisherUnderTest.waitForMessages(topic, 50)).map(({ id }) => id)).toEqual(
        messages.map(({ id }) => id),
      );
    });

    test('keeps topics of the same name in different projects apart', async () => {
      const topic = '//pubsub.test/projects/my-project/topics/one';
      const message = createMessage(topic);
      await publish(message);
      await publish(createMessage(topic.replace('my-project', 'other-project')));
      expect((await publisherUnderTest.waitForMessages(topic, 1)).map(({ id }) => id)).toEqual([message.id]);
    });
  });
}
