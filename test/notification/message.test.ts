import { matching, messageFor, type ObjectChange } from '../../src/notification/message.ts';
import { objectEventTypes, type NotificationRecord } from '../../src/notification/notification.ts';
import { changeIssues, changeOf, withMicroseconds, type ObjectChangeBody } from '../../src/notification/object-change.ts';

const topic = '//pubsub.test/projects/my-project/topics/photos';
const subscription: NotificationRecord = {
  bucket: 'photos',
  id: '7',
  kind: 'storage#notification',
  etag: '"e"',
  selfLink: 'https://storage.test/7',
  payload_format: 'JSON_API_V1',
  topic,
};
const change: ObjectChange = { eventType: 'OBJECT_FINALIZE', objectId: 'cat.jpg', eventTime: '2026-12-01T10:00:00.000000Z' };

describe('which subscriptions a change concerns', () => {
  const matches = (rest: Partial<NotificationRecord>, of: Partial<ObjectChange> = {}): boolean =>
    matching([{ ...subscription, ...rest }], { ...change, ...of }).length === 1;

  describe.each(objectEventTypes)('%s', (eventType) => {
    test('concerns those that name it', () => expect(matches({ event_types: [eventType] }, { eventType })).toBe(true));
    test('concerns those that name no type', () => {
      expect(matches({}, { eventType })).toBe(true);
      expect(matches({ event_types: [] }, { eventType })).toBe(true);
    });
    test('does not concern those that name the others', () => {
      const event_types = objectEventTypes.filter((other) => other !== eventType);
      expect(matches({ event_types }, { eventType })).toBe(false);
    });
  });

  test.each([
    ['empty', '', 'cat.jpg', true],
    ['equal to the name', 'cat.jpg', 'cat.jpg', true],
    ['shorter', 'cat', 'cat.jpg', true],
    ['longer than the name', 'cat.jpg2', 'cat.jpg', false],
    ['inside the name only', 'at', 'cat.jpg', false],
    ['in another case', 'Cat', 'cat.jpg', false],
    ['of several bytes a character', 'Kätzchen/ü', 'Kätzchen/über.jpg', true],
    ['the same letter composed otherwise', 'Ka\u0308', 'Kä.jpg', false],
    ['of characters beyond the basic plane', '🐈', '🐈.jpg', true],
  ])('a prefix that is %s: %j on %j', (_name, object_name_prefix, objectId, expected) => {
    expect(matches({ object_name_prefix }, { objectId })).toBe(expected);
  });
});

describe('the message of a subscription', () => {
  test('has the built-in attributes, and the custom ones', () => {
    const message = messageFor({ ...subscription, custom_attributes: { team: 'cats' } }, topic, {
      ...change,
      objectGeneration: '12',
      overwroteGeneration: '11',
    });
    expect(message.topic).toBe(topic);
    expect(message.attributes).toEqual({
      team: 'cats',
      notificationConfig: 'projects/_/buckets/photos/notificationConfigs/7',
      eventType: 'OBJECT_FINALIZE',
      payloadFormat: 'JSON_API_V1',
      bucketId: 'photos',
      objectId: 'cat.jpg',
      objectGeneration: '12',
      eventTime: '2026-12-01T10:00:00.000000Z',
      overwroteGeneration: '11',
    });
  });

  test('tells of the generation that took the place, where one did', () => {
    const deleted: ObjectChange = { ...change, eventType: 'OBJECT_DELETE', overwrittenByGeneration: '13' };
    expect(messageFor(subscription, topic, deleted).attributes).toMatchObject({ overwrittenByGeneration: '13' });
    expect(messageFor(subscription, topic, change).attributes).not.toHaveProperty('overwrittenByGeneration');
  });

  test('never lets a custom attribute take the place of a built-in one', () => {
    const stored = { ...subscription, custom_attributes: { objectId: 'another', eventType: 'x' } };
    expect(messageFor(stored, topic, change).attributes).toMatchObject({ objectId: 'cat.jpg', eventType: 'OBJECT_FINALIZE' });
  });

  test('has the JSON of the object as its body, as it was given', () => {
    const object = { name: 'cat.jpg', size: '12', metadata: { ü: ['🐈'] } };
    expect(JSON.parse(messageFor(subscription, topic, { ...change, object }).data)).toEqual(object);
  });

  test('has a small body of what is known when no object was given', () => {
    const data = (of: ObjectChange): unknown => JSON.parse(messageFor(subscription, topic, of).data);
    expect(data(change)).toEqual({ kind: 'storage#object', bucket: 'photos', name: 'cat.jpg' });
    expect(data({ ...change, objectGeneration: '12' })).toMatchObject({ generation: '12' });
  });

  test('has no body with payload_format NONE', () => {
    const message = messageFor({ ...subscription, payload_format: 'NONE' }, topic, { ...change, object: { name: 'cat.jpg' } });
    expect(message.data).toBe('');
    expect(message.attributes).toMatchObject({ payloadFormat: 'NONE' });
  });

  test('has an id of its own and the order of its object', () => {
    const [one, other] = [messageFor(subscription, topic, change), messageFor(subscription, topic, change)];
    expect(one.id).not.toBe(other.id);
    expect(one.orderingKey).toBe('photos/cat.jpg');
    expect(one.orderingKey).toBe(other.orderingKey);
  });
});

describe('a change that comes in', () => {
  const body: ObjectChangeBody = { eventType: 'OBJECT_FINALIZE', objectId: 'cat.jpg' };
  const reasons = (rest: Partial<ObjectChangeBody>): unknown =>
    changeIssues({ ...body, ...rest }).map(({ path, reason }) => `${path.join('.')} ${reason}`);

  test.each<[string, Partial<ObjectChangeBody>, string[]]>([
    ['a name of 1,024 bytes', { objectId: 'ü'.repeat(512) }, []],
    ['a name of 1,025 bytes', { objectId: `${'ü'.repeat(512)}x` }, ['change.objectId tooLong']],
    ['no name', { objectId: '' }, ['change.objectId required']],
    ['a line break in the name', { objectId: 'a\nb' }, ['change.objectId invalid']],
    ['half a surrogate pair', { objectId: 'a\ud800' }, ['change.objectId invalid']],
    ['a generation of 19 digits', { objectGeneration: '9'.repeat(19) }, []],
    ['a generation of 20 digits', { objectGeneration: '9'.repeat(20) }, ['change.objectGeneration invalid']],
    ['a generation that is no number', { objectGeneration: '-1' }, ['change.objectGeneration invalid']],
    ['overwroteGeneration with OBJECT_FINALIZE', { overwroteGeneration: '1' }, []],
    ['overwroteGeneration with OBJECT_DELETE', { eventType: 'OBJECT_DELETE', overwroteGeneration: '1' }, ['change.overwroteGeneration invalid']],
    ['overwrittenByGeneration with OBJECT_ARCHIVE', { eventType: 'OBJECT_ARCHIVE', overwrittenByGeneration: '1' }, []],
    ['overwrittenByGeneration with OBJECT_FINALIZE', { overwrittenByGeneration: '1' }, ['change.overwrittenByGeneration invalid']],
    ['an object of 512 KiB', { object: { a: 'x'.repeat(512 * 1024 - 8) } }, []],
    ['an object above 512 KiB', { object: { a: 'x'.repeat(512 * 1024 - 7) } }, ['change.object tooLong']],
    ['nulls', { objectGeneration: null, eventTime: null, object: null, overwroteGeneration: null }, []],
    ['several faults', { objectId: '', objectGeneration: 'x' }, ['change.objectId required', 'change.objectGeneration invalid']],
  ])('%s', (_name, rest, expected) => {
    expect(reasons(rest)).toEqual(expected);
  });

  test('happened now when it does not say when, and has no nulls', () => {
    expect(changeOf({ ...body, objectGeneration: null }, Date.UTC(2026, 0, 2, 3, 4, 5, 678))).toEqual({
      ...body,
      eventTime: '2026-01-02T03:04:05.678000Z',
    });
  });

  test.each([
    ['2026-12-01T10:00:00Z', '2026-12-01T10:00:00.000000Z'],
    ['2026-12-01T10:00:00.1234567+01:00', '2026-12-01T09:00:00.123456Z'],
    ['2026-12-01t10:00:00.5z', '2026-12-01T10:00:00.500000Z'],
    ['2027-01-01T00:30:00-00:45', '2027-01-01T01:15:00.000000Z'],
  ])('%s is written %s', (given, written) => {
    expect(withMicroseconds(given)).toBe(written);
  });
});
