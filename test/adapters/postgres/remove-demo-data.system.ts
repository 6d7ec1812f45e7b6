import { readFileSync } from 'node:fs';
import pg from 'pg';
import { compose } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import { startGateway, type TestGateway } from '../../harness.ts';
import { describeWithPostgres, usePostgres } from '../../postgres-server.ts';

const removalSql = readFileSync(new URL('../../../docs/remove-demo-data.sql', import.meta.url), 'utf8');
const asCarol = { as: 'carol@example.com' };
const calendar = { id: 'carol@example.com', owner: 'carol@example.com', timeZone: 'UTC' };
const dayFields = 'start: { date: "2030-01-01" }, end: { date: "2030-01-02" }';
const listEventsQuery =
  '{ events(calendarId: "primary", showDeleted: true) { nodes { id status attendees { email } } nextSyncToken } }';

describeWithPostgres('docs/remove-demo-data.sql', () => {
  const { createMigratedUrl } = usePostgres();
  let url: string;
  let gateway: TestGateway | undefined;
  let client: pg.Client;
  beforeEach(async () => {
    url = await createMigratedUrl();
    client = new pg.Client(url);
    await client.connect();
  });
  afterEach(async () => {
    await gateway?.close();
    await client?.end();
  });

  const startWithSeed = async (seed?: unknown): Promise<TestGateway> =>
    (gateway = await startGateway({ DATABASE_URL: url }, { seed }));
  /** Stops the gateway, runs the statements, and starts it again with another seed. */
  async function removeDemoDataAndRestart(seed?: unknown): Promise<TestGateway> {
    await gateway?.close();
    gateway = undefined;
    await client.query(removalSql);
    return startWithSeed(seed);
  }
  async function mutate(mutation: string, as = 'alice@example.com'): Promise<void> {
    expect((await gateway?.ask(`mutation { ${mutation} }`, {}, { as }))?.errors).toBeUndefined();
  }
  const queryRows = async (text: string) => (await client.query<Record<string, string>>(text)).rows;

  test('removes the demo data from all tables, so that the next start loads a seed', async () => {
    const silentOptions = { logLevel: 'silent', includesProcessMetrics: false } as const;
    const demo = await compose(readConfig({ DATABASE_URL: url }), silentOptions);
    await demo.app.close();
    gateway = await startWithSeed();
    await mutate(
      `insertEvent(calendarId: "primary", requestId: "r", event: { ${dayFields}, attendees: [{ email: "bob@example.com" }] }) { id }`,
    );
    await mutate(
      'patchEvent(calendarId: "primary", eventId: "teammeeting", event: { summary: "Moved" }) { id }',
    );
    await mutate(
      'publishObjectChange(bucket: "demo-photos", change: { eventType: OBJECT_FINALIZE, objectId: "albums/cat.jpg" }) { messages { messageId } }',
    );
    await mutate('insertBucket(project: "demo-project", bucket: { name: "short-lived" }) { id }');
    for (const name of ['short-lived', 'demo-archive']) await mutate(`deleteBucket(bucket: "${name}")`);
    await client.query(
      `INSERT INTO delivery_queues (bucket, destination, ordering_key, last) VALUES ('alice@example.com', 'mail', 'k', 1)`,
    );
    await client.query(
      `INSERT INTO deliveries (bucket, destination, ordering_key, seq, id, attributes, data, body_id, bytes, stored_at) VALUES ('alice@example.com', 'mail', 'k', 1, 'i', '{}', '', 'i', 10, 0)`,
    );
    await client.query(`INSERT INTO delivery_bodies VALUES ('alice@example.com', 'i', 'a mail that waits')`);
    const restarted = await removeDemoDataAndRestart({ calendars: [calendar] });
    expect(restarted.startupMessages).toEqual([]);
    expect((await restarted.ask('{ calendars { id } }', {}, asCarol)).data).toEqual({
      calendars: [{ id: calendar.id }],
    });
    // Request records expire after a day.
    const tables = await queryRows(
      `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'requests'`,
    );
    for (const { tablename } of tables) {
      const remainingRows = await queryRows(
        `SELECT t::text FROM ${tablename} AS t WHERE t::text ~ '(alice|bob)@example.com|demo-(photos|archive|drafts)'`,
      );
      expect([tablename, remainingRows]).toEqual([tablename, []]);
    }
  });

  test('keeps the events of others with demo users as guests, and removes invitations by demo users', async () => {
    const demoCalendars = ['alice@example.com', 'bob@example.com'].map((id) => ({
      ...calendar,
      id,
      owner: id,
    }));
    await startWithSeed({
      calendars: [calendar, ...demoCalendars],
      buckets: [{ name: 'kept', project: 'some-project', managers: ['carol@example.com'] }],
    });
    await mutate(
      `insertEvent(calendarId: "primary", event: { id: "invited", ${dayFields}, attendees: [{ email: "carol@example.com" }] }) { id }`,
    );
    await mutate(
      `insertEvent(calendarId: "primary", event: { id: "series", ${dayFields}, recurrence: ["RRULE:FREQ=DAILY"], attendees: [{ email: "alice@example.com" }] }) { id }`,
      asCarol.as,
    );
    await mutate(
      'patchEvent(calendarId: "primary", eventId: "series_20300105", event: { summary: "Other" }) { id }',
      asCarol.as,
    );
    const listBefore = await gateway?.ask(listEventsQuery, {}, asCarol);
    const { data } = await (await removeDemoDataAndRestart()).ask(listEventsQuery, {}, asCarol);
    const fieldsOfSeries = { status: 'confirmed', attendees: [{ email: 'alice@example.com' }] };
    expect(data.events.nodes).toEqual([
      { id: 'series', ...fieldsOfSeries },
      { id: 'series_20300105', ...fieldsOfSeries },
    ]);
    // The organizer may set the response of a guest who has no calendar here.
    const guestResponse = 'attendees: [{ email: "alice@example.com", responseStatus: accepted }]';
    const patched = await gateway?.ask(
      `mutation { patchEvent(calendarId: "primary", eventId: "series", event: { ${guestResponse} }) { attendees { responseStatus } } }`,
      {},
      asCarol,
    );
    expect(patched?.data.patchEvent).toEqual({ attendees: [{ responseStatus: 'accepted' }] });
    expect(patched?.warnings).toBeUndefined();
    await mutate(
      'patchEvent(calendarId: "primary", eventId: "series_20300105", event: { summary: "Patched" }) { id }',
      asCarol.as,
    );
    const changesQuery = `{ events(calendarId: "primary", syncToken: ${JSON.stringify(listBefore?.data.events.nextSyncToken)}) { nodes { id } } }`;
    expect((await gateway?.ask(changesQuery, {}, asCarol))?.errors).toMatchObject([
      { extensions: { issues: [{ path: ['syncToken'] }] } },
    ]);
    const buckets = await gateway?.stores.buckets.buckets(['kept', 'demo-photos']);
    expect(buckets).toMatchObject([{ name: 'kept' }, undefined]);
    const ids = await queryRows(
      `SELECT calendar_id AS id FROM places UNION SELECT home_id FROM places UNION SELECT jsonb_object_keys(body -> 'copies') FROM events`,
    );
    expect(ids).toEqual([{ id: 'carol@example.com' }]);
    expect(await queryRows(`SELECT value FROM settings WHERE name = 'seed'`)).toEqual([{ value: 'done' }]);
  });
});
