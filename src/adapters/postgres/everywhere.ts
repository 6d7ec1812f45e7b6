import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Database, Row, Statement } from './database.ts';
import { isAway, unavailable } from './failures.ts';

/** Gives the name under which a table is asked. */
type TableName = (table: string) => string;

/** A statement over tables that are spread alike, by `table`; without values: it is also sent to nodes that know parts of the tables only. */
export type EverywhereStatement = (table: TableName) => Pick<Statement, 'name' | 'title' | 'text'>;

/** What may be asked everywhere. */
export type AskedEverywhere = Pick<Database, 'query'>;

/** `complete` is false where a node did not answer. */
export interface Everywhere {
  readonly rows: readonly Row[];
  readonly complete: boolean;
}

type Tables = readonly [string, ...string[]];

/** The rows of `lookEverywhere`, for those who look again anyway. */
export const queryEverywhere = async (
  database: AskedEverywhere,
  tables: Tables,
  statement: EverywhereStatement,
): Promise<readonly Row[]> => (await lookEverywhere(database, tables, statement)).rows;

/**
 * The rows of a statement over all shards of some tables, unordered. While a node does not answer, those of the others come:
 * what is looked for in the background goes on for all that is there. Values of rows are as JSON has them.
 */
export async function lookEverywhere(
  database: AskedEverywhere,
  tables: Tables,
  statement: EverywhereStatement,
): Promise<Everywhere> {
  if (inParts.has(database)) return answered(database, await askNodes(database, tables, statement));
  const { text, ...named } = statement((table) => table);
  // By itself: Citus forgets the names of columns where it takes a subquery apart.
  const asJson: Statement = {
    ...named,
    text: `WITH r AS MATERIALIZED (${text}) SELECT to_json(r)::text AS row FROM r`,
  };
  try {
    return { rows: (await database.query(asJson)).map(parsed), complete: true };
  } catch (error) {
    if (!isAway(error) || withoutNodes.has(database)) throw error;
    // The first error is the cause where no node answers, or there are none.
    return answered(
      database,
      await askNodes(database, tables, statement).catch((failed: unknown) => {
        if (isMissingTable(failed)) withoutNodes.add(database);
        throw error;
      }),
    );
  }
}

/** Databases without the tables of a cluster: a single server. */
const withoutNodes = new WeakSet<AskedEverywhere>();
const isMissingTable = (error: unknown): boolean => (error as { readonly code?: unknown }).code === '42P01';

const parsed = ({ row }: Row): Row => JSON.parse(row as string) as Row;

/** Of these a node did not answer lately: asked as a whole they might be silent until their time is out. */
const inParts = new WeakSet<AskedEverywhere>();

function answered(database: AskedEverywhere, found: Everywhere): Everywhere {
  if (found.complete) inParts.delete(database);
  else inParts.add(database);
  return found;
}

/** The shards of some tables, those that stand together in one row, by the node that they are written on. */
const shards = `SELECT n.nodename, n.nodeport, jsonb_agg(c.names)::text AS shards FROM (
    SELECT p.groupid, s.shardminvalue, jsonb_object_agg(t.name, shard_name(s.logicalrelid, s.shardid)) AS names
    FROM unnest($1::text[]) AS t (name) JOIN pg_dist_shard s ON s.logicalrelid = t.name::regclass JOIN pg_dist_placement p USING (shardid) GROUP BY 1, 2
  ) c JOIN pg_dist_node n ON n.groupid = c.groupid AND n.noderole = 'primary' GROUP BY 1, 2`;

const ask =
  'SELECT success, result FROM master_run_on_worker(ARRAY[$1::text], ARRAY[$2::int], ARRAY[$3::text], false)';

/** Each node is asked by a statement of its own: one that is silent holds up no other. */
async function askNodes(
  database: AskedEverywhere,
  tables: Tables,
  statement: EverywhereStatement,
): Promise<Everywhere> {
  const nodes = await database.query({ title: 'shards by node', text: shards, values: [tables] });
  const answers = await Promise.all(
    nodes.map(({ nodename, nodeport, shards: own }) => {
      const command = commandFor(JSON.parse(own as string) as readonly ShardNames[], statement);
      return answerOf(database, `${String(nodename)}:${String(nodeport)}`, {
        title: 'ask a node',
        text: ask,
        values: [nodename, nodeport, command],
      });
    }),
  );
  const given = answers
    .filter((rows) => rows !== undefined)
    .flat()
    .filter(({ success }) => success === true);
  if (given.length === 0) throw unavailable('No node answers.');
  return {
    rows: given.flatMap(({ result }) =>
      (JSON.parse(result as string) as readonly string[]).map((row) => parsed({ row })),
    ),
    complete: given.length === nodes.length,
  };
}

/** Nodes that did not answer the last time, each with whether it is being asked again. */
const silent = new WeakMap<AskedEverywhere, Map<string, boolean>>();
/** How long it is waited for a node that was silent before (ms). */
const patienceMs = 300;

/** What a node answers; undefined where it does not. Of one that is silent one question at a time waits for the end of its time. */
async function answerOf(
  database: AskedEverywhere,
  node: string,
  statement: Statement,
): Promise<readonly Row[] | undefined> {
  const known = silent.get(database) ?? new Map<string, boolean>();
  silent.set(database, known);
  const before = known.get(node);
  if (before) return undefined;
  if (before !== undefined) known.set(node, true);
  const answer = database
    .query(statement)
    .catch(() => undefined)
    .then((rows) => {
      if (rows?.[0]?.success === true) known.delete(node);
      else known.set(node, false);
      return rows;
    });
  return before === undefined ? answer : Promise.race([answer, pause(patienceMs, undefined, { ref: false })]);
}

type ShardNames = Readonly<Record<string, string>>;

/** What a node is sent gives one row with one column. */
function commandFor(all: readonly ShardNames[], statement: EverywhereStatement): string {
  const parts = all.map(
    (names) => `(${statement((table) => names[table] ?? pg.escapeIdentifier(table)).text})`,
  );
  return `SELECT coalesce(json_agg(to_json(r)::text), '[]')::text FROM (${parts.join(' UNION ALL ')}) AS r`;
}
