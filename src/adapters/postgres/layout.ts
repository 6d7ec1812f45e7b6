import { readFileSync } from 'node:fs';
import type pg from 'pg';

const spreading = readFileSync(new URL('./citus.sql', import.meta.url), 'utf8');

const hasCitus = "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS found";
const hasShards =
  "SELECT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = 'calendars'::regclass) AS found";
const hasData = 'SELECT EXISTS (SELECT FROM calendars) OR EXISTS (SELECT FROM buckets) AS found';

type Asked = Pick<pg.ClientBase, 'query'>;

const holds = async (pool: Asked, text: string): Promise<boolean> =>
  (await pool.query<{ found: boolean }>(text)).rows[0]?.found === true;

/**
 * Spreads the tables of a database with the Citus extension over its nodes, as long as nothing is stored. Tables that hold
 * data stay as they are: on the coordinator alone. Of gateways that start at once one does it, the others wait.
 */
export async function spreadTables(pool: Asked): Promise<void> {
  if (!(await holds(pool, hasCitus)) || (await holds(pool, hasShards)) || (await holds(pool, hasData)))
    return;
  await pool.query(spreading);
}
