import type { Storage } from '@google-cloud/storage';
import { describeRefusal, createStorageClient, useServer } from './official-clients.ts';

/** Tests buckets and notifications through @google-cloud/storage. */
export function testStorageClient(): void {
  const server = useServer();
  let client: Storage;
  beforeAll(async () => {
    client = await createStorageClient(server.url());
  });

  test('a bucket is created, found, created by autoCreate, and deleted', async () => {
    const bucket = client.bucket('made-by-a-client');
    expect(await bucket.exists()).toEqual([false]);
    await client.createBucket(bucket.name);
    expect(await bucket.exists()).toEqual([true]);
    expect((await bucket.get())[1]).toMatchObject({
      kind: 'storage#bucket',
      name: bucket.name,
      metageneration: '1',
    });
    expect((await bucket.getFiles())[0]).toEqual([]);
    await bucket.delete();
    expect(await bucket.exists()).toEqual([false]);
    expect(await describeRefusal(bucket.delete())).toMatch(/^404 notFound/);
    const [createdBucket] = await client.bucket('made-when-missing').get({ autoCreate: true });
    expect(createdBucket.name).toBe('made-when-missing');
    await createdBucket.delete();
  });

  test('a notification is created, read, listed and deleted', async () => {
    const [bucket] = await client.createBucket('with-notifications');
    const [notification, metadata] = await bucket.createNotification('photos', {
      eventTypes: ['OBJECT_FINALIZE'],
      objectNamePrefix: 'albums/',
      payloadFormat: 'NONE',
      customAttributes: { team: 'a' },
    });
    expect(metadata).toMatchObject({
      kind: 'storage#notification',
      topic: '//pubsub.googleapis.com/projects/demo-project/topics/photos',
      event_types: ['OBJECT_FINALIZE'],
      object_name_prefix: 'albums/',
      payload_format: 'NONE',
      custom_attributes: { team: 'a' },
    });
    const notificationById = bucket.notification(notification.id ?? '');
    expect([(await notificationById.getMetadata())[0], (await notificationById.get())[1]]).toEqual([
      metadata,
      metadata,
    ]);
    expect(await notification.exists()).toEqual([true]);
    const [defaultNotification] = await bucket.createNotification('projects/other-project/topics/plain');
    expect((await bucket.getNotifications())[0]).toMatchObject([
      { id: notification.id, metadata },
      {
        id: defaultNotification.id,
        metadata: {
          topic: '//pubsub.googleapis.com/projects/other-project/topics/plain',
          payload_format: 'JSON_API_V1',
        },
      },
    ]);
    await notification.delete();
    expect(await notification.exists()).toEqual([false]);
    expect(await describeRefusal(notification.delete())).toMatch(/^404 notFound/);
    expect((await bucket.getNotifications())[0]).toMatchObject([{ id: defaultNotification.id }]);
    await bucket.delete();
  });

  test('errors have the reasons of the gateway, several in one report', async () => {
    const photos = client.bucket('demo-photos');
    const archive = client.bucket('demo-archive');
    const createWithInvalidType = () => photos.createNotification('photos', { eventTypes: ['OBJECT_EATEN'] });
    const createInvalid = () =>
      photos.createNotification('no topic at all!', {
        eventTypes: ['OBJECT_EATEN'],
        customAttributes: { 'goog-x': 'y' },
      });
    await expect(createWithInvalidType()).rejects.toThrow(/^(?!.*Multiple errors)/s);
    await expect(createInvalid()).rejects.toThrow(/Multiple errors.*1\. .*2\. .*3\. /s);
    for (const [call, refusal] of [
      [createInvalid, /^400 invalid custom_attributes.goog-x, invalid event_types\[0\], invalid topic$/],
      [() => archive.getNotifications(), /^400 required userProject$/],
    ] as const)
      expect(await describeRefusal(call())).toMatch(refusal);
    const userProject = 'demo-project';
    expect((await archive.getNotifications({ userProject }))[0]).toHaveLength(1);
    expect((await client.bucket('demo-archive', { userProject }).getNotifications())[0]).toHaveLength(1);
  });
}
