import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import { createMemoryOutbox } from '../../src/adapters/memory/outbox.ts';
import { until } from '../eventually.ts';
import {
  destinationOf,
  messages,
  nothingPending,
  startRelay,
  succeeds,
  type Publish,
} from './relay.harness.ts';

const keys = (count: number): OutgoingMessage[] =>
  Array.from({ length: count }, (_, index) => messages(2, `key ${index}`)).flat();

describe('a relay for several destinations', () => {
  function startAll(publishers: Readonly<Record<string, Publish>>, destinations = Object.keys(publishers)) {
    const taken: string[] = [];
    const all = Object.entries(publishers).map(([name, publish]) =>
      destinationOf(name, async (message, signal) => {
        const delivery = await publish(message, signal);
        taken.push(`${name} ${message.id}`);
        return delivery;
      }),
    );
    const outbox = createMemoryOutbox<OutgoingMessage>({
      clock: Date.now,
      destinationsOf: () => destinations,
    });
    return { taken, ...startRelay(all, { outbox }) };
  }

  test('a silent one with 250 keys holds up no other', async () => {
    let giveUp = (): void => undefined;
    const silence = new Promise<void>((resolve) => (giveUp = resolve));
    let asked = 0;
    const silent: Publish = () => ((asked += 1), silence);
    const { add, relay, taken } = startAll({ broker: silent, hook: succeeds });
    const ids = add(keys(250));
    await until(() => taken.length === 500);
    expect([...taken].sort()).toEqual(ids.map((id) => `hook ${id}`).sort());
    expect(asked).toBe(32);
    const stopping = relay.stop();
    giveUp();
    await stopping;
  });

  test.each<{ title: string; shares: Record<string, number>; own?: number }>([
    { title: 'one has 64', shares: { hook: 64 } },
    { title: 'two have 32 each', shares: { hook: 32, broker: 32 } },
    { title: 'three have 21 each', shares: { hook: 21, broker: 21, mail: 21 } },
    {
      title: 'twenty have 8 each',
      shares: Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`hook ${index}`, 8])),
    },
    {
      title: 'one may have a number of its own, which leaves the others theirs',
      shares: { own: 50, broker: 32, hook: 32 },
      own: 50,
    },
  ])('they share the slots: $title', async ({ shares, own }) => {
    const most = new Map<string, number>();
    const destinations = Object.entries(shares).map(([name, share]) => {
      let running = 0;
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const publish: Publish = async () => {
        running += 1;
        most.set(name, Math.max(running, most.get(name) ?? 0));
        // All wait until the slots are taken, and those that would be too many have had their turn.
        if (running === share) setImmediate(release);
        await released;
        running -= 1;
      };
      return destinationOf(name, publish, name === 'own' ? { mostAtOnce: own } : {});
    });
    const { add, outbox, relay } = startRelay(destinations);
    add(keys(70));
    await until(nothingPending(outbox));
    expect(Object.fromEntries(most)).toEqual(shares);
    await relay.stop();
  });

  test('items for destinations without a publisher are left alone', async () => {
    const { add, outbox, relay, taken } = startAll({ hook: succeeds }, ['hook', 'mail']);
    const ids = add(keys(1));
    await until(() => taken.length === 2);
    await relay.stop();
    expect(await outbox.claim([{ destination: 'mail', limit: 10 }], 1000)).toMatchObject(
      ids.map((id) => ({ item: { id }, attempt: 1 })),
    );
  });
});
