import {
  manager,
  otherManager,
  stranger,
  expectedRefusal,
  readRefusal,
  readWarnings,
} from '../notification/notification.harness.ts';
import {
  project,
  startTime,
  startBucketGateway,
  requireValue,
  type BucketGateway,
} from './bucket.harness.ts';
import { useForEach } from '../use-resource.ts';

let now: number;
const buckets = useForEach(() => {
  now = startTime;
  return startBucketGateway({ clock: () => now });
});

/** Returns the bucket of an insert; throws if the insert was refused. */
const requireBucket = (answer: Awaited<ReturnType<BucketGateway['insert']>>) => requireValue(answer);
const notFound = { code: 'NOT_FOUND', value: null, issues: ['bucket: notFound'] };
const createAddresses = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `m${n}@example.com`);

describe('an inserted bucket', () => {
  test('is managed by its creator, and is read as inserted', async () => {
    const answer = await buckets.insert({ name: 'my-bucket' });
    const expected = {
      kind: 'storage#bucket',
      id: 'my-bucket',
      name: 'my-bucket',
      project,
      nodeId: expect.stringMatching(/^[\w-]+$/),
      etag: expect.stringMatching(/^"[\w-]{16}"$/),
      selfLink: 'https://www.googleapis.com/storage/v1/b/my-bucket',
      metageneration: '1',
      timeCreated: '2030-01-01T00:00:00.000Z',
      updated: '2030-01-01T00:00:00.000Z',
      billing: { requesterPays: false },
      managers: [manager],
    };
    expect([requireBucket(answer), answer.warnings]).toEqual([expected, undefined]);
    expect(requireValue(await buckets.read('my-bucket'))).toEqual(requireBucket(answer));
    expect(readRefusal(await buckets.read('my-bucket', {}, { as: stranger }))).toEqual(notFound);
    expect(requireValue(await buckets.insertNotification({}, { bucket: 'my-bucket' })).id).toBe('1');
  });

  test('has the fields of its body, which may be another bucket as read, with warnings for read-only fields', async () => {
    const paidBucket = requireValue(await buckets.read('paid', { userProject: 'payer-project' }));
    expect(paidBucket).toMatchObject({ metageneration: '1', timeCreated: null, updated: null });
    const managers = [otherManager, manager.toUpperCase()];
    const answer = await buckets.insert({ ...paidBucket, name: 'copy', metageneration: '1', managers });
    const billing = { requesterPays: true };
    expect(requireBucket(answer)).toMatchObject({ id: 'copy', project, billing, managers });
    expect(readWarnings(answer)).toEqual(
      ['id', 'nodeId', 'project', 'etag', 'selfLink'].map((name) => `bucket.${name}: readOnly`),
    );
  });

  test.each([
    { billing: null, managers: null },
    { billing: { requesterPays: null } },
    { billing: { requesterPays: false } },
  ])('has the defaults for %j', async (body) => {
    const bucket = requireBucket(await buckets.insert({ name: 'plain', ...body }));
    expect(bucket).toMatchObject({ billing: { requesterPays: false }, managers: [manager] });
  });

  test.each(['abc', '0a0', 'a_b', 'a-b.c', 'a'.repeat(63), '1.2.3', '1.2.3.4.5', 'go-og'])(
    'may have the name %s',
    async (name) =>
      expect(requireBucket(await buckets.insert({ name }, { validateOnly: true })).name).toBe(name),
  );

  test.each<[string, string[]]>([
    ['tooLong', ['a'.repeat(64)]],
    ['invalid', ['', 'ab', 'Photos', 'my photos', 'fotó', 'photos\n', '.photos', 'photos-', 'my..photos']],
    ['invalid', ['192.168.5.4', 'googphotos', 'my-google-photos']],
    ['invalid, invalid, invalid', ['..goog']],
  ])('with a name that is %s is refused: %j', async (reasons, names) => {
    const issues = reasons.split(', ').map((reason) => `bucket.name: ${reason}`);
    const expected = expectedRefusal(...issues);
    for (const name of names)
      expect([name, readRefusal(await buckets.insert({ name }))]).toEqual([name, expected]);
  });

  test('with a name that is too long gets the limit and the length', async () => {
    const { errors } = await buckets.insert({ name: 'a'.repeat(64) });
    expect(errors).toMatchObject([
      { extensions: { issues: [{ path: ['bucket', 'name'], params: { max: 63, actual: 64 } }] } },
    ]);
  });

  test.each([undefined, null])('needs a name: %s', async (name) =>
    expect(readRefusal(await buckets.insert({ name }))).toEqual(expectedRefusal('bucket.name: required')),
  );

  test.each<[string, readonly string[], string[]]>([
    ['no managers', [], ['bucket.managers: required']],
    ['managers without the creator', [otherManager], ['bucket.managers: invalid']],
    ['an invalid address', [manager, 'robot'], ['bucket.managers.1: invalid']],
    ['a duplicate manager', [manager, otherManager, 'OTHER@example.com'], ['bucket.managers.2: invalid']],
    ['101 addresses', [manager, ...createAddresses(100)], ['bucket.managers: tooMany']],
  ])('is refused with %s', async (_case, managers, issues) =>
    expect(readRefusal(await buckets.insert({ name: 'listed', managers }))).toEqual(
      expectedRefusal(...issues),
    ),
  );

  test('may have 100 managers', async () => {
    const managers = [...createAddresses(99), manager];
    expect(requireBucket(await buckets.insert({ name: 'listed', managers })).managers).toEqual(managers);
  });

  test('is refused with all its problems at once', async () => {
    const managers = [otherManager, otherManager];
    const answer = await buckets.insert({ name: '.a', managers }, { project: 'P', requestId: '' });
    const managersIssues = ['bucket.managers.1: invalid', 'bucket.managers: invalid'];
    const nameIssues = ['bucket.name: invalid', 'bucket.name: invalid'];
    expect(readRefusal(answer)).toEqual(
      expectedRefusal('project: invalid', 'requestId: invalid', ...nameIssues, ...managersIssues),
    );
    const body = { name: '.aa', managers, billing: { requesterPays: 'yes' }, color: 1 };
    const malformedResponse = await buckets.insert(body, { project: 'P' });
    expect(readRefusal(malformedResponse).issues?.toSorted()).toEqual([
      'bucket.billing.requesterPays: invalid',
      'bucket.color: invalid',
      ...managersIssues,
      'bucket.name: invalid',
      'project: invalid',
    ]);
  });

  test.each([manager, stranger])('is refused with an existing name, visible or not: %s', async (as) => {
    const duplicateResponse = await buckets.insert({ name: 'photos', managers: [otherManager] }, {}, { as });
    const issues = ['bucket.name: duplicate', 'bucket.managers: invalid'];
    expect(readRefusal(duplicateResponse)).toEqual({ code: 'CONFLICT', value: null, issues });
  });

  test('needs a caller with an e-mail address', async () => {
    const issues = ['bucket: forbidden', 'bucket.name: duplicate'];
    const answer = await buckets.insert({ name: 'photos' }, {}, { as: 'robot-7' });
    expect(readRefusal(answer)).toEqual({ code: 'FORBIDDEN', value: null, issues });
  });

  test('is returned again for the same requestId, which is refused with other input', async () => {
    const requestId = 'retry';
    const firstBucket = requireBucket(await buckets.insert({ name: 'once' }, { requestId }));
    now += 1000;
    const repeatedResponse = await buckets.insert({ name: 'once', managers: null }, { requestId });
    expect(requireBucket(repeatedResponse)).toEqual(firstBucket);
    const conflictRefusal = { code: 'CONFLICT', issues: ['requestId: requestIdReused'] };
    expect(readRefusal(await buckets.insert({ name: 'twice' }, { requestId }))).toMatchObject(
      conflictRefusal,
    );
  });

  test('is returned, but not stored, with validateOnly', async () => {
    const answer = await buckets.insert({ name: 'shown' }, { validateOnly: true, requestId: 'r' });
    expect(requireBucket(answer)).toMatchObject({ name: 'shown', metageneration: '1' });
    expect(readRefusal(await buckets.read('shown'))).toEqual(notFound);
  });
});

describe('the daily quota', () => {
  test('is 100 buckets of a caller, including deleted ones; the next is refused with status 200', async () => {
    for (let n = 0; n < 100; n += 1) requireBucket(await buckets.insert({ name: `bucket-${n}` }));
    expect(requireValue(await buckets.remove('bucket-0'))).toBe(true);
    const rateLimited = { code: 'RATE_LIMITED', value: null, issues: ['bucket: rateLimitExceeded'] };
    for (const validateOnly of [false, true]) {
      const answer = await buckets.insert({ name: 'more' }, { validateOnly });
      expect([answer.status, readRefusal(answer)]).toEqual([200, rateLimited]);
    }
    expect(readRefusal(await buckets.insert({ name: '-a' }))).toEqual({
      ...rateLimited,
      issues: [...rateLimited.issues, 'bucket.name: invalid', 'bucket.name: invalid'],
    });
    requireBucket(await buckets.insert({ name: 'of-another' }, {}, { as: otherManager }));
    now += 24 * 60 * 60 * 1000;
    requireBucket(await buckets.insert({ name: 'more' }));
  });

  test('does not count validateOnly', async () => {
    for (let n = 0; n < 101; n += 1)
      requireBucket(await buckets.insert({ name: `bucket-${n}` }, { validateOnly: true }));
  });
});

describe('buckets of a project', () => {
  const namesOf = ({ nodes }: { nodes: readonly { name: string }[] }) => nodes.map(({ name }) => name);
  beforeEach(async () => {
    for (const name of ['ccc', 'a-a', 'bbb', 'a.a']) await buckets.insert({ name });
    await buckets.insert({ name: 'hidden' }, {}, { as: stranger });
    await buckets.insert({ name: 'elsewhere' }, { project: '123' });
  });

  test('are those that the caller manages, sorted by name', async () => {
    expect(namesOf(requireValue(await buckets.list()))).toEqual(['a-a', 'a.a', 'bbb', 'ccc']);
    expect(namesOf(requireValue(await buckets.list({ project: '123' })))).toEqual(['elsewhere']);
    const { nodes, edges, pageInfo } = requireValue(await buckets.list({}, { as: otherManager }));
    expect([nodes, edges]).toEqual([[], []]);
    expect(pageInfo).toMatchObject({ hasNextPage: false, startCursor: null, endCursor: null });
  });

  test('come in pages', async () => {
    const firstPage = requireValue(await buckets.list({ first: 3 }));
    const [startCursor, , endCursor] = firstPage.edges.map(({ cursor }: { cursor: string }) => cursor);
    expect(namesOf(firstPage)).toEqual(['a-a', 'a.a', 'bbb']);
    expect(firstPage.pageInfo).toEqual({ hasNextPage: true, hasPreviousPage: false, startCursor, endCursor });
    await buckets.remove('bbb');
    const secondPage = requireValue(await buckets.list({ first: 3, after: firstPage.pageInfo.endCursor }));
    expect(namesOf(secondPage)).toEqual(['ccc']);
    expect(secondPage.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });

  test.each<[object, string[]]>([
    [{ project: 'No' }, ['project: invalid']],
    [{ first: 0 }, ['first: invalid']],
    [{ first: 1001, after: '' }, ['after: invalid', 'first: invalid']],
    [{ after: 'no cursor' }, ['after: invalid']],
  ])('are not listed for %j', async (args, issues) =>
    expect(readRefusal(await buckets.list(args))).toEqual(expectedRefusal(...issues)),
  );
});
