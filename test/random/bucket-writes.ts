import { alice, bob, eve } from '../event/event.harness.ts';
import { buckets } from './cast.ts';
import type { Args, MakeRequest } from './operation.ts';
import type { Random } from './seed.ts';

/** Buckets that are created, deleted and recreated under the same name. */
const createdBuckets = ['films', 'songs'] as const;
export const bucketNames = [...buckets, ...createdBuckets];

const randomManagers = (random: Random): Args => ({
  managers: random.pickWeighted<unknown>([
    [4, [alice, bob]],
    [3, [bob, alice.toUpperCase()]],
    [2, [alice]],
    [1, []],
    [1, ['no address']],
    [1, [alice, alice]],
    [1, null],
  ]),
});

const randomBucketInput = (random: Random, name: string): Args => ({
  ...(random.chance(0.9) && { name }),
  ...(random.chance(0.4) && randomManagers(random)),
  ...(random.chance(0.3) && {
    billing: random.pick([{ requesterPays: true }, { requesterPays: false }, null]),
  }),
  ...(random.chance(0.1) && { metageneration: '9', id: 'another' }),
});

/** Makes a request that creates, patches, deletes or reads a bucket, or lists buckets. Some are invalid. */
export const makeBucketRequest: MakeRequest = (random) => {
  const bucket = random.pickWeighted([
    [5, createdBuckets[0]],
    [5, createdBuckets[1]],
    [2, buckets[0]],
    [1, 'no-such-bucket'],
  ]);
  const as = random.pickWeighted([
    [6, alice],
    [3, bob],
    [1, eve],
  ]);
  const dryRun = random.chance(0.06) ? { validateOnly: true } : {};
  const ifMatch = random.chance(0.2)
    ? { ifMatch: random.pick<unknown>([{ $etagAt: bucket }, '*', '"other"']) }
    : {};
  const [name, args] = random.pickWeighted<readonly [string, Args]>([
    [
      5,
      [
        'insertBucket',
        {
          project: random.pickWeighted([
            [9, 'my-project'],
            [1, 'No project'],
          ]),
          bucket: randomBucketInput(random, bucket),
          ...dryRun,
          ...(random.chance(0.15) && { requestId: `request ${random.integerBelow(20)}` }),
        },
      ],
    ],
    [3, ['patchBucket', { bucket, change: randomBucketInput(random, bucket), ...ifMatch, ...dryRun }]],
    [2, ['deleteBucket', { bucket: random.chance(0.1) ? bucket : random.pick(createdBuckets), ...ifMatch }]],
    [1, ['bucket', { bucket, ...(random.chance(0.5) && { userProject: 'my-project' }) }]],
    [1, ['buckets', { project: 'my-project', first: 1 + random.integerBelow(4) }]],
  ]);
  return [{ name, as, args }];
};
