import { createHash } from 'node:crypto';
import { addressKey } from '../../../src/core/text/email.ts';
import { eventually } from '../../eventually.ts';
import { startGateway } from '../../harness.ts';
import { describeWithPostgres, usePostgres } from '../../postgres-server.ts';
import { useForAll } from '../../started.ts';

/** Numbers that nothing compresses, the same for the same name. */
const numbers = (name: string, length: number): number[] =>
  Array.from({ length }, (_, index) =>
    createHash('sha256').update(`${name} ${index}`).digest().readUInt16BE(),
  );
/** Characters of four bytes each. */
const random = (name: string, length: number): string =>
  String.fromCodePoint(...numbers(name, length).map((number) => 0x20000 + (number % 0xa6d0)));
const ascii = (name: string, length: number, base = 36): string =>
  `a${numbers(name, length - 1)
    .map((number) => (number % base).toString(base))
    .join('')}`;
const domain = (name: string, ...lengths: readonly number[]): string =>
  lengths.map((length) => ascii(name, length)).join('.');
/** An address of 254 bytes. */
const address = (name: string): string => `${random(name, 16)}@${domain('domain', 63, 63, 61)}`;

const [owner, reader] = [address('owner'), address('reader')];
const calendarId = random('calendar', 256);
const imported = random('event', 1024);
const uid = random('uid', 1024);
const bucket = `b${random('bucket', 55)}`;
const project = `${domain('domain', 63, 63, 63, 61)}:${ascii('project', 30)}`;
const topic = `//${domain('host', 63, 63, 63, 61)}:65535/projects/${project}/topics/${ascii('topic', 255)}`;
const objectId = random('object', 256);
const day = (month: number) => ({ start: { date: `2030-0${month}-01` }, end: { date: `2030-0${month}-02` } });
const importedEvent = {
  id: imported,
  iCalUID: `${random('imported uid', 1023)}.`,
  summary: 'Imported',
  ...day(1),
};
const notification = { id: '999999999999999', topic, object_name_prefix: objectId };
const acl = [{ email: reader, role: 'reader' }];
const seed = {
  calendars: [{ id: calendarId, owner, timeZone: 'UTC', acl, events: [importedEvent] }],
  buckets: [{ name: bucket, project: 'my-project', managers: [owner], notifications: [notification] }],
};

describeWithPostgres('texts of the greatest length that nothing compresses', () => {
  const { fresh } = usePostgres();
  const gateway = useForAll(async () => startGateway({ DATABASE_URL: await fresh() }, { seed }));

  /** Sends a root field for the calendar's owner, or for the caller given, and returns its value. */
  async function ask(query: string, variables: object = {}, as = owner): Promise<unknown> {
    const { data, errors } = await gateway.ask(query, { calendarId, ...variables }, { as });
    expect(errors).toBeUndefined();
    return Object.values(data as object)[0];
  }
  const inserting =
    'mutation ($calendarId: String!, $event: EventInput!, $requestId: String) { insertEvent(calendarId: $calendarId, event: $event, requestId: $requestId) { id } }';
  const insert = (event: object, requestId?: string) => ask(inserting, { event, requestId });
  const patch = (eventId: string) =>
    ask(
      'mutation ($calendarId: String!, $eventId: String!) { patchEvent(calendarId: $calendarId, eventId: $eventId, event: { summary: "Patched" }) { id } }',
      { eventId },
    );
  const read = (eventId: string, as?: string) =>
    ask(
      'query ($calendarId: String!, $eventId: String!) { event(calendarId: $calendarId, eventId: $eventId) { id summary } }',
      { eventId },
      as,
    );

  test('are ids of calendars and addresses of those who may read them', async () => {
    const own = { id: calendarId };
    expect(await ask('{ calendars { id } }')).toEqual([own]);
    // A reader with an address has a calendar too.
    expect(await ask('{ calendars { id } }', {}, reader)).toEqual([{ id: addressKey(reader) }, own]);
    expect(await ask('{ calendar(calendarId: "primary") { id } }')).toEqual(own);
  });

  test('are ids of imported events', async () => {
    expect(await read(imported, reader)).toEqual({ id: imported, summary: 'Imported' });
    await patch(imported);
    expect(await read(imported)).toEqual({ id: imported, summary: 'Patched' });
  });

  test('are ids of inserted events, and of their instances', async () => {
    const id = ascii('series', 1024, 32);
    await insert({ id, summary: 'Series', ...day(2), recurrence: ['RRULE:FREQ=DAILY'] });
    await patch(`${id}_20300204`);
    expect(await read(id)).toEqual({ id, summary: 'Series' });
    expect(await read(`${id}_20300204`)).toEqual({ id: `${id}_20300204`, summary: 'Patched' });
  });

  test('are iCalUIDs, each another one up to its last character', async () => {
    const other = `${[...uid].slice(0, -1).join('')}x`;
    const uids = [
      [uid, 'First'],
      [other, 'Other'],
    ] as const;
    for (const [iCalUID, summary] of uids) await insert({ iCalUID, summary, ...day(3) });
    const listing =
      'query ($calendarId: String!, $iCalUID: String) { events(calendarId: $calendarId, iCalUID: $iCalUID) { nodes { summary } } }';
    for (const [iCalUID, summary] of uids)
      expect(await ask(listing, { iCalUID })).toEqual({ nodes: [{ summary }] });
    const again = await gateway.ask(
      inserting,
      { calendarId, event: { iCalUID: uid, ...day(3) } },
      { as: owner },
    );
    expect(again.errors).toMatchObject([{ extensions: { code: 'CONFLICT', reason: 'duplicate' } }]);
  });

  test('are ids of requests', async () => {
    const event = { summary: 'Once', ...day(4) };
    const first = await insert(event, random('request', 256));
    expect(await insert(event, random('request', 256))).toEqual(first);
  });

  test('are names of buckets, topics and objects', async () => {
    expect(Buffer.byteLength(objectId)).toBe(1024);
    const published = await ask(
      'mutation ($bucket: String!, $change: ObjectChangeInput!) { publishObjectChange(bucket: $bucket, change: $change) { messages { topic } } }',
      { bucket, change: { eventType: 'OBJECT_FINALIZE', objectId } },
    );
    expect(published).toEqual({ messages: [{ topic }] });
    const reading =
      'query ($topic: String!) { messages(topic: $topic) { nodes { notificationId attributes } } }';
    const message = { notificationId: notification.id, attributes: { bucketId: bucket, objectId } };
    await eventually(async () => expect(await ask(reading, { topic })).toMatchObject({ nodes: [message] }));
    const query =
      'query ($bucket: String!) { notification(bucket: $bucket, notificationId: "999999999999999") { topic } }';
    expect(await ask(query, { bucket })).toEqual({ topic });
  });
});
