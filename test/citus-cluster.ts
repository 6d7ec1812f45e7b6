import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { eventually } from './eventually.ts';

/** Fewer than a cluster in use has: each test begins with new tables. */
const shards = 4;

/**
 * An empty database on a cluster of Citus: on its coordinator, which the URL leads to, and on all nodes that the URL's database knows
 * (`citus_add_node`), with the same user.
 */
export async function createClusterDatabase(
  coordinator: string,
): Promise<{ readonly url: string; remove(): Promise<void> }> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const nodes = await asked<{ nodename: string; nodeport: number; groupid: number }>(
    coordinator,
    "SELECT nodename, nodeport, groupid FROM pg_dist_node WHERE noderole = 'primary' ORDER BY groupid",
  );
  const on = (
    { nodename, nodeport }: { readonly nodename: string; readonly nodeport: number },
    database: string,
  ): string => {
    const url = new URL(coordinator);
    [url.hostname, url.port, url.pathname] = [nodename, String(nodeport), `/${database}`];
    return url.href;
  };
  const [first] = nodes.filter(({ groupid }) => groupid === 0);
  if (!first)
    throw new Error('CITUS_URL: its database does not know its own node (citus_set_coordinator_host)');
  const own = new URL(coordinator).pathname.slice(1);
  for (const node of nodes) await asked(on(node, own), `CREATE DATABASE ${name}`);
  for (const node of nodes) await asked(on(node, name), 'CREATE EXTENSION citus');
  const url = on(first, name);
  await asked(url, `SELECT citus_set_coordinator_host('${first.nodename}', ${first.nodeport})`);
  for (const { nodename, nodeport, groupid } of nodes)
    if (groupid !== 0) await asked(url, `SELECT citus_add_node('${nodename}', ${nodeport})`);
  await asked(url, `ALTER DATABASE ${name} SET citus.shard_count = ${shards}`);
  return {
    url,
    async remove() {
      // Nodes that look after the cluster connect to each other all the time: whoever came meanwhile is ended by another try.
      for (const node of nodes)
        await eventually(
          async () => void (await asked(on(node, own), `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)),
        );
    },
  };
}

/** The rows of a statement, on a connection of its own. */
export async function asked<R extends pg.QueryResultRow>(url: string, text: string): Promise<R[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<R>(text)).rows;
  } finally {
    await client.end();
  }
}
