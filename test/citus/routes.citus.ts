import pg from 'pg';
import { startGateway, type TestGateway } from '../harness.ts';
import { collectLog } from '../log-lines.ts';
import { createDatabase, type TestDatabase } from '../postgres-server.ts';
import { sendAll, steps } from './requests.ts';

/** A statement as it was sent. */
interface Sent {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Notes all statements that are sent from now on, of each text as often as asked; gives them when it is told to end. */
function noteStatements(ofEach = 8): { readonly end: () => readonly Sent[] } {
  const sent = new Map<string, Sent[]>();
  // The types of pg show a constructor without its prototype's overloads as one function.
  const { prototype } = pg.Client as unknown as { prototype: { query: (...all: unknown[]) => unknown } };
  const { query } = prototype;
  prototype.query = function (...parts) {
    const [statement, values] = parts as [string | Partial<Sent>, readonly unknown[] | undefined];
    const {
      name,
      text = '',
      values: own,
    } = typeof statement === 'string' ? { text: statement, values } : statement;
    const same = sent.get(text) ?? [];
    if (same.length < ofEach)
      sent.set(text, [...same, { ...(name !== undefined && { name }), text, values: own ?? [] }]);
    return query.apply(this, parts);
  };
  return {
    end() {
      prototype.query = query;
      return [...sent.values()].flat();
    },
  };
}

/** Statements that query no shard: transaction control, session settings, and queries of the coordinator alone. */
const noQuestion = /^\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|LISTEN|SET)\b/i;

/** How a cluster goes about a statement with its values; undefined where it asks one shard, or none. Nothing is stored. */
async function detourOf(client: pg.Client, { text, values }: Sent): Promise<string | undefined> {
  if (noQuestion.test(text)) return undefined;
  await client.query('BEGIN');
  try {
    const { rows } = await client.query<{ 'QUERY PLAN': string }>({
      text: `EXPLAIN (COSTS OFF) ${text}`,
      values: values as unknown[],
    });
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    const tasks = [...plan.matchAll(/Task Count: (\d+)/g)].map(([, count]) => Number(count));
    const ways = [/Distributed Subplan/, /method: [^\n]+/].flatMap((way) => way.exec(plan) ?? []);
    const asksOne =
      tasks.length <= 1 &&
      (tasks[0] ?? 1) === 1 &&
      (tasks.length === 1 || !plan.includes('Custom Scan (Citus'));
    return asksOne && ways.length === 0
      ? undefined
      : `tasks ${tasks.join(' + ') || 'none'} ${ways.join(', ')}`.trim();
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  } finally {
    await client.query('ROLLBACK');
  }
}

/** Statements that ask all shards, each with the reason why no request waits for it. */
const inTheBackground: readonly (readonly [beginning: RegExp, reason: string])[] = [
  [
    /^\s*SELECT home_id, key, series_key IS NOT NULL AS is_exception/,
    'earlier invitations to a new calendar: a job, which goes on later where a node is away (event.jobs.ts)',
  ],
  [
    /^WITH r AS MATERIALIZED \(.*\) SELECT to_json\(r\)::text AS row FROM r$/s,
    'what relays, listeners and other works look for, over the nodes that answer (everywhere.ts)',
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
