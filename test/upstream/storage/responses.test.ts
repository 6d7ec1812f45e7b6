import { selectEveryField } from '../../selections.ts';
import { createLastingToken, manager, topic } from '../../notification/notification.harness.ts';
import type { Call } from '../../../src/upstream/client/http-exchange.ts';
import { answerWith, type Interceptor, problemsOf, startStorageFront } from '../calendar/upstream.harness.ts';
import { useForAll } from '../../use-resource.ts';

const front = useForAll(() => startStorageFront());

const lastCall = (): Call => front.calls.at(-1) as Call;

const allFields = selectEveryField('Notification');
const readNotification = () =>
  front.ask(`{ notification(bucket: "photos", notificationId: "7") ${allFields} }`, {});

const officialNotification = {
  kind: 'storage#notification',
  id: '7',
  selfLink: 'https://www.googleapis.com/storage/v1/b/photos/notificationConfigs/7',
  topic,
  etag: '7',
  payload_format: 'NONE',
};

const answerWithItem =
  (item: object): Interceptor =>
  (call, through) =>
    answerWith(call.apiMethod.endsWith('.list') ? { items: [item] } : item)(call, through);

describe('a notification of the service', () => {
  test('is shown with known values only, whatever else the service sends', async () => {
    const unknownMembers = {
      payload_format: undefined,
      event_types: ['OBJECT_DELETE', 'OBJECT_EATEN', 'OBJECT_FINALIZE'],
      custom_attributes: { a: 'b', c: 1 },
      object_name_prefix: null,
    };
    front.intercept(answerWith({ ...officialNotification, ...unknownMembers, more: true }));
    expect((await readNotification()).data.notification).toEqual({
      ...officialNotification,
      nodeId: expect.any(String),
      payload_format: 'JSON_API_V1',
      event_types: ['OBJECT_FINALIZE', 'OBJECT_DELETE'],
      custom_attributes: { a: 'b' },
      object_name_prefix: null,
    });
    const invalidMembers = {
      payload_format: 'AVRO',
      event_types: 'OBJECT_DELETE',
      custom_attributes: 'x',
      topic: 5,
    };
    front.intercept(answerWith({ ...officialNotification, ...invalidMembers }));
    expect((await readNotification()).data.notification).toMatchObject({
      payload_format: null,
      event_types: null,
      custom_attributes: null,
      topic: null,
    });
  });

  test.each([{}, { id: 7 }, [], undefined])('without an id is a backend error: %j', async (body) => {
    front.intercept(answerWith(body));
    expect(problemsOf(await readNotification())).toEqual(['UNAVAILABLE backendError']);
  });

  test('is listed by age, which is the order of numeric ids', async () => {
    const listIdsFrom = async (body: unknown): Promise<unknown> => {
      front.intercept(answerWith(body));
      const { notifications } = (await front.listNotifications()).data;
      return notifications.map(({ id }: { readonly id: string }) => id);
    };
    const [oldest, middle, last] = ['9', '10', '11'].map((id) => ({ ...officialNotification, id }));
    expect(await listIdsFrom({ items: [middle, oldest, 'none', last, oldest] })).toEqual([
      '9',
      '9',
      '10',
      '11',
    ]);
    for (const body of [{}, undefined, { items: 'none' }]) expect(await listIdsFrom(body)).toEqual([]);
  });

  const insertMutation = (body: string, selection: string, args = ''): string =>
    `mutation { insertNotification(bucket: "photos"${args}, notification: { topic: "projects/my-project/topics/photos"${body} }) { ${selection} } }`;
  test.each<[string, string | undefined]>([
    ['{ notification(bucket: "photos", notificationId: "7") { topic nodeId kind } }', 'id,topic'],
    ['{ notifications(bucket: "photos") { event_types topic } }', 'items(id,event_types,topic)'],
    [insertMutation('', 'selfLink'), 'id,topic,selfLink'],
    [insertMutation(', etag: "x", id: "1"', 'nodeId'), 'id,topic,etag'],
    [insertMutation('', 'id', ', requestId: "fields"'), undefined],
  ])('is read with the selected fields: %s', async (query, fields) => {
    front.intercept(answerWithItem(officialNotification));
    expect((await front.ask(query, {})).errors).toBeUndefined();
    expect(lastCall().query?.fields).toBe(fields);
  });

  test("is inserted with the callers' members only, with full topic and format", async () => {
    front.intercept(answerWith(officialNotification));
    const settableMembers = {
      topic: 'projects/my-project/topics/photos',
      event_types: ['OBJECT_DELETE', 'OBJECT_DELETE'],
    };
    const query = { userProject: 'my-project', provisionalUserProject: 'other-project' };
    await front.insertNotification({ ...settableMembers, etag: 'x', kind: 'y' }, query);
    const path = ['b', 'photos', 'notificationConfigs'];
    expect(lastCall()).toMatchObject({ apiMethod: 'notifications.insert', path, query, repeatable: false });
    expect(lastCall().body).toEqual({ topic, event_types: ['OBJECT_DELETE'], payload_format: 'JSON_API_V1' });
  });

  test.each([
    ['the highest id', [{ ...officialNotification, id: '41' }], '42'],
    ['no notification', [], '1'],
    ['an id that is no number', [{ ...officialNotification, id: 'x' }], '1'],
  ])('gets the next id in a dry run beside %s', async (_name, items, id) => {
    front.intercept(answerWith({ items }));
    front.takeCalls();
    const { data } = await front.insertNotification({ topic }, { validateOnly: true });
    expect([data.insertNotification.id, front.takeMethods()]).toEqual([id, 'list']);
  });

  test('is deleted by a repeatable call', async () => {
    front.intercept(answerWith(undefined));
    const deleteMutation =
      'mutation { deleteNotification(bucket: "photos", notificationId: "7", userProject: "my-project") }';
    expect((await front.ask(deleteMutation, {})).data).toEqual({ deleteNotification: true });
    expect(lastCall()).toMatchObject({
      apiMethod: 'notifications.delete',
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
  const listQuery = (selection: string): string => `{ buckets(project: "my-project") { ${selection} } }`;

  test('has a project, but no known managers', async () => {
    front.intercept(answerWith(bucket));
    const { bucket: returnedBucket } = (await front.read('photos')).data;
    const { projectNumber: project, location: _location, ...sameFields } = bucket;
    expect(returnedBucket).toMatchObject({
      ...sameFields,
      project,
      managers: null,
      billing: { requesterPays: false },
    });
    const payingBucket = { ...bucket, billing: { requesterPays: true } };
    front.intercept(
      answerWith({ items: [payingBucket, { ...bucket, projectNumber: undefined }, {}], nextPageToken: '' }),
    );
    const selection = 'nodes { nodeId project billing { requesterPays } } pageInfo { hasNextPage }';
    const { nodeId } = returnedBucket as { readonly nodeId: string };
    expect((await front.ask(listQuery(selection), {})).data.buckets).toEqual({
      nodes: [
        { nodeId, project, billing: { requesterPays: true } },
        { nodeId, project: 'my-project', billing: { requesterPays: false } },
      ],
      pageInfo: { hasNextPage: false },
    });
  });

  test.each([{}, [], undefined, { name: 5 }])('without a name is a backend error: %j', async (body) => {
    front.intercept(answerWith(body));
    expect(problemsOf(await front.read('photos'))).toEqual(['UNAVAILABLE backendError']);
    expect((await front.list()).data.buckets.nodes).toEqual([]);
  });

  test.each([
    ['{ bucket(bucket: "photos") { id managers } }', 'name,id'],
    [
      '{ bucket(bucket: "photos") { nodeId project billing { requesterPays } } }',
      'name,timeCreated,projectNumber,billing',
    ],
    [listQuery('nodes { etag } edges { node { name } }'), 'nextPageToken,items(name,etag)'],
    [listQuery('pageInfo { hasNextPage }'), 'nextPageToken,items(name)'],
  ])('is read with the selected fields: %s', async (query, fields) => {
    front.intercept(answerWithItem(bucket));
    expect((await front.ask(query, {})).errors).toBeUndefined();
    expect(lastCall().query?.fields).toBe(fields);
  });

  test('is listed in as many calls as a page needs', async () => {
    const secondPage = { items: ['b', 'c'].map((name) => ({ ...bucket, name })) };
    front.intercept((call, through) =>
      answerWith(call.query?.pageToken ? secondPage : { items: [bucket], nextPageToken: 'second' })(
        call,
        through,
      ),
    );
    front.takeCalls();
    const { nodes, pageInfo } = (await front.list({ first: 3 })).data.buckets;
    expect(nodes).toEqual([{ name: 'photos' }, { name: 'b' }, { name: 'c' }]);
    expect(pageInfo.hasNextPage).toBe(false);
    expect(
      front.takeCalls().map(({ query }) => [query?.project, query?.maxResults, query?.pageToken]),
    ).toEqual([
      ['new-project', 3, undefined],
      ['new-project', 2, 'second'],
    ]);
  });
});

test.each([
  ['b/photos', { name: 'photos' }],
  ['b?project=my-project', { items: [{ name: 'photos' }] }],
  ['b/photos/notificationConfigs/7', officialNotification],
])('over REST all fields are read: %s', async (path, body) => {
  front.intercept(answerWith(body));
  const response = await front.app.inject({
    url: `/storage/v1/${path}`,
    headers: { authorization: `Bearer ${await createLastingToken(manager)}` },
  });
  expect([response.statusCode, lastCall().query?.fields]).toEqual([200, undefined]);
});
