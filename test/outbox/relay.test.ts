import { createMemoryOutbox } from '../../src/adapters/memory/outbox.ts';
import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import { type Destination, done } from '../../src/outbox/destination.ts';
import type { Settlement } from '../../src/outbox/outbox.store.ts';
import { messageOn } from '../contracts/publisher.contract.ts';
import { fc } from '../property.ts';
import { until } from '../eventually.ts';
import {
  destinationOf,
  messages,
  nothingPending,
  startRelay,
  succeeds,
  topic,
  type Publish,
  type Relayed,
} from './relay.harness.ts';

const outboxInMemory = () => createMemoryOutbox<OutgoingMessage>({ clock: Date.now });

interface Settings extends Relayed {
  readonly pauses?: Destination<OutgoingMessage>['pauses'];
}

/** A relay over a broker whose answers the test decides. */
function start(publish: Publish, { pauses, ...relayed }: Settings = {}) {
  const published: string[] = [];
  const broker = destinationOf(
    'broker',
    async (message, signal) => {
      const delivery = (await publish(message, signal)) ?? done;
      if (delivery.outcome === 'done') published.push(message.id);
      return delivery;
    },
    pauses && { pauses },
  );
  return { published, ...startRelay([broker], { outbox: outboxInMemory(), ...relayed }) };
}

const delaysOf = (settlements: readonly Settlement[]): number[] =>
  settlements.flatMap(({ outcome }) => (typeof outcome === 'object' ? [outcome.delayMs] : []));

describe('the relay', () => {
  test('publishes what is stored, in order, and marks it', async () => {
    const { add, outbox, published, relay } = start(succeeds);
    const ids = add(messages(600, 'a'));
    await until(nothingPending(outbox));
    expect(published).toEqual(ids);
    await relay.stop();
  });

  test('wakes at once when something is stored, however long its rest is', async () => {
    const { add, published, relay } = start(succeeds, { delays: { idle: 3_600_000 } });
    for (const count of [1, 2]) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      add(messages(1, 'a'));
      await until(() => published.length === count);
    }
    await relay.stop();
  });

  test('finds messages nobody told it of', async () => {
    const { outbox, published, relay } = start(succeeds);
    await new Promise((resolve) => setTimeout(resolve, 2));
    outbox.add('photos', messages(1, 'a'));
    await until(() => published.length === 1);
    await relay.stop();
  });

  test('tries a failed message again and holds back those behind it, but no other key', async () => {
    let broken = true;
    const { add, outbox, published, failures, relay } = start(async ({ orderingKey }) => {
      if (broken && orderingKey === 'stuck') throw new Error('refused');
    });
    const [s1, f1, s2, f2] = add(
      ['stuck', 'free', 'stuck', 'free'].map((orderingKey) => messageOn(topic, { orderingKey })),
    );
    await until(() => failures.length >= 2 && published.length === 2);
    expect(published).toEqual([f1, f2]);
    broken = false;
    await until(nothingPending(outbox));
    expect(published.slice(2)).toEqual([s1, s2]);
    await relay.stop();
  });

  test('lets no number of failing keys and no hanging one delay another', async () => {
    const { add, published, relay } = start(
      async ({ orderingKey }) => {
        if (orderingKey === 'hanging') await new Promise((resolve) => void resume.push(resolve));
        if (orderingKey.startsWith('failing')) throw new Error('refused');
      },
      { pauses: { first: 3_600_000, longest: 3_600_000 } },
    );
    const resume: ((value?: unknown) => void)[] = [];
    add([
      ...messages(50, 'hanging'),
      ...Array.from({ length: 300 }, (_, index) => messages(3, `failing ${index}`)).flat(),
    ]);
    await until(() => resume.length === 1);
    const ids = add(messages(100, 'free'));
    await until(() => published.length === 100);
    expect(published).toEqual(ids);
    const stopping = relay.stop();
    resume[0]?.();
    await stopping;
  });

  test('pauses longer after each failure of a key, up to a limit', async () => {
    const pauses: number[] = [];
    const outbox = outboxInMemory();
    const recording: typeof outbox = {
      ...outbox,
      settle: (settlements) => {
        pauses.push(...delaysOf(settlements));
        return outbox.settle(
          settlements.map((one) =>
            typeof one.outcome === 'object' ? { ...one, outcome: { ...one.outcome, delayMs: 0.01 } } : one,
          ),
        );
      },
    };
    const refuses: Publish = () => Promise.reject(new Error('refused'));
    const { add, relay } = start(refuses, { pauses: { first: 100, longest: 1000 }, outbox: recording });
    add(messages(1, 'a'));
    await until(() => pauses.length >= 7);
    await relay.stop();
    for (const [index, longest] of [100, 200, 400, 800, 1000, 1000, 1000].entries()) {
      expect(pauses[index]).toBeGreaterThanOrEqual(longest / 2);
      expect(pauses[index]).toBeLessThanOrEqual(longest);
    }
  });

  test('gives up the messages whose lease has run out, for whoever claims them next', async () => {
    const outbox = outboxInMemory();
    const given: string[] = [];
    let claims = 0;
    const once: typeof outbox = {
      ...outbox,
      claim: async (capacities, leaseMs) => (claims++ === 0 ? outbox.claim(capacities, leaseMs) : []),
      settle: async (settlements) => {
        for (const { id, outcome } of settlements)
          if (typeof outcome === 'object') given.push(`${id} ${outcome.delayMs}`);
        return [];
      },
    };
    const added = messages(3, 'a');
    outbox.add('photos', added);
    const { published, relay } = start(() => new Promise((resolve) => setTimeout(resolve, 2050)), {
      delays: { lease: 2000, attempt: 0 },
      outbox: once,
    });
    await until(() => given.length > 0);
    expect(published).toEqual([added[0]?.id]);
    expect(given).toEqual(added.slice(1).map(({ id }) => `${id} 0`));
    await relay.stop();
  });

  test('tries again by itself, however long its rest is', async () => {
    const outbox = outboxInMemory();
    const travel = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    let claims = 0;
    // What the store is asked and told counts from when it arrives there, which takes longer at times.
    const distant: typeof outbox = {
      ...outbox,
      claim: async (capacities, leaseMs) => {
        if ((claims += 1) % 3 === 1) await travel(25);
        return outbox.claim(capacities, leaseMs);
      },
      settle: async (settlements) => {
        await travel(5);
        return outbox.settle(settlements);
      },
    };
    const { add, published, failures, relay } = start(
      async () => {
        if (failures.length < 10) throw new Error('refused');
      },
      { delays: { idle: 3_600_000 }, pauses: { first: 20, longest: 20 }, outbox: distant },
    );
    add(messages(1, 'a'));
    await until(() => published.length === 1);
    await relay.stop();
  });

  test('keeps what the store cannot take of some deliveries, and attempts none of these again', async () => {
    const outbox = outboxInMemory();
    let [isAway, turnedAway] = [true, 0];
    const partly: typeof outbox = {
      ...outbox,
      async settle(settlements) {
        if (!isAway) return outbox.settle(settlements);
        turnedAway += 1;
        return settlements;
      },
    };
    // The lease is over at once: the same deliveries are claimed again and again.
    const { add, published, relay } = start(succeeds, {
      outbox: partly,
      delays: { lease: 1, attempt: 0, idle: 1 },
    });
    const ids = add([...messages(1, 'a'), ...messages(1, 'b')]);
    await until(() => published.length === 2 && turnedAway >= 2);
    isAway = false;
    await until(nothingPending(outbox));
    expect(published.toSorted()).toEqual(ids.toSorted());
    await relay.stop();
  });

  test('ends what it attempts when its claims are lost, and goes on with what it claims then', async () => {
    const outbox = outboxInMemory();
    let lose = (): void => undefined;
    const losing: typeof outbox = { ...outbox, onClaimsLost: (listener) => void (lose = listener) };
    const signals: AbortSignal[] = [];
    const { add, published, relay } = start(
      (_message, signal) => {
        if (signals.push(signal) > 1) return Promise.resolve();
        return new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('aborted')));
        });
      },
      { outbox: losing },
    );
    const ids = add(messages(3, 'a'));
    await until(() => signals.length === 1);
    lose();
    await until(nothingPending(outbox));
    expect([published, signals.map(({ aborted }) => aborted)]).toEqual([ids, [true, false, false, false]]);
    await relay.stop();
  });

  test('whatever fails and however often: all arrive, and in order for each key', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 30 }),
        fc.array(fc.boolean(), { maxLength: 40 }),
        async (keys, faults) => {
          const attempts = [...faults];
          const { add, outbox, published, relay } = start(
            async () => {
              if (attempts.pop()) throw new Error('away');
            },
            { delays: { idle: 1 }, pauses: { first: 0, longest: 0 } },
          );
          const ids = add(keys.map((orderingKey) => messageOn(topic, { orderingKey })));
          await until(nothingPending(outbox));
          for (const key of ['a', 'b', 'c']) {
            const stored = ids.filter((_, index) => keys[index] === key);
            expect(published.filter((id) => stored.includes(id))).toEqual(stored);
          }
          await relay.stop();
        },
      ),
      { numRuns: 50 },
    );
  });

  test.each(['claim', 'settle'] as const)('goes on when %s of the store works again', async (method) => {
    const outbox = outboxInMemory();
    let [storeAway, refusals] = [true, 1];
    const unreliable = {
      ...outbox,
      [method]: async (...args: never[]) => {
        if (storeAway) throw new Error('store away');
        return (outbox[method] as (...args: never[]) => Promise<unknown>)(...args);
      },
    };
    const { add, published, outboxFailures, relay } = start(
      async () => {
        if ((refusals -= 1) >= 0) throw new Error('refused');
      },
      { outbox: unreliable },
    );
    const ids = add(messages(3, 'a'));
    await until(() => outboxFailures.some((error) => (error as Error).message === 'store away'));
    storeAway = false;
    await until(nothingPending(outbox));
    expect(published).toEqual(ids);
    await relay.stop();
  });

  test('stops after the message at hand and leaves the rest to others at once', async () => {
    const gate: (() => void)[] = [];
    const { add, outbox, published, relay } = start(
      () => new Promise<void>((resolve) => void gate.push(resolve)),
    );
    const [, second] = add(messages(2, 'a'));
    await until(() => gate.length === 1);
    const stopping = relay.stop();
    gate[0]?.();
    await stopping;
    expect(published).toHaveLength(1);
    const left = await outbox.claim([{ destination: 'broker', limit: 10 }], 1000);
    expect(left.map(({ item }) => item.id)).toEqual([second]);
  });

  test('drops an item that its publisher will never take, reports it once and goes on with the next one', async () => {
    const outbox = outboxInMemory();
    const { add, published, dropped, relay } = start(
      async ({ data }) => (data === '' ? { outcome: 'never', cause: new Error('no') } : undefined),
      { outbox },
    );
    const [, second] = add([messageOn(topic, { data: '' }), messageOn(topic)]);
    await until(nothingPending(outbox));
    expect([published, dropped]).toEqual([[second], [`1 of ${topic} for broker: no`]]);
    await relay.stop();
  });
});
