import { eventually } from '../eventually.ts';
import {
  manager,
  other,
  refusal,
  refused,
  startBuckets,
  topic,
} from '../notification/notification.harness.ts';
import { useForEach } from '../started.ts';

const publish = `mutation ($requestId: String, $change: ObjectChangeInput!, $validateOnly: Boolean) {
  publishObjectChange(bucket: "photos", requestId: $requestId, change: $change, validateOnly: $validateOnly) {
    messages { messageId notificationId topic attributes data state }
  }
}`;
const requestId = 'r1';
const change = { eventType: 'OBJECT_FINALIZE', objectId: 'cat.jpg', object: { name: 'cat.jpg', none: null } };
const reused = { code: 'CONFLICT', value: null, issues: ['requestId: requestIdReused'] };

describe('a change with a request id', () => {
  let now = Date.UTC(2026, 11, 1);
  const buckets = useForEach(() => startBuckets({ clock: () => now }));
  beforeEach(async () => {
    await buckets.insert({ topic, custom_attributes: { team: 'cats' } });
    await buckets.insert({});
  });

  const tell = (variables: object = {}, as = manager) =>
    buckets.ask(publish, { requestId, change, ...variables }, { as });

  /** How many messages arrive on the topic. */
  async function published(): Promise<number> {
    await eventually(async () => expect((await buckets.stores.outbox.backlog()).count).toBe(0));
    const { data } = await buckets.ask(`{ messages(topic: "${topic}") { nodes { messageId } } }`, {});
    return data.messages.nodes.length;
  }

  test('sent again gives the first messages and warnings, and publishes none', async () => {
    const first = await tell();
    expect(first.data.publishObjectChange.messages).toHaveLength(1);
    now += 1000;
    const again = await tell();
    expect(again.errors).toBeUndefined();
    expect(again.data).toEqual(first.data);
    expect(again.warnings).toHaveLength(1);
    expect(again.warnings).toEqual(first.warnings);
    expect(await published()).toBe(1);
  });

  test('gives the first messages whatever became of the subscriptions, and without validating the input again', async () => {
    const first = await tell();
    await buckets.remove('1');
    await buckets.insert({ topic });
    expect((await tell()).data).toEqual(first.data);
    const keys = { ...change, object: { none: null, name: 'cat.jpg' } };
    expect((await tell({ change: keys })).data.publishObjectChange.messages[0].messageId).toBe(
      first.data.publishObjectChange.messages[0].messageId,
    );
  });

  test.each([
    ['another object', { objectId: 'dog.jpg' }],
    ['a null less in the object', { object: { name: 'cat.jpg' } }],
    ['no object', { object: null }],
  ])('is refused with %s', async (_what, rest) => {
    await tell();
    expect(refusal(await tell({ change: { ...change, ...rest } }))).toEqual(reused);
    expect(await published()).toBe(1);
  });

  test('is remembered for a day, for its caller and this operation', async () => {
    const first = await tell();
    now += 24 * 60 * 60 * 1000 - 1;
    expect((await tell()).data).toEqual(first.data);
    expect((await buckets.insert({ topic }, { requestId })).errors).toBeUndefined();
    expect((await tell({}, other)).data).not.toEqual(first.data);
    now += 1;
    expect((await tell()).data).not.toEqual(first.data);
  });

  test('leaves no trace when it failed or was only looked at', async () => {
    const failed = await tell({ change: { ...change, objectId: '' } });
    expect(refusal(failed)).toEqual(refused('change.objectId: required'));
    await tell({ validateOnly: true, change: { ...change, objectId: 'dog.jpg' } });
    expect((await tell()).errors).toBeUndefined();
    expect(refusal(await tell({ requestId: '' }))).toEqual(refused('requestId: invalid'));
    expect(await published()).toBe(1);
  });
});
