import {
  other,
  refusal,
  refused,
  startBuckets,
  topic,
  warned,
  type Buckets,
} from '../notification/notification.harness.ts';
import { useForEach } from '../started.ts';
import { demoNow } from '../harness.ts';

const requestId = 'b9e1c1f0-5b0a-4d53-8f3f-0d2f8e4f6b11';
const reused = { code: 'CONFLICT', value: null, issues: ['requestId: requestIdReused'] };

describe('an insert with a request id', () => {
  const buckets = useForEach(() => startBuckets({ clock: () => demoNow }));

  const ids = async (): Promise<string[]> =>
    (await buckets.list()).data.notifications.map(({ id }: { id: string }) => id);
  const idOf = async (...insert: Parameters<Buckets['insert']>): Promise<string> =>
    (await buckets.insert(...insert)).data.insertNotification.id;
  const body = { topic, event_types: ['OBJECT_DELETE'], custom_attributes: { team: 'photos', tier: '1' } };

  test('can be sent again: the first result comes back, warnings included, and nothing new is made', async () => {
    const first = await buckets.insert({ id: '9', custom_attributes: {} }, { requestId });
    const again = await buckets.insert({ id: '9', custom_attributes: {} }, { requestId });
    expect(again.errors).toBeUndefined();
    expect(again.data).toEqual(first.data);
    expect(warned(again)).toEqual(['notification.id: readOnly', 'notification.topic: incomplete']);
    expect(again.warnings).toEqual(first.warnings);
    expect(await ids()).toEqual(['1']);
  });

  test('is not validated again when it is sent again', async () => {
    await buckets.insert(body, { requestId });
    for (let count = 0; count < 9; count += 1) await buckets.insert({ topic });
    expect(refusal(await buckets.insert(body))).toEqual(refused('notification.event_types: tooMany'));
    expect(await idOf(body, { requestId })).toBe('1');
  });

  test('makes one notification also when it is sent twice in one request', async () => {
    const field = `insertNotification(bucket: "photos", requestId: "r", notification: $n) { id etag }`;
    const twice = `mutation ($n: NotificationInput!) { a: ${field} b: ${field} }`;
    const { data } = await buckets.ask(twice, { n: body });
    expect(data.a).toEqual(data.b);
    expect(await ids()).toEqual(['1']);
  });

  test('gives the first result also after the notification was deleted', async () => {
    const first = await buckets.insert(body, { requestId });
    await buckets.remove('1');
    expect((await buckets.insert(body, { requestId })).data).toEqual(first.data);
    expect(await ids()).toEqual([]);
  });

  test.each([
    ['another value', { ...body, event_types: ['OBJECT_ARCHIVE'] }, {}],
    ['another payer', body, { userProject: 'payer-project' }],
  ])('is refused with %s', async (_what, notification, args) => {
    await buckets.insert(body, { requestId });
    expect(refusal(await buckets.insert(notification, { ...args, requestId }))).toEqual(reused);
    expect(await ids()).toEqual(['1']);
  });

  test('is refused for another bucket', async () => {
    await buckets.insert(body, { requestId }, { as: other });
    const elsewhere = await buckets.insert(body, { requestId, bucket: 'other' }, { as: other });
    expect(refusal(elsewhere)).toEqual(reused);
    expect((await buckets.list({ bucket: 'other' }, { as: other })).data.notifications).toEqual([]);
  });

  test.each([
    ['null', null],
    ['nothing', undefined],
  ])('%s for a request id is none', async (_what, none) => {
    await buckets.insert(body, { requestId: none });
    await buckets.insert(body, { requestId: none });
    expect(await ids()).toEqual(['1', '2']);
  });
});
