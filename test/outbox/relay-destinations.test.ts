import type { OutgoingMessage } from '../../src/notification/message.store.ts';
import { createMemoryOutbox } from '../../src/adapters/memory/outbox.ts';
import type { Destination } from '../../src/outbox/destination.ts';
import {
  destinationOf,
  messages,
  nothingPending,
  startRelay,
  succeeds,
  until,
  type Publish,
} from './relay.harness.ts';

describe('a relay for several destinations', () => {
  function startAll(
    publishers: Readonly<Record<string, Publish>>,
    destinations = Object.keys(publishers),
    rest: Partial<Destination<OutgoingMessage>> = {},
  ) {
    const taken: string[] = [];
    const running = new Map<string, number>();
    const most = new Map<string, number>();
    const all = Object.entries(publishers).map(([name, publish]) =>
      destinationOf(
        name,
        async (message, signal) => {
          const now = (running.get(name) ?? 0) + 1;
          running.set(name, now);
          most.set(name, Math.max(now, most.get(name) ?? 0));
          const delivery = await publish(message, signal);
          running.set(name, (running.get(name) ?? 0) - 1);
          taken.push(`${name} ${message.id}`);
          return delivery;
        },
        name === 'own' ? rest : {},
      ),
    );
    const outbox = createMemoryOutbox<OutgoingMessage>({
      clock: Date.now,
      destinationsOf: () => destinations,
    });
    return { taken, most, ...startRelay(all, { outbox }) };
  }
  const keys = (count: number): OutgoingMessage[] =>
    Array.from({ length: count }, (_, index) => messages(2, `key ${index}`)).flat();

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
    for (const [count, share] of [
      [1, 64],
      [2, 32],
      [3, 21],
      [20, 8],
    ] as const) {
      const { outbox, relay, most } = startAll(
        Object.fromEntries(Array.from({ length: count }, (_, index) => [`hook ${index}`, slow])),
      );
      outbox.add('photos', keys(70));
      relay.wake();
      await until(nothingPending(outbox));
      expect([...most.values()]).toEqual(Array.from({ length: count }, () => share));
      await relay.stop();
    }
  });

  test('one may have a number of its own, which leaves the others theirs', async () => {
    const slow: Publish = () => new Promise((resolve) => setTimeout(resolve, 2));
    const { outbox, relay, most } = startAll({ own: slow, broker: slow, hook: slow }, undefined, {
      mostAtOnce: 50,
    });
    outbox.add('photos', keys(70));
    relay.wake();
    await until(nothingPending(outbox));
    expect(Object.fromEntries(most)).toEqual({ own: 50, broker: 32, hook: 32 });
    await relay.stop();
  });

  test('items for destinations without a publisher are left alone', async () => {
    const { outbox, relay, taken } = startAll({ hook: succeeds }, ['hook', 'mail']);
    const added = keys(1);
    outbox.add('photos', added);
    relay.wake();
    await until(() => taken.length === 2);
    await relay.stop();
    expect(
      (await outbox.claim([{ destination: 'mail', limit: 10 }], 1000)).map(({ item, attempt }) => [
        item.id,
        attempt,
      ]),
    ).toEqual(added.map(({ id }) => [id, 1]));
  });
});
