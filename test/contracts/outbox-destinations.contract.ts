import { estimateBytes } from '../../src/core/json.ts';
import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import { brokerCapacity, OutboxFullError, settlementOf } from '../../src/outbox/outbox.store.ts';
import type {
  ClaimLimit,
  Claim,
  DestinationsOf,
  DroppedItems,
  OutboxRules,
  SettlementOutcome,
} from '../../src/outbox/outbox.store.ts';
import { sampleBucket } from './bucket-store.contract.ts';
import { sampleNotification, type MakeStores, type StoresUnderTest } from './notification-store.contract.ts';
import { createMessage } from './publisher.contract.ts';
import { putBucket, startOfTime } from './samples.ts';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const leaseMs = 30_000;
const hook = 'webhook:https://hooks.test/a';
const otherHook = 'webhook:https://hooks.test/b';

const idsOf = (claimed: readonly Claim<OutgoingMessage>[]): string[] => claimed.map(({ item }) => item.id);
/** Creates `count` messages whose ordering keys alternate. */
const createMessagesWithKeys = (count: number, keyCount = count, name = 'key'): OutgoingMessage[] =>
  Array.from({ length: count }, (_, index) =>
    createMessage(topic, { orderingKey: `${name} ${index % keyCount}` }),
  );
/** Capacity for `count` messages that share a body. */
const capacityFor = (count: number, whenFull: 'refuse' | 'drop') => {
  const bytes = count * (estimateBytes(createMessage(topic, { id: 'message-1000-10000' })) + 20);
  return { maxBytes: bytes, maxBytesPerOwner: bytes, whenFull };
};
const sumCounts = (dropped: readonly DroppedItems[]): number =>
  dropped.reduce((sum, { count }) => sum + count, 0);

/** Tests of several destinations in every outbox. */
export function outboxDestinationsContract(name: string, makeStores: MakeStores): void {
  describe(`${name} as an outbox for several destinations`, () => {
    const chooseDestinations: DestinationsOf = ({ orderingKey }) =>
      orderingKey === 'broker only' ? ['broker'] : ['broker', hook, otherHook];
    let now: number;
    let stores: StoresUnderTest;
    beforeEach(async () => {
      now = startOfTime;
      stores = await openStores();
    });
    async function openStores(rules: Partial<OutboxRules> = {}): Promise<StoresUnderTest> {
      const openedStores = await makeStores(() => now, {
        outbox: { destinationsOf: chooseDestinations, ...rules },
      });
      await putBucket(openedStores.buckets, sampleBucket('photos'));
      return openedStores;
    }
    const addMessages = async (...messages: readonly OutgoingMessage[]): Promise<string[]> => {
      const change = { messages, result: undefined };
      await stores.notifications.changeNotifications({ bucket: 'photos' }, () => change);
      return messages.map(({ id }) => id);
    };
    const claimIds = async (...claimLimits: readonly ClaimLimit[]): Promise<string[][]> => {
      const claims = await stores.outbox.claim(claimLimits, leaseMs);
      return claimLimits.map(({ destination }) =>
        idsOf(claims.filter((eachClaim) => eachClaim.destination === destination)),
      );
    };
    const allDestinations = (limit: number): ClaimLimit[] =>
      ['broker', hook, otherHook].map((destination) => ({ destination, limit }));
    const settle = (destination: string, outcome: SettlementOutcome, ...ids: readonly string[]) =>
      stores.outbox.settle(ids.map((id) => ({ id, owner: 'photos', topic, destination, outcome })));
    const complete = (destination: string, ...ids: readonly string[]) => settle(destination, 'done', ...ids);
    const deliverOne = async (destination: string): Promise<void> => {
      const claims = await stores.outbox.claim([{ destination, limit: 1 }], leaseMs);
      await complete(destination, ...idsOf(claims));
    };
    const readLogIds = async (): Promise<string[]> =>
      (await stores.messages.read(topic)).messages.map(({ id }) => id);

    test('an item waits for its destinations only', async () => {
      const forBroker = createMessage(topic, { orderingKey: 'broker only' });
      const [idForAll, idForBroker] = await addMessages(createMessage(topic), forBroker);
      expect(await claimIds({ destination: hook, limit: 10 })).toEqual([[idForAll]]);
      const claimed = await claimIds(...allDestinations(10));
      expect(claimed.map((ids) => ids.sort())).toEqual([[idForAll, idForBroker].sort(), [], [idForAll]]);
      expect(await claimIds({ destination: 'mail', limit: 10 })).toEqual([[]]);
    });

    test('each destination has its own limit', async () => {
      await addMessages(...createMessagesWithKeys(5));
      const claimed = await claimIds(
        { destination: 'broker', limit: 4 },
        { destination: hook, limit: 1 },
        { destination: otherHook, limit: 0 },
      );
      expect(claimed.map(({ length }) => length)).toEqual([4, 1, 0]);
    });

    test('a claim has at most `maxFailing` keys whose oldest item has failed', async () => {
      const failedIds = await addMessages(...createMessagesWithKeys(4, 4, 'failing'));
      await claimIds({ destination: hook, limit: 10 });
      await settle(hook, { attempt: 1, delayMs: 1 }, ...failedIds);
      now += 2;
      const freshIds = await addMessages(createMessage(topic, { orderingKey: 'fresh' }));
      const [first] = await claimIds({ destination: hook, limit: 10, maxFailing: 1 });
      expect(first).toHaveLength(2);
      expect(first).toEqual(expect.arrayContaining(freshIds));
      expect(await claimIds({ destination: hook, limit: 10, maxFailing: 0 })).toEqual([[]]);
      expect((await claimIds({ destination: hook, limit: 10 }))[0]).toHaveLength(3);
    });

    test('an outcome of one destination does not affect the others', async () => {
      const [first = '', second = '', third = ''] = await addMessages(...createMessagesWithKeys(3, 1));
      await claimIds({ destination: hook, limit: 10 });
      await complete(hook, first);
      await settle(hook, 'dropped', second);
      await settle(hook, { attempt: 1, delayMs: 1000 }, third);
      const allIds = [first, second, third];
      expect(await claimIds(...allDestinations(10))).toEqual([allIds, [], allIds]);
    });

    test('an item counts once in the backlog until all its destinations are done', async () => {
      const [id = ''] = await addMessages(createMessage(topic));
      for (const [destination, count] of [
        ['broker', 1],
        [hook, 1],
        [otherHook, 0],
      ] as const) {
        await complete(destination, id);
        expect((await stores.outbox.backlog()).count).toBe(count);
      }
    });

    test('the backlog may be limited to one destination, or to all but one', async () => {
      await addMessages(createMessage(topic), createMessage(topic, { orderingKey: 'broker only' }));
      now += 1000;
      const [lateId = ''] = await addMessages(createMessage(topic));
      await deliverOne(hook);
      const { outbox } = stores;
      const fullBacklog = { count: 3, oldestAt: startOfTime };
      const lateBacklog = { count: 1, oldestAt: startOfTime + 1000 };
      for (const [name, expectedOnly, expectedExcept] of [
        ['broker', fullBacklog, { ...fullBacklog, count: 2 }],
        [hook, lateBacklog, fullBacklog],
        ['mail', { count: 0 }, fullBacklog],
      ] as const) {
        expect(await outbox.backlog({ only: name })).toEqual(expectedOnly);
        expect(await outbox.backlog({ except: name })).toEqual(expectedExcept);
      }
      for (const name of ['broker', otherHook]) await settle(name, 'dropped', lateId);
      expect(await outbox.backlog({ only: hook })).toEqual(lateBacklog);
      expect(await outbox.backlog({ except: hook })).toEqual({ ...fullBacklog, count: 2 });
    });

    test.each(['broker', hook, otherHook])(
      'the log has a message once, from its first delivery by %s',
      async (destination) => {
        const [first = '', second = ''] = await addMessages(createMessage(topic), createMessage(topic));
        await settle(destination, 'dropped', second);
        expect(await readLogIds()).toEqual([]);
        await complete(destination, first);
        expect(await readLogIds()).toEqual([first]);
        const otherDestinations = ['broker', hook, otherHook].filter((name) => name !== destination);
        for (const name of otherDestinations) await complete(name, first, second);
        expect(await readLogIds()).toEqual([first, second]);
        expect(await stores.outbox.backlog()).toEqual({ count: 0 });
      },
    );

    test('the log has a message once that several destinations deliver concurrently', async () => {
      const ids = await addMessages(...createMessagesWithKeys(40, 7));
      const names = ['broker', hook, otherHook];
      await Promise.all(names.flatMap((name) => ids.map((id) => complete(name, id))));
      expect([...(await readLogIds())].sort()).toEqual([...ids].sort());
      expect(await stores.outbox.backlog()).toEqual({ count: 0 });
    });

    test('each destination has its own capacity, and a change is stored for all of them or none', async () => {
      stores = await openStores({
        destinationsOf: ({ orderingKey }) => (orderingKey === 'broker' ? ['broker'] : ['broker', hook]),
        capacityOf: () => capacityFor(2, 'refuse'),
      });
      await addMessages(createMessage(topic));
      await deliverOne('broker');
      await addMessages(createMessage(topic));
      await expect(addMessages(createMessage(topic))).rejects.toThrow(OutboxFullError);
      await addMessages(createMessage(topic, { orderingKey: 'broker' }));
      expect((await stores.outbox.backlog()).count).toBe(3);
    });

    test('a change is stored without items for full destinations that drop, which is reported once', async () => {
      const dropped: DroppedItems[] = [];
      stores = await openStores({
        capacityOf: (name) => (name === hook ? capacityFor(2, 'drop') : brokerCapacity),
        onDropped: (report) => dropped.push(report),
      });
      const earlyIds = await addMessages(createMessage(topic), createMessage(topic));
      expect(dropped).toEqual([]);
      const lateIds = await addMessages(createMessage(topic), createMessage(`${topic}-2`));
      expect(dropped).toEqual([
        { destination: hook, topic, count: 1 },
        { destination: hook, topic: `${topic}-2`, count: 1 },
      ]);
      expect(await claimIds({ destination: hook, limit: 10 })).toEqual([earlyIds]);
      const allIdsInOrder = [...earlyIds, ...lateIds];
      expect(await claimIds(...allDestinations(10))).toEqual([allIdsInOrder, [], allIdsInOrder]);
    });

    test('an item whose only destination is full is dropped, and its change is stored', async () => {
      const dropped: DroppedItems[] = [];
      stores = await openStores({
        destinationsOf: () => [hook],
        capacityOf: () => capacityFor(0, 'drop'),
        onDropped: (report) => dropped.push(report),
      });
      const result = await stores.notifications.changeNotifications({ bucket: 'photos' }, ({ nextId }) => ({
        insert: sampleNotification('photos', nextId),
        messages: [createMessage(topic)],
        result: 'stored',
      }));
      expect([result, dropped]).toEqual(['stored', [{ destination: hook, topic, count: 1 }]]);
      expect((await stores.notifications.notifications(['photos']))[0]).toHaveLength(1);
      expect(await stores.outbox.backlog()).toEqual({ count: 0 });
    });

    test('concurrent changes are not refused for destinations that drop', async () => {
      stores = await openStores({ destinationsOf: () => [hook], capacityOf: () => capacityFor(10, 'drop') });
      await Promise.all(createMessagesWithKeys(50).map((message) => addMessages(message)));
      expect((await stores.outbox.backlog()).count).toBeGreaterThan(0);
    });

    describe('dropWaiting', () => {
      test('drops items stored up to a time, returns their counts, and keeps the rest in order', async () => {
        const earlyIds = await addMessages(createMessage(topic), createMessage(`${topic}-2`));
        now += 1000;
        const lateIds = await addMessages(createMessage(topic));
        expect(await stores.outbox.dropWaiting({ storedUntil: startOfTime - 1, limit: 10 })).toEqual([]);
        const dropOptions = { storedUntil: startOfTime, destination: hook, limit: 10 };
        const dropped = await stores.outbox.dropWaiting(dropOptions);
        const counts = [topic, `${topic}-2`].map((name) => ({ destination: hook, topic: name, count: 1 }));
        expect(new Set(dropped)).toEqual(new Set(counts));
        const allIdsInOrder = [...earlyIds, ...lateIds];
        expect(await claimIds(...allDestinations(10))).toEqual([allIdsInOrder, lateIds, allIdsInOrder]);
        now += leaseMs;
        await stores.outbox.dropWaiting({ storedUntil: startOfTime, limit: 10 });
        expect(await claimIds(...allDestinations(10))).toEqual([lateIds, lateIds, lateIds]);
        expect(await readLogIds()).toEqual([]);
      });

      test('drops up to its limit in each call, oldest first', async () => {
        await addMessages(...createMessagesWithKeys(7, 2));
        const counts: number[] = [];
        for (let turn = 0; turn < 4; turn += 1)
          counts.push(
            sumCounts(await stores.outbox.dropWaiting({ storedUntil: now, destination: hook, limit: 3 })),
          );
        expect(counts).toEqual([3, 3, 1, 0]);
        expect((await claimIds(...allDestinations(10))).map(({ length }) => length)).toEqual([7, 0, 7]);
      });

      test('skips claimed items, and drops those that wait after a failure', async () => {
        const [claimedId = '', failedId = '', unclaimedId = ''] = await addMessages(
          ...createMessagesWithKeys(3),
        );
        const claims = await stores.outbox.claim([{ destination: hook, limit: 10 }], leaseMs);
        const attempts = new Map(claims.map(({ item, attempt }) => [item.id, attempt]));
        const release = (id: string, delayMs: number) =>
          settle(hook, { attempt: attempts.get(id) ?? 0, delayMs }, id);
        await release(failedId, 600_000);
        await release(unclaimedId, 0);
        const dropStoredItems = async () =>
          sumCounts(await stores.outbox.dropWaiting({ storedUntil: now, destination: hook, limit: 10 }));
        expect(await dropStoredItems()).toBe(2);
        now += leaseMs - 1;
        expect(await dropStoredItems()).toBe(0);
        await complete(hook, claimedId);
        expect(await readLogIds()).toEqual([claimedId]);
      });

      test('counts each delivery once in concurrent calls, and frees capacity', async () => {
        stores = await openStores({
          destinationsOf: () => [hook],
          capacityOf: () => capacityFor(20, 'refuse'),
        });
        const fillOutbox = () => addMessages(...createMessagesWithKeys(20, 3));
        await fillOutbox();
        const concurrentDrops = await Promise.all(
          Array.from({ length: 5 }, () => stores.outbox.dropWaiting({ storedUntil: now, limit: 8 })),
        );
        const remaining = await stores.outbox.dropWaiting({ storedUntil: now, limit: 20 });
        expect(sumCounts([...concurrentDrops.flat(), ...remaining])).toBe(20);
        await fillOutbox();
      });
    });

    test('a claim has the number of failures, not of earlier claims', async () => {
      await addMessages(createMessage(topic), createMessage(topic));
      const takeClaims = () => stores.outbox.claim([{ destination: hook, limit: 10 }], leaseMs);
      const failAll = async () =>
        stores.outbox.settle(
          (await takeClaims()).map((claim, index) =>
            settlementOf(claim, { attempt: claim.attempt, delayMs: index === 0 ? 100 : 0 }),
          ),
        );
      await failAll();
      now += 100;
      await failAll();
      now += 100;
      expect((await takeClaims()).map(({ failures }) => failures)).toEqual([2, 0]);
    });
  });
}
