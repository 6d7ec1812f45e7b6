import { createHash } from 'node:crypto';
import { startGateway, type TestGateway } from '../../harness.ts';
import { describeWithPostgres, createDatabase, type TestDatabase } from '../../postgres-server.ts';
import { addressKey } from '../../../src/core/text/email.ts';

/** Characters of four bytes each that nothing compresses, the same for the same name. */
function random(name: string, characters: number): string {
  const points = Array.from(
    { length: characters },
    (_, index) =>
      0x20000 + (createHash('sha256').update(`${name} ${index}`).digest().readUInt16BE() % 0xa6d0),
  );
  return String.fromCodePoint(...points);
}
const ascii = (name: string, length: number, base: number): string =>
  Array.from({ length }, (_, index) =>
    (createHash('sha256').update(`${name} ${index}`).digest().readUInt16BE() % base).toString(base),
  ).join('');
/** An address of 254 bytes. */
const address = (name: string): string =>
  `${random(name, 16)}@${[63, 63, 61]
    .map((length) => ascii(name, length - 1, 36))
    .map((label) => `a${label}`)
    .join('.')}`;

const [owner, reader] = [address('owner'), address('reader')];
const calendarId = random('calendar', 256);
const imported = random('event', 1024);
const uid = random('uid', 1024);
const bucket = `b${random('bucket', 55)}`;
const topic = `//${[63, 63, 63, 61]
  .map((length) => ascii('host', length - 1, 36))
  .map((label) => `a${label}`)
  .join('.')}:65535/projects/${[63, 63, 63, 61]
  .map((length) => ascii('domain', length - 1, 36))
  .map((label) => `a${label}`)
  .join('.')}:a${ascii('project', 29, 36)}/topics/a${ascii('topic', 254, 36)}`;
const objectId = random('object', 256);
const day = (date: string) => ({
  start: { date },
  end: { date: date.replace(/\d$/, (digit) => String(Number(digit) + 1)) },
});
const seed = {
  calendars: [
    {
      id: calendarId,
      owner,
      timeZone: 'UTC',
      acl: [{ email: reader, role: 'reader' }],
      events: [
        {
          id: imported,
          iCalUID: `${random('uid of the imported', 1023)}.`,
          summary: 'Imported',
          ...day('2030-01-01'),
        },
      ],
    },
  ],
  buckets: [
    {
      name: bucket,
      project: 'my-project',
      managers: [owner],
      notifications: [{ id: '999999999999999', topic, object_name_prefix: objectId }],
    },
  ],
};

describeWithPostgres('texts of the greatest length that nothing compresses', () => {
  let server: TestDatabase;
  let gateway: TestGateway;
  beforeAll(async () => {
    server = await createDatabase();
    gateway = await startGateway({ DATABASE_URL: server.url }, { seed });
  });
  afterAll(async () => {
    await gateway?.close();
    await server?.remove();
  });

  /** What the one root field gives, for the owner unless told. */
  async function ask(query: string, variables: object = {}, as = owner): Promise<unknown> {
    const { data, errors } = await gateway.ask(query, { calendarId, ...variables }, { as });
    expect(errors).toBeUndefined();
    return Object.values(data as object)[0];
  }
  const insert = (event: object, requestId?: string): Promise<unknown> =>
    ask(
      'mutation ($calendarId: String!, $event: EventInput!, $requestId: String) { insertEvent(calendarId: $calendarId, event: $event, requestId: $requestId) { id iCalUID summary } }',
      { event, requestId },
    );
  const read = (eventId: string, as?: string): Promise<unknown> =>
    ask(
      'query ($calendarId: String!, $eventId: String!) { event(calendarId: $calendarId, eventId: $eventId) { id summary } }',
      { eventId },
      as,
    );

  test('are ids of calendars and addresses of those who may read them', async () => {
    expect(await ask('{ calendars { id } }')).toEqual([{ id: calendarId }]);
    // A reader with an address has a calendar too.
    expect(await ask('{ calendars { id } }', {}, reader)).toEqual([
      { id: addressKey(reader) },
      { id: calendarId },
    ]);
    expect(await ask('{ calendar(calendarId: "primary") { id } }')).toEqual({ id: calendarId });
  });

  test('are ids of imported events', async () => {
    expect(await read(imported, reader)).toEqual({ id: imported, summary: 'Imported' });
    await ask(
      'mutation ($calendarId: String!, $eventId: String!) { patchEvent(calendarId: $calendarId, eventId: $eventId, event: { summary: "Patched" }) { id } }',
      { eventId: imported },
    );
    expect(await read(imported)).toEqual({ id: imported, summary: 'Patched' });
  });

  test('are ids of inserted events, and of their instances', async () => {
    const id = ascii('series', 1024, 32);
    await insert({ id, summary: 'Series', ...day('2030-02-01'), recurrence: ['RRULE:FREQ=DAILY'] });
    const eventId = `${id}_20300204`;
    await ask(
      'mutation ($calendarId: String!, $eventId: String!) { patchEvent(calendarId: $calendarId, eventId: $eventId, event: { summary: "Instance" }) { id } }',
      { eventId },
    );
    expect(await read(id)).toEqual({ id, summary: 'Series' });
    expect(await read(eventId)).toEqual({ id: eventId, summary: 'Instance' });
  });

  test('are iCalUIDs, each another one up to its last character', async () => {
    const other = `${[...uid].slice(0, -1).join('')}x`;
    for (const iCalUID of [uid, other])
      await insert({ iCalUID, summary: iCalUID === uid ? 'First' : 'Other', ...day('2030-03-01') });
    for (const [iCalUID, summary] of [
      [uid, 'First'],
      [other, 'Other'],
    ]) {
      const found = await ask(
        'query ($calendarId: String!, $iCalUID: String) { events(calendarId: $calendarId, iCalUID: $iCalUID) { nodes { summary } } }',
        { iCalUID },
      );
      expect(found).toEqual({ nodes: [{ summary }] });
    }
    const again = await gateway.ask(
      'mutation ($calendarId: String!, $event: EventInput!) { insertEvent(calendarId: $calendarId, event: $event) { id } }',
      { calendarId, event: { iCalUID: uid, ...day('2030-03-02') } },
      { as: owner },
    );
    expect(again.errors).toMatchObject([{ extensions: { code: 'CONFLICT', reason: 'duplicate' } }]);
  });

  test('are ids of requests', async () => {
    const event = { summary: 'Once', ...day('2030-04-01') };
    const first = await insert(event, random('request', 256));
    expect(await insert(event, random('request', 256))).toEqual(first);
  });

  test('are names of buckets, topics and objects', async () => {
    expect(Buffer.byteLength(objectId)).toBe(1024);
    const change = { eventType: 'OBJECT_FINALIZE', objectId };
    const published = await ask(
      'mutation ($bucket: String!, $change: ObjectChangeInput!) { publishObjectChange(bucket: $bucket, change: $change) { messages { messageId topic } } }',
      { bucket, change },
    );
    expect(published).toMatchObject({ messages: [{ topic }] });
    for (;;) {
      const { nodes } = (await ask(
        'query ($topic: String!) { messages(topic: $topic) { nodes { notificationId attributes } } }',
        { topic },
      )) as { nodes: unknown[] };
      if (nodes.length === 0) continue;
      expect(nodes).toMatchObject([
        { notificationId: '999999999999999', attributes: { bucketId: bucket, objectId } },
      ]);
      break;
    }
    expect(
      await ask(
        'query ($bucket: String!) { notification(bucket: $bucket, notificationId: "999999999999999") { topic } }',
        { bucket },
      ),
    ).toEqual({ topic });
  });
});
