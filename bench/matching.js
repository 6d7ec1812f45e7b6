// Measures the time to find the subscriptions of a change and to store their messages, with 100 subscriptions in the
// bucket and different numbers in other buckets. Build first; run: node bench/matching.js
import { createMemoryStores } from '../dist/adapters/memory/stores.js';
import { matching, messagesFor } from '../dist/notification/publishing/message.js';
import { objectEventTypes } from '../dist/notification/notification.js';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const rounds = 20_000;

async function createStores(otherBuckets) {
  const { buckets, notifications: store, outbox } = createMemoryStores(Date.now);
  for (let bucket = 0; bucket <= otherBuckets; bucket += 1) {
    const name = `bucket-${bucket}`;
    await buckets.changeBucket({ name }, () => ({
      next: { name, project: 'my-project', requesterPays: false, managers: [] },
      result: undefined,
    }));
    for (let index = 0; index < 100; index += 1) {
      await store.changeNotifications({ bucket: name }, ({ nextId: id }) => ({
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
  return { store, outbox };
}

async function measureUs({ store, outbox }) {
  const change = {
    eventType: 'OBJECT_FINALIZE',
    objectId: 'folder-48/cat.jpg',
    eventTime: '2026-12-01T10:00:00.000000Z',
  };
  const decide = ({ bucket, existing }) => {
    const messages = messagesFor(bucket.name, change, 'change', matching(existing, change));
    return { messages, result: messages };
  };
  const start = process.hrtime.bigint();
  for (let round = 0; round < rounds; round += 1) {
    const messages = await store.changeNotifications({ bucket: 'bucket-0' }, decide);
    await outbox.complete(messages.map(({ id }) => ({ id, destination: 'broker' })));
  }
  return Number(process.hrtime.bigint() - start) / 1000 / rounds;
}

const stores = await Promise.all(
  [0, 10, 1000].map(async (otherBuckets) => ({ otherBuckets, stores: await createStores(otherBuckets) })),
);
for (let repeat = 0; repeat < 3; repeat += 1) {
  for (const { otherBuckets, stores: filled } of stores) {
    console.log(
      `${otherBuckets * 100} subscriptions elsewhere: ${(await measureUs(filled)).toFixed(1)} µs a change`,
    );
  }
}
