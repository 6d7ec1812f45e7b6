import type { Clock } from '../../src/core/runtime/clock.ts';
import type { LogPage, MessageLog, OutgoingMessage } from '../../src/notification/notification.store.ts';
import { messageOn } from './publisher.contract.ts';
import { day, startOfTime, mutateDeep } from './samples.ts';

export interface LogUnderTest {
  readonly log: MessageLog;
  /** Has messages come into the log as relays do; several calls at once are several relays. */
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  /** Has the log drop what it does not keep. */
  trim(): Promise<void>;
}

/** Makes an empty log that tells the time by `clock`. */
type MakeLog = (clock: Clock) => LogUnderTest | Promise<LogUnderTest>;

const topicOf = (name: string): string => `//pubsub.test/projects/my-project/topics/${name}`;
const [photos, videos] = [topicOf('photos'), topicOf('videos')];
const idsOf = (page: Pick<LogPage, 'messages'> | undefined): string[] | undefined =>
  page?.messages.map(({ id }) => id);

/** What every log of published messages promises, whatever keeps it. */
export function messageLogContract(name: string, makeLog: MakeLog): void {
  describe(`${name} as a log of messages`, () => {
    let now: number;
    let made: LogUnderTest;
    let log: MessageLog;
    beforeEach(async () => {
      now = startOfTime;
      made = await makeLog(() => now);
      ({ log } = made);
    });

    /** Publishes messages to a topic together, and gives their ids. */
    async function publish(topic: string, count: number, orderingKey = 'key'): Promise<string[]> {
      const messages = Array.from({ length: count }, () => messageOn(topic, { orderingKey }));
      await made.publish(messages);
      return messages.map(({ id }) => id);
    }

    test('gives the messages of a topic as they are, oldest first, at positions that grow', async () => {
      const messages = [
        messageOn(photos, { attributes: { 'ключ 🙂': '', ['__proto__']: 'kept' }, data: '{"a":"é\n"}' }),
        messageOn(photos),
      ];
      await made.publish([messages[0] as OutgoingMessage, messageOn(videos), messages[1] as OutgoingMessage]);
      const later = await publish(photos, 1);
      const page = await log.read(photos);
      expect(page.messages.slice(0, 2)).toEqual(
        messages.map((message) => ({ ...message, position: expect.any(Number) })),
      );
      expect(idsOf(page)).toEqual([...messages.map(({ id }) => id), ...later]);
      const positions = page.messages.map(({ position }) => position);
      expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
      mutateDeep(page);
      expect(idsOf(await log.read(photos))).toEqual([...messages.map(({ id }) => id), ...later]);
      expect(idsOf(await log.read(topicOf('none')))).toEqual([]);
    });

    test('is read on from the end of a page, as many at once as asked', async () => {
      await publish(photos, 2);
      const start = await log.read(photos);
      expect(idsOf(await log.readBehind(photos, start.end, 10))).toEqual([]);
      const ids = await publish(photos, 5);
      await publish(videos, 1);
      const read: string[][] = [];
      for (let { end } = start, length = 2; length > 0;) {
        const page = (await log.readBehind(photos, end, 2)) as LogPage;
        ({
          end,
          messages: { length },
        } = page);
        read.push(idsOf(page) ?? []);
      }
      expect(read).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4), []]);
    });

    test('is read on from a message, and where it was empty from its end', async () => {
      const { end } = await log.read(photos);
      await publish(videos, 1);
      const ids = await publish(photos, 5);
      expect(idsOf(await log.readBehind(photos, end, 10))).toEqual(ids);
      const { messages } = await log.read(photos);
      expect(idsOf(await log.readBehind(photos, messages[1]?.position ?? 0, 10))).toEqual(ids.slice(2));
    });

    test('gives whoever reads on while many publish each message once, those of a key in order', async () => {
      let isOver = false;
      let { end } = await log.read(photos);
      const read: { readonly id: string; readonly orderingKey: string }[] = [];
      const readAll = async (): Promise<void> => {
        for (let last = false; ;) {
          const page = (await log.readBehind(photos, end, 7)) as LogPage;
          ({ end } = page);
          read.push(...page.messages);
          if (page.messages.length > 0) continue;
          if (last) return;
          last = isOver; // what came until then is read once more
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      const publishing = Promise.all(
        Array.from({ length: 8 }, async (_, relay) => {
          const ids: string[] = [];
          for (let round = 0; round < 15; round += 1) {
            ids.push(...(await publish(photos, 1 + (round % 3), `key ${relay}`)));
            await publish(videos, 1);
          }
          return ids;
        }),
      ).then((ids) => {
        isOver = true;
        return ids;
      });
      const [published] = await Promise.all([publishing, readAll()]);
      for (const [relay, ids] of published.entries()) {
        const own = read.filter(({ orderingKey }) => orderingKey === `key ${relay}`);
        expect(own.map(({ id }) => id)).toEqual(ids);
      }
      expect(read).toHaveLength(published.flat().length);
    });

    test('keeps the newest 1,000 messages of a topic, and says so to whoever was behind them', async () => {
      const { end: start } = await log.read(photos);
      await publish(photos, 1);
      const { end: afterFirst } = await log.read(photos);
      const ids = await publish(photos, 1000);
      await publish(videos, 1);
      await made.trim();
      expect(idsOf(await log.read(photos))).toEqual(ids);
      expect(await log.readBehind(photos, start, 10)).toBeUndefined();
      expect(idsOf(await log.readBehind(photos, afterFirst, 10))).toEqual(ids.slice(0, 10));
    });

    test('forgets messages after a day; who had read them misses nothing', async () => {
      await publish(photos, 1);
      now += 1000;
      const young = await publish(photos, 1);
      now += day - 1000;
      await made.trim();
      expect(idsOf(await log.read(photos))).toEqual(young);
      now += 1000;
      await made.trim();
      const { messages, end } = await log.read(photos);
      expect(messages).toEqual([]);
      const ids = await publish(photos, 2);
      expect(idsOf(await log.readBehind(photos, end, 10))).toEqual(ids);
    });

    test('tells those who watch of the topics that were published to', async () => {
      const told = new Set<string>();
      const all = new Promise<void>((resolve) => {
        const stop = log.watch((topic) => {
          if (told.add(topic).size < 2) return;
          stop();
          resolve();
        });
      });
      await publish(photos, 3);
      await publish(videos, 1);
      await all;
      expect(told).toEqual(new Set([photos, videos]));
    });
  });
}
