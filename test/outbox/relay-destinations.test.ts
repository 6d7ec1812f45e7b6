import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import { createMemoryOutbox } from '../../src/adapters/memory/outbox.ts';
import { until } from '../eventually.ts';
import {
  destinationOf,
  messages,
  isOutboxEmpty,
  startRelay,
  publishOk,
  type Publish,
} from './relay.harness.ts';

const keys = (count: number): OutgoingMessage[] =>
  Array.from({ length: count }, (_, index) => messages(2, `key ${index}`)).flat();

describe('a relay for several destinations', () => {
  function startAll(publishers: Readonly<Record<string, Publish>>, destinations = Object.keys(publishers)) {
    const deliveries: string[] = [];
    const destinationList = Object.entries(publishers).map(([name, publish]) =>
      destinationOf(name, async (message, signal) => {
        const delivery = await publish(message, signal);
        deliveries.push(`${name} ${message.id}`);
        return delivery;
      }),
    );
    const outbox = createMemoryOutbox<OutgoingMessage>({
      clock: Date.now,
      destinationsOf: () => destinations,
    });
    return { taken: deliveries, ...startRelay(destinationList, { outbox }) };
  }

  test('a hanging destination with 250 keys does not delay another', async () => {
    let endSilence = (): void => undefined;
    const silence = new Promise<void>((resolve) => (endSilence = resolve));
    let attempts = 0;
    const silentPublish: Publish = () => ((attempts += 1), silence);
    const { add, relay, taken: deliveries } = startAll({ broker: silentPublish, hook: publishOk });
    const ids = add(keys(250));
    await until(() => deliveries.length === 500);
    expect([...deliveries].sort()).toEqual(ids.map((id) => `hook ${id}`).sort());
    expect(attempts).toBe(32);
    const stopping = relay.stop();
    endSilence();
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
      title: 'one has a limit of its own, which leaves the shares of others unchanged',
      shares: { own: 50, broker: 32, hook: 32 },
      own: 50,
    },
  ])('destinations share the slots: $title', async ({ shares, own: maxConcurrent }) => {
    const maxRunning = new Map<string, number>();
    const destinations = Object.entries(shares).map(([name, share]) => {
      let running = 0;
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const publish: Publish = async () => {
        running += 1;
        maxRunning.set(name, Math.max(running, maxRunning.get(name) ?? 0));
        // Deliveries wait until all slots are taken; setImmediate lets excess deliveries start, which would fail the test.
        if (running === share) setImmediate(release);
        await released;
        running -= 1;
      };
      return destinationOf(name, publish, name === 'own' ? { mostAtOnce: maxConcurrent } : {});
    });
    const { add, outbox, relay } = startRelay(destinations);
    add(keys(70));
    await until(isOutboxEmpty(outbox));
    expect(Object.fromEntries(maxRunning)).toEqual(shares);
    await relay.stop();
  });

  test('items for destinations without a publisher stay in the outbox', async () => {
    const { add, outbox, relay, taken: deliveries } = startAll({ hook: publishOk }, ['hook', 'mail']);
    const ids = add(keys(1));
    await until(() => deliveries.length === 2);
    await relay.stop();
    expect(await outbox.claim([{ destination: 'mail', limit: 10 }], 1000)).toMatchObject(
      ids.map((id) => ({ item: { id }, attempt: 1 })),
    );
  });
});
