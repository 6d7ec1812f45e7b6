import type { Answer } from '../../harness.ts';
import { project, startOfDay, startResource, type Resource } from '../../bucket/bucket.harness.ts';
import { manager, other, stranger, topic } from '../../notification/notification.harness.ts';
import { saidOf, startFront, startService, type Front } from './storage.harness.ts';

// The same in front of another gateway's REST face as over the own store: state, issues and warnings.
describe('notifications through the storage service', () => {
  let own: Resource, service: Resource, front: Front;
  beforeAll(async () => {
    [own, service] = await Promise.all([startResource(), startService()]);
    front = await startFront(service);
    for (const gateway of [own, service]) {
      for (let count = 0; count < 10; count += 1)
        await gateway.insertNotification(
          { topic, event_types: ['OBJECT_DELETE'] },
          { bucket: 'other' },
          { as: other },
        );
    }
  });
  afterAll(() => Promise.all([own, service, front].map((gateway) => gateway.close())));

  const whole = {
    topic: 'projects/my-project/topics/short',
    event_types: ['OBJECT_DELETE', 'OBJECT_FINALIZE', 'OBJECT_DELETE'],
    object_name_prefix: 'a/',
    payload_format: 'NONE',
    custom_attributes: { a: 'b', c: '' },
  };
  const steps: Readonly<
    Record<
      string,
      { readonly run: (gateway: Resource) => Promise<Answer>; readonly calls: readonly string[] }
    >
  > = {
    'an insert': { run: (g) => g.insertNotification(), calls: ['insert'] },
    'an insert of everything': { run: (g) => g.insertNotification(whole), calls: ['insert'] },
    'an insert of nulls': {
      run: (g) =>
        g.insertNotification({
          topic,
          event_types: null,
          custom_attributes: null,
          payload_format: null,
          object_name_prefix: null,
        }),
      calls: ['insert'],
    },
    'an insert of what is empty': {
      run: (g) =>
        g.insertNotification({ topic, event_types: [], custom_attributes: {}, object_name_prefix: '' }),
      calls: ['insert'],
    },
    'an insert of what a server sets': {
      run: (g) =>
        g.insertNotification({ topic, id: '99', etag: 'x', kind: 'other', selfLink: 'y', nodeId: 'z' }),
      calls: ['insert'],
    },
    'an insert without a topic': { run: (g) => g.insertNotification({}), calls: ['insert'] },
    'an insert with many faults': {
      run: (g) =>
        g.insertNotification(
          { topic: 'x', custom_attributes: { 'goog-a': 'b' } },
          { userProject: '!', provisionalUserProject: 'X', requestId: '' },
        ),
      calls: [],
    },
    'an insert beyond a limit': {
      run: (g) =>
        g.insertNotification(
          { topic, event_types: ['OBJECT_DELETE', 'OBJECT_ARCHIVE'] },
          { bucket: 'other' },
          { as: other },
        ),
      calls: ['insert', 'list'],
    },
    'a trial beyond a limit': {
      run: (g) => g.insertNotification({ topic }, { bucket: 'other', validateOnly: true }, { as: other }),
      calls: ['list'],
    },
    'a trial': {
      run: (g) => g.insertNotification({ ...whole, etag: 'x' }, { validateOnly: true }),
      calls: ['list'],
    },
    'the first trial': {
      run: (g) =>
        g.insertNotification({ topic }, { bucket: 'paid', userProject: 'my-project', validateOnly: true }),
      calls: ['list'],
    },
    'a broken trial': {
      run: (g) => g.insertNotification({ payload_format: 'NONE', topic: '' }, { validateOnly: true }),
      calls: [],
    },
    'a trial that nobody pays for': {
      run: (g) => g.insertNotification({ topic }, { bucket: 'paid', validateOnly: true }),
      calls: ['list'],
    },
    'a trial that is paid for in the other way': {
      run: (g) =>
        g.insertNotification(
          { topic },
          { bucket: 'paid', provisionalUserProject: 'my-project', validateOnly: true },
        ),
      calls: ['list'],
    },
    'an insert that nobody pays for': {
      run: (g) => g.insertNotification({ topic }, { bucket: 'paid' }),
      calls: ['insert'],
    },
    'an insert that is paid for': {
      run: (g) => g.insertNotification({ topic }, { bucket: 'paid', userProject: 'my-project' }),
      calls: ['insert'],
    },
    'an insert that is paid for in the other way': {
      run: (g) => g.insertNotification({ topic }, { bucket: 'paid', provisionalUserProject: 'my-project' }),
      calls: ['insert'],
    },
    'an insert by a stranger': {
      run: (g) => g.insertNotification({ topic }, {}, { as: stranger }),
      calls: ['insert'],
    },
    'a trial by a stranger': {
      run: (g) => g.insertNotification({ topic }, { validateOnly: true }, { as: stranger }),
      calls: ['list'],
    },
    'a request with an id': {
      run: (g) => g.insertNotification(whole, { requestId: 'one' }),
      calls: ['insert'],
    },
    'the same request again': { run: (g) => g.insertNotification(whole, { requestId: 'one' }), calls: [] },
    'the same request as a trial': {
      run: (g) => g.insertNotification(whole, { requestId: 'one', validateOnly: true }),
      calls: [],
    },
    'another request with that id': {
      run: (g) => g.insertNotification({ topic: '' }, { requestId: 'one' }),
      calls: [],
    },
    'that id of another caller': {
      run: (g) => g.insertNotification({ topic }, { requestId: 'one' }, { as: other }),
      calls: ['insert'],
    },
    'a list': { run: (g) => g.listNotifications(), calls: ['list'] },
    'an empty list': { run: (g) => g.listNotifications({ bucket: 'other' }), calls: ['list'] },
    'a list that nobody pays for': { run: (g) => g.listNotifications({ bucket: 'paid' }), calls: ['list'] },
    'a list that is paid for': {
      run: (g) => g.listNotifications({ bucket: 'paid', userProject: 'my-project' }),
      calls: ['list'],
    },
    'a list by a stranger': { run: (g) => g.listNotifications({}, { as: stranger }), calls: ['list'] },
    'a list with a broken project': { run: (g) => g.listNotifications({ userProject: '!' }), calls: [] },
    'one of them': { run: (g) => g.ask(read, { id: '2' }), calls: ['get'] },
    'one that is not there': { run: (g) => g.ask(read, { id: '99' }), calls: ['get'] },
    'one that cannot be': { run: (g) => g.ask(read, { id: 'a/b' }), calls: ['get'] },
    'one of a bucket that is not there': {
      run: (g) => g.ask(read, { id: '1', bucket: 'nowhere' }),
      calls: ['get'],
    },
    'one that nobody pays for': { run: (g) => g.ask(read, { id: '1', bucket: 'paid' }), calls: ['get'] },
    'a delete': { run: (g) => g.ask(remove, { id: '2' }), calls: ['delete'] },
    'a second delete': { run: (g) => g.ask(remove, { id: '2' }), calls: ['delete'] },
    'a delete by a stranger': { run: (g) => g.ask(remove, { id: '1' }, { as: stranger }), calls: ['delete'] },
    'a delete that nobody pays for': {
      run: (g) => g.ask(remove, { id: '1', bucket: 'paid' }),
      calls: ['delete'],
    },
    'what is left': { run: (g) => g.listNotifications(), calls: ['list'] },
  };
  const read = `query ($bucket: String! = "photos", $id: String!) { notification(bucket: $bucket, notificationId: $id) { nodeId id kind etag selfLink topic event_types object_name_prefix payload_format custom_attributes } }`;
  const remove =
    'mutation ($bucket: String! = "photos", $id: String!) { deleteNotification(bucket: $bucket, notificationId: $id) }';

  test.each(Object.entries(steps))('%s is the same', async (_name, { run, calls }) => {
    front.asked();
    const [mine, theirs] = [saidOf(await run(own)), saidOf(await run(front))];
    expect(theirs).toEqual(mine);
    expect(front.asked()).toEqual(calls.map((call) => `notifications.${call}`));
  });
});

describe('buckets through the storage service', () => {
  let own: Resource, service: Resource, front: Front;
  const names = ['b-1', 'a-1', 'c-1', 'a-2'].map((name) => `list-${name}`);
  beforeAll(async () => {
    [own, service] = await Promise.all([
      startResource({ clock: () => startOfDay }),
      startService(() => startOfDay),
    ]);
    front = await startFront(service, () => startOfDay);
    for (const gateway of [own, service])
      for (const name of names) await gateway.make({ name, billing: { requesterPays: name === 'list-c-1' } });
  });
  afterAll(() => Promise.all([own, service, front].map((gateway) => gateway.close())));

  /** Who manages a bucket, and which project it is of, the official API does not tell of one. */
  const told =
    'kind id nodeId name etag selfLink metageneration timeCreated updated billing { requesterPays }';
  const list = `query ($project: String!, $first: Int) { buckets(project: $project, first: $first) { nodes { ${told} project } pageInfo { hasNextPage hasPreviousPage } } }`;
  const read = `query ($bucket: String!, $userProject: String) { bucket(bucket: $bucket, userProject: $userProject) { ${told} } }`;

  test.each<[string, string, object, string?]>([
    ['one', read, { bucket: 'list-a-1' }],
    ['one that makes the requester pay', read, { bucket: 'list-c-1', userProject: 'my-project' }],
    ['one that nobody pays for', read, { bucket: 'list-c-1' }],
    ['one that is not there', read, { bucket: 'nowhere' }],
    ['one that cannot be', read, { bucket: 'Not/a bucket' }],
    ["somebody else's", read, { bucket: 'list-a-1' }, stranger],
    ['one with a broken project', read, { bucket: 'list-a-1', userProject: '' }],
    ['a list', list, { project }],
    ['a short list', list, { project, first: 3 }],
    ["somebody else's list", list, { project }, stranger],
    ['a list of another project', list, { project: 'another-project' }],
    [
      'a broken list',
      'query ($project: String!, $first: Int, $after: String) { buckets(project: $project, first: $first, after: $after) { nodes { name } } }',
      { project: '!', first: 0, after: 'x' },
    ],
  ])('%s is the same', async (_name, query, variables, as = manager) => {
    const [mine, theirs] = [
      await own.ask(query, variables, { as }),
      await front.ask(query, variables, { as }),
    ];
    expect(saidOf(theirs)).toEqual(saidOf(mine));
  });

  test('pages follow one another', async () => {
    const seen: string[] = [];
    let after: string | null = null;
    for (let count = 0; count < 2; count += 1) {
      const { buckets }: Answer['data'] = (await front.list({ first: 3, after })).data;
      expect(buckets.pageInfo).toMatchObject({ hasNextPage: count === 0, hasPreviousPage: count > 0 });
      seen.push(...buckets.nodes.map((node: { name: string }) => node.name));
      after = buckets.pageInfo.endCursor;
    }
    expect(seen).toEqual(names.toSorted());
    // The middle of a page is a place too, of the same project alone.
    const [, second] = (await front.list({ first: 3 })).data.buckets.edges;
    expect(
      (await front.list({ after: second.cursor })).data.buckets.nodes.map(
        (node: { name: string }) => node.name,
      ),
    ).toEqual(names.toSorted().slice(2));
    expect(
      (await front.list({ after: second.cursor, project: 'another-project' })).errors?.[0]?.extensions.issues,
    ).toMatchObject([{ path: ['after'], reason: 'invalid' }]);
  });
});
