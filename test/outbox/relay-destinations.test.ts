import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import { createMemoryOutbox } from '../../src/adapters/memory/outbox.ts';
import { waitUntil } from '../eventually.ts';
import { createDestination, createMessages, isOutboxEmpty, startRelay, publishOk } from './relay.harness.ts';
import type { Publish } from './relay.harness.ts';

/** Creates two messages for each of a number of keys. */
const createMessagesOfKeys = (count: number): OutgoingMessage[] =>
  Array.from({ length: count }, (_, index) => createMessages(2, `key ${index}`)).flat();

describe('a relay for several destinations', () => {
  function startRecordedRelay(
    publishers: Readonly<Record<string, Publish>>,
    destinations = Object.keys(publishers),
  ) {
    const deliveries: string[] = [];
    const destinationList = Object.entries(publishers).map(([name, publish]) =>
      createDestination(name, async (message, signal) => {
        const delivery = await publish(message, signal);
        deliveries.push(`${name} ${message.id}`);
        return delivery;
      }),
    );
    const destinationsOf = () => destinations;
    const outbox = createMemoryOutbox<OutgoingMessage>({ clock: Date.now, destinationsOf });
    return { deliveries, ...startRelay(destinationList, { outbox }) };
  }

  test('a hanging destination with 250 keys does not delay another', async () => {
    let endHanging = (): void => undefined;
    const hangingPromise = new Promise<void>((resolve) => (endHanging = resolve));
    let attemptCount = 0;
    const hangingPublish: Publish = () => ((attemptCount += 1), hangingPromise);
    const { add, relay, deliveries } = startRecordedRelay({ broker: hangingPublish, hook: publishOk });
    const ids = add(createMessagesOfKeys(250));
    await waitUntil(() => deliveries.length === 500);
    expect([...deliveries].sort()).toEqual(ids.map((id) => `hook ${id}`).sort());
    // All slots of the broker.
    expect(attemptCount).toBe(64);
    const stopResult = relay.stop();
    endHanging();
    await stopResult;
  });

  test('each destination has its own limit of attempts', async () => {
    const slotsByDestination: Record<string, number> = { hook: 64, limited: 50 };
    const maxRunning = new Map<string, number>();
    const destinations = Object.entries(slotsByDestination).map(([name, slotCount]) => {
      let runningAttempts = 0;
      let release = (): void => undefined;
      const allSlotsTaken = new Promise<void>((resolve) => (release = resolve));
      const publish: Publish = async () => {
        runningAttempts += 1;
        maxRunning.set(name, Math.max(runningAttempts, maxRunning.get(name) ?? 0));
        // Deliveries wait until all slots are taken; setImmediate lets excess deliveries start, which would fail the test.
        if (runningAttempts === slotCount) setImmediate(release);
        await allSlotsTaken;
        runningAttempts -= 1;
      };
      return createDestination(name, publish, { maxConcurrentKeys: slotCount });
    });
    const { add, outbox, relay } = startRelay(destinations);
    add(createMessagesOfKeys(70));
    await waitUntil(isOutboxEmpty(outbox));
    expect(Object.fromEntries(maxRunning)).toEqual(slotsByDestination);
    await relay.stop();
  });

  test('items for destinations without a publisher stay in the outbox', async () => {
    const { add, outbox, relay, deliveries } = startRecordedRelay({ hook: publishOk }, ['hook', 'mail']);
    const ids = add(createMessagesOfKeys(1));
    await waitUntil(() => deliveries.length === 2);
    await relay.stop();
    const claims = await outbox.claim([{ destination: 'mail', limit: 10 }], 1000);
    expect(claims).toMatchObject(ids.map((id) => ({ item: { id }, attempt: 1 })));
  });
});
