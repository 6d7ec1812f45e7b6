import type { BucketRecord, BucketStore } from '../../src/bucket/bucket.store.ts';
import { vandalise } from './samples.ts';

export const sampleBucket = (name: string): BucketRecord => ({
  name,
  project: 'my-project',
  requesterPays: false,
  managers: ['alice@example.com'],
});

/** What every store of buckets promises. */
export function bucketStoreContract(name: string, makeStore: () => BucketStore | Promise<BucketStore>): void {
  describe(`${name} as a bucket store`, () => {
    let store: BucketStore;
    beforeEach(async () => {
      store = await makeStore();
    });

    test('gives buckets in the order asked, as often as asked, undefined where there is none', async () => {
      const [photos, videos] = [sampleBucket('photos'), sampleBucket('videos')];
      for (const bucket of [photos, videos]) await store.addBucket(bucket);
      const found = await store.buckets(['videos', 'none', 'photos', 'videos', '__proto__', 'toString']);
      expect(found).toEqual([videos, undefined, photos, videos, undefined, undefined]);
      expect(await store.buckets([])).toEqual([]);
    });

    test('gives no live references, neither the given nor the found', async () => {
      const given = sampleBucket('live');
      await store.addBucket(given);
      vandalise(given);
      vandalise((await store.buckets(['live']))[0]);
      expect(await store.buckets(['live'])).toEqual([sampleBucket('live')]);
    });
  });
}
