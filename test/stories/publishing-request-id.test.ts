import { eventually } from '../eventually.ts';
import {
  manager,
  otherManager,
  readRefusal,
  expectedRefusal,
  startNotificationGateway,
  topic,
} from '../notification/notification.harness.ts';
import { useForEach } from '../use-resource.ts';

const publishMutation = `mutation ($requestId: String, $change: ObjectChangeInput!, $validateOnly: Boolean) {
  publishObjectChange(bucket: "photos", requestId: $requestId, change: $change, validateOnly: $validateOnly) {
    messages { messageId notificationId topic attributes data state }
  }
}`;
const requestId = 'r1';
const change = { eventType: 'OBJECT_FINALIZE', objectId: 'cat.jpg', object: { name: 'cat.jpg', none: null } };
const reuseConflict = { code: 'CONFLICT', value: null, issues: ['requestId: requestIdReused'] };

describe('an object change with a request id', () => {
  let now = Date.UTC(2026, 11, 1);
  const gateway = useForEach(() => startNotificationGateway({ clock: () => now }));
  beforeEach(async () => {
    await gateway.insertNotification({ topic, custom_attributes: { team: 'cats' } });
    await gateway.insertNotification({});
  });

  const publishChange = (variables: object = {}, as = manager) =>
    gateway.ask(publishMutation, { requestId, change, ...variables }, { as });

  /** Counts the messages on the topic, once the outbox is empty. */
  async function countPublished(): Promise<number> {
    await eventually(async () => expect((await gateway.stores.outbox.backlog()).count).toBe(0));
    const { data } = await gateway.ask(`{ messages(topic: "${topic}") { nodes { messageId } } }`, {});
    return data.messages.nodes.length;
  }

  test('returns the first messages and warnings when repeated, and publishes none', async () => {
    const first = await publishChange();
    expect(first.data.publishObjectChange.messages).toHaveLength(1);
    now += 1000;
    const repeated = await publishChange();
    expect(repeated.errors).toBeUndefined();
    expect(repeated.data).toEqual(first.data);
    expect(repeated.warnings).toHaveLength(1);
    expect(repeated.warnings).toEqual(first.warnings);
    expect(await countPublished()).toBe(1);
  });

  test('returns the first messages even after the notifications have changed, without validating again', async () => {
    const first = await publishChange();
    await gateway.deleteNotification('1');
    await gateway.insertNotification({ topic });
    expect((await publishChange()).data).toEqual(first.data);
    const reorderedKeys = { ...change, object: { none: null, name: 'cat.jpg' } };
    expect(
      (await publishChange({ change: reorderedKeys })).data.publishObjectChange.messages[0].messageId,
    ).toBe(first.data.publishObjectChange.messages[0].messageId);
  });

  test.each([
    ['another object', { objectId: 'dog.jpg' }],
    ['a missing null in the object', { object: { name: 'cat.jpg' } }],
    ['no object', { object: null }],
  ])('is refused with %s', async (_what, changeFields) => {
    await publishChange();
    expect(readRefusal(await publishChange({ change: { ...change, ...changeFields } }))).toEqual(
      reuseConflict,
    );
    expect(await countPublished()).toBe(1);
  });

  test('is remembered for a day, per caller and operation', async () => {
    const first = await publishChange();
    now += 24 * 60 * 60 * 1000 - 1;
    expect((await publishChange()).data).toEqual(first.data);
    expect((await gateway.insertNotification({ topic }, { requestId })).errors).toBeUndefined();
    expect((await publishChange({}, otherManager)).data).not.toEqual(first.data);
    now += 1;
    expect((await publishChange()).data).not.toEqual(first.data);
  });

  test('is not recorded if it fails or is a dry run', async () => {
    const failedAnswer = await publishChange({ change: { ...change, objectId: '' } });
    expect(readRefusal(failedAnswer)).toEqual(expectedRefusal('change.objectId: required'));
    await publishChange({ validateOnly: true, change: { ...change, objectId: 'dog.jpg' } });
    expect((await publishChange()).errors).toBeUndefined();
    expect(readRefusal(await publishChange({ requestId: '' }))).toEqual(
      expectedRefusal('requestId: invalid'),
    );
    expect(await countPublished()).toBe(1);
  });
});
