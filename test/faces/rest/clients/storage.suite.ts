import type { Storage } from '@google-cloud/storage';
import { refusalOf, startRest, storageClient, type RestGateway } from './official.ts';

/** A whole life of a subscription through @google-cloud/storage. */
export function throughStorageClient(envOf: () => Promise<Readonly<Record<string, string>>>): void {
  let gateway: RestGateway;
  let client: Storage;
  beforeAll(async () => {
    gateway = await startRest(await envOf());
    client = await storageClient(gateway.url);
  });
  afterAll(() => gateway.close());

  test('a bucket is made, subscribed to, listed, and deleted with what is left of it', async () => {
    expect(await client.bucket('made-by-a-client').exists()).toEqual([false]);
    const [bucket] = await client.createBucket('made-by-a-client');
    expect(await client.bucket('made-by-a-client').exists()).toEqual([true]);
    expect((await client.bucket('made-by-a-client').get())[1]).toMatchObject({
      kind: 'storage#bucket',
      name: 'made-by-a-client',
      metageneration: '1',
    });
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
    const [read] = await bucket.notification(notification.id ?? '').getMetadata();
    expect(read).toEqual(metadata);
    expect([
      (await bucket.notification(notification.id ?? '').get())[1],
      await notification.exists(),
    ]).toEqual([metadata, [true]]);
    const [plain] = await bucket.createNotification('projects/other-project/topics/plain');
    const [all] = await bucket.getNotifications();
    expect(all.map((one) => [one.id, one.metadata])).toEqual([
      [notification.id, metadata],
      [
        plain.id,
        expect.objectContaining({
          topic: '//pubsub.googleapis.com/projects/other-project/topics/plain',
          payload_format: 'JSON_API_V1',
        }),
      ],
    ]);
    expect((await bucket.getFiles())[0]).toEqual([]);
    await notification.delete();
    expect(await refusalOf(notification.delete())).toMatchObject({
      status: 404,
      reasons: [expect.stringMatching(/^notFound/)],
    });
    expect((await bucket.getNotifications())[0].map(({ id }) => id)).toEqual([plain.id]);
    expect(await notification.exists()).toEqual([false]);
    await bucket.delete();
    expect(await bucket.exists()).toEqual([false]);
    expect(await refusalOf(bucket.delete())).toMatchObject({ status: 404 });
    expect((await client.bucket('made-when-missing').get({ autoCreate: true }))[0].name).toBe(
      'made-when-missing',
    );
    await client.bucket('made-when-missing').delete();
  });

  test('what is wrong is told in the words of the gateway, and nothing is repeated that cannot succeed', async () => {
    const bucket = client.bucket('demo-photos');
    const refused = await refusalOf(bucket.createNotification('photos', { eventTypes: ['OBJECT_EATEN'] }));
    expect(refused).toMatchObject({ status: 400, reasons: ['invalid event_types[0]'] });
    expect(refused.message).not.toMatch(/Multiple errors/);
    const several = await refusalOf(
      bucket.createNotification('no topic at all!', {
        eventTypes: ['OBJECT_EATEN'],
        customAttributes: { 'goog-x': 'y' },
      }),
    );
    expect([several.status, [...several.reasons].sort()]).toEqual([
      400,
      ['invalid custom_attributes.goog-x', 'invalid event_types[0]', 'invalid topic'],
    ]);
    expect(several.message).toMatch(/Multiple errors.*1\. .*2\. .*3\. /s);
    expect(await refusalOf(bucket.notification('999').getMetadata())).toMatchObject({
      status: 404,
      reasons: [expect.stringMatching(/^notFound/)],
    });
    expect(await refusalOf(client.createBucket('demo-photos'))).toMatchObject({
      status: 409,
      reasons: [expect.stringMatching(/^conflict/)],
    });
    expect(await refusalOf(client.bucket('demo-archive').getNotifications())).toMatchObject({
      status: 400,
      reasons: ['required userProject'],
    });
    expect(
      (await client.bucket('demo-archive').getNotifications({ userProject: 'demo-project' }))[0],
    ).toHaveLength(1);
    expect(
      (await client.bucket('demo-archive', { userProject: 'demo-project' }).getNotifications())[0],
    ).toHaveLength(1);
    const bob = await storageClient(gateway.url, 'bob@example.com');
    expect(await refusalOf(bob.bucket('demo-photos').getNotifications())).toMatchObject({ status: 404 });
  });

  test('buckets come page by page, and one makes the requester pay', async () => {
    const [first, next] = await client.getBuckets({ maxResults: 2, autoPaginate: false });
    const [second, end] = await client.getBuckets({ ...next, autoPaginate: false });
    expect([first, second].map((page) => page.map(({ name }) => name))).toEqual([
      ['demo-archive', 'demo-drafts'],
      ['demo-photos'],
    ]);
    expect(end).toBeNull();
    expect((await client.getBuckets({ prefix: 'demo-d' }))[0].map(({ name }) => name)).toEqual([
      'demo-drafts',
    ]);
    const [drafts] = await client.bucket('demo-drafts').setMetadata({ billing: { requesterPays: true } });
    expect(drafts.billing).toEqual({ requesterPays: true });
    const [metadata] = await client.bucket('demo-drafts').getMetadata({ userProject: 'demo-project' });
    expect(metadata).toMatchObject({ kind: 'storage#bucket', metageneration: '2' });
  });
}
