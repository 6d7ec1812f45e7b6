import { createMemoryPublisher } from '../../../src/adapters/memory/outbox.ts';
import type { OutgoingMessage } from '../../../src/notification/notification.store.ts';
import { createMessage, neverAborted, publisherContract } from '../../contracts/publisher.contract.ts';

publisherContract('the broker in memory', async () => {
  const delivered: OutgoingMessage[] = [];
  return {
    publisher: createMemoryPublisher((message) => void delivered.push(message)),
    waitForMessages: async (topic) =>
      delivered
        .filter((message) => message.topic === topic)
        .map(({ id, attributes, data }) => ({ id, attributes, data })),
  };
});

test('the broker in memory remembers the ids of the last 10,000 messages', async () => {
  const topic = '//pubsub.test/projects/my-project/topics/many';
  const delivered: string[] = [];
  const publisher = createMemoryPublisher(({ id }) => void delivered.push(id));
  const first = createMessage(topic);
  await publisher.publish(first, neverAborted);
  for (let index = 0; index < 10_000; index += 1) await publisher.publish(createMessage(topic), neverAborted);
  await publisher.publish(first, neverAborted);
  expect(delivered.filter((id) => id === first.id)).toHaveLength(2);
  await publisher.close();
});
