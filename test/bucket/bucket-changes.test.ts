import {
  manager,
  other,
  refusal,
  refused,
  stranger,
  topic,
  warned,
} from '../notification/notification.harness.ts';
import { eventually } from '../eventually.ts';
import { startOfDay, startResource, valueOf } from './bucket.harness.ts';
import { useForEach } from '../started.ts';

let now: number;
const buckets = useForEach(() => {
  now = startOfDay;
  return startResource({ clock: () => now });
});

const notFound = { code: 'NOT_FOUND', value: null, issues: ['bucket: notFound'] };

describe('a change of a bucket', () => {
  beforeEach(async () => {
    valueOf(await buckets.make({ name: 'mine', managers: [manager, other] }));
    now += 1000;
  });

  test('is stored, with another etag, metageneration and time', async () => {
    const before = valueOf(await buckets.read('mine'));
    const change = { billing: { requesterPays: true }, managers: [other] };
    const after = valueOf(await buckets.patch('mine', change, { ifMatch: before.etag }));
    expect(after).toEqual({
      ...before,
      etag: expect.not.stringMatching(before.etag),
      metageneration: '2',
      updated: '2030-01-01T00:00:01.000Z',
      ...change,
    });
    // Whoever leaves the list sees the bucket no more, nor its notifications.
    const lists = await buckets.listNotifications({ bucket: 'mine' });
    for (const answer of [await buckets.read('mine'), await buckets.patch('mine', {}), lists])
      expect(refusal(answer)).toEqual(notFound);
    expect(valueOf(await buckets.read('mine', { userProject: 'payer-project' }, { as: other }))).toEqual(
      after,
    );
  });

  test.each<[string, object]>([
    ['an empty one', {}],
    ['the same values', { name: 'mine', billing: { requesterPays: false }, managers: [manager, other] }],
    ['nulls for defaults', { billing: null }],
    ['managers in upper case', { managers: [manager.toUpperCase(), other] }],
    [
      'what the server sets',
      { id: 'mine', kind: 'storage#bucket', metageneration: '1', timeCreated: '2030-01-01T01:00:00+01:00' },
    ],
  ])('that changes nothing leaves all as it is: %s', async (_what, change) => {
    const before = valueOf(await buckets.read('mine'));
    const answer = await buckets.patch('mine', change);
    expect([valueOf(answer), answer.warnings]).toEqual([before, undefined]);
  });

  test("takes a bucket as it was read, and warns of what differs from that and is not the client's to set", async () => {
    const before = valueOf(await buckets.read('mine'));
    const answer = await buckets.patch('mine', { ...before, billing: { requesterPays: true } });
    expect([valueOf(answer).metageneration, warned(answer)]).toEqual(['2', []]);
    expect(warned(await buckets.patch('mine', { project: 'other-project', kind: 'x' }))).toEqual([
      'change.kind: readOnly',
      'change.project: readOnly',
    ]);
  });

  test('goes back to the default by null', async () => {
    for (const [billing, requesterPays] of [
      [{ requesterPays: true }, true],
      [{ requesterPays: null }, false],
      [{ requesterPays: true }, true],
      [null, false],
    ])
      expect(valueOf(await buckets.patch('mine', { billing })).billing).toEqual({ requesterPays });
  });

  test.each<[string, object, string[]]>([
    ['another name', { name: 'yours' }, ['change.name: immutable']],
    ['no name', { name: null }, ['change.name: immutable']],
    ['nobody', { managers: [] }, ['change.managers: required']],
    ['null managers', { managers: null }, ['change.managers: required']],
    ['somebody twice', { managers: [other, other.toUpperCase()] }, ['change.managers.1: invalid']],
    [
      'all at once',
      { name: 'yours', managers: ['robot', 'robot'] },
      ['change.name: immutable', ...[0, 1, 1].map((n) => `change.managers.${n}: invalid`)],
    ],
  ])('is refused: %s', async (_what, change, issues) => {
    expect(refusal(await buckets.patch('mine', change))).toEqual(refused(...issues));
    expect(valueOf(await buckets.read('mine')).metageneration).toBe('1');
  });

  test('is not stored with validateOnly, which shows and checks it', async () => {
    const before = valueOf(await buckets.read('mine'));
    const shown = await buckets.patch('mine', { managers: [manager] }, { validateOnly: true });
    expect(valueOf(shown)).toMatchObject({ metageneration: '2', managers: [manager] });
    const wrong = await buckets.patch('mine', { managers: [] }, { validateOnly: true });
    expect(refusal(wrong)).toEqual(refused('change.managers: required'));
    expect(valueOf(await buckets.read('mine'))).toEqual(before);
  });

  test('and a deletion are made by those alone who have seen the bucket as it is, and manage it', async () => {
    const failed = { code: 'PRECONDITION_FAILED', value: null, issues: ['ifMatch: conditionNotMet'] };
    const { etag } = valueOf(await buckets.read('mine'));
    valueOf(await buckets.patch('mine', { managers: [manager] }, { ifMatch: '*' }));
    expect(refusal(await buckets.patch('mine', {}, { ifMatch: etag }))).toEqual(failed);
    expect(refusal(await buckets.remove('mine', { ifMatch: etag }))).toEqual(failed);
    for (const as of [other, stranger]) {
      expect(refusal(await buckets.patch('mine', { name: 'no' }, { ifMatch: etag }, { as }))).toEqual(
        notFound,
      );
      expect(refusal(await buckets.remove('mine', {}, { as }))).toEqual(notFound);
    }
    expect(refusal(await buckets.remove('none'))).toEqual(notFound);
    expect(valueOf(await buckets.remove('mine', { ifMatch: valueOf(await buckets.read('mine')).etag }))).toBe(
      true,
    );
  });

  test("of a seed's bucket leaves alone what a later rule would refuse", async () => {
    const own = await startResource({
      seed: { buckets: [{ name: 'Old_Bucket', project: 'Old', managers: [manager, manager] }] },
    });
    expect(valueOf(await own.patch('Old_Bucket', { billing: { requesterPays: true } }))).toMatchObject({
      name: 'Old_Bucket',
      metageneration: '2',
      timeCreated: null,
    });
    await own.close();
  });
});

describe('a bucket that makes the requester pay', () => {
  test('wants to know who pays for reading it, not for changing or deleting it', async () => {
    expect(refusal(await buckets.read('paid'))).toEqual(refused('userProject: required'));
    expect(refusal(await buckets.read('paid', { userProject: 'P' }))).toEqual(
      refused('userProject: invalid'),
    );
    expect(valueOf(await buckets.read('paid', { userProject: 'payer-project' })).name).toBe('paid');
    expect(valueOf(await buckets.patch('paid', { managers: [other, manager] })).metageneration).toBe('2');
    expect(valueOf(await buckets.remove('paid'))).toBe(true);
  });
});

describe('a bucket that is deleted', () => {
  const publish = (objectId: string) =>
    buckets.ask(
      `mutation ($change: ObjectChangeInput!) {
        publishObjectChange(bucket: "photos", change: $change) { messages { notificationId } } }`,
      { change: { eventType: 'OBJECT_FINALIZE', objectId } },
    );
  const messages = async (as = manager) =>
    buckets.ask(
      'query ($topic: String!) { messages(topic: $topic) { nodes { notificationId attributes } } }',
      { topic },
      { as },
    );
  interface Node {
    readonly notificationId: string;
    readonly attributes: { readonly objectId: string };
  }
  /** Waits until these messages, as number of the notification and object, are what a caller sees of the topic. */
  const expectSeen = (expected: readonly string[], as = manager): Promise<void> =>
    eventually(async () => {
      const nodes = valueOf(await messages(as)).nodes as Node[];
      const seen = nodes.map(({ notificationId, attributes }) => `${notificationId} ${attributes.objectId}`);
      expect(seen).toEqual(expected);
    });
  const noTopic = { code: 'NOT_FOUND', value: null, issues: ['topic: notFound'] };

  test('is gone, with its subscriptions and its messages', async () => {
    valueOf(await buckets.insertNotification({ topic }));
    valueOf(await publish('before'));
    await expectSeen(['1 before']);
    expect(valueOf(await buckets.remove('photos'))).toBe(true);
    for (const answer of [
      await buckets.read('photos'),
      await buckets.remove('photos'),
      await buckets.patch('photos', {}),
      await buckets.listNotifications(),
      await publish('after'),
    ])
      expect(refusal(answer)).toEqual(notFound);
    expect(refusal(await messages())).toEqual(noTopic);
  });

  test('leaves its name to whoever takes it, who sees nothing of it, and whose subscriptions are counted on', async () => {
    for (const objectId of ['a', 'b']) {
      valueOf(await buckets.insertNotification({ topic }));
      valueOf(await publish(objectId));
    }
    await expectSeen(['1 a', '1 b', '2 b']);
    const before = valueOf(await buckets.read('photos'));
    valueOf(await buckets.remove('photos'));
    const again = valueOf(await buckets.make({ name: 'photos' }, {}, { as: other }));
    expect([again.nodeId, again.etag]).not.toEqual([before.nodeId, before.etag]);
    for (const as of [manager, other]) expect(refusal(await messages(as))).toEqual(noTopic);
    expect(valueOf(await buckets.listNotifications({}, { as: other }))).toEqual([]);
    expect(valueOf(await buckets.insertNotification({ topic }, {}, { as: other })).id).toBe('3');
    await expectSeen([], other);
    valueOf(await buckets.patch('photos', { managers: [other, manager] }, {}, { as: other }));
    valueOf(await publish('c'));
    for (const as of [manager, other]) await expectSeen(['3 c'], as);
  });

  test('has a nodeId that does not name a later bucket of the same name', async () => {
    const node = ({ nodeId }: { readonly nodeId: string }) =>
      buckets.ask('query ($nodeId: ID!) { node(nodeId: $nodeId) { nodeId ... on Bucket { name } } }', {
        nodeId,
      });
    const before = valueOf(await buckets.read('photos'));
    expect(valueOf(await node(before))).toEqual({ nodeId: before.nodeId, name: 'photos' });
    valueOf(await buckets.remove('photos'));
    now += 1000;
    const after = valueOf(await buckets.make({ name: 'photos' }));
    expect(valueOf(await node(after))).toEqual({ nodeId: after.nodeId, name: 'photos' });
    expect(refusal(await node(before))).toEqual({
      code: 'NOT_FOUND',
      value: null,
      issues: ['nodeId: notFound'],
    });
  });
});
