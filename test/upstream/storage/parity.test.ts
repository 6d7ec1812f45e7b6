import type { Answer } from '../../harness.ts';
import { project, startTime, startBucketGateway, type BucketGateway } from '../../bucket/bucket.harness.ts';
import { manager, otherManager, stranger, topic } from '../../notification/notification.harness.ts';
import { problemsOf, startStorageFront, type StorageFront } from '../calendar/upstream.harness.ts';

/** Warnings of reason `repeats` are left out, because the front does not read the other notifications. */
const outcomeOf = ({ data, errors, warnings = [] }: Answer): object => ({
  data: data as unknown,
  warnings: warnings.filter(({ reason }) => reason !== 'repeats'),
  errors: errors?.map(({ extensions: { code, reason, issues } }) => ({ code, reason, issues })),
});

// Compares a gateway in front of another gateway's REST API with one that has its own store: state, issues and warnings.
describe('notifications through the storage service', () => {
  let ownGateway: BucketGateway, service: BucketGateway, front: StorageFront;
  beforeAll(async () => {
    [ownGateway, service] = await Promise.all([startBucketGateway(), startBucketGateway({}, { REST: 'on' })]);
    front = await startStorageFront(service);
    for (const gateway of [ownGateway, service])
      for (let count = 0; count < 10; count += 1)
        await gateway.insertNotification({ topic, event_types: ['OBJECT_DELETE'] }, fullBucket, {
          as: otherManager,
        });
  });
  afterAll(() => Promise.all([ownGateway, service, front].map((gateway) => gateway.close())));

  // The bucket has ten notifications, as many as one event type may have.
  const fullBucket = { bucket: 'other' };
  const payingBucket = { bucket: 'paid' };
  const userProject = 'my-project';
  const provisionalUserProject = userProject;
  const dryRun = { validateOnly: true };
  const allMembers = {
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
  const emptyMembers = { event_types: [], custom_attributes: {}, object_name_prefix: '' };
  const readOnlyMembers = { id: '99', etag: 'x', kind: 'other', selfLink: 'y', nodeId: 'z' };
  const bodyBeyondLimit = { topic, event_types: ['OBJECT_DELETE', 'OBJECT_ARCHIVE'] };
  const invalidBody = { topic: 'x', custom_attributes: { 'goog-a': 'b' } };
  const invalidArgs = { userProject: '!', provisionalUserProject: 'X', requestId: '' };
  const requestIdOne = { requestId: 'one' };

  async function expectSame(calls: string, run: (gateway: BucketGateway) => Promise<Answer>): Promise<void> {
    front.takeMethods();
    const [ownAnswer, frontAnswer] = [outcomeOf(await run(ownGateway)), outcomeOf(await run(front))];
    expect(frontAnswer).toEqual(ownAnswer);
    expect(front.takeMethods()).toBe(calls);
  }

  // Each case sees the writes of earlier cases.
  test.each<[name: string, calls: string, body?: object, args?: object, as?: string]>([
    ['an insert', 'insert'],
    ['an insert of all members', 'insert', allMembers],
    ['an insert of nulls', 'insert', { topic, ...nulls }],
    ['an insert of empty members', 'insert', { topic, ...emptyMembers }],
    ['an insert of read-only members', 'insert', { topic, ...readOnlyMembers }],
    ['an insert without a topic', 'insert', {}],
    ['an insert with many problems', '', invalidBody, invalidArgs],
    ['an insert beyond a limit', 'insert list', bodyBeyondLimit, fullBucket, otherManager],
    ['a dry run beyond a limit', 'list', { topic }, { ...fullBucket, ...dryRun }, otherManager],
    ['a dry run', 'list', { ...allMembers, etag: 'x' }, dryRun],
    ['the first dry run', 'list', { topic }, { ...payingBucket, userProject, ...dryRun }],
    ['an invalid dry run', '', { payload_format: 'NONE', topic: '' }, dryRun],
    ['a dry run that nobody pays for', 'list', { topic }, { ...payingBucket, ...dryRun }],
    ['a dry run that is paid for', 'list', { topic }, { ...payingBucket, provisionalUserProject, ...dryRun }],
    ['an insert that nobody pays for', 'insert', { topic }, payingBucket],
    ['an insert with a payer', 'insert', { topic }, { ...payingBucket, userProject }],
    ['an insert with a provisional payer', 'insert', { topic }, { ...payingBucket, provisionalUserProject }],
    ['an insert by a stranger', 'insert', { topic }, {}, stranger],
    ['a dry run by a stranger', 'list', { topic }, dryRun, stranger],
    ['a request with an id', 'insert', allMembers, requestIdOne],
    ['the same request again', '', allMembers, requestIdOne],
    ['the same request as a dry run', '', allMembers, { ...requestIdOne, ...dryRun }],
    ['another request with the same id', '', { topic: '' }, requestIdOne],
    ['the same request id by another caller', 'insert', { topic }, requestIdOne, otherManager],
  ])('%s is the same', (_name, calls, body, args, as = manager) =>
    expectSame(calls, (gateway) => gateway.insertNotification(body, args, { as })),
  );

  // Reads and deletes see the inserts above.
  test.each<[name: string, calls: string, run: (gateway: BucketGateway) => Promise<Answer>]>([
    ['a list', 'list', (gateway) => gateway.listNotifications()],
    ['an empty list', 'list', (gateway) => gateway.listNotifications(fullBucket)],
    ['a list that nobody pays for', 'list', (gateway) => gateway.listNotifications(payingBucket)],
    [
      'a list that is paid for',
      'list',
      (gateway) => gateway.listNotifications({ ...payingBucket, userProject }),
    ],
    ['a list by a stranger', 'list', (gateway) => gateway.listNotifications({}, { as: stranger })],
    ['a list with an invalid project', '', (gateway) => gateway.listNotifications({ userProject: '!' })],
    ['a read', 'get', (gateway) => gateway.ask(readQuery, { id: '2' })],
    ['a read of an absent one', 'get', (gateway) => gateway.ask(readQuery, { id: '99' })],
    ['a read of an invalid id', 'get', (gateway) => gateway.ask(readQuery, { id: 'a/b' })],
    [
      'a read in an absent bucket',
      'get',
      (gateway) => gateway.ask(readQuery, { id: '1', bucket: 'nowhere' }),
    ],
    ['a read that nobody pays for', 'get', (gateway) => gateway.ask(readQuery, { id: '1', ...payingBucket })],
    ['a delete', 'delete', (gateway) => gateway.ask(deleteMutation, { id: '2' })],
    ['a second delete', 'delete', (gateway) => gateway.ask(deleteMutation, { id: '2' })],
    [
      'a delete by a stranger',
      'delete',
      (gateway) => gateway.ask(deleteMutation, { id: '1' }, { as: stranger }),
    ],
    [
      'a delete that nobody pays for',
      'delete',
      (gateway) => gateway.ask(deleteMutation, { id: '1', ...payingBucket }),
    ],
    ['a list after the deletes', 'list', (gateway) => gateway.listNotifications()],
  ])('%s is the same', (_name, calls, run) => expectSame(calls, run));
  const readQuery = `query ($bucket: String! = "photos", $id: String!) { notification(bucket: $bucket, notificationId: $id) { nodeId id kind etag selfLink topic event_types object_name_prefix payload_format custom_attributes } }`;
  const deleteMutation =
    'mutation ($bucket: String! = "photos", $id: String!) { deleteNotification(bucket: $bucket, notificationId: $id) }';
});

describe('buckets through the storage service', () => {
  let own: BucketGateway, service: BucketGateway, front: StorageFront;
  const names = ['b-1', 'a-1', 'c-1', 'a-2'].map((name) => `list-${name}`);
  const clock = () => startTime;
  beforeAll(async () => {
    [own, service] = await Promise.all([
      startBucketGateway({ clock }),
      startBucketGateway({ clock }, { REST: 'on' }),
    ]);
    front = await startStorageFront(service, clock);
    for (const gateway of [own, service])
      for (const name of names)
        await gateway.insert({ name, billing: { requesterPays: name === 'list-c-1' } });
  });
  afterAll(() => Promise.all([own, service, front].map((gateway) => gateway.close())));

  /** Fields of a bucket that the official API returns; it has no managers or project. */
  const officialFields =
    'kind id nodeId name etag selfLink metageneration timeCreated updated billing { requesterPays }';
  const listQuery = `query ($project: String!, $first: Int, $after: String) { buckets(project: $project, first: $first, after: $after) { nodes { ${officialFields} project } pageInfo { hasNextPage hasPreviousPage } } }`;
  const read = `query ($bucket: String!, $userProject: String) { bucket(bucket: $bucket, userProject: $userProject) { ${officialFields} } }`;

  test.each<[string, string, object, string?]>([
    ['a bucket', read, { bucket: 'list-a-1' }],
    ['a requester-pays bucket', read, { bucket: 'list-c-1', userProject: 'my-project' }],
    ['a bucket that nobody pays for', read, { bucket: 'list-c-1' }],
    ['an absent bucket', read, { bucket: 'nowhere' }],
    ['an invalid bucket name', read, { bucket: 'Not/a bucket' }],
    ["somebody else's bucket", read, { bucket: 'list-a-1' }, stranger],
    ['a bucket with an invalid project', read, { bucket: 'list-a-1', userProject: '' }],
    ['a list', listQuery, { project }],
    ['a short list', listQuery, { project, first: 3 }],
    ["somebody else's list", listQuery, { project }, stranger],
    ['a list of another project', listQuery, { project: 'another-project' }],
    ['an invalid list', listQuery, { project: '!', first: 0, after: 'x' }],
  ])('%s is the same', async (_name, query, variables, as = manager) => {
    const [ownAnswer, frontAnswer] = [
      await own.ask(query, variables, { as }),
      await front.ask(query, variables, { as }),
    ];
    expect(outcomeOf(frontAnswer)).toEqual(outcomeOf(ownAnswer));
  });

  test('pages follow one another', async () => {
    const namesOf = ({ data }: Answer): string[] =>
      data.buckets.nodes.map(({ name }: { readonly name: string }) => name);
    const firstPage = await front.list({ first: 3 });
    const { pageInfo, edges } = firstPage.data.buckets;
    expect(pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const secondPage = await front.list({ first: 3, after: pageInfo.endCursor });
    expect(secondPage.data.buckets.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect([...namesOf(firstPage), ...namesOf(secondPage)]).toEqual(names.toSorted());
    // A cursor from the middle of a page is valid too, for its project only.
    const { cursor: after } = edges[1];
    expect(namesOf(await front.list({ after }))).toEqual(names.toSorted().slice(2));
    expect(problemsOf(await front.list({ after, project: 'another-project' }))).toEqual([
      'BAD_USER_INPUT after invalid',
    ]);
  });
});
