import { readFileSync } from 'node:fs';
import { jest } from '@jest/globals';
import pg from 'pg';
import { startGateway, type TestGateway } from '../../harness.ts';
import { describeWithPostgres, createDatabase, type TestDatabase } from '../../postgres-server.ts';

const citus = readFileSync(new URL('../../../src/adapters/postgres/citus.sql', import.meta.url), 'utf8');
/** By table: the column that it is spread by. */
const spread = new Map([...citus.matchAll(/create_distributed_table\('(\w+)', '(\w+)'/g)].map(([, table = '', column = '']) => [table, column]));

describeWithPostgres('tables that are spread over shards', () => {
  let server: TestDatabase;
  let gateway: TestGateway;
  beforeAll(async () => {
    server = await createDatabase();
    gateway = await startGateway({ DATABASE_URL: server.url });
  }, 60_000);
  afterAll(async () => {
    await gateway?.close();
    await server?.remove();
  }, 60_000);

  test('are all tables but the settings, and each unique key has the column that its table is spread by', async () => {
    const client = new pg.Client(server.url);
    await client.connect();
    const { rows } = await client.query<{ table: string; columns: string[] }>(`
      SELECT t.relname AS "table", array_agg(a.attname::text) AS columns FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
      JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = ANY (i.indkey)
      WHERE i.indisunique AND t.relnamespace = 'public'::regnamespace GROUP BY i.indexrelid, t.relname`);
    await client.end();
    const own = rows.filter(({ table }) => !table.startsWith('kysely_') && table !== 'settings');
    expect(new Set(own.map(({ table }) => table))).toEqual(new Set(spread.keys()));
    for (const { table, columns } of own) expect([table, columns]).toEqual([table, expect.arrayContaining([spread.get(table)])]);
  });

  test('are asked on the way of a request by that column only', async () => {
    const asked = new Set<string>();
    const query = pg.Client.prototype.query;
    const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...values: unknown[]) {
      const [statement] = values as [string | { text: string }];
      asked.add(typeof statement === 'string' ? statement : statement.text);
      return (query as (...all: unknown[]) => void).apply(this, values);
    });
    const times = 'start: { dateTime: "2030-01-01T10:00:00Z", timeZone: "UTC" }, end: { dateTime: "2030-01-01T11:00:00Z", timeZone: "UTC" }';
    const requests = [
      `mutation { insertEvent(calendarId: "primary", requestId: "r", event: { id: "series", ${times}, recurrence: ["RRULE:FREQ=DAILY"], attendees: [{ email: "bob@example.com" }] }) { id } }`,
      'mutation { patchEvent(calendarId: "primary", eventId: "series_20300102T100000Z", event: { summary: "Other" }) { id } }',
      'mutation { patchEvent(calendarId: "primary", eventId: "series", event: { summary: "All" }) { id } }',
      '{ event(calendarId: "primary", eventId: "series") { id } calendars { id } }',
      '{ events(calendarId: "primary", timeMin: "2030-01-01T00:00:00Z", timeMax: "2030-01-08T00:00:00Z", singleEvents: true, orderBy: startTime) { nodes { id } } }',
      '{ events(calendarId: "primary", orderBy: updated, updatedMin: "2020-01-01T00:00:00Z") { nodes { id } } }',
      'mutation { insertNotification(bucket: "demo-photos", requestId: "n", notification: { topic: "projects/p-project/topics/new" }) { id } }',
      'mutation { publishObjectChange(bucket: "demo-photos", change: { eventType: OBJECT_FINALIZE, objectId: "o" }) { messages { topic } } }',
      'mutation { insertBucket(project: "demo-project", requestId: "b", bucket: { name: "another" }) { id } }',
      'mutation { patchBucket(bucket: "another", change: { managers: ["alice@example.com", "bob@example.com"] }) { id } }',
      '{ bucket(bucket: "another") { id } buckets(project: "demo-project") { nodes { id } } }',
      'mutation { deleteBucket(bucket: "another") }',
      '{ notifications(bucket: "demo-photos") { id } messages(topic: "projects/p-project/topics/new") { nodes { id: messageId } } }',
    ];
    for (const request of requests) {
      const { errors } = await gateway.ask(request);
      expect([request, errors]).toEqual([request, undefined]);
    }
    spy.mockRestore();
    const onlyByRelay = /\bclaims?\b|skip locked/i;
    const without = [...asked].filter((text) => !onlyByRelay.test(text)).flatMap((text) =>
      [...text.matchAll(/\b(?:from|join|into|update)\s+"?(\w+)"?/gi)].flatMap(([, table = '']) => {
        const column = spread.get(table);
        return column === undefined || new RegExp(`\\b${column}\\b`).test(text) ? [] : [`${table}: ${text.slice(0, 200)}`];
      }));
    expect(asked.size).toBeGreaterThan(8);
    expect(without).toEqual([]);
  });
});
