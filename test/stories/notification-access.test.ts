import {
  otherManager,
  readRefusal,
  expectedRefusal,
  startNotificationGateway,
  stranger,
  topic,
} from '../notification/notification.harness.ts';
import { useForEach } from '../use-resource.ts';

const gateway = useForEach(() => startNotificationGateway());

describe('a bucket that makes the requester pay', () => {
  const paidBucket = { bucket: 'paid' };
  const missingPayerRefusal = expectedRefusal('userProject: required');

  test('requires a paying project for every operation', async () => {
    for (const userProject of [undefined, null, '']) {
      const noPayer = { ...paidBucket, userProject, provisionalUserProject: userProject };
      expect(readRefusal(await gateway.insertNotification({ topic }, noPayer))).toEqual(missingPayerRefusal);
      expect(readRefusal(await gateway.listNotifications({ ...paidBucket, userProject }))).toEqual(
        missingPayerRefusal,
      );
      expect(readRefusal(await gateway.readNotification('1', { ...paidBucket, userProject }))).toEqual(
        missingPayerRefusal,
      );
      expect(readRefusal(await gateway.deleteNotification('1', { ...paidBucket, userProject }))).toEqual(
        missingPayerRefusal,
      );
    }
  });

  test('accepts userProject or provisionalUserProject; an empty value counts as none', async () => {
    const project = 'payer-project';
    for (const payers of [
      { provisionalUserProject: project },
      { userProject: project },
      { userProject: '', provisionalUserProject: project },
      { userProject: project, provisionalUserProject: '' },
    ])
      expect(
        (await gateway.insertNotification({ topic }, { ...paidBucket, ...payers })).errors,
      ).toBeUndefined();
    const bucketArgs = { ...paidBucket, userProject: 'payer-project' };
    expect((await gateway.listNotifications(bucketArgs)).data.notifications).toHaveLength(4);
    expect((await gateway.readNotification('1', bucketArgs)).data.notification.id).toBe('1');
    expect((await gateway.deleteNotification('1', bucketArgs)).data.deleteNotification).toBe(true);
  });

  test('reports the missing project together with other errors', async () => {
    const body = { topic: 'photos', custom_attributes: { goog: 'x' } };
    const response = await gateway.insertNotification(body, { ...paidBucket, requestId: '' });
    expect(readRefusal(response)).toEqual(
      expectedRefusal(
        'userProject: required',
        'requestId: invalid',
        'notification.topic: invalid',
        'notification.custom_attributes.goog: invalid',
      ),
    );
  });
});

describe('the paying project', () => {
  test.each(['my-project', 'example.com:my-project', '123456789012'])(
    'may be %s, even if it is not required',
    async (project) => {
      const payers = { userProject: project, provisionalUserProject: project };
      expect((await gateway.insertNotification({ topic }, payers)).errors).toBeUndefined();
      expect((await gateway.listNotifications({ userProject: project })).errors).toBeUndefined();
    },
  );

  test.each(['short', 'My-project', 'my project', '-1', '0', '../my-project', 'x'.repeat(100_000)])(
    'must be a project ID or number, not %s',
    async (project) => {
      for (const bucket of ['photos', 'paid']) {
        const bucketArgs = { bucket, userProject: project };
        const invalidProjectRefusal = expectedRefusal('userProject: invalid');
        expect(readRefusal(await gateway.listNotifications(bucketArgs))).toEqual(invalidProjectRefusal);
        expect(readRefusal(await gateway.readNotification('1', bucketArgs))).toEqual(invalidProjectRefusal);
        expect(readRefusal(await gateway.deleteNotification('1', bucketArgs))).toEqual(invalidProjectRefusal);
        const inserted = await gateway.insertNotification(
          { topic },
          { ...bucketArgs, provisionalUserProject: project },
        );
        expect(readRefusal(inserted)).toEqual(
          expectedRefusal('userProject: invalid', 'provisionalUserProject: invalid'),
        );
      }
    },
  );
});

describe('a caller who does not manage a bucket', () => {
  const insertAsStranger = (notification: object, args: object) =>
    gateway.insertNotification(notification, args, { as: stranger });

  test.each([
    ['listing', (bucket: string) => gateway.listNotifications({ bucket }, { as: stranger })],
    ['reading', (bucket: string) => gateway.readNotification('1', { bucket }, { as: stranger })],
    ['deleting', (bucket: string) => gateway.deleteNotification('1', { bucket }, { as: stranger })],
    ['inserting', (bucket: string) => insertAsStranger({ topic }, { bucket })],
    ['inserting nonsense', (bucket: string) => insertAsStranger({ topic: '?' }, { bucket, requestId: '' })],
    [
      'inserting with a used request id',
      (bucket: string) => insertAsStranger({ topic }, { bucket, requestId: 'r' }),
    ],
  ])('cannot tell by %s whether it exists', async (_what, attempt) => {
    await gateway.insertNotification({ topic }, { requestId: 'r' });
    const responses = await Promise.all(['photos', 'no-such-bucket', 'paid'].map(attempt));
    const [existing, missing, paidBucket] = responses.map(({ status, body, errors }) => ({
      status,
      body: body.replace(errors?.[0]?.extensions.requestId ?? 'none', 'ID'),
    }));
    expect([existing, paidBucket]).toEqual([missing, missing]);
    const extensions = { code: 'NOT_FOUND', reason: 'notFound', issues: [{ path: ['bucket'] }] };
    expect(responses[0]?.errors).toMatchObject([{ extensions }]);
    expect((await gateway.listNotifications()).data.notifications).toHaveLength(1);
  });

  test.each([
    ['without a name', ''],
    ['with a leading space', ' photos'],
    ['in another case', 'Photos'],
    ['named like a JavaScript property', '__proto__'],
    ['named like another JavaScript property', 'constructor'],
    ['with U+0000 in it', 'photos\u0000'],
    ['with a lone surrogate', 'photos\ud800'],
    ['with a very long name', 'x'.repeat(100_000)],
  ])('gets NOT_FOUND for a bucket %s', async (_what, bucket) => {
    expect(readRefusal(await gateway.listNotifications({ bucket })).code).toBe('NOT_FOUND');
    expect(readRefusal(await gateway.insertNotification({ topic }, { bucket })).code).toBe('NOT_FOUND');
  });

  test('managers see and delete notifications of each other', async () => {
    const createdNotification = (await gateway.insertNotification()).data.insertNotification;
    expect(
      (await gateway.listNotifications({}, { as: otherManager.toUpperCase() })).data.notifications,
    ).toEqual([createdNotification]);
    expect((await gateway.deleteNotification('1', {}, { as: otherManager })).data.deleteNotification).toBe(
      true,
    );
  });
});
