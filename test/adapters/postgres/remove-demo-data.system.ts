import { readFileSync } from 'node:fs';
import pg from 'pg';
import { compose } from '../../../src/compose.ts';
import { readConfig } from '../../../src/config.ts';
import { startGateway, type TestGateway } from '../../harness.ts';
import { describeWithPostgres, createDatabase, type TestDatabase } from '../../postgres-server.ts';

const statements = readFileSync(new URL('../../../docs/remove-demo-data.sql', import.meta.url), 'utf8');
const carol = { as: 'carol@example.com' };
const calendar = { id: 'carol@example.com', owner: 'carol@example.com', timeZone: 'UTC' };
const day = 'start: { date: "2030-01-01" }, end: { date: "2030-01-02" }';
const listing =
  '{ events(calendarId: "primary", showDeleted: true) { nodes { id status attendees { email } } nextSyncToken } }';

describeWithPostgres('docs/remove-demo-data.sql', () => {
  let server: TestDatabase;
  let gateway: TestGateway | undefined;
  let client: pg.Client;
  beforeEach(async () => {
    server = await createDatabase();
    client = new pg.Client(server.url);
    await client.connect();
  });
  afterEach(async () => {
    await gateway?.close();
    await client?.end();
    await server?.remove();
  });

  const start = async (seed?: unknown): Promise<TestGateway> =>
    (gateway = await startGateway({ DATABASE_URL: server.url }, { seed }));
  /** Stops the gateway, runs the statements, and starts from another seed, if it is still taken. */
  async function restart(seed?: unknown): Promise<TestGateway> {
    await gateway?.close();
    gateway = undefined;
    await client.query(statements);
    return start(seed);
  }
  async function does(mutation: string, as = 'alice@example.com'): Promise<void> {
    expect((await gateway?.ask(`mutation { ${mutation} }`, {}, { as }))?.errors).toBeUndefined();
  }

  test('leaves nothing of the demo in any table, so that a seed is loaded', async () => {
    const demo = await compose(readConfig({ DATABASE_URL: server.url }), {
      logLevel: 'silent',
      processMetrics: false,
    });
    await demo.app.close();
    gateway = await start();
    await does(
      `insertEvent(calendarId: "primary", requestId: "r", event: { ${day}, attendees: [{ email: "bob@example.com" }] }) { id }`,
    );
    await does(
      'patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "Moved" }) { id }',
    );
    await does(
      'publishObjectChange(bucket: "demo-photos", change: { eventType: OBJECT_FINALIZE, objectId: "albums/cat.jpg" }) { messages { messageId } }',
    );
    await does('insertBucket(project: "demo-project", bucket: { name: "short-lived" }) { id }');
    for (const name of ['short-lived', 'demo-archive']) await does(`deleteBucket(bucket: "${name}")`);
    await client.query(
      `INSERT INTO delivery_queues (bucket, destination, ordering_key, last) VALUES ('alice@example.com', 'mail', 'k', 1)`,
    );
    await client.query(
      `INSERT INTO deliveries (bucket, destination, ordering_key, seq, id, attributes, data, body_id, bytes, stored_at) VALUES ('alice@example.com', 'mail', 'k', 1, 'i', '{}', '', 'i', 10, 0)`,
    );
    await client.query(`INSERT INTO delivery_bodies VALUES ('alice@example.com', 'i', 'a mail that waits')`);
    const fresh = await restart({ calendars: [calendar] });
    expect(fresh.notices).toEqual([]);
    expect((await fresh.ask('{ calendars { id } }', {}, carol)).data).toEqual({
      calendars: [{ id: calendar.id }],
    });
    const { rows } = await client.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    // Records of requests end after a day by themselves.
    for (const { name } of rows.filter((table) => table.name !== 'requests')) {
      const { rows: left } = await client.query(
        `SELECT t::text FROM ${name} AS t WHERE t::text ~ '(alice|bob)@example.com|demo-(photos|archive|drafts)'`,
      );
      expect([name, left]).toEqual([name, []]);
    }
  });

  test("leaves what others have, also what the demo's users were invited to, and no invitation by these", async () => {
    await start({
      calendars: [
        calendar,
        ...['alice', 'bob'].map((name) => ({
          ...calendar,
          id: `${name}@example.com`,
          owner: `${name}@example.com`,
        })),
      ],
      buckets: [{ name: 'kept', project: 'some-project', managers: ['carol@example.com'] }],
    });
    await does(
      `insertEvent(calendarId: "primary", event: { id: "invited", ${day}, attendees: [{ email: "carol@example.com" }] }) { id }`,
    );
    await does(
      `insertEvent(calendarId: "primary", event: { id: "series", ${day}, recurrence: ["RRULE:FREQ=DAILY"], attendees: [{ email: "alice@example.com" }] }) { id }`,
      carol.as,
    );
    await does(
      'patchEvent(calendarId: "primary", eventId: "series_20300105", event: { summary: "Other" }) { id }',
      carol.as,
    );
    const before = await gateway?.ask(listing, {}, carol);
    const { data } = await (await restart()).ask(listing, {}, carol);
    const kept = { status: 'confirmed', attendees: [{ email: 'alice@example.com' }] };
    expect(data.events.nodes).toEqual([
      { id: 'series', ...kept },
      { id: 'series_20300105', ...kept },
    ]);
    // A guest without a calendar here, for whom the organizer answers.
    const answer = 'attendees: [{ email: "alice@example.com", responseStatus: accepted }]';
    const patched = await gateway?.ask(
      `mutation { patchEvent(calendarId: "primary", eventId: "series", event: { ${answer} }) { attendees { responseStatus } } }`,
      {},
      carol,
    );
    expect([patched?.data, patched?.warnings]).toEqual([
      { patchEvent: { attendees: [{ responseStatus: 'accepted' }] } },
      undefined,
    ]);
    await does(
      'patchEvent(calendarId: "primary", eventId: "series_20300105", event: { summary: "Patched" }) { id }',
      carol.as,
    );
    const changes = `{ events(calendarId: "primary", syncToken: ${JSON.stringify(before?.data.events.nextSyncToken)}) { nodes { id } } }`;
    expect((await gateway?.ask(changes, {}, carol))?.errors?.[0]?.extensions.issues[0]?.path).toEqual([
      'syncToken',
    ]);
    expect(await gateway?.stores.buckets.buckets(['kept', 'demo-photos'])).toMatchObject([
      { name: 'kept' },
      undefined,
    ]);
    const { rows } = await client.query(
      `SELECT calendar_id AS id FROM places UNION SELECT home_id FROM places UNION SELECT jsonb_object_keys(body -> 'copies') FROM events`,
    );
    expect([rows, (await client.query(`SELECT value FROM settings WHERE name = 'seed'`)).rows]).toEqual([
      [{ id: 'carol@example.com' }],
      [{ value: 'done' }],
    ]);
  });
});
