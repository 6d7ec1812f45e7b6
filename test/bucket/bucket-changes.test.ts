import {
  manager,
  otherManager,
  stranger,
  topic,
  expectedRefusal,
  readRefusal,
  readWarnings,
} from '../notification/notification.harness.ts';
import { eventually } from '../eventually.ts';
import { startTime, startBucketGateway, requireValue } from './bucket.harness.ts';
import { useForEach } from '../use-resource.ts';

let now: number;
const buckets = useForEach(() => {
  now = startTime;
  return startBucketGateway({ clock: () => now });
});

const notFound = { code: 'NOT_FOUND', value: null, issues: ['bucket: notFound'] };

describe('a change of a bucket', () => {
  beforeEach(async () => {
    requireValue(await buckets.insert({ name: 'mine', managers: [manager, otherManager] }));
    now += 1000;
  });

  test('is stored, with another etag, metageneration and time', async () => {
    const originalBucket = requireValue(await buckets.read('mine'));
    const change = { billing: { requesterPays: true }, managers: [otherManager] };
    const patchedBucket = requireValue(await buckets.patch('mine', change, { ifMatch: originalBucket.etag }));
    expect(patchedBucket).toEqual({
      ...originalBucket,
      etag: expect.not.stringMatching(originalBucket.etag),
      metageneration: '2',
      updated: '2030-01-01T00:00:01.000Z',
      ...change,
    });
    // A removed manager no longer sees the bucket or its notifications.
    const lists = await buckets.listNotifications({ bucket: 'mine' });
    for (const answer of [await buckets.read('mine'), await buckets.patch('mine', {}), lists])
      expect(readRefusal(answer)).toEqual(notFound);
    const readByOther = await buckets.read('mine', { userProject: 'payer-project' }, { as: otherManager });
    expect(requireValue(readByOther)).toEqual(patchedBucket);
  });

  test.each<[string, object]>([
    ['an empty one', {}],
    [
      'the same values',
      { name: 'mine', billing: { requesterPays: false }, managers: [manager, otherManager] },
    ],
    ['nulls for defaults', { billing: null }],
    ['managers in upper case', { managers: [manager.toUpperCase(), otherManager] }],
    [
      'fields that the server sets',
      { id: 'mine', kind: 'storage#bucket', metageneration: '1', timeCreated: '2030-01-01T01:00:00+01:00' },
    ],
  ])('that changes nothing keeps etag and metageneration: %s', async (_case, change) => {
    const originalBucket = requireValue(await buckets.read('mine'));
    const answer = await buckets.patch('mine', change);
    expect([requireValue(answer), answer.warnings]).toEqual([originalBucket, undefined]);
  });

  test('accepts a bucket as it was read, and warns of changed read-only fields', async () => {
    const originalBucket = requireValue(await buckets.read('mine'));
    const answer = await buckets.patch('mine', { ...originalBucket, billing: { requesterPays: true } });
    expect([requireValue(answer).metageneration, readWarnings(answer)]).toEqual(['2', []]);
    const answerWithWarnings = await buckets.patch('mine', { project: 'other-project', kind: 'x' });
    expect(readWarnings(answerWithWarnings)).toEqual(['change.kind: readOnly', 'change.project: readOnly']);
  });

  test('resets a field to its default by null', async () => {
    for (const [billing, requesterPays] of [
      [{ requesterPays: true }, true],
      [{ requesterPays: null }, false],
      [{ requesterPays: true }, true],
      [null, false],
    ])
      expect(requireValue(await buckets.patch('mine', { billing })).billing).toEqual({ requesterPays });
  });

  test.each<[string, object, string[]]>([
    ['another name', { name: 'yours' }, ['change.name: immutable']],
    ['no name', { name: null }, ['change.name: immutable']],
    ['no managers', { managers: [] }, ['change.managers: required']],
    ['null managers', { managers: null }, ['change.managers: required']],
    [
      'a duplicate manager',
      { managers: [otherManager, otherManager.toUpperCase()] },
      ['change.managers.1: invalid'],
    ],
    [
      'all at once',
      { name: 'yours', managers: ['robot', 'robot'] },
      ['change.name: immutable', ...[0, 1, 1].map((n) => `change.managers.${n}: invalid`)],
    ],
  ])('is refused: %s', async (_case, change, issues) => {
    expect(readRefusal(await buckets.patch('mine', change))).toEqual(expectedRefusal(...issues));
    expect(requireValue(await buckets.read('mine')).metageneration).toBe('1');
  });

  test('is checked and returned, but not stored, with validateOnly', async () => {
    const originalBucket = requireValue(await buckets.read('mine'));
    const dryRun = await buckets.patch('mine', { managers: [manager] }, { validateOnly: true });
    expect(requireValue(dryRun)).toMatchObject({ metageneration: '2', managers: [manager] });
    const refusedDryRun = await buckets.patch('mine', { managers: [] }, { validateOnly: true });
    expect(readRefusal(refusedDryRun)).toEqual(expectedRefusal('change.managers: required'));
    expect(requireValue(await buckets.read('mine'))).toEqual(originalBucket);
  });

  test('and a deletion need the current etag and a manager', async () => {
    const preconditionFailed = {
      code: 'PRECONDITION_FAILED',
      value: null,
      issues: ['ifMatch: conditionNotMet'],
    };
    const { etag } = requireValue(await buckets.read('mine'));
    requireValue(await buckets.patch('mine', { managers: [manager] }, { ifMatch: '*' }));
    expect(readRefusal(await buckets.patch('mine', {}, { ifMatch: etag }))).toEqual(preconditionFailed);
    expect(readRefusal(await buckets.remove('mine', { ifMatch: etag }))).toEqual(preconditionFailed);
    for (const as of [otherManager, stranger]) {
      const patchResponse = await buckets.patch('mine', { name: 'no' }, { ifMatch: etag }, { as });
      expect(readRefusal(patchResponse)).toEqual(notFound);
      expect(readRefusal(await buckets.remove('mine', {}, { as }))).toEqual(notFound);
    }
    expect(readRefusal(await buckets.remove('none'))).toEqual(notFound);
    const { etag: ifMatch } = requireValue(await buckets.read('mine'));
    expect(requireValue(await buckets.remove('mine', { ifMatch }))).toBe(true);
  });

  test("of a seed's bucket keeps fields that a newer rule would refuse", async () => {
    const oldBucket = { name: 'Old_Bucket', project: 'Old', managers: [manager, manager] };
    const seededGateway = await startBucketGateway({ seed: { buckets: [oldBucket] } });
    const patched = requireValue(
      await seededGateway.patch('Old_Bucket', { billing: { requesterPays: true } }),
    );
    expect(patched).toMatchObject({ name: 'Old_Bucket', metageneration: '2', timeCreated: null });
    await seededGateway.close();
  });
});

describe('a bucket that makes the requester pay', () => {
  test('needs userProject for reading, not for changing or deleting', async () => {
    expect(readRefusal(await buckets.read('paid'))).toEqual(expectedRefusal('userProject: required'));
    const invalidResponse = await buckets.read('paid', { userProject: 'P' });
    expect(readRefusal(invalidResponse)).toEqual(expectedRefusal('userProject: invalid'));
    expect(requireValue(await buckets.read('paid', { userProject: 'payer-project' })).name).toBe('paid');
    expect(
      requireValue(await buckets.patch('paid', { managers: [otherManager, manager] })).metageneration,
    ).toBe('2');
    expect(requireValue(await buckets.remove('paid'))).toBe(true);
  });
});

describe('a bucket that is deleted', () => {
  const publish = (objectId: string) =>
    buckets.ask(
      `mutation ($change: ObjectChangeInput!) {
        publishObjectChange(bucket: "photos", change: $change) { messages { notificationId } } }`,
      { change: { eventType: 'OBJECT_FINALIZE', objectId } },
    );
  const listMessages = async (as = manager) =>
    buckets.ask(
      'query ($topic: String!) { messages(topic: $topic) { nodes { notificationId attributes } } }',
      { topic },
      { as },
    );
  interface MessageNode {
    readonly notificationId: string;
    readonly attributes: { readonly objectId: string };
  }
  /** Waits until a caller sees exactly these messages of the topic, as "notificationId objectId". */
  const expectMessages = (expected: readonly string[], as = manager): Promise<void> =>
    eventually(async () => {
      const nodes = requireValue(await listMessages(as)).nodes as MessageNode[];
      const messages = nodes.map((node) => `${node.notificationId} ${node.attributes.objectId}`);
      expect(messages).toEqual(expected);
    });
  const topicNotFound = { code: 'NOT_FOUND', value: null, issues: ['topic: notFound'] };

  test('is gone, with its subscriptions and its messages', async () => {
    requireValue(await buckets.insertNotification({ topic }));
    requireValue(await publish('before'));
    await expectMessages(['1 before']);
    expect(requireValue(await buckets.remove('photos'))).toBe(true);
    for (const answer of [
      await buckets.read('photos'),
      await buckets.remove('photos'),
      await buckets.patch('photos', {}),
      await buckets.listNotifications(),
      await publish('after'),
    ])
      expect(readRefusal(answer)).toEqual(notFound);
    expect(readRefusal(await listMessages())).toEqual(topicNotFound);
  });

  test('frees its name for a new bucket, without its messages, whose notification ids continue', async () => {
    for (const objectId of ['a', 'b']) {
      requireValue(await buckets.insertNotification({ topic }));
      requireValue(await publish(objectId));
    }
    await expectMessages(['1 a', '1 b', '2 b']);
    const deletedBucket = requireValue(await buckets.read('photos'));
    requireValue(await buckets.remove('photos'));
    const recreated = requireValue(await buckets.insert({ name: 'photos' }, {}, { as: otherManager }));
    expect([recreated.nodeId, recreated.etag]).not.toEqual([deletedBucket.nodeId, deletedBucket.etag]);
    for (const as of [manager, otherManager])
      expect(readRefusal(await listMessages(as))).toEqual(topicNotFound);
    expect(requireValue(await buckets.listNotifications({}, { as: otherManager }))).toEqual([]);
    expect(requireValue(await buckets.insertNotification({ topic }, {}, { as: otherManager })).id).toBe('3');
    await expectMessages([], otherManager);
    requireValue(
      await buckets.patch('photos', { managers: [otherManager, manager] }, {}, { as: otherManager }),
    );
    requireValue(await publish('c'));
    for (const as of [manager, otherManager]) await expectMessages(['3 c'], as);
  });

  test('has a nodeId that does not name a later bucket of the same name', async () => {
    const nodeQuery = 'query ($nodeId: ID!) { node(nodeId: $nodeId) { nodeId ... on Bucket { name } } }';
    const readNode = ({ nodeId }: { readonly nodeId: string }) => buckets.ask(nodeQuery, { nodeId });
    const deletedBucket = requireValue(await buckets.read('photos'));
    expect(requireValue(await readNode(deletedBucket))).toEqual({
      nodeId: deletedBucket.nodeId,
      name: 'photos',
    });
    requireValue(await buckets.remove('photos'));
    now += 1000;
    const laterBucket = requireValue(await buckets.insert({ name: 'photos' }));
    expect(requireValue(await readNode(laterBucket))).toEqual({ nodeId: laterBucket.nodeId, name: 'photos' });
    expect(readRefusal(await readNode(deletedBucket))).toEqual({ ...notFound, issues: ['nodeId: notFound'] });
  });
});
