import { createHash } from 'node:crypto';
import { addressKey } from '../../../src/core/text/email.ts';
import { eventually } from '../../eventually.ts';
import { startGateway } from '../../harness.ts';
import { describeWithPostgres, usePostgres } from '../../postgres-server.ts';
import { useForAll } from '../../use-resource.ts';

/** Creates incompressible numbers, always the same for a name. */
const hashNumbers = (name: string, length: number): number[] =>
  Array.from({ length }, (_, index) =>
    createHash('sha256').update(`${name} ${index}`).digest().readUInt16BE(),
  );
/** Creates incompressible text of characters with four bytes each (CJK Extension B). */
const createText = (name: string, length: number): string =>
  String.fromCodePoint(...hashNumbers(name, length).map((number) => 0x20000 + (number % 0xa6d0)));
const createAscii = (name: string, length: number, base = 36): string =>
  `a${hashNumbers(name, length - 1)
    .map((number) => (number % base).toString(base))
    .join('')}`;
const createDomain = (name: string, ...lengths: readonly number[]): string =>
  lengths.map((length) => createAscii(name, length)).join('.');
/** Creates an address of 254 bytes. */
const createAddress = (name: string): string =>
  `${createText(name, 16)}@${createDomain('domain', 63, 63, 61)}`;

const [owner, reader] = [createAddress('owner'), createAddress('reader')];
const calendarId = createText('calendar', 256);
const importedEventId = createText('event', 1024);
const uid = createText('uid', 1024);
const bucket = `b${createText('bucket', 55)}`;
const project = `${createDomain('domain', 63, 63, 63, 61)}:${createAscii('project', 30)}`;
const topic = `//${createDomain('host', 63, 63, 63, 61)}:65535/projects/${project}/topics/${createAscii('topic', 255)}`;
const objectId = createText('object', 256);
const allDayTimes = (month: number) => ({
  start: { date: `2030-0${month}-01` },
  end: { date: `2030-0${month}-02` },
});
const importedEvent = {
  id: importedEventId,
  iCalUID: `${createText('imported uid', 1023)}.`,
  summary: 'Imported',
  ...allDayTimes(1),
};
const notification = { id: '999999999999999', topic, object_name_prefix: objectId };
const acl = [{ email: reader, role: 'reader' }];
const seed = {
  calendars: [{ id: calendarId, owner, timeZone: 'UTC', acl, events: [importedEvent] }],
  buckets: [{ name: bucket, project: 'my-project', managers: [owner], notifications: [notification] }],
};

describeWithPostgres('incompressible texts of maximum length', () => {
  const { createMigratedUrl } = usePostgres();
  const gateway = useForAll(async () => startGateway({ DATABASE_URL: await createMigratedUrl() }, { seed }));

  /** Sends a root field as the calendar's owner, or as the given caller, and returns its value. */
  async function askRootField(query: string, variables: object = {}, as = owner): Promise<unknown> {
    const { data, errors } = await gateway.ask(query, { calendarId, ...variables }, { as });
    expect(errors).toBeUndefined();
    return Object.values(data as object)[0];
  }
  const insertMutation =
    'mutation ($calendarId: String!, $event: EventInput!, $requestId: String) { insertEvent(calendarId: $calendarId, event: $event, requestId: $requestId) { id } }';
  const insertEvent = (event: object, requestId?: string) =>
    askRootField(insertMutation, { event, requestId });
  const patchEvent = (eventId: string) =>
    askRootField(
      'mutation ($calendarId: String!, $eventId: String!) { patchEvent(calendarId: $calendarId, eventId: $eventId, event: { summary: "Patched" }) { id } }',
      { eventId },
    );
  const readEvent = (eventId: string, as?: string) =>
    askRootField(
      'query ($calendarId: String!, $eventId: String!) { event(calendarId: $calendarId, eventId: $eventId) { id summary } }',
      { eventId },
      as,
    );

  test('are accepted as ids of calendars and addresses of readers', async () => {
    const ownCalendar = { id: calendarId };
    expect(await askRootField('{ calendars { id } }')).toEqual([ownCalendar]);
    // A reader with an address has a calendar too.
    expect(await askRootField('{ calendars { id } }', {}, reader)).toEqual([
      { id: addressKey(reader) },
      ownCalendar,
    ]);
    expect(await askRootField('{ calendar(calendarId: "primary") { id } }')).toEqual(ownCalendar);
  });

  test('are accepted as ids of imported events', async () => {
    expect(await readEvent(importedEventId, reader)).toEqual({ id: importedEventId, summary: 'Imported' });
    await patchEvent(importedEventId);
    expect(await readEvent(importedEventId)).toEqual({ id: importedEventId, summary: 'Patched' });
  });

  test('are accepted as ids of inserted events and their instances', async () => {
    const id = createAscii('series', 1024, 32);
    await insertEvent({ id, summary: 'Series', ...allDayTimes(2), recurrence: ['RRULE:FREQ=DAILY'] });
    await patchEvent(`${id}_20300204`);
    expect(await readEvent(id)).toEqual({ id, summary: 'Series' });
    expect(await readEvent(`${id}_20300204`)).toEqual({ id: `${id}_20300204`, summary: 'Patched' });
  });

  test('are accepted as iCalUIDs, which may differ in the last character only', async () => {
    const otherUid = `${[...uid].slice(0, -1).join('')}x`;
    const uids = [
      [uid, 'First'],
      [otherUid, 'Other'],
    ] as const;
    for (const [iCalUID, summary] of uids) await insertEvent({ iCalUID, summary, ...allDayTimes(3) });
    const listByUidQuery =
      'query ($calendarId: String!, $iCalUID: String) { events(calendarId: $calendarId, iCalUID: $iCalUID) { nodes { summary } } }';
    for (const [iCalUID, summary] of uids)
      expect(await askRootField(listByUidQuery, { iCalUID })).toEqual({ nodes: [{ summary }] });
    const repeatedInsert = await gateway.ask(
      insertMutation,
      { calendarId, event: { iCalUID: uid, ...allDayTimes(3) } },
      { as: owner },
    );
    expect(repeatedInsert.errors).toMatchObject([{ extensions: { code: 'CONFLICT', reason: 'duplicate' } }]);
  });

  test('are accepted as request ids', async () => {
    const event = { summary: 'Once', ...allDayTimes(4) };
    const first = await insertEvent(event, createText('request', 256));
    expect(await insertEvent(event, createText('request', 256))).toEqual(first);
  });

  test('are accepted as names of buckets, topics and objects', async () => {
    expect(Buffer.byteLength(objectId)).toBe(1024);
    const publishResult = await askRootField(
      'mutation ($bucket: String!, $change: ObjectChangeInput!) { publishObjectChange(bucket: $bucket, change: $change) { messages { topic } } }',
      { bucket, change: { eventType: 'OBJECT_FINALIZE', objectId } },
    );
    expect(publishResult).toEqual({ messages: [{ topic }] });
    const messagesQuery =
      'query ($topic: String!) { messages(topic: $topic) { nodes { notificationId attributes } } }';
    const message = { notificationId: notification.id, attributes: { bucketId: bucket, objectId } };
    await eventually(async () =>
      expect(await askRootField(messagesQuery, { topic })).toMatchObject({ nodes: [message] }),
    );
    const query =
      'query ($bucket: String!) { notification(bucket: $bucket, notificationId: "999999999999999") { topic } }';
    expect(await askRootField(query, { bucket })).toEqual({ topic });
  });
});
