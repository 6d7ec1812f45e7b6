import fc from 'fast-check';
import { createMemoryOutbox } from '../../src/adapters/memory/outbox.ts';
import type { Outbox, OutgoingMessage } from '../../src/core/publisher.ts';
import { startRelay } from '../../src/core/relay.ts';
import { messageOn } from '../contracts/publisher.contract.ts';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const delays = { idle: 5, firstRetry: 1, lastRetry: 4 };

/** A relay over a broker whose answers the test decides. */
function start(publish: (message: OutgoingMessage) => Promise<void>, overrides: Partial<typeof delays> = {}) {
  const { add, outbox } = createMemoryOutbox(() => 1000);
  const published: string[] = [];
  const failures: unknown[] = [];
  const relay = startRelay({
    outbox,
    publisher: { publish, close: async () => undefined },
    onPublished: ({ id }) => published.push(id),
    onFailure: (error) => failures.push(error),
    delays: { ...delays, ...overrides },
  });
  return { add, outbox, published, failures, relay };
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 1));
}

const nothingPending = (outbox: Outbox) => async (): Promise<boolean> =>
  (await outbox.backlog()).count === 0;

describe('the relay', () => {
  test('publishes what is stored, in order, and marks it', async () => {
    const { add, outbox, published, relay } = start(async () => undefined);
    const messages = Array.from({ length: 600 }, () => messageOn(topic));
    add(messages);
    relay.wake();
    await until(nothingPending(outbox));
    expect(published).toEqual(messages.map(({ id }) => id));
    await relay.stop();
  });

  test('wakes at once when something is stored, however long its rest is', async () => {
    const { add, published, relay } = start(async () => undefined, { idle: 3_600_000 });
    await new Promise((resolve) => setTimeout(resolve, 5));
    add([messageOn(topic)]);
    relay.wake();
    await until(() => published.length === 1);
    add([messageOn(topic)]);
    relay.wake();
    await until(() => published.length === 2);
    await relay.stop();
  });

  test('finds messages nobody told it of', async () => {
    const { add, published, relay } = start(async () => undefined);
    await new Promise((resolve) => setTimeout(resolve, 2));
    add([messageOn(topic)]);
    await until(() => published.length === 1);
    await relay.stop();
  });

  test('a failed message holds back those of its object, and no others', async () => {
    let broken = true;
    const { add, outbox, published, failures, relay } = start(async ({ orderingKey }) => {
      if (broken && orderingKey === 'photos/stuck.jpg') throw new Error('refused');
    });
    const stuck = [1, 2].map(() => messageOn(topic, { orderingKey: 'photos/stuck.jpg' }));
    const free = [1, 2].map(() => messageOn(topic, { orderingKey: 'photos/free.jpg' }));
    add([stuck[0], free[0], stuck[1], free[1]].flatMap((message) => message ?? []));
    relay.wake();
    await until(() => failures.length >= 2);
    expect(published).toEqual(free.map(({ id }) => id));
    expect(await outbox.backlog()).toEqual({ count: 2, oldestAt: 1000 });
    broken = false;
    await until(nothingPending(outbox));
    expect(published.slice(2)).toEqual(stuck.map(({ id }) => id));
    await relay.stop();
  });

  test('whatever fails and however often: all arrive, and in order for each object', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 30 }),
        fc.array(fc.boolean(), { maxLength: 40 }),
        async (keys, faults) => {
          const attempts = [...faults];
          const { add, outbox, published, relay } = start(async () => {
            if (attempts.pop()) throw new Error('away');
          }, { idle: 1, firstRetry: 0, lastRetry: 0 });
          const messages = keys.map((orderingKey) => messageOn(topic, { orderingKey }));
          add(messages);
          relay.wake();
          await until(nothingPending(outbox));
          for (const key of ['a', 'b', 'c']) {
            const stored = messages.filter(({ orderingKey }) => orderingKey === key).map(({ id }) => id);
            expect(published.filter((id) => stored.includes(id))).toEqual(stored);
          }
          await relay.stop();
        },
      ),
      { numRuns: 50 },
    );
  });

  test('a store that fails is asked again', async () => {
    const { add, outbox, published, failures, relay } = start(async () => undefined);
    const { pendingMessages } = outbox;
    let broken = true;
    outbox.pendingMessages = async (limit) => {
      if (broken) throw new Error('store away');
      return pendingMessages(limit);
    };
    add([messageOn(topic)]);
    relay.wake();
    await until(() => failures.length > 0);
    broken = false;
    await until(() => published.length === 1);
    await relay.stop();
  });

  test('stops after the message at hand and leaves the rest stored', async () => {
    const gate: (() => void)[] = [];
    const { add, outbox, published, relay } = start(() => new Promise<void>((resolve) => void gate.push(resolve)));
    add([messageOn(topic), messageOn(topic)]);
    relay.wake();
    await until(() => gate.length === 1);
    const stopping = relay.stop();
    gate[0]?.();
    await stopping;
    expect(published).toHaveLength(1);
    expect((await outbox.backlog()).count).toBe(1);
  });
});
