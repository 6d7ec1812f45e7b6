import { eventually } from '../eventually.ts';
import { startGateway } from '../harness.ts';
import { useForEach } from '../use-resource.ts';

const topic = '//pubsub.googleapis.com/projects/my-project/topics/photos';
const manager = 'manager@example.com';
const seed = {
  buckets: [
    { name: 'photos', project: 'my-project', managers: [manager], notifications: [] },
    { name: 'other', project: 'my-project', managers: ['other@example.com'], notifications: [{ topic }] },
  ],
};

const insertMutation = `mutation ($notification: NotificationInput!) { insertNotification(bucket: "photos", notification: $notification) { id } }`;
const publishMutation = `mutation ($change: ObjectChangeInput!, $bucket: String = "photos", $requestId: String, $validateOnly: Boolean) {
  publishObjectChange(bucket: $bucket, requestId: $requestId, change: $change, validateOnly: $validateOnly) {
    messages { messageId notificationId topic attributes data state }
  }
}`;
const messagesQuery = `query ($topic: String!, $first: Int, $after: String) { messages(topic: $topic, first: $first, after: $after) {
  nodes { messageId data state attributes } edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
} }`;
const object = { name: 'cat.jpg' };
const change = { eventType: 'OBJECT_FINALIZE', objectId: 'cat.jpg', objectGeneration: '1', object };

describe('an object change', () => {
  const gateway = useForEach(() => startGateway({}, { seed }));

  const ask = (query: string, variables: object, as = manager) => gateway.ask(query, variables, { as });

  /** Waits until the topic has a number of messages, and returns the response. */
  async function waitForMessages(count: number, variables: object = {}, as = manager) {
    let answer = await ask(messagesQuery, { topic, ...variables }, as);
    await eventually(async () => {
      answer = await ask(messagesQuery, { topic, ...variables }, as);
      expect(answer.data.messages.nodes.length).toBeGreaterThanOrEqual(count);
    });
    return answer;
  }
  const objectIdsOf = (answer: Awaited<ReturnType<typeof ask>>): string[] =>
    answer.data.messages.nodes.map((node: { attributes: { objectId: string } }) => node.attributes.objectId);
  const otherManager = 'other@example.com';

  test('publishes a message for each matching notification, which can be read on the topic', async () => {
    await ask(insertMutation, { notification: { topic, custom_attributes: { team: 'cats' } } });
    await ask(insertMutation, { notification: { topic, object_name_prefix: 'dog' } });
    const answer = await ask(publishMutation, { change });
    expect(answer.errors).toBeUndefined();
    const sentMessages = answer.data.publishObjectChange.messages;
    const expectedAttributes = { team: 'cats', objectId: 'cat.jpg', objectGeneration: '1' };
    expect(sentMessages).toMatchObject([
      {
        notificationId: '1',
        topic,
        state: 'PENDING',
        data: '{"name":"cat.jpg"}',
        attributes: expectedAttributes,
      },
    ]);

    const { nodes } = (await waitForMessages(1)).data.messages;
    const { messageId, attributes, data } = sentMessages[0];
    expect(nodes).toEqual([{ messageId, attributes, data, state: 'PUBLISHED' }]);
  });

  test('with validateOnly returns its messages and publishes none', async () => {
    await ask(insertMutation, { notification: { topic } });
    const answer = await ask(publishMutation, { change, validateOnly: true });
    expect(answer.data.publishObjectChange.messages).toMatchObject([{ state: 'PREVIEW', topic }]);
    await ask(publishMutation, { change: { ...change, objectId: 'later.jpg' } });
    expect(objectIdsOf(await waitForMessages(1))).toEqual(['later.jpg']);
  });

  test('warns if a matching notification has no topic', async () => {
    await ask(insertMutation, { notification: {} });
    const answer = await ask(publishMutation, { change });
    expect(answer.data.publishObjectChange.messages).toEqual([]);
    expect(answer.warnings).toMatchObject([{ path: ['change'], reason: 'incomplete' }]);
    expect(answer.warnings?.[0]?.message).toContain('notification 1 ');
  });

  test('of a bucket the caller does not manage is refused like one of a missing bucket', async () => {
    const foreignBucketAnswer = await ask(publishMutation, { change, bucket: 'other' });
    const missingBucketResponse = await ask(publishMutation, { change, bucket: 'none' });
    expect(foreignBucketAnswer.errors?.[0]?.extensions).toMatchObject({
      code: 'NOT_FOUND',
      reason: 'notFound',
    });
    expect(foreignBucketAnswer.errors?.[0]?.extensions.issues).toEqual(
      missingBucketResponse.errors?.[0]?.extensions.issues,
    );
  });

  describe('its messages', () => {
    test('are returned in pages', async () => {
      await ask(insertMutation, { notification: { topic: 'projects/my-project/topics/photos' } });
      for (const objectId of ['a', 'b', 'c']) await ask(publishMutation, { change: { ...change, objectId } });
      await waitForMessages(3);
      const firstPage = await ask(messagesQuery, { topic: 'projects/my-project/topics/photos', first: 2 });
      expect(objectIdsOf(firstPage)).toEqual(['a', 'b']);
      expect(firstPage.data.messages.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
      const secondPage = await ask(messagesQuery, {
        topic,
        first: 2,
        after: firstPage.data.messages.pageInfo.endCursor,
      });
      expect(objectIdsOf(secondPage)).toEqual(['c']);
      expect(secondPage.data.messages.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    });

    test('are shown to managers of their bucket only', async () => {
      await ask(insertMutation, { notification: { topic } });
      await ask(publishMutation, { change });
      await waitForMessages(1);
      expect((await ask(messagesQuery, { topic }, otherManager)).data.messages.nodes).toEqual([]);
      const issues = [{ path: ['topic'] }];
      const strangersResponse = await ask(messagesQuery, { topic }, 'stranger@example.com');
      for (const answer of [strangersResponse, await ask(messagesQuery, { topic: `${topic}2` })])
        expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'NOT_FOUND', issues });
    });

    test('continue after a cursor, whatever others publish to the topic', async () => {
      await ask(insertMutation, { notification: { topic } });
      await ask(publishMutation, { change });
      const first = await waitForMessages(1);
      const { endCursor } = first.data.messages.pageInfo;
      for (const objectId of ['theirs 1', 'theirs 2'])
        await ask(publishMutation, { change: { ...change, objectId }, bucket: 'other' }, otherManager);
      await ask(publishMutation, { change: { ...change, objectId: 'mine' } });
      const nextPage = await waitForMessages(1, { after: endCursor });
      expect(nextPage.data.messages.nodes).toMatchObject([{ attributes: { objectId: 'mine' } }]);
      const emptyPage = await ask(messagesQuery, { topic, after: nextPage.data.messages.pageInfo.endCursor });
      const pageInfo = { hasNextPage: false, hasPreviousPage: true };
      expect(emptyPage.data.messages).toMatchObject({ nodes: [], pageInfo });
    });

    test('have cursors that are not valid for other managers', async () => {
      await ask(insertMutation, { notification: { topic } });
      await ask(publishMutation, { change });
      await waitForMessages(1);
      await ask(publishMutation, { change, bucket: 'other' }, otherManager);
      const otherManagersPage = await waitForMessages(1, {}, otherManager);
      const answer = await ask(messagesQuery, {
        topic,
        after: otherManagersPage.data.messages.pageInfo.endCursor,
      });
      const issues = [{ path: ['after'], reason: 'invalid' }];
      expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', issues });
    });

    test('are refused with all errors of the arguments at once', async () => {
      const answer = await ask(messagesQuery, { topic: 'photos', first: 0, after: 'x' });
      const paths = answer.errors?.[0]?.extensions.issues.map(({ path }) => path.join());
      expect(paths).toEqual(['topic', 'after', 'first']);
      const tooMany = await ask(messagesQuery, { topic, first: 1001 });
      expect(tooMany.errors?.[0]?.extensions.issues).toMatchObject([
        { path: ['first'], params: { min: 1, max: 1000, actual: 1001 } },
      ]);
    });
  });
});
