import { everyField } from '../../selections.ts';
import { lastingToken, manager, topic } from '../../notification/notification.harness.ts';
import type { Call, Reply } from '../../../src/upstream/client/call.ts';
import type { Between } from '../call-over.ts';
import { problemsOf, startFront, type Front } from './storage.harness.ts';

let front: Front;
beforeAll(async () => {
  front = await startFront(undefined);
});
afterAll(() => front.close());

const reply = (body: unknown): Promise<Reply> => Promise.resolve({ status: 200, body });
const answer =
  (body: unknown): Between =>
  () =>
    reply(body);
const lastCall = (): Call => front.calls.at(-1) as Call;

const readNotification = (id: string) =>
  front.ask(
    `query ($id: String!) { notification(bucket: "photos", notificationId: $id) ${everyField('Notification')} }`,
    { id },
  );
const readBucket = (bucket: string) => front.read(bucket);

const official = {
  kind: 'storage#notification',
  id: '7',
  selfLink: 'https://www.googleapis.com/storage/v1/b/photos/notificationConfigs/7',
  topic,
  etag: '7',
  payload_format: 'NONE',
};

describe('a notification of the service', () => {
  test('is shown in the known words, whatever else is in it', async () => {
    front.between(
      answer({
        ...official,
        payload_format: undefined,
        event_types: ['OBJECT_DELETE', 'OBJECT_EATEN', 'OBJECT_FINALIZE'],
        custom_attributes: { a: 'b', c: 1 },
        object_name_prefix: null,
        more: true,
      }),
    );
    expect((await readNotification('7')).data.notification).toEqual({
      nodeId: expect.any(String),
      id: '7',
      kind: 'storage#notification',
      etag: '7',
      selfLink: official.selfLink,
      topic,
      payload_format: 'JSON_API_V1',
      event_types: ['OBJECT_FINALIZE', 'OBJECT_DELETE'],
      custom_attributes: { a: 'b' },
      object_name_prefix: null,
    });
    front.between(
      answer({
        ...official,
        payload_format: 'AVRO',
        event_types: 'OBJECT_DELETE',
        custom_attributes: 'x',
        topic: 5,
      }),
    );
    expect((await readNotification('7')).data.notification).toMatchObject({
      payload_format: null,
      event_types: null,
      custom_attributes: null,
      topic: null,
    });
  });

  test.each([{}, { id: 7 }, [], undefined])('is none without an id: %j', async (body) => {
    front.between(answer(body));
    expect(problemsOf(await readNotification('7'))).toEqual(['UNAVAILABLE backendError']);
  });

  test('stands in a list by its age', async () => {
    front.between(
      answer({
        items: [
          { ...official, id: '10' },
          { ...official, id: '9' },
          'none',
          { ...official, id: '11' },
          { ...official, id: '9' },
        ],
      }),
    );
    expect((await front.listNotifications()).data.notifications.map(({ id }: { id: string }) => id)).toEqual([
      '9',
      '9',
      '10',
      '11',
    ]);
    for (const body of [{}, undefined, { items: 'none' }]) {
      front.between(answer(body));
      expect((await front.listNotifications()).data.notifications).toEqual([]);
    }
  });

  test.each<[string, string | undefined]>([
    ['{ notification(bucket: "photos", notificationId: "7") { topic nodeId kind } }', 'id,topic'],
    [
      '{ notifications(bucket: "photos") { event_types payload_format } }',
      'items(id,event_types,payload_format)',
    ],
    [
      'mutation { insertNotification(bucket: "photos", notification: { topic: "projects/my-project/topics/photos" }) { selfLink } }',
      'id,topic,selfLink',
    ],
    [
      'mutation { insertNotification(bucket: "photos", notification: { topic: "projects/my-project/topics/photos", etag: "x", id: "1" }) { nodeId } }',
      'id,topic,etag',
    ],
    [
      'mutation { insertNotification(bucket: "photos", requestId: "fields", notification: { topic: "projects/my-project/topics/photos" }) { id } }',
      undefined,
    ],
  ])('is asked for what is selected: %s', async (query, fields) => {
    front.between((call) => reply(call.method === 'notifications.list' ? { items: [official] } : official));
    expect((await front.ask(query, {})).errors).toBeUndefined();
    expect(lastCall().query?.fields).toBe(fields);
  });

  test('is made of what callers set alone, its topic and its format in full', async () => {
    front.between(answer(official));
    await front.insertNotification(
      {
        topic: 'projects/my-project/topics/photos',
        etag: 'x',
        kind: 'y',
        event_types: ['OBJECT_DELETE', 'OBJECT_DELETE'],
      },
      { userProject: 'my-project', provisionalUserProject: 'other-project' },
    );
    expect(lastCall()).toMatchObject({
      verb: 'POST',
      path: ['b', 'photos', 'notificationConfigs'],
      query: { userProject: 'my-project', provisionalUserProject: 'other-project' },
      repeatable: false,
    });
    expect(lastCall().body).toEqual({ topic, event_types: ['OBJECT_DELETE'], payload_format: 'JSON_API_V1' });
  });

  test('that is tried out is the next one, as far as that can be told', async () => {
    for (const [items, id] of [
      [[{ ...official, id: '41' }], '42'],
      [[], '1'],
      [[{ ...official, id: 'x' }], '1'],
    ] as const) {
      front.between(answer({ items }));
      expect(
        (await front.insertNotification({ topic }, { validateOnly: true })).data.insertNotification.id,
      ).toBe(id);
    }
    expect(new Set(front.calls.slice(-3).map(({ verb }) => verb))).toEqual(new Set(['GET']));
  });

  test('is deleted by a call that may be repeated', async () => {
    front.between(answer(undefined));
    expect(
      (
        await front.ask(
          'mutation { deleteNotification(bucket: "photos", notificationId: "7", userProject: "my-project") }',
          {},
        )
      ).data,
    ).toEqual({ deleteNotification: true });
    expect(lastCall()).toMatchObject({
      verb: 'DELETE',
      path: ['b', 'photos', 'notificationConfigs', '7'],
      query: { userProject: 'my-project' },
      repeatable: true,
    });
  });
});

describe('a bucket of the service', () => {
  const bucket = {
    kind: 'storage#bucket',
    id: 'photos',
    name: 'photos',
    projectNumber: '123456',
    metageneration: '3',
    etag: 'CAM=',
    timeCreated: '2020-01-01T00:00:00.123Z',
    updated: '2021-01-01T00:00:00Z',
    location: 'EU',
    selfLink: 'https://www.googleapis.com/storage/v1/b/photos',
  };

  test('has a project, and nobody known to manage it', async () => {
    front.between(answer(bucket));
    const { bucket: shown } = (await readBucket('photos')).data;
    expect(shown).toMatchObject({
      kind: 'storage#bucket',
      id: 'photos',
      name: 'photos',
      project: '123456',
      managers: null,
      metageneration: '3',
      etag: 'CAM=',
      timeCreated: bucket.timeCreated,
      updated: bucket.updated,
      billing: { requesterPays: false },
    });
    front.between(
      answer({
        items: [{ ...bucket, billing: { requesterPays: true } }, { ...bucket, projectNumber: undefined }, {}],
        nextPageToken: '',
      }),
    );
    const { nodes, pageInfo } = (
      await front.ask(
        '{ buckets(project: "my-project") { nodes { nodeId project billing { requesterPays } } pageInfo { hasNextPage } } }',
        {},
      )
    ).data.buckets;
    expect([nodes, pageInfo]).toEqual([
      [
        { nodeId: shown.nodeId, project: '123456', billing: { requesterPays: true } },
        { nodeId: shown.nodeId, project: 'my-project', billing: { requesterPays: false } },
      ],
      { hasNextPage: false },
    ]);
  });

  test.each([{}, [], undefined, { name: 5 }])('is none without a name: %j', async (body) => {
    front.between(answer(body));
    expect(problemsOf(await readBucket('photos'))).toEqual(['UNAVAILABLE backendError']);
    front.between(answer(body));
    expect((await front.list()).data.buckets.nodes).toEqual([]);
  });

  test.each([
    ['{ bucket(bucket: "photos") { id managers } }', 'name,id'],
    [
      '{ bucket(bucket: "photos") { nodeId project billing { requesterPays } } }',
      'name,timeCreated,projectNumber,billing',
    ],
    [
      '{ buckets(project: "my-project") { nodes { etag } edges { node { name } } } }',
      'nextPageToken,items(name,etag)',
    ],
    ['{ buckets(project: "my-project") { pageInfo { hasNextPage } } }', 'nextPageToken,items(name)'],
  ])('is asked for what is selected: %s', async (query, fields) => {
    front.between((call) => reply(call.method === 'buckets.list' ? { items: [bucket] } : bucket));
    expect((await front.ask(query, {})).errors).toBeUndefined();
    expect(lastCall().query?.fields).toBe(fields);
  });

  test('comes in pages of as many calls as they take', async () => {
    const pages: Readonly<Record<string, object>> = {
      first: { items: [bucket], nextPageToken: 'second' },
      second: {
        items: [
          { ...bucket, name: 'b' },
          { ...bucket, name: 'c' },
        ],
      },
    };
    front.between(({ query }) => reply(pages[String(query?.pageToken ?? 'first')]));
    const { nodes, pageInfo } = (await front.list({ first: 3 })).data.buckets;
    expect([nodes.map(({ name }: { name: string }) => name), pageInfo.hasNextPage]).toEqual([
      ['photos', 'b', 'c'],
      false,
    ]);
    expect(
      front.calls.slice(-2).map(({ query }) => [query?.project, query?.maxResults, query?.pageToken]),
    ).toEqual([
      ['new-project', 3, undefined],
      ['new-project', 2, 'second'],
    ]);
  });
});

test.each([
  ['b/photos', { name: 'photos' }],
  ['b?project=my-project', { items: [{ name: 'photos' }] }],
  ['b/photos/notificationConfigs/7', official],
])('over REST the whole is asked for: %s', async (path, body) => {
  front.between(answer(body));
  const response = await front.app.inject({
    url: `/storage/v1/${path}`,
    headers: { authorization: `Bearer ${await lastingToken(manager)}` },
  });
  expect([response.statusCode, lastCall().query?.fields]).toEqual([200, undefined]);
});

test.each([
  'mutation { insertBucket(project: "x-project", bucket: { name: "x-bucket" }) { name } }',
  'mutation { patchBucket(bucket: "x-bucket", change: {}) { name } }',
  'mutation { deleteBucket(bucket: "x-bucket") }',
  'mutation { publishObjectChange(bucket: "x-bucket", change: { eventType: OBJECT_FINALIZE, objectId: "o" }) { messages { messageId } } }',
  '{ messages(topic: "projects/my-project/topics/photos") { nodes { messageId } } }',
])('what the service does not have is not offered: %s', async (query) => {
  front.asked();
  expect(problemsOf(await front.ask(query, {}))).toEqual(['FORBIDDEN notOffered']);
  expect(front.asked()).toEqual([]);
});
