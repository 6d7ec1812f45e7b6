import type { GraphQLInputObjectType } from 'graphql';
import { createGateway } from '../../src/faces/graphql/schema.ts';
import { newNotification } from '../../src/notification/notification.create.ts';
import { limits } from '../../src/notification/notification.fields.ts';
import { builtInAttributes, objectEventTypes } from '../../src/notification/notification.ts';
import type { ObjectEventType } from '../../src/generated/resolvers-types.ts';
import { refusal, refused, startBuckets, topic } from './notification.harness.ts';
import { useForAll } from '../started.ts';

const hosts = { pubsubHost: 'pubsub.test', storageHost: 'storage.test' };
const buckets = useForAll(startBuckets);
afterEach(async () => {
  for (const id of await ids()) await buckets.remove(id);
});

const ids = async (): Promise<string[]> =>
  (await buckets.list()).data.notifications.map(({ id }: { id: string }) => id);

async function expectStored(body: object): Promise<void> {
  const { data, errors } = await buckets.insert({ topic, ...body });
  expect(errors).toBeUndefined();
  expect(data.insertNotification).toMatchObject(body);
}

async function expectRefused(body: object, ...issues: string[]): Promise<void> {
  const expected = refused(...issues.map((issue) => `notification.${issue}`));
  expect(refusal(await buckets.insert({ topic, ...body }))).toEqual(expected);
  expect(await ids()).toEqual([]);
}

const attributes = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'value']));

/** Texts of a size in bytes, whose characters take 1 to 4 of them. */
const texts = (size: number): [string, string][] =>
  ['a', 'ü', '€', '😀'].map((character) => {
    const width = Buffer.byteLength(character);
    return [character, character.repeat(Math.floor(size / width)) + 'x'.repeat(size % width)];
  });

describe('custom attributes', () => {
  const stores = (custom_attributes: object) => expectStored({ custom_attributes });
  test.each([0, 1, 4, 5])('%i are accepted', (count) => stores(attributes(count)));
  test.each([6, 100])('%i are too many', (count) =>
    expectRefused({ custom_attributes: attributes(count) }, 'custom_attributes: tooMany'),
  );

  test.each(texts(256))('a name may have 256 bytes of %s', (_c, key) => stores({ [key]: 'x' }));
  test.each(texts(257))('a name may not have 257 bytes of %s', (_c, key) =>
    expectRefused({ custom_attributes: { [key]: 'x' } }, `custom_attributes.${key}: tooLong`),
  );
  test('a name has one byte at least', async () => {
    await expectRefused({ custom_attributes: { '': 'x' } }, 'custom_attributes.: invalid');
    await expectStored({ custom_attributes: { x: '' } });
  });

  test.each(texts(1024))('a value may have 1024 bytes of %s', (_c, value) => stores({ x: value }));
  test.each(texts(1025))('a value may not have 1025 bytes of %s', (_c, value) =>
    expectRefused({ custom_attributes: { x: value } }, 'custom_attributes.x: tooLong'),
  );

  test.each(builtInAttributes)('%s is the name of a built-in one', (name) =>
    expectRefused({ custom_attributes: { [name]: 'x' } }, `custom_attributes.${name}: invalid`),
  );
  test.each(['goog', 'google', 'goog-team', 'goog.x'])('%s begins with what is reserved', (name) =>
    expectRefused({ custom_attributes: { [name]: 'x' } }, `custom_attributes.${name}: invalid`),
  );
  const free = 'goo a-goog Google eventtype EventType object constructor toString 0 é';
  test.each([...free.split(' '), ' '])('%j is free', (name) => stores({ [name]: 'x' }));
  test('__proto__ is no name', () => {
    const custom_attributes = JSON.parse('{"__proto__":"x"}') as object;
    return expectRefused({ custom_attributes }, 'custom_attributes.__proto__: invalid');
  });

  test('an entry needs a value', () => {
    const issues = ['custom_attributes.b: required', 'custom_attributes.c: required'];
    return expectRefused({ custom_attributes: { a: 'x', b: null, c: null } }, ...issues);
  });

  test.each([5, true, ['x'], { x: 'y' }])('%j is no value', (value) =>
    expectRefused({ custom_attributes: { a: 'x', b: value } }, 'custom_attributes.b: invalid'),
  );
  test.each([['x'], 'x', 1].map((map) => ({ map })))('$map is no map', ({ map }) =>
    expectRefused({ custom_attributes: map }, 'custom_attributes: invalid'),
  );
});

describe('the prefix', () => {
  test.each(texts(1024))('may have 1024 bytes of %s', (_c, prefix) =>
    expectStored({ object_name_prefix: prefix }),
  );
  test.each(texts(1025))('may not have 1025 bytes of %s', (_c, prefix) =>
    expectRefused({ object_name_prefix: prefix }, 'object_name_prefix: tooLong'),
  );
});

describe('text', () => {
  test.each([
    ['U+0000', 'a\u0000b'],
    ['the first half of a pair', 'a\ud83d'],
    ['the second half', '\ude00'],
  ])('must not hold %s', async (_what, text) => {
    await expectRefused({ object_name_prefix: text }, 'object_name_prefix: invalid');
    await expectRefused({ custom_attributes: { a: text } }, 'custom_attributes.a: invalid');
    await expectRefused({ custom_attributes: { [text]: 'x' } }, `custom_attributes.${text}: invalid`);
  });
});

describe('all that is wrong with a body', () => {
  test('is said at once, each with its path', () =>
    expectRefused(
      {
        topic: 'photos',
        object_name_prefix: 'x'.repeat(1025),
        custom_attributes: { ...attributes(3), goog: 'x', eventType: 'y'.repeat(1025), '': null },
      },
      'topic: invalid',
      'object_name_prefix: tooLong',
      'custom_attributes: tooMany',
      'custom_attributes.goog: invalid',
      'custom_attributes.eventType: invalid',
      'custom_attributes.eventType: tooLong',
      'custom_attributes.: invalid',
      'custom_attributes.: required',
    ));

  test('tells the figures that its messages name', async () => {
    const { errors } = await buckets.insert({
      object_name_prefix: 'ü'.repeat(513),
      event_types: Array.from({ length: 101 }, () => 'OBJECT_DELETE'),
      custom_attributes: { ...attributes(5), ['x'.repeat(257)]: 'x' },
    });
    expect(errors?.[0]?.extensions.issues.map(({ path, params }) => [path[1], params])).toEqual([
      ['event_types', { max: 100, actual: 101 }],
      ['object_name_prefix', { max: 1024, actual: 1026 }],
      ['custom_attributes', { max: 5, actual: 6 }],
      ['custom_attributes', { max: 256, actual: 257 }],
    ]);
  });

  test.each([
    ['a value there is none of', { payload_format: 'XML' }, 'payload_format: invalid'],
    ['a field there is none of', { nope: 1 }, 'nope: invalid'],
  ])('is said also beside %s', (_what, body, issue) =>
    expectRefused({ ...body, custom_attributes: { goog: 'x' } }, issue, 'custom_attributes.goog: invalid'),
  );

  test.each(['text', 5, true, [[]]])('%j is none', async (body) => {
    const answer = await buckets.insert(body as unknown as object);
    expect(refusal(answer)).toEqual(refused('notification: invalid'));
  });
});

test('the descriptions in the schema state the limits', () => {
  const description = (type: string, field: string): string => {
    const of = createGateway().schema.getType(type) as GraphQLInputObjectType;
    return of.getFields()[field]?.description ?? '';
  };
  const attributes = description('NotificationInput', 'custom_attributes');
  const { customAttributes, attributeKeyBytes, attributeValueBytes } = limits;
  for (const [text, ...figures] of [
    [attributes, customAttributes, attributeKeyBytes, attributeValueBytes],
    [description('NotificationInput', 'object_name_prefix'), limits.prefixBytes],
    [description('NotificationInput', 'event_types'), limits.eventTypes],
    [description('Mutation', 'insertNotification'), limits.perBucket, limits.perEventType],
  ] as const)
    expect(text.match(/\d+/g)).toEqual(expect.arrayContaining(figures.map(String)));
  for (const name of builtInAttributes) expect(attributes).toContain(`\`${name}\``);
});

describe('a bucket', () => {
  const full = refused('notification.event_types: tooMany');
  const insert = (...event_types: ObjectEventType[]) => buckets.insert({ topic, event_types });

  test.each(objectEventTypes)('has 10 notifications of %s, no more until one is deleted', async (type) => {
    for (let count = 0; count < 10; count++) expect((await insert(type)).errors).toBeUndefined();
    expect(refusal(await insert(type))).toEqual(full);
    expect(await ids()).toHaveLength(10);
    const last = Number((await ids()).at(-1));
    await buckets.remove(String(last - 6));
    expect((await insert(type)).data.insertNotification.id).toBe(String(last + 1));
    expect(refusal(await insert(type))).toEqual(full);
  });

  test('counts one that names no type for every type, and a type that is named twice once', async () => {
    for (let count = 0; count < 4; count++) await insert();
    for (let count = 0; count < 5; count++) await insert('OBJECT_DELETE', 'OBJECT_DELETE');
    await buckets.insert({ topic });
    expect(await ids()).toHaveLength(10);
    const answer = await insert();
    expect(refusal(answer)).toEqual(full);
    expect(answer.errors?.[0]?.message).toContain('there are as many for OBJECT_DELETE.');
    expect(refusal(await insert('OBJECT_FINALIZE', 'OBJECT_DELETE'))).toEqual(full);
    const others = await insert('OBJECT_FINALIZE', 'OBJECT_ARCHIVE', 'OBJECT_METADATA_UPDATE');
    expect(others.errors).toBeUndefined();
  });

  test('says that it is full together with what else is wrong, and does not count the other buckets', async () => {
    for (let count = 0; count < 10; count++) await insert();
    expect(refusal(await buckets.insert({ topic: 'photos' }))).toEqual(
      refused('notification.topic: invalid', 'notification.event_types: tooMany'),
    );
    const paid = { bucket: 'paid', userProject: 'my-project' };
    expect((await buckets.insert({ topic }, paid)).errors).toBeUndefined();
  });

  // No more than 40 come in by the limit above; a store may bring more from elsewhere.
  test('has 100 notifications at most', async () => {
    const { notifications } = buckets.stores;
    for (let count = 0; count < 98; count++) {
      await notifications.changeNotifications({ bucket: 'photos' }, ({ nextId }) => ({
        insert: newNotification('photos', nextId, { event_types: ['OBJECT_FINALIZE'] }, hosts),
        result: nextId,
      }));
    }
    for (let count = 98; count < 100; count++) expect((await insert('OBJECT_DELETE')).errors).toBeUndefined();
    expect(refusal(await insert('OBJECT_DELETE'))).toEqual(refused('bucket: tooMany'));
    expect(refusal(await insert())).toEqual(refused('bucket: tooMany', 'notification.event_types: tooMany'));
    await buckets.remove((await ids())[0] as string);
    expect((await insert('OBJECT_DELETE')).errors).toBeUndefined();
  });
});
