import { bytesOf } from '../../src/core/json.ts';
import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import {
  brokerRoom,
  OutboxFullError,
  settlementOf,
  type Capacity,
  type Claim,
  type DestinationsOf,
  type Dropped,
  type Outcome,
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
/** So many messages, whose ordering keys come by turns. */
const many = (count: number, keys = count, name = 'key'): OutgoingMessage[] =>
  Array.from({ length: count }, (_, index) => messageOn(topic, { orderingKey: `${name} ${index % keys}` }));
/** Room for so many messages without a body of their own. */
const roomFor = (count: number, whenFull: 'refuse' | 'drop') => {
  const bytes = count * (bytesOf(messageOn(topic, { id: 'message-1000-10000' })) + 20);
  return { bytes, bytesPerOwner: bytes, whenFull };
};
const sumOf = (dropped: readonly Dropped[]): number => dropped.reduce((sum, { count }) => sum + count, 0);

/** What every outbox promises of items that wait for several destinations. */
export function outboxDestinationsContract(name: string, makeStores: MakeStores): void {
  describe(`${name} as an outbox for several destinations`, () => {
    const toAll: DestinationsOf = ({ orderingKey }) =>
      orderingKey === 'broker only' ? ['broker'] : ['broker', hook, otherHook];
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
    const settle = (destination: string, outcome: Outcome, ...ids: readonly string[]) =>
      stores.outbox.settle(ids.map((id) => ({ id, owner: 'photos', topic, destination, outcome })));
    const complete = (destination: string, ...ids: readonly string[]) => settle(destination, 'done', ...ids);
    const deliverOne = async (destination: string): Promise<void> => {
      const claims = await stores.outbox.claim([{ destination, limit: 1 }], lease);
      await complete(destination, ...idsOf(claims));
    };
    const logged = async (): Promise<string[]> =>
      (await stores.messages.read(topic)).messages.map(({ id }) => id);

    test('an item waits for each of its destinations, and for no other', async () => {
      const [a, b] = await add(messageOn(topic), messageOn(topic, { orderingKey: 'broker only' }));
      expect(await claim({ destination: hook, limit: 10 })).toEqual([[a]]);
      expect((await claim(...all(10))).map((ids) => ids.sort())).toEqual([[a, b].sort(), [], [a]]);
      expect(await claim({ destination: 'mail', limit: 10 })).toEqual([[]]);
    });

    test('each destination has a limit of its own', async () => {
      await add(...many(5));
      const claimed = await claim(
        { destination: 'broker', limit: 4 },
        { destination: hook, limit: 1 },
        { destination: otherHook, limit: 0 },
      );
      expect(claimed.map(({ length }) => length)).toEqual([4, 1, 0]);
    });

    test('of keys whose oldest item has failed no more are handed out than are asked for', async () => {
      const failed = await add(...many(4, 4, 'failing'));
      await claim({ destination: hook, limit: 10 });
      await settle(hook, { attempt: 1, delayMs: 1 }, ...failed);
      now += 2;
      const fresh = await add(messageOn(topic, { orderingKey: 'fresh' }));
      const [first] = await claim({ destination: hook, limit: 10, failing: 1 });
      expect(first).toHaveLength(2);
      expect(first).toEqual(expect.arrayContaining(fresh));
      expect(await claim({ destination: hook, limit: 10, failing: 0 })).toEqual([[]]);
      expect((await claim({ destination: hook, limit: 10 }))[0]).toHaveLength(3);
    });

    test('what one has taken, dropped or failed to take is the same for the others as before', async () => {
      const [first, second, third] = (await add(...many(3, 1))) as [string, string, string];
      await claim({ destination: hook, limit: 10 });
      await complete(hook, first);
      await settle(hook, 'dropped', second);
      await settle(hook, { attempt: 1, delayMs: 1000 }, third);
      expect(await claim(...all(10))).toEqual([[first, second, third], [], [first, second, third]]);
    });

    test('an item counts once in the backlog, until no destination waits for it', async () => {
      const [id] = (await add(messageOn(topic))) as [string];
      for (const [destination, count] of [
        ['broker', 1],
        [hook, 1],
        [otherHook, 0],
      ] as const) {
        await complete(destination, id);
        expect((await stores.outbox.backlog()).count).toBe(count);
      }
    });

    test('the backlog is told of one destination alone, and of all but one', async () => {
      await add(messageOn(topic), messageOn(topic, { orderingKey: 'broker only' }));
      now += 1000;
      const [late] = (await add(messageOn(topic))) as [string];
      await deliverOne(hook);
      const { outbox } = stores;
      const [all, last] = [
        { count: 3, oldestAt: startOfTime },
        { count: 1, oldestAt: startOfTime + 1000 },
      ];
      for (const [name, only, except] of [
        ['broker', all, { ...all, count: 2 }],
        [hook, last, all],
        ['mail', { count: 0 }, all],
      ] as const) {
        expect(await outbox.backlog({ only: name })).toEqual(only);
        expect(await outbox.backlog({ except: name })).toEqual(except);
      }
      for (const name of ['broker', otherHook]) await settle(name, 'dropped', late);
      expect(await outbox.backlog({ only: hook })).toEqual(last);
      expect(await outbox.backlog({ except: hook })).toEqual({ ...all, count: 2 });
    });

    test.each(['broker', hook, otherHook])(
      'the log shows a message once, from delivery on: %s',
      async (destination) => {
        const [first, second] = (await add(messageOn(topic), messageOn(topic))) as [string, string];
        await settle(destination, 'dropped', second);
        expect(await logged()).toEqual([]);
        await complete(destination, first);
        expect(await logged()).toEqual([first]);
        const others = ['broker', hook, otherHook].filter((name) => name !== destination);
        for (const name of others) await complete(name, first, second);
        expect(await logged()).toEqual([first, second]);
        expect(await stores.outbox.backlog()).toEqual({ count: 0 });
      },
    );

    test('the log shows messages once that several destinations take at the same time', async () => {
      const ids = await add(...many(40, 7));
      const names = ['broker', hook, otherHook];
      await Promise.all(names.flatMap((name) => ids.map((id) => complete(name, id))));
      expect([...(await logged())].sort()).toEqual([...ids].sort());
      expect(await stores.outbox.backlog()).toEqual({ count: 0 });
    });

    test('each destination has room of its own, and a change is stored for all of them or for none', async () => {
      stores = await openStores({
        destinationsOf: ({ orderingKey }) => (orderingKey === 'broker' ? ['broker'] : ['broker', hook]),
        roomOf: () => roomFor(2, 'refuse'),
      });
      await add(messageOn(topic));
      await deliverOne('broker');
      await add(messageOn(topic));
      await expect(add(messageOn(topic))).rejects.toThrow(OutboxFullError);
      await add(messageOn(topic, { orderingKey: 'broker' }));
      expect((await stores.outbox.backlog()).count).toBe(3);
    });

    test('a change is stored without the items for those that have no room and whose rule says so, and that is told once', async () => {
      const dropped: Dropped[] = [];
      stores = await openStores({
        roomOf: (name) => (name === hook ? roomFor(2, 'drop') : brokerRoom),
        onDropped: (one) => dropped.push(one),
      });
      const [a, b] = await add(messageOn(topic), messageOn(topic));
      expect(dropped).toEqual([]);
      const [c, d] = await add(messageOn(topic), messageOn(`${topic}-2`));
      expect(dropped).toEqual([
        { destination: hook, topic, count: 1 },
        { destination: hook, topic: `${topic}-2`, count: 1 },
      ]);
      expect(await claim({ destination: hook, limit: 10 })).toEqual([[a, b]]);
      expect(await claim(...all(10))).toEqual([[a, b, c, d], [], [a, b, c, d]]);
    });

    test('an item whose only destination has no room is stored nowhere, and its change is', async () => {
      const dropped: Dropped[] = [];
      stores = await openStores({
        destinationsOf: () => [hook],
        roomOf: () => roomFor(0, 'drop'),
        onDropped: (one) => dropped.push(one),
      });
      const result = await stores.notifications.changeNotifications({ bucket: 'photos' }, ({ nextId }) => ({
        insert: sampleNotification('photos', nextId),
        messages: [messageOn(topic)],
        result: 'stored',
      }));
      expect([result, dropped]).toEqual(['stored', [{ destination: hook, topic, count: 1 }]]);
      expect((await stores.notifications.notifications(['photos']))[0]).toHaveLength(1);
      expect(await stores.outbox.backlog()).toEqual({ count: 0 });
    });

    test('many changes that come at once are not refused for those whose rule is to drop', async () => {
      stores = await openStores({ destinationsOf: () => [hook], roomOf: () => roomFor(10, 'drop') });
      await Promise.all(many(50).map((message) => add(message)));
      expect((await stores.outbox.backlog()).count).toBeGreaterThan(0);
    });

    describe('giving up', () => {
      test('takes what was stored by some time, also where nobody delivers, tells how many, and leaves the rest in order', async () => {
        const [a, b] = await add(messageOn(topic), messageOn(`${topic}-2`));
        now += 1000;
        const [c] = await add(messageOn(topic));
        expect(await stores.outbox.giveUp({ storedBy: startOfTime - 1, limit: 10 })).toEqual([]);
        const dropped = await stores.outbox.giveUp({ storedBy: startOfTime, destination: hook, limit: 10 });
        const counts = [topic, `${topic}-2`].map((of) => ({ destination: hook, topic: of, count: 1 }));
        expect(new Set(dropped)).toEqual(new Set(counts));
        expect(await claim(...all(10))).toEqual([[a, b, c], [c], [a, b, c]]);
        now += lease;
        await stores.outbox.giveUp({ storedBy: startOfTime, limit: 10 });
        expect(await claim(...all(10))).toEqual([[c], [c], [c]]);
        expect(await logged()).toEqual([]);
      });

      test('goes in turns, the oldest first, until there are no more', async () => {
        await add(...many(7, 2));
        const counts: number[] = [];
        for (let turn = 0; turn < 4; turn += 1)
          counts.push(sumOf(await stores.outbox.giveUp({ storedBy: now, destination: hook, limit: 3 })));
        expect(counts).toEqual([3, 3, 1, 0]);
        expect((await claim(...all(10))).map(({ length }) => length)).toEqual([7, 0, 7]);
      });

      test('leaves alone what is claimed, as long as the claim lasts, and takes what rests after a failure', async () => {
        const [claimed, failed, left] = (await add(...many(3))) as [string, string, string];
        const taken = await stores.outbox.claim([{ destination: hook, limit: 10 }], lease);
        const attempts = new Map(taken.map(({ item, attempt }) => [item.id, attempt]));
        for (const [id, delayMs] of [
          [failed, 600_000],
          [left, 0],
        ] as const)
          await settle(hook, { attempt: attempts.get(id) ?? 0, delayMs }, id);
        const giveUp = async () =>
          sumOf(await stores.outbox.giveUp({ storedBy: now, destination: hook, limit: 10 }));
        expect(await giveUp()).toBe(2);
        now += lease - 1;
        expect(await giveUp()).toBe(0);
        await complete(hook, claimed);
        expect(await logged()).toEqual([claimed]);
      });

      test('of several at once counts each delivery once, and gives its room free', async () => {
        stores = await openStores({ destinationsOf: () => [hook], roomOf: () => roomFor(20, 'refuse') });
        const fill = () => add(...many(20, 3));
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
      const taken = () => stores.outbox.claim([{ destination: hook, limit: 10 }], lease);
      const fail = async () =>
        stores.outbox.settle(
          (await taken()).map((claim, index) =>
            settlementOf(claim, { attempt: claim.attempt, delayMs: index === 0 ? 100 : 0 }),
          ),
        );
      await fail();
      now += 100;
      await fail();
      now += 100;
      expect((await taken()).map(({ failures }) => failures)).toEqual([2, 0]);
    });
  });
}
