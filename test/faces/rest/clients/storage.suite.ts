import type { Storage } from '@google-cloud/storage';
import { refusalOf, storageClient, useServer } from './official.ts';

const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);

/** The life of buckets and notifications through @google-cloud/storage. */
export function throughStorageClient(): void {
  const server = useServer();
  let client: Storage;
  beforeAll(async () => {
    client = await storageClient(server.url());
  });

  test('a bucket is made, found, made when it is missing, and deleted', async () => {
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
    expect(await refusalOf(bucket.delete())).toMatch(/^404 notFound/);
    const [made] = await client.bucket('made-when-missing').get({ autoCreate: true });
    expect(made.name).toBe('made-when-missing');
    await made.delete();
  });

  test('a notification is made, read, listed and deleted', async () => {
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
    const same = bucket.notification(notification.id ?? '');
    expect([(await same.getMetadata())[0], (await same.get())[1]]).toEqual([metadata, metadata]);
    expect(await notification.exists()).toEqual([true]);
    const [plain] = await bucket.createNotification('projects/other-project/topics/plain');
    expect((await bucket.getNotifications())[0]).toMatchObject([
      { id: notification.id, metadata },
      {
        id: plain.id,
        metadata: {
          topic: '//pubsub.googleapis.com/projects/other-project/topics/plain',
          payload_format: 'JSON_API_V1',
        },
      },
    ]);
    await notification.delete();
    expect(await notification.exists()).toEqual([false]);
    expect(await refusalOf(notification.delete())).toMatch(/^404 notFound/);
    expect((await bucket.getNotifications())[0]).toMatchObject([{ id: plain.id }]);
    await bucket.delete();
  });

  test('errors have the reasons of the gateway, and several are reported together', async () => {
    const photos = client.bucket('demo-photos');
    const archive = client.bucket('demo-archive');
    const wrongType = () => photos.createNotification('photos', { eventTypes: ['OBJECT_EATEN'] });
    const wrong = () =>
      photos.createNotification('no topic at all!', {
        eventTypes: ['OBJECT_EATEN'],
        customAttributes: { 'goog-x': 'y' },
      });
    await expect(wrongType()).rejects.toThrow(/^(?!.*Multiple errors)/s);
    await expect(wrong()).rejects.toThrow(/Multiple errors.*1\. .*2\. .*3\. /s);
    for (const [call, refusal] of [
      [wrong, /^400 invalid custom_attributes.goog-x, invalid event_types\[0\], invalid topic$/],
      [() => archive.getNotifications(), /^400 required userProject$/],
    ] as const)
      expect(await refusalOf(call())).toMatch(refusal);
    const userProject = 'demo-project';
    expect((await archive.getNotifications({ userProject }))[0]).toHaveLength(1);
    expect((await client.bucket('demo-archive', { userProject }).getNotifications())[0]).toHaveLength(1);
  });

  test('buckets are listed in pages, and one makes the requester pay', async () => {
    const [first, next] = await client.getBuckets({ maxResults: 2, autoPaginate: false });
    const [second, end] = await client.getBuckets({ ...next, autoPaginate: false });
    expect([names(first), names(second), end]).toEqual([
      ['demo-archive', 'demo-drafts'],
      ['demo-photos'],
      null,
    ]);
    expect(names((await client.getBuckets({ prefix: 'demo-d' }))[0])).toEqual(['demo-drafts']);
    const billing = { requesterPays: true };
    const [drafts] = await client.bucket('demo-drafts').setMetadata({ billing });
    expect(drafts.billing).toEqual(billing);
    const [metadata] = await client.bucket('demo-drafts').getMetadata({ userProject: 'demo-project' });
    expect(metadata).toMatchObject({ kind: 'storage#bucket', metageneration: '2' });
  });
}
