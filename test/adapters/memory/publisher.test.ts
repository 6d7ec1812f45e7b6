import { createMemoryPublisher } from '../../../src/adapters/memory/outbox.ts';
import type { OutgoingMessage } from '../../../src/notification/notification.store.ts';
import { createMessage, neverAborted, publisherContract } from '../../contracts/publisher.contract.ts';

publisherContract('the broker in memory', async () => {
  const deliveredMessages: OutgoingMessage[] = [];
  return {
    publisher: createMemoryPublisher((message) => void deliveredMessages.push(message)),
    waitForMessages: async (topic) =>
      deliveredMessages
        .filter((message) => message.topic === topic)
        .map(({ id, attributes, data }) => ({ id, attributes, data })),
  };
});

test('the broker in memory ignores a repeated id only while it is among the last 10,000', async () => {
  const topic = '//pubsub.test/projects/my-project/topics/many';
  const deliveredIds: string[] = [];
  const publisher = createMemoryPublisher(({ id }) => void deliveredIds.push(id));
  const firstMessage = createMessage(topic);
  await publisher.publish(firstMessage, neverAborted);
  for (let index = 0; index < 10_000; index += 1) await publisher.publish(createMessage(topic), neverAborted);
  await publisher.publish(firstMessage, neverAborted);
  expect(deliveredIds.filter((id) => id === firstMessage.id)).toHaveLength(2);
  await publisher.close();
});
