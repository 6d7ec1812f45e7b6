import { createMessageLog } from '../../../src/adapters/memory/message-log.ts';
import { createMemoryStores } from '../../../src/adapters/memory/stores.ts';
import { createNotification } from '../../../src/notification/notification.create.ts';
import { createPublishingService } from '../../../src/notification/publishing/publishing.service.ts';
import { manager, topic } from '../notification.harness.ts';
import { putBucket } from '../../contracts/samples.ts';

test('onStored is called for stored changes only', async () => {
  const { buckets, notifications: store } = createMemoryStores(() => 0);
  const hosts = { pubsubHost: 'pubsub.test', storageHost: 'storage.test' };
  await putBucket(buckets, { name: 'photos', project: 'p', requesterPays: false, managers: [manager] });
  await store.changeNotifications({ bucket: 'photos' }, ({ nextId }) => ({
    insert: createNotification('photos', nextId, { topic }, hosts),
    result: 0,
  }));
  let onStoredCallCount = 0;
  const service = createPublishingService({
    ...hosts,
    buckets,
    store,
    log: createMessageLog(),
    clock: () => 0,
    onStored: () => (onStoredCallCount += 1),
  });
  const viewer = { sub: manager, identity: manager, key: manager, scopes: new Set<string>() };
  const change = { eventType: 'OBJECT_FINALIZE' as const, objectId: 'cat.jpg' };
  await service.publishObjectChange(viewer, { bucket: 'photos', change, validateOnly: true });
  await service
    .publishObjectChange(viewer, { bucket: 'photos', change: { ...change, objectId: '' } })
    .catch(() => undefined);
  expect(onStoredCallCount).toBe(0);
  await service.publishObjectChange(viewer, { bucket: 'photos', change });
  expect(onStoredCallCount).toBe(1);
});
