import { objectEventTypes, payloadFormats } from '../../src/notification/notification.ts';
import {
  manager,
  other,
  refusal,
  refused,
  startBuckets,
  topic,
  warned,
  type Buckets,
} from '../notification/notification.harness.ts';
import { useForEach } from '../started.ts';

const full = {
  custom_attributes: { team: 'photos', ключ: '' },
  event_types: ['OBJECT_FINALIZE', 'OBJECT_DELETE'],
  object_name_prefix: 'albums/ü',
  payload_format: 'NONE',
  topic,
};

const buckets = useForEach(() => startBuckets());

const inserted = async (notification?: object): Promise<Record<string, unknown>> => {
  const { data, errors } = await buckets.insert(notification);
  expect(errors).toBeUndefined();
  return data.insertNotification;
};
const stored = async (): Promise<Record<string, unknown>[]> => (await buckets.list()).data.notifications;
/** Answer of another gateway to an insert. */
type Start = Parameters<typeof startBuckets>;
async function insertElsewhere(insert: Parameters<Buckets['insert']>, ...start: Start) {
  const elsewhere = await startBuckets(...start);
  return elsewhere.insert(...insert).finally(() => elsewhere.close());
}

describe('a new notification', () => {
  test('comes back with all that was sent and all that the server adds, and is read the same afterwards', async () => {
    const answer = await buckets.insert(full);
    expect(answer.errors).toBeUndefined();
    expect(answer.warnings).toBeUndefined();
    const made = answer.data.insertNotification;
    expect(made).toEqual({
      ...full,
      id: '1',
      kind: 'storage#notification',
      etag: expect.stringMatching(/^"[\w-]+"$/),
      selfLink: 'https://www.googleapis.com/storage/v1/b/photos/notificationConfigs/1',
      nodeId: expect.any(String),
    });
    expect((await buckets.read('1')).data.notification).toEqual(made);
    expect(await stored()).toEqual([made]);
  });

  test('needs nothing but a bucket: everything is published as JSON, once it has a topic', async () => {
    const answer = await buckets.insert({});
    expect(answer.data.insertNotification).toMatchObject({
      ...{ id: '1', kind: 'storage#notification', payload_format: 'JSON_API_V1', topic: null },
      ...{ event_types: null, object_name_prefix: null, custom_attributes: null },
    });
    expect(warned(answer)).toEqual(['notification.topic: incomplete']);
  });

  test('warns of another one that says the same, as each message then comes twice', async () => {
    const first = { topic, event_types: ['OBJECT_DELETE', 'OBJECT_FINALIZE'] };
    await inserted(first);
    await inserted(first);
    const again = { ...first, event_types: [...first.event_types].reverse(), object_name_prefix: '' };
    const answer = await buckets.insert({ ...again, payload_format: 'NONE', custom_attributes: { a: 'b' } });
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
    expect(await stored()).toHaveLength(3);
  });

  test.each([
    ['another topic', { topic: 'projects/demo-project/topics/other' }],
    ['another prefix', { topic, object_name_prefix: 'a' }],
    ['other event types', { topic, event_types: ['OBJECT_DELETE'] }],
  ])('does not repeat one with %s', async (_title, notification) => {
    await inserted({ topic });
    expect((await buckets.insert(notification)).warnings).toBeUndefined();
  });

  test('repeats one of all event types with an empty list of them, and none without a topic', async () => {
    await inserted({ topic });
    expect(warned(await buckets.insert({ topic, event_types: [] }))).toEqual(['notification: repeats']);
    await inserted({});
    expect(warned(await buckets.insert({}))).toEqual(['notification.topic: incomplete']);
  });

  test('says no more with nulls than without the fields, the ones of the server included', async () => {
    const names = [...Object.keys(full), 'id', 'kind', 'etag', 'selfLink', 'nodeId'];
    const answer = await buckets.insert(Object.fromEntries(names.map((name) => [name, null])));
    const without = await insertElsewhere([{}]);
    expect(answer.errors).toBeUndefined();
    expect(answer.data).toEqual(without.data);
    expect(answer.warnings).toEqual(without.warnings);
  });

  test('keeps what is empty as empty, which is not the same as absent', async () => {
    const empty = { custom_attributes: {}, event_types: [], object_name_prefix: '' };
    expect(await inserted({ ...empty, topic })).toMatchObject(empty);
  });

  test('lists each event type once and in the usual order', async () => {
    const event_types = [...objectEventTypes, ...objectEventTypes].reverse();
    expect((await inserted({ topic, event_types })).event_types).toEqual(objectEventTypes);
    const twice = ['OBJECT_ARCHIVE', 'OBJECT_FINALIZE', 'OBJECT_ARCHIVE'];
    const once = ['OBJECT_FINALIZE', 'OBJECT_ARCHIVE'];
    expect((await inserted({ topic, event_types: twice })).event_types).toEqual(once);
  });

  test.each([
    ['event_types', ['OBJECT_FINALIZE', 'OBJECT_CREATED'], ['event_types', 1], objectEventTypes],
    ['event_types', ['object_finalize'], ['event_types', 0], objectEventTypes],
    ['payload_format', 'JSON_API_V2', ['payload_format'], payloadFormats],
    ['payload_format', '', ['payload_format'], payloadFormats],
  ])('does not know %s %j, and names what it knows', async (field, value, path, known) => {
    const answer = await buckets.insert({ topic, [field]: value });
    const issues = [{ path: ['notification', ...path], reason: 'invalid' }];
    expect(answer.errors?.[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT', issues });
    expect(answer.errors?.[0]?.message).toContain(`Allowed: ${known.join(', ')}.`);
    expect(await stored()).toEqual([]);
  });

  test('takes its hosts from the configuration', async () => {
    const { data } = await insertElsewhere(
      [{ topic: 'projects/my-project/topics/photos' }],
      {},
      { PUBSUB_HOST: 'PubSub.example:8085', STORAGE_HOST: 'storage.example' },
    );
    expect(data.insertNotification).toMatchObject({
      topic: '//pubsub.example:8085/projects/my-project/topics/photos',
      selfLink: 'https://storage.example/storage/v1/b/photos/notificationConfigs/1',
    });
  });

  test('has a link that is a URL, whatever the name of its bucket', async () => {
    const seed = { buckets: [{ name: 'a b/ü?', project: 'p', managers: [manager] }] };
    const { data } = await insertElsewhere([{ topic }, { bucket: 'a b/ü?' }], { seed });
    const { selfLink } = data.insertNotification;
    expect(selfLink).toBe('https://www.googleapis.com/storage/v1/b/a%20b%2F%C3%BC%3F/notificationConfigs/1');
  });
});

describe('a notification as it was returned', () => {
  test('goes back in as a new one; what belongs to the first is ignored, with warnings', async () => {
    const first = await inserted(full);
    const again = await buckets.insert(first);
    expect(again.errors).toBeUndefined();
    const ignored = ['etag', 'id', 'nodeId', 'selfLink'];
    expect(warned(again).sort()).toEqual([
      ...ignored.map((name) => `notification.${name}: readOnly`),
      'notification: repeats',
    ]);
    expect(again.data.insertNotification).toEqual({
      ...first,
      id: '2',
      etag: expect.any(String),
      nodeId: expect.any(String),
      selfLink: 'https://www.googleapis.com/storage/v1/b/photos/notificationConfigs/2',
    });
    expect(again.data.insertNotification.etag).not.toBe(first.etag);
  });

  test('gives no warning for what comes out the same', async () => {
    const first = await inserted(full);
    const again = await insertElsewhere([first]);
    expect(again.data.insertNotification).toEqual(first);
    expect(warned(again)).toEqual([]);
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
  ])('%s %j is not taken over: it gives a warning', async (field, value) => {
    const answer = await buckets.insert({ topic, [field]: value });
    expect(warned(answer)).toEqual([`notification.${field}: readOnly`]);
    expect(answer.data.insertNotification[field]).not.toBe(value);
  });
});

describe('the id', () => {
  test('counts in each bucket for itself, and is never used again', async () => {
    const ids = [await inserted(), await inserted(), await inserted()].map(({ id }) => id);
    expect(ids).toEqual(['1', '2', '3']);
    await buckets.remove('3');
    await buckets.remove('1');
    expect((await inserted()).id).toBe('4');
    const elsewhere = await buckets.insert({ topic }, { bucket: 'paid', userProject: 'my-project' });
    expect(elsewhere.data.insertNotification.id).toBe('1');
    expect((await stored()).map(({ id }) => id)).toEqual(['2', '4']);
  });

  test('is looked up as it stands', async () => {
    await inserted();
    for (const id of ['01', ' 1', '1.0', '+1', '2', '', '__proto__']) {
      const expected = { code: 'NOT_FOUND', value: null, issues: ['notificationId: notFound'] };
      expect(refusal(await buckets.read(id))).toEqual(expected);
      expect(refusal(await buckets.remove(id))).toEqual(expected);
    }
    expect(await stored()).toHaveLength(1);
  });

  test('is gone after the deletion, which succeeds once', async () => {
    await inserted();
    expect((await buckets.remove('1')).data).toEqual({ deleteNotification: true });
    expect(refusal(await buckets.remove('1')).code).toBe('NOT_FOUND');
    expect(refusal(await buckets.read('1')).code).toBe('NOT_FOUND');
    expect(await stored()).toEqual([]);
  });
});

test('nodeId is the same for every manager, in every answer, and another one in each bucket and for each id', async () => {
  const made = await inserted();
  const inOther = await buckets.insert({ topic }, { bucket: 'other' }, { as: other });
  expect((await buckets.list({}, { as: other })).data.notifications[0].nodeId).toBe(made.nodeId);
  const ids = [made.nodeId, inOther.data.insertNotification.nodeId, (await inserted()).nodeId];
  expect(new Set(ids).size).toBe(3);
});

describe('validateOnly', () => {
  test('shows the notification as it would be, warnings included, and stores nothing', async () => {
    const body = { ...full, id: '7' };
    const preview = await buckets.insert(body, { validateOnly: true });
    expect(await stored()).toEqual([]);
    const made = await buckets.insert(body);
    expect(preview.errors).toBeUndefined();
    expect([preview.data, preview.warnings]).toEqual([made.data, made.warnings]);
    expect(made.data.insertNotification.id).toBe('1');
  });

  test('runs every check', async () => {
    for (let count = 0; count < 10; count += 1) await inserted();
    const args = { validateOnly: true, requestId: '', userProject: '?' };
    const of = 'notification.';
    expect(refusal(await buckets.insert({ topic: '?' }, args))).toEqual(
      refused(
        'userProject: invalid',
        'requestId: invalid',
        `${of}topic: invalid`,
        `${of}event_types: tooMany`,
      ),
    );
    const unknown = await buckets.insert({ topic }, { validateOnly: true, bucket: 'other' });
    expect(refusal(unknown).code).toBe('NOT_FOUND');
  });

  test('looks at the request id, and leaves no trace of it', async () => {
    const dryRun = { validateOnly: true, requestId: 'r' };
    const body = { topic, object_name_prefix: 'x' };
    await buckets.insert({ topic }, dryRun);
    const made = await buckets.insert(body, { requestId: 'r' });
    expect(made.data.insertNotification.object_name_prefix).toBe('x');
    expect((await buckets.insert(body, dryRun)).data).toEqual(made.data);
    expect(refusal(await buckets.insert({ topic }, dryRun)).code).toBe('CONFLICT');
  });
});

test('one failing mutation leaves the others their results', async () => {
  const query = `mutation ($n: NotificationInput!) {
    first: insertNotification(bucket: "photos", notification: $n) { id }
    second: insertNotification(bucket: "elsewhere", notification: $n) { id }
    third: insertNotification(bucket: "photos", notification: $n) { id custom_attributes }
  }`;
  const answer = await buckets.ask(query, { n: full });
  const { custom_attributes } = full;
  expect(answer.data).toEqual({ first: { id: '1' }, second: null, third: { id: '2', custom_attributes } });
  expect(answer.errors?.map(({ path }) => path)).toEqual([['second']]);
});
