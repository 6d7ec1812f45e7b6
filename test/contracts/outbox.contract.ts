import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import { settlementOf, type Claim } from '../../src/outbox/outbox.store.ts';
import { addBucket, startOfTime, mutateDeep } from './samples.ts';
import { sampleNotification, type MakeStores, type StoresUnderTest } from './notification-store.contract.ts';
import { sampleBucket } from './bucket-store.contract.ts';
import { messageOn } from './publisher.contract.ts';
import { fc } from '../property.ts';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const lease = 30_000;
const destination = 'webhook:https://hooks.test/a';

const idsOf = (claimed: readonly Claim<OutgoingMessage>[]): string[] => claimed.map(({ item }) => item.id);

/** What every outbox promises for each destination. */
export function outboxContract(name: string, makeStores: MakeStores): void {
  describe(`${name} as an outbox`, () => {
    let now: number;
    let stores: StoresUnderTest;
    beforeEach(async () => {
      now = startOfTime;
      stores = await openStores();
    });

    async function openStores(): Promise<StoresUnderTest> {
      const made = await makeStores(() => now, { outbox: { destinationsOf: () => [destination] } });
      await addBucket(made.buckets, sampleBucket('photos'));
      return made;
    }

    const addMessages = async (messages: readonly OutgoingMessage[]): Promise<string[]> => {
      await stores.notifications.changeNotifications({ bucket: 'photos' }, () => ({
        messages,
        result: undefined,
      }));
      return messages.map(({ id }) => id);
    };
    /** Stores messages of these ordering keys in one change and gives their ids. */
    const add = (...keys: string[]): Promise<string[]> =>
      addMessages(keys.map((orderingKey) => messageOn(topic, { orderingKey })));
    const take = (limit: number, leaseMs = lease): Promise<readonly Claim<OutgoingMessage>[]> =>
      stores.outbox.claim([{ destination, limit }], leaseMs);
    const claim = async (limit: number): Promise<string[]> => idsOf(await take(limit));
    const complete = async (ids: readonly string[]): Promise<void> => {
      const owned = { owner: 'photos', topic, destination, outcome: 'done' as const };
      expect(await stores.outbox.settle(ids.map((id) => ({ ...owned, id })))).toEqual([]);
    };
    const releaseOf = (claimed: readonly Claim<OutgoingMessage>[], delayMs: number): Promise<unknown> =>
      stores.outbox.settle(claimed.map((one) => settlementOf(one, { attempt: one.attempt, delayMs })));
    const keys = (count: number, name: string): string[] =>
      Array.from({ length: count }, (_, index) => `${name} ${index}`);
    const times = (count: number, key: string): string[] => Array.from({ length: count }, () => key);

    describe('a change', () => {
      test('stores its messages as they are, together with its notification', async () => {
        const message = messageOn(topic, {
          attributes: { 'ключ 🙂': '', ['__proto__']: 'kept' },
          data: '{"a":"é\n"}',
        });
        await stores.notifications.changeNotifications({ bucket: 'photos' }, ({ nextId }) => ({
          insert: sampleNotification('photos', nextId),
          messages: [message],
          result: undefined,
        }));
        const stored = await stores.notifications.notifications(['photos']);
        expect(stored).toEqual([[sampleNotification('photos', '1')]]);
        expect(await take(10)).toEqual([
          { item: message, owner: 'photos', destination, attempt: 1, failures: 0 },
        ]);
      });

      test('loses none of its messages when 100 come at once', async () => {
        await Promise.all(Array.from({ length: 100 }, (_, index) => add(`a${index}`, `b${index}`)));
        expect((await stores.outbox.backlog()).count).toBe(200);
        expect(new Set(await claim(1000)).size).toBe(200);
      });
    });

    describe('a claim', () => {
      test('hands out as many as asked, those of one key in the order in which they were stored', async () => {
        const ids = [...(await add(...times(3, 'a'))), ...(await add(...times(12, 'a')))];
        expect(await claim(0)).toEqual([]);
        expect(await claim(5)).toEqual(ids.slice(0, 5));
        await complete(ids.slice(0, 5));
        expect(await claim(100)).toEqual(ids.slice(5));
      });

      test('is held by one alone: the key gives nothing more, other keys do', async () => {
        const [a1, , b1] = await add('a', 'a', 'b');
        expect(await claim(1)).toEqual([a1]);
        expect(await claim(10)).toEqual([b1]);
        expect(await claim(10)).toEqual([]);
      });

      test('gives the first message of each key before the second of any', async () => {
        await add(...times(100, 'huge'));
        const [b1, b2, c1] = await add('b', 'b', 'c');
        const claimed = await claim(5);
        expect(claimed).toHaveLength(5);
        expect(claimed).toEqual(expect.arrayContaining([b1, b2, c1]));
      });

      test('serves all keys in turn, however small it is and however many messages a key has', async () => {
        await add(...times(50, 'a'), ...times(50, 'b'));
        const late = await add('c', 'd');
        const served: string[] = [];
        for (let round = 0; round < 4; round += 1) {
          const ids = await claim(1);
          served.push(...ids);
          await complete(ids);
        }
        expect(served).toEqual(expect.arrayContaining(late));
      });

      test('ends with its lease, and is another one then', async () => {
        const ids = await add('a', 'a');
        const [first] = await take(10);
        now += lease - 1;
        expect(await claim(10)).toEqual([]);
        now += 1;
        const again = await take(10);
        expect(idsOf(again)).toEqual(ids);
        expect(again[0]?.attempt).toBe((first?.attempt ?? 0) + 1);
      });

      test('of 20 at once hands out each message once', async () => {
        await add(...Array.from({ length: 200 }, (_, index) => `key ${index % 40}`));
        const claims = await Promise.all(Array.from({ length: 20 }, () => claim(15)));
        expect(new Set(claims.flat()).size).toBe(claims.flat().length);
      });

      test('is no live reference', async () => {
        const message = messageOn(topic);
        const expected = structuredClone(message);
        await addMessages([message]);
        mutateDeep(message);
        mutateDeep(await take(1, 0));
        expect(await take(1, 0)).toEqual([
          { item: expected, owner: 'photos', destination, attempt: 2, failures: 0 },
        ]);
      });
    });

    describe('a release', () => {
      test('with a delay keeps the key to itself until then, and no other key', async () => {
        const [a1, a2] = await add('a', 'a');
        await releaseOf(await take(1), 500);
        const [b1] = await add('b');
        expect(await claim(10)).toEqual([b1]);
        now += 499;
        expect(await claim(10)).toEqual([]);
        now += 1;
        expect(await claim(10)).toEqual([a1, a2]);
      });

      test('of many failing keys leaves the way free for others', async () => {
        await add(...keys(300, 'failing'));
        await releaseOf(await take(300), 5000);
        const [free] = await add('free');
        expect(await claim(1)).toEqual([free]);
      });

      test('makes keys take turns with those that did not fail, when their time comes', async () => {
        const failing = await add(...keys(300, 'failing'));
        await releaseOf(await take(300), 500);
        now += 500;
        const free = await add('free 1', 'free 2', 'free 3');
        const claimed = await claim(6);
        expect(claimed.filter((id) => free.includes(id))).toHaveLength(3);
        expect(claimed.filter((id) => failing.includes(id))).toHaveLength(3);
      });

      test('makes them take turns also one by one, and a key is no failing one any more once its oldest message is out', async () => {
        const [a1, a2] = await add('a', 'a', ...keys(10, 'failing'));
        await releaseOf(await take(12), 500);
        now += 500;
        while ((await claim(1))[0] !== a1);
        now += lease;
        await complete([a1 ?? '']);
        expect([...(await claim(1)), ...(await claim(1))]).toContain(a2);
      });

      test('of one message gives out that one, and none behind it that is still claimed', async () => {
        const [a1] = await add('a', 'a');
        await releaseOf((await take(2)).slice(0, 1), 0);
        expect(await claim(10)).toEqual([a1]);
      });

      test('comes too late when somebody else has the claim, or the message is published', async () => {
        await add('a');
        const first = await take(1);
        now += lease;
        const second = await take(1);
        await releaseOf(first, 0);
        expect(await claim(1)).toEqual([]);
        await complete(idsOf(second));
        await releaseOf(second, 0);
        expect(await stores.outbox.backlog()).toEqual({ count: 0 });
      });
    });

    test('forgets what was published, whatever the order, and what it never had', async () => {
      const [a, b, c] = (await add('a', 'a', 'a')) as [string, string, string];
      await take(10);
      await complete([b, 'unknown']);
      await complete([b]);
      await complete([]);
      now += lease;
      expect(await claim(10)).toEqual([a, c]);
      await complete([c, a]);
      expect((await stores.outbox.backlog()).count).toBe(0);
    });

    test('tells how many wait, claimed or not, and since when the oldest does', async () => {
      const early = await add('a', 'b');
      now += 5000;
      const [third] = await add('c');
      await claim(1);
      expect(await stores.outbox.backlog()).toEqual({ count: 3, oldestAt: startOfTime });
      await complete([third ?? '']);
      expect(await stores.outbox.backlog()).toEqual({ count: 2, oldestAt: startOfTime });
      await add('a');
      await complete(early);
      expect(await stores.outbox.backlog()).toEqual({ count: 1, oldestAt: startOfTime + 5000 });
    });

    test('whatever is claimed, released, published or left to its lease: each key goes out in order and whole', async () => {
      const step = fc.record({
        limit: fc.integer({ min: 1, max: 4 }),
        fate: fc.constantFrom('publish', 'release', 'delay', 'forget'),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 }),
          fc.array(step, { maxLength: 12 }),
          async (keys, steps) => {
            stores = await openStores();
            const ids = await add(...keys);
            const published: string[] = [];
            for (const { limit, fate } of [...steps, ...keys.map(() => ({ limit: 12, fate: 'publish' }))]) {
              const claimed = await take(limit);
              if (fate === 'publish') {
                published.push(...idsOf(claimed));
                await complete(idsOf(claimed));
              } else if (fate !== 'forget') await releaseOf(claimed, fate === 'delay' ? 100 : 0);
              now += lease;
            }
            expect([...published].sort()).toEqual([...ids].sort());
            for (const key of ['a', 'b', 'c']) {
              const ofKey = ids.filter((_, index) => keys[index] === key);
              expect(published.filter((id) => ofKey.includes(id))).toEqual(ofKey);
            }
          },
        ),
        { numRuns: 20 },
      );
    });
  });
}
