import type { BucketChange, BucketRecord, BucketState, BucketStore } from '../../src/bucket/bucket.store.ts';
import { sampleNotification, type MakeStores, type StoresUnderTest } from './notification-store.contract.ts';
import { putBucket, dayMs, createSampleRequest, startOfTime, mutateDeep } from './samples.ts';

/** Creates a bucket that Alice manages. */
export const sampleBucket = (name: string): BucketRecord => ({
  name,
  project: 'my-project',
  requesterPays: false,
  managers: ['alice@example.com'],
});

const message = { id: 'm', topic: 'topic', orderingKey: 'k', attributes: {}, data: '' };
const today = '2030-01-01';
const quotaKeyToday = { identity: 'alice@example.com', day: today };

/** Tests of every bucket store. */
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

    const readState = (name: string, more: object = {}): Promise<BucketState> =>
      store.changeBucket({ name, ...more }, (state) => ({ result: state }));
    const changeBucket = (
      target: string,
      decision: Omit<BucketChange<undefined>, 'result'>,
    ): Promise<undefined> => store.changeBucket({ name: target }, () => ({ ...decision, result: undefined }));
    const removeBucket = (target: string) => changeBucket(target, { removes: true });
    /** Inserts a notification and returns its id; undefined if there is no such bucket. */
    const insertNotification = (bucket: string, topic?: string): Promise<string | undefined> =>
      stores.notifications.changeNotifications({ bucket }, ({ nextId }) => ({
        insert: sampleNotification(bucket, nextId, topic),
        result: nextId,
      }));

    describe('reading', () => {
      test('returns buckets in the given order with duplicates, undefined for missing ones', async () => {
        const [photos, videos] = [sampleBucket('photos'), sampleBucket('videos')];
        for (const bucket of [photos, videos]) await putBucket(store, bucket);
        const requestedNames = ['videos', 'none', 'photos', 'videos', '__proto__', 'toString', '\u0000'];
        const buckets = await store.buckets(requestedNames);
        expect(buckets).toEqual([videos, undefined, photos, videos, undefined, undefined, undefined]);
        expect(await store.buckets([])).toEqual([]);
      });

      test('shares no references with its input or results', async () => {
        const inputBucket = sampleBucket('live');
        await putBucket(store, inputBucket);
        mutateDeep(inputBucket);
        mutateDeep((await store.buckets(['live']))[0]);
        mutateDeep(await readState('live'));
        mutateDeep(await store.bucketsAfter('', 1));
        expect(await store.buckets(['live'])).toEqual([sampleBucket('live')]);
      });

      const listNamesAfter = async (after: string, limit: number): Promise<string[]> =>
        (await store.bucketsAfter(after, limit)).map(({ bucket }) => bucket.name);
      const names = ['b', 'B', 'a-b', 'a.b', 'ab', 'é', '10', '9'];
      const sortedNames = ['10', '9', 'B', 'a-b', 'a.b', 'ab', 'b', 'é'];

      test('pages through all buckets by the bytes of their names, with their last notification id', async () => {
        for (const name of names) await putBucket(store, sampleBucket(name));
        expect(await listNamesAfter('', 100)).toEqual(sortedNames);
        expect(await listNamesAfter('a', 2)).toEqual(['a-b', 'a.b']);
        expect([await listNamesAfter('b', 2), await listNamesAfter('é', 2)]).toEqual([['é'], []]);
        for (let count = 0; count < 3; count += 1) await insertNotification('10');
        expect((await store.bucketsAfter('', 2)).map(({ lastId }) => lastId)).toEqual([3, 0]);
      });

      test('pages through the buckets of a project and a manager in the same order', async () => {
        const longProject = 'p'.repeat(3000);
        const listNamesOfManager = async (name: string, after = '', limit = 100, project = 'my-project') =>
          (await store.bucketsOf(project, `${name}@example.com`, after, limit)).map((bucket) => bucket.name);
        const managers = ['ALICE@example.com', 'alice@example.com', 'bob@example.com'];
        for (const name of names) await putBucket(store, { ...sampleBucket(name), managers });
        await putBucket(store, { ...sampleBucket('c'), project: longProject });
        await putBucket(store, { ...sampleBucket('d'), managers: [] });
        expect([await listNamesOfManager('alice'), await listNamesOfManager('carol')]).toEqual([
          sortedNames,
          [],
        ]);
        expect(await listNamesOfManager('alice', 'a', 2)).toEqual(['a-b', 'a.b']);
        expect(await listNamesOfManager('alice', '', 9, longProject)).toEqual(['c']);
        expect(await listNamesOfManager('alice', '', 9, 'p')).toEqual([]);
        const newManagers = ['Carol@example.com', 'bob@example.com'];
        await changeBucket('ab', { next: { ...sampleBucket('ab'), managers: newManagers } });
        await removeBucket('b');
        const remaining = sortedNames.filter((name) => name !== 'b');
        expect(await listNamesOfManager('bob')).toEqual(remaining);
        expect(await listNamesOfManager('alice')).toEqual(remaining.filter((name) => name !== 'ab'));
        expect(await listNamesOfManager('carol')).toEqual(['ab']);
      });
    });

    describe('a change', () => {
      const emptyState = { bucket: undefined, lastId: 0, createdToday: 0, earlierRequest: undefined };
      const raiseMetageneration = () =>
        store.changeBucket({ name: 'photos' }, ({ bucket = sampleBucket('') }) => ({
          next: { ...bucket, metageneration: (bucket.metageneration ?? 1) + 1 },
          result: 0,
        }));

      test('decides on the current bucket and replaces it', async () => {
        expect(await readState('photos')).toEqual(emptyState);
        const first = sampleBucket('photos');
        const second = { ...first, metageneration: 2, idsBefore: 0, requesterPays: true };
        for (const next of [first, second]) await changeBucket('photos', { next });
        expect(await readState('photos')).toMatchObject({ bucket: second });
        expect(await store.buckets(['photos'])).toEqual([second]);
      });

      test('that throws or decides on nothing stores nothing', async () => {
        const refusal = new Error('no');
        const target = { name: 'photos', quotaKey: quotaKeyToday, request: createSampleRequest('retry') };
        const refusedChange = store.changeBucket(target, () => {
          throw refusal;
        });
        await expect(refusedChange).rejects.toBe(refusal);
        await store.changeBucket(target, () => ({ result: 1 }));
        await removeBucket('photos');
        expect(
          await readState('photos', { quotaKey: quotaKeyToday, request: createSampleRequest('retry') }),
        ).toEqual(emptyState);
      });

      test('sees earlier ones: of 50 concurrent inserts one succeeds, and 50 concurrent changes all count', async () => {
        const results = await Promise.all(
          Array.from({ length: 50 }, () =>
            store.changeBucket({ name: 'photos' }, ({ bucket }) =>
              bucket ? { result: false } : { next: sampleBucket('photos'), result: true },
            ),
          ),
        );
        expect(results.filter(Boolean)).toHaveLength(1);
        await Promise.all(Array.from({ length: 50 }, raiseMetageneration));
        expect(await store.buckets(['photos'])).toEqual([{ ...sampleBucket('photos'), metageneration: 51 }]);
      });

      test('is visible to decisions on notifications', async () => {
        await putBucket(store, sampleBucket('photos'));
        await insertNotification('photos', 'topic');
        const next = { ...sampleBucket('photos'), managers: ['bob@example.com'] };
        await changeBucket('photos', { next });
        expect(
          await stores.notifications.changeNotifications(
            { bucket: 'photos' },
            ({ bucket, storedNotifications }) => ({
              result: [bucket, storedNotifications.length],
            }),
          ),
        ).toEqual([next, 1]);
      });

      test('is found by its request, with its outcome, for a day', async () => {
        await store.changeBucket({ name: 'photos', request: createSampleRequest('retry') }, () => ({
          next: sampleBucket('photos'),
          outcome: { a: [1, null] },
          result: 0,
        }));
        const loadEarlierRequest = async (): Promise<unknown> =>
          (await readState('other', { request: createSampleRequest('retry', 'other') })).earlierRequest;
        now = startOfTime + dayMs - 1;
        expect(await loadEarlierRequest()).toMatchObject({
          fingerprint: 'the input',
          outcome: { a: [1, null] },
        });
        now += 1;
        expect(await loadEarlierRequest()).toBeUndefined();
      });
    });

    describe('the daily count of inserts', () => {
      const insertBucket = (bucket: string) =>
        store.changeBucket({ name: bucket, quotaKey: quotaKeyToday }, () => ({
          next: sampleBucket(bucket),
          result: undefined,
        }));
      const countInserts = async (identity: string, onDay = today): Promise<number> =>
        (await readState('none', { quotaKey: { identity, day: onDay } })).createdToday;

      test('includes deleted buckets but no changes, and is separate by caller and day', async () => {
        for (const name of ['a', 'b']) await insertBucket(name);
        await removeBucket('a');
        await insertBucket('b');
        await putBucket(store, sampleBucket('of nobody'));
        expect(await countInserts(quotaKeyToday.identity)).toBe(2);
        expect(await countInserts('bob@example.com')).toBe(0);
        expect(await countInserts(quotaKeyToday.identity, '2030-01-02')).toBe(0);
        await insertBucket('a');
        expect(await countInserts(quotaKeyToday.identity)).toBe(3);
      });

      test('is exact for 20 concurrent inserts, so that a limit holds', async () => {
        const attempts = Array.from({ length: 20 }, (_, index) =>
          store.changeBucket({ name: `b${index}`, quotaKey: quotaKeyToday }, ({ createdToday }) => {
            if (createdToday >= 5) throw new Error('full');
            return { next: sampleBucket(`b${index}`), result: undefined };
          }),
        );
        const results = await Promise.allSettled(attempts);
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
        expect(await countInserts(quotaKeyToday.identity)).toBe(5);
      });
    });

    describe('a deleted bucket', () => {
      beforeEach(async () => {
        for (const name of ['photos', 'videos']) await putBucket(store, sampleBucket(name));
        for (const topic of ['own', 'shared', undefined]) await insertNotification('photos', topic);
        await insertNotification('videos', 'shared');
      });

      test('is removed with its notifications and topics only', async () => {
        await removeBucket('photos');
        expect(await store.buckets(['photos', 'videos'])).toEqual([undefined, sampleBucket('videos')]);
        const remaining = await stores.notifications.notifications(['photos', 'videos']);
        expect(remaining.map(({ length }) => length)).toEqual([0, 1]);
        expect(await stores.notifications.bucketsWithTopic('own')).toEqual([]);
        expect(await stores.notifications.bucketsWithTopic('shared')).toEqual(['videos']);
        expect(await insertNotification('photos')).toBeUndefined();
        await removeBucket('photos');
      });

      test('frees its name, and notification ids continue each time', async () => {
        for (const expectedLastId of [3, 4]) {
          await removeBucket('photos');
          expect(await readState('photos')).toMatchObject({ bucket: undefined, lastId: expectedLastId });
          await putBucket(store, sampleBucket('photos'));
          expect(await insertNotification('photos')).toBe(String(expectedLastId + 1));
        }
      });

      test('leaves its messages in the outbox', async () => {
        const change = { messages: [message], result: undefined };
        await stores.notifications.changeNotifications({ bucket: 'photos' }, () => change);
        await removeBucket('photos');
        const claims = await stores.outbox.claim([{ destination: 'broker', limit: 10 }], 1000);
        expect(claims).toMatchObject([{ item: { id: 'm' } }]);
      });

      test('continues ids after the higher of its own and the given last id', async () => {
        await changeBucket('photos', { next: sampleBucket('photos'), lastId: 2 });
        await changeBucket('new', { next: sampleBucket('new'), lastId: 41 });
        await removeBucket('videos');
        await changeBucket('videos', { next: sampleBucket('videos'), lastId: 7 });
        const ids = await Promise.all(
          ['photos', 'new', 'videos'].map((bucket) => insertNotification(bucket)),
        );
        expect(ids).toEqual(['4', '42', '8']);
      });

      test('and its notifications stay consistent in 40 concurrent inserts and deletes', async () => {
        await Promise.all(
          Array.from({ length: 40 }, async (_, index) => {
            if (index % 2 === 0) return insertNotification('photos', 'own');
            return store.changeBucket({ name: 'photos' }, ({ bucket, lastId }) =>
              bucket
                ? { removes: true, result: undefined }
                : { next: { ...sampleBucket('photos'), idsBefore: lastId }, result: undefined },
            );
          }),
        );
        const { bucket, lastId } = await readState('photos');
        const [remaining = []] = await stores.notifications.notifications(['photos']);
        const [from, to] = bucket ? [bucket.idsBefore ?? 0, lastId] : [0, 0];
        expect(remaining.filter(({ id }) => Number(id) <= from || Number(id) > to)).toEqual([]);
        const hasNotifications = remaining.length > 0;
        expect(await stores.notifications.bucketsWithTopic('own')).toEqual(
          hasNotifications ? ['photos'] : [],
        );
      });
    });
  });
}
