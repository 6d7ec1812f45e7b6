import { eventually } from '../eventually.ts';
import { startGateway } from '../harness.ts';
import { useForEach } from '../started.ts';

const topic = '//pubsub.googleapis.com/projects/my-project/topics/photos';
const manager = 'manager@example.com';
const seed = {
  buckets: [
    { name: 'photos', project: 'my-project', managers: [manager], notifications: [] },
    { name: 'other', project: 'my-project', managers: ['other@example.com'], notifications: [{ topic }] },
  ],
};

const insert = `mutation ($notification: NotificationInput!) { insertNotification(bucket: "photos", notification: $notification) { id } }`;
const publish = `mutation ($change: ObjectChangeInput!, $bucket: String = "photos", $requestId: String, $validateOnly: Boolean) {
  publishObjectChange(bucket: $bucket, requestId: $requestId, change: $change, validateOnly: $validateOnly) {
    messages { messageId notificationId topic attributes data state }
  }
}`;
const read = `query ($topic: String!, $first: Int, $after: String) { messages(topic: $topic, first: $first, after: $after) {
  nodes { messageId data state attributes } edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
} }`;
const object = { name: 'cat.jpg' };
const change = { eventType: 'OBJECT_FINALIZE', objectId: 'cat.jpg', objectGeneration: '1', object };

describe('a change of an object', () => {
  const gateway = useForEach(() => startGateway({}, { seed }));

  const ask = (query: string, variables: object, as = manager) => gateway.ask(query, variables, { as });

  /** The topic's messages, once there are as many as expected. */
  async function messages(count: number, variables: object = {}, as = manager) {
    let answer = await ask(read, { topic, ...variables }, as);
    await eventually(async () => {
      answer = await ask(read, { topic, ...variables }, as);
      expect(answer.data.messages.nodes.length).toBeGreaterThanOrEqual(count);
    });
    return answer;
  }
  const objectsOf = (answer: Awaited<ReturnType<typeof ask>>): string[] =>
    answer.data.messages.nodes.map((node: { attributes: { objectId: string } }) => node.attributes.objectId);
  const other = 'other@example.com';

  test('causes a message for each subscription it concerns, which can be read on the topic', async () => {
    await ask(insert, { notification: { topic, custom_attributes: { team: 'cats' } } });
    await ask(insert, { notification: { topic, object_name_prefix: 'dog' } });
    const answer = await ask(publish, { change });
    expect(answer.errors).toBeUndefined();
    const sent = answer.data.publishObjectChange.messages;
    const builtIn = { team: 'cats', objectId: 'cat.jpg', objectGeneration: '1' };
    expect(sent).toMatchObject([
      { notificationId: '1', topic, state: 'PENDING', data: '{"name":"cat.jpg"}', attributes: builtIn },
    ]);

    const { nodes } = (await messages(1)).data.messages;
    const { messageId, attributes, data } = sent[0];
    expect(nodes).toEqual([{ messageId, attributes, data, state: 'PUBLISHED' }]);
  });

  test('with validateOnly shows its messages and publishes none', async () => {
    await ask(insert, { notification: { topic } });
    const answer = await ask(publish, { change, validateOnly: true });
    expect(answer.data.publishObjectChange.messages).toMatchObject([{ state: 'PREVIEW', topic }]);
    await ask(publish, { change: { ...change, objectId: 'later.jpg' } });
    expect(objectsOf(await messages(1))).toEqual(['later.jpg']);
  });

  test('says so when a subscription it concerns has no topic', async () => {
    await ask(insert, { notification: {} });
    const answer = await ask(publish, { change });
    expect(answer.data.publishObjectChange.messages).toEqual([]);
    expect(answer.warnings).toMatchObject([{ path: ['change'], reason: 'incomplete' }]);
    expect(answer.warnings?.[0]?.message).toContain('notification 1 ');
  });

  test('causes no message any more once the subscription is deleted, and its id never returns', async () => {
    await ask(insert, { notification: { topic } });
    await ask('mutation { deleteNotification(bucket: "photos", notificationId: "1") }', {});
    expect((await ask(publish, { change })).data.publishObjectChange.messages).toEqual([]);
    expect((await ask(insert, { notification: { topic } })).data.insertNotification.id).toBe('2');
  });

  test('of a bucket the caller does not manage is the same as of none at all', async () => {
    const strange = await ask(publish, { change, bucket: 'other' });
    const none = await ask(publish, { change, bucket: 'none' });
    expect(strange.errors?.[0]?.extensions).toMatchObject({ code: 'NOT_FOUND', reason: 'notFound' });
    expect(strange.errors?.[0]?.extensions.issues).toEqual(none.errors?.[0]?.extensions.issues);
  });

  describe('its messages', () => {
    test('come in pages', async () => {
      await ask(insert, { notification: { topic: 'projects/my-project/topics/photos' } });
      for (const objectId of ['a', 'b', 'c']) await ask(publish, { change: { ...change, objectId } });
      await messages(3);
      const first = await ask(read, { topic: 'projects/my-project/topics/photos', first: 2 });
      expect(objectsOf(first)).toEqual(['a', 'b']);
      expect(first.data.messages.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
      const rest = await ask(read, { topic, first: 2, after: first.data.messages.pageInfo.endCursor });
      expect(objectsOf(rest)).toEqual(['c']);
      expect(rest.data.messages.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    });

    test('are shown to managers of their bucket only', async () => {
      await ask(insert, { notification: { topic } });
      await ask(publish, { change });
      await messages(1);
      expect((await ask(read, { topic }, other)).data.messages.nodes).toEqual([]);
      const issues = [{ path: ['topic'] }];
      const stranger = await ask(read, { topic }, 'stranger@example.com');
      for (const answer of [stranger, await ask(read, { topic: `${topic}2` })])
        expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'NOT_FOUND', issues });
    });

    test('go on behind the last one that was seen, whatever others publish to the topic', async () => {
      await ask(insert, { notification: { topic } });
      await ask(publish, { change });
      const first = await messages(1);
      const { endCursor } = first.data.messages.pageInfo;
      for (const objectId of ['theirs 1', 'theirs 2'])
        await ask(publish, { change: { ...change, objectId }, bucket: 'other' }, other);
      await ask(publish, { change: { ...change, objectId: 'mine' } });
      const rest = await messages(1, { after: endCursor });
      expect(rest.data.messages.nodes).toMatchObject([{ attributes: { objectId: 'mine' } }]);
      const none = await ask(read, { topic, after: rest.data.messages.pageInfo.endCursor });
      const pageInfo = { hasNextPage: false, hasPreviousPage: true };
      expect(none.data.messages).toMatchObject({ nodes: [], pageInfo });
    });

    test('have cursors that say nothing of the messages of others: theirs is no cursor of this list', async () => {
      await ask(insert, { notification: { topic } });
      await ask(publish, { change });
      await messages(1);
      await ask(publish, { change, bucket: 'other' }, other);
      const theirs = await messages(1, {}, other);
      const answer = await ask(read, { topic, after: theirs.data.messages.pageInfo.endCursor });
      const issues = [{ path: ['after'], reason: 'invalid' }];
      expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', issues });
    });

    test('are asked for with all faults told at once', async () => {
      const answer = await ask(read, { topic: 'photos', first: 0, after: 'x' });
      const paths = answer.errors?.[0]?.extensions.issues.map(({ path }) => path.join());
      expect(paths).toEqual(['topic', 'after', 'first']);
      const tooMany = await ask(read, { topic, first: 1001 });
      expect(tooMany.errors?.[0]?.extensions.issues).toMatchObject([
        { path: ['first'], params: { min: 1, max: 1000, actual: 1001 } },
      ]);
    });
  });
});
