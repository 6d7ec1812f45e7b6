import pg from 'pg';
import { startGateway, type TestGateway } from '../harness.ts';
import { collectLog } from '../log-lines.ts';
import { createDatabase, type TestDatabase } from '../postgres-server.ts';
import { sendSteps, steps } from './request-steps.ts';

interface SentStatement {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Records statements sent from now on, each text at most `maxPerText` times, until `end` returns them. */
function recordStatements(maxPerText = 8): { readonly end: () => readonly SentStatement[] } {
  const statementsByText = new Map<string, SentStatement[]>();
  // The overloads of pg's types do not allow the assignment.
  const { prototype } = pg.Client as unknown as { prototype: { query: (...all: unknown[]) => unknown } };
  const { query } = prototype;
  prototype.query = function (...args) {
    const [statement, values] = args as [string | Partial<SentStatement>, readonly unknown[] | undefined];
    const {
      name,
      text = '',
      values: statementValues,
    } = typeof statement === 'string' ? { text: statement, values } : statement;
    const statementsWithText = statementsByText.get(text) ?? [];
    if (statementsWithText.length < maxPerText)
      statementsByText.set(text, [
        ...statementsWithText,
        { ...(name !== undefined && { name }), text, values: statementValues ?? [] },
      ]);
    return query.apply(this, args);
  };
  return {
    end() {
      prototype.query = query;
      return [...statementsByText.values()].flat();
    },
  };
}

/** Statements without shards: transaction control, session settings, and coordinator queries. */
const sessionStatement = /^\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|LISTEN|SET)\b/i;

/** Describes the plan of a statement that does not run on exactly one shard; undefined for others. Stores nothing. */
async function describeDetour(
  client: pg.Client,
  { text, values }: SentStatement,
): Promise<string | undefined> {
  if (sessionStatement.test(text)) return undefined;
  await client.query('BEGIN');
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>({
      text: `EXPLAIN (COSTS OFF) ${text}`,
      values: values as unknown[],
    });
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    const taskCounts = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
    const detours = [/Distributed Subplan/, /method: [^\n]+/].flatMap((pattern) => pattern.exec(plan) ?? []);
    const isOneShard =
      taskCounts.length <= 1 &&
      (taskCounts[0] ?? 1) === 1 &&
      (taskCounts.length === 1 || !plan.includes('Custom Scan (Citus'));
    return isOneShard && detours.length === 0
      ? undefined
      : `tasks ${taskCounts.join(' + ') || 'none'} ${detours.join(', ')}`.trim();
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Statements that query all shards, with the reason why no request waits for them. */
const backgroundStatements: readonly (readonly [beginning: RegExp, reason: string])[] = [
  [
    /^\/\* events inviting \*\//,
    'earlier invitations to a new calendar: a job that continues later if a node is away (event.jobs.ts)',
  ],
  [
    /^WITH r AS MATERIALIZED \(.*\) SELECT to_json\(r\)::text AS row FROM r$/s,
    'queries of relays, listeners and other background work over all available nodes (query-shards.ts)',
  ],
];

describe('statements of requests on a cluster', () => {
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
    // No mail server: mails stay in the outbox.
    gateway = await startGateway(
      {
        DATABASE_URL: server.url,
        SMTP_URL: 'smtp://127.0.0.1:1',
        MAIL_FROM: 'calendar@example.com',
        CALENDAR_FEEDS: 'on',
        CHANNELS: 'on',
      },
      { logTarget: logTo },
    );
    client = new pg.Client(server.url);
    await client.connect();
  }, 120_000);
  afterAll(async () => {
    await client?.end();
    await gateway?.close();
    await server?.remove();
  }, 120_000);

  test('query one shard each', async () => {
    const recording = recordStatements();
    const failedSteps = await sendSteps(gateway);
    const { data } = await gateway.ask('{ calendar(calendarId: "primary") { feedUrl } }');
    const feed = await gateway.app.inject(new URL(data.calendar.feedUrl as string).pathname);
    expect([feed.statusCode, feed.body.includes('imported@elsewhere.example')]).toEqual([200, true]);
    const statements = recording.end();
    const detours = new Map<string, string>();
    for (const statement of statements) {
      if (backgroundStatements.some(([beginning]) => beginning.test(statement.text))) continue;
      const detour = await describeDetour(client, statement);
      if (detour) detours.set(statement.text.replace(/\s+/g, ' ').slice(0, 160), detour);
    }
    // Errors (level 50 and above) of background work, which is retried and not reported to callers.
    const backgroundErrors = lines
      .filter(({ level }) => level >= 50)
      .map(
        ({ msg, err }) =>
          `${msg}: ${err?.statement ?? err?.cause?.statement ?? ''} ${err?.cause?.message ?? err?.message ?? ''}`,
      );
    expect({ failed: failedSteps, detours: Object.fromEntries(detours), refused: backgroundErrors }).toEqual({
      failed: [],
      detours: {},
      refused: [],
    });
    // Prepared statements are cached by name, so a name must have one text.
    const texts = new Map<string | undefined, Set<string>>();
    for (const { name, text } of statements) texts.set(name, (texts.get(name) ?? new Set()).add(text));
    expect([...texts].filter(([name, textsOfName]) => name !== undefined && textsOfName.size > 1)).toEqual(
      [],
    );
    expect(new Set(statements.map(({ text }) => text)).size).toBeGreaterThan(40);
  }, 300_000);

  test('are tested for every field of queries and mutations', async () => {
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
