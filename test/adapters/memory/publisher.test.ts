import { createMessageLog } from '../../../src/adapters/memory/message-log.ts';
import { createMemoryPublisher } from '../../../src/adapters/memory/publisher.ts';
import { messageOn, publisherContract } from '../../contracts/publisher.contract.ts';

publisherContract('the broker in memory', async () => {
  const log = createMessageLog();
  return {
    publisher: createMemoryPublisher((message) => log.add(message)),
    arrived: async (topic) =>
      log.read(topic, 0).map(({ message: { id, attributes, data } }) => ({ id, attributes, data })),
  };
});

describe('the history of messages', () => {
  const topic = '//pubsub.test/projects/my-project/topics/many';

  test('keeps the newest 1,000 messages of a topic, and their positions', () => {
    const log = createMessageLog();
    for (let index = 0; index < 1001; index += 1) log.add(messageOn(topic));
    const kept = log.read(topic, 0);
    expect(kept).toHaveLength(1000);
    expect(kept[0]?.position).toBe(2);
    expect(log.read(topic, 1000).map(({ position }) => position)).toEqual([1001]);
  });

  test('keeps the 1,000 topics that were published to last', () => {
    const log = createMessageLog();
    const name = (index: number): string => `//pubsub.test/projects/my-project/topics/t${index}`;
    for (let index = 0; index < 1000; index += 1) log.add(messageOn(name(index)));
    log.add(messageOn(name(0)));
    log.add(messageOn(name(1000)));
    expect(log.read(name(0), 0)).toHaveLength(2);
    expect(log.read(name(1), 0)).toEqual([]);
    expect(log.read(name(1000), 0)).toHaveLength(1);
  });

  test('forgets the ids of messages it saw long ago', async () => {
    const delivered: string[] = [];
    const publisher = createMemoryPublisher(({ id }) => void delivered.push(id));
    const first = messageOn(topic);
    await publisher.publish(first);
    for (let index = 0; index < 10_000; index += 1) await publisher.publish(messageOn(topic));
    await publisher.publish(first);
    expect(delivered.filter((id) => id === first.id)).toHaveLength(2);
    await publisher.close();
  });
});
