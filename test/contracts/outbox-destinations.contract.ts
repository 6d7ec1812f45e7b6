import { bytesOf } from '../../src/core/kernel/size.ts';
import type { OutgoingMessage } from '../../src/notification/message.store.ts';
import { OutboxFullError, type Capacity, type Claim, type DestinationsOf, type OutboxLimits } from '../../src/outbox/outbox.store.ts';
import { sampleBucket } from './bucket-store.contract.ts';
import type { MakeStores, StoresUnderTest } from './notification-store.contract.ts';
import { messageOn } from './publisher.contract.ts';
import { addBucket, startOfTime } from './samples.ts';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const lease = 30_000;
const hook = 'webhook:https://hooks.test/a';
const otherHook = 'webhook:https://hooks.test/b';

const idsOf = (claimed: readonly Claim<OutgoingMessage>[]): string[] => claimed.map(({ item }) => item.id);

/** What every outbox promises of items that wait for several destinations. */
export function outboxDestinationsContract(name: string, makeStores: MakeStores): void {
  describe(`${name} as an outbox for several destinations`, () => {
    const toAll: DestinationsOf = ({ orderingKey }) => (orderingKey === 'broker only' ? ['broker'] : ['broker', hook, otherHook]);
    let stores: StoresUnderTest;
    beforeEach(async () => {
      stores = await openStores();
    });
    async function openStores(destinationsOf = toAll, limits?: OutboxLimits): Promise<StoresUnderTest> {
      const made = await makeStores(() => startOfTime, { outbox: { destinationsOf, ...(limits && { limits }) } });
      await addBucket(made.buckets, sampleBucket('photos'));
      return made;
    }
    const add = async (...messages: readonly OutgoingMessage[]): Promise<string[]> => {
      await stores.notifications.changeNotifications({ bucket: 'photos' }, () => ({ messages, result: undefined }));
      return messages.map(({ id }) => id);
    };
    const claim = async (...capacities: readonly Capacity[]): Promise<string[][]> => {
      const claims = await stores.outbox.claim(capacities, lease);
      return capacities.map(({ destination }) => idsOf(claims.filter((one) => one.destination === destination)));
    };
    const all = (limit: number): Capacity[] => ['broker', hook, otherHook].map((destination) => ({ destination, limit }));
    const logged = async (): Promise<string[]> => (await stores.messages.read(topic)).messages.map(({ id }) => id);

    test('an item waits for each of its destinations, and for no other', async () => {
      const [a, b] = await add(messageOn(topic), messageOn(topic, { orderingKey: 'broker only' }));
      expect(await claim({ destination: hook, limit: 10 })).toEqual([[a]]);
      expect((await claim(...all(10))).map((ids) => ids.sort())).toEqual([[a, b].sort(), [], [a]]);
      expect(await claim({ destination: 'mail', limit: 10 })).toEqual([[]]);
    });

    test('each destination has a limit of its own', async () => {
      await add(...Array.from({ length: 5 }, (_, index) => messageOn(topic, { orderingKey: `key ${index}` })));
      const claimed = await claim({ destination: 'broker', limit: 4 }, { destination: hook, limit: 1 }, { destination: otherHook, limit: 0 });
      expect(claimed.map(({ length }) => length)).toEqual([4, 1, 0]);
    });

    test('what one has taken, dropped or failed to take is the same for the others as before', async () => {
      const [first, second, third] = (await add(messageOn(topic), messageOn(topic), messageOn(topic))) as [string, string, string];
      await claim({ destination: hook, limit: 10 });
      await stores.outbox.complete([{ id: first, destination: hook }]);
      await stores.outbox.drop([{ id: second, destination: hook }]);
      await stores.outbox.release([{ id: third, destination: hook, attempt: 1, delayMs: 1000 }]);
      expect(await claim(...all(10))).toEqual([[first, second, third], [], [first, second, third]]);
    });

    test('an item counts once in the backlog, until no destination waits for it', async () => {
      const [id] = (await add(messageOn(topic))) as [string];
      for (const [destination, count] of [['broker', 1], [hook, 1], [otherHook, 0]] as const) {
        await stores.outbox.complete([{ id, destination }]);
        expect((await stores.outbox.backlog()).count).toBe(count);
      }
    });

    test.each([[['broker', hook, otherHook]], [[hook, 'broker', otherHook]], [[otherHook, hook, 'broker']]])('the log shows a message once, from the first delivery on: %j', async (order) => {
      const [first, second] = (await add(messageOn(topic), messageOn(topic))) as [string, string];
      await stores.outbox.drop([{ id: second, destination: order[0] as string }]);
      expect(await logged()).toEqual([]);
      await stores.outbox.complete([{ id: first, destination: order[0] as string }]);
      expect(await logged()).toEqual([first]);
      await stores.outbox.complete(order.slice(1).flatMap((destination) => [{ id: first, destination }, { id: second, destination }]));
      expect(await logged()).toEqual([first, second]);
      expect(await stores.outbox.backlog()).toEqual({ count: 0 });
    });

    test('the log shows messages once that several destinations take at the same time', async () => {
      const ids = await add(...Array.from({ length: 40 }, (_, index) => messageOn(topic, { orderingKey: `key ${index % 7}` })));
      await Promise.all(['broker', hook, otherHook].flatMap((destination) => ids.map((id) => stores.outbox.complete([{ id, destination }]))));
      expect([...(await logged())].sort()).toEqual([...ids].sort());
      expect(await stores.outbox.backlog()).toEqual({ count: 0 });
    });

    test('each destination has room of its own, and a change is stored for all of them or for none', async () => {
      const size = bytesOf(messageOn(topic, { id: 'message-1000-10000' })) + 20;
      stores = await openStores(({ orderingKey }) => (orderingKey === 'broker' ? ['broker'] : ['broker', hook]), { bytes: 2 * size, bytesPerOwner: 2 * size });
      await add(messageOn(topic));
      await stores.outbox.complete((await stores.outbox.claim([{ destination: 'broker', limit: 1 }], lease)).map(({ item }) => ({ id: item.id, destination: 'broker' })));
      await add(messageOn(topic));
      await expect(add(messageOn(topic))).rejects.toThrow(OutboxFullError);
      await add(messageOn(topic, { orderingKey: 'broker' }));
      expect((await stores.outbox.backlog()).count).toBe(3);
    });
  });
}
