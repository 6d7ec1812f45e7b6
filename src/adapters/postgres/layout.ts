import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { packagePath } from '../../core/package-files.ts';

const distributionSql = readFileSync(packagePath('src/adapters/postgres/citus.sql'), 'utf8');

const hasCitus = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS found";
const hasShards =
  "SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'calendars'::regclass) AS found";
const hasDataSql = 'SELECT EXISTS (SELECT FROM calendars) OR EXISTS (SELECT FROM buckets) AS found';

type Queryable = Pick<pg.ClientBase, 'query'>;

const isTrue = async (client: Queryable, text: string): Promise<boolean> =>
  (await client.query<{ found: boolean }>(text)).rows[0]?.found === true;

/** Whether there are calendars or buckets, to which all other data belong. */
export const hasData = (client: Queryable): Promise<boolean> => isTrue(client, hasDataSql);

/** Distributes the tables over a Citus cluster while they are empty (`citus.sql`). Tables with data stay on the coordinator. */
export async function distributeTables(db: Queryable): Promise<void> {
  if (!(await isTrue(db, hasCitus)) || (await isTrue(db, hasShards)) || (await hasData(db))) return;
  await db.query(distributionSql);
}
