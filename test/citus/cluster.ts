import { startPostgres, type PostgresServer } from '../postgres-server.ts';
import { asked } from '../citus-cluster.ts';

/** Servers of a cluster of the test's own, which may be killed. */
export interface Cluster {
  readonly coordinator: PostgresServer;
  readonly workers: readonly [PostgresServer, PostgresServer];
  readonly url: string;
  /** The worker that has the rows of a calendar, bucket or other name. */
  workerOf(name: string): Promise<PostgresServer>;
  /** Transactions that are prepared on workers and neither committed nor rolled back. */
  inDoubt(): Promise<number>;
  remove(): Promise<void>;
}

const settings = [
  "shared_preload_libraries = 'citus'",
  'max_connections = 200',
  'max_prepared_transactions = 200',
  'max_worker_processes = 32',
  "citus.recover_2pc_interval = '1s'",
  "citus.local_hostname = '127.0.0.1'",
  'citus.shard_count = 8',
];

/** A coordinator and two workers on loopback, of the programs in the folder `CITUS_BIN`: PostgreSQL with Citus. */
export async function startCluster(): Promise<Cluster> {
  const bin = process.env.CITUS_BIN;
  if (!bin)
    throw new Error('CITUS_BIN: the folder of the programs (initdb, pg_ctl) of a PostgreSQL that has Citus');
  const nodes: PostgresServer[] = [];
  for (let index = 0; index < 3; index += 1) nodes.push(await startPostgres({ settings, bin }));
  const [coordinator, ...workers] = nodes as [PostgresServer, PostgresServer, PostgresServer];
  for (const { url } of nodes) await asked(url, 'CREATE EXTENSION citus');
  await asked(coordinator.url, `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`);
  for (const { port } of workers) await asked(coordinator.url, `SELECT citus_add_node('127.0.0.1', ${port})`);
  return {
    coordinator,
    workers,
    url: coordinator.url,
    async workerOf(name) {
      const [found] = await asked<{ nodeport: number }>(
        coordinator.url,
        `SELECT nodeport FROM citus_shards WHERE shardid = get_shard_id_for_distribution_column('calendars', '${name}')`,
      );
      return workers.find(({ port }) => port === found?.nodeport) as PostgresServer;
    },
    async inDoubt() {
      const counts = await Promise.all(
        workers.map(({ url }) =>
          asked<{ n: number }>(url, 'SELECT count(*)::int AS n FROM pg_prepared_xacts'),
        ),
      );
      return counts.flat().reduce((sum, { n }) => sum + n, 0);
    },
    async remove() {
      for (const node of nodes) await node.remove();
    },
  };
}
