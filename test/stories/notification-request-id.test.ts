import {
  otherManager,
  readRefusal,
  expectedRefusal,
  startBuckets,
  topic,
  readWarnings,
  type Buckets,
} from '../notification/notification.harness.ts';
import { useForEach } from '../started.ts';
import { demoNow } from '../harness.ts';

const requestId = 'b9e1c1f0-5b0a-4d53-8f3f-0d2f8e4f6b11';
const reuseConflict = { code: 'CONFLICT', value: null, issues: ['requestId: requestIdReused'] };

describe('an insert with a request id', () => {
  const buckets = useForEach(() => startBuckets({ clock: () => demoNow }));

  const listIds = async (): Promise<string[]> =>
    (await buckets.list()).data.notifications.map(({ id }: { id: string }) => id);
  const insertAndGetId = async (...insert: Parameters<Buckets['insert']>): Promise<string> =>
    (await buckets.insert(...insert)).data.insertNotification.id;
  const body = { topic, event_types: ['OBJECT_DELETE'], custom_attributes: { team: 'photos', tier: '1' } };

  test('returns the first result when repeated, warnings included, and creates nothing', async () => {
    const first = await buckets.insert({ id: '9', custom_attributes: {} }, { requestId });
    const repeated = await buckets.insert({ id: '9', custom_attributes: {} }, { requestId });
    expect(repeated.errors).toBeUndefined();
    expect(repeated.data).toEqual(first.data);
    expect(readWarnings(repeated)).toEqual(['notification.id: readOnly', 'notification.topic: incomplete']);
    expect(repeated.warnings).toEqual(first.warnings);
    expect(await listIds()).toEqual(['1']);
  });

  test('is not validated again when repeated', async () => {
    await buckets.insert(body, { requestId });
    for (let count = 0; count < 9; count += 1) await buckets.insert({ topic });
    expect(readRefusal(await buckets.insert(body))).toEqual(
      expectedRefusal('notification.event_types: tooMany'),
    );
    expect(await insertAndGetId(body, { requestId })).toBe('1');
  });

  test('creates one notification even if sent twice in one request', async () => {
    const field = `insertNotification(bucket: "photos", requestId: "r", notification: $n) { id etag }`;
    const mutation = `mutation ($n: NotificationInput!) { a: ${field} b: ${field} }`;
    const { data } = await buckets.ask(mutation, { n: body });
    expect(data.a).toEqual(data.b);
    expect(await listIds()).toEqual(['1']);
  });

  test('returns the first result even after the notification was deleted', async () => {
    const first = await buckets.insert(body, { requestId });
    await buckets.remove('1');
    expect((await buckets.insert(body, { requestId })).data).toEqual(first.data);
    expect(await listIds()).toEqual([]);
  });

  test.each([
    ['another value', { ...body, event_types: ['OBJECT_ARCHIVE'] }, {}],
    ['another payer', body, { userProject: 'payer-project' }],
    ['another bucket', body, { bucket: 'other' }],
  ])('is refused with %s', async (_what, notification, args) => {
    const as = { as: otherManager };
    await buckets.insert(body, { requestId }, as);
    expect(readRefusal(await buckets.insert(notification, { ...args, requestId }, as))).toEqual(
      reuseConflict,
    );
    expect(await listIds()).toEqual(['1']);
    expect((await buckets.list({ bucket: 'other' }, as)).data.notifications).toEqual([]);
  });

  test.each([
    ['null', null],
    ['nothing', undefined],
  ])('%s counts as no request id', async (_what, absentId) => {
    await buckets.insert(body, { requestId: absentId });
    await buckets.insert(body, { requestId: absentId });
    expect(await listIds()).toEqual(['1', '2']);
  });
});
