import type { Clock } from '../../src/core/runtime/clock.ts';
import {
  estimateRecordBytes,
  type RequestRecord,
  type RequestRecordLimits,
} from '../../src/core/request-record.ts';
import type { BucketStore } from '../../src/bucket/bucket.store.ts';
import type {
  MessageLog,
  NotificationState,
  NotificationStore,
  OutgoingMessage,
} from '../../src/notification/notification.store.ts';
import type { NotificationRecord } from '../../src/notification/notification.ts';
import type { Outbox, OutboxRules } from '../../src/outbox/outbox.store.ts';
import { sampleBucket } from './bucket-store.contract.ts';
import { putBucket, dayMs, refuse, createSampleRequest, startOfTime, mutateDeep } from './samples.ts';

/** Stores that share their data. */
export interface StoresUnderTest {
  readonly buckets: BucketStore;
  readonly notifications: NotificationStore;
  readonly outbox: Outbox<OutgoingMessage>;
  readonly messages: MessageLog;
  /** Evicts request records beyond the limits, in a store that does so from time to time. */
  readonly trimRequests?: () => Promise<void>;
}

/** Rules that replace the defaults. */
export interface StoreRules {
  readonly outbox?: Partial<OutboxRules>;
  readonly requests?: RequestRecordLimits;
}

/** Creates empty stores. */
export type MakeStores = (clock: Clock, rules?: StoreRules) => StoresUnderTest | Promise<StoresUnderTest>;

/** Creates a notification whose attributes have unusual names. */
export const sampleNotification = (bucket: string, id: string, topic?: string): NotificationRecord => ({
  id,
  bucket,
  nodeId: `${bucket} ${id}`,
  kind: 'storage#notification',
  etag: '"etag"',
  selfLink: `https://storage.example/${bucket}/${id}`,
  payload_format: 'NONE',
  ...(topic !== undefined && { topic }),
  custom_attributes: { 'ключ 🙂': 'значение', ['__proto__']: 'kept', constructor: 'kept' },
});

/** Tests of notifications in every notification store. */
export function notificationStoreContract(name: string, makeStores: MakeStores): void {
  describe(`${name} as a notification store`, () => {
    let now: number;
    let store: NotificationStore;
    let outbox: StoresUnderTest['outbox'];
    beforeEach(async () => {
      now = startOfTime;
      const stores = await makeStores(() => now);
      store = stores.notifications;
      outbox = stores.outbox;
      for (const bucket of ['photos', 'videos']) await putBucket(stores.buckets, sampleBucket(bucket));
    });

    /** Inserts a notification and returns its id, or `again ID` for a repeated request. */
    const insertNotification = (
      bucket: string,
      topic?: string,
      request?: RequestRecord,
    ): Promise<string | undefined> =>
      store.changeNotifications<string>({ bucket, request }, ({ nextId, earlierRequest }) =>
        earlierRequest
          ? { result: `again ${(earlierRequest.outcome as { id: string }).id}` }
          : { insert: sampleNotification(bucket, nextId, topic), outcome: { id: nextId }, result: nextId },
      );
    const removeNotification = (bucket: string, id: string) =>
      store.changeNotifications({ bucket }, () => ({ remove: id, result: undefined }));
    const listIds = async (bucket: string): Promise<string[]> =>
      ((await store.notifications([bucket]))[0] ?? []).map(({ id }) => id);
    const readState = async (
      bucket: string,
      request?: RequestRecord,
    ): Promise<NotificationState | undefined> =>
      store.changeNotifications({ bucket, request }, (state) => ({ result: state }));

    describe('notifications', () => {
      test('are returned by bucket in the given order, oldest first', async () => {
        for (const bucket of ['photos', 'videos', 'photos', 'photos']) await insertNotification(bucket);
        await removeNotification('photos', '2');
        await insertNotification('photos');
        const photos = ['1', '3', '4'].map((id) => sampleNotification('photos', id));
        const expected = [[sampleNotification('videos', '1')], [], photos, []];
        expect(await store.notifications(['videos', 'none', 'photos', '__proto__'])).toEqual(expected);
        expect(await store.notifications([])).toEqual([]);
      });

      test('are in the order of insertion beyond ten', async () => {
        for (let count = 0; count < 12; count += 1) await insertNotification('photos');
        expect(await listIds('photos')).toEqual(Array.from({ length: 12 }, (_, index) => String(index + 1)));
      });

      test('share no references with the input or results', async () => {
        const inputNotification = sampleNotification('photos', '1', 'topic');
        const request = createSampleRequest('live');
        await store.changeNotifications({ bucket: 'photos', request }, () => ({
          insert: inputNotification,
          outcome: { of: [inputNotification] },
          result: inputNotification,
        }));
        mutateDeep(inputNotification);
        mutateDeep(await store.notifications(['photos']));
        mutateDeep(await readState('photos', request));
        const expected = [sampleNotification('photos', '1', 'topic')];
        expect(await store.notifications(['photos'])).toEqual([expected]);
        expect(await readState('photos', request)).toMatchObject({
          storedNotifications: expected,
          earlierRequest: { outcome: { of: expected } },
        });
      });

      test('determine the buckets that publish to a topic', async () => {
        const bucketsOf = async (topic: string): Promise<string[]> =>
          [...(await store.bucketsWithTopic(topic))].sort();
        for (const bucket of ['photos', 'photos', 'videos']) await insertNotification(bucket, 'shared');
        await insertNotification('videos', 'own');
        await insertNotification('photos');
        expect(await bucketsOf('shared')).toEqual(['photos', 'videos']);
        expect([await bucketsOf('own'), await bucketsOf('none')]).toEqual([['videos'], []]);
        for (const [bucket, id, remaining] of [
          ['photos', '1', ['photos', 'videos']],
          ['photos', '2', ['videos']],
          ['videos', '1', []],
        ] as const) {
          await removeNotification(bucket, id);
          expect(await bucketsOf('shared')).toEqual(remaining);
        }
        await insertNotification('photos', 'shared');
        expect(await bucketsOf('shared')).toEqual(['photos']);
      });
    });

    describe('a change', () => {
      test('of a missing bucket makes no decision', async () => {
        let decisionCount = 0;
        const decide = () => ({ insert: sampleNotification('none', '1'), result: (decisionCount += 1) });
        expect(await store.changeNotifications({ bucket: 'none' }, decide)).toBeUndefined();
        expect(decisionCount).toBe(0);
        expect(await store.notifications(['none'])).toEqual([[]]);
      });

      test('decides on the bucket, its notifications and the next id', async () => {
        const emptyState = { storedNotifications: [], nextId: '1', earlierRequest: undefined };
        expect(await readState('photos')).toEqual({ bucket: sampleBucket('photos'), ...emptyState });
        await insertNotification('photos');
        await insertNotification('videos');
        expect(await readState('photos')).toMatchObject({
          storedNotifications: [sampleNotification('photos', '1')],
          nextId: '2',
        });
      });

      test('that throws or decides on nothing stores nothing and uses no id', async () => {
        const target = { bucket: 'photos', request: createSampleRequest('retry') };
        await expect(store.changeNotifications(target, refuse)).rejects.toThrow('refused');
        await readState('photos', createSampleRequest('retry'));
        const unchangedState = { storedNotifications: [], nextId: '1', earlierRequest: undefined };
        expect(await readState('photos', createSampleRequest('retry'))).toMatchObject(unchangedState);
        expect((await outbox.backlog()).count).toBe(0);
      });

      test('sees earlier ones, so that a limit holds for 50 concurrent inserts', async () => {
        const attempts = Array.from({ length: 50 }, () =>
          store.changeNotifications({ bucket: 'photos' }, ({ storedNotifications, nextId }) => {
            if (storedNotifications.length >= 10) throw new Error('full');
            return { insert: sampleNotification('photos', nextId), result: nextId };
          }),
        );
        const results = await Promise.allSettled(attempts);
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
        expect(await listIds('photos')).toHaveLength(10);
      });

      test('removes an existing notification only', async () => {
        for (const bucket of ['photos', 'videos']) await insertNotification(bucket);
        for (const id of ['2', '', '1', '1']) await removeNotification('photos', id);
        expect([await listIds('photos'), await listIds('videos')]).toEqual([[], ['1']]);
      });
    });

    describe('an id', () => {
      test('is never reused, even after all were removed', async () => {
        for (let count = 0; count < 3; count += 1) await insertNotification('photos');
        for (const id of ['3', '1', '2']) await removeNotification('photos', id);
        expect(await insertNotification('photos')).toBe('4');
      });

      test('may be chosen by the decision, and later ids follow the highest', async () => {
        for (const id of ['41', '7']) {
          const insertWithId = { insert: sampleNotification('photos', id), result: id };
          await store.changeNotifications({ bucket: 'photos' }, () => insertWithId);
        }
        expect(await insertNotification('photos')).toBe('42');
        expect(await listIds('photos')).toEqual(['41', '7', '42']);
      });

      test('is unique for 100 concurrent inserts', async () => {
        const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
        const ids = await Promise.all(numbers.map(() => insertNotification('photos')));
        expect(ids.map(Number).sort((a, b) => a - b)).toEqual(numbers);
      });
    });

    describe('a request', () => {
      test('is found with its outcome and its fingerprint, in any bucket', async () => {
        const outcome = { list: [1, null, { ключ: '🙂' }], text: '' };
        const request = createSampleRequest('retry', 'input');
        await store.changeNotifications({ bucket: 'photos', request }, () => ({ outcome, result: 0 }));
        const earlierRequest = { fingerprint: 'input', outcome };
        expect(await readState('videos', createSampleRequest('retry', 'other input'))).toMatchObject({
          earlierRequest,
        });
        for (const otherRequest of [createSampleRequest('another'), undefined])
          expect((await readState('photos', otherRequest))?.earlierRequest).toBeUndefined();
      });

      test('is remembered for exactly a day', async () => {
        const insertWithRequest = (request: RequestRecord) =>
          insertNotification('photos', undefined, request);
        await insertWithRequest(createSampleRequest('retry'));
        now = startOfTime + dayMs - 1;
        expect(await insertWithRequest(createSampleRequest('retry'))).toBe('again 1');
        now = startOfTime + dayMs;
        const nextRequest = createSampleRequest('retry', 'other', now + dayMs);
        expect([await insertWithRequest(nextRequest), await insertWithRequest(nextRequest)]).toEqual([
          '2',
          'again 2',
        ]);
      });

      test('is evicted early, oldest first, beyond the limit of its caller', async () => {
        /** Creates a request record of a caller. Records with lower numbers expire first. */
        const createRequestOf = (caller: string, number: number): RequestRecord => ({
          ...createSampleRequest(`${caller} ${number}`, 'input', startOfTime + dayMs + number),
          caller,
        });
        const recordBytes = estimateRecordBytes('ada 1', {
          fingerprint: 'input',
          until: startOfTime,
          outcome: { x: 1 },
        });
        const requestLimits = { maxBytes: 100 * recordBytes, maxBytesPerCaller: 2 * recordBytes };
        const stores = await makeStores(() => now, { requests: requestLimits });
        store = stores.notifications;
        await putBucket(stores.buckets, sampleBucket('photos'));
        const requests = [
          createRequestOf('ada', 1),
          ...[1, 2, 3].map((number) => createRequestOf('bob', number)),
        ];
        const decision = { outcome: { x: 1 }, result: 0 };
        for (const requestRecord of requests)
          await store.changeNotifications({ bucket: 'photos', request: requestRecord }, () => decision);
        await stores.trimRequests?.();
        const foundFlags = await Promise.all(
          requests.map(async (stored) => (await readState('photos', stored))?.earlierRequest !== undefined),
        );
        expect(foundFlags).toEqual([true, false, true, true]);
      });

      test('sent 100 times concurrently finds its outcome 99 times', async () => {
        const results = await Promise.all(
          Array.from({ length: 100 }, () =>
            insertNotification('photos', undefined, createSampleRequest('retry')),
          ),
        );
        expect(results.filter((result) => result === '1')).toHaveLength(1);
        expect(results.filter((result) => result === 'again 1')).toHaveLength(99);
        expect(await listIds('photos')).toEqual(['1']);
      });
    });
  });
}
