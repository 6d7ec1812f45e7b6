import { createMemoryNotificationStore } from '../../src/adapters/memory/notification-store.ts';
import type { NotificationRecord } from '../../src/notification/notification.ts';
import { createNotificationService } from '../../src/notification/notification.service.ts';
import { manager } from './notification.harness.ts';

describe('a bucket that goes away while something is inserted', () => {
  test('is answered like one that was never there', async () => {
    const store = createMemoryNotificationStore<NotificationRecord>(() => 0);
    await store.addBucket({ name: 'photos', project: 'p', requesterPays: false, managers: [manager] });
    const gone = { ...store, insertNotification: async () => ({ kind: 'taken' as const }) };
    const parts = { clock: () => 0, pubsubHost: 'pubsub.test', storageHost: 'storage.test' };
    const viewer = { sub: manager, identity: manager, key: manager, scopes: new Set<string>() };
    const insert = (service: ReturnType<typeof createNotificationService>, bucket: string) =>
      service.insertNotification(viewer, { bucket, notification: {} });

    const late: unknown = await insert(createNotificationService({ ...parts, store: gone }), 'photos').catch((error) => error);
    const never: unknown = await insert(createNotificationService({ ...parts, store }), 'videos').catch((error) => error);
    expect(late).toMatchObject({ code: 'NOT_FOUND', issues: [{ path: ['bucket'], reason: 'notFound' }] });
    expect(late).toEqual(never);
  });
});
