import { install, type Clock } from '@sinonjs/fake-timers';
import { createMemoryDestinationStates, createMemoryOutbox } from '../../src/adapters/memory/outbox.ts';
import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import type { OutboxItem } from '../../src/outbox/outbox.store.ts';
import { createDestinationStatus, type DestinationStatus } from '../../src/outbox/destination-status.ts';
import { waitUntil } from '../eventually.ts';
import {
  createDestination,
  createMessages,
  isOutboxEmpty,
  startRelay,
  publishOk,
  topic,
} from './relay.harness.ts';

const dayMs = 24 * 60 * 60 * 1000;
const createPauseResult = (pauseEnd: number) =>
  ({ outcome: 'pause', until: pauseEnd, cause: new Error('busy') }) as const;

describe('a destination that asks for a pause', () => {
  test('gets no attempts before its end, for no key, and does not delay other destinations', async () => {
    let now = 1_000_000;
    const attemptedIds: string[] = [];
    const hook = createDestination('hook', async ({ id }) => {
      attemptedIds.push(id);
      return attemptedIds.length === 1 ? createPauseResult(now + 60_000) : undefined;
    });
    const broker = createDestination('broker', publishOk);
    const clock = () => now;
    const { add, outbox, delivered, failures, states, relay } = startRelay([hook, broker], { clock });
    const [firstId] = add(createMessages(2, 'a'));
    await waitUntil(() => failures.length === 1);
    const otherIds = add([...createMessages(1, 'b'), ...createMessages(1, 'c')]);
    await waitUntil(() => delivered.length === 4);
    now += 59_999;
    add(createMessages(1, 'd'));
    await waitUntil(() => delivered.length === 5);
    expect([attemptedIds, failures]).toEqual([[firstId], ['busy']]);
    expect(Object.fromEntries(await states.read(['hook']))).toEqual({
      hook: { pausedUntil: 1_060_000, offSince: {}, onSince: 0 },
    });
    now += 1;
    await waitUntil(isOutboxEmpty(outbox));
    expect(attemptedIds).toEqual(expect.arrayContaining(otherIds));
    await relay.stop();
  });

  test('keeps the longer of two pauses', async () => {
    const now = 1_000_000;
    const status = createDestinationStatus([{ name: 'hook' }], () => now);
    const states = createMemoryDestinationStates();
    status.pause('hook', now + 60_000);
    status.pause('hook', now + 1000);
    await status.refresh(states);
    expect(Object.fromEntries(await states.read(['hook']))).toMatchObject({
      hook: { pausedUntil: now + 60_000 },
    });
  });

  test.each([
    ['keeps the failure count of the item', true, 0],
    ['increments the failure count of the item', undefined, 1],
  ] as const)('%s if isOutage is %s', async (_case, isOutage, failures) => {
    let now = 1_000_000;
    const hook = createDestination('hook', async () => ({ ...createPauseResult(now + 1), isOutage }));
    const { add, outbox, relay, failures: reportedFailures } = startRelay([hook], { clock: () => now });
    add(createMessages(1, 'a'));
    await waitUntil(() => reportedFailures.length === 1);
    await relay.stop();
    now += dayMs;
    expect(await outbox.claim([{ destination: 'hook', limit: 1 }], 1000)).toMatchObject([{ failures }]);
  });

  test('gets no attempts for items claimed before the pause', async () => {
    const triedIds: string[] = [];
    let finishSlowAttempt = (): void => undefined;
    const hook = createDestination('hook', async ({ id, orderingKey }) => {
      triedIds.push(id);
      if (orderingKey === 'pauses') return createPauseResult(Date.now() + dayMs);
      await new Promise<void>((resolve) => (finishSlowAttempt = resolve));
    });
    const { add, relay, delivered, failures } = startRelay([hook, createDestination('broker', publishOk)]);
    const [slowId, , pausingId] = add([...createMessages(2, 'slow'), ...createMessages(1, 'pauses')]);
    await waitUntil(() => failures.length === 1 && delivered.length === 3);
    finishSlowAttempt();
    await waitUntil(() => delivered.includes('hook'));
    // The broker's next delivery proves another claim.
    add(createMessages(1, 'later'));
    await waitUntil(() => delivered.length === 5);
    expect([...triedIds].sort()).toEqual([slowId, pausingId].sort());
    await relay.stop();
  });
});

describe('a destination that turns off', () => {
  test('drops its own items with a report, and no others', async () => {
    const offResult = { outcome: 'off', cause: new Error('gone') } as const;
    const hook = createDestination('hook', async () => offResult, { version: '1' });
    const destinations = [hook, createDestination('broker', publishOk)];
    const startedRelay = startRelay(destinations, { clock: () => 5000 });
    const { add, outbox, offReports, dropped, delivered, destinationStatus, states, relay } = startedRelay;
    add([...createMessages(3, 'a'), ...createMessages(2, 'b')]);
    await waitUntil(isOutboxEmpty(outbox));
    expect([offReports, delivered]).toEqual([['hook: gone'], Array(5).fill('broker')]);
    expect(dropped).toEqual([`5 of ${topic} for hook: the destination is off`]);
    expect([destinationStatus.isOff('hook'), destinationStatus.isOff('broker')]).toEqual([true, false]);
    await relay.stop();
    const state = { pausedUntil: 0, offSince: { 1: 5000 }, onSince: 0 };
    expect((await states.read(['hook'])).get('hook')).toEqual(state);
  });

  test.each([
    ['1', false],
    ['2', true],
    [undefined, true],
  ])('is off only for gateways with the same version: %s', async (version, isServed) => {
    const now = 100_000;
    const states = createMemoryDestinationStates();
    await states.turnOff('hook', '1', now - 20_000);
    const triedIds: string[] = [];
    const hook = createDestination(
      'hook',
      async ({ id }) => void triedIds.push(id),
      version ? { version } : {},
    );
    const { add, outbox, relay, delivered, dropped } = startRelay(
      [hook, createDestination('broker', publishOk)],
      { states, clock: () => now },
    );
    const ids = add(createMessages(2, 'a'));
    await waitUntil(() => delivered.length === (isServed ? 4 : 2));
    ids.push(...add(createMessages(1, 'b')));
    await waitUntil(() => delivered.length === (isServed ? 6 : 3));
    await relay.stop();
    // While this version is off, messages stay for gateways with another version of the destination.
    expect([triedIds, dropped, (await outbox.backlog()).count]).toEqual(
      isServed ? [ids, [], 0] : [[], [], 3],
    );
  });
});

describe('a destination that is off, and gateways with another version of it', () => {
  // Gateways read the shared states once a second.
  let clock: Clock;
  beforeEach(() => void (clock = install()));
  afterEach(() => clock.uninstall());

  test('running gateways turn it off too; once a newly started one serves it, they drop nothing more', async () => {
    let now = 1000;
    const states = createMemoryDestinationStates();
    const startStatus = async (version: string): Promise<DestinationStatus> => {
      const status = createDestinationStatus([{ name: 'hook', version }], () => now);
      await status.refresh(states);
      return status;
    };
    const describeStatus = (status: DestinationStatus): string =>
      `${status.isReady('hook') ? 'ready' : 'not ready'}, ${status.isOff('hook') ? 'off' : 'not off'}`;
    const refreshAfterSecond = async (...statuses: DestinationStatus[]): Promise<string[]> => {
      clock.tick(1000);
      for (const status of statuses) await status.refresh(states);
      return statuses.map(describeStatus);
    };
    const [oldGateway, secondGateway] = [await startStatus('1'), await startStatus('2')];
    expect(oldGateway.turnOff('hook')).toBe(true);
    expect(await refreshAfterSecond(oldGateway, secondGateway)).toEqual(['not ready, off', 'not ready, off']);
    await refreshAfterSecond(secondGateway);
    now += 1000;
    expect(describeStatus(await startStatus('2'))).toBe('not ready, off');

    const newGateway = await startStatus('3');
    expect(await refreshAfterSecond(oldGateway, secondGateway, newGateway)).toEqual([
      'not ready, not off',
      'not ready, not off',
      'ready, not off',
    ]);
    expect([...oldGateway.offDestinations()]).toEqual([]);

    now += 1000;
    newGateway.turnOff('hook');
    const allOff = Array(3).fill('not ready, off');
    expect(await refreshAfterSecond(newGateway, oldGateway, secondGateway)).toEqual(allOff);
  });
});

describe('an item that waits too long', () => {
  test('is dropped after three days, for any destination', async () => {
    let now = 1_000_000_000;
    const destinationsOf = () => ['hook', 'nobody'];
    const outbox = createMemoryOutbox<OutgoingMessage>({ clock: () => now, destinationsOf });
    outbox.add('photos', createMessages(2, 'a'));
    now += 3 * dayMs - 1;
    outbox.add('photos', createMessages(1, 'b'));
    const refusingHook = createDestination(
      'hook',
      async () => ({ outcome: 'again', cause: new Error('down') }),
      {
        pauses: { firstMs: 3_600_000, maxMs: 3_600_000 },
      },
    );
    const earlyRelay = startRelay([refusingHook], { outbox, clock: () => now });
    await waitUntil(() => earlyRelay.failures.length === 2);
    await earlyRelay.relay.stop();
    expect([earlyRelay.dropped, (await outbox.backlog()).count]).toEqual([[], 3]);
    now += 1;
    const { relay, dropped } = startRelay([refusingHook], { outbox, clock: () => now });
    await waitUntil(() => dropped.length === 2);
    expect(dropped).toEqual([
      `2 of ${topic} for hook: it has waited too long`,
      `2 of ${topic} for nobody: it has waited too long`,
    ]);
    expect((await outbox.backlog()).count).toBe(1);
    await relay.stop();
  });

  test('is dropped in batches, and deliveries continue if dropping fails', async () => {
    const destinationsOf = ({ orderingKey }: OutboxItem) => [orderingKey];
    const outbox = createMemoryOutbox<OutgoingMessage>({ clock: Date.now, destinationsOf });
    outbox.add('photos', createMessages(2500, 'nobody'));
    const failingOutbox: typeof outbox = { ...outbox, dropWaiting: () => Promise.reject(new Error('away')) };
    const [destinations, delays] = [[createDestination('hook', publishOk)], { expiryMs: -1 }];
    const firstRelay = startRelay(destinations, { outbox: failingOutbox, delays });
    firstRelay.add(createMessages(3, 'hook'));
    await waitUntil(() => firstRelay.delivered.length === 3);
    await firstRelay.relay.stop();
    expect(firstRelay.outboxFailures[0]).toEqual(new Error('away'));
    const secondRelay = startRelay(destinations, { outbox, delays });
    await waitUntil(() => secondRelay.dropped.length === 3);
    expect(secondRelay.dropped).toEqual(
      [1000, 1000, 500].map((count) => `${count} of ${topic} for nobody: it has waited too long`),
    );
    await secondRelay.relay.stop();
  });
});

describe('a relay that stops', () => {
  test('aborts attempts after a grace period, and releases their items at once', async () => {
    let attemptCount = 0;
    const waitingHook = createDestination('hook', (_, signal) => {
      attemptCount += 1;
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('cut short')));
      });
    });
    const { add, outbox, failures, relay } = startRelay([waitingHook], { delays: { stopMs: 20 } });
    const ids = add(createMessages(2, 'a'));
    await waitUntil(() => attemptCount === 1);
    await relay.stop();
    expect(failures).toEqual([]);
    const claims = await outbox.claim([{ destination: 'hook', limit: 10 }], 1000);
    expect(claims).toMatchObject(ids.map((id) => ({ item: { id }, failures: 0 })));
  });

  test('does not wait for an attempt that ignores its signal; the item stays leased', async () => {
    let attemptCount = 0;
    const endlessHook = createDestination('hook', () => ((attemptCount += 1), new Promise(() => undefined)));
    const { add, outbox, relay } = startRelay([endlessHook], { delays: { stopMs: 10, abortMs: 10 } });
    add(createMessages(2, 'a'));
    await waitUntil(() => attemptCount === 1);
    await relay.stop();
    expect(await outbox.claim([{ destination: 'hook', limit: 10 }], 1000)).toEqual([]);
  });

  test('starts no attempt that could outlast its lease', async () => {
    const outbox = createMemoryOutbox<OutgoingMessage>({ clock: Date.now, destinationsOf: () => ['hook'] });
    let claimCount = 0;
    const slowOutbox: typeof outbox = {
      ...outbox,
      // The first claim takes so long that its lease is nearly over.
      claim: async (capacities, leaseMs) => {
        const newClaims = await outbox.claim(capacities, leaseMs);
        if ((claimCount += 1) === 1) await new Promise((resolve) => setTimeout(resolve, 60));
        return newClaims;
      },
    };
    outbox.add('photos', createMessages(1, 'a'));
    const claimNumbers: number[] = [];
    const hook = createDestination('hook', async () => void claimNumbers.push(claimCount));
    const delays = { leaseMs: 1000, maxAttemptMs: 950 };
    const { relay, delivered } = startRelay([hook], { outbox: slowOutbox, delays });
    await waitUntil(() => delivered.length === 1);
    await relay.stop();
    expect(claimNumbers.filter((claim) => claim < 2)).toEqual([]);
  });
});
