import { bytesOf } from '../../src/core/kernel/size.ts';
import type { OutgoingMessage } from '../../src/notification/message.store.ts';
import {
  brokerRoom,
  OutboxFullError,
  type Capacity,
  type Claim,
  type DestinationsOf,
  type Dropped,
  type OutboxRules,
} from '../../src/outbox/outbox.store.ts';
import { sampleBucket } from './bucket-store.contract.ts';
import { sampleNotification, type MakeStores, type StoresUnderTest } from './notification-store.contract.ts';
import { messageOn } from './publisher.contract.ts';
import { addBucket, startOfTime } from './samples.ts';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const lease = 30_000;
const hook = 'webhook:https://hooks.test/a';
const otherHook = 'webhook:https://hooks.test/b';

const idsOf = (claimed: readonly Claim<OutgoingMessage>[]): string[] => claimed.map(({ item }) => item.id);
const sumOf = (dropped: readonly Dropped[]): number => dropped.reduce((sum, { count }) => sum + count, 0);

/** What every outbox promises of items that wait for several destinations. */
export function outboxDestinationsContract(name: string, makeStores: MakeStores): void {
  describe(`${name} as an outbox for several destinations`, () => {
    const toAll: DestinationsOf = ({ orderingKey }) =>
      orderingKey === 'broker only' ? ['broker'] : ['broker', hook, otherHook];
    const toBrokerOrBoth: DestinationsOf = ({ orderingKey }) =>
      orderingKey === 'broker' ? ['broker'] : ['broker', hook];
    let now: number;
    let stores: StoresUnderTest;
    beforeEach(async () => {
      now = startOfTime;
      stores = await openStores();
    });
    async function openStores(rules: Partial<OutboxRules> = {}): Promise<StoresUnderTest> {
      const made = await makeStores(() => now, { outbox: { destinationsOf: toAll, ...rules } });
      await addBucket(made.buckets, sampleBucket('photos'));
      return made;
    }
    const add = async (...messages: readonly OutgoingMessage[]): Promise<string[]> => {
      await stores.notifications.changeNotifications({ bucket: 'photos' }, () => ({
        messages,
        result: undefined,
      }));
      return messages.map(({ id }) => id);
    };
    const claim = async (...capacities: readonly Capacity[]): Promise<string[][]> => {
      const claims = await stores.outbox.claim(capacities, lease);
      return capacities.map(({ destination }) =>
        idsOf(claims.filter((one) => one.destination === destination)),
      );
    };
    const all = (limit: number): Capacity[] =>
      ['broker', hook, otherHook].map((destination) => ({ destination, limit }));
    const logged = async (): Promise<string[]> =>
      (await stores.messages.read(topic)).messages.map(({ id }) => id);

    test('an item waits for each of its destinations, and for no other', async () => {
      const [a, b] = await add(messageOn(topic), messageOn(topic, { orderingKey: 'broker only' }));
      expect(await claim({ destination: hook, limit: 10 })).toEqual([[a]]);
      expect((await claim(...all(10))).map((ids) => ids.sort())).toEqual([[a, b].sort(), [], [a]]);
      expect(await claim({ destination: 'mail', limit: 10 })).toEqual([[]]);
    });

    test('each destination has a limit of its own', async () => {
      await add(
        ...Array.from({ length: 5 }, (_, index) => messageOn(topic, { orderingKey: `key ${index}` })),
      );
      const claimed = await claim(
        { destination: 'broker', limit: 4 },
        { destination: hook, limit: 1 },
        { destination: otherHook, limit: 0 },
      );
      expect(claimed.map(({ length }) => length)).toEqual([4, 1, 0]);
    });

    test('of keys whose oldest item has failed no more are handed out than are asked for', async () => {
      const failed = await add(
        ...Array.from({ length: 4 }, (_, index) => messageOn(topic, { orderingKey: `failing ${index}` })),
      );
      await claim({ destination: hook, limit: 10 });
      await stores.outbox.release(failed.map((id) => ({ id, destination: hook, attempt: 1, delayMs: 1 })));
      now += 2;
      const fresh = await add(messageOn(topic, { orderingKey: 'fresh' }));
      const [first] = await claim({ destination: hook, limit: 10, failing: 1 });
      expect([first?.length, first?.filter((id) => failed.includes(id)).length, first]).toEqual([
        2,
        1,
        expect.arrayContaining(fresh),
      ]);
      expect(await claim({ destination: hook, limit: 10, failing: 0 })).toEqual([[]]);
      expect((await claim({ destination: hook, limit: 10 }))[0]).toHaveLength(3);
    });

    test('what one has taken, dropped or failed to take is the same for the others as before', async () => {
      const [first, second, third] = (await add(messageOn(topic), messageOn(topic), messageOn(topic))) as [
        string,
        string,
        string,
      ];
      await claim({ destination: hook, limit: 10 });
      await stores.outbox.complete([{ id: first, destination: hook }]);
      await stores.outbox.drop([{ id: second, destination: hook }]);
      await stores.outbox.release([{ id: third, destination: hook, attempt: 1, delayMs: 1000 }]);
      expect(await claim(...all(10))).toEqual([[first, second, third], [], [first, second, third]]);
    });

    test('an item counts once in the backlog, until no destination waits for it', async () => {
      const [id] = (await add(messageOn(topic))) as [string];
      for (const [destination, count] of [
        ['broker', 1],
        [hook, 1],
        [otherHook, 0],
      ] as const) {
        await stores.outbox.complete([{ id, destination }]);
        expect((await stores.outbox.backlog()).count).toBe(count);
      }
    });

    test('the backlog is told of one destination alone, and of all but one', async () => {
      await add(messageOn(topic), messageOn(topic, { orderingKey: 'broker only' }));
      now += 1000;
      const [late] = (await add(messageOn(topic))) as [string];
      await stores.outbox.complete(
        (await stores.outbox.claim([{ destination: hook, limit: 1 }], lease)).map(({ item }) => ({
          id: item.id,
          destination: hook,
        })),
      );
      const [all, afterwards] = [
        { count: 3, oldestAt: startOfTime },
        { count: 1, oldestAt: startOfTime + 1000 },
      ];
      expect(
        await Promise.all(['broker', hook, 'mail'].map((only) => stores.outbox.backlog({ only }))),
      ).toEqual([all, afterwards, { count: 0 }]);
      expect(
        await Promise.all(['broker', hook, 'mail'].map((except) => stores.outbox.backlog({ except }))),
      ).toEqual([{ ...all, count: 2 }, all, all]);
      await stores.outbox.drop(['broker', otherHook].map((destination) => ({ id: late, destination })));
      expect(
        await Promise.all([stores.outbox.backlog({ only: hook }), stores.outbox.backlog({ except: hook })]),
      ).toEqual([afterwards, { ...all, count: 2 }]);
    });

    test.each([[['broker', hook, otherHook]], [[hook, 'broker', otherHook]], [[otherHook, hook, 'broker']]])(
      'the log shows a message once, from the first delivery on: %j',
      async (order) => {
        const [first, second] = (await add(messageOn(topic), messageOn(topic))) as [string, string];
        await stores.outbox.drop([{ id: second, destination: order[0] as string }]);
        expect(await logged()).toEqual([]);
        await stores.outbox.complete([{ id: first, destination: order[0] as string }]);
        expect(await logged()).toEqual([first]);
        await stores.outbox.complete(
          order.slice(1).flatMap((destination) => [
            { id: first, destination },
            { id: second, destination },
          ]),
        );
        expect(await logged()).toEqual([first, second]);
        expect(await stores.outbox.backlog()).toEqual({ count: 0 });
      },
    );

    test('the log shows messages once that several destinations take at the same time', async () => {
      const ids = await add(
        ...Array.from({ length: 40 }, (_, index) => messageOn(topic, { orderingKey: `key ${index % 7}` })),
      );
      await Promise.all(
        ['broker', hook, otherHook].flatMap((destination) =>
          ids.map((id) => stores.outbox.complete([{ id, destination }])),
        ),
      );
      expect([...(await logged())].sort()).toEqual([...ids].sort());
      expect(await stores.outbox.backlog()).toEqual({ count: 0 });
    });

    test('each destination has room of its own, and a change is stored for all of them or for none', async () => {
      const size = bytesOf(messageOn(topic, { id: 'message-1000-10000' })) + 20;
      stores = await openStores({
        destinationsOf: toBrokerOrBoth,
        roomOf: () => ({ bytes: 2 * size, bytesPerOwner: 2 * size, whenFull: 'refuse' }),
      });
      await add(messageOn(topic));
      await stores.outbox.complete(
        (await stores.outbox.claim([{ destination: 'broker', limit: 1 }], lease)).map(({ item }) => ({
          id: item.id,
          destination: 'broker',
        })),
      );
      await add(messageOn(topic));
      await expect(add(messageOn(topic))).rejects.toThrow(OutboxFullError);
      await add(messageOn(topic, { orderingKey: 'broker' }));
      expect((await stores.outbox.backlog()).count).toBe(3);
    });

    test('a change is stored without the items for those that have no room and whose rule says so, and that is told once', async () => {
      const size = bytesOf(messageOn(topic, { id: 'message-1000-10000' })) + 20;
      const dropped: Dropped[] = [];
      stores = await openStores({
        roomOf: (name) =>
          name === hook ? { bytes: 2 * size, bytesPerOwner: 2 * size, whenFull: 'drop' } : brokerRoom,
        onDropped: (one) => dropped.push(one),
      });
      const [a, b] = await add(messageOn(topic), messageOn(topic));
      expect(dropped).toEqual([]);
      const [c, d] = await add(messageOn(topic), messageOn(`${topic}-2`));
      expect(dropped).toEqual([
        { destination: hook, topic, count: 1 },
        { destination: hook, topic: `${topic}-2`, count: 1 },
      ]);
      expect(await claim(...all(10))).toEqual([
        [a, b, c, d],
        [a, b],
        [a, b, c, d],
      ]);
    });

    test('an item whose only destination has no room is stored nowhere, and its change is', async () => {
      const dropped: Dropped[] = [];
      stores = await openStores({
        destinationsOf: () => [hook],
        roomOf: () => ({ bytes: 0, bytesPerOwner: 0, whenFull: 'drop' }),
        onDropped: (one) => dropped.push(one),
      });
      const result = await stores.notifications.changeNotifications({ bucket: 'photos' }, ({ nextId }) => ({
        insert: sampleNotification('photos', nextId),
        messages: [messageOn(topic)],
        result: 'stored',
      }));
      expect([result, dropped, (await stores.notifications.notifications(['photos']))[0]?.length]).toEqual([
        'stored',
        [{ destination: hook, topic, count: 1 }],
        1,
      ]);
      expect(await stores.outbox.backlog()).toEqual({ count: 0 });
    });

    test('many changes that come at once are not refused for those whose rule is to drop', async () => {
      stores = await openStores({
        destinationsOf: () => [hook],
        roomOf: () => ({ bytes: 3000, bytesPerOwner: 3000, whenFull: 'drop' }),
      });
      await Promise.all(
        Array.from({ length: 50 }, (_, index) => add(messageOn(topic, { orderingKey: `key ${index}` }))),
      );
      expect((await stores.outbox.backlog()).count).toBeGreaterThan(0);
    });

    describe('giving up', () => {
      test('takes what was stored by some time, also where nobody delivers, tells how many, and leaves the rest in order', async () => {
        const [a, b] = await add(messageOn(topic), messageOn(`${topic}-2`));
        now += 1000;
        const [c] = await add(messageOn(topic));
        expect(await stores.outbox.giveUp({ storedBy: startOfTime - 1, limit: 10 })).toEqual([]);
        expect(await stores.outbox.giveUp({ storedBy: startOfTime, destination: hook, limit: 10 })).toEqual([
          { destination: hook, topic, count: 1 },
          { destination: hook, topic: `${topic}-2`, count: 1 },
        ]);
        expect(await claim(...all(10))).toEqual([[a, b, c], [c], [a, b, c]]);
        now += lease;
        await stores.outbox.giveUp({ storedBy: startOfTime, limit: 10 });
        expect(await claim(...all(10))).toEqual([[c], [c], [c]]);
        expect(await logged()).toEqual([]);
      });

      test('goes in turns, the oldest first, until there are no more', async () => {
        await add(
          ...Array.from({ length: 7 }, (_, index) => messageOn(topic, { orderingKey: `key ${index % 2}` })),
        );
        const counts: number[] = [];
        for (let turn = 0; turn < 4; turn += 1)
          counts.push(sumOf(await stores.outbox.giveUp({ storedBy: now, destination: hook, limit: 3 })));
        expect(counts).toEqual([3, 3, 1, 0]);
        expect((await claim(...all(10))).map(({ length }) => length)).toEqual([7, 0, 7]);
      });

      test('leaves alone what is claimed, as long as the claim lasts, and takes what rests after a failure', async () => {
        const [claimed, failed, left] = (await add(
          ...['a', 'b', 'c'].map((orderingKey) => messageOn(topic, { orderingKey })),
        )) as [string, string, string];
        const taken = await stores.outbox.claim([{ destination: hook, limit: 10 }], lease);
        const releaseOf = (id: string, delayMs: number) =>
          taken
            .filter(({ item }) => item.id === id)
            .map(({ item, attempt }) => ({ id: item.id, destination: hook, attempt, delayMs }));
        await stores.outbox.release([...releaseOf(failed, 600_000), ...releaseOf(left, 0)]);
        const giveUp = async () =>
          sumOf(await stores.outbox.giveUp({ storedBy: now, destination: hook, limit: 10 }));
        expect(await giveUp()).toBe(2);
        now += lease - 1;
        expect(await giveUp()).toBe(0);
        await stores.outbox.complete([{ id: claimed, destination: hook }]);
        expect(await logged()).toEqual([claimed]);
      });

      test('of several at once counts each delivery once, and gives its room free', async () => {
        const size = bytesOf(messageOn(topic, { id: 'message-1000-10000' })) + 20;
        stores = await openStores({
          destinationsOf: () => [hook],
          roomOf: () => ({ bytes: 20 * size, bytesPerOwner: 20 * size, whenFull: 'refuse' }),
        });
        const fill = () =>
          add(
            ...Array.from({ length: 20 }, (_, index) =>
              messageOn(topic, { orderingKey: `key ${index % 3}` }),
            ),
          );
        await fill();
        const turns = await Promise.all(
          Array.from({ length: 5 }, () => stores.outbox.giveUp({ storedBy: now, limit: 8 })),
        );
        const rest = await stores.outbox.giveUp({ storedBy: now, limit: 20 });
        expect(sumOf([...turns.flat(), ...rest])).toBe(20);
        await fill();
      });
    });

    test('a claim tells how often its delivery failed, not how often it was claimed', async () => {
      await add(messageOn(topic), messageOn(topic));
      const taken = async () => await stores.outbox.claim([{ destination: hook, limit: 10 }], lease);
      const fail = async () =>
        stores.outbox.release(
          (await taken()).map(({ item, attempt }, index) => ({
            id: item.id,
            destination: hook,
            attempt,
            delayMs: index === 0 ? 100 : 0,
          })),
        );
      await fail();
      now += 100;
      await fail();
      now += 100;
      expect((await taken()).map(({ failures }) => failures)).toEqual([2, 0]);
    });
  });
}
