import type { GraphQLInputObjectType } from 'graphql';
import { createGatewaySchema } from '../../src/faces/graphql/schema.ts';
import { createNotification } from '../../src/notification/notification.create.ts';
import { limits } from '../../src/notification/notification.fields.ts';
import { builtInAttributes, objectEventTypes } from '../../src/notification/notification.ts';
import type { ObjectEventType } from '../../src/generated/resolvers-types.ts';
import { readRefusal, expectedRefusal, startNotificationGateway, topic } from './notification.harness.ts';
import { useForAll } from '../use-resource.ts';

const hosts = { pubsubHost: 'pubsub.test', storageHost: 'storage.test' };
const gateway = useForAll(startNotificationGateway);
afterEach(async () => {
  for (const id of await listIds()) await gateway.deleteNotification(id);
});

const listIds = async (): Promise<string[]> =>
  (await gateway.listNotifications()).data.notifications.map(({ id }: { id: string }) => id);

async function expectStored(body: object): Promise<void> {
  const { data, errors } = await gateway.insertNotification({ topic, ...body });
  expect(errors).toBeUndefined();
  expect(data.insertNotification).toMatchObject(body);
}

async function expectRefused(body: object, ...issues: string[]): Promise<void> {
  const refusal = expectedRefusal(...issues.map((issue) => `notification.${issue}`));
  expect(readRefusal(await gateway.insertNotification({ topic, ...body }))).toEqual(refusal);
  expect(await listIds()).toEqual([]);
}

const makeAttributes = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 'value']));

/** Pairs of a character of 1, 2, 3 or 4 bytes and a text of that character with this size. */
const textsOfSize = (sizeBytes: number): [string, string][] =>
  ['a', 'ü', '€', '😀'].map((character) => {
    const characterBytes = Buffer.byteLength(character);
    return [
      character,
      character.repeat(Math.floor(sizeBytes / characterBytes)) + 'x'.repeat(sizeBytes % characterBytes),
    ];
  });

describe('custom attributes', () => {
  const expectAttributesStored = (custom_attributes: object) => expectStored({ custom_attributes });
  test.each([0, 1, 4, 5])('%i are accepted', (count) => expectAttributesStored(makeAttributes(count)));
  test.each([6, 100])('%i are too many', (count) =>
    expectRefused({ custom_attributes: makeAttributes(count) }, 'custom_attributes: tooMany'),
  );

  test.each(textsOfSize(256))('a name may have 256 bytes of %s', (_character, key) =>
    expectAttributesStored({ [key]: 'x' }),
  );
  test.each(textsOfSize(257))('a name may not have 257 bytes of %s', (_character, key) =>
    expectRefused({ custom_attributes: { [key]: 'x' } }, `custom_attributes.${key}: tooLong`),
  );
  test('a name has at least one byte', async () => {
    await expectRefused({ custom_attributes: { '': 'x' } }, 'custom_attributes.: invalid');
    await expectStored({ custom_attributes: { x: '' } });
  });

  test.each(textsOfSize(1024))('a value may have 1024 bytes of %s', (_character, value) =>
    expectAttributesStored({ x: value }),
  );
  test.each(textsOfSize(1025))('a value may not have 1025 bytes of %s', (_character, value) =>
    expectRefused({ custom_attributes: { x: value } }, 'custom_attributes.x: tooLong'),
  );

  test.each(builtInAttributes)('the built-in name %s is refused', (name) =>
    expectRefused({ custom_attributes: { [name]: 'x' } }, `custom_attributes.${name}: invalid`),
  );
  test.each(['goog', 'google', 'goog-team', 'goog.x'])('the reserved prefix of %s is refused', (name) =>
    expectRefused({ custom_attributes: { [name]: 'x' } }, `custom_attributes.${name}: invalid`),
  );
  const allowedNames = 'goo a-goog Google eventtype EventType object constructor toString 0 é';
  test.each([...allowedNames.split(' '), ' '])('the name %j is allowed', (name) =>
    expectAttributesStored({ [name]: 'x' }),
  );
  test('the name __proto__ is refused', () => {
    const custom_attributes = JSON.parse('{"__proto__":"x"}') as object;
    return expectRefused({ custom_attributes }, 'custom_attributes.__proto__: invalid');
  });

  test('an entry needs a value', () => {
    const issues = ['custom_attributes.b: required', 'custom_attributes.c: required'];
    return expectRefused({ custom_attributes: { a: 'x', b: null, c: null } }, ...issues);
  });

  test.each([5, true, ['x'], { x: 'y' }])('the value %j is refused', (value) =>
    expectRefused({ custom_attributes: { a: 'x', b: value } }, 'custom_attributes.b: invalid'),
  );
  test.each([['x'], 'x', 1].map((map) => ({ map })))('$map is refused as a map', ({ map }) =>
    expectRefused({ custom_attributes: map }, 'custom_attributes: invalid'),
  );
});

describe('object_name_prefix', () => {
  test.each(textsOfSize(1024))('may have 1024 bytes of %s', (_character, prefix) =>
    expectStored({ object_name_prefix: prefix }),
  );
  test.each(textsOfSize(1025))('may not have 1025 bytes of %s', (_character, prefix) =>
    expectRefused({ object_name_prefix: prefix }, 'object_name_prefix: tooLong'),
  );
});

describe('text', () => {
  test.each([
    ['U+0000', 'a\u0000b'],
    ['a lone high surrogate', 'a\ud83d'],
    ['a lone low surrogate', '\ude00'],
  ])('must not contain %s', async (_case, text) => {
    await expectRefused({ object_name_prefix: text }, 'object_name_prefix: invalid');
    await expectRefused({ custom_attributes: { a: text } }, 'custom_attributes.a: invalid');
    await expectRefused({ custom_attributes: { [text]: 'x' } }, `custom_attributes.${text}: invalid`);
  });
});

describe('all errors of a body', () => {
  test('are reported at once, each with its path', () =>
    expectRefused(
      {
        topic: 'photos',
        object_name_prefix: 'x'.repeat(1025),
        custom_attributes: { ...makeAttributes(3), goog: 'x', eventType: 'y'.repeat(1025), '': null },
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

  test('have the figures of their messages as params', async () => {
    const { errors } = await gateway.insertNotification({
      object_name_prefix: 'ü'.repeat(513),
      event_types: Array.from({ length: 101 }, () => 'OBJECT_DELETE'),
      custom_attributes: { ...makeAttributes(5), ['x'.repeat(257)]: 'x' },
    });
    expect(errors?.[0]?.extensions.issues.map(({ path, params }) => [path[1], params])).toEqual([
      ['event_types', { max: 100, actual: 101 }],
      ['object_name_prefix', { max: 1024, actual: 1026 }],
      ['custom_attributes', { max: 5, actual: 6 }],
      ['custom_attributes', { max: 256, actual: 257 }],
    ]);
  });

  test.each([
    ['an unknown enum value', { payload_format: 'XML' }, 'payload_format: invalid'],
    ['an unknown field', { nope: 1 }, 'nope: invalid'],
  ])('include rule errors together with %s', (_case, body, issue) =>
    expectRefused({ ...body, custom_attributes: { goog: 'x' } }, issue, 'custom_attributes.goog: invalid'),
  );

  test.each(['text', 5, true, [[]]])('include that %j is not an object', async (body) => {
    // Cast, since untyped clients send such bodies.
    const answer = await gateway.insertNotification(body as unknown as object);
    expect(readRefusal(answer)).toEqual(expectedRefusal('notification: invalid'));
  });
});

test('the descriptions in the schema state the limits', () => {
  const readDescription = (type: string, field: string): string => {
    const inputType = createGatewaySchema().schema.getType(type) as GraphQLInputObjectType;
    return inputType.getFields()[field]?.description ?? '';
  };
  const attributesText = readDescription('NotificationInput', 'custom_attributes');
  const { maxCustomAttributes, maxAttributeKeyBytes, maxAttributeValueBytes } = limits;
  for (const [text, ...figures] of [
    [attributesText, maxCustomAttributes, maxAttributeKeyBytes, maxAttributeValueBytes],
    [readDescription('NotificationInput', 'object_name_prefix'), limits.maxPrefixBytes],
    [readDescription('NotificationInput', 'event_types'), limits.maxEventTypes],
    [readDescription('Mutation', 'insertNotification'), limits.maxPerBucket, limits.maxPerEventType],
  ] as const)
    expect(text.match(/\d+/g)).toEqual(expect.arrayContaining(figures.map(String)));
  for (const name of builtInAttributes) expect(attributesText).toContain(`\`${name}\``);
});

describe('a bucket with notifications', () => {
  const bucketFullRefusal = expectedRefusal('notification.event_types: tooMany');
  const insert = (...event_types: ObjectEventType[]) => gateway.insertNotification({ topic, event_types });

  test.each(objectEventTypes)('may have 10 of %s, and no more until one is deleted', async (type) => {
    for (let count = 0; count < 10; count++) expect((await insert(type)).errors).toBeUndefined();
    expect(readRefusal(await insert(type))).toEqual(bucketFullRefusal);
    expect(await listIds()).toHaveLength(10);
    const lastId = Number((await listIds()).at(-1));
    // Deletes one in the middle: the next id still follows the highest one.
    await gateway.deleteNotification(String(lastId - 6));
    expect((await insert(type)).data.insertNotification.id).toBe(String(lastId + 1));
    expect(readRefusal(await insert(type))).toEqual(bucketFullRefusal);
  });

  test('counts a notification without types for every type, and a repeated type once', async () => {
    for (let count = 0; count < 4; count++) await insert();
    for (let count = 0; count < 5; count++) await insert('OBJECT_DELETE', 'OBJECT_DELETE');
    await gateway.insertNotification({ topic });
    expect(await listIds()).toHaveLength(10);
    const answer = await insert();
    expect(readRefusal(answer)).toEqual(bucketFullRefusal);
    expect(answer.errors?.[0]?.message).toContain('there are as many for OBJECT_DELETE.');
    expect(readRefusal(await insert('OBJECT_FINALIZE', 'OBJECT_DELETE'))).toEqual(bucketFullRefusal);
    const otherTypesResponse = await insert('OBJECT_FINALIZE', 'OBJECT_ARCHIVE', 'OBJECT_METADATA_UPDATE');
    expect(otherTypesResponse.errors).toBeUndefined();
  });

  test('reports the limit together with other errors, and counts only its own notifications', async () => {
    for (let count = 0; count < 10; count++) await insert();
    expect(readRefusal(await gateway.insertNotification({ topic: 'photos' }))).toEqual(
      expectedRefusal('notification.topic: invalid', 'notification.event_types: tooMany'),
    );
    const paidBucket = { bucket: 'paid', userProject: 'my-project' };
    expect((await gateway.insertNotification({ topic }, paidBucket)).errors).toBeUndefined();
  });

  // The API allows 10 for each of the 4 event types, so most notifications are stored directly.
  test('may have at most 100', async () => {
    const { notifications } = gateway.stores;
    for (let count = 0; count < 98; count++) {
      await notifications.changeNotifications({ bucket: 'photos' }, ({ nextId }) => ({
        insert: createNotification('photos', nextId, { event_types: ['OBJECT_FINALIZE'] }, hosts),
        result: nextId,
      }));
    }
    for (let count = 98; count < 100; count++) expect((await insert('OBJECT_DELETE')).errors).toBeUndefined();
    expect(readRefusal(await insert('OBJECT_DELETE'))).toEqual(expectedRefusal('bucket: tooMany'));
    expect(readRefusal(await insert())).toEqual(
      expectedRefusal('bucket: tooMany', 'notification.event_types: tooMany'),
    );
    await gateway.deleteNotification((await listIds())[0] as string);
    expect((await insert('OBJECT_DELETE')).errors).toBeUndefined();
  });
});
