import { createMessageLog, type MessageLogLimits } from '../../../src/adapters/memory/message-log.ts';
import { estimateBytes } from '../../../src/core/json.ts';
import { messageLogContract } from '../../contracts/message-log.contract.ts';
import { createMessage } from '../../contracts/publisher.contract.ts';

const topicOf = (name: number | string): string => `//pubsub.test/projects/my-project/topics/${name}`;
const messageBytes = estimateBytes(createMessage(topicOf('0000'), { id: 'message-0000' }));

messageLogContract('the memory', (clock) => {
  const log = createMessageLog(clock);
  return { log, publish: async (messages) => messages.forEach(log.add), trim: async () => undefined };
});

describe('the message log in memory', () => {
  const createLog = (limits: Partial<MessageLogLimits> = {}) => {
    const log = createMessageLog(() => 0, limits);
    const add = (topic: string, id: string): void => log.add(createMessage(topic, { id }));
    const readIds = async (topic: string): Promise<string[]> =>
      (await log.read(topic)).messages.map((message) => message.id);
    return { log, add, readIds };
  };

  test('keeps the 1,000 topics with the latest messages', async () => {
    const { add, readIds } = createLog();
    for (let index = 0; index < 1000; index += 1) add(topicOf(index), 'a');
    add(topicOf(0), 'b');
    add(topicOf(1000), 'a');
    expect([await readIds(topicOf(0)), await readIds(topicOf(1)), await readIds(topicOf(1000))]).toEqual([
      ['a', 'b'],
      [],
      ['a'],
    ]);
  });

  test('keeps the newest messages of a topic within its byte limit', async () => {
    const { add, readIds } = createLog({ maxBytesPerTopic: 3 * messageBytes });
    for (const id of ['1111', '2222', '3333', '4444']) add(topicOf('0000'), `message-${id}`);
    expect(await readIds(topicOf('0000'))).toEqual(['message-2222', 'message-3333', 'message-4444']);
  });

  test('keeps the latest messages of all topics within their total byte limit', async () => {
    const { add, readIds } = createLog({ maxBytes: 3 * (messageBytes + 1) });
    for (const topic of ['1111', '2222', '3333', '4444']) add(topicOf(topic), `message-${topic}`);
    expect(await Promise.all(['1111', '2222', '4444'].map((topic) => readIds(topicOf(topic))))).toEqual([
      [],
      ['message-2222'],
      ['message-4444'],
    ]);
  });

  test('tells readers behind a dropped message that they missed it, even after its topic was dropped', async () => {
    const { log, add } = createLog({ maxTopics: 2 });
    const { endPosition } = await log.read(topicOf(0));
    add(topicOf(0), 'a');
    const { endPosition: endAfterFirstMessage } = await log.read(topicOf(0));
    for (const topic of [1, 2]) add(topicOf(topic), 'a');
    const readerPositions = [endPosition, endAfterFirstMessage];
    expect(
      await Promise.all(readerPositions.map((position) => log.readAfter(topicOf(0), position, 10))),
    ).toEqual([undefined, { messages: [], endPosition: 3 }]);
    add(topicOf(0), 'b');
    expect(
      await Promise.all(
        readerPositions.map(async (position) =>
          (await log.readAfter(topicOf(0), position, 10))?.messages.map(({ id }) => id),
        ),
      ),
    ).toEqual([undefined, ['b']]);
  });

  test('remembers for 10,000 topics whether messages were dropped, and assumes so for all others', async () => {
    const { log, add } = createLog();
    const { endPosition } = await log.read(topicOf('idle'));
    for (let index = 0; index <= 10_000; index += 1) add(topicOf(index), 'a');
    const { endPosition: endAfterAllTopics } = await log.read(topicOf(0));
    add(topicOf(0), 'b');
    add(topicOf('idle'), 'b');
    expect(await log.readAfter(topicOf(0), endPosition, 10)).toBeUndefined();
    expect(await log.readAfter(topicOf('idle'), endPosition, 10)).toBeUndefined();
    for (const topic of [0, 'idle'])
      expect((await log.readAfter(topicOf(topic), endAfterAllTopics, 10))?.messages).toHaveLength(1);
  });
});
