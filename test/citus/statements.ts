import { jest } from '@jest/globals';
import pg from 'pg';

/** A statement as it was sent. */
export interface Sent {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Notes all statements that are sent from now on, of each text as often as asked; gives them when it is told to end. */
export function noteStatements(ofEach = 8): { readonly end: () => readonly Sent[] } {
  const sent = new Map<string, Sent[]>();
  const query = pg.Client.prototype.query;
  const spy = jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
    this: pg.Client,
    ...parts: unknown[]
  ) {
    const [statement, values] = parts as [string | Partial<Sent>, readonly unknown[] | undefined];
    const {
      name,
      text = '',
      values: own,
    } = typeof statement === 'string' ? { text: statement, values } : statement;
    const same = sent.get(text) ?? [];
    if (same.length < ofEach)
      sent.set(text, [...same, { ...(name !== undefined && { name }), text, values: own ?? [] }]);
    return (query as (...all: unknown[]) => void).apply(this, parts);
  });
  return {
    end() {
      spy.mockRestore();
      return [...sent.values()].flat();
    },
  };
}

/** What is no question: the beginnings and ends of transactions, settings of a session, and what is asked of the coordinator alone. */
const noQuestion = /^\s*(BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|LISTEN|SET)\b/i;

/** How a cluster goes about a statement with its values; undefined where it asks one shard, or none. Nothing is stored. */
export async function detourOf(client: pg.Client, { text, values }: Sent): Promise<string | undefined> {
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
