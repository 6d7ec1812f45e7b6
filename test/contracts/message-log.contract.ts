import type { Clock } from '../../src/core/runtime/clock.ts';
import type { LogPage, MessageLog, OutgoingMessage } from '../../src/notification/notification.store.ts';
import { createMessage } from './publisher.contract.ts';
import { dayMs, startOfTime, mutateDeep } from './samples.ts';

/** A message log, and its changes by relays and housekeeping. */
export interface LogUnderTest {
  readonly log: MessageLog;
  /** Adds messages as a relay does; concurrent calls act as several relays. */
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  /** Removes expired messages. */
  trim(): Promise<void>;
}

/** Creates an empty log. */
type MakeLog = (clock: Clock) => LogUnderTest | Promise<LogUnderTest>;

const topicOf = (name: string): string => `//pubsub.test/projects/my-project/topics/${name}`;
const [photos, videos] = [topicOf('photos'), topicOf('videos')];
const idsOf = (page: Pick<LogPage, 'messages'> | undefined): string[] | undefined =>
  page?.messages.map(({ id }) => id);

/** Tests of every log of published messages. */
export function messageLogContract(name: string, makeLog: MakeLog): void {
  describe(`${name} as a log of messages`, () => {
    let now: number;
    let logUnderTest: LogUnderTest;
    let log: MessageLog;
    beforeEach(async () => {
      now = startOfTime;
      logUnderTest = await makeLog(() => now);
      ({ log } = logUnderTest);
    });

    /** Publishes messages to a topic together and returns their ids. */
    async function publish(topic: string, count: number, orderingKey = 'key'): Promise<string[]> {
      const messages = Array.from({ length: count }, () => createMessage(topic, { orderingKey }));
      await logUnderTest.publish(messages);
      return messages.map(({ id }) => id);
    }

    test('returns the messages of a topic unchanged, oldest first, at growing positions', async () => {
      const attributes = { 'ключ 🙂': '', ['__proto__']: 'kept' };
      const first = createMessage(photos, { attributes, data: '{"a":"é\n"}' });
      const second = createMessage(photos);
      const messages = [first, second];
      await logUnderTest.publish([first, createMessage(videos), second]);
      const laterIds = await publish(photos, 1);
      const page = await log.read(photos);
      expect(page.messages.slice(0, 2)).toEqual(
        messages.map((message) => ({ ...message, position: expect.any(Number) })),
      );
      expect(idsOf(page)).toEqual([...messages.map(({ id }) => id), ...laterIds]);
      const positions = page.messages.map(({ position }) => position);
      expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
      mutateDeep(page);
      expect(idsOf(await log.read(photos))).toEqual([...messages.map(({ id }) => id), ...laterIds]);
      expect(idsOf(await log.read(topicOf('none')))).toEqual([]);
    });

    test('continues after the end of a page, up to the limit', async () => {
      await publish(photos, 2);
      const firstPage = await log.read(photos);
      expect(idsOf(await log.readAfter(photos, firstPage.endPosition, 10))).toEqual([]);
      const ids = await publish(photos, 5);
      await publish(videos, 1);
      const readPages: string[][] = [];
      for (let { endPosition } = firstPage, length = 2; length > 0;) {
        const page = (await log.readAfter(photos, endPosition, 2)) as LogPage;
        endPosition = page.endPosition;
        ({ length } = page.messages);
        readPages.push(idsOf(page) ?? []);
      }
      expect(readPages).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4), []]);
    });

    test('continues after a message, or after the end of an empty log', async () => {
      const { endPosition } = await log.read(photos);
      await publish(videos, 1);
      const ids = await publish(photos, 5);
      expect(idsOf(await log.readAfter(photos, endPosition, 10))).toEqual(ids);
      const { messages } = await log.read(photos);
      expect(idsOf(await log.readAfter(photos, messages[1]?.position ?? 0, 10))).toEqual(ids.slice(2));
    });

    test('returns each message once and in order by key while others publish', async () => {
      let isPublishingOver = false;
      let { endPosition } = await log.read(photos);
      const receivedMessages: { readonly id: string; readonly orderingKey: string }[] = [];
      const readAllMessages = async (): Promise<void> => {
        for (let isLastRead = false; ;) {
          const page = (await log.readAfter(photos, endPosition, 7)) as LogPage;
          ({ endPosition } = page);
          receivedMessages.push(...page.messages);
          if (page.messages.length > 0) continue;
          if (isLastRead) return;
          // Reads once more after the last publication.
          isLastRead = isPublishingOver;
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const publications = Promise.all(
        Array.from({ length: 8 }, async (_, relay) => {
          const ids: string[] = [];
          for (let round = 0; round < 15; round += 1) {
            ids.push(...(await publish(photos, 1 + (round % 3), `key ${relay}`)));
            await publish(videos, 1);
          }
          return ids;
        }),
      ).then((ids) => {
        isPublishingOver = true;
        return ids;
      });
      const [idsByRelay] = await Promise.all([publications, readAllMessages()]);
      for (const [relay, ids] of idsByRelay.entries()) {
        const relayMessages = receivedMessages.filter(({ orderingKey }) => orderingKey === `key ${relay}`);
        expect(relayMessages.map(({ id }) => id)).toEqual(ids);
      }
      expect(receivedMessages).toHaveLength(idsByRelay.flat().length);
    });

    test('keeps the newest 1,000 messages of a topic, and is undefined for readers behind them', async () => {
      const { endPosition: startPosition } = await log.read(photos);
      await publish(photos, 1);
      const { endPosition: positionAfterFirst } = await log.read(photos);
      const ids = await publish(photos, 1000);
      await publish(videos, 1);
      await logUnderTest.trim();
      expect(idsOf(await log.read(photos))).toEqual(ids);
      expect(await log.readAfter(photos, startPosition, 10)).toBeUndefined();
      expect(idsOf(await log.readAfter(photos, positionAfterFirst, 10))).toEqual(ids.slice(0, 10));
    });

    test('drops messages after a day, and readers who had read them miss nothing', async () => {
      await publish(photos, 1);
      now += 1000;
      const youngerIds = await publish(photos, 1);
      now += dayMs - 1000;
      await logUnderTest.trim();
      expect(idsOf(await log.read(photos))).toEqual(youngerIds);
      now += 1000;
      await logUnderTest.trim();
      const { messages, endPosition } = await log.read(photos);
      expect(messages).toEqual([]);
      const ids = await publish(photos, 2);
      expect(idsOf(await log.readAfter(photos, endPosition, 10))).toEqual(ids);
    });

    test('notifies watchers of the topics with new messages', async () => {
      const topics = new Set<string>();
      const allTopicsNotified = new Promise<void>((resolve) => {
        const stop = log.watch((topic) => {
          if (topics.add(topic).size < 2) return;
          stop();
          resolve();
        });
      });
      await publish(photos, 3);
      await publish(videos, 1);
      await allTopicsNotified;
      expect(topics).toEqual(new Set([photos, videos]));
    });
  });
}
