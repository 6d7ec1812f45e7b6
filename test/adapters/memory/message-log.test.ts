import { createMessageLog, type MessageLogLimits } from '../../../src/adapters/memory/message-log.ts';
import { bytesOf } from '../../../src/adapters/memory/size.ts';
import { messageOn } from '../../contracts/publisher.contract.ts';

const topicOf = (name: number | string): string => `//pubsub.test/projects/my-project/topics/${name}`;
const size = bytesOf(messageOn(topicOf('0000'), { id: 'message-0000' }));

describe('the log of published messages', () => {
  let now = 0;
  const logWith = (limits: Partial<MessageLogLimits> = {}) => {
    const log = createMessageLog(() => now, limits);
    const add = (topic: string, id: string): void => log.add(messageOn(topic, { id }));
    const ids = async (topic: string): Promise<string[]> => (await log.read(topic)).map((message) => message.id);
    return { add, ids };
  };

  test('gives the messages of a topic, oldest first, each once', async () => {
    const { add, ids } = logWith();
    for (const id of ['a', 'b', 'a', 'c']) add(topicOf('one'), id);
    add(topicOf('other'), 'd');
    expect(await ids(topicOf('one'))).toEqual(['a', 'b', 'c']);
    expect(await ids(topicOf('none'))).toEqual([]);
  });

  test('keeps the newest 1,000 messages of a topic', async () => {
    const { add, ids } = logWith();
    for (let index = 0; index < 1001; index += 1) add(topicOf('many'), `${index}`);
    const kept = await ids(topicOf('many'));
    expect([kept.length, kept[0]]).toEqual([1000, '1']);
  });

  test('keeps the 1,000 topics that were published to last', async () => {
    const { add, ids } = logWith();
    for (let index = 0; index < 1000; index += 1) add(topicOf(index), 'a');
    add(topicOf(0), 'b');
    add(topicOf(1000), 'a');
    expect([await ids(topicOf(0)), await ids(topicOf(1)), await ids(topicOf(1000))]).toEqual([['a', 'b'], [], ['a']]);
  });

  test('keeps of each topic what fits into its bytes', async () => {
    const { add, ids } = logWith({ bytesPerTopic: 3 * size });
    for (const id of ['1111', '2222', '3333', '4444']) add(topicOf('0000'), `message-${id}`);
    expect(await ids(topicOf('0000'))).toEqual(['message-2222', 'message-3333', 'message-4444']);
  });

  test('keeps of all topics what fits into its bytes, those published to last', async () => {
    const { add, ids } = logWith({ bytes: 3 * (size + 1) });
    for (const topic of ['1111', '2222', '3333', '4444']) add(topicOf(topic), `message-${topic}`);
    expect(await Promise.all(['1111', '2222', '4444'].map((topic) => ids(topicOf(topic))))).toEqual([
      [], ['message-2222'], ['message-4444'],
    ]);
  });

  test('forgets messages after a day', async () => {
    const { add, ids } = logWith();
    add(topicOf('old'), 'a');
    now += 1000;
    add(topicOf('old'), 'b');
    now += 24 * 60 * 60 * 1000 - 1000;
    expect(await ids(topicOf('old'))).toEqual(['b']);
  });
});
