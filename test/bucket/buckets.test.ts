import { manager, other, refusal, refused, stranger, warned } from '../notification/notification.harness.ts';
import { project, startOfDay, startResource, valueOf, type Resource } from './bucket.harness.ts';

let now: number;
let buckets: Resource;
beforeEach(async () => {
  now = startOfDay;
  buckets = await startResource({ clock: () => now });
});
afterEach(() => buckets.close());

const made = (answer: Awaited<ReturnType<Resource['make']>>) => valueOf(answer);
const notFound = { code: 'NOT_FOUND', value: null, issues: ['bucket: notFound'] };
const address = (n: number): string => `m${n}@example.com`;

describe('a bucket that is made', () => {
  test('is managed by its maker, and comes back as it was made', async () => {
    const answer = await buckets.make({ name: 'my-bucket' });
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
    expect([made(answer), answer.warnings]).toEqual([expected, undefined]);
    expect(valueOf(await buckets.read('my-bucket'))).toEqual(made(answer));
    expect(refusal(await buckets.read('my-bucket', {}, { as: stranger }))).toEqual(notFound);
    expect((await buckets.insertNotification({}, { bucket: 'my-bucket' })).data.insertNotification.id).toBe(
      '1',
    );
  });

  test("has what its body says, and takes back what was read elsewhere, with a warning for what is not the client's to set", async () => {
    const seen = valueOf(await buckets.read('paid', { userProject: 'payer-project' }));
    expect(seen).toMatchObject({
      metageneration: '1',
      timeCreated: null,
      updated: null,
      billing: { requesterPays: true },
    });
    const answer = await buckets.make({
      ...seen,
      name: 'copy',
      metageneration: '1',
      managers: [other, manager.toUpperCase()],
    });
    expect(made(answer)).toMatchObject({
      id: 'copy',
      project,
      billing: { requesterPays: true },
      managers: [other, manager.toUpperCase()],
    });
    expect(warned(answer)).toEqual(
      ['id', 'nodeId', 'project', 'etag', 'selfLink'].map((name) => `bucket.${name}: readOnly`),
    );
  });

  test.each([
    ['absent and null', { billing: null, managers: null }],
    ['a null inside', { billing: { requesterPays: null } }],
    ['the default', { billing: { requesterPays: false } }],
  ])('has the defaults for %s', async (_what, body) => {
    expect(made(await buckets.make({ name: 'plain', ...body }))).toMatchObject({
      billing: { requesterPays: false },
      managers: [manager],
    });
  });

  test.each(['abc', '0a0', 'a_b', 'a-b.c', 'a'.repeat(63), '1.2.3', '1.2.3.4.5', 'go-og'])(
    'may be named %s',
    async (name) => {
      expect(made(await buckets.make({ name }, { validateOnly: true })).name).toBe(name);
    },
  );

  test.each<[string, string | undefined | null, string[]]>([
    ['no name', undefined, ['required']],
    ['null', null, ['required']],
    ['nothing', '', ['invalid']],
    ['two characters', 'ab', ['invalid']],
    ['64 characters', 'a'.repeat(64), ['tooLong']],
    ['capitals', 'Photos', ['invalid']],
    ['a space', 'my photos', ['invalid']],
    ['another script', 'fotó', ['invalid']],
    ['a line break', 'photos\n', ['invalid']],
    ['a dot in front', '.photos', ['invalid']],
    ['a hyphen at the end', 'photos-', ['invalid']],
    ['two dots', 'my..photos', ['invalid']],
    ['an address', '192.168.5.4', ['invalid']],
    ['goog in front', 'googphotos', ['invalid']],
    ['goog in it', 'my-google-photos', ['invalid']],
    ['all at once', '..goog', ['invalid', 'invalid', 'invalid']],
  ])('is not named with %s', async (_what, name, reasons) => {
    expect(refusal(await buckets.make({ name }))).toEqual(
      refused(...reasons.map((reason) => `bucket.name: ${reason}`)),
    );
  });

  test.each<[string, readonly string[], string[]]>([
    ['nobody', [], ['bucket.managers: required']],
    ['others alone', [other], ['bucket.managers: invalid']],
    ['what is no address', [manager, 'robot'], ['bucket.managers.1: invalid']],
    ['somebody twice', [manager, other, 'OTHER@example.com'], ['bucket.managers.2: invalid']],
    [
      '101 addresses',
      [manager, ...Array.from({ length: 100 }, (_, n) => address(n))],
      ['bucket.managers: tooMany'],
    ],
  ])('is not managed by %s', async (_what, managers, issues) => {
    expect(refusal(await buckets.make({ name: 'listed', managers }))).toEqual(refused(...issues));
  });

  test('may have 100 managers', async () => {
    const managers = [...Array.from({ length: 99 }, (_, n) => address(n)), manager];
    expect(made(await buckets.make({ name: 'listed', managers })).managers).toEqual(managers);
  });

  test('is refused for all that is wrong at once', async () => {
    const answer = await buckets.make(
      { name: '.a', managers: [other, other] },
      { project: 'P', requestId: '' },
    );
    expect(refusal(answer)).toEqual(
      refused(
        'project: invalid',
        'requestId: invalid',
        'bucket.name: invalid',
        'bucket.name: invalid',
        'bucket.managers.1: invalid',
        'bucket.managers: invalid',
      ),
    );
    const unfit = await buckets.make(
      { name: '.aa', managers: [other, other], billing: { requesterPays: 'yes' }, color: 1 },
      { project: 'P' },
    );
    expect(refusal(unfit).issues?.toSorted()).toEqual([
      'bucket.billing.requesterPays: invalid',
      'bucket.color: invalid',
      'bucket.managers.1: invalid',
      'bucket.managers: invalid',
      'bucket.name: invalid',
      'project: invalid',
    ]);
  });

  test.each([
    ['its own', manager],
    ['that of others', stranger],
  ])('does not take a name that is taken, seen or not: %s', async (_whose, as) => {
    const taken = await buckets.make({ name: 'photos', managers: [other, other] }, {}, { as });
    expect(refusal(taken)).toEqual({
      code: 'CONFLICT',
      value: null,
      issues: ['bucket.name: duplicate', 'bucket.managers.1: invalid', 'bucket.managers: invalid'],
    });
  });

  test('needs a maker with an address', async () => {
    expect(refusal(await buckets.make({ name: 'photos' }, {}, { as: 'robot-7' }))).toEqual({
      code: 'FORBIDDEN',
      value: null,
      issues: ['bucket: forbidden', 'bucket.name: duplicate'],
    });
  });

  test('is the same again for the same requestId, and none with other input', async () => {
    const requestId = 'retry';
    const first = made(await buckets.make({ name: 'once' }, { requestId }));
    now += 1000;
    expect(made(await buckets.make({ name: 'once', managers: null }, { requestId }))).toEqual(first);
    expect(refusal(await buckets.make({ name: 'twice' }, { requestId }))).toMatchObject({
      code: 'CONFLICT',
      issues: ['requestId: requestIdReused'],
    });
  });

  test('is not made with validateOnly, which shows it', async () => {
    expect(made(await buckets.make({ name: 'shown' }, { validateOnly: true, requestId: 'r' }))).toMatchObject(
      { name: 'shown', metageneration: '1' },
    );
    expect(refusal(await buckets.read('shown'))).toEqual(notFound);
  });
});

describe('on one day', () => {
  test('a caller makes 100 buckets, those deleted since included; the next is refused in its field, with status 200', async () => {
    for (let n = 0; n < 100; n += 1) made(await buckets.make({ name: `bucket-${n}` }));
    expect(valueOf(await buckets.remove('bucket-0'))).toBe(true);
    const limited = { code: 'RATE_LIMITED', value: null, issues: ['bucket: rateLimitExceeded'] };
    for (const validateOnly of [false, true]) {
      const answer = await buckets.make({ name: 'more' }, { validateOnly });
      expect([answer.status, refusal(answer)]).toEqual([200, limited]);
    }
    expect(refusal(await buckets.make({ name: '-a' }))).toEqual({
      ...limited,
      issues: [...limited.issues, 'bucket.name: invalid', 'bucket.name: invalid'],
    });
    made(await buckets.make({ name: 'of-another' }, {}, { as: other }));
    now += 24 * 60 * 60 * 1000;
    made(await buckets.make({ name: 'more' }));
  });

  test('what is validated only does not count', async () => {
    for (let n = 0; n < 101; n += 1)
      made(await buckets.make({ name: `bucket-${n}` }, { validateOnly: true }));
  });
});

describe('buckets of a project', () => {
  const names = ({ nodes }: { nodes: readonly { name: string }[] }) => nodes.map(({ name }) => name);
  beforeEach(async () => {
    for (const name of ['ccc', 'a-a', 'bbb', 'a.a']) await buckets.make({ name });
    await buckets.make({ name: 'hidden' }, {}, { as: stranger });
    await buckets.make({ name: 'elsewhere' }, { project: '123' });
  });

  test('are those that the caller manages, by name', async () => {
    expect(names(valueOf(await buckets.list()))).toEqual(['a-a', 'a.a', 'bbb', 'ccc']);
    expect(names(valueOf(await buckets.list({ project: '123' })))).toEqual(['elsewhere']);
    expect(names(valueOf(await buckets.list({}, { as: other })))).toEqual([]);
  });

  test('come in pages', async () => {
    const first = valueOf(await buckets.list({ first: 3 }));
    expect([names(first), first.pageInfo]).toEqual([
      ['a-a', 'a.a', 'bbb'],
      {
        hasNextPage: true,
        hasPreviousPage: false,
        startCursor: first.edges[0].cursor,
        endCursor: first.edges[2].cursor,
      },
    ]);
    await buckets.remove('bbb');
    const second = valueOf(await buckets.list({ first: 3, after: first.pageInfo.endCursor }));
    expect([names(second), second.pageInfo]).toMatchObject([
      ['ccc'],
      { hasNextPage: false, hasPreviousPage: true },
    ]);
  });

  test.each<[object, string[]]>([
    [{ project: 'No' }, ['project: invalid']],
    [{ first: 0 }, ['first: invalid']],
    [{ first: 1001, after: '' }, ['after: invalid', 'first: invalid']],
    [{ after: 'no cursor' }, ['after: invalid']],
  ])('are not listed for %j', async (args, issues) => {
    expect(refusal(await buckets.list(args))).toEqual(refused(...issues));
  });
});
