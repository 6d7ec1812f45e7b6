import type {
  BucketChange,
  BucketRecord,
  BucketState,
  BucketStore,
  BucketTarget,
} from '../../src/bucket/bucket.store.ts';
import { sampleNotification, type MakeStores, type StoresUnderTest } from './notification-store.contract.ts';
import { addBucket, day, requestOf, startOfTime, mutateDeep } from './samples.ts';

export const sampleBucket = (name: string): BucketRecord => ({
  name,
  project: 'my-project',
  requesterPays: false,
  managers: ['alice@example.com'],
});

const message = { id: 'm', topic: 'topic', orderingKey: 'k', attributes: {}, data: '' };
const today = '2030-01-01';
const maker = { identity: 'alice@example.com', day: today };

/** What every store of buckets promises. */
export function bucketStoreContract(name: string, makeStores: MakeStores): void {
  describe(`${name} as a bucket store`, () => {
    let now: number;
    let stores: StoresUnderTest;
    let store: BucketStore;
    beforeEach(async () => {
      now = startOfTime;
      stores = await makeStores(() => now);
      store = stores.buckets;
    });

    const stateOf = (target: string | BucketTarget): Promise<BucketState> =>
      store.changeBucket(typeof target === 'string' ? { name: target } : target, (state) => ({
        result: state,
      }));
    const change = (target: string, to: Omit<BucketChange<undefined>, 'result'>): Promise<undefined> =>
      store.changeBucket({ name: target }, () => ({ ...to, result: undefined }));
    const remove = (target: string) => change(target, { removes: true });
    /** Inserts a notification and gives its id; undefined where there is no such bucket. */
    const insert = (bucket: string, topic?: string): Promise<string | undefined> =>
      stores.notifications.changeNotifications({ bucket }, ({ nextId }) => ({
        insert: sampleNotification(bucket, nextId, topic),
        result: nextId,
      }));

    describe('reads', () => {
      test('buckets in the order asked, as often as asked, undefined where there is none', async () => {
        const [photos, videos] = [sampleBucket('photos'), sampleBucket('videos')];
        for (const bucket of [photos, videos]) await addBucket(store, bucket);
        const names = ['videos', 'none', 'photos', 'videos', '__proto__', 'toString', '\u0000'];
        const found = await store.buckets(names);
        expect(found).toEqual([videos, undefined, photos, videos, undefined, undefined, undefined]);
        expect(await store.buckets([])).toEqual([]);
      });

      test('no live references, neither the given nor the found', async () => {
        const given = sampleBucket('live');
        await addBucket(store, given);
        mutateDeep(given);
        mutateDeep((await store.buckets(['live']))[0]);
        mutateDeep(await stateOf('live'));
        mutateDeep(await store.bucketsBehind('', 1));
        expect(await store.buckets(['live'])).toEqual([sampleBucket('live')]);
      });

      const behind = async (after: string, limit: number): Promise<string[]> =>
        (await store.bucketsBehind(after, limit)).map(({ bucket }) => bucket.name);
      const named = ['b', 'B', 'a-b', 'a.b', 'ab', 'é', '10', '9'];
      const inOrder = ['10', '9', 'B', 'a-b', 'a.b', 'ab', 'b', 'é'];

      test('all of them by the bytes of their names, so many behind one, with the highest id of each', async () => {
        for (const each of named) await addBucket(store, sampleBucket(each));
        expect(await behind('', 100)).toEqual(inOrder);
        expect(await behind('a', 2)).toEqual(['a-b', 'a.b']);
        expect([await behind('b', 2), await behind('é', 2)]).toEqual([['é'], []]);
        for (let count = 0; count < 3; count += 1) await insert('10');
        expect((await store.bucketsBehind('', 2)).map(({ lastId }) => lastId)).toEqual([3, 0]);
      });

      test('those of a project that somebody manages, in the same order, as the lists of managers are now', async () => {
        const long = 'p'.repeat(3000);
        const of = async (name: string, after = '', limit = 100, project = 'my-project'): Promise<string[]> =>
          (await store.bucketsOf(project, `${name}@example.com`, after, limit)).map((bucket) => bucket.name);
        const managers = ['ALICE@example.com', 'alice@example.com', 'bob@example.com'];
        for (const each of named) await addBucket(store, { ...sampleBucket(each), managers });
        await addBucket(store, { ...sampleBucket('c'), project: long });
        await addBucket(store, { ...sampleBucket('d'), managers: [] });
        expect([await of('alice'), await of('carol')]).toEqual([inOrder, []]);
        expect(await of('alice', 'a', 2)).toEqual(['a-b', 'a.b']);
        expect([await of('alice', '', 9, long), await of('alice', '', 9, 'p')]).toEqual([['c'], []]);
        await change('ab', {
          next: { ...sampleBucket('ab'), managers: ['Carol@example.com', 'bob@example.com'] },
        });
        await remove('b');
        const left = inOrder.filter((each) => each !== 'b');
        expect(await of('bob')).toEqual(left);
        expect(await of('alice')).toEqual(left.filter((each) => each !== 'ab'));
        expect(await of('carol')).toEqual(['ab']);
      });
    });

    describe('a change', () => {
      const nothing = { bucket: undefined, lastId: 0, madeToday: 0, earlier: undefined };
      const raise = () =>
        store.changeBucket({ name: 'photos' }, ({ bucket = sampleBucket('') }) => ({
          next: { ...bucket, metageneration: (bucket.metageneration ?? 1) + 1 },
          result: 0,
        }));

      test('decides on the bucket as it is, and stores it in its place', async () => {
        expect(await stateOf('photos')).toEqual(nothing);
        const first = sampleBucket('photos');
        const second = { ...first, metageneration: 2, idsBefore: 0, requesterPays: true };
        for (const next of [first, second]) await change('photos', { next });
        expect(await stateOf('photos')).toMatchObject({ bucket: second });
        expect(await store.buckets(['photos'])).toEqual([second]);
      });

      test('that is refused, or decides on nothing, stores nothing', async () => {
        const refusal = new Error('no');
        const target = { name: 'photos', maker, request: requestOf('retry') };
        const refused = store.changeBucket(target, () => {
          throw refusal;
        });
        await expect(refused).rejects.toBe(refusal);
        await store.changeBucket(target, () => ({ result: 1 }));
        await remove('photos');
        expect(await stateOf(target)).toEqual(nothing);
      });

      test('sees those before it: of 50 that would make a bucket at once one does, and 50 changes of it are counted', async () => {
        const made = await Promise.all(
          Array.from({ length: 50 }, () =>
            store.changeBucket({ name: 'photos' }, ({ bucket }) =>
              bucket ? { result: false } : { next: sampleBucket('photos'), result: true },
            ),
          ),
        );
        expect(made.filter(Boolean)).toHaveLength(1);
        await Promise.all(Array.from({ length: 50 }, raise));
        expect(await store.buckets(['photos'])).toEqual([{ ...sampleBucket('photos'), metageneration: 51 }]);
      });

      test('is seen by what is decided on notifications', async () => {
        await addBucket(store, sampleBucket('photos'));
        await insert('photos', 'topic');
        const next = { ...sampleBucket('photos'), managers: ['bob@example.com'] };
        await change('photos', { next });
        expect(
          await stores.notifications.changeNotifications({ bucket: 'photos' }, ({ bucket, existing }) => ({
            result: [bucket, existing.length],
          })),
        ).toEqual([next, 1]);
      });

      test('is found again by its request with the outcome, to the last millisecond', async () => {
        await store.changeBucket({ name: 'photos', request: requestOf('retry') }, () => ({
          next: sampleBucket('photos'),
          outcome: { a: [1, null] },
          result: 0,
        }));
        const earlierOf = async (): Promise<unknown> =>
          (await stateOf({ name: 'other', request: requestOf('retry', 'other') })).earlier;
        now = startOfTime + day - 1;
        expect(await earlierOf()).toMatchObject({ fingerprint: 'the input', outcome: { a: [1, null] } });
        now += 1;
        expect(await earlierOf()).toBeUndefined();
      });
    });

    describe('what somebody makes on a day', () => {
      const make = (bucket: string) =>
        store.changeBucket({ name: bucket, maker }, () => ({
          next: sampleBucket(bucket),
          result: undefined,
        }));
      const madeBy = async (identity: string, on = today): Promise<number> =>
        (await stateOf({ name: 'none', maker: { identity, day: on } })).madeToday;

      test('is counted with what was deleted, without changes, for each by themselves and each day anew', async () => {
        for (const each of ['a', 'b']) await make(each);
        await remove('a');
        await make('b');
        await addBucket(store, sampleBucket('of nobody'));
        expect(await madeBy(maker.identity)).toBe(2);
        expect([await madeBy('bob@example.com'), await madeBy(maker.identity, '2030-01-02')]).toEqual([0, 0]);
        await make('a');
        expect(await madeBy(maker.identity)).toBe(3);
      });

      test('is known to each of 20 that come at once, so that a limit holds', async () => {
        const attempts = Array.from({ length: 20 }, (_, index) =>
          store.changeBucket({ name: `b${index}`, maker }, ({ madeToday }) => {
            if (madeToday >= 5) throw new Error('full');
            return { next: sampleBucket(`b${index}`), result: undefined };
          }),
        );
        expect(
          (await Promise.allSettled(attempts)).filter(({ status }) => status === 'fulfilled'),
        ).toHaveLength(5);
        expect(await madeBy(maker.identity)).toBe(5);
      });
    });

    describe('a bucket that is deleted', () => {
      beforeEach(async () => {
        for (const each of ['photos', 'videos']) await addBucket(store, sampleBucket(each));
        for (const topic of ['own', 'shared', undefined]) await insert('photos', topic);
        await insert('videos', 'shared');
      });

      test('is gone with its notifications and topics, and nothing of others is', async () => {
        await remove('photos');
        expect(await store.buckets(['photos', 'videos'])).toEqual([undefined, sampleBucket('videos')]);
        expect(
          (await stores.notifications.notifications(['photos', 'videos'])).map((found) => found.length),
        ).toEqual([0, 1]);
        expect(await stores.notifications.bucketsWithTopic('own')).toEqual([]);
        expect(await stores.notifications.bucketsWithTopic('shared')).toEqual(['videos']);
        expect(await insert('photos')).toBeUndefined();
        await remove('photos');
      });

      test('leaves its name free, and ids count on, as often as that happens', async () => {
        for (const expected of [3, 4]) {
          await remove('photos');
          expect(await stateOf('photos')).toMatchObject({ bucket: undefined, lastId: expected });
          await addBucket(store, sampleBucket('photos'));
          expect(await insert('photos')).toBe(String(expected + 1));
        }
      });

      test('leaves the messages that wait', async () => {
        await stores.notifications.changeNotifications({ bucket: 'photos' }, () => ({
          messages: [message],
          result: undefined,
        }));
        await remove('photos');
        expect(await stores.outbox.claim([{ destination: 'broker', limit: 10 }], 1000)).toMatchObject([
          { item: { id: 'm' } },
        ]);
      });

      test('goes on behind an id that comes with it, where it is not further', async () => {
        await change('photos', { next: sampleBucket('photos'), lastId: 2 });
        await change('new', { next: sampleBucket('new'), lastId: 41 });
        await remove('videos');
        await change('videos', { next: sampleBucket('videos'), lastId: 7 });
        for (const [bucket, id] of [
          ['photos', '4'],
          ['new', '42'],
          ['videos', '8'],
        ] as const)
          expect(await insert(bucket)).toBe(id);
      });

      test('takes part in no decision on another bucket of its name: 40 that delete, make and fill it at once keep all in order', async () => {
        await Promise.all(
          Array.from({ length: 40 }, async (_, index) => {
            if (index % 2 === 0) return insert('photos', 'own');
            return store.changeBucket({ name: 'photos' }, ({ bucket, lastId }) => {
              return bucket
                ? { removes: true, result: undefined }
                : { next: { ...sampleBucket('photos'), idsBefore: lastId }, result: undefined };
            });
          }),
        );
        const { bucket, lastId } = await stateOf('photos');
        const [left = []] = await stores.notifications.notifications(['photos']);
        const [from, to] = bucket ? [bucket.idsBefore ?? 0, lastId] : [0, 0];
        expect(left.filter(({ id }) => Number(id) <= from || Number(id) > to)).toEqual([]);
        expect(await stores.notifications.bucketsWithTopic('own')).toEqual(left.length > 0 ? ['photos'] : []);
      });
    });
  });
}
