import { createMemoryOutbox } from '../../src/adapters/memory/outbox.ts';
import type { OutgoingMessage } from '../../src/notification/message.store.ts';
import { done } from '../../src/outbox/delivery.ts';
import { createRelay } from '../../src/outbox/relay.ts';
import { fast, messages, nothingPending, succeeds, until, type Publish } from './relay.harness.ts';

describe('a relay for several destinations', () => {
  function startAll(publishers: Readonly<Record<string, Publish>>, destinations = Object.keys(publishers)) {
    const taken: string[] = [];
    const outbox = createMemoryOutbox<OutgoingMessage>({ clock: Date.now, destinationsOf: () => destinations });
    const running = new Map<string, number>();
    const most = new Map<string, number>();
    const relay = createRelay({
      outbox,
      publishers: new Map(Object.entries(publishers).map(([name, publish]) => [name, {
        publish: async (message: OutgoingMessage) => {
          const now = (running.get(name) ?? 0) + 1;
          running.set(name, now);
          most.set(name, Math.max(now, most.get(name) ?? 0));
          const delivery = (await publish(message)) ?? done;
          running.set(name, (running.get(name) ?? 0) - 1);
          taken.push(`${name} ${message.id}`);
          return delivery;
        },
        close: async () => undefined,
      }])),
      onFailure: () => undefined,
      onDropped: () => undefined,
      delays: fast,
    });
    relay.start();
    return { outbox, relay, taken, most };
  }
  const keys = (count: number): OutgoingMessage[] => Array.from({ length: count }, (_, index) => messages(2, `key ${index}`)).flat();

  test('a silent one with 250 keys holds up no other', async () => {
    let giveUp = (): void => undefined;
    const silence = new Promise<void>((resolve) => (giveUp = resolve));
    const { outbox, relay, taken, most } = startAll({ broker: () => silence, hook: succeeds });
    const added = keys(250);
    outbox.add('photos', added);
    relay.wake();
    await until(() => taken.length === 500);
    expect([...taken].sort()).toEqual(added.map(({ id }) => `hook ${id}`).sort());
    expect(most.get('broker')).toBe(32);
    const stopping = relay.stop();
    giveUp();
    await stopping;
  });

  test('they share the slots, and each has 8 at least', async () => {
    const slow: Publish = () => new Promise((resolve) => setTimeout(resolve, 2));
    for (const [count, share] of [[1, 64], [2, 32], [3, 21], [20, 8]] as const) {
      const { outbox, relay, most } = startAll(Object.fromEntries(Array.from({ length: count }, (_, index) => [`hook ${index}`, slow])));
      outbox.add('photos', keys(70));
      relay.wake();
      await until(nothingPending(outbox));
      expect([...most.values()]).toEqual(Array.from({ length: count }, () => share));
      await relay.stop();
    }
  });

  test('items for destinations without a publisher are left alone', async () => {
    const { outbox, relay, taken } = startAll({ hook: succeeds }, ['hook', 'mail']);
    const added = keys(1);
    outbox.add('photos', added);
    relay.wake();
    await until(() => taken.length === 2);
    await relay.stop();
    expect((await outbox.claim([{ destination: 'mail', limit: 10 }], 1000)).map(({ item, attempt }) => [item.id, attempt])).toEqual(added.map(({ id }) => [id, 1]));
  });
});
