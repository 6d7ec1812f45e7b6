import type { Clock } from '../../src/core/runtime/clock.ts';
import { recordBytes, type RequestRecord, type RequestRecordLimits } from '../../src/core/request-record.ts';
import type { BucketStore } from '../../src/bucket/bucket.store.ts';
import type {
  MessageLog,
  NotificationState,
  NotificationStore,
  OutgoingMessage,
  StoredNotification,
} from '../../src/notification/notification.store.ts';
import type { Outbox, OutboxRules } from '../../src/outbox/outbox.store.ts';
import { sampleBucket } from './bucket-store.contract.ts';
import { eventually } from '../eventually.ts';
import { addBucket, day, requestOf, startOfTime, mutateDeep } from './samples.ts';

/** A notification of the contract's own: what a store must know of one, and content it knows nothing of. */
export interface SampleNotification extends StoredNotification {
  readonly attributes: Readonly<Record<string, string>>;
}

/** Stores that belong together. */
export interface StoresUnderTest {
  readonly buckets: BucketStore;
  readonly notifications: NotificationStore<SampleNotification>;
  readonly outbox: Outbox<OutgoingMessage>;
  readonly messages: MessageLog;
}

/** Rules other than the usual ones. */
export interface StoreRules {
  readonly outbox?: Partial<OutboxRules>;
  readonly requests?: RequestRecordLimits;
}

/** Makes empty stores that tell the time by `clock`. */
export type MakeStores = (clock: Clock, rules?: StoreRules) => StoresUnderTest | Promise<StoresUnderTest>;

/** The notification as a service would make it. */
export const sampleNotification = (bucket: string, id: string, topic?: string): SampleNotification => ({
  id,
  bucket,
  ...(topic !== undefined && { topic }),
  attributes: { 'ключ 🙂': 'значение', ['__proto__']: 'kept', constructor: 'kept' },
});

/** What every store of notifications promises beside its messages. */
export function notificationStoreContract(name: string, makeStores: MakeStores): void {
  describe(`${name} as a notification store`, () => {
    let now: number;
    let store: NotificationStore<SampleNotification>;
    let outbox: StoresUnderTest['outbox'];
    beforeEach(async () => {
      now = startOfTime;
      const stores = await makeStores(() => now);
      store = stores.notifications;
      outbox = stores.outbox;
      for (const bucket of ['photos', 'videos']) await addBucket(stores.buckets, sampleBucket(bucket));
    });

    /** Adds a notification under the next free id and gives that id, or the id an earlier request got. */
    const insert = (bucket: string, topic?: string, request?: RequestRecord): Promise<string | undefined> =>
      store.changeNotifications<string>({ bucket, request }, ({ nextId, earlier }) =>
        earlier
          ? { result: `again ${(earlier.outcome as { id: string }).id}` }
          : { insert: sampleNotification(bucket, nextId, topic), outcome: { id: nextId }, result: nextId },
      );
    const remove = (bucket: string, id: string) =>
      store.changeNotifications({ bucket }, () => ({ remove: id, result: undefined }));
    const idsIn = async (bucket: string): Promise<string[]> =>
      ((await store.notifications([bucket]))[0] ?? []).map(({ id }) => id);
    const stateOf = async (
      bucket: string,
      request?: RequestRecord,
    ): Promise<NotificationState<SampleNotification> | undefined> =>
      store.changeNotifications({ bucket, request }, (state) => ({ result: state }));

    describe('notifications', () => {
      test('come bucket by bucket in the order asked, oldest first', async () => {
        for (const bucket of ['photos', 'videos', 'photos', 'photos']) await insert(bucket);
        await remove('photos', '2');
        await insert('photos');
        const photos = ['1', '3', '4'].map((id) => sampleNotification('photos', id));
        const expected = [[sampleNotification('videos', '1')], [], photos, []];
        expect(await store.notifications(['videos', 'none', 'photos', '__proto__'])).toEqual(expected);
        expect(await store.notifications([])).toEqual([]);
      });

      test('stay in the order in which they came beyond ten', async () => {
        for (let count = 0; count < 12; count += 1) await insert('photos');
        expect(await idsIn('photos')).toEqual(Array.from({ length: 12 }, (_, index) => String(index + 1)));
      });

      test('are no live references, neither what was put in nor what came out', async () => {
        const given = sampleNotification('photos', '1', 'topic');
        const request = requestOf('live');
        await store.changeNotifications({ bucket: 'photos', request }, () => ({
          insert: given,
          outcome: { of: [given] },
          result: given,
        }));
        mutateDeep(given);
        mutateDeep(await store.notifications(['photos']));
        mutateDeep(await stateOf('photos', request));
        const expected = [sampleNotification('photos', '1', 'topic')];
        expect(await store.notifications(['photos'])).toEqual([expected]);
        expect(await stateOf('photos', request)).toMatchObject({
          existing: expected,
          earlier: { outcome: { of: expected } },
        });
      });

      test('lead from a topic to the buckets that publish to it now', async () => {
        const bucketsOf = async (topic: string): Promise<string[]> =>
          [...(await store.bucketsWithTopic(topic))].sort();
        for (const bucket of ['photos', 'photos', 'videos']) await insert(bucket, 'shared');
        await insert('videos', 'own');
        await insert('photos');
        expect(await bucketsOf('shared')).toEqual(['photos', 'videos']);
        expect([await bucketsOf('own'), await bucketsOf('none')]).toEqual([['videos'], []]);
        for (const [bucket, id, left] of [
          ['photos', '1', ['photos', 'videos']],
          ['photos', '2', ['videos']],
          ['videos', '1', []],
        ] as const) {
          await remove(bucket, id);
          expect(await bucketsOf('shared')).toEqual(left);
        }
        await insert('photos', 'shared');
        expect(await bucketsOf('shared')).toEqual(['photos']);
      });
    });

    describe('a change', () => {
      test('of a bucket that is not there decides nothing', async () => {
        let decisions = 0;
        const decide = () => ({ insert: sampleNotification('none', '1'), result: (decisions += 1) });
        expect(await store.changeNotifications({ bucket: 'none' }, decide)).toBeUndefined();
        expect(decisions).toBe(0);
        expect(await store.notifications(['none'])).toEqual([[]]);
      });

      test('decides on the bucket, its notifications and the next id', async () => {
        expect(await stateOf('photos')).toEqual({
          bucket: sampleBucket('photos'),
          existing: [],
          nextId: '1',
          earlier: undefined,
        });
        await insert('photos');
        await insert('videos');
        expect(await stateOf('photos')).toMatchObject({
          existing: [sampleNotification('photos', '1')],
          nextId: '2',
        });
      });

      test('that is refused, or decides on nothing, stores nothing and uses up no id', async () => {
        const refusal = new Error('too many');
        const refused = store.changeNotifications({ bucket: 'photos', request: requestOf('retry') }, () => {
          throw refusal;
        });
        await expect(refused).rejects.toBe(refusal);
        await stateOf('photos', requestOf('retry'));
        const unchanged = { existing: [], nextId: '1', earlier: undefined };
        expect(await stateOf('photos', requestOf('retry'))).toMatchObject(unchanged);
        expect((await outbox.backlog()).count).toBe(0);
      });

      test('sees those before it, so that a limit holds for 50 that come at once', async () => {
        const attempts = Array.from({ length: 50 }, () =>
          store.changeNotifications({ bucket: 'photos' }, ({ existing, nextId }) => {
            if (existing.length >= 10) throw new Error('full');
            return { insert: sampleNotification('photos', nextId), result: nextId };
          }),
        );
        const results = await Promise.allSettled(attempts);
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
        expect(await idsIn('photos')).toHaveLength(10);
      });

      test('removes what it names, and nothing where there is none', async () => {
        for (const bucket of ['photos', 'videos']) await insert(bucket);
        for (const id of ['2', '', '1', '1']) await remove('photos', id);
        expect([await idsIn('photos'), await idsIn('videos')]).toEqual([[], ['1']]);
      });
    });

    describe('an id', () => {
      test('is never used again, not even that of the last one when all are gone', async () => {
        for (let count = 0; count < 3; count += 1) await insert('photos');
        for (const id of ['3', '1', '2']) await remove('photos', id);
        expect(await insert('photos')).toBe('4');
      });

      test('that is brought along is kept, and counting goes on behind the highest', async () => {
        for (const id of ['41', '7']) {
          const given = { insert: sampleNotification('photos', id), result: id };
          await store.changeNotifications({ bucket: 'photos' }, () => given);
        }
        expect(await insert('photos')).toBe('42');
        expect(await idsIn('photos')).toEqual(['41', '7', '42']);
      });

      test('is one of a kind for 100 that come at once', async () => {
        const ids = (await Promise.all(Array.from({ length: 100 }, () => insert('photos')))).map(Number);
        expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index + 1));
      });
    });

    describe('a request', () => {
      test('is found again with the outcome it was given, in any bucket, with its own fingerprint', async () => {
        const outcome = { list: [1, null, { ключ: '🙂' }], text: '' };
        const request = requestOf('retry', 'input');
        await store.changeNotifications({ bucket: 'photos', request }, () => ({ outcome, result: 0 }));
        const earlier = { fingerprint: 'input', outcome };
        expect(await stateOf('videos', requestOf('retry', 'other input'))).toMatchObject({ earlier });
        for (const other of [requestOf('another'), undefined])
          expect((await stateOf('photos', other))?.earlier).toBeUndefined();
      });

      test('is remembered to the last millisecond of its time, and no longer', async () => {
        await insert('photos', undefined, requestOf('retry'));
        now = startOfTime + day - 1;
        expect(await insert('photos', undefined, requestOf('retry'))).toBe('again 1');
        now = startOfTime + day;
        expect(await insert('photos', undefined, requestOf('retry', 'other', now + day))).toBe('2');
        expect(await insert('photos', undefined, requestOf('retry', 'other', now + day))).toBe('again 2');
      });

      test('goes before its time where the caller has too many, the oldest first, and no request of others', async () => {
        const request = (caller: string, nth: number): RequestRecord => ({
          ...requestOf(`${caller} ${nth}`, 'input', startOfTime + day + nth),
          caller,
        });
        const size = recordBytes('ada 1', { fingerprint: 'input', until: startOfTime, outcome: { x: 1 } });
        const stores = await makeStores(() => now, {
          requests: { bytes: 100 * size, bytesPerCaller: 2 * size },
        });
        store = stores.notifications;
        await addBucket(stores.buckets, sampleBucket('photos'));
        const requests = [request('ada', 1), request('bob', 1), request('bob', 2), request('bob', 3)];
        const decision = { outcome: { x: 1 }, result: 0 };
        for (const one of requests)
          await store.changeNotifications({ bucket: 'photos', request: one }, () => decision);
        // Where they stand on many nodes, in the background.
        await eventually(async () => {
          const found = await Promise.all(
            requests.map(async (one) => (await stateOf('photos', one))?.earlier !== undefined),
          );
          expect(found).toEqual([true, false, true, true]);
        });
      });

      test('sent 100 times at once is decided with an earlier outcome all but once', async () => {
        const results = await Promise.all(
          Array.from({ length: 100 }, () => insert('photos', undefined, requestOf('retry'))),
        );
        expect(results.filter((result) => result === '1')).toHaveLength(1);
        expect(results.filter((result) => result === 'again 1')).toHaveLength(99);
        expect(await idsIn('photos')).toEqual(['1']);
      });
    });
  });
}
