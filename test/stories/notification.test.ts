import { objectEventTypes, payloadFormats } from '../../src/notification/notification.ts';
import {
  manager,
  otherManager,
  readRefusal,
  expectedRefusal,
  startNotificationGateway,
  topic,
  readWarnings,
  type NotificationGateway,
} from '../notification/notification.harness.ts';
import { useForEach } from '../use-resource.ts';

const fullBody = {
  custom_attributes: { team: 'photos', ключ: '' },
  event_types: ['OBJECT_FINALIZE', 'OBJECT_DELETE'],
  object_name_prefix: 'albums/ü',
  payload_format: 'NONE',
  topic,
};

const gateway = useForEach(() => startNotificationGateway());

const insertNotification = async (notification?: object): Promise<Record<string, unknown>> => {
  const { data, errors } = await gateway.insertNotification(notification);
  expect(errors).toBeUndefined();
  return data.insertNotification;
};
const listNotifications = async (): Promise<Record<string, unknown>[]> =>
  (await gateway.listNotifications()).data.notifications;
/** Arguments of `startNotificationGateway`, for another gateway. */
type StartOptions = Parameters<typeof startNotificationGateway>;
async function insertInOtherGateway(
  insertArgs: Parameters<NotificationGateway['insertNotification']>,
  ...startOptions: StartOptions
) {
  const otherGateway = await startNotificationGateway(...startOptions);
  return otherGateway.insertNotification(...insertArgs).finally(() => otherGateway.close());
}

describe('a new notification', () => {
  test('has all sent and server-set fields, and is read the same afterwards', async () => {
    const answer = await gateway.insertNotification(fullBody);
    expect(answer.errors).toBeUndefined();
    expect(answer.warnings).toBeUndefined();
    const created = answer.data.insertNotification;
    expect(created).toEqual({
      ...fullBody,
      id: '1',
      kind: 'storage#notification',
      etag: expect.stringMatching(/^"[\w-]+"$/),
      selfLink: 'https://www.googleapis.com/storage/v1/b/photos/notificationConfigs/1',
      nodeId: expect.any(String),
    });
    expect((await gateway.readNotification('1')).data.notification).toEqual(created);
    expect(await listNotifications()).toEqual([created]);
  });

  test('needs no fields: by default every change is published as JSON, once there is a topic', async () => {
    const answer = await gateway.insertNotification({});
    expect(answer.data.insertNotification).toMatchObject({
      ...{ id: '1', kind: 'storage#notification', payload_format: 'JSON_API_V1', topic: null },
      ...{ event_types: null, object_name_prefix: null, custom_attributes: null },
    });
    expect(readWarnings(answer)).toEqual(['notification.topic: incomplete']);
  });

  test('warns about an equivalent one, since each message would be published twice', async () => {
    const first = { topic, event_types: ['OBJECT_DELETE', 'OBJECT_FINALIZE'] };
    await insertNotification(first);
    await insertNotification(first);
    const equivalentBody = {
      ...first,
      event_types: [...first.event_types].reverse(),
      object_name_prefix: '',
    };
    const answer = await gateway.insertNotification({
      ...equivalentBody,
      payload_format: 'NONE',
      custom_attributes: { a: 'b' },
    });
    expect(answer.warnings).toEqual([
      {
        field: 'insertNotification',
        path: ['notification'],
        reason: 'repeats',
        message:
          'Each message will come twice: notification 1 of this bucket has the same topic, event_types and ' +
          'object_name_prefix. Delete one of the two unless that is intended.',
      },
    ]);
    expect(await listNotifications()).toHaveLength(3);
  });

  test.each([
    ['another topic', { topic: 'projects/demo-project/topics/other' }],
    ['another prefix', { topic, object_name_prefix: 'a' }],
    ['other event types', { topic, event_types: ['OBJECT_DELETE'] }],
  ])('does not warn about one with %s', async (_title, notification) => {
    await insertNotification({ topic });
    expect((await gateway.insertNotification(notification)).warnings).toBeUndefined();
  });

  test('treats an empty list of event types as all types, and never warns without a topic', async () => {
    await insertNotification({ topic });
    expect(readWarnings(await gateway.insertNotification({ topic, event_types: [] }))).toEqual([
      'notification: repeats',
    ]);
    await insertNotification({});
    expect(readWarnings(await gateway.insertNotification({}))).toEqual(['notification.topic: incomplete']);
  });

  test('treats nulls like absent fields, including server-set ones', async () => {
    const names = [...Object.keys(fullBody), 'id', 'kind', 'etag', 'selfLink', 'nodeId'];
    const answer = await gateway.insertNotification(Object.fromEntries(names.map((name) => [name, null])));
    const answerWithoutFields = await insertInOtherGateway([{}]);
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual(answerWithoutFields.data);
    expect(answer.warnings).toEqual(answerWithoutFields.warnings);
  });

  test('keeps empty values, which differ from absent ones', async () => {
    const emptyFields = { custom_attributes: {}, event_types: [], object_name_prefix: '' };
    expect(await insertNotification({ ...emptyFields, topic })).toMatchObject(emptyFields);
  });

  test('lists each event type once, in a fixed order', async () => {
    const event_types = [...objectEventTypes, ...objectEventTypes].reverse();
    expect((await insertNotification({ topic, event_types })).event_types).toEqual(objectEventTypes);
    const repeatedTypes = ['OBJECT_ARCHIVE', 'OBJECT_FINALIZE', 'OBJECT_ARCHIVE'];
    const uniqueTypes = ['OBJECT_FINALIZE', 'OBJECT_ARCHIVE'];
    expect((await insertNotification({ topic, event_types: repeatedTypes })).event_types).toEqual(
      uniqueTypes,
    );
  });

  test.each([
    ['event_types', ['OBJECT_FINALIZE', 'OBJECT_CREATED'], ['event_types', 1], objectEventTypes],
    ['event_types', ['object_finalize'], ['event_types', 0], objectEventTypes],
    ['payload_format', 'JSON_API_V2', ['payload_format'], payloadFormats],
    ['payload_format', '', ['payload_format'], payloadFormats],
  ])('refuses %s %j, and names the allowed values', async (field, value, path, allowedValues) => {
    const answer = await gateway.insertNotification({ topic, [field]: value });
    const issues = [{ path: ['notification', ...path], reason: 'invalid' }];
    expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', issues });
    expect(answer.errors?.[0]?.message).toContain(`Allowed: ${allowedValues.join(', ')}.`);
    expect(await listNotifications()).toEqual([]);
  });

  test('takes its hosts from the configuration', async () => {
    const { data } = await insertInOtherGateway(
      [{ topic: 'projects/my-project/topics/photos' }],
      {},
      { PUBSUB_HOST: 'PubSub.example:8085', STORAGE_HOST: 'storage.example' },
    );
    expect(data.insertNotification).toMatchObject({
      topic: '//pubsub.example:8085/projects/my-project/topics/photos',
      selfLink: 'https://storage.example/storage/v1/b/photos/notificationConfigs/1',
    });
  });

  test('has a valid URL as selfLink, whatever the name of its bucket', async () => {
    const seed = { buckets: [{ name: 'a b/ü?', project: 'p', managers: [manager] }] };
    const { data } = await insertInOtherGateway([{ topic }, { bucket: 'a b/ü?' }], { seed });
    const { selfLink } = data.insertNotification;
    expect(selfLink).toBe('https://www.googleapis.com/storage/v1/b/a%20b%2F%C3%BC%3F/notificationConfigs/1');
  });
});

describe('a returned notification', () => {
  test('can be inserted as a new one; its server-set fields are ignored with warnings', async () => {
    const first = await insertNotification(fullBody);
    const reinserted = await gateway.insertNotification(first);
    expect(reinserted.errors).toBeUndefined();
    const readOnlyNames = ['etag', 'id', 'nodeId', 'selfLink'];
    expect(readWarnings(reinserted).sort()).toEqual([
      ...readOnlyNames.map((name) => `notification.${name}: readOnly`),
      'notification: repeats',
    ]);
    expect(reinserted.data.insertNotification).toEqual({
      ...first,
      id: '2',
      etag: expect.any(String),
      nodeId: expect.any(String),
      selfLink: 'https://www.googleapis.com/storage/v1/b/photos/notificationConfigs/2',
    });
    expect(reinserted.data.insertNotification.etag).not.toBe(first.etag);
  });

  test('causes no warning for server-set fields that come out the same', async () => {
    const first = await insertNotification(fullBody);
    const again = await insertInOtherGateway([first]);
    expect(again.data.insertNotification).toEqual(first);
    expect(readWarnings(again)).toEqual([]);
  });

  test.each([
    ['id', '7'],
    ['id', ''],
    ['id', '01'],
    ['etag', 'W/"x"'],
    ['kind', 'storage#notifications'],
    ['selfLink', 'https://elsewhere.example'],
    ['nodeId', 'x'],
    ['etag', '\u0000'],
  ])('with %s %j gets another value and a warning', async (field, value) => {
    const answer = await gateway.insertNotification({ topic, [field]: value });
    expect(readWarnings(answer)).toEqual([`notification.${field}: readOnly`]);
    expect(answer.data.insertNotification[field]).not.toBe(value);
  });
});

describe('the id', () => {
  test('is counted per bucket, and never reused', async () => {
    const ids = [await insertNotification(), await insertNotification(), await insertNotification()].map(
      ({ id }) => id,
    );
    expect(ids).toEqual(['1', '2', '3']);
    await gateway.deleteNotification('3');
    await gateway.deleteNotification('1');
    expect((await insertNotification()).id).toBe('4');
    const otherBucketAnswer = await gateway.insertNotification(
      { topic },
      { bucket: 'paid', userProject: 'my-project' },
    );
    expect(otherBucketAnswer.data.insertNotification.id).toBe('1');
    expect((await listNotifications()).map(({ id }) => id)).toEqual(['2', '4']);
  });

  test('is looked up exactly as sent', async () => {
    await insertNotification();
    for (const id of ['01', ' 1', '1.0', '+1', '2', '', '__proto__']) {
      const expected = { code: 'NOT_FOUND', value: null, issues: ['notificationId: notFound'] };
      expect(readRefusal(await gateway.readNotification(id))).toEqual(expected);
      expect(readRefusal(await gateway.deleteNotification(id))).toEqual(expected);
    }
    expect(await listNotifications()).toHaveLength(1);
  });

  test('is gone after the deletion, which succeeds once', async () => {
    await insertNotification();
    expect((await gateway.deleteNotification('1')).data).toEqual({ deleteNotification: true });
    expect(readRefusal(await gateway.deleteNotification('1')).code).toBe('NOT_FOUND');
    expect(readRefusal(await gateway.readNotification('1')).code).toBe('NOT_FOUND');
    expect(await listNotifications()).toEqual([]);
  });
});

test('nodeId is the same for every manager, and unique for each bucket and id', async () => {
  const created = await insertNotification();
  const answerInOtherBucket = await gateway.insertNotification(
    { topic },
    { bucket: 'other' },
    { as: otherManager },
  );
  expect((await gateway.listNotifications({}, { as: otherManager })).data.notifications[0].nodeId).toBe(
    created.nodeId,
  );
  const ids = [
    created.nodeId,
    answerInOtherBucket.data.insertNotification.nodeId,
    (await insertNotification()).nodeId,
  ];
  expect(new Set(ids).size).toBe(3);
});

describe('validateOnly', () => {
  test('returns the notification as it would be stored, warnings included, and stores nothing', async () => {
    const body = { ...fullBody, id: '7' };
    const preview = await gateway.insertNotification(body, { validateOnly: true });
    expect(await listNotifications()).toEqual([]);
    const created = await gateway.insertNotification(body);
    expect(preview.errors).toBeUndefined();
    expect([preview.data, preview.warnings]).toEqual([created.data, created.warnings]);
    expect(created.data.insertNotification.id).toBe('1');
  });

  test('runs every check', async () => {
    for (let count = 0; count < 10; count += 1) await insertNotification();
    const args = { validateOnly: true, requestId: '', userProject: '?' };
    const prefix = 'notification.';
    expect(readRefusal(await gateway.insertNotification({ topic: '?' }, args))).toEqual(
      expectedRefusal(
        'userProject: invalid',
        'requestId: invalid',
        `${prefix}topic: invalid`,
        `${prefix}event_types: tooMany`,
      ),
    );
    const answerForForeignBucket = await gateway.insertNotification(
      { topic },
      { validateOnly: true, bucket: 'other' },
    );
    expect(readRefusal(answerForForeignBucket).code).toBe('NOT_FOUND');
  });

  test('checks the request id, but does not record it', async () => {
    const dryRun = { validateOnly: true, requestId: 'r' };
    const body = { topic, object_name_prefix: 'x' };
    await gateway.insertNotification({ topic }, dryRun);
    const created = await gateway.insertNotification(body, { requestId: 'r' });
    expect(created.data.insertNotification.object_name_prefix).toBe('x');
    expect((await gateway.insertNotification(body, dryRun)).data).toEqual(created.data);
    expect(readRefusal(await gateway.insertNotification({ topic }, dryRun)).code).toBe('CONFLICT');
  });
});
