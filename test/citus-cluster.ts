import { randomUUID } from 'node:crypto';
import { eventually } from './eventually.ts';
import { queryOnce, startPostgres, type PostgresServer } from './postgres-server.ts';

/** Shards of each table: fewer than in production, since each test creates new tables. */
const shardCount = 4;

/** Creates an empty database on a Citus coordinator and on all nodes that the URL's database lists (`citus_add_node`). */
export async function createClusterDatabase(
  coordinator: string,
): Promise<{ readonly url: string; remove(): Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const nodes = await queryOnce<{ nodename: string; nodeport: number; groupid: number }>(
    coordinator,
    "SELECT nodename, nodeport, groupid FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid",
  );
  const buildNodeUrl = (
    { nodename, nodeport }: { readonly nodename: string; readonly nodeport: number },
    database: string,
  ): string => {
    const url = new URL(coordinator);
    [url.hostname, url.port, url.pathname] = [nodename, String(nodeport), `/${database}`];
    return url.href;
  };
  const [coordinatorNode] = nodes.filter(({ groupid }) => groupid === 0);
  if (!coordinatorNode)
    throw new Error('CITUS_URL: its database does not know its own node (citus_set_coordinator_host)');
  const homeDatabase = new URL(coordinator).pathname.slice(1);
  for (const node of nodes) await queryOnce(buildNodeUrl(node, homeDatabase), `CREATE DATABASE ${name}`);
  for (const node of nodes) await queryOnce(buildNodeUrl(node, name), 'CREATE EXTENSION citus');
  const url = buildNodeUrl(coordinatorNode, name);
  await queryOnce(
    url,
    `SELECT citus_set_coordinator_host('${coordinatorNode.nodename}', ${coordinatorNode.nodeport})`,
  );
  for (const { nodename, nodeport, groupid } of nodes)
    if (groupid !== 0) await queryOnce(url, `SELECT citus_add_node('${nodename}', ${nodeport})`);
  await queryOnce(url, `ALTER DATABASE ${name} SET citus.shard_count = ${shardCount}`);
  return {
    url,
    async remove() {
      // Citus' maintenance daemons reconnect all the time, so dropping a database may need several attempts.
      for (const node of nodes)
        await eventually(
          async () =>
            void (await queryOnce(
              buildNodeUrl(node, homeDatabase),
              `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`,
            )),
        );
    },
  };
}

/** Cluster that a test starts for itself, so that it may kill servers. */
export type Cluster = Awaited<ReturnType<typeof startCluster>>;

const serverSettings = [
  "shared_preload_libraries = 'citus'",
  'max_connections = 300',
  'max_prepared_transactions = 600',
  'max_worker_processes = 32',
  "citus.recover_2pc_interval = '1s'",
  "citus.local_hostname = '127.0.0.1'",
  'citus.shard_count = 8',
];

/** Starts a coordinator and two workers on loopback. `CITUS_BIN` is the folder of their programs: PostgreSQL with Citus. */
export async function startCluster() {
  const bin = process.env.CITUS_BIN;
  if (!bin)
    throw new Error('CITUS_BIN: the folder of the programs (initdb, pg_ctl) of a PostgreSQL that has Citus');
  const nodes: PostgresServer[] = [];
  for (let index = 0; index < 3; index += 1)
    nodes.push(await startPostgres({ settings: serverSettings, bin }));
  const [coordinator, ...workers] = nodes as [PostgresServer, PostgresServer, PostgresServer];
  for (const { url } of nodes) await queryOnce(url, 'CREATE EXTENSION citus');
  await queryOnce(coordinator.url, `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
  for (const { port } of workers)
    await queryOnce(coordinator.url, `SELECT citus_add_node('127.0.0.1', ${port})`);
  return {
    coordinator,
    workers,
    url: coordinator.url,
    /** Finds the worker that holds the rows of a calendar, bucket or other distribution key. */
    async findWorker(distributionKey: string) {
      const [shard] = await queryOnce<{ nodeport: number }>(
        coordinator.url,
        `SELECT nodeport FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column('calendars', '${distributionKey}')`,
      );
      return workers.find(({ port }) => port === shard?.nodeport) as PostgresServer;
    },
    /** Counts transactions that are prepared on workers, but neither committed nor rolled back. */
    async countInDoubtTransactions() {
      const counts = await Promise.all(
        workers.map(({ url }) =>
          queryOnce<{ n: number }>(url, 'SELECT count(*)::int AS n FROM pg_prepared_xacts'),
        ),
      );
      return counts.flat().reduce((sum, { n }) => sum + n, 0);
    },
    async remove() {
      for (const node of nodes) await node.remove();
    },
  };
}
