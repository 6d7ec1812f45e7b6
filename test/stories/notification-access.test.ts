import {
  other,
  refusal,
  refused,
  startBuckets,
  stranger,
  topic,
} from '../notification/notification.harness.ts';
import { useForEach } from '../started.ts';

const buckets = useForEach(() => startBuckets());

describe('a bucket that makes the requester pay', () => {
  const paid = { bucket: 'paid' };
  const unpaid = refused('userProject: required');

  test('wants to know who pays, for every operation', async () => {
    for (const userProject of [undefined, null, '']) {
      const nobody = { ...paid, userProject, provisionalUserProject: userProject };
      expect(refusal(await buckets.insert({ topic }, nobody))).toEqual(unpaid);
      expect(refusal(await buckets.list({ ...paid, userProject }))).toEqual(unpaid);
      expect(refusal(await buckets.read('1', { ...paid, userProject }))).toEqual(unpaid);
      expect(refusal(await buckets.remove('1', { ...paid, userProject }))).toEqual(unpaid);
    }
  });

  test('takes either of the two projects, an empty one beside it counting as none', async () => {
    const project = 'payer-project';
    for (const payers of [
      { provisionalUserProject: project },
      { userProject: project },
      { userProject: '', provisionalUserProject: project },
      { userProject: project, provisionalUserProject: '' },
    ])
      expect((await buckets.insert({ topic }, { ...paid, ...payers })).errors).toBeUndefined();
    const place = { ...paid, userProject: 'payer-project' };
    expect((await buckets.list(place)).data.notifications).toHaveLength(4);
    expect((await buckets.read('1', place)).data.notification.id).toBe('1');
    expect((await buckets.remove('1', place)).data.deleteNotification).toBe(true);
  });

  test('says so beside everything else that is wrong', async () => {
    const body = { topic: 'photos', custom_attributes: { goog: 'x' } };
    const answer = await buckets.insert(body, { ...paid, requestId: '' });
    expect(refusal(answer)).toEqual(
      refused(
        'userProject: required',
        'requestId: invalid',
        'notification.topic: invalid',
        'notification.custom_attributes.goog: invalid',
      ),
    );
  });
});

describe('the project that pays', () => {
  test.each(['my-project', 'example.com:my-project', '123456789012'])(
    'may be %s, also where nobody asks for it',
    async (project) => {
      const payers = { userProject: project, provisionalUserProject: project };
      expect((await buckets.insert({ topic }, payers)).errors).toBeUndefined();
      expect((await buckets.list({ userProject: project })).errors).toBeUndefined();
    },
  );

  test.each(['short', 'My-project', 'my project', '-1', '0', '../my-project', 'x'.repeat(100_000)])(
    'must be an id or a number, and not %s',
    async (project) => {
      for (const bucket of ['photos', 'paid']) {
        const place = { bucket, userProject: project };
        const wrong = refused('userProject: invalid');
        expect(refusal(await buckets.list(place))).toEqual(wrong);
        expect(refusal(await buckets.read('1', place))).toEqual(wrong);
        expect(refusal(await buckets.remove('1', place))).toEqual(wrong);
        const inserted = await buckets.insert({ topic }, { ...place, provisionalUserProject: project });
        expect(refusal(inserted)).toEqual(refused('userProject: invalid', 'provisionalUserProject: invalid'));
      }
    },
  );
});

describe('who does not manage a bucket', () => {
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
    const [there, nowhere, paid] = answers.map(({ status, body, errors }) => ({
      status,
      body: body.replace(errors?.[0]?.extensions.requestId ?? 'none', 'ID'),
    }));
    expect([there, paid]).toEqual([nowhere, nowhere]);
    const extensions = { code: 'NOT_FOUND', reason: 'notFound', issues: [{ path: ['bucket'] }] };
    expect(answers[0]?.errors).toMatchObject([{ extensions }]);
    expect((await buckets.list()).data.notifications).toHaveLength(1);
  });

  test.each([
    ['without a name', ''],
    ['with a space too many', ' photos'],
    ['in another case', 'Photos'],
    ['named like a part of the language', '__proto__'],
    ['named like another part', 'constructor'],
    ['with U+0000 in it', 'photos\u0000'],
    ['with half a surrogate pair', 'photos\ud800'],
    ['with a very long name', 'x'.repeat(100_000)],
  ])('nobody finds a bucket %s', async (_what, bucket) => {
    expect(refusal(await buckets.list({ bucket })).code).toBe('NOT_FOUND');
    expect(refusal(await buckets.insert({ topic }, { bucket })).code).toBe('NOT_FOUND');
  });

  test('every manager sees what the others made', async () => {
    const made = (await buckets.insert()).data.insertNotification;
    expect((await buckets.list({}, { as: other.toUpperCase() })).data.notifications).toEqual([made]);
    expect((await buckets.remove('1', {}, { as: other })).data.deleteNotification).toBe(true);
  });
});
