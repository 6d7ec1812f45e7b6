import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { packagePath } from '../../core/package-files.ts';

const distributionSql = readFileSync(packagePath('src/adapters/postgres/citus.sql'), 'utf8');

const hasCitusSql = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS found";
const hasShardsSql =
  "SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'calendars'::regclass) AS found";
// With a column: Citus cannot read an intermediate result that has none.
const hasDataSql = 'SELECT EXISTS (SELECT 1 FROM calendars) OR EXISTS (SELECT 1 FROM buckets) AS found';

/** A connection of the client library. */
type Queryable = Pick<pg.ClientBase, 'query'>;

/** Runs a query whose only row has the column `found`. */
const isFound = async (client: Queryable, text: string): Promise<boolean> =>
  (await client.query<{ found: boolean }>(text)).rows[0]?.found === true;

/** Whether there are calendars or buckets, to which all other data belong. */
export const hasData = (client: Queryable): Promise<boolean> => isFound(client, hasDataSql);

/** Distributes the tables over a Citus cluster while they are empty (`citus.sql`). Tables with data stay on the coordinator. */
export async function distributeTables(db: Queryable): Promise<void> {
  if (!(await isFound(db, hasCitusSql)) || (await isFound(db, hasShardsSql)) || (await hasData(db))) return;
  await db.query(distributionSql);
}
