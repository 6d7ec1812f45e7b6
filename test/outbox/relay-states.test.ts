import { createMemoryDestinationStates } from '../../src/adapters/memory/destination-states.ts';
import { createMemoryOutbox } from '../../src/adapters/memory/outbox.ts';
import type { OutgoingMessage } from '../../src/notification/message.store.ts';
import type { Delivery } from '../../src/outbox/delivery.ts';
import { createStandings, type Standings } from '../../src/outbox/standings.ts';
import type { DestinationStates } from '../../src/outbox/states.store.ts';
import {
  destinationOf,
  messages,
  nothingPending,
  startRelay,
  succeeds,
  topic,
  until,
} from './relay.harness.ts';

const day = 24 * 60 * 60 * 1000;
const turns = (count: number) => new Promise((resolve) => setTimeout(resolve, count));
const again = (until: number): Delivery => ({ outcome: 'pause', until, cause: new Error('busy') });

describe('a destination that wants a pause', () => {
  test('is asked for nothing more before that, not even for other keys, and holds up no other destination', async () => {
    let now = 1_000_000;
    const asked: string[] = [];
    const hook = destinationOf('hook', async ({ id }) => {
      asked.push(id);
      return asked.length === 1 ? again(now + 60_000) : undefined;
    });
    const { claim, ...rest } = createMemoryOutbox<OutgoingMessage>({
      clock: () => now,
      destinationsOf: () => ['hook', 'broker'],
    });
    const claimed: string[][] = [];
    const outbox: typeof rest & { claim: typeof claim } = {
      ...rest,
      claim: (capacities, leaseMs) => {
        claimed.push(capacities.map(({ destination }) => destination));
        return claim(capacities, leaseMs);
      },
    };
    const { add, delivered, failures, states, relay } = startRelay(
      [hook, destinationOf('broker', succeeds)],
      { outbox, clock: () => now },
    );
    const [first] = add(messages(2, 'a'));
    await until(() => asked.length === 1);
    const more = add([...messages(1, 'b'), ...messages(1, 'c')]);
    await until(() => delivered.length === 4);
    now += 59_999;
    claimed.splice(0);
    await until(() => claimed.length > 5);
    expect([asked, failures, claimed.flat().includes('hook')]).toEqual([[first], ['busy'], false]);
    expect(Object.fromEntries(await states.read(['hook']))).toEqual({
      hook: { pausedUntil: 1_060_000, offSince: {}, onSince: 0 },
    });
    now += 1;
    await until(nothingPending(outbox));
    expect(asked).toEqual(expect.arrayContaining(more));
    await relay.stop();
  });

  test.each([
    [true, 0],
    [undefined, 1],
  ] as const)(
    'because it is away (%s) leaves the item with as many failures as it had, and else with one more',
    async (isOutage, counted) => {
      const failures: number[] = [];
      const hook = destinationOf('hook', async () =>
        failures.length === 1
          ? { outcome: 'pause', until: Date.now() + 1, cause: new Error('away'), isOutage }
          : undefined,
      );
      const { claim, ...rest } = createMemoryOutbox<OutgoingMessage>({
        clock: Date.now,
        destinationsOf: () => ['hook'],
      });
      const outbox: typeof rest & { claim: typeof claim } = {
        ...rest,
        async claim(...given) {
          const found = await claim(...given);
          failures.push(...found.map((one) => one.failures));
          return found;
        },
      };
      const { add, relay } = startRelay([hook], { outbox });
      add(messages(1, 'a'));
      await until(nothingPending(outbox));
      expect(failures).toEqual([0, counted]);
      await relay.stop();
    },
  );

  test('is not asked for what is claimed already', async () => {
    const asked: string[] = [];
    let goOn = (): void => undefined;
    const hook = destinationOf('hook', async ({ id, orderingKey }) => {
      asked.push(id);
      if (orderingKey === 'pauses') return again(Date.now() + day);
      await new Promise<void>((resolve) => (goOn = resolve));
    });
    const { add, relay, failures } = startRelay([hook]);
    const [slow, , pausing] = add([...messages(2, 'slow'), ...messages(1, 'pauses')]);
    await until(() => failures.length === 1);
    goOn();
    await turns(30);
    expect([...asked].sort()).toEqual([slow, pausing].sort());
    await relay.stop();
  });
});

describe('a destination that turns off', () => {
  test('loses what waits for it and nothing else, which is reported', async () => {
    const hook = destinationOf('hook', async () => ({ outcome: 'off', cause: new Error('gone') }), {
      version: '1',
    });
    const { add, outbox, off, dropped, delivered, standings, states, relay } = startRelay(
      [hook, destinationOf('broker', succeeds)],
      { clock: () => 5000 },
    );
    add([...messages(3, 'a'), ...messages(2, 'b')]);
    await until(nothingPending(outbox));
    expect([off, delivered]).toEqual([['hook: gone'], Array.from({ length: 5 }, () => 'broker')]);
    expect(dropped).toEqual([`5 of ${topic} for hook: the destination is off`]);
    expect([standings.isOff('hook'), standings.isOff('broker')]).toEqual([true, false]);
    await relay.stop();
    expect((await states.read(['hook'])).get('hook')).toEqual({
      pausedUntil: 0,
      offSince: { 1: 5000 },
      onSince: 0,
    });
  });

  test.each([
    ['1', false],
    ['2', true],
    [undefined, true],
  ])('is off for a gateway with the same version: %s', async (version, isServed) => {
    const now = 100_000;
    const states = createMemoryDestinationStates();
    await states.turnOff('hook', '1', now - 20_000);
    const asked: string[] = [];
    const outbox = createMemoryOutbox<OutgoingMessage>({
      clock: () => now,
      destinationsOf: () => ['hook', 'broker'],
    });
    const added = messages(2, 'a');
    outbox.add('photos', added);
    const { relay, delivered, dropped } = startRelay(
      [
        destinationOf(
          'hook',
          async ({ id }) => void asked.push(id),
          version === undefined ? {} : { version },
        ),
        destinationOf('broker', succeeds),
      ],
      { outbox, states, clock: () => now },
    );
    await until(() => delivered.length >= (isServed ? 4 : 2));
    await turns(20);
    // What is stored long after it turned off waits for gateways with another version.
    expect([asked, dropped, (await outbox.backlog()).count]).toEqual([
      isServed ? added.map(({ id }) => id) : [],
      [],
      isServed ? 0 : 2,
    ]);
    await relay.stop();
  });
});

describe('a destination that is off, and gateways with another version of it', () => {
  const named = (version: string) => [{ name: 'hook', version }];
  const start = async (
    states: DestinationStates,
    version: string,
    clock: () => number,
  ): Promise<Standings> => {
    const standings = createStandings(named(version), clock);
    await standings.refresh(states);
    return standings;
  };
  const said = (standings: Standings): string =>
    `${standings.isReady('hook') ? 'ready' : 'not ready'}, ${standings.isOff('hook') ? 'off' : 'not off'}`;
  const aSecond = () => new Promise((resolve) => setTimeout(resolve, 1050));

  test('those that run turn it off too; one that starts serves it, and the others drop nothing any more', async () => {
    let now = 1000;
    const clock = () => now;
    const states = createMemoryDestinationStates();
    const [old, other] = await Promise.all(['1', '2'].map((version) => start(states, version, clock)));
    if (!old || !other) throw new Error('two gateways');
    expect(old.turnOff('hook')).toBe(true);
    await aSecond();
    for (const standings of [old, other]) await standings.refresh(states);
    expect([old, other].map(said)).toEqual(['not ready, off', 'not ready, off']);
    await aSecond();
    await other.refresh(states);
    now += 1000;
    expect(said(await start(states, '2', clock))).toBe('not ready, off');

    const changed = await start(states, '3', clock);
    await aSecond();
    for (const standings of [old, other, changed]) await standings.refresh(states);
    expect([old, other, changed].map(said)).toEqual([
      'not ready, not off',
      'not ready, not off',
      'ready, not off',
    ]);
    expect([...old.off()]).toEqual([]);

    now += 1000;
    changed.turnOff('hook');
    await aSecond();
    for (const standings of [changed, old, other]) await standings.refresh(states);
    expect([old, other, changed].map(said)).toEqual(Array.from({ length: 3 }, () => 'not ready, off'));
  });
});

describe('what waits too long', () => {
  test('is dropped wherever it waits, after three days and not before', async () => {
    let now = 1_000_000_000;
    const outbox = createMemoryOutbox<OutgoingMessage>({
      clock: () => now,
      destinationsOf: () => ['hook', 'nobody'],
    });
    outbox.add('photos', messages(2, 'a'));
    now += 3 * day - 1;
    outbox.add('photos', messages(1, 'b'));
    const refuses = destinationOf('hook', async () => ({ outcome: 'again', cause: new Error('down') }), {
      pauses: { first: 3_600_000, longest: 3_600_000 },
    });
    const early = startRelay([refuses], { outbox, clock: () => now });
    await until(() => early.failures.length === 2);
    await early.relay.stop();
    expect([early.dropped, (await outbox.backlog()).count]).toEqual([[], 3]);
    now += 1;
    const { relay, dropped } = startRelay([refuses], { outbox, clock: () => now });
    await until(() => dropped.length === 2);
    expect(dropped).toEqual([
      `2 of ${topic} for hook: it has waited too long`,
      `2 of ${topic} for nobody: it has waited too long`,
    ]);
    expect((await outbox.backlog()).count).toBe(1);
    await relay.stop();
  });

  test('goes in parts, and deliveries go on when it cannot go', async () => {
    const outbox = createMemoryOutbox<OutgoingMessage>({
      clock: Date.now,
      destinationsOf: ({ orderingKey }) => [orderingKey],
    });
    outbox.add('photos', messages(2500, 'nobody'));
    let giveUps = 0;
    const failing: typeof outbox = {
      ...outbox,
      giveUp: async () => {
        giveUps += 1;
        throw new Error('away');
      },
    };
    const one = startRelay([destinationOf('hook', succeeds)], { outbox: failing, delays: { expiry: -1 } });
    one.add(messages(3, 'hook'));
    await until(() => one.delivered.length === 3);
    await one.relay.stop();
    expect([one.outboxFailures.length, giveUps]).toEqual([1, 1]);
    const other = startRelay([destinationOf('hook', succeeds)], { outbox, delays: { expiry: -1 } });
    await until(() => other.dropped.length === 3);
    expect(other.dropped).toEqual(
      [1000, 1000, 500].map((count) => `${count} of ${topic} for nobody: it has waited too long`),
    );
    await other.relay.stop();
  });
});

describe('a relay that stops', () => {
  test('ends attempts by their signal after a while, and their items are free at once', async () => {
    const waitsForSignal = destinationOf(
      'hook',
      (_, signal) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(new Error('cut short')));
        }),
    );
    const { add, outbox, failures, relay } = startRelay([waitsForSignal], { delays: { stop: 20 } });
    const ids = add(messages(2, 'a'));
    await turns(10);
    await relay.stop();
    expect(failures).toEqual([]);
    expect(
      (await outbox.claim([{ destination: 'hook', limit: 10 }], 1000)).map(({ item, failures: failed }) => [
        item.id,
        failed,
      ]),
    ).toEqual(ids.map((id) => [id, 0]));
  });

  test('does not wait for one that does not end, whose item nobody gets as long as its lease lasts', async () => {
    const { add, outbox, relay } = startRelay([destinationOf('hook', () => new Promise(() => undefined))], {
      delays: { stop: 10, abort: 10 },
    });
    add(messages(2, 'a'));
    await turns(10);
    await relay.stop();
    expect(await outbox.claim([{ destination: 'hook', limit: 10 }], 1000)).toEqual([]);
  });

  test('begins no attempt that could outlast its lease', async () => {
    const outbox = createMemoryOutbox<OutgoingMessage>({ clock: Date.now, destinationsOf: () => ['hook'] });
    let claims = 0;
    const slow: typeof outbox = {
      ...outbox,
      // The first claim takes so long that too little of it is left.
      claim: async (capacities, leaseMs) => {
        const claimed = await outbox.claim(capacities, leaseMs);
        if ((claims += 1) === 1) await turns(60);
        return claimed;
      },
    };
    outbox.add('photos', messages(1, 'a'));
    const begun: number[] = [];
    const { relay, delivered } = startRelay([destinationOf('hook', async () => void begun.push(claims))], {
      outbox: slow,
      delays: { lease: 1000, attempt: 950 },
    });
    await until(() => delivered.length === 1);
    await relay.stop();
    expect(begun.filter((claim) => claim < 2)).toEqual([]);
  });
});
