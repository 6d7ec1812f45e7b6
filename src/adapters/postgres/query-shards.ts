import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Database, isCluster, type Row, type Statement } from './database.ts';
import { isUnavailable, unavailableError } from './failures.ts';

/** Returns the name of a table in the statement: the table's own, or that of a shard. */
type TableNameOf = (table: string) => string;

/** A statement over co-located tables, without parameters: nodes get it as text, for their shards alone. */
export type ShardsStatementBuilder = (table: TableNameOf) => Pick<Statement, 'name' | 'title' | 'text'>;

/** Database whose tables may be distributed over nodes. */
export type ShardedDatabase = Pick<Database, 'query'>;

/** Rows of all shards; `isComplete` is false if a node did not answer. */
interface ShardsResult {
  readonly rows: readonly Row[];
  readonly isComplete: boolean;
}

/** Tables whose shards are co-located. */
type TableNames = readonly [string, ...string[]];

/** Returns the rows of `queryShards`, for callers that poll and so need not know whether all nodes answered. */
export const queryShardRows = async (
  database: ShardedDatabase,
  tables: TableNames,
  statement: ShardsStatementBuilder,
): Promise<readonly Row[]> => (await queryShards(database, tables, statement)).rows;

/** Queries all shards of some tables, unordered, with values as in JSON. Rows of unavailable nodes are missing, so that background work goes on. */
export async function queryShards(
  database: ShardedDatabase,
  tables: TableNames,
  statement: ShardsStatementBuilder,
): Promise<ShardsResult> {
  if (partlyReachableDatabases.has(database))
    return noteReachability(database, await queryNodes(database, tables, statement));
  const { text, ...nameAndTitle } = statement((table) => table);
  // MATERIALIZED: Citus loses column names where it splits a subquery.
  const jsonStatement: Statement = {
    ...nameAndTitle,
    text: `WITH r AS MATERIALIZED (${text}) SELECT to_json(r)::text AS row FROM r`,
  };
  try {
    return { rows: (await database.query(jsonStatement)).map(parseRow), isComplete: true };
  } catch (error) {
    if (!isUnavailable(error) || !(await isCluster(database).catch(() => false))) throw error;
    // Reports the first error if no node answers.
    const nodesResult = await queryNodes(database, tables, statement).catch((): never => {
      throw error;
    });
    return noteReachability(database, nodesResult);
  }
}

const parseRow = ({ row }: Row): Row => JSON.parse(row as string) as Row;

/** Clusters with a node that did not answer recently. Each node is queried directly: a distributed query could hang until its timeout. */
const partlyReachableDatabases = new WeakSet<ShardedDatabase>();

function noteReachability(database: ShardedDatabase, result: ShardsResult): ShardsResult {
  if (result.isComplete) partlyReachableDatabases.delete(database);
  else partlyReachableDatabases.add(database);
  return result;
}

/**
 * Shards by the node that stores them; co-located shards of several tables form one object (`c`). `t` is a
 * requested table; `s`, `p` and `n` are shard, placement and node in the catalog of Citus.
 */
const shardsByNodeSql = `SELECT n.nodename, n.nodeport, jsonb_agg(c.names)::text AS shards FROM (
    SELECT p.groupid, s.shardminvalue, jsonb_object_agg(t.name, shard_name(s.logicalrelid, s.shardid)) AS names
    FROM unnest($1::text[]) AS t (name) JOIN pg_dist_shard s ON s.logicalrelid = t.name::regclass JOIN pg_dist_placement p USING (shardid) GROUP BY 1, 2
  ) c JOIN pg_dist_node n ON n.groupid = c.groupid AND n.noderole = 'primary' GROUP BY 1, 2`;

const runOnNodeSql =
  'SELECT success, result FROM master_run_on_worker(ARRAY[$1::text], ARRAY[$2::int], ARRAY[$3::text], false)';

/** Queries each node by its own statement, so that a silent node delays no other. */
async function queryNodes(
  database: ShardedDatabase,
  tables: TableNames,
  statement: ShardsStatementBuilder,
): Promise<ShardsResult> {
  const nodes = await database.query({ title: 'shards by node', text: shardsByNodeSql, values: [tables] });
  const nodeResponses = await Promise.all(
    nodes.map(({ nodename, nodeport, shards }) => {
      const command = nodeCommand(JSON.parse(shards as string) as readonly ShardNames[], statement);
      return queryNode(database, `${String(nodename)}:${String(nodeport)}`, {
        title: 'ask a node',
        text: runOnNodeSql,
        values: [nodename, nodeport, command],
      });
    }),
  );
  const successfulRows = nodeResponses
    .filter((rows) => rows !== undefined)
    .flat()
    .filter(({ success }) => success === true);
  if (successfulRows.length === 0) throw unavailableError('No node answers.');
  return {
    rows: successfulRows.flatMap(({ result }) =>
      (JSON.parse(result as string) as readonly string[]).map((row) => parseRow({ row })),
    ),
    isComplete: successfulRows.length === nodes.length,
  };
}

/** Nodes that did not answer last time, and whether a query to each is pending. */
const unreachableNodes = new WeakMap<ShardedDatabase, Map<string, boolean>>();
/** Time to wait for a node that did not answer last time. */
const maxSilentNodeMs = 300;

/** Queries a node; undefined if it is silent. Such a node has at most one pending query, which occupies a connection. */
async function queryNode(
  database: ShardedDatabase,
  node: string,
  statement: Statement,
): Promise<readonly Row[] | undefined> {
  const isPendingByNode = unreachableNodes.get(database) ?? new Map<string, boolean>();
  unreachableNodes.set(database, isPendingByNode);
  const isRetrying = isPendingByNode.get(node);
  if (isRetrying) return undefined;
  if (isRetrying !== undefined) isPendingByNode.set(node, true);
  const pendingResponse = database
    .query(statement)
    .catch(() => undefined)
    .then((rows) => {
      if (rows?.[0]?.success === true) isPendingByNode.delete(node);
      else isPendingByNode.set(node, false);
      return rows;
    });
  return isRetrying === undefined
    ? pendingResponse
    : Promise.race([pendingResponse, pause(maxSilentNodeMs, undefined, { ref: false })]);
}

/** Tables by the names of their shards, for one group of co-located shards. */
type ShardNames = Readonly<Record<string, string>>;

/** Builds the command for a node: it must return one row with one column. */
function nodeCommand(shards: readonly ShardNames[], statement: ShardsStatementBuilder): string {
  const selects = shards.map(
    (names) => `(${statement((table) => names[table] ?? pg.escapeIdentifier(table)).text})`,
  );
  return `SELECT coalesce(json_agg(to_json(r)::text), '[]')::text FROM (${selects.join(' UNION ALL ')}) AS r`;
}
