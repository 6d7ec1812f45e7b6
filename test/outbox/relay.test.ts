import { createMemoryOutbox } from '../../src/adapters/memory/outbox.ts';
import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import { type Destination, doneResult } from '../../src/outbox/destination.ts';
import type { Settlement } from '../../src/outbox/outbox.store.ts';
import { createMessage } from '../contracts/publisher.contract.ts';
import { fc } from '../property.ts';
import { waitUntil } from '../eventually.ts';
import {
  createDestination,
  createMessages,
  isOutboxEmpty,
  startRelay,
  publishOk,
  topic,
} from './relay.harness.ts';
import type { Publish, RelayOptions } from './relay.harness.ts';

const createOutbox = () => createMemoryOutbox<OutgoingMessage>({ clock: Date.now });

interface BrokerRelayOptions extends RelayOptions {
  readonly pauses?: Destination<OutgoingMessage>['pauses'];
}

/** Starts a relay with one broker, whose `publish` the test provides. */
function startBrokerRelay(publish: Publish, { pauses, ...relayOptions }: BrokerRelayOptions = {}) {
  const published: string[] = [];
  const broker = createDestination(
    'broker',
    async (message, signal) => {
      const delivery = (await publish(message, signal)) ?? doneResult;
      if (delivery.outcome === 'done') published.push(message.id);
      return delivery;
    },
    pauses && { pauses },
  );
  return { published, ...startRelay([broker], { outbox: createOutbox(), ...relayOptions }) };
}

const pausesMsOf = (settlements: readonly Settlement[]): number[] =>
  settlements.flatMap(({ outcome }) => (typeof outcome === 'object' ? [outcome.delayMs] : []));

describe('the relay', () => {
  test('publishes stored messages in order, and removes them from the outbox', async () => {
    const { add, outbox, published, relay } = startBrokerRelay(publishOk);
    const ids = add(createMessages(600, 'a'));
    await waitUntil(isOutboxEmpty(outbox));
    expect(published).toEqual(ids);
    await relay.stop();
  });

  test('wakes at once when a message is stored, however long its idle delay', async () => {
    const { add, published, relay } = startBrokerRelay(publishOk, { delays: { maxIdleMs: 3_600_000 } });
    for (const count of [1, 2]) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      add(createMessages(1, 'a'));
      await waitUntil(() => published.length === count);
    }
    await relay.stop();
  });

  test('finds stored messages without a wake-up', async () => {
    const { outbox, published, relay } = startBrokerRelay(publishOk);
    await new Promise((resolve) => setTimeout(resolve, 2));
    outbox.add('photos', createMessages(1, 'a'));
    await waitUntil(() => published.length === 1);
    await relay.stop();
  });

  test('retries a failed message, and holds back later ones of its key only', async () => {
    let isBroken = true;
    const { add, outbox, published, failures, relay } = startBrokerRelay(async ({ orderingKey }) => {
      if (isBroken && orderingKey === 'stuck') throw new Error('refused');
    });
    const [stuckId1, freeId1, stuckId2, freeId2] = add(
      ['stuck', 'free', 'stuck', 'free'].map((orderingKey) => createMessage(topic, { orderingKey })),
    );
    await waitUntil(() => failures.length >= 2 && published.length === 2);
    expect(published).toEqual([freeId1, freeId2]);
    isBroken = false;
    await waitUntil(isOutboxEmpty(outbox));
    expect(published.slice(2)).toEqual([stuckId1, stuckId2]);
    await relay.stop();
  });

  test('is not delayed by any number of failing keys or by a hanging one', async () => {
    const { add, published, relay } = startBrokerRelay(
      async ({ orderingKey }) => {
        if (orderingKey === 'hanging') await new Promise((resolve) => void resumes.push(resolve));
        if (orderingKey.startsWith('failing')) throw new Error('refused');
      },
      { pauses: { firstMs: 3_600_000, maxMs: 3_600_000 } },
    );
    const resumes: ((value?: unknown) => void)[] = [];
    add([
      ...createMessages(50, 'hanging'),
      ...Array.from({ length: 300 }, (_, index) => createMessages(3, `failing ${index}`)).flat(),
    ]);
    await waitUntil(() => resumes.length === 1);
    const ids = add(createMessages(100, 'free'));
    await waitUntil(() => published.length === 100);
    expect(published).toEqual(ids);
    const stopping = relay.stop();
    resumes[0]?.();
    await stopping;
  });

  test('pauses longer after each failure of a key, up to a maximum', async () => {
    const pausesMs: number[] = [];
    const outbox = createOutbox();
    const withoutDelay = ({ outcome, ...settlement }: Settlement): Settlement => ({
      ...settlement,
      outcome: typeof outcome === 'object' ? { ...outcome, delayMs: 0.01 } : outcome,
    });
    const recordingOutbox: typeof outbox = {
      ...outbox,
      settle: (settlements) => {
        pausesMs.push(...pausesMsOf(settlements));
        return outbox.settle(settlements.map(withoutDelay));
      },
    };
    const refuse: Publish = () => Promise.reject(new Error('refused'));
    const pauseLimits = { firstMs: 100, maxMs: 1000 };
    const { add, relay } = startBrokerRelay(refuse, { pauses: pauseLimits, outbox: recordingOutbox });
    add(createMessages(1, 'a'));
    await waitUntil(() => pausesMs.length >= 7);
    await relay.stop();
    for (const [index, maxPauseMs] of [100, 200, 400, 800, 1000, 1000, 1000].entries()) {
      expect(pausesMs[index]).toBeGreaterThanOrEqual(maxPauseMs / 2);
      expect(pausesMs[index]).toBeLessThanOrEqual(maxPauseMs);
    }
  });

  test('releases messages whose lease has run out', async () => {
    const outbox = createOutbox();
    const releases: string[] = [];
    let claims = 0;
    const claimOnceOutbox: typeof outbox = {
      ...outbox,
      claim: async (capacities, leaseMs) => (claims++ === 0 ? outbox.claim(capacities, leaseMs) : []),
      settle: async (settlements) => {
        for (const { id, outcome } of settlements)
          if (typeof outcome === 'object') releases.push(`${id} ${outcome.delayMs}`);
        return [];
      },
    };
    const addedMessages = createMessages(3, 'a');
    outbox.add('photos', addedMessages);
    // Longer than the lease, so that the lease of the later messages has run out.
    const publishSlowly: Publish = () => new Promise((resolve) => setTimeout(resolve, 2050));
    const delays = { leaseMs: 2000, maxAttemptMs: 0 };
    const { published, relay } = startBrokerRelay(publishSlowly, { delays, outbox: claimOnceOutbox });
    await waitUntil(() => releases.length > 0);
    expect(published).toEqual([addedMessages[0]?.id]);
    expect(releases).toEqual(addedMessages.slice(1).map(({ id }) => `${id} 0`));
    await relay.stop();
  });

  test('retries by itself, however long its idle delay', async () => {
    const outbox = createOutbox();
    const delay = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    let claims = 0;
    // Leases and delays count from when the store gets the call, which sometimes takes longer.
    const slowOutbox: typeof outbox = {
      ...outbox,
      claim: async (capacities, leaseMs) => {
        if ((claims += 1) % 3 === 1) await delay(25);
        return outbox.claim(capacities, leaseMs);
      },
      settle: async (settlements) => {
        await delay(5);
        return outbox.settle(settlements);
      },
    };
    const { add, published, failures, relay } = startBrokerRelay(
      async () => {
        if (failures.length < 10) throw new Error('refused');
      },
      { delays: { maxIdleMs: 3_600_000 }, pauses: { firstMs: 20, maxMs: 20 }, outbox: slowOutbox },
    );
    add(createMessages(1, 'a'));
    await waitUntil(() => published.length === 1);
    await relay.stop();
  });

  test('keeps settlements that the store refuses, and does not repeat their deliveries', async () => {
    const outbox = createOutbox();
    let [isStoreDown, refusedSettlements] = [true, 0];
    const refusingOutbox: typeof outbox = {
      ...outbox,
      async settle(settlements) {
        if (!isStoreDown) return outbox.settle(settlements);
        refusedSettlements += 1;
        return settlements;
      },
    };
    // The lease ends at once, so the same deliveries are claimed repeatedly.
    const delays = { leaseMs: 1, maxAttemptMs: 0, maxIdleMs: 1 };
    const { add, published, relay } = startBrokerRelay(publishOk, { outbox: refusingOutbox, delays });
    const ids = add([...createMessages(1, 'a'), ...createMessages(1, 'b')]);
    await waitUntil(() => published.length === 2 && refusedSettlements >= 2);
    isStoreDown = false;
    await waitUntil(isOutboxEmpty(outbox));
    expect(published.toSorted()).toEqual(ids.toSorted());
    await relay.stop();
  });

  test('aborts attempts when its claims are lost, and continues with new claims', async () => {
    const outbox = createOutbox();
    let loseClaims = (): void => undefined;
    const onClaimsLost = (listener: () => void) => void (loseClaims = listener);
    const outboxWithLoss: typeof outbox = { ...outbox, onClaimsLost };
    const abortSignals: AbortSignal[] = [];
    const { add, published, relay } = startBrokerRelay(
      (_message, signal) => {
        if (abortSignals.push(signal) > 1) return Promise.resolve();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        });
      },
      { outbox: outboxWithLoss },
    );
    const ids = add(createMessages(3, 'a'));
    await waitUntil(() => abortSignals.length === 1);
    loseClaims();
    await waitUntil(isOutboxEmpty(outbox));
    expect([published, abortSignals.map(({ aborted }) => aborted)]).toEqual([
      ids,
      [true, false, false, false],
    ]);
    await relay.stop();
  });

  test('delivers all messages in order for each key, whatever fails', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 30 }),
        fc.array(fc.boolean(), { maxLength: 40 }),
        async (keys, faults) => {
          const faultQueue = [...faults];
          const { add, outbox, published, relay } = startBrokerRelay(
            async () => {
              if (faultQueue.pop()) throw new Error('away');
            },
            { delays: { maxIdleMs: 1 }, pauses: { firstMs: 0, maxMs: 0 } },
          );
          const ids = add(keys.map((orderingKey) => createMessage(topic, { orderingKey })));
          await waitUntil(isOutboxEmpty(outbox));
          for (const key of ['a', 'b', 'c']) {
            const idsOfKey = ids.filter((_, index) => keys[index] === key);
            expect(published.filter((id) => idsOfKey.includes(id))).toEqual(idsOfKey);
          }
          await relay.stop();
        },
      ),
      { numRuns: 50 },
    );
  });

  test.each(['claim', 'settle'] as const)('continues when %s of the store works again', async (method) => {
    const outbox = createOutbox();
    let [isStoreAway, refusalsLeft] = [true, 1];
    const unreliableOutbox = {
      ...outbox,
      [method]: async (...args: never[]) => {
        if (isStoreAway) throw new Error('store away');
        return (outbox[method] as (...args: never[]) => Promise<unknown>)(...args);
      },
    };
    const { add, published, outboxFailures, relay } = startBrokerRelay(
      async () => {
        if ((refusalsLeft -= 1) >= 0) throw new Error('refused');
      },
      { outbox: unreliableOutbox },
    );
    const ids = add(createMessages(3, 'a'));
    await waitUntil(() => outboxFailures.some((error) => (error as Error).message === 'store away'));
    isStoreAway = false;
    await waitUntil(isOutboxEmpty(outbox));
    expect(published).toEqual(ids);
    await relay.stop();
  });

  test('stops after the current message, and releases the rest at once', async () => {
    const resolvePublishes: (() => void)[] = [];
    const publish: Publish = () => new Promise<void>((resolve) => void resolvePublishes.push(resolve));
    const { add, outbox, published, relay } = startBrokerRelay(publish);
    const [, secondId] = add(createMessages(2, 'a'));
    await waitUntil(() => resolvePublishes.length === 1);
    const stopping = relay.stop();
    resolvePublishes[0]?.();
    await stopping;
    expect(published).toHaveLength(1);
    const remainingClaims = await outbox.claim([{ destination: 'broker', limit: 10 }], 1000);
    expect(remainingClaims.map(({ item }) => item.id)).toEqual([secondId]);
  });

  test('drops a permanently refused item, reports it once, and continues with the next one', async () => {
    const outbox = createOutbox();
    // The first message has no data, and is refused for good.
    const refuseEmpty: Publish = async ({ data }) =>
      data === '' ? { outcome: 'never', cause: new Error('no') } : undefined;
    const { add, published, dropped, relay } = startBrokerRelay(refuseEmpty, { outbox });
    const [, second] = add([createMessage(topic, { data: '' }), createMessage(topic)]);
    await waitUntil(isOutboxEmpty(outbox));
    expect([published, dropped]).toEqual([[second], [`1 of ${topic} for broker: no`]]);
    await relay.stop();
  });
});
