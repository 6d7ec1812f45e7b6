import type { Clock } from '../../src/core/runtime/clock.ts';
import {
  recordBytes,
  type RequestRecord,
  type RequestRecordLimits,
} from '../../src/core/kernel/request-record.ts';
import type { BucketStore } from '../../src/bucket/bucket.store.ts';
import type {
  NotificationState,
  NotificationStore,
  StoredNotification,
} from '../../src/notification/notification.store.ts';
import type { MessageLog, OutgoingMessage } from '../../src/notification/message.store.ts';
import type { Outbox, OutboxRules } from '../../src/outbox/outbox.store.ts';
import { sampleBucket } from './bucket-store.contract.ts';
import { eventually } from '../eventually.ts';
import { addBucket, day, requestOf, startOfTime, vandalise } from './samples.ts';

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
        expect(await store.notifications(['videos', 'none', 'photos', '__proto__'])).toEqual([
          [sampleNotification('videos', '1')],
          [],
          ['1', '3', '4'].map((id) => sampleNotification('photos', id)),
          [],
        ]);
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
        vandalise(given);
        vandalise(await store.notifications(['photos']));
        vandalise(await stateOf('photos', request));
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
        expect([await bucketsOf('shared'), await bucketsOf('own'), await bucketsOf('none')]).toEqual([
          ['photos', 'videos'],
          ['videos'],
          [],
        ]);
        const after: string[][] = [];
        for (const [bucket, id] of [
          ['photos', '1'],
          ['photos', '2'],
          ['videos', '1'],
        ] as const) {
          await remove(bucket, id);
          after.push(await bucketsOf('shared'));
        }
        expect(after).toEqual([['photos', 'videos'], ['videos'], []]);
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
        await store.changeNotifications({ bucket: 'photos', request: requestOf('retry') }, () => ({
          result: 1,
        }));
        expect(await stateOf('photos', requestOf('retry'))).toMatchObject({
          existing: [],
          nextId: '1',
          earlier: undefined,
        });
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
        await insert('photos');
        await insert('videos');
        for (const [bucket, id] of [
          ['photos', '2'],
          ['photos', ''],
          ['photos', '1'],
          ['photos', '1'],
        ] as const)
          await remove(bucket, id);
        expect(await store.notifications(['photos', 'videos'])).toEqual([
          [],
          [sampleNotification('videos', '1')],
        ]);
      });
    });

    describe('an id', () => {
      test('counts up from 1, each bucket by itself', async () => {
        const ids: unknown[] = [];
        for (const bucket of ['photos', 'photos', 'videos', 'photos', 'videos'])
          ids.push(await insert(bucket));
        expect(ids).toEqual(['1', '2', '1', '3', '2']);
      });

      test('is never used again, not even that of the last one when all are gone', async () => {
        for (let count = 0; count < 3; count += 1) await insert('photos');
        for (const id of ['3', '1', '2']) await remove('photos', id);
        expect(await insert('photos')).toBe('4');
      });

      test('that is brought along is kept, and counting goes on behind the highest', async () => {
        for (const id of ['41', '7']) {
          await store.changeNotifications({ bucket: 'photos' }, () => ({
            insert: sampleNotification('photos', id),
            result: id,
          }));
        }
        expect(await insert('photos')).toBe('42');
        expect(await idsIn('photos')).toEqual(['41', '7', '42']);
      });

      test('is one of a kind for 200 that come at once', async () => {
        const ids = (await Promise.all(Array.from({ length: 200 }, () => insert('photos')))).map(Number);
        expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
      });
    });

    describe('a request', () => {
      test('is found again with the outcome it was given, in any bucket, with its own fingerprint', async () => {
        const outcome = { list: [1, null, { ключ: '🙂' }], text: '' };
        await store.changeNotifications({ bucket: 'photos', request: requestOf('retry', 'input') }, () => ({
          outcome,
          result: 0,
        }));
        expect((await stateOf('videos', requestOf('retry', 'other input')))?.earlier).toMatchObject({
          fingerprint: 'input',
          outcome,
        });
        expect((await stateOf('photos', requestOf('another')))?.earlier).toBeUndefined();
        expect((await stateOf('photos'))?.earlier).toBeUndefined();
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
        for (const one of requests)
          await store.changeNotifications({ bucket: 'photos', request: one }, () => ({
            outcome: { x: 1 },
            result: 0,
          }));
        // Where they stand on many nodes, in the background.
        await eventually(async () => {
          const found = await Promise.all(
            requests.map(async (one) => (await stateOf('photos', one))?.earlier !== undefined),
          );
          expect(found).toEqual([true, false, true, true]);
        });
      });

      test('sent 1,000 times at once is decided with an earlier outcome all but once', async () => {
        const results = await Promise.all(
          Array.from({ length: 1000 }, () => insert('photos', undefined, requestOf('retry'))),
        );
        expect(results.filter((result) => result === '1')).toHaveLength(1);
        expect(results.filter((result) => result === 'again 1')).toHaveLength(999);
        expect(await idsIn('photos')).toEqual(['1']);
      });
    });
  });
}
