import type { OutgoingMessage } from '../../src/notification/notification.store.ts';
import { settlementOf, type Claim } from '../../src/outbox/outbox.store.ts';
import { putBucket, startOfTime, mutateDeep } from './samples.ts';
import { sampleNotification, type MakeStores, type StoresUnderTest } from './notification-store.contract.ts';
import { sampleBucket } from './bucket-store.contract.ts';
import { createMessage } from './publisher.contract.ts';
import { fc } from '../property.ts';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const leaseMs = 30_000;
const destination = 'webhook:https://hooks.test/a';

const idsOf = (claimed: readonly Claim<OutgoingMessage>[]): string[] => claimed.map(({ item }) => item.id);

/** Tests of every outbox with one destination. */
export function outboxContract(name: string, makeStores: MakeStores): void {
  describe(`${name} as an outbox`, () => {
    let now: number;
    let stores: StoresUnderTest;
    beforeEach(async () => {
      now = startOfTime;
      stores = await openStores();
    });

    async function openStores(): Promise<StoresUnderTest> {
      const openedStores = await makeStores(() => now, { outbox: { destinationsOf: () => [destination] } });
      await putBucket(openedStores.buckets, sampleBucket('photos'));
      return openedStores;
    }

    const addMessages = async (messages: readonly OutgoingMessage[]): Promise<string[]> => {
      const change = { messages, result: undefined };
      await stores.notifications.changeNotifications({ bucket: 'photos' }, () => change);
      return messages.map(({ id }) => id);
    };
    /** Stores messages with these ordering keys in one change and returns their ids. */
    const addWithKeys = (...keys: string[]): Promise<string[]> =>
      addMessages(keys.map((orderingKey) => createMessage(topic, { orderingKey })));
    const takeClaims = (limit: number, durationMs = leaseMs): Promise<readonly Claim<OutgoingMessage>[]> =>
      stores.outbox.claim([{ destination, limit }], durationMs);
    const claimIds = async (limit: number): Promise<string[]> => idsOf(await takeClaims(limit));
    const completeDeliveries = async (ids: readonly string[]): Promise<void> => {
      const settlement = { owner: 'photos', topic, destination, outcome: 'done' as const };
      expect(await stores.outbox.settle(ids.map((id) => ({ ...settlement, id })))).toEqual([]);
    };
    const release = (claimed: readonly Claim<OutgoingMessage>[], delayMs: number): Promise<unknown> =>
      stores.outbox.settle(claimed.map((claim) => settlementOf(claim, { attempt: claim.attempt, delayMs })));
    const createNumberedKeys = (count: number, name: string): string[] =>
      Array.from({ length: count }, (_, index) => `${name} ${index}`);
    const repeatKey = (count: number, key: string): string[] => Array.from({ length: count }, () => key);

    describe('a change', () => {
      test('stores its messages unchanged, together with its notification', async () => {
        const message = createMessage(topic, {
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
        expect(await takeClaims(10)).toEqual([
          { item: message, owner: 'photos', destination, attempt: 1, failures: 0 },
        ]);
      });

      test('loses none of the messages of 100 concurrent changes', async () => {
        await Promise.all(Array.from({ length: 100 }, (_, index) => addWithKeys(`a${index}`, `b${index}`)));
        expect((await stores.outbox.backlog()).count).toBe(200);
        expect(new Set(await claimIds(1000)).size).toBe(200);
      });
    });

    describe('a claim', () => {
      test('returns up to its limit, and messages of one key in order', async () => {
        const firstIds = await addWithKeys(...repeatKey(3, 'a'));
        const ids = [...firstIds, ...(await addWithKeys(...repeatKey(12, 'a')))];
        expect(await claimIds(0)).toEqual([]);
        expect(await claimIds(5)).toEqual(ids.slice(0, 5));
        await completeDeliveries(ids.slice(0, 5));
        expect(await claimIds(100)).toEqual(ids.slice(5));
      });

      test('locks its key until it is settled, but no other keys', async () => {
        const [a1, , b1] = await addWithKeys('a', 'a', 'b');
        expect(await claimIds(1)).toEqual([a1]);
        expect(await claimIds(10)).toEqual([b1]);
        expect(await claimIds(10)).toEqual([]);
      });

      test('has the first message of each key before the second of any', async () => {
        await addWithKeys(...repeatKey(100, 'huge'));
        const [b1, b2, c1] = await addWithKeys('b', 'b', 'c');
        const claimed = await claimIds(5);
        expect(claimed).toHaveLength(5);
        expect(claimed).toEqual(expect.arrayContaining([b1, b2, c1]));
      });

      test('serves all keys in turn, also with a small limit and many messages of a key', async () => {
        await addWithKeys(...repeatKey(50, 'a'), ...repeatKey(50, 'b'));
        const lateIds = await addWithKeys('c', 'd');
        const servedIds: string[] = [];
        for (let round = 0; round < 4; round += 1) {
          const ids = await claimIds(1);
          servedIds.push(...ids);
          await completeDeliveries(ids);
        }
        expect(servedIds).toEqual(expect.arrayContaining(lateIds));
      });

      test('expires with its lease, and the next has a new attempt number', async () => {
        const ids = await addWithKeys('a', 'a');
        const [first] = await takeClaims(10);
        now += leaseMs - 1;
        expect(await claimIds(10)).toEqual([]);
        now += 1;
        const nextClaims = await takeClaims(10);
        expect(idsOf(nextClaims)).toEqual(ids);
        expect(nextClaims[0]?.attempt).toBe((first?.attempt ?? 0) + 1);
      });

      test('has each message once in 20 concurrent ones', async () => {
        await addWithKeys(...Array.from({ length: 200 }, (_, index) => `key ${index % 40}`));
        const claims = await Promise.all(Array.from({ length: 20 }, () => claimIds(15)));
        expect(new Set(claims.flat()).size).toBe(claims.flat().length);
      });

      test('shares no references with the stored messages', async () => {
        const message = createMessage(topic);
        const expected = structuredClone(message);
        await addMessages([message]);
        mutateDeep(message);
        mutateDeep(await takeClaims(1, 0));
        expect(await takeClaims(1, 0)).toEqual([
          { item: expected, owner: 'photos', destination, attempt: 2, failures: 0 },
        ]);
      });
    });

    describe('a release', () => {
      test('with a delay blocks its key until then, but no other key', async () => {
        const [a1, a2] = await addWithKeys('a', 'a');
        await release(await takeClaims(1), 500);
        const [b1] = await addWithKeys('b');
        expect(await claimIds(10)).toEqual([b1]);
        now += 499;
        expect(await claimIds(10)).toEqual([]);
        now += 1;
        expect(await claimIds(10)).toEqual([a1, a2]);
      });

      test('of many failing keys does not block others', async () => {
        await addWithKeys(...createNumberedKeys(300, 'failing'));
        await release(await takeClaims(300), 5000);
        const [freeId] = await addWithKeys('free');
        expect(await claimIds(1)).toEqual([freeId]);
      });

      test('lets failed keys take turns with others after their delay', async () => {
        const failingIds = await addWithKeys(...createNumberedKeys(300, 'failing'));
        await release(await takeClaims(300), 500);
        now += 500;
        const freeIds = await addWithKeys('free 1', 'free 2', 'free 3');
        const claimed = await claimIds(6);
        expect(claimed.filter((id) => freeIds.includes(id))).toHaveLength(3);
        expect(claimed.filter((id) => failingIds.includes(id))).toHaveLength(3);
      });

      test('lets failed keys take turns in claims of one message; a key recovers once its oldest message is delivered', async () => {
        const [a1, a2] = await addWithKeys('a', 'a', ...createNumberedKeys(10, 'failing'));
        await release(await takeClaims(12), 500);
        now += 500;
        // Claims until it is the turn of the failed key.
        while ((await claimIds(1))[0] !== a1);
        now += leaseMs;
        await completeDeliveries([a1 ?? '']);
        expect([...(await claimIds(1)), ...(await claimIds(1))]).toContain(a2);
      });

      test('frees its message only, not later ones of the key that are still claimed', async () => {
        const [a1] = await addWithKeys('a', 'a');
        await release((await takeClaims(2)).slice(0, 1), 0);
        expect(await claimIds(10)).toEqual([a1]);
      });

      test('is ignored after another claim or a publication', async () => {
        await addWithKeys('a');
        const first = await takeClaims(1);
        now += leaseMs;
        const second = await takeClaims(1);
        await release(first, 0);
        expect(await claimIds(1)).toEqual([]);
        await completeDeliveries(idsOf(second));
        await release(second, 0);
        expect(await stores.outbox.backlog()).toEqual({ count: 0 });
      });
    });

    test('removes settled messages in any order, and ignores unknown ids', async () => {
      const [first, second, third] = (await addWithKeys('a', 'a', 'a')) as [string, string, string];
      await takeClaims(10);
      await completeDeliveries([second, 'unknown']);
      await completeDeliveries([second]);
      await completeDeliveries([]);
      now += leaseMs;
      expect(await claimIds(10)).toEqual([first, third]);
      await completeDeliveries([third, first]);
      expect((await stores.outbox.backlog()).count).toBe(0);
    });

    test('reports the number of messages, claimed or not, and the time of the oldest', async () => {
      const earlyIds = await addWithKeys('a', 'b');
      now += 5000;
      const [third] = await addWithKeys('c');
      await claimIds(1);
      expect(await stores.outbox.backlog()).toEqual({ count: 3, oldestAt: startOfTime });
      await completeDeliveries([third ?? '']);
      expect(await stores.outbox.backlog()).toEqual({ count: 2, oldestAt: startOfTime });
      await addWithKeys('a');
      await completeDeliveries(earlyIds);
      expect(await stores.outbox.backlog()).toEqual({ count: 1, oldestAt: startOfTime + 5000 });
    });

    test('publishes each key completely and in order after any claims, releases and expired leases', async () => {
      const step = fc.record({
        limit: fc.integer({ min: 1, max: 4 }),
        action: fc.constantFrom('publish', 'release', 'delay', 'forget'),
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 }),
          fc.array(step, { maxLength: 12 }),
          async (keys, steps) => {
            stores = await openStores();
            const ids = await addWithKeys(...keys);
            const publishedIds: string[] = [];
            const finalSteps = keys.map(() => ({ limit: 12, action: 'publish' }));
            for (const { limit, action } of [...steps, ...finalSteps]) {
              const claimed = await takeClaims(limit);
              if (action === 'publish') {
                publishedIds.push(...idsOf(claimed));
                await completeDeliveries(idsOf(claimed));
              } else if (action !== 'forget') await release(claimed, action === 'delay' ? 100 : 0);
              now += leaseMs;
            }
            expect([...publishedIds].sort()).toEqual([...ids].sort());
            for (const key of ['a', 'b', 'c']) {
              const idsOfKey = ids.filter((_, index) => keys[index] === key);
              expect(publishedIds.filter((id) => idsOfKey.includes(id))).toEqual(idsOfKey);
            }
          },
        ),
        { numRuns: 20 },
      );
    });
  });
}
