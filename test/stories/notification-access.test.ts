import {
  otherManager,
  readRefusal,
  expectedRefusal,
  startBuckets,
  stranger,
  topic,
} from '../notification/notification.harness.ts';
import { useForEach } from '../started.ts';

const buckets = useForEach(() => startBuckets());

describe('a bucket that makes the requester pay', () => {
  const paidBucket = { bucket: 'paid' };
  const missingPayer = expectedRefusal('userProject: required');

  test('requires a paying project for every operation', async () => {
    for (const userProject of [undefined, null, '']) {
      const noPayer = { ...paidBucket, userProject, provisionalUserProject: userProject };
      expect(readRefusal(await buckets.insert({ topic }, noPayer))).toEqual(missingPayer);
      expect(readRefusal(await buckets.list({ ...paidBucket, userProject }))).toEqual(missingPayer);
      expect(readRefusal(await buckets.read('1', { ...paidBucket, userProject }))).toEqual(missingPayer);
      expect(readRefusal(await buckets.remove('1', { ...paidBucket, userProject }))).toEqual(missingPayer);
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
      expect((await buckets.insert({ topic }, { ...paidBucket, ...payers })).errors).toBeUndefined();
    const bucketArgs = { ...paidBucket, userProject: 'payer-project' };
    expect((await buckets.list(bucketArgs)).data.notifications).toHaveLength(4);
    expect((await buckets.read('1', bucketArgs)).data.notification.id).toBe('1');
    expect((await buckets.remove('1', bucketArgs)).data.deleteNotification).toBe(true);
  });

  test('reports the missing project together with other errors', async () => {
    const body = { topic: 'photos', custom_attributes: { goog: 'x' } };
    const answer = await buckets.insert(body, { ...paidBucket, requestId: '' });
    expect(readRefusal(answer)).toEqual(
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
      expect((await buckets.insert({ topic }, payers)).errors).toBeUndefined();
      expect((await buckets.list({ userProject: project })).errors).toBeUndefined();
    },
  );

  test.each(['short', 'My-project', 'my project', '-1', '0', '../my-project', 'x'.repeat(100_000)])(
    'must be a project ID or number, not %s',
    async (project) => {
      for (const bucket of ['photos', 'paid']) {
        const bucketArgs = { bucket, userProject: project };
        const invalidProject = expectedRefusal('userProject: invalid');
        expect(readRefusal(await buckets.list(bucketArgs))).toEqual(invalidProject);
        expect(readRefusal(await buckets.read('1', bucketArgs))).toEqual(invalidProject);
        expect(readRefusal(await buckets.remove('1', bucketArgs))).toEqual(invalidProject);
        const inserted = await buckets.insert({ topic }, { ...bucketArgs, provisionalUserProject: project });
        expect(readRefusal(inserted)).toEqual(
          expectedRefusal('userProject: invalid', 'provisionalUserProject: invalid'),
        );
      }
    },
  );
});

describe('a caller who does not manage a bucket', () => {
  const insert = (notification: object, args: object) => buckets.insert(notification, args, { as: stranger });

  test.each([
    ['listing', (bucket: string) => buckets.list({ bucket }, { as: stranger })],
    ['reading', (bucket: string) => buckets.read('1', { bucket }, { as: stranger })],
    ['deleting', (bucket: string) => buckets.remove('1', { bucket }, { as: stranger })],
    ['inserting', (bucket: string) => insert({ topic }, { bucket })],
    ['inserting nonsense', (bucket: string) => insert({ topic: '?' }, { bucket, requestId: '' })],
    ['inserting with a used request id', (bucket: string) => insert({ topic }, { bucket, requestId: 'r' })],
  ])('cannot tell by %s whether it exists', async (_what, attempt) => {
    await buckets.insert({ topic }, { requestId: 'r' });
    const answers = await Promise.all(['photos', 'no-such-bucket', 'paid'].map(attempt));
    const [existing, missing, paidBucket] = answers.map(({ status, body, errors }) => ({
      status,
      body: body.replace(errors?.[0]?.extensions.requestId ?? 'none', 'ID'),
    }));
    expect([existing, paidBucket]).toEqual([missing, missing]);
    const extensions = { code: 'NOT_FOUND', reason: 'notFound', issues: [{ path: ['bucket'] }] };
    expect(answers[0]?.errors).toMatchObject([{ extensions }]);
    expect((await buckets.list()).data.notifications).toHaveLength(1);
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
    expect(readRefusal(await buckets.list({ bucket })).code).toBe('NOT_FOUND');
    expect(readRefusal(await buckets.insert({ topic }, { bucket })).code).toBe('NOT_FOUND');
  });

  test('managers see and delete notifications of each other', async () => {
    const created = (await buckets.insert()).data.insertNotification;
    expect((await buckets.list({}, { as: otherManager.toUpperCase() })).data.notifications).toEqual([
      created,
    ]);
    expect((await buckets.remove('1', {}, { as: otherManager })).data.deleteNotification).toBe(true);
  });
});
