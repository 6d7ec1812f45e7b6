import { objectEventTypes, payloadFormats } from '../../src/notification/notification.ts';
import type { Answer } from '../harness.ts';
import { startBuckets, type Buckets } from './notification.harness.ts';
import { fc } from '../property.ts';

/** A value a client could send for a field, and whether the rules allow it. */
interface Sample {
  readonly value: unknown;
  readonly valid: boolean;
}

const bytes = (text: string): number => Buffer.byteLength(text);
const clean = (text: string): boolean => !/[\0\p{Surrogate}]/u.test(text);

const sample = <T>(arbitrary: fc.Arbitrary<T>, allows: (value: T) => boolean): fc.Arbitrary<Sample> =>
  arbitrary.map((value) => ({ value, valid: allows(value) }));
const never = (...values: unknown[]): fc.Arbitrary<Sample> => sample(fc.constantFrom(...values), () => false);

/** Most often short; at times about as long as a limit, in characters of any size; at times not even Unicode. */
const text = (limit: number) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }) },
    {
      weight: 1,
      arbitrary: fc.string({ unit: fc.nat(0xffff).map((code) => String.fromCharCode(code)), maxLength: 4 }),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('a', 'ü', '€', '😀'), fc.integer({ min: limit - 4, max: limit + 4 }))
        .map(([character, size]) => character.repeat(Math.max(1, Math.floor(size / bytes(character))))),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', '\0', '\ud800', 'goog', 'eventType', '__proto__', 'x'.repeat(50_000)),
    },
  );

const builtIn =
  /^(notificationConfig|eventType|payloadFormat|bucketId|objectId|objectGeneration|eventTime|over(wrote|writtenBy)Generation)$/;
const validKey = (key: string): boolean =>
  clean(key) &&
  bytes(key) >= 1 &&
  bytes(key) <= 256 &&
  !key.startsWith('goog') &&
  !builtIn.test(key) &&
  key !== '__proto__';

const attributes = fc
  .uniqueArray(
    fc.tuple(text(256), fc.oneof({ weight: 9, arbitrary: text(1024) }, fc.constantFrom(null, 1, ['x']))),
    {
      maxLength: 6,
      selector: ([key]) => key,
    },
  )
  .map((entries): Sample => {
    const validValue = (value: unknown) => typeof value === 'string' && clean(value) && bytes(value) <= 1024;
    const valid = entries.length <= 5 && entries.every(([key, value]) => validKey(key) && validValue(value));
    return { value: Object.fromEntries(entries), valid };
  });

const ignored = sample(fc.oneof(text(100), fc.constantFrom('storage#notification', '1')), () => true);

const fields = {
  custom_attributes: fc.oneof({ weight: 9, arbitrary: attributes }, never('x', [], 1)),
  event_types: fc.oneof(
    {
      weight: 9,
      arbitrary: sample(fc.array(fc.constantFrom(...objectEventTypes), { maxLength: 9 }), () => true),
    },
    never(['OBJECT_CREATED'], [null], { 0: 'OBJECT_DELETE' }, [1]),
  ),
  object_name_prefix: sample(text(1024), (prefix) => clean(prefix) && bytes(prefix) <= 1024),
  payload_format: fc.oneof(
    { weight: 5, arbitrary: sample(fc.constantFrom(...payloadFormats), () => true) },
    never('', 'none', 0, ['x', 'y']),
  ),
  topic: fc.oneof(
    {
      weight: 5,
      arbitrary: sample(
        fc.constantFrom('projects/my-project/topics/a~b', '//h:1/projects/123/topics/abc'),
        () => true,
      ),
    },
    never('', 'photos', 'projects/x/topics/abc', '//h/projects/my-project/topics/goog1', 5, {}),
  ),
  id: ignored,
  kind: ignored,
  etag: ignored,
  selfLink: ignored,
  nodeId: ignored,
};

const nothing = fc.constantFrom<Sample>({ value: undefined, valid: true }, { value: null, valid: true });
const anyBody: fc.Arbitrary<Record<string, Sample | undefined>> = fc.record(
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, fc.oneof({ weight: 4, arbitrary: field }, nothing)]),
  ),
  { requiredKeys: [] },
);

/** What must hold of every notification that is given out. */
function expectRules(made: Record<string, unknown>, sent: Record<string, unknown>): void {
  const { id, event_types, topic, payload_format, custom_attributes, object_name_prefix } = made;
  expect(made.kind).toBe('storage#notification');
  expect(made.etag).toMatch(/^"[\w-]+"$/);
  expect(id).toMatch(/^[1-9]\d*$/);
  expect(made.selfLink).toBe(
    `https://www.googleapis.com/storage/v1/b/photos/notificationConfigs/${String(id)}`,
  );
  expect(payload_format).toBe(sent.payload_format ?? 'JSON_API_V1');
  expect(custom_attributes).toEqual(sent.custom_attributes ?? null);
  expect(object_name_prefix).toBe(sent.object_name_prefix ?? null);
  const types = sent.event_types as string[] | null | undefined;
  expect(event_types).toEqual(types ? objectEventTypes.filter((type) => types.includes(type)) : null);
  if (typeof sent.topic === 'string') expect((topic as string).endsWith(sent.topic)).toBe(true);
  else expect(topic).toBeNull();
}

/** What must hold of every refusal: it names each wrong field, and no other. */
function expectRefusal({ data, errors }: Answer, wrong: readonly string[]): void {
  expect(data?.insertNotification ?? null).toBeNull();
  expect(errors).toHaveLength(1);
  const { code, reason, issues = [] } = errors?.[0]?.extensions ?? {};
  expect(code).toBe('BAD_USER_INPUT');
  expect(reason).toBe(issues[0]?.reason);
  for (const issue of issues) {
    expect(issue).toMatchObject({
      path: expect.any(Array),
      reason: expect.stringMatching(/^(required|invalid|tooLong|tooMany)$/),
      message: expect.stringMatching(/.{10}/s),
    });
    expect(issue.path[0]).toBe('notification');
  }
  expect(new Set(issues.map(({ path }) => path[1]))).toEqual(new Set(wrong));
}

/** The fields that were sent and do not stand in the result as they were, or keep it from being of use. */
function ignoredFields(made: Record<string, unknown>, sent: Record<string, unknown>): string[] {
  const differing = ['id', 'kind', 'etag', 'selfLink', 'nodeId'].filter(
    (name) => sent[name] != null && sent[name] !== made[name],
  );
  return [...differing, ...(made.topic === null ? ['topic'] : [])].sort();
}

describe('whatever is sent as a notification', () => {
  let buckets: Buckets;
  beforeAll(async () => {
    buckets = await startBuckets();
  });
  afterAll(() => buckets.close());

  test('becomes one by the rules, or is refused with all its wrong fields and stores nothing', async () => {
    const counts = { accepted: 0, refused: 0 };
    const list = async () => (await buckets.list()).data.notifications;
    await fc.assert(
      fc.asyncProperty(anyBody, async (samples) => {
        const sent = Object.fromEntries(Object.entries(samples).map(([name, field]) => [name, field?.value]));
        const wrong = Object.keys(samples).filter((name) => samples[name]?.valid === false);
        const before = await list();
        const answer = await buckets.insert(sent);
        expect(answer.status).toBe(200);
        if (wrong.length > 0) {
          counts.refused++;
          expectRefusal(answer, wrong);
          expect(await list()).toEqual(before);
          return;
        }
        counts.accepted++;
        expect(answer.errors).toBeUndefined();
        const made = answer.data.insertNotification;
        expectRules(made, sent);
        expect((answer.warnings ?? []).map(({ path }) => path[1]).sort()).toEqual(ignoredFields(made, sent));
        expect(await list()).toEqual([...before, made]);
        // Some stay, so that the list before is not always empty; never as many as a bucket may have.
        if (before.length > 5) await buckets.remove(before[0].id);
      }),
      { numRuns: 250 },
    );
    expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(40);
  });
});
