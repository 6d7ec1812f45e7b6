import type { BucketRecord, NotificationStore, StoredNotification } from '../../src/notification/notification.store.ts';
import type { Clock } from '../../src/core/clock.ts';
import type { InsertOutcome, RequestMark } from '../../src/core/request-mark.ts';
import { day, markOf, startOfTime, vandalise } from './event-store.samples.ts';

/** A notification of the contract's own: what a store must know of one, and content it knows nothing of. */
export interface SampleNotification extends StoredNotification {
  readonly attributes: Readonly<Record<string, string>>;
}

/** Makes an empty store that tells the time by `clock`. */
export type MakeNotificationStore = (
  clock: Clock,
) => NotificationStore<SampleNotification> | Promise<NotificationStore<SampleNotification>>;

export const sampleBucket = (name: string): BucketRecord => ({
  name,
  project: 'my-project',
  requesterPays: false,
  managers: ['alice@example.com'],
});

/** The notification as a service would make it. */
export const sampleNotification = (bucket: string, id: string, topic?: string): SampleNotification => ({
  id,
  bucket,
  ...(topic !== undefined && { topic }),
  attributes: { 'ключ 🙂': 'значение', ['__proto__']: 'kept', constructor: 'kept' },
});

/** What every notification store promises beside its messages, whatever keeps the notifications. */
export function notificationStoreContract(name: string, makeStore: MakeNotificationStore): void {
  describe(`${name} as a notification store`, () => {
    let now: number;
    let store: NotificationStore<SampleNotification>;
    beforeEach(async () => {
      now = startOfTime;
      store = await makeStore(() => now);
      for (const bucket of ['photos', 'videos']) await store.addBucket(sampleBucket(bucket));
    });

    /** Adds a notification under the next free id. */
    const insert = (bucket: string, topic?: string, mark?: RequestMark): Promise<InsertOutcome<SampleNotification>> =>
      store.insertNotification(bucket, (_existing, id) => sampleNotification(bucket, id, topic), mark);
    const idOf = (outcome: InsertOutcome<SampleNotification>): string =>
      'record' in outcome ? outcome.record.id : outcome.kind;
    const idsIn = async (bucket: string): Promise<string[]> =>
      ((await store.notifications([bucket]))[0] ?? []).map(({ id }) => id);

    describe('buckets', () => {
      test('come in the order asked, as often as asked, undefined where there is none', async () => {
        const [photos, videos] = [sampleBucket('photos'), sampleBucket('videos')];
        const found = await store.buckets(['videos', 'none', 'photos', 'videos', '__proto__', 'toString']);
        expect(found).toEqual([videos, undefined, photos, videos, undefined, undefined]);
        expect(await store.buckets([])).toEqual([]);
      });

      test('are no live references, neither the given nor the found', async () => {
        const given = sampleBucket('live');
        await store.addBucket(given);
        vandalise(given);
        vandalise((await store.buckets(['live']))[0]);
        expect(await store.buckets(['live'])).toEqual([sampleBucket('live')]);
      });
    });

    describe('notifications', () => {
      test('come bucket by bucket in the order asked, oldest first', async () => {
        for (const bucket of ['photos', 'videos', 'photos', 'photos']) await insert(bucket);
        await store.removeNotification('photos', '2');
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
        expect(await idsIn('photos')).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12']);
      });

      test('are no live references, neither what was put in nor what came out', async () => {
        const given = sampleNotification('photos', '1', 'topic');
        const outcome = await store.insertNotification('photos', () => given, markOf('live'));
        vandalise(given);
        vandalise('record' in outcome && outcome.record);
        const [found] = await store.notifications(['photos']);
        vandalise(found);
        await store.storeChange('photos', (existing) => {
          vandalise(existing);
          return [];
        });
        const refused = store.insertNotification('photos', (existing) => {
          vandalise(existing);
          throw new Error('refused');
        });
        await expect(refused).rejects.toThrow('refused');
        const expected = sampleNotification('photos', '1', 'topic');
        expect(await store.notifications(['photos'])).toEqual([[expected]]);
        expect(await insert('photos', undefined, markOf('live'))).toEqual({ kind: 'replayed', record: expected });
      });

      test('are handed out frozen: who writes to one is told at once', async () => {
        await insert('photos');
        const [[found] = []] = await store.notifications(['photos']);
        expect(() => Object.assign(found?.attributes as object, { new: 'entry' })).toThrow(TypeError);
      });

      test('keep every key and character of their content', async () => {
        await insert('photos');
        const [[found] = []] = await store.notifications(['photos']);
        expect(Object.entries(found?.attributes ?? {}).sort()).toEqual([
          ['__proto__', 'kept'], ['constructor', 'kept'], ['ключ 🙂', 'значение'],
        ]);
      });
    });

    describe('an id', () => {
      test('is decimal and counts up from 1, each bucket by itself', async () => {
        const ids: string[] = [];
        for (const bucket of ['photos', 'photos', 'videos', 'photos', 'videos']) ids.push(idOf(await insert(bucket)));
        expect(ids).toEqual(['1', '2', '1', '3', '2']);
      });

      test('is never used again, not even that of the last one when all are gone', async () => {
        for (let count = 0; count < 3; count += 1) await insert('photos');
        for (const id of ['3', '1', '2']) expect(await store.removeNotification('photos', id)).toBe(true);
        expect(idOf(await insert('photos'))).toBe('4');
      });

      test('is not used up by a refusal', async () => {
        await insert('photos');
        const refusal = new Error('too many');
        const refused = store.insertNotification('photos', () => {
          throw refusal;
        }, markOf('retry'));
        await expect(refused).rejects.toBe(refusal);
        expect(await idsIn('photos')).toEqual(['1']);
        expect(await insert('photos', undefined, markOf('retry', 'other input'))).toMatchObject({
          kind: 'inserted', record: { id: '2' },
        });
      });

      test('that is brought along is kept, and counting goes on behind it', async () => {
        const bring = (id: string) => store.insertNotification('photos', () => sampleNotification('photos', id));
        expect(idOf(await bring('41'))).toBe('41');
        expect(idOf(await bring('7'))).toBe('7');
        expect(await bring('41')).toEqual({ kind: 'taken' });
        expect(idOf(await insert('photos'))).toBe('42');
        expect(await idsIn('photos')).toEqual(['41', '7', '42']);
      });

      test('is one of a kind for 200 that come at once', async () => {
        const outcomes = await Promise.all(Array.from({ length: 200 }, () => insert('photos')));
        const ids = outcomes.map((outcome) => Number(idOf(outcome)));
        expect(ids.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1));
      });
    });

    describe('an insert', () => {
      test('into a bucket that is not there decides nothing', async () => {
        let decisions = 0;
        const outcome = await store.insertNotification('none', (_existing, id) => {
          decisions += 1;
          return sampleNotification('none', id);
        });
        expect([outcome, decisions]).toEqual([{ kind: 'taken' }, 0]);
        expect(await store.notifications(['none'])).toEqual([[]]);
      });

      test('decides on those that are there, so that a limit holds for 50 that come at once', async () => {
        const attempts = Array.from({ length: 50 }, () =>
          store.insertNotification('photos', (existing, id) => {
            if (existing.length >= 10) throw new Error('full');
            return sampleNotification('photos', id);
          }),
        );
        const results = await Promise.allSettled(attempts);
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
        expect(await idsIn('photos')).toHaveLength(10);
      });

      test('sent again gives what was stored then, even when it is gone', async () => {
        const first = await insert('photos', 'topic', markOf('retry'));
        await store.removeNotification('photos', '1');
        const again = await insert('videos', 'another topic', markOf('retry'));
        expect(again).toEqual({ kind: 'replayed', record: 'record' in first && first.record });
        expect(await store.notifications(['photos', 'videos'])).toEqual([[], []]);
      });

      test('with a request id of another input is refused', async () => {
        await insert('photos', undefined, markOf('retry', 'input'));
        expect(await insert('photos', undefined, markOf('retry', 'other input'))).toEqual({ kind: 'reused' });
        expect(await idsIn('photos')).toEqual(['1']);
      });

      test('is remembered to the last millisecond of its mark, and no longer', async () => {
        await insert('photos', undefined, markOf('retry'));
        now = startOfTime + day - 1;
        expect((await insert('photos', undefined, markOf('retry'))).kind).toBe('replayed');
        now = startOfTime + day;
        expect(idOf(await insert('photos', undefined, markOf('retry', 'other', now + day)))).toBe('2');
      });

      test('sent 1,000 times at once is stored once', async () => {
        const outcomes = await Promise.all(Array.from({ length: 1000 }, () => insert('photos', undefined, markOf('retry'))));
        expect(outcomes.filter(({ kind }) => kind === 'inserted')).toHaveLength(1);
        expect(new Set(outcomes.map(idOf))).toEqual(new Set(['1']));
        expect(await idsIn('photos')).toEqual(['1']);
      });
    });

    test('a removal tells whether there was something to remove', async () => {
      await insert('photos');
      await insert('videos');
      const removals: boolean[] = [];
      for (const [bucket, id] of [['photos', '2'], ['none', '1'], ['photos', ''], ['photos', '1'], ['photos', '1']] as const) {
        removals.push(await store.removeNotification(bucket, id));
      }
      expect(removals).toEqual([false, false, false, true, false]);
      expect(await store.notifications(['photos', 'videos'])).toEqual([[], [sampleNotification('videos', '1')]]);
    });

    test('a topic leads to the buckets that publish to it now', async () => {
      const bucketsOf = async (topic: string): Promise<string[]> => [...(await store.bucketsWithTopic(topic))].sort();
      for (const bucket of ['photos', 'photos', 'videos']) await insert(bucket, 'shared');
      await insert('videos', 'own');
      await insert('photos');
      expect([await bucketsOf('shared'), await bucketsOf('own'), await bucketsOf('none')]).toEqual([
        ['photos', 'videos'], ['videos'], [],
      ]);
      await store.removeNotification('photos', '1');
      expect(await bucketsOf('shared')).toEqual(['photos', 'videos']);
      await store.removeNotification('photos', '2');
      expect(await bucketsOf('shared')).toEqual(['videos']);
      await store.removeNotification('videos', '1');
      expect(await bucketsOf('shared')).toEqual([]);
      await insert('photos', 'shared');
      expect(await bucketsOf('shared')).toEqual(['photos']);
    });
  });
}
