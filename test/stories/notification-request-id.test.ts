import {
  otherManager,
  readRefusal,
  expectedRefusal,
  startNotificationGateway,
  topic,
  readWarnings,
  type NotificationGateway,
} from '../notification/notification.harness.ts';
import { useForEach } from '../use-resource.ts';
import { demoNow } from '../harness.ts';

const requestId = 'b9e1c1f0-5b0a-4d53-8f3f-0d2f8e4f6b11';
const reuseConflict = { code: 'CONFLICT', value: null, issues: ['requestId: requestIdReused'] };

describe('an insert with a request id', () => {
  const gateway = useForEach(() => startNotificationGateway({ clock: () => demoNow }));

  const listIds = async (): Promise<string[]> =>
    (await gateway.listNotifications()).data.notifications.map(({ id }: { id: string }) => id);
  const insertAndGetId = async (
    ...insertArguments: Parameters<NotificationGateway['insertNotification']>
  ): Promise<string> => (await gateway.insertNotification(...insertArguments)).data.insertNotification.id;
  const body = { topic, event_types: ['OBJECT_DELETE'], custom_attributes: { team: 'photos', tier: '1' } };

  test('returns the first result when repeated, warnings included, and creates nothing', async () => {
    const first = await gateway.insertNotification({ id: '9', custom_attributes: {} }, { requestId });
    const repeated = await gateway.insertNotification({ id: '9', custom_attributes: {} }, { requestId });
    expect(repeated.errors).toBeUndefined();
    expect(repeated.data).toEqual(first.data);
    expect(readWarnings(repeated)).toEqual(['notification.id: readOnly', 'notification.topic: incomplete']);
    expect(repeated.warnings).toEqual(first.warnings);
    expect(await listIds()).toEqual(['1']);
  });

  test('is not validated again when repeated', async () => {
    await gateway.insertNotification(body, { requestId });
    for (let count = 0; count < 9; count += 1) await gateway.insertNotification({ topic });
    expect(readRefusal(await gateway.insertNotification(body))).toEqual(
      expectedRefusal('notification.event_types: tooMany'),
    );
    expect(await insertAndGetId(body, { requestId })).toBe('1');
  });

  test('creates one notification even if sent twice in one request', async () => {
    const field = `insertNotification(bucket: "photos", requestId: "r", notification: $n) { id etag }`;
    const mutation = `mutation ($n: NotificationInput!) { a: ${field} b: ${field} }`;
    const { data } = await gateway.ask(mutation, { n: body });
    expect(data.a).toEqual(data.b);
    expect(await listIds()).toEqual(['1']);
  });

  test('returns the first result even after the notification was deleted', async () => {
    const first = await gateway.insertNotification(body, { requestId });
    await gateway.deleteNotification('1');
    expect((await gateway.insertNotification(body, { requestId })).data).toEqual(first.data);
    expect(await listIds()).toEqual([]);
  });

  test.each([
    ['another value', { ...body, event_types: ['OBJECT_ARCHIVE'] }, {}],
    ['another payer', body, { userProject: 'payer-project' }],
    ['another bucket', body, { bucket: 'other' }],
  ])('is refused with %s', async (_what, notification, args) => {
    const as = { as: otherManager };
    await gateway.insertNotification(body, { requestId }, as);
    expect(readRefusal(await gateway.insertNotification(notification, { ...args, requestId }, as))).toEqual(
      reuseConflict,
    );
    expect(await listIds()).toEqual(['1']);
    expect((await gateway.listNotifications({ bucket: 'other' }, as)).data.notifications).toEqual([]);
  });

  test.each([
    ['null', null],
    ['nothing', undefined],
  ])('%s counts as no request id', async (_what, absentId) => {
    await gateway.insertNotification(body, { requestId: absentId });
    await gateway.insertNotification(body, { requestId: absentId });
    expect(await listIds()).toEqual(['1', '2']);
  });
});
