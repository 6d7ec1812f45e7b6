import type { Answer } from '../../harness.ts';
import { project, startOfDay, startResource, type Resource } from '../../bucket/bucket.harness.ts';
import { manager, other, stranger, topic } from '../../notification/notification.harness.ts';
import { problemsOf, startStorageFront, type StorageFront } from '../calendar/upstream.harness.ts';

/** The front does not read the other notifications, so that it does not say when one repeats another. */
const saidOf = ({ data, errors, warnings = [] }: Answer): object => ({
  data: data as unknown,
  warnings: warnings.filter(({ reason }) => reason !== 'repeats'),
  errors: errors?.map(({ extensions: { code, reason, issues } }) => ({ code, reason, issues })),
});

// The same in front of another gateway's REST face as over the own store: state, issues and warnings.
describe('notifications through the storage service', () => {
  let own: Resource, service: Resource, front: StorageFront;
  beforeAll(async () => {
    [own, service] = await Promise.all([startResource(), startResource({}, { REST: 'on' })]);
    front = await startStorageFront(service);
    for (const gateway of [own, service])
      for (let count = 0; count < 10; count += 1)
        await gateway.insertNotification({ topic, event_types: ['OBJECT_DELETE'] }, full, { as: other });
  });
  afterAll(() => Promise.all([own, service, front].map((gateway) => gateway.close())));

  const full = { bucket: 'other' };
  const paid = { bucket: 'paid' };
  const userProject = 'my-project';
  const provisionalUserProject = userProject;
  const trial = { validateOnly: true };
  const whole = {
    topic: 'projects/my-project/topics/short',
    event_types: ['OBJECT_DELETE', 'OBJECT_FINALIZE', 'OBJECT_DELETE'],
    object_name_prefix: 'a/',
    payload_format: 'NONE',
    custom_attributes: { a: 'b', c: '' },
  };
  const nulls = {
    event_types: null,
    custom_attributes: null,
    payload_format: null,
    object_name_prefix: null,
  };
  const tooMany = { topic, event_types: ['OBJECT_DELETE', 'OBJECT_ARCHIVE'] };
  const broken = { topic: 'x', custom_attributes: { 'goog-a': 'b' } };
  const brokenArgs = { userProject: '!', provisionalUserProject: 'X', requestId: '' };
  const one = { requestId: 'one' };

  // Each finds what those before it have stored.
  test.each<[name: string, calls: string, run: (gateway: Resource) => Promise<Answer>]>([
    ['an insert', 'insert', (g) => g.insertNotification()],
    ['an insert of everything', 'insert', (g) => g.insertNotification(whole)],
    ['an insert of nulls', 'insert', (g) => g.insertNotification({ topic, ...nulls })],
    [
      'an insert of what is empty',
      'insert',
      (g) => g.insertNotification({ topic, event_types: [], custom_attributes: {}, object_name_prefix: '' }),
    ],
    [
      'an insert of what a server sets',
      'insert',
      (g) => g.insertNotification({ topic, id: '99', etag: 'x', kind: 'other', selfLink: 'y', nodeId: 'z' }),
    ],
    ['an insert without a topic', 'insert', (g) => g.insertNotification({})],
    ['an insert with many faults', '', (g) => g.insertNotification(broken, brokenArgs)],
    ['an insert beyond a limit', 'insert list', (g) => g.insertNotification(tooMany, full, { as: other })],
    ['a trial beyond', 'list', (g) => g.insertNotification({ topic }, { ...full, ...trial }, { as: other })],
    ['a trial', 'list', (g) => g.insertNotification({ ...whole, etag: 'x' }, trial)],
    ['the first trial', 'list', (g) => g.insertNotification({ topic }, { ...paid, userProject, ...trial })],
    ['a broken trial', '', (g) => g.insertNotification({ payload_format: 'NONE', topic: '' }, trial)],
    ['a trial that nobody pays for', 'list', (g) => g.insertNotification({ topic }, { ...paid, ...trial })],
    [
      'a trial that is paid for provisionally',
      'list',
      (g) => g.insertNotification({ topic }, { ...paid, provisionalUserProject, ...trial }),
    ],
    ['an insert that nobody pays for', 'insert', (g) => g.insertNotification({ topic }, paid)],
    ['an insert, paid for', 'insert', (g) => g.insertNotification({ topic }, { ...paid, userProject })],
    [
      'an insert that is paid for provisionally',
      'insert',
      (g) => g.insertNotification({ topic }, { ...paid, provisionalUserProject }),
    ],
    ['an insert by a stranger', 'insert', (g) => g.insertNotification({ topic }, {}, { as: stranger })],
    ['a trial by a stranger', 'list', (g) => g.insertNotification({ topic }, trial, { as: stranger })],
    ['a request with an id', 'insert', (g) => g.insertNotification(whole, one)],
    ['the same request again', '', (g) => g.insertNotification(whole, one)],
    ['the same request as a trial', '', (g) => g.insertNotification(whole, { ...one, ...trial })],
    ['another request with that id', '', (g) => g.insertNotification({ topic: '' }, one)],
    ['that id of another caller', 'insert', (g) => g.insertNotification({ topic }, one, { as: other })],
    ['a list', 'list', (g) => g.listNotifications()],
    ['an empty list', 'list', (g) => g.listNotifications(full)],
    ['a list that nobody pays for', 'list', (g) => g.listNotifications(paid)],
    ['a list that is paid for', 'list', (g) => g.listNotifications({ ...paid, userProject })],
    ['a list by a stranger', 'list', (g) => g.listNotifications({}, { as: stranger })],
    ['a list with a broken project', '', (g) => g.listNotifications({ userProject: '!' })],
    ['one of them', 'get', (g) => g.ask(read, { id: '2' })],
    ['one that is not there', 'get', (g) => g.ask(read, { id: '99' })],
    ['one that cannot be', 'get', (g) => g.ask(read, { id: 'a/b' })],
    ['one of a bucket that is not there', 'get', (g) => g.ask(read, { id: '1', bucket: 'nowhere' })],
    ['one that nobody pays for', 'get', (g) => g.ask(read, { id: '1', ...paid })],
    ['a delete', 'delete', (g) => g.ask(remove, { id: '2' })],
    ['a second delete', 'delete', (g) => g.ask(remove, { id: '2' })],
    ['a delete by a stranger', 'delete', (g) => g.ask(remove, { id: '1' }, { as: stranger })],
    ['a delete that nobody pays for', 'delete', (g) => g.ask(remove, { id: '1', ...paid })],
    ['what is left', 'list', (g) => g.listNotifications()],
  ])('%s is the same', async (_name, calls, run) => {
    front.asked();
    const [mine, theirs] = [saidOf(await run(own)), saidOf(await run(front))];
    expect(theirs).toEqual(mine);
    expect(front.asked()).toBe(calls);
  });
  const read = `query ($bucket: String! = "photos", $id: String!) { notification(bucket: $bucket, notificationId: $id) { nodeId id kind etag selfLink topic event_types object_name_prefix payload_format custom_attributes } }`;
  const remove =
    'mutation ($bucket: String! = "photos", $id: String!) { deleteNotification(bucket: $bucket, notificationId: $id) }';
});

describe('buckets through the storage service', () => {
  let own: Resource, service: Resource, front: StorageFront;
  const names = ['b-1', 'a-1', 'c-1', 'a-2'].map((name) => `list-${name}`);
  const clock = () => startOfDay;
  beforeAll(async () => {
    [own, service] = await Promise.all([startResource({ clock }), startResource({ clock }, { REST: 'on' })]);
    front = await startStorageFront(service, clock);
    for (const gateway of [own, service])
      for (const name of names) await gateway.make({ name, billing: { requesterPays: name === 'list-c-1' } });
  });
  afterAll(() => Promise.all([own, service, front].map((gateway) => gateway.close())));

  /** Who manages a bucket, and which project it is of, the official API does not tell of one. */
  const told =
    'kind id nodeId name etag selfLink metageneration timeCreated updated billing { requesterPays }';
  const list = `query ($project: String!, $first: Int, $after: String) { buckets(project: $project, first: $first, after: $after) { nodes { ${told} project } pageInfo { hasNextPage hasPreviousPage } } }`;
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
    ['a broken list', list, { project: '!', first: 0, after: 'x' }],
  ])('%s is the same', async (_name, query, variables, as = manager) => {
    const [mine, theirs] = [
      await own.ask(query, variables, { as }),
      await front.ask(query, variables, { as }),
    ];
    expect(saidOf(theirs)).toEqual(saidOf(mine));
  });

  test('pages follow one another', async () => {
    const namesOf = ({ data }: Answer): string[] =>
      data.buckets.nodes.map(({ name }: { readonly name: string }) => name);
    const first = await front.list({ first: 3 });
    const { pageInfo, edges } = first.data.buckets;
    expect(pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const second = await front.list({ first: 3, after: pageInfo.endCursor });
    expect(second.data.buckets.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect([...namesOf(first), ...namesOf(second)]).toEqual(names.toSorted());
    // The middle of a page is a place too, of the same project alone.
    const { cursor: after } = edges[1];
    expect(namesOf(await front.list({ after }))).toEqual(names.toSorted().slice(2));
    expect(problemsOf(await front.list({ after, project: 'another-project' }))).toEqual([
      'BAD_USER_INPUT after invalid',
    ]);
  });
});
