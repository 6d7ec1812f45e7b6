// Measures the time to find the subscriptions (notification configurations) that match a change of an object
// and to store their messages, with 100 subscriptions in its bucket and different numbers in other buckets.
// Build first; run: node bench/matching.js
import { createMemoryStores } from '../dist/adapters/memory/stores.js';
import { matchingSubscriptions, createMessages } from '../dist/notification/publishing/message.js';
import { objectEventTypes } from '../dist/notification/notification.js';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const subscriptionsPerBucket = 100;
/** Prefix of one subscription of each bucket. */
const matchingFolder = 'folder-48';
/** Changes in one measurement, and measurements of each number of other buckets. */
const changesPerMeasurement = 20_000;
const measurementCount = 3;

/** Creates stores with the bucket of the change, `bucket-0`, and other buckets. */
async function createStores(otherBucketCount) {
  const { buckets, notifications, outbox } = createMemoryStores(Date.now);
  for (let bucket = 0; bucket <= otherBucketCount; bucket += 1) {
    const name = `bucket-${bucket}`;
    await buckets.changeBucket({ name }, () => ({
      next: { name, project: 'my-project', requesterPays: false, managers: [] },
      result: undefined,
    }));
    for (let index = 0; index < subscriptionsPerBucket; index += 1) {
      await notifications.changeNotifications({ bucket: name }, ({ nextId: id }) => ({
        result: id,
        insert: {
          bucket: name,
          id,
          nodeId: `${name} ${id}`,
          kind: 'storage#notification',
          etag: '"e"',
          selfLink: '',
          payload_format: 'JSON_API_V1',
          topic,
          event_types: [objectEventTypes[index % 4]],
          object_name_prefix: `folder-${index}/`,
        },
      }));
    }
  }
  return { notifications, outbox };
}

/** Returns the time of a change in µs. */
async function measureUs({ notifications, outbox }) {
  const change = {
    eventType: 'OBJECT_FINALIZE',
    objectId: `${matchingFolder}/cat.jpg`,
    eventTime: '2026-12-01T10:00:00.000000Z',
  };
  const decide = ({ bucket, existing }) => {
    const messages = createMessages(bucket.name, change, 'change', matchingSubscriptions(existing, change));
    return { messages, result: messages };
  };
  const startedAt = process.hrtime.bigint();
  for (let round = 0; round < changesPerMeasurement; round += 1) {
    const messages = await notifications.changeNotifications({ bucket: 'bucket-0' }, decide);
    await outbox.complete(messages.map(({ id }) => ({ id, destination: 'broker' })));
  }
  return Number(process.hrtime.bigint() - startedAt) / 1000 / changesPerMeasurement;
}

const storesByCount = await Promise.all(
  [0, 10, 1000].map(async (otherBucketCount) => ({
    otherBucketCount,
    stores: await createStores(otherBucketCount),
  })),
);
for (let repeat = 0; repeat < measurementCount; repeat += 1) {
  for (const { otherBucketCount, stores } of storesByCount) {
    console.log(
      `${otherBucketCount * subscriptionsPerBucket} subscriptions elsewhere: ${(await measureUs(stores)).toFixed(1)} µs a change`,
    );
  }
}
