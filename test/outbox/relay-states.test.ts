import { install, type Clock } from '@sinonjs/fake-timers';
import { createMemoryDestinationStates, createMemoryOutbox } from '../../src/adapters/memory/outbox.ts';
import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import { createStandings, type DestinationStatus } from '../../src/outbox/standings.ts';
import { until } from '../eventually.ts';
import { destinationOf, messages, nothingPending, startRelay, succeeds, topic } from './relay.harness.ts';

const day = 24 * 60 * 60 * 1000;
const again = (until: number) => ({ outcome: 'pause', until, cause: new Error('busy') }) as const;

describe('a destination that wants a pause', () => {
  test('is asked for nothing more before that, not even for other keys, and holds up no other destination', async () => {
    let now = 1_000_000;
    const asked: string[] = [];
    const hook = destinationOf('hook', async ({ id }) => {
      asked.push(id);
      return asked.length === 1 ? again(now + 60_000) : undefined;
    });
    const broker = destinationOf('broker', succeeds);
    const { add, outbox, delivered, failures, states, relay } = startRelay([hook, broker], {
      clock: () => now,
    });
    const [first] = add(messages(2, 'a'));
    await until(() => failures.length === 1);
    const more = add([...messages(1, 'b'), ...messages(1, 'c')]);
    await until(() => delivered.length === 4);
    now += 59_999;
    add(messages(1, 'd'));
    await until(() => delivered.length === 5);
    expect([asked, failures]).toEqual([[first], ['busy']]);
    expect(Object.fromEntries(await states.read(['hook']))).toEqual({
      hook: { pausedUntil: 1_060_000, offSince: {}, onSince: 0 },
    });
    now += 1;
    await until(nothingPending(outbox));
    expect(asked).toEqual(expect.arrayContaining(more));
    await relay.stop();
  });

  test.each([
    ['leaves the item with as many failures as it had', true, 0],
    ['leaves the item with one failure more', undefined, 1],
  ] as const)('%s where it is away: %s', async (_what, isOutage, failures) => {
    let now = 1_000_000;
    const hook = destinationOf('hook', async () => ({ ...again(now + 1), isOutage }));
    const { add, outbox, relay, failures: reported } = startRelay([hook], { clock: () => now });
    add(messages(1, 'a'));
    await until(() => reported.length === 1);
    await relay.stop();
    now += day;
    expect(await outbox.claim([{ destination: 'hook', limit: 1 }], 1000)).toMatchObject([{ failures }]);
  });

  test('is not asked for what is claimed already', async () => {
    const asked: string[] = [];
    let goOn = (): void => undefined;
    const hook = destinationOf('hook', async ({ id, orderingKey }) => {
      asked.push(id);
      if (orderingKey === 'pauses') return again(Date.now() + day);
      await new Promise<void>((resolve) => (goOn = resolve));
    });
    const { add, relay, delivered, failures } = startRelay([hook, destinationOf('broker', succeeds)]);
    const [slow, , pausing] = add([...messages(2, 'slow'), ...messages(1, 'pauses')]);
    await until(() => failures.length === 1 && delivered.length === 3);
    goOn();
    await until(() => delivered.includes('hook'));
    // The broker's delivery shows that items were claimed once more.
    add(messages(1, 'later'));
    await until(() => delivered.length === 5);
    expect([...asked].sort()).toEqual([slow, pausing].sort());
    await relay.stop();
  });
});

describe('a destination that turns off', () => {
  test('loses what waits for it and nothing else, which is reported', async () => {
    const gone = { outcome: 'off', cause: new Error('gone') } as const;
    const all = [
      destinationOf('hook', async () => gone, { version: '1' }),
      destinationOf('broker', succeeds),
    ];
    const { add, outbox, off, dropped, delivered, standings, states, relay } = startRelay(all, {
      clock: () => 5000,
    });
    add([...messages(3, 'a'), ...messages(2, 'b')]);
    await until(nothingPending(outbox));
    expect([off, delivered]).toEqual([['hook: gone'], Array(5).fill('broker')]);
    expect(dropped).toEqual([`5 of ${topic} for hook: the destination is off`]);
    expect([standings.isOff('hook'), standings.isOff('broker')]).toEqual([true, false]);
    await relay.stop();
    const state = { pausedUntil: 0, offSince: { 1: 5000 }, onSince: 0 };
    expect((await states.read(['hook'])).get('hook')).toEqual(state);
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
    const hook = destinationOf('hook', async ({ id }) => void asked.push(id), version ? { version } : {});
    const { add, outbox, relay, delivered, dropped } = startRelay([hook, destinationOf('broker', succeeds)], {
      states,
      clock: () => now,
    });
    const ids = add(messages(2, 'a'));
    await until(() => delivered.length === (isServed ? 4 : 2));
    ids.push(...add(messages(1, 'b')));
    await until(() => delivered.length === (isServed ? 6 : 3));
    await relay.stop();
    // Messages stored long after the destination was turned off wait for gateways with another version.
    expect([asked, dropped, (await outbox.backlog()).count]).toEqual(isServed ? [ids, [], 0] : [[], [], 3]);
  });
});

describe('a destination that is off, and gateways with another version of it', () => {
  // The states of others are read once a second.
  let clock: Clock;
  beforeEach(() => void (clock = install()));
  afterEach(() => clock.uninstall());

  test('those that run turn it off too; one that starts serves it, and the others drop nothing any more', async () => {
    let now = 1000;
    const states = createMemoryDestinationStates();
    const start = async (version: string): Promise<DestinationStatus> => {
      const standings = createStandings([{ name: 'hook', version }], () => now);
      await standings.refresh(states);
      return standings;
    };
    const said = (standings: DestinationStatus): string =>
      `${standings.isReady('hook') ? 'ready' : 'not ready'}, ${standings.isOff('hook') ? 'off' : 'not off'}`;
    const inASecond = async (...all: DestinationStatus[]): Promise<string[]> => {
      clock.tick(1000);
      for (const standings of all) await standings.refresh(states);
      return all.map(said);
    };
    const [old, other] = [await start('1'), await start('2')];
    expect(old.turnOff('hook')).toBe(true);
    expect(await inASecond(old, other)).toEqual(['not ready, off', 'not ready, off']);
    await inASecond(other);
    now += 1000;
    expect(said(await start('2'))).toBe('not ready, off');

    const changed = await start('3');
    expect(await inASecond(old, other, changed)).toEqual([
      'not ready, not off',
      'not ready, not off',
      'ready, not off',
    ]);
    expect([...old.off()]).toEqual([]);

    now += 1000;
    changed.turnOff('hook');
    expect(await inASecond(changed, old, other)).toEqual(Array(3).fill('not ready, off'));
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
    const failing: typeof outbox = { ...outbox, giveUp: () => Promise.reject(new Error('away')) };
    const one = startRelay([destinationOf('hook', succeeds)], { outbox: failing, delays: { expiry: -1 } });
    one.add(messages(3, 'hook'));
    await until(() => one.delivered.length === 3);
    await one.relay.stop();
    expect(one.outboxFailures[0]).toEqual(new Error('away'));
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
    let attempts = 0;
    const waitsForSignal = destinationOf('hook', (_, signal) => {
      attempts += 1;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('cut short')));
      });
    });
    const { add, outbox, failures, relay } = startRelay([waitsForSignal], { delays: { stop: 20 } });
    const ids = add(messages(2, 'a'));
    await until(() => attempts === 1);
    await relay.stop();
    expect(failures).toEqual([]);
    expect(await outbox.claim([{ destination: 'hook', limit: 10 }], 1000)).toMatchObject(
      ids.map((id) => ({ item: { id }, failures: 0 })),
    );
  });

  test('does not wait for one that does not end, whose item nobody gets as long as its lease lasts', async () => {
    let attempts = 0;
    const endless = destinationOf('hook', () => ((attempts += 1), new Promise(() => undefined)));
    const { add, outbox, relay } = startRelay([endless], { delays: { stop: 10, abort: 10 } });
    add(messages(2, 'a'));
    await until(() => attempts === 1);
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
        if ((claims += 1) === 1) await new Promise((resolve) => setTimeout(resolve, 60));
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
