import { objectEventTypes } from '../../../src/notification/notification.ts';
import { formatMicroseconds } from '../../../src/notification/publishing/message.ts';
import { readRefusal, expectedRefusal, startNotificationGateway, topic } from '../notification.harness.ts';
import { fc } from '../../property.ts';
import { useForEach } from '../../use-resource.ts';

const nowMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
const sampleChange = { eventType: 'OBJECT_FINALIZE', objectId: 'cat.jpg' };
const publishMutation = `mutation ($change: ObjectChangeInput!) {
  publishObjectChange(bucket: "photos", validateOnly: true, change: $change) { messages { topic attributes data } }
}`;

const gateway = useForEach(() => startNotificationGateway({ clock: () => nowMs }));

/** Publishes a change as a dry run, which returns the messages without sending them. */
const previewChange = (changeFields: object) =>
  gateway.ask(publishMutation, { change: { ...sampleChange, ...changeFields } });

/** Returns the message about a change, with this notification as the only one of the bucket. */
async function previewMessage(notification: object, changeFields: object = {}) {
  await gateway.insertNotification({ topic, ...notification });
  const { data, errors } = await previewChange(changeFields);
  expect(errors).toBeUndefined();
  return data.publishObjectChange.messages[0];
}

const isPublishedTo = async (notification: object, changeFields: object = {}): Promise<boolean> =>
  (await previewMessage(notification, changeFields)) !== undefined;

describe('an object change is published to notifications', () => {
  test.each(objectEventTypes)('with the event type %s, or with none', async (eventType) => {
    await gateway.insertNotification({ topic, event_types: [eventType] });
    await gateway.insertNotification({ topic });
    await gateway.insertNotification({ topic, event_types: [] });
    await gateway.insertNotification({
      topic,
      event_types: objectEventTypes.filter((type) => type !== eventType),
    });
    expect((await previewChange({ eventType })).data.publishObjectChange.messages).toHaveLength(3);
  });

  test.each([
    ['empty', '', 'cat.jpg', true],
    ['equal to the name', 'cat.jpg', 'cat.jpg', true],
    ['shorter', 'cat', 'cat.jpg', true],
    ['longer than the name', 'cat.jpg2', 'cat.jpg', false],
    ['inside the name only', 'at', 'cat.jpg', false],
    ['in another case', 'Cat', 'cat.jpg', false],
    ['of multi-byte characters', 'Kätzchen/ü', 'Kätzchen/über.jpg', true],
    ['in another Unicode composition', 'Ka\u0308', 'Kä.jpg', false],
    ['of characters beyond the basic plane', '🐈', '🐈.jpg', true],
  ])('with a prefix that is %s: %j for %j', async (_name, object_name_prefix, objectId, expected) => {
    expect(await isPublishedTo({ object_name_prefix }, { objectId })).toBe(expected);
  });
});

describe('a message about an object change', () => {
  test('has the built-in attributes, and the custom ones', async () => {
    const { attributes } = await previewMessage(
      { custom_attributes: { team: 'cats' } },
      { objectGeneration: '12', overwroteGeneration: '11' },
    );
    expect(attributes).toEqual({
      team: 'cats',
      notificationConfig: 'projects/_/buckets/photos/notificationConfigs/1',
      eventType: 'OBJECT_FINALIZE',
      payloadFormat: 'JSON_API_V1',
      bucketId: 'photos',
      objectId: 'cat.jpg',
      objectGeneration: '12',
      eventTime: '2026-01-02T03:04:05.678000Z',
      overwroteGeneration: '11',
    });
  });

  test('has overwrittenByGeneration', async () => {
    const { attributes } = await previewMessage(
      {},
      { eventType: 'OBJECT_DELETE', overwrittenByGeneration: '13' },
    );
    expect(attributes.overwrittenByGeneration).toBe('13');
  });

  test('has the JSON of the object as body, nulls included', async () => {
    const object = { name: 'cat.jpg', size: '12', metadata: { ü: ['🐈', null], none: null } };
    expect((await previewMessage({}, { object })).data).toBe(JSON.stringify(object));
  });

  test('has a minimal body if no object was sent', async () => {
    expect(JSON.parse((await previewMessage({}, { objectGeneration: '12' })).data)).toEqual({
      kind: 'storage#object',
      bucket: 'photos',
      name: 'cat.jpg',
      generation: '12',
    });
  });

  test('has no body with payload_format NONE', async () => {
    const { data, attributes } = await previewMessage(
      { payload_format: 'NONE' },
      { object: { name: 'cat.jpg' } },
    );
    expect([data, attributes.payloadFormat]).toEqual(['', 'NONE']);
  });

  test.each([
    ['2026-12-01T10:00:00Z', '2026-12-01T10:00:00.000000Z'],
    ['2026-12-01T10:00:00.1234567+01:00', '2026-12-01T09:00:00.123456Z'],
    ['2026-12-01t10:00:00.5z', '2026-12-01T10:00:00.500000Z'],
    ['2027-01-01T00:30:00-00:45', '2027-01-01T01:15:00.000000Z'],
  ])('writes the time %s as %s', async (eventTime, formatted) => {
    expect((await previewMessage({}, { eventTime })).attributes.eventTime).toBe(formatted);
  });

  test('writes any time as the same instant', () => {
    const range = { noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-01-01') };
    fc.assert(
      fc.property(fc.date(range), (date) => {
        const formattedTime = formatMicroseconds(date.toISOString());
        expect(formattedTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
        expect(Date.parse(formattedTime)).toBe(date.getTime());
      }),
    );
  });
});

describe('an object change is validated', () => {
  const [deletion, archival] = [{ eventType: 'OBJECT_DELETE' }, { eventType: 'OBJECT_ARCHIVE' }];
  test.each<[string, object, string[]]>([
    ['a name of 1,024 bytes', { objectId: 'ü'.repeat(512) }, []],
    ['a name of 1,025 bytes', { objectId: `${'ü'.repeat(512)}x` }, ['objectId: tooLong']],
    ['no name', { objectId: '' }, ['objectId: required']],
    ['LF in the name', { objectId: 'a\nb' }, ['objectId: invalid']],
    ['CR in the name', { objectId: 'a\rb' }, ['objectId: invalid']],
    ['the name .', { objectId: '.' }, ['objectId: invalid']],
    ['the name ..', { objectId: '..' }, ['objectId: invalid']],
    ['a name of three dots', { objectId: '...' }, []],
    ['a name with dots between slashes', { objectId: 'a/../b' }, []],
    ['a lone surrogate', { objectId: 'a\ud800' }, ['objectId: invalid']],
    ['a generation of 19 digits', { objectGeneration: '9'.repeat(19) }, []],
    ['a generation of 20 digits', { objectGeneration: '9'.repeat(20) }, ['objectGeneration: invalid']],
    ['a generation that is not a number', { objectGeneration: '-1' }, ['objectGeneration: invalid']],
    ['overwroteGeneration with OBJECT_FINALIZE', { overwroteGeneration: '1' }, []],
    [
      'a deletion that overwrote',
      { ...deletion, overwroteGeneration: '1' },
      ['overwroteGeneration: invalid'],
    ],
    ['overwrittenByGeneration with OBJECT_ARCHIVE', { ...archival, overwrittenByGeneration: '1' }, []],
    ['a finalize, overwritten', { overwrittenByGeneration: '1' }, ['overwrittenByGeneration: invalid']],
    ['an object of 512 KiB', { object: { a: 'x'.repeat(512 * 1024 - 8) } }, []],
    ['an object above 512 KiB', { object: { a: 'x'.repeat(512 * 1024 - 7) } }, ['object: tooLong']],
    ['U+0000 in a name of the object', { object: { a: { '\u0000': [1] } } }, ['object.a.\u0000: invalid']],
    ['U+0000 in a value of the object', { object: { b: ['\u0000'] } }, ['object.b.0: invalid']],
    ['the first instant of year 1 in UTC', { eventTime: '0001-01-01T14:00:00+14:00' }, []],
    ['an instant of year 0 in UTC', { eventTime: '0001-01-01T13:59:59.9+14:00' }, ['eventTime: invalid']],
    ['the last instant of year 9999 in UTC', { eventTime: '9999-12-31T09:59:59.999999999-14:00' }, []],
    ['an instant of year 10000 in UTC', { eventTime: '9999-12-31T10:00:00-14:00' }, ['eventTime: invalid']],
    ['nulls', { objectGeneration: null, eventTime: null, object: null, overwroteGeneration: null }, []],
    [
      'several errors',
      { objectId: '', objectGeneration: 'x' },
      ['objectId: required', 'objectGeneration: invalid'],
    ],
  ])('%s', async (_name, changeFields, issues) => {
    const answer = await previewChange(changeFields);
    if (issues.length === 0) expect(answer.errors).toBeUndefined();
    else expect(readRefusal(answer)).toEqual(expectedRefusal(...issues.map((issue) => `change.${issue}`)));
  });

  test('with the figures of its messages as params', async () => {
    const object = { a: 'x'.repeat(512 * 1024) };
    const { errors } = await previewChange({ objectId: 'ü'.repeat(513), objectGeneration: 'x', object });
    expect(errors?.[0]?.extensions.issues.map(({ params }) => params)).toEqual([
      { min: 1, max: 1024, actual: 1026 },
      { min: 1, max: 19 },
      { max: 524_288, actual: 524_296 },
    ]);
  });
});
