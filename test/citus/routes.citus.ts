import pg from 'pg';
import { startGateway, type TestGateway } from '../harness.ts';
import { collectLog } from '../log-lines.ts';
import { createDatabase, type TestDatabase } from '../postgres-server.ts';
import { sendAll, steps } from './requests.ts';
import { detourOf, noteStatements } from './statements.ts';

/** Statements that ask all shards, each with the reason why no request waits for it. */
const inTheBackground: readonly (readonly [beginning: RegExp, reason: string])[] = [
  [
    /^\s*SELECT home_id, key, series_key IS NOT NULL AS is_exception/,
    'earlier invitations to a new calendar: a job, which goes on later where a node is away (event.jobs.ts)',
  ],
  [
    /^WITH r AS MATERIALIZED \(.*\) SELECT to_json\(r\)::text AS row FROM r$/s,
    'what relays, listeners and other works look for, over the nodes that answer (spread/everywhere.ts)',
  ],
];

describe('on a cluster, the way of a request', () => {
  let server: TestDatabase;
  let gateway: TestGateway;
  let client: pg.Client;
  const { lines, logTo } = collectLog();
  beforeAll(async () => {
    if (!process.env.CITUS_URL)
      throw new Error(
        'CITUS_URL is not set: the URL of a database on the coordinator of a Citus cluster, whose nodes this database knows (docs/scaling.md).',
      );
    server = await createDatabase();
    // Mails have to wait: nobody takes them.
    gateway = await startGateway(
      { DATABASE_URL: server.url, SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'calendar@example.com' },
      { logTo },
    );
    client = new pg.Client(server.url);
    await client.connect();
  }, 120_000);
  afterAll(async () => {
    await client?.end();
    await gateway?.close();
    await server?.remove();
  }, 120_000);

  test('asks one shard with each of its statements', async () => {
    const noted = noteStatements();
    const failed = await sendAll(gateway);
    const statements = noted.end();
    const detours = new Map<string, string>();
    for (const statement of statements) {
      if (inTheBackground.some(([beginning]) => beginning.test(statement.text))) continue;
      const detour = await detourOf(client, statement);
      if (detour) detours.set(statement.text.replace(/\s+/g, ' ').slice(0, 160), detour);
    }
    // What callers get no words of; works in the background whose statements are refused are tried again and again.
    const refused = lines
      .filter(({ level }) => level >= 50)
      .map(
        ({ msg, err }) =>
          `${msg}: ${err?.statement ?? err?.cause?.statement ?? ''} ${err?.cause?.message ?? err?.message ?? ''}`,
      );
    expect({ failed, detours: Object.fromEntries(detours), refused }).toEqual({
      failed: [],
      detours: {},
      refused: [],
    });
    // A connection knows a prepared statement by its name.
    const texts = new Map<string | undefined, Set<string>>();
    for (const { name, text } of statements) texts.set(name, (texts.get(name) ?? new Set()).add(text));
    expect([...texts].filter(([name, own]) => name !== undefined && own.size > 1)).toEqual([]);
    expect(new Set(statements.map(({ text }) => text)).size).toBeGreaterThan(40);
  }, 300_000);

  test('is that of every field of queries and mutations', async () => {
    const { data } = await gateway.ask(
      '{ __schema { queryType { fields { name } } mutationType { fields { name } } } }',
    );
    const fields = [...data.__schema.queryType.fields, ...data.__schema.mutationType.fields].map(
      ({ name }: { name: string }) => name,
    );
    expect(fields.length).toBeGreaterThan(20);
    expect(
      fields.filter(
        (name: string) =>
          !name.startsWith('_') && !steps.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text)),
      ),
    ).toEqual([]);
  });
});
